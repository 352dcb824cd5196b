"""Texts as sequences of word numbers."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import IntArray
from glassrank.text.tokens import tokenise


class Vocabulary:
    """Numbers the words of texts in the order of their first occurrence.

    ``n_unknown`` numbers before them are for words of a query that occur in no text.

    >>> vocabulary = Vocabulary()
    >>> words = vocabulary.read(["a rose is a rose", ""])
    >>> words.ids.tolist(), words.starts.tolist(), words.counts.toarray().tolist()
    ([0, 1, 2, 0, 1], [0, 5, 5], [[2, 2, 1], [0, 0, 0]])
    """

    def __init__(self, n_unknown: int = 0) -> None:
        # No word contains a space.
        self._ids: defaultdict[str, int] = defaultdict(None, {f" {n}": n for n in range(n_unknown)})
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
        number = self._ids.__getitem__
        return self._words(map(number, tokens) for tokens in token_lists)

    def find(self, token_lists: Iterable[Sequence[str]]) -> "Words":
        """Number the words of queries without adding any: those in no text take the first numbers, in each query again.

        >>> vocabulary = Vocabulary(n_unknown=2)
        >>> _ = vocabulary.read(["zen garden"])
        >>> vocabulary.find([["of", "zen", "of"], ["the", "garden"]]).ids.tolist(), len(vocabulary)
        ([0, 2, 0, 0, 3], 4)
        """
        return self._words(map(self._found, token_lists))

    def _found(self, tokens: Sequence[str]) -> list[int]:
        unknown = dict.fromkeys(word for word in tokens if word not in self._ids)
        places = {word: place for place, word in enumerate(unknown)}
        return [places[word] if word in places else self._ids[word] for word in tokens]

    def _words(self, number_lists: Iterable[Iterable[int]]) -> "Words":
        ids, starts = array("i"), array("q", [0])
        for numbers in number_lists:
            ids.extend(numbers)
            starts.append(len(ids))
        return Words(np.asarray(ids, dtype=np.int32), np.asarray(starts, dtype=np.int64), self)


@dataclass(frozen=True, eq=False)
class Words:
    """The concatenated words of texts: those of text i are ``ids[starts[i]:starts[i + 1]]``."""

    ids: Any
    starts: IntArray
    known: Sized
    """All words that have a number; read every text before words are counted, because each text may add some."""

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def n_words(self) -> int:
        """Number of known words, whether they occur in these texts or not."""
        return len(self.known)

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
        return Words(self.counts.indices, self.counts.indptr.astype(np.int64), self.known)


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
