"""Topics of the simulated web, and the words of pages about them."""

from dataclasses import dataclass

import numpy as np

from glassrank.core.checks import IntArray
from glassrank.simulation.simulator_inputs import Rng
from glassrank.simulation.web.invented_words import COMMON_WORDS, invent_words
from glassrank.simulation.web.languages import ENGLISH, LANGUAGES, write_in

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
    language: str = ENGLISH
    """Code of the language of its words and pages."""


@dataclass(frozen=True, eq=False)
class Lexicon:
    """All words, and for each topic the numbers of its words, most frequent first."""

    words: list[str]
    topics: tuple[SimulatedTopic, ...]
    topic_words: IntArray
    """Topics × words: indices in ``words``."""
    n_general: int
    """Number of general words of each language, most frequent first."""
    general_starts: IntArray
    """Index in ``words`` of the first general word of each language."""

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of the languages; the topics have them in turn."""
        return tuple(LANGUAGES)[: len(self.general_starts)]

    def in_language(self, topic: IntArray, language: IntArray) -> IntArray:
        """Return a topic near each given one, in the given language; the topic itself if there is one language."""
        n_languages = len(self.general_starts)
        moved = topic - topic % n_languages + language
        return np.where(moved < len(self.topics), moved, moved - n_languages)


def make_lexicon(rng: Rng, n_topics: int, n_languages: int = 1) -> Lexicon:
    """Invent the general words, and the words of each topic and field, and write them in the topic's language.

    >>> lexicon = make_lexicon(np.random.default_rng(0), 4)
    >>> lexicon.topic_words.shape
    (4, 120)
    >>> [topic.query for topic in lexicon.topics][1:3]
    ['drohind', 'hidurk seanerk lagrear']
    """
    # A separate stream for topic words, so that their number does not affect the general words.
    general_rng, topic_rng = rng.spawn(2)
    general = [*COMMON_WORDS, *invent_words(general_rng, GENERAL_WORDS - len(COMMON_WORDS), "general")]
    language = np.arange(n_topics) % n_languages
    fields = _fields(language, n_languages)
    n_fields = int(fields.max()) + 1
    n_own = n_topics * WORDS_PER_TOPIC
    special = invent_words(topic_rng, n_own + n_fields * WORDS_PER_FIELD, "topic")
    first = len(general)
    topic_words = first + np.arange(n_own).reshape(n_topics, WORDS_PER_TOPIC)
    field_words = first + n_own + np.arange(n_fields * WORDS_PER_FIELD).reshape(n_fields, WORDS_PER_FIELD)
    # Every third word, starting with the fourth, belongs to the whole field.
    shared = np.arange(3, WORDS_PER_TOPIC, 3)
    topic_words[:, shared] = field_words[fields][:, : len(shared)]
    codes = list(LANGUAGES)[:n_languages]
    language_of_field = language[np.unique(fields, return_index=True)[1]]
    spoken = np.concatenate([np.repeat(language, WORDS_PER_TOPIC), np.repeat(language_of_field, WORDS_PER_FIELD)])
    words = general + [write_in(word, codes[number]) for word, number in zip(special, spoken.tolist(), strict=True)]
    starts = np.array([0, *(len(words) + first * np.arange(n_languages - 1))])
    words += [write_in(word, code) for code in codes[1:] for word in general]
    topics = tuple(
        _topic(number, int(fields[number]), [words[w] for w in row], codes[language[number]])
        for number, row in enumerate(topic_words.tolist())
    )
    return Lexicon(words, topics, topic_words, len(general), starts)


def _fields(language: IntArray, n_languages: int) -> IntArray:
    """Number the fields: every four topics of a language make one.

    >>> _fields(np.zeros(6, dtype=np.int64), 1).tolist(), _fields(np.arange(6) % 2, 2).tolist()
    ([0, 0, 0, 0, 1, 1], [0, 1, 0, 1, 0, 1])
    """
    within = np.arange(len(language)) // n_languages // TOPICS_PER_FIELD
    return np.unique(within * n_languages + language, return_inverse=True)[1]


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


def _topic(number: int, field: int, words: list[str], language: str) -> SimulatedTopic:
    query = " ".join(words[: QUERY_LENGTHS[number % len(QUERY_LENGTHS)]])
    return SimulatedTopic(query.title(), query, field, tuple(words), language)
