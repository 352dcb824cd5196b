"""query_url_features(): compute all features that the sources allow, for every result of every query."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from glassrank.core.checks import read_only
from glassrank.core.input_types import TableLike
from glassrank.core.progress import Progress, counted_steps
from glassrank.data.collection import Links, Pages
from glassrank.data.engine import Engine
from glassrank.data.search_results import SearchResults
from glassrank.navigational.feature_settings import BARE
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
    urlmr: str = BARE,
    bare_hosts: bool = False,
    strict: bool = False,
    progress: Progress | None = None,
) -> QueryUrlFeatures:
    """Compute the features of each result that the sources allow (Lu, Peng, Li and Ahmed 2006, section 3.1).

    Only the results are required: features of an absent source, column or kind of event are left out and listed in
    ``absent``. ``clicks`` is a ``QueryLog``, a table with its columns, or the path of a Parquet, CSV or TSV file, which
    the engine scans, so that a log may be larger than memory. ``language`` is the language of the log, and ages of
    pages are relative to ``last_time`` (seconds since 1970). ``urlmr="literal"`` computes the feature of that name on
    the whole address and the query with its spaces. Addresses of results, clicks, links and pages match if they are
    equivalent by RFC 3986; ``bare_hosts`` reads those without a scheme, such as ``www.walmart.com``, as web addresses.
    ``engine`` aggregates the log: ``"duckdb"`` uses one
    thread, so that the same log gives bit-identical features; an engine of your own, such as
    ``DuckDBEngine(threads=8)``, may be faster. ``reading`` counts unusual input, and ``matching`` counts the clicks,
    pages and links that match the results. With ``strict``, unusual input and sources that match no result are errors.
    ``progress`` is called before each group of features is computed.

    >>> results = SearchResults(query_id=[1], query=["zen garden"], rank=[1], url=["http://zengarden.org/"])
    >>> table = query_url_features(results)
    >>> table["rk_rr"].tolist(), "clk_n" in table.names
    ([1.0], False)
    """
    sources = IntentSources(
        results, clicks, links, pages, language, trusted_hosts, last_time, engine, urlmr, bare_hosts
    )
    return compute_features(sources, checked_input(sources, strict=strict), progress)


def checked_input(sources: IntentSources, *, strict: bool = False) -> dict[str, Unusual]:
    """Return unusual input by kind; with ``strict``, that is an error, and so is a source that matches no result.

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
    sources: IntentSources,
    unusual: Mapping[str, Unusual],
    progress: Progress | None = None,
    *,
    only: Collection[str] | None = None,
) -> QueryUrlFeatures:
    """Compute the features of the rows of sources, or of a part of them; ``unusual`` becomes ``reading``.

    The whole determines which features exist, so they are the same for all parts. ``only`` names the features to
    compute; by default, all of them.

    >>> results = SearchResults(query_id=[1, 2], query=["a", "b"], rank=[1, 1], url=["u", "v"], score=[1, np.nan])
    >>> compute_features(IntentSources(results).part(np.array([1])), {})["rk_score"].tolist()
    [nan]
    """
    sources.read_texts()
    wanted_names = None if only is None else set(only)
    present = [
        one for one in FEATURES if sources.has(*one.needs) and (wanted_names is None or one.name in wanted_names)
    ]
    column_of = {feature.name: column for column, feature in enumerate(present)}
    # Column-major order, because features are read and written as columns.
    X = np.full((sources.n_rows, len(present)), np.nan, order="F")
    wanted = {
        group: [one.name for one in module.FEATURES if one.name in column_of] for group, module in MODULES.items()
    }
    start = counted_steps(progress, total=sum(map(bool, wanted.values())))
    for group, names in wanted.items():
        if names:
            start(f"Features of results: {group}")
            found = MODULES[group].compute(sources, names)
            for name in names:
                X[:, column_of[name]] = found[name]
    categories = tuple(feature.category for feature in present)
    absent, matching = absent_features(sources), match_sources(sources)
    return QueryUrlFeatures(sources.results, tuple(column_of), categories, read_only(X), absent, unusual, matching)


def absent_features(sources: IntentSources) -> dict[str, tuple[str, ...]]:
    """Return missing sources and columns, with the features that need them.

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
