"""QueryUrlFeatures: the features of every query and result, as one table."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray
from glassrank.core.frames import make_frame
from glassrank.core.input_types import Frame
from glassrank.core.wording import counted, listed
from glassrank.data.search_results import SearchResults
from glassrank.navigational.feature import CATEGORIES
from glassrank.navigational.source_matching import Match
from glassrank.navigational.unusual_input import Unusual


@dataclass(frozen=True, eq=False, repr=False)
class QueryUrlFeatures:
    """Features of the results of queries: one row per result, NaN for missing values."""

    results: SearchResults
    """The results, one list per query; lists of several engines are fused."""
    names: tuple[str, ...]
    categories: tuple[str, ...]
    """Category of each feature: click, url, anchor or other."""
    X: FloatArray
    """Results × features."""
    absent: Mapping[str, tuple[str, ...]]
    """Missing source, column or kind of event → the features that are left out because of it."""
    reading: Mapping[str, Unusual]
    """Unusual input by kind."""
    matching: tuple[Match, ...] = ()
    """How many clicks, links and pages match the results."""

    def __getitem__(self, name: str) -> FloatArray:
        if name not in self.names:
            lacking = [need for need, names in self.absent.items() if name in names]
            why = f": there is no {lacking[0]}" if lacking else f"; there are {', '.join(self.names)}"
            raise KeyError(f"{name!r} is not among the features{why}")
        column: FloatArray = self.X[:, self.names.index(name)]
        return column

    def __str__(self) -> str:
        queries = counted(len(set(self.results.query_id)), "query", "queries")
        in_each = ", ".join(f"{self.categories.count(one)} {one}" for one in CATEGORIES if one in self.categories)
        missing = float(np.isnan(self.X).mean()) if self.X.size else 0.0
        lines = [
            f"{counted(len(self.results), 'result')} of {queries}, {counted(len(self.names), 'feature')}: {in_each}",
            f"{missing:.1%} of the values are missing",
        ]
        lines += [f"no {need}: without {listed(names)}" for need, names in self.absent.items()]
        lines += [f"{kind}: {found}" for kind, found in self.reading.items()]
        lines += map(str, self.matching)
        return "\n".join(lines)

    __repr__ = __str__

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame: query_id, query, rank and url of each result, then its features."""
        columns: dict[str, Any] = {
            "query_id": self.results.query_id.tolist(),
            "query": self.results.query.tolist(),
            "rank": self.results.rank.astype(np.int64),
            "url": self.results.url.tolist(),
        }
        return make_frame({**columns, **{name: self.X[:, k] for k, name in enumerate(self.names)}}, backend)

    def to_json(self) -> str:
        """Return a summary as JSON: features with their share of missing values, left-out features, unusual input."""
        missing = np.isnan(self.X).mean(axis=0) if len(self.X) else np.zeros(len(self.names))
        features = [
            {"name": name, "category": category, "missing": float(share)}
            for name, category, share in zip(self.names, self.categories, missing, strict=True)
        ]
        return json.dumps(
            {
                "n_results": len(self.results),
                "n_queries": len(set(self.results.query_id)),
                "features": features,
                "absent": {need: list(names) for need, names in self.absent.items()},
                "matching": [asdict(match) for match in self.matching],
                "reading": {kind: asdict(found) for kind, found in self.reading.items()},
            }
        )
