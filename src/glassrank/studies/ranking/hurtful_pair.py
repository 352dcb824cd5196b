"""The pair of a ranked list that hurts most: the two documents whose swap would raise the measure most."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.metrics.evaluation import evaluate


@dataclass(frozen=True)
class HurtfulPair:
    """Two documents of a list in the wrong order, by their positions among the rows, and what their swap would gain."""

    above: int
    """The document with the lower label, which has the higher score."""
    below: int
    """The document with the higher label."""
    gain: float


def find_hurtful_pair(y: FloatArray, scores: FloatArray, measure: str, convention: str) -> HurtfulPair | None:
    """Return the pair in the wrong order whose exchanged scores would raise the measure most; None if none would.

    Of equally harmful pairs, the one whose lower document has the best rank is returned.

    >>> find_hurtful_pair(np.array([0.0, 1.0, 2.0]), np.array([3.0, 2.0, 1.0]), "ndcg@10", "standard").below
    2
    """
    pairs = _candidates(y, scores)
    if not len(pairs):
        return None
    swapped = np.tile(scores, (1 + len(pairs), 1))
    each = np.arange(1, len(swapped))
    swapped[each, pairs[:, 0]], swapped[each, pairs[:, 1]] = scores[pairs[:, 1]], scores[pairs[:, 0]]
    values = _measured(y, swapped, measure, convention)
    gains = np.nan_to_num(values[1:] - values[0])
    best = int(np.argmax(gains))
    if not gains[best] > 0.0:
        return None
    return HurtfulPair(int(pairs[best, 0]), int(pairs[best, 1]), float(gains[best]))


def _candidates(y: FloatArray, scores: FloatArray) -> IntArray:
    """Return pairs (above, below) that include a best one, for every measure that a better order never lowers.

    A document is a candidate for ``above`` only if all documents above it have higher labels: otherwise one of them
    would gain at least as much, because the list would be the same except for two further swaps that cannot lower the
    measure. Likewise, all documents below a candidate for ``below`` have lower labels.
    """
    ranked = np.lexsort((y, -scores))
    labels = y[ranked]
    lows = np.flatnonzero(labels < np.concatenate([[np.inf], np.minimum.accumulate(labels)[:-1]]))
    highs = np.flatnonzero(labels > np.concatenate([np.maximum.accumulate(labels[::-1])[::-1][1:], [-np.inf]]))
    places = [(i, j) for j in highs for i in lows if scores[ranked[i]] > scores[ranked[j]] and labels[i] < labels[j]]
    return ranked[np.array(places, dtype=np.int64).reshape(-1, 2)]


def _measured(y: FloatArray, lists: FloatArray, measure: str, convention: str) -> Any:
    """Measure several lists of scores of the same documents."""
    number = np.repeat(np.arange(len(lists)), len(y))
    labels = np.tile(y, len(lists))
    return evaluate(labels, lists.ravel(), qid=number, measures=[measure], convention=convention).per_query[measure]
