"""Pronounceable words without meaning, and how often they are used."""

import numpy as np

from glassrank.core.checks import IntArray
from glassrank.simulation.simulator_inputs import Rng

# Size of the lookup table for drawing words: far faster than a search, and fine enough for the rarest word.
DRAWS = 65_536

# The most frequent English words; they come first among the general words.
_ENGLISH = (
    "the of and to in a is that for it as was with be by on not he this are or his from at which but have an had they "
    "you were their one all we can her has there been if more when will would who so no out up into them then its time "
    "other only new some could these may first any my now such like our over me even most made after also many before "
    "must through years where much your way down should because long each those people see just very make year well "
    "use two work than between both under same another know while last might us great old come since against go came "
    "right used take three himself few house page site home news here contact about information help free service find"
)
COMMON_WORDS = _ENGLISH.split()
_COMMON = frozenset(COMMON_WORDS)

_ONSETS = ["b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "v", "z"]
_ONSETS += ["br", "cr", "dr", "fl", "gr", "pl", "pr", "st", "tr"]
_VOWELS = ["a", "e", "i", "o", "u", "ai", "ea"]

# Each kind of word has its own endings, so that words of different kinds are never equal.
ENDINGS = {
    "general": ["a", "e", "i", "y"],
    "topic": ["n", "r", "l", "s", "nd", "rk", "st"],
    "site": ["o", "oo", "ix"],
    "drift": ["um", "im"],
    "spam": ["ex", "ax"],
    "mirror": ["ob", "ub"],
}


def invent_words(rng: Rng, count: int, kind: str) -> list[str]:
    """Invent unique words of two or three syllables that are not common words.

    >>> invent_words(np.random.default_rng(0), 3, "topic")
    ['lomubeark', 'caibugond', 'grobreapren']
    """
    words: dict[str, None] = {}
    endings = ENDINGS[kind]
    while len(words) < count:
        wanted = count - len(words)
        n_syllables = rng.integers(2, 4, wanted).tolist()
        onsets = rng.integers(len(_ONSETS), size=(wanted, 3)).tolist()
        vowels = rng.integers(len(_VOWELS), size=(wanted, 3)).tolist()
        ends = rng.integers(len(endings), size=wanted).tolist()
        for onset, vowel, n, end in zip(onsets, vowels, n_syllables, ends, strict=True):
            word = _spell(onset[:n], vowel[:n], endings[end])
            if word not in _COMMON:
                words[word] = None
    return list(words)


def _spell(onsets: list[int], vowels: list[int], ending: str) -> str:
    """Join syllables; an ending that starts with a vowel replaces the last syllable's vowel."""
    syllables = [_ONSETS[onset] + _VOWELS[vowel] for onset, vowel in zip(onsets, vowels, strict=True)]
    if ending[0] in "aeiouy":
        syllables[-1] = _ONSETS[onsets[-1]]
    return "".join(syllables) + ending


def zipf_ranks(count: int, exponent: float) -> IntArray:
    """Return the word of each of 65,536 equally likely draws, so that word r has probability ∝ r^−exponent.

    >>> np.bincount(zipf_ranks(3, 1.0)).tolist()
    [35747, 17873, 11916]
    """
    shares = np.arange(1.0, count + 1.0) ** -exponent
    reached = np.cumsum(shares)[:-1] / shares.sum()
    return np.searchsorted(reached, (np.arange(DRAWS) + 0.5) / DRAWS, side="right")
