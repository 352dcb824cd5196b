"""Longest common substring of many pairs: a suffix automaton of one text reads the other in a single pass.

The automaton of q (Blumer et al. 1985) has at most 2 len q states, and reading x takes len x steps, so the time is
linear in the length of the texts.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from glassrank.core.checks import IntArray
from glassrank.kernels import njit

Codes = npt.NDArray[np.uint32]
Numbers = npt.NDArray[np.int32]

_CODES = 0x110000


def common_substring_lengths(one: Sequence[str], other: Sequence[str], one_of: Any, other_of: Any) -> IntArray:
    """lcs(one[one_of[i]], other[other_of[i]]) of each pair i; pairs with the same first text should be adjacent.

    >>> common_substring_lengths(["bank", "zen"], ["lineofbanks", ""], [0, 0, 1], [0, 1, 0]).tolist()
    [4, 0, 1]
    """
    ones, first = np.unique(np.asarray(one_of, dtype=np.int64), return_inverse=True)
    others, second = np.unique(np.asarray(other_of, dtype=np.int64), return_inverse=True)
    codes, starts = _code_points([*(one[i] for i in ones), *(other[i] for i in others)])
    lengths = np.zeros(len(first), dtype=np.int64)
    _compare(codes, starts, first, second + len(ones), lengths)
    return lengths


def _code_points(texts: Sequence[str]) -> tuple[Codes, IntArray]:
    """Characters of all texts as small numbers, and the start of each text."""
    joined = "".join(texts).encode("utf-32-le", "surrogatepass")
    codes = np.frombuffer(joined, dtype=np.uint32)
    starts = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)), out=starts[1:])
    return codes, starts


@njit(cache=True, nogil=True)
def _compare(codes: Codes, starts: IntArray, first: IntArray, second: IntArray, lengths: IntArray) -> None:
    place = np.full(_CODES, -1, dtype=np.int32)
    pair = 0
    while pair < len(first):
        begin, end = starts[first[pair]], starts[first[pair] + 1]
        n_letters = 0
        for i in range(begin, end):
            if place[codes[i]] < 0:
                place[codes[i]] = n_letters
                n_letters += 1
        follow, link, depth = _automaton(codes, begin, end, place, n_letters)
        one = first[pair]
        while pair < len(first) and first[pair] == one:
            lengths[pair] = _longest(codes, starts[second[pair]], starts[second[pair] + 1], place, follow, link, depth)
            pair += 1
        for i in range(begin, end):
            place[codes[i]] = -1


@njit(cache=True, nogil=True)
def _automaton(codes: Codes, begin: int, end: int, place: Numbers, n_letters: int) -> tuple[Numbers, Numbers, IntArray]:
    """Of each state: transitions by letter (−1: none), suffix link, and length of its longest string."""
    most = max(2 * (end - begin), 1)
    follow = np.full((most, max(n_letters, 1)), -1, dtype=np.int32)
    link = np.full(most, -1, dtype=np.int32)
    depth = np.zeros(most, dtype=np.int64)
    n_states, last = 1, 0
    for i in range(begin, end):
        letter = place[codes[i]]
        new = n_states
        n_states += 1
        depth[new] = depth[last] + 1
        state = last
        while state >= 0 and follow[state, letter] < 0:
            follow[state, letter] = new
            state = link[state]
        if state < 0:
            link[new] = 0
        else:
            met = follow[state, letter]
            if depth[met] != depth[state] + 1:
                copy = n_states
                n_states += 1
                depth[copy] = depth[state] + 1
                follow[copy] = follow[met]
                link[copy] = link[met]
                while state >= 0 and follow[state, letter] == met:
                    follow[state, letter] = copy
                    state = link[state]
                link[met] = copy
                met = copy
            link[new] = met
        last = new
    return follow, link, depth


@njit(cache=True, nogil=True)
def _longest(
    codes: Codes, begin: int, end: int, place: Numbers, follow: Numbers, link: Numbers, depth: IntArray
) -> int:
    """Length of the longest substring of the text that the automaton accepts."""
    state, length, best = 0, 0, 0
    for i in range(begin, end):
        letter = place[codes[i]]
        if letter < 0:
            state, length = 0, 0
            continue
        while state > 0 and follow[state, letter] < 0:
            state = link[state]
            length = depth[state]
        if follow[state, letter] >= 0:
            state = follow[state, letter]
            length += 1
        best = max(best, length)
    return best
