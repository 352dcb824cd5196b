"""Texts as sequences of word numbers."""

from array import array
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import IntArray
from glassrank.text.tokens import tokenise


class Vocabulary:
    """Numbers words in the order of their first occurrence.

    >>> vocabulary = Vocabulary()
    >>> words = vocabulary.read(["a rose is a rose", ""])
    >>> words.ids.tolist(), words.starts.tolist(), words.counts.toarray().tolist()
    ([0, 1, 2, 0, 1], [0, 5, 5], [[2, 2, 1], [0, 0, 0]])
    """

    def __init__(self) -> None:
        self._ids: defaultdict[str, int] = defaultdict()
        self._ids.default_factory = self._ids.__len__

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def words(self) -> list[str]:
        """The words in the order of their numbers."""
        return list(self._ids)

    def number(self, word: str) -> int:
        """Return the number of a word; a new word gets a new number."""
        return self._ids[word]

    def read(self, texts: Iterable[str]) -> "Words":
        """Split texts into words and number them."""
        return self.take(map(tokenise, texts))

    def take(self, token_lists: Iterable[Iterable[str]]) -> "Words":
        """Number the words of texts that are already split."""
        ids, starts = array("i"), array("q", [0])
        number = self._ids.__getitem__
        for tokens in token_lists:
            ids.extend(map(number, tokens))
            starts.append(len(ids))
        return Words(np.asarray(ids, dtype=np.int32), np.asarray(starts, dtype=np.int64), len(self._ids))


@dataclass(frozen=True, eq=False)
class Words:
    """The concatenated words of texts: those of text i are ``ids[starts[i]:starts[i + 1]]``."""

    ids: Any
    starts: IntArray
    n_words: int
    """Number of known words after these texts were read; later words occur in none of them."""

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> IntArray:
        """Number of words of each text, including repeats."""
        return np.diff(self.starts)

    @cached_property
    def counts(self) -> Any:
        """Texts × words (CSR): count of each word in each text."""
        ones = np.ones(len(self.ids), dtype=np.int32)
        matrix = sparse.csr_matrix((ones, self.ids.copy(), self.starts.copy()), shape=(len(self), self.n_words))
        matrix.sum_duplicates()
        return matrix

    @cached_property
    def distinct(self) -> "Words":
        """The distinct words of each text."""
        return Words(self.counts.indices, self.counts.indptr.astype(np.int64), self.n_words)


def spread(starts: IntArray, of: Any) -> tuple[IntArray, IntArray]:
    """Concatenate runs of a flat array: for every item i its run ``starts[of[i]]:starts[of[i] + 1]``.

    Returns, for each element, its item and its position in the flat array.

    >>> owner, place = spread(np.array([0, 2, 5]), np.array([1, 0, 1]))
    >>> owner.tolist(), place.tolist()
    ([0, 0, 0, 1, 1, 2, 2, 2], [2, 3, 4, 0, 1, 2, 3, 4])
    """
    first = starts[of]
    lengths = starts[np.asarray(of) + 1] - first
    owner = np.repeat(np.arange(len(lengths)), lengths)
    begins = np.cumsum(lengths) - lengths
    return owner, np.arange(len(owner)) - np.repeat(begins - first, lengths)


def runs(values: Any) -> list[tuple[int, int]]:
    """Return start and end of each run of equal neighbours.

    >>> runs(np.array([4, 4, 7])), runs(np.array([]))
    ([(0, 2), (2, 3)], [])
    """
    changes = np.flatnonzero(values[1:] != values[:-1]) + 1
    return list(pairwise([0, *changes.tolist(), len(values)])) if len(values) else []


def numbered(values: Iterable[Any]) -> tuple[list[Any], IntArray]:
    """Return the distinct values in the order of first occurrence, and the number of each value.

    >>> numbered(["b", "a", "b"])
    (['b', 'a'], array([0, 1, 0]))
    """
    known: defaultdict[Any, int] = defaultdict()
    known.default_factory = known.__len__
    numbers = np.fromiter(map(known.__getitem__, values), dtype=np.int64)
    return list(known), numbers
