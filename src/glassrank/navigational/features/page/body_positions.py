"""Positions of query words in texts: the first one, the shortest run with all of them, the whole phrase."""

from dataclasses import dataclass

import numpy as np

from glassrank.core.checks import IntArray
from glassrank.kernels import njit
from glassrank.navigational.features.vocabulary import Words


@dataclass(frozen=True, eq=False)
class BodyPositions:
    """Positions of a query's words in a text, for pairs of a query and a text.

    >>> from glassrank.navigational.features.vocabulary import Vocabulary
    >>> vocabulary = Vocabulary()
    >>> queries, texts = vocabulary.read(["zen garden"]), vocabulary.read(["a zen garden of zen"])
    >>> found = BodyPositions.of(queries, texts, np.array([0]), np.array([0]))
    >>> found.first.tolist(), found.span.tolist(), found.phrases.tolist()
    ([1], [2], [1])
    """

    first: IntArray
    """Number of words before the first one of T(q); −1 if there is none."""
    span: IntArray
    """Number of words in the shortest run that contains all of T(q); 0 if there is none."""
    phrases: IntArray
    """Number of occurrences of t(q) as a phrase."""

    @classmethod
    def of(cls, queries: Words, texts: Words, query_of: IntArray, text_of: IntArray) -> "BodyPositions":
        """Read the text of each pair once; pairs of one query should be adjacent."""
        first, span, phrases = (np.zeros(len(query_of), dtype=np.int64) for _ in range(3))
        _find(
            queries.ids, queries.starts, texts.ids, texts.starts, query_of, text_of, texts.n_words, first, span, phrases
        )
        return cls(first, span, phrases)


@njit(cache=True, nogil=True)
def _find(
    query_ids: IntArray,
    query_starts: IntArray,
    text_ids: IntArray,
    text_starts: IntArray,
    query_of: IntArray,
    text_of: IntArray,
    n_words: int,
    first: IntArray,
    span: IntArray,
    phrases: IntArray,
) -> None:
    slot = np.full(n_words, -1, dtype=np.int64)
    pair = 0
    while pair < len(query_of):
        query = query_of[pair]
        phrase = query_ids[query_starts[query] : query_starts[query + 1]]
        n_slots = 0
        for word in phrase:
            if slot[word] < 0:
                slot[word] = n_slots
                n_slots += 1
        back = _fall_back(phrase)
        while pair < len(query_of) and query_of[pair] == query:
            text = text_ids[text_starts[text_of[pair]] : text_starts[text_of[pair] + 1]]
            first[pair], span[pair] = _shortest_run(text, slot, n_slots)
            phrases[pair] = _count_phrases(text, phrase, back)
            pair += 1
        for word in phrase:
            slot[word] = -1


@njit(cache=True, nogil=True)
def _shortest_run(text: IntArray, slot: IntArray, n_slots: int) -> tuple[int, int]:
    """Position of the first word with a slot (−1: none), and length of the shortest run with all slots (0: none)."""
    held = np.zeros(n_slots, dtype=np.int64)
    first, shortest, missing, begin = -1, 0, n_slots, 0
    if n_slots == 0:
        return first, shortest
    for end in range(len(text)):
        place = slot[text[end]]
        if place < 0:
            continue
        if first < 0:
            first = end
        if held[place] == 0:
            missing -= 1
        held[place] += 1
        while missing == 0:
            if shortest == 0 or end - begin + 1 < shortest:
                shortest = end - begin + 1
            leaves = slot[text[begin]]
            if leaves >= 0:
                held[leaves] -= 1
                if held[leaves] == 0:
                    missing += 1
            begin += 1
    return first, shortest


@njit(cache=True, nogil=True)
def _fall_back(phrase: IntArray) -> IntArray:
    """Failure function: length of the longest proper prefix that ends at each word (Knuth, Morris and Pratt 1977)."""
    back = np.zeros(len(phrase), dtype=np.int64)
    matched = 0
    for i in range(1, len(phrase)):
        while matched > 0 and phrase[i] != phrase[matched]:
            matched = back[matched - 1]
        if phrase[i] == phrase[matched]:
            matched += 1
        back[i] = matched
    return back


@njit(cache=True, nogil=True)
def _count_phrases(text: IntArray, phrase: IntArray, back: IntArray) -> int:
    found, matched = 0, 0
    if len(phrase) == 0:
        return found
    for word in text:
        while matched > 0 and (matched == len(phrase) or word != phrase[matched]):
            matched = back[matched - 1]
        if word == phrase[matched]:
            matched += 1
        if matched == len(phrase):
            found += 1
    return found
