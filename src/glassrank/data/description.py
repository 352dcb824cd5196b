"""Descriptive statistics of a ranking data set."""

import json
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import DataError, FloatArray, IntArray, Matrix
from glassrank.core.column_transforms import is_heavy_tailed
from glassrank.core.feature_kinds import BOOLEAN, NUMBER, kinds_of, row_numbers, values_of
from glassrank.core.frames import make_frame
from glassrank.core.groups import Groups
from glassrank.core.input_types import Frame
from glassrank.core.missing_rule import missing_by_feature
from glassrank.core.setting import setting
from glassrank.core.wording import counted, listed
from glassrank.data.feature_statistics import DescribedFeatures, FeatureStatistics, describe_features

MAX_LEVELS_LISTED = 20
MAX_NAMES_LISTED = 12
MAX_DUPLICATES_LISTED = 3
TAIL = 10.0  # largest size of a heavy tail, in median sizes


@dataclass(frozen=True, eq=False)
class DuplicatedDocuments:
    """The rows that repeat a document of their query; prints as their number and the first of them."""

    rows: IntArray
    names: tuple[str, ...]
    """The first of the rows in words."""

    @classmethod
    def of(cls, doc_ids: Any, qid: Any, groups: Groups, numbers: IntArray | None) -> "DuplicatedDocuments":
        """Find them; an empty text is no document id, and ``numbers`` are those of the rows in the data as loaded.

        >>> from glassrank.core.groups import group_rows
        >>> documents, queries = np.array(["d1", "d1", "d1", "", ""]), np.array([1, 1, 2, 2, 2])
        >>> print(DuplicatedDocuments.of(documents, queries, group_rows(queries, 5), None))
        1 row repeats a document of its query: 'd1' of query 1 (row 1)
        """
        if doc_ids is None:
            return cls(np.empty(0, dtype=np.int64), ())
        ids, document = np.unique(doc_ids, return_inverse=True)
        pair = groups.of_row * len(ids) + document
        order = np.argsort(pair, kind="stable")
        repeated = order[1:][pair[order[1:]] == pair[order[:-1]]]
        rows, place = np.sort(repeated[doc_ids[repeated] != ""]), row_numbers(numbers, groups.n_rows)
        first = rows[:MAX_DUPLICATES_LISTED]
        return cls(rows, tuple(f"{str(doc_ids[row])!r} of query {qid[row]} (row {place[row]})" for row in first))

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        if not len(self):
            return ""
        words = counted(len(self), "row repeats a document of its query", "rows repeat a document of their query")
        more = len(self) - len(self.names)
        return f"{words}: {', '.join(self.names)}" + (f" and {more:,} more" if more else "")

    def refuse(self) -> None:
        """Raise an error if there are any."""
        if len(self):
            first = setting("duplicates", "first")
            raise DataError(f"{self}.", remedy=("Remove them", f"keep the first row of each document with {first}"))


