"""Lists that are shorter than a measure's cutoff and count as 0 for this reason alone, as under ``letor4``."""

import numpy as np
import numpy.typing as npt

from glassrank.core.checks import check_choice
from glassrank.metrics.conventions import CONVENTIONS
from glassrank.metrics.measures import parse_measure


def can_score(lengths: npt.ArrayLike, measure: str, convention: str) -> npt.NDArray[np.bool_]:
    """Return whether lists with these numbers of documents can have a value above 0, if they are ranked well.

    LETOR 4's script has no entry at rank k of a list with fewer than k documents, which counts as 0. Such a value says
    nothing about a ranking: it is not a failure of the ranker.

    >>> can_score([9, 10], "ndcg@10", "letor4").tolist(), can_score([9, 10], "ndcg@10", "standard").tolist()
    ([False, True], [True, True])
    """
    check_choice("convention", convention, CONVENTIONS)
    return ~parse_measure(measure).too_short(np.asarray(lengths), CONVENTIONS[convention])
