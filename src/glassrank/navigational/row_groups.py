"""Which rows must stay in one fold: those of the same query text, because they are nearly the same row."""

from typing import Any

from glassrank.core.input_types import ArrayLike
from glassrank.navigational.normal_text import normal_query
from glassrank.navigational.query_features import QueryFeatures
from glassrank.ranking.estimator import warn_user

NO_GROUPS = (
    "Rows have no groups: if several rows belong to the same query, they may fall into different folds, and results on "
    "held-out rows look better than they are. Pass the query texts as groups, or fit the QueryFeatures that integrate "
    "returns."
)


def groups_of(X: Any, groups: ArrayLike | None) -> ArrayLike | None:
    """Return the groups of rows: those that are given, or else the normalised texts of ``QueryFeatures``.

    Other tables do not know their queries, which is worth a warning.
    """
    if groups is not None:
        return groups
    if isinstance(X, QueryFeatures):
        return [normal_query(query) for query in X.queries]
    warn_user(NO_GROUPS, UserWarning)
    return None
