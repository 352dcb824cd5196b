"""Input checks with uniform messages: what is wrong, what was expected, what was found, and the remedy."""

import numbers
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from glassrank.core.setting import Setting, in_parts, setting

Matrix = Any  # a C-contiguous float64 array or a CSR matrix of float64
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

# Products of two weights, two features and the number of pairs stay finite numbers.
MAX_FEATURE, MAX_WEIGHT = 1e75, 1e50


class DataError(ValueError):
    """Input that cannot be used; the message says what was expected, what was found and how to fix it.

    Attributes are the texts ``problem`` and ``remedy`` and, if one setting is at fault, ``parameter``, ``expected`` and
    ``got``, from which ``problem`` is made if it is not given. A remedy is a text or a tuple of alternatives.

    >>> error = DataError(parameter="level", expected="between 0 and 1", got=2, remedy=("Lower it", "leave it out"))
    >>> str(error), error.parameter, error.got
    ('level must be between 0 and 1: got 2. Lower it, or leave it out.', 'level', 2)

    Texts name settings with :func:`~glassrank.core.setting.setting`. Another interface substitutes its own words and
    drops alternatives whose settings it does not have.

    >>> error.worded(lambda setting: {"level": "--level"}.get(setting.key))
    '--level must be between 0 and 1: got 2. Lower it, or leave it out.'
    """

    def __init__(
        self,
        problem: str = "",
        *,
        parameter: str | None = None,
        expected: object = None,
        got: object = None,
        remedy: str | tuple[str, ...] = (),
    ) -> None:
        self.parameter, self.expected, self.got = parameter, expected, _plain(got)
        if parameter and not problem:
            problem = f"{parameter} must be {expected}: got {_shown(got)}."
        self._problem = in_parts(problem)
        if parameter and problem.startswith(f"{parameter} "):
            self._problem = (Setting(parameter, parameter), *in_parts(problem.removeprefix(parameter)))
        alternatives = (remedy,) if isinstance(remedy, str) else remedy
        self._remedies = tuple(in_parts(one) for one in alternatives if one)
        self._alternatives = not isinstance(remedy, str)
        self._word_in_python()

    def _word_in_python(self) -> None:
        self.problem, self.remedy = self._problem_text(_in_python), self._remedy_text(_in_python)
        # Exceptions print their args, and pickle them together with the attributes.
        self.args = (self.worded(_in_python),)

    def worded(self, words: Callable[[Setting], str | None]) -> str:
        """Return the message with settings in the words of an interface; None for a setting that it does not have."""
        problem, remedy = self._problem_text(words), self._remedy_text(words)
        # After a problem of several lines, the remedy starts on a new line.
        return f"{problem}{chr(10) if chr(10) in problem else ' '}{remedy}" if remedy else problem

    def locate(self, place: object) -> None:
        """Prefix the message with a place, unless it already starts with it."""
        if not self.problem.startswith((f"{place}:", f"{place},")):
            self._problem = (f"{place}: ", *self._problem)
            self._word_in_python()

    def _problem_text(self, words: Callable[[Setting], str | None]) -> str:
        return "".join(part if isinstance(part, str) else words(part) or part.python for part in self._problem)

    def _remedy_text(self, words: Callable[[Setting], str | None]) -> str:
        """Join the alternatives, except those that name a setting for which there are no words."""
        worded = ([part if isinstance(part, str) else words(part) for part in one] for one in self._remedies)
        possible = ["".join(map(str, one)) for one in worded if None not in one]
        if not possible:
            return ""
        *others, last = possible
        text = f"{', '.join(others)}, or {last}" if others else last
        return f"{text[0].upper()}{text[1:]}." if self._alternatives else text


def _in_python(setting: Setting) -> str:
    return setting.python


@contextmanager
def within(place: object) -> Iterator[None]:
    """Prefix the message of a :class:`DataError` raised in the block with a place, such as a file.

    >>> with within("queries.csv"):
    ...     check_choice("kind", "x", ["y"])
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: queries.csv: kind must be one of 'y': got 'x'.
    """
    try:
        yield
    except DataError as error:
        error.locate(place)
        raise


