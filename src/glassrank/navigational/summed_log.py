"""The log of the sources, summed up once for all files that compute features of it."""

from glassrank.navigational.log_base import Asked
from glassrank.navigational.log_summary import LogSummary, summarise_log
from glassrank.navigational.sources import Sources


def summed_log(sources: Sources) -> LogSummary:
    """Return the sums over the log, one value for each row of the results; the log is read once for all parts."""
    found = sources.shared(_sum_up)
    return found if sources.rows is None else found.pick_rows(sources.rows)


def _sum_up(whole: Sources) -> LogSummary:
    return summarise_log(whole.clicks, asked_of(whole), whole.engine)


def asked_of(sources: Sources) -> Asked:
    """Return what the results ask of a log."""
    return Asked(sources.queries, sources.query_tokens, sources.urls, sources.query_of, sources.url_of)
