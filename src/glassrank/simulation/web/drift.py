"""Topic drift: for each topic, a tightly knit community about something else, to which the topic's pages link."""

import numpy as np

from glassrank.core.checks import IntArray
from glassrank.simulation.simulator_inputs import Rng
from glassrank.simulation.web.anchors import draw_anchors
from glassrank.simulation.web.invented_words import invent_words
from glassrank.simulation.web.languages import language_numbers, write_in
from glassrank.simulation.web.lexicon import QUERY_LENGTHS, WORDS_PER_TOPIC, Lexicon
from glassrank.simulation.web.page_blocks import LinkBlock, PageBlock, join_blocks, keep_first_of_host, scaled
from glassrank.simulation.web.pages import Outline
from glassrank.simulation.web.running_text import (
    TextRecipe,
    TopicVocabulary,
    draw_lengths,
    make_vocabulary,
    plain_vocabulary,
    write_phrases,
    write_texts,
)
from glassrank.simulation.web.sites import Site, draw_names

# Pages per community at strength 1; each has its own host, as in a link exchange.
PAGES_PER_TOPIC = 14
# Share of the other pages of the community that each page links to.
KNIT = 0.6
# Share of a topic's pages that link to its community at strength 1, and the maximum at any strength.
LINKING_SHARE, MAX_LINKING_SHARE = 0.15, 0.6
# Share of the community's pages that link back to a page of the topic.
LINKING_BACK = 0.3


def draw_drift(
    rng: Rng, lexicon: Lexicon, outline: Outline, plain: PageBlock, strength: float
) -> tuple[PageBlock, LinkBlock]:
    """Draw the communities and their links; their pages follow the rows of the plain web."""
    words, pages, links = rng.spawn(3)
    vocabulary = _vocabulary(words, lexicon)
    aim = np.repeat(np.arange(len(lexicon.topics)), scaled(PAGES_PER_TOPIC, strength, minimum=2))
    block = _write(pages, vocabulary, lexicon, aim)
    source, target = _draw_links(links, outline, aim, strength)
    both = join_blocks([plain, block])
    source, target = keep_first_of_host(source, target, both.host)
    theirs = target >= len(plain)
    # Anchors of the communities' pages use the communities' words, those of the topics' pages the topics' words.
    topic = np.concatenate([outline.topic, aim])
    anchor = np.empty(len(target), dtype=object)
    for chosen, spoken in ((theirs, vocabulary), (~theirs, plain_vocabulary(lexicon))):
        anchor[chosen] = draw_anchors(
            links, spoken, target[chosen],
            site=both.site_of_page, title=both.title, topic=topic, is_home=both.is_home,
        )  # fmt: skip
    return block, LinkBlock(source, target, anchor)


def _vocabulary(rng: Rng, lexicon: Lexicon) -> TopicVocabulary:
    """Return the communities' own words, except that their most frequent ones are those of the query."""
    n_topics = len(lexicon.topics)
    invented = invent_words(rng, n_topics * WORDS_PER_TOPIC, "drift")
    own = [write_in(word, lexicon.topics[at // WORDS_PER_TOPIC].language) for at, word in enumerate(invented)]
    table = len(lexicon.words) + np.arange(len(own)).reshape(n_topics, WORDS_PER_TOPIC)
    for number in range(n_topics):
        n_query = QUERY_LENGTHS[number % len(QUERY_LENGTHS)]
        table[number, :n_query] = lexicon.topic_words[number, :n_query]
    return make_vocabulary(lexicon, table, own)


def _write(rng: Rng, vocabulary: TopicVocabulary, lexicon: Lexicon, aim: IntArray) -> PageBlock:
    count = len(aim)
    languages = [lexicon.topics[topic].language for topic in aim.tolist()]
    named, language = draw_names(rng, languages, "drift"), language_numbers(languages)
    sites = [
        Site(name, domain, domain, -1, "drift", code)
        for name, domain, code in zip(named.names, named.domains, languages, strict=True)
    ]
    n_words = draw_lengths(rng, count)
    focus = 0.45 * rng.beta(2.0, 4.0, count) + 0.02
    none = np.zeros(count)
    text = write_texts(rng, vocabulary, TextRecipe(n_words, language, aim, focus, aim, none))
    h1 = [phrase.capitalize() for phrase in write_phrases(rng, vocabulary, aim, language, 2, 5)]
    title = [f"{phrase} - {site.name}" for phrase, site in zip(h1, sites, strict=True)]
    return PageBlock(
        sites, np.arange(count), [f"https://{site.host}/" for site in sites], title, h1, h1, text,
        np.full(count, -1), aim, np.full(count, "drift", dtype=object), np.exp(0.8 * rng.standard_normal(count)), none,
    )  # fmt: skip


def _draw_links(rng: Rng, outline: Outline, aim: IntArray, strength: float) -> tuple[IntArray, IntArray]:
    """Draw links within each community, from the pages of its topic into it, and back."""
    sources, targets = [], []
    n_plain = len(outline.topic)
    share = min(MAX_LINKING_SHARE, LINKING_SHARE * strength)
    for number in np.unique(aim):
        members = n_plain + np.flatnonzero(aim == number)
        knit = np.argwhere(rng.random((len(members), len(members))) < KNIT)
        on_topic = np.flatnonzero(outline.topic == number)
        linking = on_topic[rng.random(len(on_topic)) < share]
        back = members[rng.random(len(members)) < LINKING_BACK]
        sources += [members[knit[:, 0]], linking, back]
        targets += [members[knit[:, 1]], rng.choice(members, len(linking)), rng.choice(on_topic, len(back))]
    none = np.zeros(0, dtype=np.int64)
    return np.concatenate([none, *sources]), np.concatenate([none, *targets])