def _plain(value: Any) -> Any:
    """Return a value that can be pickled: numbers, strings and tuples of them, or otherwise the value's ``repr``."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return value if isinstance(value, str | numbers.Real | None) else repr(value)


def _shown(value: Any) -> str:
    return repr(value.item() if isinstance(value, np.generic) else value)


def check_length(name: str, values: Sized, expected: int, per: str = "row of X") -> None:
    """Raise an error if the length of a sequence differs from ``expected``.

    >>> check_length("qid", [1, 1], 3)
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: qid must have one entry per row of X: expected 3, got 2.
    """
    if len(values) != expected:
        raise DataError(
            f"{name} must have one entry per {per}: expected {expected}, got {len(values)}.",
            parameter=name,
            expected=expected,
            got=len(values),
        )


def check_choice(name: str, value: Any, choices: Iterable[Any]) -> None:
    """Raise an error that lists the choices if a value is not one of them.

    >>> check_choice("convention", "trek", {"standard": 1, "trec": 2})
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: convention must be one of 'standard', 'trec': got 'trek'.
    """
    known = list(choices)
    if value not in known:
        raise DataError(parameter=name, expected=f"one of {', '.join(map(repr, known))}", got=value)


def as_vector(
    name: str, values: Any, length: int | None = None, *, finite: bool = True, per: str = "row of X"
) -> FloatArray:
    """Return ``values`` as a one-dimensional float64 array, checked for length and finite values."""
    vector = _as_floats(name, values)
    if vector.ndim != 1:
        raise DataError(
            f"{name} must be one-dimensional: got shape {vector.shape}.",
            parameter=name,
            expected="one-dimensional",
            got=vector.shape,
        )
    if length is not None:
        check_length(name, vector, length, per)
    if finite:
        check_finite(name, vector)
    return vector


def as_weights(name: str, values: Any, length: int) -> FloatArray:
    """Return row weights: a vector of non-negative numbers."""
    weights = as_vector(name, values, length)
    if (weights < 0).any():
        raise DataError(
            f"{name} must not be negative: got {weights.min():g} at position {int(np.argmin(weights))}.",
            parameter=name,
            expected="not negative",
            got=weights.min(),
        )
    if weights.max(initial=0.0) > MAX_WEIGHT:
        raise DataError(
            f"{name} must be at most {MAX_WEIGHT:g}: got {weights.max():g} at position {int(np.argmax(weights))}. "
            "Products of larger weights are too large for floats.",
            parameter=name,
            expected=f"at most {MAX_WEIGHT:g}",
            got=weights.max(),
            remedy="Divide all weights by the largest.",
        )
    return weights


def check_feature_size(largest: FloatArray) -> None:
    """Raise an error for features whose products with each other and with weights would overflow.

    >>> check_feature_size(np.array([1.0, 1e154]))
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: X has values of up to 1e+154 in column 1: their squares are too large for floats...
    """
    column = int(np.argmax(largest)) if len(largest) else 0
    if len(largest) and largest[column] > MAX_FEATURE:
        raise DataError(
            f"X has values of up to {largest[column]:g} in column {column}: their squares are too large for floats.",
            parameter="X",
            expected=f"at most {MAX_FEATURE:g} in size",
            got=largest[column],
            remedy=(
                "Replace the value if it stands for a missing one",
                f"standardise the features ({setting('transform', 'standard', python='FeatureTransformer()')})",
            ),
        )


def check_positive(name: str, value: Any, *, whole: bool = False) -> None:
    """Raise an error unless a parameter is a positive, finite number.

    >>> check_positive("max_iter", 1.5, whole=True)
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: max_iter must be a positive whole number: got 1.5.
    """
    is_number = isinstance(value, numbers.Integral if whole else numbers.Real) and not isinstance(value, bool)
    if not is_number or not 0 < float(value) < np.inf:
        raise DataError(parameter=name, expected=f"a positive {'whole ' if whole else ''}number", got=value)


def as_matrix(X: Any, name: str = "X") -> Matrix:
    """Return ``X`` as a C-contiguous float64 array, or as a float64 CSR matrix if it is sparse."""
    if sparse.issparse(X):
        matrix = sparse.csr_matrix(X, dtype=np.float64)
        if not matrix.has_canonical_format:
            # Summing duplicates works in place and must not change the caller's matrix.
            matrix = matrix.copy()
            matrix.sum_duplicates()
        return matrix
    dense = _as_floats(name, X)
    if dense.ndim != 2:
        raise DataError(
            f"{name} must have two dimensions (rows × features): got shape {np.shape(X)}.",
            parameter=name,
            expected="two dimensions",
            got=np.shape(X),
        )
    return dense


def _as_floats(name: str, values: Any) -> FloatArray:
    if values is None:
        raise DataError(f"{name} must contain numbers: got None.", parameter=name, expected="numbers")
    try:
        kind = np.asarray(values).dtype.kind
        # Dates and complex numbers would be converted silently and lose their meaning.
        if kind in "mMc":
            dtype = np.asarray(values).dtype
            raise DataError(
                f"{name} must contain numbers: got {dtype}.", parameter=name, expected="numbers", got=str(dtype)
            )
        return np.asarray(values, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{name} must contain numbers: {error}.", parameter=name, expected="numbers") from error


def check_finite(name: str, values: Matrix, remedy: str = "") -> None:
    """Raise an error for NaN and infinity, with their number and the position of the first one."""
    stored = values.data if sparse.issparse(values) else values
    bad = ~np.isfinite(stored)
    if not bad.any():
        return
    n_bad = int(bad.sum())
    noun = "value that is" if n_bad == 1 else "values that are"
    raise DataError(
        f"{name} has {n_bad} {noun} not finite, the first {_place(values, bad)}.",
        parameter=name,
        expected="finite numbers",
        remedy=remedy or "Remove or fill them first.",
    )


def check_known(name: str, values: Matrix, remedy: str = "") -> None:
    """Raise an error for infinity, with its number and the position of the first one; NaN is a missing value."""
    stored = values.data if sparse.issparse(values) else values
    if np.isinf(stored).any():
        finite = values.copy()
        np.nan_to_num(finite.data if sparse.issparse(finite) else finite, copy=False, posinf=np.inf, neginf=-np.inf)
        check_finite(name, finite, remedy)


def _place(values: Matrix, bad: npt.NDArray[np.bool_]) -> str:
    """Describe the position of the first bad value; rows and columns count from 0."""
    if sparse.issparse(values):
        position = int(np.argmax(bad))
        row = int(np.searchsorted(values.indptr, position, side="right")) - 1
        return f"({values.data[position]}) at row {row}, column {values.indices[position]}"
    if values.ndim == 1:
        position = int(np.argmax(bad))
        return f"({values[position]}) at position {position}"
    cell = np.unravel_index(int(np.argmax(bad)), values.shape)
    return f"({values[cell]}) at row {cell[0]}, column {cell[1]}"


def read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a read-only view; the caller's array stays writeable."""
    view = array.view()
    view.flags.writeable = False
    return view
