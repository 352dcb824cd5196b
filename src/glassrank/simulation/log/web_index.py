"""The index of the simulated search engines: words of the pages in four fields, and hosts."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from scipy import sparse

from glassrank.core.checks import FloatArray, IntArray
from glassrank.data.web.readable_address import readable_address, readable_host
from glassrank.simulation.web.simulated_web import SimulatedWeb
from glassrank.text.tokens import tokenise

TITLE_WEIGHT, ANCHOR_WEIGHT, ADDRESS_WEIGHT = 3.0, 3.0, 2.0
K1, B = 1.2, 0.75


@dataclass(frozen=True, eq=False)
class _WebWords:
    """The words of a web as numbers: reading them takes long, and several logs may be drawn from one web."""

    number_of: dict[str, int]
    fields: tuple[tuple[IntArray, IntArray], ...]
    """For texts, titles, addresses and anchors: the words of all entries, and where each entry ends."""


_WORDS_OF_WEBS: "WeakKeyDictionary[SimulatedWeb, _WebWords]" = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class WebIndex:
    """Matches of queries with pages and hosts, mostly as sparse matrices."""

    queries: Any
    """Queries × words: 1 if the query contains the word."""
    weights: Any
    """Words × pages: BM25 of the weighted fields."""
    idf: FloatArray
    titles: Any
    """Words × pages: 1 if the title contains the word."""
    similarity: FloatArray
    """Queries × sites: cosine similarity of the trigrams of query and host."""
    popularity: FloatArray
    """ln(1 + links from other hosts) of each page, divided by the maximum."""

    def text_match(self, rows: slice) -> FloatArray:
        """Return the BM25 of each page for some queries, divided by the sum of idf over the query's words."""
        queries = self.queries[rows]
        total = np.maximum(queries @ self.idf, 1e-12)
        return (queries @ self.weights).toarray() / total[:, None]

    def title_cover(self, rows: slice, pages: IntArray) -> FloatArray:
        """Return the share of the query's words in the titles of its results."""
        queries = self.queries[rows]
        n_words = np.maximum(np.asarray(queries.sum(axis=1)), 1.0)
        return np.take_along_axis((queries @ self.titles).toarray() / n_words, pages, axis=1)


def index_web(web: SimulatedWeb, queries: tuple[str, ...]) -> WebIndex:
    """Index the pages by the words of the queries; no other word can match."""
    asked = [list(dict.fromkeys(tokenise(query))) for query in queries]
    places: dict[str, int] = {}
    for words in asked:
        for word in words:
            places.setdefault(word, len(places))
    pages = web.collection.pages
    texts, titles, addresses, anchors = _count_fields(web, places)
    source, target = web.collection.link_ends.T
    incoming = sparse.csr_matrix((np.ones(len(target)), (target, np.arange(len(target)))), (len(pages), len(target)))
    anchor_counts = (incoming @ anchors).tocsr()
    # A home page may have hundreds of identical anchors, which must not dominate the other fields.
    anchor_counts.data = np.log1p(anchor_counts.data)
    counts = texts + TITLE_WEIGHT * titles + ADDRESS_WEIGHT * addresses + ANCHOR_WEIGHT * anchor_counts
    lengths = np.array([text.count(" ") + 1.0 for text in pages.text])
    weights, idf = _bm25(counts.tocsr(), lengths)
    outside = web.site_of_page[source] != web.site_of_page[target]
    links_in = np.log1p(np.bincount(target[outside], minlength=len(pages)))
    titles.data = np.ones(len(titles.data))
    asked_words = _count(*_numbered(places, asked), len(places))
    return WebIndex(
        asked_words, weights.T.tocsr(), idf, titles.T.tocsr(), _similarity(queries, web),
        links_in / max(float(links_in.max()), 1e-12),
    )  # fmt: skip


def _words_of(web: SimulatedWeb) -> _WebWords:
    if web not in _WORDS_OF_WEBS:
        number_of: defaultdict[str, int] = defaultdict()
        number_of.default_factory = number_of.__len__
        pages, links = web.collection.pages, web.collection.links
        columns = (pages.text, pages.title, map(readable_address, pages.url), links.anchor)
        fields = tuple(_numbered(number_of, map(tokenise, column)) for column in columns)
        _WORDS_OF_WEBS[web] = _WebWords(dict(number_of), fields)
    return _WORDS_OF_WEBS[web]


def _numbered(number_of: dict[str, int], texts: Iterable[list[str]]) -> tuple[IntArray, IntArray]:
    """Return the numbers of the words of all texts, and where each text ends; 0 is the first end."""
    numbers: list[int] = []
    ends = [0]
    for words in texts:
        numbers.extend(map(number_of.__getitem__, words))
        ends.append(len(numbers))
    return np.array(numbers, dtype=np.int64), np.array(ends, dtype=np.int64)


def _count_fields(web: SimulatedWeb, places: dict[str, int]) -> list[Any]:
    """Count the known words of each text of the fields, as sparse matrices of texts × words."""
    found = _words_of(web)
    place_of = np.full(len(found.number_of), -1)
    for word, place in places.items():
        if word in found.number_of:
            place_of[found.number_of[word]] = place
    return [_count(place_of[words], ends, len(places)) for words, ends in found.fields]


def _count(columns: IntArray, ends: IntArray, width: int) -> Any:
    """Count the columns of each row, without those below 0."""
    known = columns >= 0
    ends = np.concatenate([[0], np.cumsum(known)])[ends]
    table = sparse.csr_matrix((np.ones(ends[-1]), columns[known], ends), (len(ends) - 1, width))
    table.sum_duplicates()
    return table


def _bm25(counts: Any, lengths: FloatArray) -> tuple[Any, FloatArray]:
    n_pages, n_words = counts.shape
    document_frequency = np.bincount(counts.indices, minlength=n_words)
    idf = np.log1p((n_pages - document_frequency + 0.5) / (document_frequency + 0.5))
    slack = K1 * (1 - B + B * lengths / lengths.mean())
    rows = np.repeat(np.arange(n_pages), np.diff(counts.indptr))
    weights = counts.copy()
    weights.data = idf[counts.indices] * counts.data * (K1 + 1) / (counts.data + slack[rows])
    return weights, idf


def _similarity(queries: tuple[str, ...], web: SimulatedWeb) -> FloatArray:
    hosts = [readable_host(site.host.removeprefix("www.")) for site in web.sites]
    typed = [query.replace(" ", "").removeprefix("www.") for query in queries]
    pieces: dict[str, int] = {}
    tables = [_pieces(texts, pieces) for texts in (hosts, typed)]
    of_hosts, of_queries = (_unit_rows(table, len(pieces)) for table in tables)
    return np.asarray((of_queries @ of_hosts.T).toarray())


def _pieces(texts: list[str], known: dict[str, int]) -> list[list[int]]:
    cut = (Counter(text[at : at + 3] for at in range(max(1, len(text) - 2))) for text in texts)
    return [[known.setdefault(piece, len(known)) for piece in pieces] for pieces in cut]


def _unit_rows(rows: list[list[int]], width: int) -> Any:
    sizes = np.array([len(row) for row in rows])
    values = np.repeat(1 / np.sqrt(np.maximum(sizes, 1)), sizes)
    columns = np.concatenate([np.array(row, dtype=np.int64) for row in rows])
    return sparse.csr_matrix((values, columns, np.concatenate([[0], np.cumsum(sizes)])), (len(rows), width))
