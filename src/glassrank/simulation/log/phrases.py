"""Informational queries made of the words of topics."""

import numpy as np

from glassrank.core.checks import DataError, IntArray
from glassrank.simulation.simulator_inputs import Rng
from glassrank.simulation.web.invented_words import DRAWS, zipf_ranks
from glassrank.simulation.web.languages import write_in
from glassrank.simulation.web.simulated_web import SimulatedWeb

# Shares of phrases with one, two and three of a topic's most frequent words.
LENGTHS = (0.25, 0.45, 0.3)
WORDS, WORD_EXPONENT = 40, 0.5
# Some phrases contain an additional word without a topic, which may also be part of a site name.
ADDED_WORDS = ("best", "free", "history", "how to", "guide", "news", "online", "review")
WITH_ADDED_WORD = 0.2
MAX_PER_TOPIC = 1000


def draw_phrases(rng: Rng, web: SimulatedWeb, count: int, taken: set[str]) -> tuple[list[str], IntArray]:
    """Draw unique phrases that are not in ``taken``, and the topic of each."""
    n_topics = len(web.topics)
    if count > MAX_PER_TOPIC * n_topics:
        raise DataError(
            f"n_queries gives {count} informational queries: expected at most {MAX_PER_TOPIC} for each of the web's "
            f"{n_topics} topics.",
            parameter="n_queries",
            remedy="Use a web with more topics.",
        )
    found: dict[str, int] = {}
    while len(found) < count:
        for phrase, topic in _draw(rng, web, count):
            if phrase not in taken and len(found) < count:
                found.setdefault(phrase, topic)
    return list(found), np.array(list(found.values()), dtype=np.int64)


def _draw(rng: Rng, web: SimulatedWeb, count: int) -> list[tuple[str, int]]:
    topics = rng.integers(len(web.topics), size=count).tolist()
    lengths = rng.choice(len(LENGTHS), size=count, p=LENGTHS) + 1
    ranks = zipf_ranks(WORDS, WORD_EXPONENT)[rng.integers(DRAWS, size=(count, len(LENGTHS)))].tolist()
    added = np.where(rng.random(count) < WITH_ADDED_WORD, rng.integers(len(ADDED_WORDS), size=count), -1).tolist()
    drawn = []
    for topic, length, row, extra in zip(topics, lengths.tolist(), ranks, added, strict=True):
        words = [web.topics[topic].words[rank] for rank in dict.fromkeys(row[:length])]
        drawn.append((_add(words, extra, web.topics[topic].language), topic))
    return drawn


def _add(words: list[str], extra: int, language: str) -> str:
    """Put 'best', 'free' and 'how to' before the words, and other additions after them."""
    if extra < 0:
        return " ".join(words)
    word = ADDED_WORDS[extra]
    written = write_in(word, language)
    return " ".join([written, *words] if word in ("best", "free", "how to") else [*words, written])
