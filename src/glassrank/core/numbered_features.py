"""Default names of unnamed features: numbers from 1, as in LETOR files."""

from collections.abc import Sequence

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
