"""query_url_features(): every feature that the sources allow, for every result of every query."""

from collections.abc import Mapping, Sequence

import numpy as np

from glassrank.core.checks import read_only
from glassrank.core.input_types import TableLike
from glassrank.core.progress import Progress, counted_steps
from glassrank.data.collection import Links, Pages
from glassrank.data.engine import Engine
from glassrank.data.search_results import SearchResults
from glassrank.navigational.feature_table import QueryUrlFeatures
from glassrank.navigational.features.catalogue import FEATURES, MODULES
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.source_matching import match_sources, refuse_empty
from glassrank.navigational.unusual_input import Unusual, find_unusual, refuse_unusual


def query_url_features(
    results: SearchResults,
    clicks: TableLike | None = None,
    links: Links | None = None,
    pages: Pages | None = None,
    *,
    language: str | None = None,
    trusted_hosts: Sequence[str] | None = None,
    last_time: float | None = None,
    engine: str | Engine = "duckdb",
    strict: bool = False,
    progress: Progress | None = None,
) -> QueryUrlFeatures:
    """Compute the features of each result that the sources allow (Lu, Peng, Li and Ahmed 2006, section 3.1).

    Only the results are required: features of an absent source, column or kind of event are left out, and ``absent``
    names them. ``clicks`` is a ``QueryLog``, a table with its columns, or the path of a Parquet, CSV or TSV file, which
    the engine scans, so that a log may outgrow memory. ``language`` is that of the log, ``last_time`` the time (seconds
    since 1970) from which the age of pages is counted, ``engine`` what aggregates the log: ``"duckdb"`` adds in one
    thread, so that the same log gives the same features to the last bit; an engine of one's own, such as
    ``DuckDBEngine(threads=8)``, may be quicker. What is unusual in the input is counted in ``reading``, and
    ``matching`` says how many clicks, pages and links belong to the results; with ``strict`` it is an error if there is
    something unusual, or a source of which nothing belongs to them. ``progress`` is called before each group of
    features is computed.

    >>> results = SearchResults(query_id=[1], query=["zen garden"], rank=[1], url=["http://zengarden.org/"])
    >>> table = query_url_features(results)
    >>> table["rk_rr"].tolist(), "clk_n" in table.names
    ([1.0], False)
    """
    sources = IntentSources(results, clicks, links, pages, language, trusted_hosts, last_time, engine)
    return compute_features(sources, checked_input(sources, strict=strict), progress)


def checked_input(sources: IntentSources, *, strict: bool = False) -> dict[str, Unusual]:
    """What is unusual in the input, by kind; with ``strict`` it is an error, and so is a source that meets no result.

    >>> results = SearchResults(query_id=[1], query=["???"], rank=[1], url=["http://zengarden.org/"])
    >>> list(checked_input(IntentSources(results)))
    ['query without a word']
    """
    unusual = find_unusual(sources)
    if strict:
        refuse_unusual(unusual)
        refuse_empty(match_sources(sources))
    return unusual


def compute_features(
    sources: IntentSources, unusual: Mapping[str, Unusual], progress: Progress | None = None
) -> QueryUrlFeatures:
    """Compute the features of the rows of sources, or of a part of them; ``unusual`` is handed on.

    Which features there are is the same for all parts: the whole decides it.

    >>> results = SearchResults(query_id=[1, 2], query=["a", "b"], rank=[1, 1], url=["u", "v"], score=[1, np.nan])
    >>> compute_features(IntentSources(results).part(np.array([1])), {})["rk_score"].tolist()
    [nan]
    """
    sources.read_texts()
    present = [feature for feature in FEATURES if sources.has(*feature.needs)]
    column_of = {feature.name: column for column, feature in enumerate(present)}
    # Column by column: whoever reads or writes a feature goes through memory in one sweep.
    X = np.full((sources.n_rows, len(present)), np.nan, order="F")
    wanted = {
        group: [one.name for one in module.FEATURES if one.name in column_of] for group, module in MODULES.items()
    }
    start = counted_steps(progress, total=sum(map(bool, wanted.values())))
    for group, names in wanted.items():
        if names:
            start(f"Features of results: {group}")
            found = MODULES[group].compute(sources)
            for name in names:
                X[:, column_of[name]] = found[name]
    categories = tuple(feature.category for feature in present)
    absent, matching = absent_features(sources), match_sources(sources)
    return QueryUrlFeatures(sources.results, tuple(column_of), categories, read_only(X), absent, unusual, matching)


def absent_features(sources: IntentSources) -> dict[str, tuple[str, ...]]:
    """What is not there, and the features that need it.

    >>> results = SearchResults(query_id=[1], query=["zen"], rank=[1], url=["http://zengarden.org/"])
    >>> absent_features(IntentSources(results))["engine"]
    ('rk_votes', 'rk_rrf')
    """
    needs = dict.fromkeys(need for feature in FEATURES for need in feature.needs)
    return {
        need: tuple(feature.name for feature in FEATURES if need in feature.needs)
        for need in needs
        if need not in sources.held
    }
