"""Similarity of many pairs of texts by edit distance."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray
from glassrank.navigational.features.vocabulary import runs
from glassrank.navigational.features.word_coverage import divide
from glassrank.navigational.normal_text import MAX_LENGTH


def likeness(one: Sequence[str], other: Sequence[str], one_of: Any, other_of: Any) -> FloatArray:
    """like(x, y) = 1 − lev(x, y) / max(len x, len y) of each pair i of ``one[one_of[i]]`` and ``other[other_of[i]]``.

    lev counts insertions, deletions and substitutions of one character (Levenshtein 1966). NaN for two empty texts.
    Only the first 4,096 characters of each text are used. Pairs with the same first text should be adjacent.

    >>> likeness(["zen"], ["zen garden", "zed", ""], [0, 0, 0], [0, 1, 2]).round(2).tolist()
    [0.3, 0.67, 0.0]
    """
    # Imported here, so that it is loaded only if needed.
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    first, second = np.asarray(one_of, dtype=np.int64), np.asarray(other_of, dtype=np.int64)
    distances, longer = np.zeros(len(first)), np.zeros(len(first))
    for begin, end in runs(first):
        text = one[first[begin]][:MAX_LENGTH]
        texts = [other[i][:MAX_LENGTH] for i in second[begin:end].tolist()]
        distances[begin:end] = cdist([text], texts, scorer=Levenshtein.distance, dtype=np.int64)[0]
        longer[begin:end] = np.maximum(len(text), np.fromiter(map(len, texts), np.int64, len(texts)))
    return 1.0 - divide(distances, longer)