@dataclass(frozen=True)
class DataDescription:
    """Counts of a ranking data set; prints as a short summary."""

    n_rows: int
    n_queries: int
    n_features: int
    label_counts: dict[float, int]
    documents_per_query: tuple[int, float, int]
    """Minimum, median, maximum."""
    n_pairs: int
    """Pairs of documents of the same query with different labels."""
    queries_without_pairs: int
    """Queries in which all labels are equal, from which a ranker learns nothing."""
    constant_features: tuple[str, ...]
    """Features with the same value in all rows."""
    constant_in_every_query: tuple[str, ...]
    """Features that are constant within each query, so that no pair differs in them; includes the constant ones."""
    n_missing: int
    share_of_zeros: float
    weight_range: tuple[float, float] | None
    """Minimum and maximum row weight; None if rows have no weights."""
    rows_of_weight_zero: int
    """Rows with weight 0, which no fit uses."""
    missing_by_feature: dict[str, int]
    """Features with missing values, and how many."""
    levels_by_category: dict[str, int]
    """Categories, and how many levels they have."""
    boolean_features: tuple[str, ...]
    heavy_tailed_features: tuple[str, ...]
    """Features with skewness above 2 and a range above 100 times the interquartile range that a logarithm would tame:
    the largest size is above 10 times the median size of the values other than 0."""
    features: DescribedFeatures
    """Statistics of each feature."""
    n_duplicates: int
    """Rows whose document has an earlier row in the same query."""
    duplicates: str
    """The same in words, with the first of them."""

    def __str__(self) -> str:
        fewest, median, most = self.documents_per_query
        lines = [
            sizes_in_words(self.n_rows, self.n_queries, self.n_features),
            f"labels: {self._labels()}",
            f"documents per query: {fewest:,} to {most:,}, median {median:,g}",
            f"comparable pairs: {self.n_pairs:,}; queries without any: {self.queries_without_pairs:,}",
            f"zeros: {self.share_of_zeros:.1%} of the values; missing: {self._missing()}",
        ]
        if self.levels_by_category:
            levels = [f"{name} ({counted(count, 'level')})" for name, count in self.levels_by_category.items()]
            lines.append(f"categories: {listed(levels, MAX_NAMES_LISTED)}")
        if self.boolean_features:
            lines.append(f"yes/no features: {listed(self.boolean_features, MAX_NAMES_LISTED)}")
        if self.heavy_tailed_features:
            tails = listed(self.heavy_tailed_features, MAX_NAMES_LISTED)
            lines.append(f"heavy tails, which a log transform would tame: {tails}")
        if self.weight_range is not None:
            low, high = self.weight_range
            unused = counted(self.rows_of_weight_zero, "row")
            lines.append(f"weights: {low:g} to {high:g}; {unused} with weight 0, ignored in fits")
        if self.duplicates:
            lines.append(f"duplicated documents: {self.duplicates}")
        empty = [one.name for one in self.features if one.n_distinct == 0]
        if empty:
            lines.append(f"without any value, so left out of training: {listed(empty, MAX_NAMES_LISTED)}")
        useless = [name for name in self.constant_in_every_query if name not in empty]
        if useless:
            constant = listed(useless, MAX_NAMES_LISTED)
            lines.append(f"constant within every query, so useless for ranking: {constant}")
        return "\n".join(lines)

    def _missing(self) -> str:
        if not self.missing_by_feature:
            return f"{self.n_missing:,}"
        by_share = sorted(self.missing_by_feature.items(), key=lambda item: -item[1])
        shares = [f"{name} ({count / self.n_rows:.0%})" for name, count in by_share]
        return f"{self.n_missing:,}, in {listed(shares, MAX_NAMES_LISTED)}"

    def _labels(self) -> str:
        shown = [f"{label:g} × {count:,}" for label, count in self.label_counts.items()]
        if len(shown) > MAX_LEVELS_LISTED:
            labels = list(self.label_counts)
            return f"{len(shown):,} different values from {labels[0]:g} to {labels[-1]:g}"
        return ", ".join(shown)

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return the label counts as a data frame."""
        return make_frame({"label": list(self.label_counts), "rows": list(self.label_counts.values())}, backend)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return asdict(self) | {"features": self.features.to_dicts()}

    def to_json(self) -> str:
        """Return everything as JSON."""
        return json.dumps(self.to_dict())


def sizes_in_words(n_rows: int, n_queries: int, n_features: int) -> str:
    """Return the numbers of rows, queries and features as text.

    >>> sizes_in_words(1200, 1, 25)
    '1,200 rows, 1 query, 25 features'
    """
    return f"{counted(n_rows, 'row')}, {counted(n_queries, 'query', 'queries')}, {counted(n_features, 'feature')}"


def describe(
    table: Any,
    y: FloatArray,
    groups: Groups,
    feature_names: tuple[str, ...],
    weights: FloatArray | None,
    duplicates: DuplicatedDocuments,
) -> DataDescription:
    """Describe a ranking data set; ``table`` contains the features with their kinds, or is a matrix of numbers."""
    # Compiled code, which a service that only scores documents need not load.
    from glassrank.core.pairs.label_levels import comparable_pairs

    X, kinds = values_of(table), kinds_of(table)
    labels, counts = np.unique(y, return_counts=True)
    pairs = comparable_pairs(y, groups)
    sizes = groups.sizes if groups.n_rows else np.zeros(1, dtype=np.int64)
    named = list(zip(feature_names, kinds, strict=True))
    stored = X.data if sparse.issparse(X) else X
    features = describe_features(X, kinds, feature_names, groups)
    n_values = X.shape[0] * X.shape[1]
    return DataDescription(
        n_rows=groups.n_rows,
        n_queries=groups.n_queries,
        n_features=X.shape[1],
        label_counts={float(label): int(count) for label, count in zip(labels, counts, strict=True)},
        documents_per_query=(int(sizes.min()), float(np.median(sizes)), int(sizes.max())),
        n_pairs=int(pairs.sum()),
        queries_without_pairs=int((pairs == 0).sum()),
        constant_features=tuple(one.name for one in features if _is_constant(one)),
        constant_in_every_query=tuple(one.name for one in features if one.constant_share == 1.0),
        n_missing=int(np.isnan(stored).sum()),
        share_of_zeros=1.0 - np.count_nonzero(stored) / n_values if n_values else 0.0,
        weight_range=None if weights is None or len(weights) == 0 else (float(weights.min()), float(weights.max())),
        rows_of_weight_zero=0 if weights is None else int((weights == 0).sum()),
        missing_by_feature=missing_by_feature(X, feature_names),
        levels_by_category={name: len(kind.levels) for name, kind in named if kind.is_category},
        boolean_features=tuple(name for name, kind in named if kind.name == BOOLEAN),
        heavy_tailed_features=tuple(
            name for k, (name, kind) in enumerate(named) if kind.name == NUMBER and _has_heavy_tails(X, k)
        ),
        features=features,
        n_duplicates=len(duplicates),
        duplicates=str(duplicates),
    )


def _has_heavy_tails(X: Matrix, k: int) -> bool:
    # Features of a sparse matrix are 0 in most rows, which is another matter than heavy tails.
    if sparse.issparse(X):
        return False
    known = X[:, k][~np.isnan(X[:, k])]
    sizes = np.abs(known[known != 0])
    # A rare yes/no or a small count has equal quartiles and many times their range, but no long tail.
    tamed_by_log = len(sizes) > 0 and sizes.max() / TAIL > np.median(sizes)
    return bool(tamed_by_log) and is_heavy_tailed(known, np.ones(len(known)))


def _is_constant(feature: FeatureStatistics) -> bool:
    """Whether all rows have the same value; missing values are equal to each other."""
    return feature.n_distinct + (feature.n_missing > 0) <= 1
