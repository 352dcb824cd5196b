"""integrate(): summarise the features of a query's results as features of the query."""

from itertools import product

import numpy as np

from glassrank.core.checks import DataError, IntArray, check_positive, read_only
from glassrank.core.integration_operators import OPERATORS, integrate_lists
from glassrank.data.search_results import SearchResults
from glassrank.navigational.feature_table import QueryUrlFeatures
from glassrank.navigational.features.vocabulary import numbered
from glassrank.navigational.query_features import QueryFeatures


def integrate(table: QueryUrlFeatures, positions: int | None = 100) -> QueryFeatures:
    """Summarise each feature over the list of each query by fifteen operators (Lu, Peng, Li, Ahmed 2006, section 3.2).

    Over the known values f of the first ``positions`` results (None: of all): mean, median, max, min, entropy −Σ p ln p
    with p_i ∝ f_i − min(0, min f), and standard deviation √(Σ (f_i − mean)² / n); the values f_k at ranks k = 1 … 5;
    and r_k = (max f − f_k) / (max f − min f) at k = 2, 5, 10, 20 (their equation 1), or 0 if all f are equal to twelve
    digits: max f − min f ≤ 1e-12 max |f|. f_k and r_k are missing if the list has no rank k or its value is unknown,
    and all fifteen are missing if no value of the list is known.

    >>> from glassrank.navigational.query_url_features import query_url_features
    >>> results = SearchResults(query_id=[7, 7], query=["zen"] * 2, rank=[1, 2], url=["http://zen.org/", "http://b.org/x"])
    >>> queries = integrate(query_url_features(results))
    >>> queries["rk_rr|mean"].tolist(), queries["rk_rr|r2"].tolist(), queries["rk_rr|p3"].tolist()
    ([0.75], [1.0], [nan])
    """
    _check(table, positions)
    rank = table.results.rank.astype(np.int64)
    query_ids, query_of = numbered(table.results.query_id)
    order, starts = _lists(query_of, rank, len(query_ids), positions)
    found = integrate_lists(table.X, rank, order, starts, table.names)
    columns = list(product(zip(table.names, table.categories, strict=True), OPERATORS))
    return QueryFeatures(
        X=read_only(found.reshape(len(query_ids), len(columns))),
        features=tuple(name for (name, _), _ in columns),
        operators=tuple(operator for _, operator in columns),
        categories=tuple(category for (_, category), _ in columns),
        query_ids=tuple(query_ids),
        queries=_texts(table.results),
        n_left_out=len(rank) - len(order),
    )


def _check(table: QueryUrlFeatures, positions: int | None) -> None:
    if not isinstance(table, QueryUrlFeatures):
        raise DataError(
            f"table must be QueryUrlFeatures: got {type(table).__name__}.",
            parameter="table",
            got=type(table).__name__,
            remedy="Make one: query_url_features(results).",
        )
    if table.results.engine is not None:
        raise DataError(
            "table must contain one list per query: got one per engine. query_url_features(results) fuses them.",
            parameter="table",
        )
    if positions is not None:
        check_positive("positions", positions, whole=True)


def _lists(query_of: IntArray, rank: IntArray, n_queries: int, positions: int | None) -> tuple[IntArray, IntArray]:
    """Rows sorted by query and rank, and the start of each query's rows; a query may have no rows left."""
    order = np.lexsort((rank, query_of))
    if positions is not None:
        order = order[rank[order] <= positions]
    sizes = np.bincount(query_of[order], minlength=n_queries)
    return order, np.append(0, np.cumsum(sizes))


def _texts(results: SearchResults) -> tuple[str, ...]:
    """Text of each query, in order of first appearance."""
    return tuple(dict(zip(results.query_id, results.query, strict=True)).values())
