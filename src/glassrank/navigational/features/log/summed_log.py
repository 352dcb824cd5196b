"""The sums over the log of some sources, read from the log or from its stored statistics."""

from glassrank.navigational.features.log.base_tables import AskedQueries
from glassrank.navigational.features.log.log_summary import LogSummary, summarise_log
from glassrank.navigational.features.log.stored_summary import look_up_log
from glassrank.navigational.features.log_source import storable
from glassrank.navigational.features.log_statistics import LogStatistics
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.features.vocabulary import numbered


def summed_log(sources: IntentSources) -> LogSummary:
    """Return the sums over the log, one value per row of the results; the log is read once for all parts."""
    found = sources.shared(_sum_up)
    return found if sources.rows is None else found.pick_rows(sources.rows)


def _sum_up(whole: IntentSources) -> LogSummary:
    if isinstance(whole.clicks, LogStatistics):
        return look_up_log(whole.clicks, asked_of(whole))
    return summarise_log(whole.clicks, asked_of(whole), whole.engine)


def asked_of(sources: IntentSources) -> AskedQueries:
    """Return the distinct queries and addresses of the results."""
    urls, number_of_url = numbered(sources.compared_urls)
    url_of = number_of_url[sources.url_of]
    return AskedQueries(
        [storable(query) for query in sources.queries],
        sources.query_tokens,
        urls,
        sources.query_of,
        url_of,
        comparable=sources.comparable,
    )
