"""The log of the sources, summed up once for all files that compute features of it."""

from weakref import WeakKeyDictionary

from glassrank.navigational.log_base import Asked
from glassrank.navigational.log_summary import LogSummary, summarise_log
from glassrank.navigational.sources import Sources

# For as long as the sources live: two files of features ask for the same sums.
_SUMMED: "WeakKeyDictionary[Sources, LogSummary]" = WeakKeyDictionary()


def summed_log(sources: Sources) -> LogSummary:
    """Return the sums over the log, one value for each row of the results."""
    if sources not in _SUMMED:
        _SUMMED[sources] = summarise_log(sources.clicks, asked_of(sources), sources.engine)
    return _SUMMED[sources]


def asked_of(sources: Sources) -> Asked:
    """Return what the results ask of a log."""
    return Asked(sources.queries, sources.query_tokens, sources.urls, sources.query_of, sources.url_of)
