"""QueryFeatures: features of queries, each a feature of their results summarised by an operator."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, FloatArray, check_choice, read_only
from glassrank.core.frames import make_frame
from glassrank.core.input_types import Frame
from glassrank.core.integration_operators import POSITIONS, RATIO_RANKS
from glassrank.core.wording import counted
from glassrank.navigational.feature import CATEGORIES

# The groups of operators in table 2 of Lu, Peng, Li and Ahmed (2006).
OPERATOR_GROUPS: dict[str, tuple[str, ...]] = {
    "vector": tuple(f"p{rank}" for rank in POSITIONS),
    "normalised ratios": tuple(f"r{rank}" for rank in RATIO_RANKS),
    "min/max": ("min", "max"),
    "entropy/std": ("entropy", "std"),
    "mean/median": ("mean", "median"),
}
GROUP_OF = {operator: group for group, operators in OPERATOR_GROUPS.items() for operator in operators}


@dataclass(frozen=True, eq=False, repr=False)
class QueryFeatures:
    """Features of queries: one row per query, NaN for missing values.

    A column is a feature of results summarised by an operator, such as ``clk_CR|mean``. ``features``, ``operators``,
    ``categories`` and ``operator_groups`` have one entry per column.
    """

    X: FloatArray
    """Queries × columns."""
    features: tuple[str, ...]
    """The feature of results that each column summarises."""
    operators: tuple[str, ...]
    """The operator of each column: mean, median, max, min, entropy, std, p1 to p5, r2, r5, r10 or r20."""
    categories: tuple[str, ...]
    """Category of each column's feature: click, url, anchor or other."""
    query_ids: tuple[str, ...]
    queries: tuple[str, ...]
    """Text of each query."""
    n_left_out: int = 0
    """Number of results beyond the last position that counts."""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Name of each column."""
        return tuple(f"{feature}|{operator}" for feature, operator in zip(self.features, self.operators, strict=True))

    @property
    def operator_groups(self) -> tuple[str, ...]:
        """Group of each column's operator: vector, normalised ratios, min/max, entropy/std or mean/median."""
        return tuple(GROUP_OF[operator] for operator in self.operators)

    @cached_property
    def _column_of(self) -> dict[str, int]:
        return {name: column for column, name in enumerate(self.names)}

    def __getitem__(self, name: str) -> FloatArray:
        if name not in self._column_of:
            different = dict.fromkeys(self.features)
            raise KeyError(f"{name!r} is not among the columns, which are feature|operator of {', '.join(different)}")
        column: FloatArray = self.X[:, self._column_of[name]]
        return column

    def pick(self, names: Iterable[str]) -> "QueryFeatures":
        """Return the columns with these names, in this order."""
        listed = _as_list("names", names)
        _check_known("names", listed, self._column_of)
        return self._take([self._column_of[name] for name in listed])

    def where(
        self,
        *,
        features: Iterable[str] | None = None,
        operators: Iterable[str] | None = None,
        categories: Iterable[str] | None = None,
        operator_groups: Iterable[str] | None = None,
    ) -> "QueryFeatures":
        """Return the columns with these features, operators, categories and operator groups; None means all."""
        kept = np.ones(len(self.features), dtype=bool)
        for what, asked, labels in (
            ("features", features, self.features),
            ("operators", operators, self.operators),
            ("categories", categories, self.categories),
            ("operator_groups", operator_groups, self.operator_groups),
        ):
            if asked is not None:
                wanted = _as_list(what, asked)
                _check_known(what, wanted, dict.fromkeys(labels))
                kept &= np.array([label in wanted for label in labels], dtype=bool)
        return self._take(np.flatnonzero(kept).tolist())

    def pick_queries(self, query_ids: Iterable[str]) -> "QueryFeatures":
        """Return the rows of these queries, in this order."""
        listed = _as_list("query_ids", query_ids)
        row_of = {query_id: row for row, query_id in enumerate(self.query_ids)}
        _check_known("query_ids", listed, row_of)
        rows = [row_of[query_id] for query_id in listed]
        return replace(
            self,
            X=read_only(self.X[rows]),
            query_ids=tuple(listed),
            queries=tuple(self.queries[row] for row in rows),
        )

    def _take(self, columns: list[int]) -> "QueryFeatures":
        return replace(
            self,
            X=read_only(self.X[:, columns]),
            features=tuple(self.features[column] for column in columns),
            operators=tuple(self.operators[column] for column in columns),
            categories=tuple(self.categories[column] for column in columns),
        )

    def __str__(self) -> str:
        columns, different = len(self.features), dict(zip(self.features, self.categories, strict=True))
        in_each = Counter(different.values())
        by_category = ", ".join(f"{in_each[one]} {one}" for one in CATEGORIES if one in in_each)
        missing, constant = np.isnan(self.X).mean() if self.X.size else 0.0, self._n_constant()
        lines = [
            f"{counted(len(self.query_ids), 'query', 'queries')}, {counted(columns, 'column')}: "
            f"{counted(len(different), 'feature')} ({by_category}) with "
            f"{counted(len(set(self.operators)), 'operator')}",
            f"{missing:.1%} of the values are missing; {counted(constant, 'column')} with one value or none",
        ]
        if self.n_left_out:
            lines.append(f"{counted(self.n_left_out, 'result')} beyond the last position left out")
        return "\n".join(lines)

    __repr__ = __str__

    def _n_constant(self) -> int:
        low = np.fmin.reduce(self.X, axis=0, initial=np.nan)
        high = np.fmax.reduce(self.X, axis=0, initial=np.nan)
        return int((~(low < high)).sum())

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame: query_id and query, then the columns by name."""
        identity: dict[str, Any] = {"query_id": list(self.query_ids), "query": list(self.queries)}
        return make_frame({**identity, **{name: self.X[:, k] for k, name in enumerate(self.names)}}, backend)

    def to_json(self) -> str:
        """Return a summary as JSON: each column with its feature, operator, category, and share of missing values."""
        missing = np.isnan(self.X).mean(axis=0) if len(self.X) else np.zeros(len(self.names))
        columns = [
            {"name": name, "feature": feature, "operator": operator, "category": category, "missing": float(share)}
            for name, feature, operator, category, share in zip(
                self.names, self.features, self.operators, self.categories, missing, strict=True
            )
        ]
        return json.dumps({"n_queries": len(self.query_ids), "n_left_out": self.n_left_out, "columns": columns})


def _as_list(what: str, values: Iterable[str]) -> list[str]:
    if isinstance(values, str):
        raise DataError(f"{what} must be a list of names: got {values!r}.", remedy=f"Write [{values!r}].")
    return list(values)


def _check_known(what: str, values: list[str], known: dict[str, Any]) -> None:
    for value in values:
        if value not in known and len(known) > 20:
            raise DataError(
                f"{what} must be among the {len(known):,} available: got {value!r}.", remedy=f"See .{what}."
            )
        check_choice(what, value, known)
