"""The index of the simulated engines equals the same sums in plain Python."""

import math
from collections import Counter

import numpy as np
import pytest

from glassrank.simulation.log.web_index import index_web
from glassrank.simulation.web.simulate_web import simulate_web
from tests.reference.navigational.text import tokens as words
from tests.reference.navigational.url import bare, own_host


@pytest.fixture(scope="module")
def web():
    return simulate_web(2, 12, 60, languages=2, random_state=1)


@pytest.fixture(scope="module")
def queries(web):
    topic = web.topics[1]
    return (topic.query, web.sites[3].name.lower(), f"{topic.words[0]} best guide", "nothing99 matches88")


@pytest.fixture(scope="module")
def index(web, queries):
    return index_web(web, queries)


def weighted_counts(web):
    pages, links = web.collection.pages, web.collection.links
    tables = []
    for url, title, text in zip(pages.url, pages.title, pages.text, strict=True):
        called = Counter(word for t, a in zip(links.target, links.anchor, strict=True) if t == url for word in words(a))
        table = Counter(words(text))
        for word, count in Counter(words(title)).items():
            table[word] += 3 * count
        for word, count in Counter(words(bare(url))).items():
            table[word] += 2 * count
        for word, count in called.items():
            table[word] += 3 * math.log(1 + count)
        tables.append(table)
    return tables


def test_text_match_is_bm25_of_weighted_fields_divided_by_the_sum_of_idf(web, queries, index):
    tables = weighted_counts(web)
    lengths = [len(text.split()) for text in web.collection.pages.text]
    mean = sum(lengths) / len(lengths)
    match = index.text_match(slice(0, 3))
    for row, query in enumerate(queries[:3]):
        idf = {}
        for word in set(words(query)):
            holding = sum(word in table for table in tables)
            idf[word] = math.log(1 + (len(tables) - holding + 0.5) / (holding + 0.5))
        for page, (table, length) in enumerate(zip(tables, lengths, strict=True)):
            slack = 1.2 * (0.25 + 0.75 * length / mean)
            value = sum(i * table[w] * 2.2 / (table[w] + slack) for w, i in idf.items()) / sum(idf.values())
            assert match[row, page] == pytest.approx(value, rel=1e-9, abs=1e-12)


def test_a_query_of_unknown_words_matches_no_page(index):
    assert not index.text_match(slice(3, 4)).any()


def test_title_cover_is_the_share_of_the_querys_words(web, queries, index):
    pages = np.tile(np.arange(len(web.roles)), (4, 1))
    cover = index.title_cover(slice(0, 4), pages)
    for row, query in enumerate(queries):
        asked = set(words(query))
        expected = [len(asked & set(words(title))) / len(asked) for title in web.collection.pages.title]
        assert cover[row].tolist() == pytest.approx(expected)


def test_similarity_is_the_cosine_of_trigrams(web, queries, index):
    def pieces(text):
        return {text[at : at + 3] for at in range(len(text) - 2)}

    for row, query in enumerate(queries):
        asked = pieces(query.replace(" ", ""))
        for column, site in enumerate(web.sites):
            host = pieces(own_host(site.host.removeprefix("www.")))
            expected = len(asked & host) / math.sqrt(len(asked) * len(host))
            assert index.similarity[row, column] == pytest.approx(expected)


def test_popularity_grows_with_links_from_other_hosts(web, index):
    count = np.zeros(len(web.roles))
    for source, target in web.collection.link_ends:
        count[target] += web.site_of_page[source] != web.site_of_page[target]
    assert index.popularity == pytest.approx(np.log(1 + count) / np.log(1 + count.max()))
