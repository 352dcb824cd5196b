"""Likeness of many pairs of texts by edit distance."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray
from glassrank.navigational.coverage import divide

_BLOCK = 1 << 20


def likeness(one: Sequence[str], other: Sequence[str], one_of: Any, other_of: Any) -> FloatArray:
    """like(x, y) = 1 − lev(x, y) / max(len x, len y) of each pair i of ``one[one_of[i]]`` and ``other[other_of[i]]``.

    lev counts insertions, deletions and substitutions of one character (Levenshtein 1966). NaN for two empty texts;
    pairs that repeat are compared once.

    >>> likeness(["zen"], ["zen garden", "zed", ""], [0, 0, 0], [0, 1, 2]).round(2).tolist()
    [0.3, 0.67, 0.0]
    """
    keys, pair_of = np.unique(np.asarray(one_of) * np.int64(max(len(other), 1)) + other_of, return_inverse=True)
    first, second = np.divmod(keys, max(len(other), 1))
    distances = np.empty(len(keys))
    for begin in range(0, len(keys), _BLOCK):
        block = slice(begin, begin + _BLOCK)
        distances[block] = _edit_distances([one[i] for i in first[block]], [other[i] for i in second[block]])
    longer = np.maximum(_lengths(one)[first], _lengths(other)[second])
    return (1.0 - divide(distances, longer))[pair_of]


def _edit_distances(one: list[str], other: list[str]) -> Any:
    # Imported here: whoever computes no features of this kind does not wait for it.
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cpdist

    return cpdist(one, other, scorer=Levenshtein.distance, dtype=np.int64)


def _lengths(texts: Sequence[str]) -> Any:
    return np.fromiter(map(len, texts), np.int64, len(texts))
