"""The named conventions by which tools compute NDCG and similar measures."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from glassrank.core.checks import DataError, FloatArray, IntArray
from glassrank.core.gains import exponential_gains
from glassrank.core.setting import setting

# Cutoff of a measure of the whole list: larger than any list.
WHOLE_LIST = sys.maxsize
# Labels above this make 2^y too large for sums in double precision.
MAX_GRADE = 1000.0

_ORDER_ONLY = setting("measure", "pair_accuracy", python="the measure 'pair_accuracy'")


@dataclass(frozen=True)
class Convention:
    """One tool's choices where tools differ: gains, discounts, empty queries, short lists and ties."""

    name: str
    gain: Literal["2^y − 1", "y", "max(y, 0)"]
    discount: Literal["1/log2(j + 1)", "1, 1, 1/log2(j)"]
    no_relevant: float | None
    """Value of NDCG and MAP for a query without relevant documents; None means that it is left out of the mean."""
    short_list: Literal["ideal list cut", "zero"]
    """NDCG@k of a list with fewer than k documents."""
    ties: Literal["file order", "average", "document id"]
    """Order of documents with equal scores; "average" means the expected value over all their orders."""
    highest_grade: float | None = None
    """Highest grade of the collection to ERR; None takes the highest label."""

    def check_labels(self, labels: FloatArray) -> None:
        """Raise an error for negative labels if the convention defines no gain for them."""
        lowest = float(labels.min(initial=0.0))
        if lowest < 0 and self.gain != "max(y, 0)":
            raise DataError(
                f"Convention {self.name!r} does not define a gain for negative labels: got the label {lowest:g}.",
                remedy=(
                    "Shift the labels",
                    f"use {setting('convention', 'trec')}, which gives negative labels the gain 0",
                    f"use {_ORDER_ONLY}, which needs no gains",
                ),
            )

    def gains(self, labels: FloatArray) -> FloatArray:
        """Return the gain of each label."""
        self.check_labels(labels)
        highest = float(labels.max(initial=0.0))
        if highest > MAX_GRADE and self.gain == "2^y − 1":
            raise DataError(
                f"Convention {self.name!r} uses the gain 2^y − 1, which is too large for the label {highest:g}.",
                remedy=(
                    "Use grades such as 0 to 4",
                    f"use {setting('convention', 'sklearn')}, whose gain is y",
                    f"use {_ORDER_ONLY}, which needs no gains",
                ),
            )
        return GAINS[self.gain](labels)

    def too_short(self, lengths: IntArray, cutoff: int) -> npt.NDArray[np.bool_]:
        """Return which lists count as 0 because they have fewer documents than the cutoff."""
        return (lengths < cutoff) & (cutoff != WHOLE_LIST and self.short_list == "zero")

    def discounts(self, ranks: FloatArray) -> FloatArray:
        """Return the weight of each rank, counted from 1."""
        return DISCOUNTS[self.discount](ranks)


GAINS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "2^y − 1": exponential_gains,
    "y": lambda labels: labels,
    "max(y, 0)": lambda labels: np.maximum(labels, 0.0),
}

DISCOUNTS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "1/log2(j + 1)": lambda ranks: 1.0 / np.log2(ranks + 1.0),
    "1, 1, 1/log2(j)": lambda ranks: 1.0 / np.log2(np.maximum(ranks, 2.0)),
}

CONVENTIONS: dict[str, Convention] = {
    convention.name: convention
    for convention in (
        Convention("letor", "2^y − 1", "1, 1, 1/log2(j)", 0.0, "ideal list cut", "file order"),
        Convention("letor4", "2^y − 1", "1, 1, 1/log2(j)", 0.0, "zero", "file order"),
        Convention("standard", "2^y − 1", "1/log2(j + 1)", None, "ideal list cut", "average"),
        Convention("trec", "max(y, 0)", "1/log2(j + 1)", 0.0, "ideal list cut", "document id", 4.0),
        Convention("xgboost", "2^y − 1", "1/log2(j + 1)", 1.0, "ideal list cut", "file order"),
        Convention("lightgbm", "2^y − 1", "1/log2(j + 1)", 1.0, "ideal list cut", "file order"),
        Convention("sklearn", "y", "1/log2(j + 1)", 0.0, "ideal list cut", "average"),
    )
}


def has_gains(labels: FloatArray, convention: str) -> bool:
    """Return whether a convention defines the gains of these labels, so that NDCG and MAP can be measured.

    >>> has_gains(np.array([0.0, 2.0]), "standard"), has_gains(np.array([-1.5, 2.0]), "standard")
    (True, False)
    """
    try:
        CONVENTIONS[convention].gains(labels)
    except DataError:
        return False
    return True
