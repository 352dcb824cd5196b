"""Figure 2 of Lu, Peng, Li and Ahmed (2006): a feature over the ranks of the results of chosen queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, FloatArray, IntArray, check_positive
from glassrank.core.frames import make_frame
from glassrank.core.input_types import Frame
from glassrank.drawing.plot import ROOM
from glassrank.drawing.rank_panels import RankCurve, RankPanels
from glassrank.navigational.feature_labels import feature_label
from glassrank.navigational.feature_table import QueryUrlFeatures

KINDS = {0: "informational", 1: "navigational"}
MAX_QUERIES = 3


@dataclass(frozen=True, eq=False)
class QueryProfile:
    """The values of a feature at the ranks of one query, NaN if missing."""

    query_id: str
    query: str
    kind: str
    """navigational, informational or another class, or '' if unknown."""
    ranks: IntArray
    values: FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class RankProfile:
    """A feature over the ranks, query by query; prints the first values, and draws one panel per query."""

    feature: str
    queries: tuple[QueryProfile, ...]

    def __str__(self) -> str:
        lines = [feature_label(self.feature)]
        for one in self.queries:
            kind = f" ({one.kind})" if one.kind else ""
            first = ", ".join(f"{value:.3g}" for value in one.values[:10])
            lines.append(f"{one.query_id} {one.query!r}{kind}, {len(one.values)} ranks: {first} …")
        return "\n".join(lines)

    __repr__ = __str__

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with query_id, rank and value."""
        columns: dict[str, list[Any]] = {"query_id": [], "rank": [], "value": []}
        for one in self.queries:
            columns["query_id"] += [one.query_id] * len(one.ranks)
            columns["rank"] += one.ranks.tolist()
            columns["value"] += one.values.tolist()
        return make_frame(columns, backend)

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain record per query and rank; a missing value is None."""
        return [
            {"query_id": one.query_id, "rank": rank, "value": None if value != value else value}
            for one in self.queries
            for rank, value in zip(one.ranks.tolist(), one.values.tolist(), strict=True)
        ]

    def chart(self) -> RankPanels:
        """Draw one panel per query, with the same axes."""
        known = np.concatenate([one.values[~np.isnan(one.values)] for one in self.queries])
        low, high = float(known.min()), float(known.max())
        room = ROOM * (high - low) or ROOM
        # If no value is negative, the axis starts at 0, as in the paper.
        y_range = (0.0 if low >= 0 else low - room, high + room)
        curves = tuple(
            RankCurve(one.query, one.kind, tuple(zip(one.ranks.tolist(), one.values.tolist(), strict=True)))
            for one in self.queries
        )
        return RankPanels(feature_label(self.feature), curves, y_range)


def rank_profile(
    table: QueryUrlFeatures,
    queries: Sequence[Any],
    feature: str = "urlmr",
    *,
    intents: Mapping[str, int] | Mapping[str, str] | None = None,
    ranks: int = 100,
) -> RankProfile:
    """Return a feature over the first ranks of one to three queries, given by their identifiers.

    The paper's figure 2 shows ``urlmr`` for a navigational and an informational query: for the first, the value drops
    at once to a stable one; for the second, it does not. ``intents`` (1 navigational, 0 informational, or names) only
    name the panels.

    >>> from glassrank.data.search_results import SearchResults
    >>> from glassrank.navigational.query_url_features import query_url_features
    >>> urls = ["http://www.walmart.com/", "http://a.org/walmart", "http://b.org/"]
    >>> results = SearchResults(query_id=[1] * 3, query=["walmart"] * 3, rank=[1, 2, 3], url=urls)
    >>> rank_profile(query_url_features(results), [1], intents={"1": 1})
    URL: common substring with the query, share of the URL
    1 'walmart' (navigational), 3 ranks: 0.583, 0.538, 0.167 …
    """
    check_positive("ranks", ranks, whole=True)
    chosen = [str(query) for query in dict.fromkeys(queries)]
    if not 1 <= len(chosen) <= MAX_QUERIES:
        raise DataError(parameter="queries", expected=f"one to {MAX_QUERIES} queries", got=len(chosen))
    if feature not in table.names:
        lacking = next((need for need, names in table.absent.items() if feature in names), None)
        why = f"there is no {lacking}" if lacking else f"there are {', '.join(table.names)}"
        raise DataError(f"feature must be one of the features of the table: got {feature!r}; {why}.")
    return RankProfile(feature, tuple(_profile(table, query, feature, intents or {}, ranks) for query in chosen))


def _profile(
    table: QueryUrlFeatures, query_id: str, feature: str, intents: Mapping[str, int] | Mapping[str, str], ranks: int
) -> QueryProfile:
    places = np.asarray(table.results.rank, dtype=np.int64)
    rows = np.flatnonzero((table.results.query_id == query_id) & (places <= ranks))
    if not len(rows):
        raise DataError(f"The results have no query {query_id!r}.", parameter="queries", remedy="Check its query_id.")
    rows = rows[np.argsort(places[rows], kind="stable")]
    values = table[feature][rows]
    if np.isnan(values).all():
        raise DataError(f"{feature} has no value for query {query_id!r}.", parameter="queries")
    intent = intents.get(query_id, "")
    kind = intent if isinstance(intent, str) else KINDS.get(intent, "")
    return QueryProfile(query_id, str(table.results.query[rows[0]]), kind, places[rows], values)
