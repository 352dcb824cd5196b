"""Statistics of each feature: missing and different values, quantiles, and in how many queries it is constant."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import FloatArray, IntArray, Matrix
from glassrank.core.feature_kinds import NUMBER, FeatureKind
from glassrank.core.frames import make_frame
from glassrank.core.groups import Groups
from glassrank.core.input_types import Frame
from glassrank.core.wording import counted, shortened
from glassrank.drawing.text_table import align

QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)
# As many values as are copied and sorted at once; more would not be faster.
MAX_BLOCK_VALUES = 2**22
MAX_NAME, MAX_LEVEL, ROWS_SHOWN = 18, 12, 20
MAX_NUMBER = 8
_HEADER = ("feature", "missing", "distinct", "constant", "min", "median", "max")


@dataclass(frozen=True)
class FeatureStatistics:
    """Statistics of one feature over all rows, unweighted."""

    name: str
    kind: str
    """number, boolean or category."""
    n_missing: int
    missing_share: float
    n_distinct: int
    """Number of different known values; of a category, its levels that occur."""
    constant_share: float
    """Share of the queries in which all documents have the same value, so that the feature cannot order them."""
    minimum: float | None
    """This and the quantiles are None for categories and yes/no values, and without known values."""
    lower_quartile: float | None
    median: float | None
    upper_quartile: float | None
    maximum: float | None
    most_frequent: str | None
    """The most frequent level of a category, or yes or no; None for numbers."""
    most_frequent_share: float | None
    """Its share of the known values."""

    def cells(self) -> tuple[str, ...]:
        """Return a row of the printed table; what is said about a category follows the table's other columns."""
        missing = f"{self.missing_share:.1%}" if self.n_missing else "0"
        start = (_short(self.name, MAX_NAME), missing, f"{self.n_distinct:,}", f"{self.constant_share:.0%}")
        return (*start, *(_number(value) for value in (self.minimum, self.median, self.maximum)))

    def level_in_words(self) -> str:
        """Return the most frequent level with its share; empty for numbers."""
        if self.most_frequent is None or self.most_frequent_share is None:
            return ""
        return f"most often {_short(self.most_frequent, MAX_LEVEL)} ({self.most_frequent_share:.0%})"


@dataclass(frozen=True)
class DescribedFeatures:
    """The statistics of all features; prints as a table, and converts to a data frame.

    >>> from glassrank import RankingData
    >>> data = RankingData([[1.0, 0.2], [3.0, 0.2], [5.0, 0.4]], [1, 0, 1], ["a", "a", "b"], feature_names=["x", "y"])
    >>> print(data.describe().features)
    feature  missing  distinct  constant  min  median  max
    x        0        3         50%       1    3       5
    y        0        2         100%      0.2  0.2     0.4
    """

    features: tuple[FeatureStatistics, ...]

    def __len__(self) -> int:
        return len(self.features)

    def __iter__(self) -> Iterator[FeatureStatistics]:
        return iter(self.features)

    def __getitem__(self, name: str) -> FeatureStatistics:
        found = next((one for one in self.features if one.name == name), None)
        if found is None:
            raise KeyError(f"there is no feature {name!r}")
        return found

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, most_rows: int | None = ROWS_SHOWN) -> str:
        """Return the table with at most this many features; None shows all."""
        shown = self.features[:most_rows]
        header, *lines = align([_HEADER, *(one.cells() for one in shown)]).splitlines()
        # Levels are wider than numbers, so they do not have a column of their own.
        width = header.index(_HEADER[4])
        levels = [one.level_in_words() for one in shown]
        table = [f"{line:{width}}{words}".rstrip() for line, words in zip(lines, levels, strict=True)]
        more = len(self) - len(shown)
        return "\n".join([header, *table, *([f"… and {counted(more, 'more feature')}"] if more else [])])

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with one row per feature."""
        columns = [field.name for field in fields(FeatureStatistics)]
        return make_frame({column: [getattr(one, column) for one in self.features] for column in columns}, backend)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the statistics as plain values."""
        return [asdict(one) for one in self.features]


