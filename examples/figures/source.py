"""The numbers in the source's four figures, for comparison: one query of OHSUMED, which the source does not name."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Reported:
    """A kernel's elimination in the source: features numbered from 1, and the best accuracy over folds of pairs."""

    figures: tuple[int, int]
    """Numbers of the figures before and after elimination."""
    eliminated: frozenset[int]
    accuracy: float


REPORTED = {
    "linear": Reported((1, 2), frozenset({1, 2, 5, 6, 7, 10, 11, 15, 16, 17, 21, 23}), 0.7543),
    "lrbf": Reported((3, 4), frozenset({2, 5, 6, 7, 15, 16, 17, 24}), 0.7630),
}
NAMES = {"linear": "linear", "lrbf": "LRBF"}
