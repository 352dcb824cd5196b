"""FeatureTable: a matrix whose columns are numbers, yes/no values or categories; NaN is a missing value."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import DataError, FloatArray, IntArray, Matrix, check_choice
from glassrank.core.setting import setting
from glassrank.core.wording import counted

NUMBER, BOOLEAN, CATEGORY = "number", "boolean", "category"
KINDS = (NUMBER, BOOLEAN, CATEGORY)
UNSEEN = -1.0
"""Code of a level that a model has not seen in training."""
VALUES_AT_ONCE = 2**20


@dataclass(frozen=True)
class FeatureKind:
    """What the values of a feature are: numbers, yes/no as 1/0, or the codes 0, 1, 2 … of named levels.

    >>> FeatureKind("category", ("news", "shop")).level(1.0)
    'shop'
    """

    name: str = NUMBER
    levels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_choice("The kind of a feature", self.name, KINDS)
        if self.name == BOOLEAN:
            object.__setattr__(self, "levels", ("no", "yes"))
        if len(set(self.levels)) != len(self.levels):
            raise DataError(f"The levels of a category must be different: got {', '.join(self.levels)}.")

    @property
    def is_category(self) -> bool:
        return self.name == CATEGORY

    @cached_property
    def codes(self) -> dict[str, float]:
        """The code of each level."""
        return {level: float(code) for code, level in enumerate(self.levels)}

    def level(self, code: float) -> str:
        """Return the name of a code."""
        return self.levels[int(code)]


PLAIN = FeatureKind()


def are_plain(kinds: Sequence[FeatureKind]) -> bool:
    """Return whether all features are numbers."""
    return all(kind.name == NUMBER for kind in kinds)


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """Features with their kinds and names, which stay with them when rows and columns are picked as from an array.

    >>> kinds = (PLAIN, FeatureKind("category", ("news", "shop")))
    >>> table = FeatureTable(np.array([[0.5, 1.0], [np.nan, 0.0]]), kinds, ("bm25", "site"))
    >>> table[[1]].kinds[1].levels, table[:, [0]].names
    (('news', 'shop'), ('bm25',))
    """

    values: FloatArray
    kinds: tuple[FeatureKind, ...]
    names: tuple[str, ...]
    scratch: bool = False
    """Whether the values may be overwritten, because nothing else uses them; never true of picked rows or columns."""
    rows: IntArray | None = None
    """Numbers of the rows in the data that they were picked from, for messages; None if these are all rows."""

    # Scikit-learn's helpers for folds and resamples treat what has these like an array.
    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    @property
    def ndim(self) -> int:
        return self.values.ndim

    @property
    def dtype(self) -> Any:
        return self.values.dtype

    def __len__(self) -> int:
        return len(self.values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> FloatArray:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __getitem__(self, key: Any) -> "FeatureTable":
        rows, columns = key if isinstance(key, tuple) else (key, slice(None))
        if columns is Ellipsis:
            columns = slice(None)
        places = np.arange(len(self.kinds))[columns]
        kinds, names = (tuple(some[k] for k in places) for some in (self.kinds, self.names))
        all_rows = isinstance(rows, slice) and rows == slice(None)
        numbers = self.rows if all_rows else row_numbers(self.rows, len(self))[rows]
        return FeatureTable(self.values[rows][:, columns], kinds, names, rows=numbers)


def row_numbers(rows: IntArray | None, n_rows: int) -> IntArray:
    """Return the numbers of rows in the data that they were picked from; None are all of them.

    >>> row_numbers(None, 3).tolist()
    [0, 1, 2]
    """
    return np.arange(n_rows) if rows is None else rows


def kinds_of(X: Any) -> tuple[FeatureKind, ...]:
    """Return the kinds of the features of a table; those of a matrix are numbers."""
    return X.kinds if isinstance(X, FeatureTable) else (PLAIN,) * X.shape[1]


def values_of(X: Any) -> Any:
    """Return the matrix of a table; anything else is returned unchanged."""
    return X.values if isinstance(X, FeatureTable) else X


def numbers_of(X: Any, what: str) -> Any:
    """Return the matrix of a table for something that needs numbers, or raise an error for a category.

    >>> numbers_of(FeatureTable(np.array([[0.0]]), (FeatureKind("category", ("news",)),), ("site",)), "StandardScaler")
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: StandardScaler needs numbers: feature 'site' is a category.
    """
    if not isinstance(X, FeatureTable):
        return X
    k = next((k for k, kind in enumerate(X.kinds) if kind.is_category), None)
    if k is not None:
        raise DataError(f"{what} needs numbers: feature {X.names[k]!r} is a category.")
    return X.values


def check_values(X: Matrix, names: Sequence[str], *, refuse_missing: bool, numbers: IntArray | None = None) -> None:
    """Raise an error for infinite values and, if they are refused, missing ones, with their number and place."""
    values = X.data if sparse.issparse(X) else X
    if refuse_missing and _any(np.isnan, values):
        rows, columns = _cells(X, np.isnan(values))
        raise DataError(
            f"The data have {counted(len(rows), 'missing value')} in {counted(len(np.unique(columns)), 'feature')}, "
            f"the first at row {row_numbers(numbers, X.shape[0])[rows[0]]}, feature {names[columns[0]]!r}.",
            parameter="X",
            remedy=("Fill them", f"keep them with {setting('missing', 'keep')} for models that can use them"),
        )
    if _any(np.isinf, values):
        rows, columns = _cells(X, np.isinf(values))
        place = f"row {row_numbers(numbers, X.shape[0])[rows[0]]}, feature {names[columns[0]]!r}"
        raise DataError(
            f"The data have {counted(len(rows), 'infinite value')}, the first at {place}.",
            parameter="X",
            remedy="Remove or clip them first.",
        )


def _any(is_so: Callable[[Any], Any], values: FloatArray) -> bool:
    """Return whether some value is so; a block of rows at a time, because the answers for all rows take memory too."""
    step = max(1, VALUES_AT_ONCE // max(1, values[:1].size))
    return any(bool(is_so(values[first : first + step]).any()) for first in range(0, len(values), step))


def _cells(X: Matrix, flagged: Any) -> tuple[Any, ...]:
    """Return the rows and columns of the flagged values (of the stored ones, if X is sparse)."""
    if not sparse.issparse(X):
        return np.nonzero(flagged)
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    return rows[flagged], X.indices[flagged]


def check_codes(X: Matrix, kinds: Sequence[FeatureKind], names: Sequence[str]) -> None:
    """Raise an error unless yes/no values are 0 or 1, and categories whole numbers below the number of levels."""
    if sparse.issparse(X) and not are_plain(kinds):
        raise DataError(
            "Categories and yes/no values need a dense matrix: got a sparse one.", remedy="Use X.toarray()."
        )
    for k, kind in enumerate(kinds):
        if kind.name == NUMBER:
            continue
        known = X[:, k][~np.isnan(X[:, k])]
        wrong = known[(known < 0) | (known >= len(kind.levels)) | (known != np.floor(known))]
        if len(wrong):
            raise DataError(
                f"Feature {names[k]!r} is a {kind.name} with {counted(len(kind.levels), 'level')}: expected whole "
                f"numbers from 0 to {len(kind.levels) - 1}, got {wrong[0]:g}.",
                got=wrong[0],
            )


def check_level_codes(codes: FloatArray, n_levels: int, *, unseen: bool) -> None:
    """Raise an error unless codes are whole numbers below the number of levels, missing, or, if allowed, unseen.

    >>> check_level_codes(np.array([0.0, 1.0, np.nan, UNSEEN]), 2, unseen=True)
    """
    fits = np.isnan(codes) | ((codes >= 0) & (codes < n_levels) & (codes == np.floor(codes)))
    fits |= unseen & (codes == UNSEEN)
    if not fits.all():
        raise DataError(
            f"Codes of categories must be whole numbers from 0 to {n_levels - 1}: got {codes[~fits].flat[0]:g}.",
            remedy="Convert categories to codes with effects.encode(table).",
        )


def codes_without_levels(name: str) -> DataError:
    """Return the error for numbers in place of a category: they could be the codes of any levels."""
    return DataError(
        f"Feature {name!r} is a category, and a matrix of numbers does not say which levels they mean.",
        parameter="X",
        remedy=(
            "Pass RankingData, its table, or a data frame with the names of the levels",
            "if the numbers are the codes of the model's own levels, pass RankingData with its feature_kinds_ as kinds",
        ),
    )


def in_levels_of(X: Any, known: Sequence[FeatureKind], names: Sequence[str]) -> Any:
    """Return the matrix of a table with the codes of other levels, matched by name; a level not among them is −1.

    A matrix is returned unchanged if all features are numbers. Codes of categories need a table, which says what they
    mean.

    >>> table = FeatureTable(np.array([[0.0], [1.0]]), (FeatureKind("category", ("cars", "shop")),), ("site",))
    >>> in_levels_of(table, [FeatureKind("category", ("news", "shop"))], ["site"]).ravel().tolist()
    [-1.0, 1.0]
    """
    if not isinstance(X, FeatureTable):
        for name, kind in zip(names, known, strict=True):
            if kind.is_category:
                raise codes_without_levels(name)
        return X
    values = X.values
    for k, (kind, expected) in enumerate(zip(X.kinds, known, strict=True)):
        if kind.is_category != expected.is_category:
            raise DataError(
                f"Feature {names[k]!r} is a {expected.name} in the model and a {kind.name} in the data.",
                expected=expected.name,
                got=kind.name,
                remedy=_as_in_model(names[k], expected),
            )
        if expected.name == BOOLEAN and kind.name == NUMBER:
            check_codes(X.values[:, [k]], [expected], [names[k]])
        if kind.is_category and kind.levels != expected.levels:
            values = values.copy() if values is X.values else values
            values[:, k] = _recoded(values[:, k], kind.levels, expected.codes)
    return values


def _as_in_model(name: str, expected: FeatureKind) -> str:
    if expected.is_category:
        return f"Read it as a category: {setting('categorical', name, python=f'categorical=[{name!r}]')}."
    return f"Convert it to a {expected.name}, as in the training data."


def _recoded(codes: FloatArray, own: Sequence[str], known: dict[str, float]) -> FloatArray:
    # The entry behind the last level is that of missing values.
    table = np.array([*(known.get(level, UNSEEN) for level in own), np.nan])
    return table[np.where(np.isnan(codes), len(own), codes).astype(np.int64)]