def describe_features(
    X: Matrix, kinds: Sequence[FeatureKind], names: Sequence[str], groups: Groups
) -> DescribedFeatures:
    """Compute the statistics of all features, many columns at a time."""
    n_rows, n_features = X.shape
    width = max(1, MAX_BLOCK_VALUES // max(n_rows, 1))
    columns = X.tocsc() if sparse.issparse(X) else X
    found: list[FeatureStatistics] = []
    for start in range(0, n_features, width):
        own = slice(start, start + width)
        block = columns[:, own].toarray() if sparse.issparse(columns) else columns[:, own]
        found += _statistics(block, kinds[own], names[own], groups)
    return DescribedFeatures(tuple(found))


def _statistics(
    block: FloatArray, kinds: Sequence[FeatureKind], names: Sequence[str], groups: Groups
) -> Iterator[FeatureStatistics]:
    ascending = np.sort(block.T, axis=1)  # missing values last
    n_known = (~np.isnan(ascending)).sum(axis=1)
    changes = (ascending[:, 1:] != ascending[:, :-1]) & (np.arange(1, block.shape[0]) < n_known[:, None])
    distinct = changes.sum(axis=1) + (n_known > 0)
    quantiles = _quantiles(ascending, n_known)
    constant = _constant_within(block, groups).mean(axis=0) if groups.n_rows else np.ones(block.shape[1])
    for k, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        n_missing = block.shape[0] - int(n_known[k])
        has_order = kind.name == NUMBER and n_known[k] > 0
        low, lower, middle, upper, high = quantiles[k].tolist() if has_order else [None] * len(QUANTILES)
        most_frequent, share = _most_frequent(kind, ascending[k, : n_known[k]])
        yield FeatureStatistics(
            name=name,
            kind=kind.name,
            n_missing=n_missing,
            missing_share=n_missing / max(block.shape[0], 1),
            n_distinct=int(distinct[k]),
            constant_share=float(constant[k]),
            minimum=low,
            lower_quartile=lower,
            median=middle,
            upper_quartile=upper,
            maximum=high,
            most_frequent=most_frequent,
            most_frequent_share=share,
        )


def _quantiles(ascending: FloatArray, n_known: IntArray) -> FloatArray:
    """Return the quantiles of the known values of each row, with linear interpolation as in NumPy."""
    if ascending.shape[1] == 0:
        return np.full((len(ascending), len(QUANTILES)), np.nan)
    place = np.array(QUANTILES) * np.maximum(n_known - 1, 0)[:, None]
    below = np.floor(place).astype(np.int64)
    above = np.minimum(below + 1, np.maximum(n_known - 1, 0)[:, None])
    low, high = (np.take_along_axis(ascending, at, axis=1) for at in (below, above))
    share = place - below
    # Not low + share · (high − low), whose difference may overflow; equal ends keep all their digits.
    return np.where(low == high, low, low * (1.0 - share) + high * share)


def _constant_within(block: FloatArray, groups: Groups) -> Any:
    """Return for each query and column whether all rows have the same value; missing values are equal to each other."""
    rows = block if groups.adjacent else block[groups.order]
    starts = groups.starts[:-1]
    same = np.minimum.reduceat(rows, starts, axis=0) == np.maximum.reduceat(rows, starts, axis=0)
    missing = np.isnan(rows)
    if missing.any():
        same |= np.logical_and.reduceat(missing, starts, axis=0)
    return same


def _most_frequent(kind: FeatureKind, codes: FloatArray) -> tuple[str | None, float | None]:
    if kind.name == NUMBER or not len(codes):
        return None, None
    counts = np.bincount(codes.astype(np.int64), minlength=1)
    return kind.level(float(counts.argmax())), float(counts.max() / len(codes))


def _number(value: float | None) -> str:
    if value is None:
        return ""
    if 1e3 <= abs(value) < 1e7:
        return f"{value:.0f}"
    texts = [f"{value:.{digits}g}".replace("e+", "e").replace("e0", "e").replace("e-0", "e-") for digits in (3, 2)]
    return texts[0] if len(texts[0]) <= MAX_NUMBER else texts[1]


def _short(text: str, most: int) -> str:
    """Return a name on one line, cut to at most so many characters."""
    # Only the beginning is shown, and a character becomes at most ten.
    printable = "".join(one if one.isprintable() else repr(one)[1:-1] for one in text[: most + 1])
    return shortened(printable, most)
