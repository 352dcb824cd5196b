"""Features that are computed only if they are wanted: a model needs few of the features of a file."""

from collections.abc import Callable, Container, Iterable, Mapping
from functools import cache

from glassrank.core.checks import FloatArray

Column = Callable[[], FloatArray]
"""Computes the values of one feature."""


def only_wanted(columns: Mapping[str, Column], wanted: Container[str] | None) -> dict[str, FloatArray]:
    """Compute the wanted features, or all with None.

    >>> only_wanted({"a": lambda: 1, "b": lambda: 1 / 0}, {"a"})
    {'a': 1}
    """
    return {name: column() for name, column in columns.items() if wanted is None or name in wanted}


def together(names: Iterable[str], compute: Callable[[], Mapping[str, FloatArray]]) -> dict[str, Column]:
    """Return columns of features that one function computes, when the first of them is wanted.

    >>> columns = together(["a", "b"], lambda: {"a": 1, "b": 2})
    >>> columns["b"]()
    2
    """
    once = cache(compute)

    def column(name: str) -> Column:
        return lambda: once()[name]

    return {name: column(name) for name in names}
