"""Topics of the simulated web, and the words of pages about them."""

from dataclasses import dataclass

import numpy as np

from glassrank.core.checks import IntArray
from glassrank.simulation.simulator_inputs import Rng
from glassrank.simulation.web.invented_words import COMMON_WORDS, invent_words

GENERAL_WORDS = 1500
WORDS_PER_TOPIC = 120
WORDS_PER_FIELD = 40
TOPICS_PER_FIELD = 4
# Numbers of words of the topics' queries, in turn.
QUERY_LENGTHS = (2, 1, 3, 2)
# Ranks of the query's words among the words of pages that name their topic often, sometimes or rarely.
NAMINGS = ((0, 1, 2), (3, 6, 9), (12, 24, 36))


@dataclass(frozen=True)
class SimulatedTopic:
    """A topic and its query."""

    name: str
    query: str
    field: int
    """Number of the field of knowledge; topics of the same field share words."""
    words: tuple[str, ...]
    """The words of the topic, most frequent first; the first ones form the query."""


@dataclass(frozen=True, eq=False)
class Lexicon:
    """All words, and for each topic the numbers of its words, most frequent first."""

    words: list[str]
    topics: tuple[SimulatedTopic, ...]
    topic_words: IntArray
    """Topics × words: indices in ``words``."""
    n_general: int
    """Number of general words, which come first in ``words``, most frequent first."""


def make_lexicon(rng: Rng, n_topics: int) -> Lexicon:
    """Invent the general words, and the words of each topic and field.

    >>> lexicon = make_lexicon(np.random.default_rng(0), 4)
    >>> lexicon.topic_words.shape
    (4, 120)
    >>> [topic.query for topic in lexicon.topics][1:3]
    ['drohind', 'hidurk seanerk lagrear']
    """
    # A separate stream for topic words, so that their number does not affect the general words.
    general_rng, topic_rng = rng.spawn(2)
    general = [*COMMON_WORDS, *invent_words(general_rng, GENERAL_WORDS - len(COMMON_WORDS), "general")]
    n_fields = -(-n_topics // TOPICS_PER_FIELD)
    n_own = n_topics * WORDS_PER_TOPIC
    special = invent_words(topic_rng, n_own + n_fields * WORDS_PER_FIELD, "topic")
    first = len(general)
    topic_words = first + np.arange(n_own).reshape(n_topics, WORDS_PER_TOPIC)
    field_words = first + n_own + np.arange(n_fields * WORDS_PER_FIELD).reshape(n_fields, WORDS_PER_FIELD)
    fields = np.arange(n_topics) // TOPICS_PER_FIELD
    # Every third word, starting with the fourth, belongs to the whole field.
    shared = np.arange(3, WORDS_PER_TOPIC, 3)
    topic_words[:, shared] = field_words[fields][:, : len(shared)]
    words = general + special
    topics = tuple(_topic(number, [words[w] for w in row]) for number, row in enumerate(topic_words.tolist()))
    return Lexicon(words, topics, topic_words, len(general))


def name_rarely(topic_words: IntArray) -> IntArray:
    """Return the words of the topics once for each of ``NAMINGS``: row n × topics + t is naming n of topic t.

    >>> name_rarely(np.arange(120)[None])[:, :4].tolist()
    [[0, 1, 2, 3], [3, 6, 9, 0], [12, 24, 36, 3]]
    """
    tables = []
    for places in NAMINGS:
        table = topic_words.copy()
        table[:, [*NAMINGS[0], *places]] = table[:, [*places, *NAMINGS[0]]]
        tables.append(table)
    return np.vstack(tables)


def _topic(number: int, words: list[str]) -> SimulatedTopic:
    query = " ".join(words[: QUERY_LENGTHS[number % len(QUERY_LENGTHS)]])
    return SimulatedTopic(query.title(), query, number // TOPICS_PER_FIELD, tuple(words))
