"""Writes texts in which each word comes from the page's topic, a second topic, or the general words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.simulation.simulator_inputs import Rng
from glassrank.simulation.web.invented_words import COMMON_WORDS, DRAWS, zipf_ranks
from glassrank.simulation.web.lexicon import Lexicon, name_rarely

TOPIC_EXPONENT = 0.75
GENERAL_EXPONENT = 1.0
MEDIAN_WORDS = 220
WORDS_PER_SENTENCE = 14
# Pages are written in batches of about this many words, so that a large web needs no large arrays.
BATCH_SIZE = 1_000_000
UNTITLED = len(COMMON_WORDS)


@dataclass(frozen=True, eq=False)
class TextRecipe:
    """The composition of each page's text."""

    n_words: IntArray
    language: IntArray
    """Number of the language of the general words."""
    topic: IntArray
    """Row in the table of topic words."""
    focus: FloatArray
    """Share of the words that come from the topic."""
    side_topic: IntArray
    side: FloatArray
    """Share of the words that come from the second topic."""


@dataclass(frozen=True, eq=False)
class TopicVocabulary:
    """Words in the four forms that sentences need: inside, first, last, and both first and last."""

    forms: Any
    n_words: int
    n_general: int
    general_starts: IntArray
    topic_words: IntArray


def make_vocabulary(lexicon: Lexicon, topic_words: IntArray, more: Sequence[str] = ()) -> TopicVocabulary:
    """Prepare the words of the lexicon, and ``more`` after them, for writing."""
    words = [*lexicon.words, *more]
    firsts = [word.capitalize() for word in words]
    lasts, alone = [f"{word}." for word in words], [f"{word}." for word in firsts]
    forms = np.array([*words, *firsts, *lasts, *alone], dtype=object)
    return TopicVocabulary(forms, len(words), lexicon.n_general, lexicon.general_starts, topic_words)


def plain_vocabulary(lexicon: Lexicon) -> TopicVocabulary:
    """Prepare the words of the plain web for writing; naming n of topic t is row n × topics + t."""
    return make_vocabulary(lexicon, name_rarely(lexicon.topic_words))


def draw_lengths(rng: Rng, count: int, median: float = MEDIAN_WORDS) -> IntArray:
    """Draw numbers of words from a log-normal distribution, which resembles the lengths of real pages."""
    return np.clip(np.round(median * np.exp(0.8 * rng.standard_normal(count))), 20, 5000).astype(np.int64)


def write_texts(rng: Rng, vocabulary: TopicVocabulary, recipe: TextRecipe) -> list[str]:
    """Write the text of each page."""
    ends = np.cumsum(recipe.n_words)
    texts: list[str] = []
    first = 0
    while first < len(ends):
        written = ends[first] - recipe.n_words[first]
        stop = max(first + 1, int(np.searchsorted(ends, written + BATCH_SIZE, side="right")))
        texts += _write_batch(rng, vocabulary, recipe, np.arange(first, stop))
        first = stop
    return texts


def _write_batch(rng: Rng, vocabulary: TopicVocabulary, recipe: TextRecipe, pages: IntArray) -> list[str]:
    n_words = recipe.n_words[pages]
    ids = _draw_words(rng, vocabulary, recipe, np.repeat(pages, n_words))
    ends = np.cumsum(n_words)
    last = rng.random(len(ids), dtype=np.float32) < 1 / WORDS_PER_SENTENCE
    last[ends - 1] = True
    first = np.concatenate([[True], last[:-1]])[: len(ids)]
    written = vocabulary.forms[ids + vocabulary.n_words * (first + 2 * last)].tolist()
    starts = ends - n_words
    return [" ".join(written[start:end]) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


def _draw_words(rng: Rng, vocabulary: TopicVocabulary, recipe: TextRecipe, page: IntArray) -> IntArray:
    which = rng.random(len(page), dtype=np.float32)
    draw = rng.integers(DRAWS, size=len(page), dtype=np.uint16)
    own = which < recipe.focus[page]
    side = ~own & (which < (recipe.focus + recipe.side)[page])
    ids = vocabulary.general_starts[recipe.language[page]] + zipf_ranks(vocabulary.n_general, GENERAL_EXPONENT)[draw]
    ranks = zipf_ranks(vocabulary.topic_words.shape[1], TOPIC_EXPONENT)
    for chosen, topic in ((own, recipe.topic), (side, recipe.side_topic)):
        ids[chosen] = vocabulary.topic_words[topic[page[chosen]], ranks[draw[chosen]]]
    return ids


def write_phrases(
    rng: Rng, vocabulary: TopicVocabulary, topic: IntArray, language: IntArray, min_words: int, max_words: int
) -> list[str]:
    """Write a short phrase, such as a title, with words of each page's topic; topic −1 uses general words."""
    n_words = rng.integers(min_words, max_words, len(topic), endpoint=True)
    draw = rng.integers(DRAWS, size=(len(topic), max_words), dtype=np.uint16)
    own = zipf_ranks(vocabulary.topic_words.shape[1], TOPIC_EXPONENT)[draw]
    # The most frequent general words do not make a title.
    any_word = UNTITLED + zipf_ranks(vocabulary.n_general - UNTITLED, GENERAL_EXPONENT)[draw]
    any_word += vocabulary.general_starts[language][:, None]
    ids = np.where((topic >= 0)[:, None], vocabulary.topic_words[topic[:, None], own], any_word)
    written = vocabulary.forms[ids].tolist()
    return [" ".join(dict.fromkeys(row[:n])) for row, n in zip(written, n_words.tolist(), strict=True)]
