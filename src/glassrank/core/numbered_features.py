"""Default names of unnamed features, numbers from 1 as in LETOR files, and the comparison of names with a model's."""

from collections.abc import Sequence

from glassrank.core.checks import DataError

NUMBERED = "feature "


def numbered_name(number: int) -> str:
    """Return the name of a feature that only has a number.

    >>> numbered_name(7)
    'feature 7'
    """
    return f"{NUMBERED}{number}"


def numbered_names(count: int, first: int = 1) -> tuple[str, ...]:
    """Return the names of ``count`` features that only have numbers.

    >>> numbered_names(2)
    ('feature 1', 'feature 2')
    """
    return tuple(numbered_name(number) for number in range(first, first + count))


def are_numbered(names: Sequence[str]) -> bool:
    """Whether all names are default names, in any order."""
    return all(name.startswith(NUMBERED) and name.removeprefix(NUMBERED).isdecimal() for name in names)


def check_feature_names(known: Sequence[str] | None, n_features: int, given: tuple[str, ...]) -> None:
    """Raise an error unless data have the names of a model's features, in its order; without names, numbers from 1.

    >>> check_feature_names(["bm25", "age"], 2, ("age", "bm25"))
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: The data must have the features of the training data, in the same order: expected \
'bm25', got 'age'. Select and order them with pick_features, or by the columns of the frame.
    """
    expected = numbered_names(n_features) if known is None else tuple(known)
    if expected == given:
        return
    differs = (f"{a!r}, got {b!r}" for a, b in zip(expected, given, strict=False) if a != b)
    what = next(differs, f"{len(expected)} features, got {len(given)}")
    nameless = "The model has no feature names. " if known is None else ""
    raise DataError(
        f"{nameless}The data must have the features of the training data, in the same order: expected {what}.",
        parameter="X",
        expected=expected,
        got=given,
        remedy=("Fit the model to data with feature names", "pass their plain matrix X to take them by position")
        if known is None
        else "Select and order them with pick_features, or by the columns of the frame.",
    )
