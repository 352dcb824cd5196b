"""The candidate pages of a query: the root set of a search, or the base set around it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, FloatArray, IntArray
from glassrank.core.process.stopwatch import Stopwatch
from glassrank.core.randomness import random_seed
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.data.collection import Collection
from glassrank.distillation.options import Options
from glassrank.distillation.prepared_collection import PreparedCollection
from glassrank.distillation.similarity_kernels import cocitation_kernel, normalise_kernel, text_kernel

SMALL_COLLECTION = 10_000
ROOT_SIZE = {"small": 50, "large": 200}
IN_LINKS = {"small": 10, "large": 50}
LARGE_SHARE = 0.2


class NoMatchError(DataError):
    """No page contains a word of the query."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """The pages that compete for one query, and the links between them that count."""

    query: str
    prepared: PreparedCollection
    pages: IntArray
    """Rows of the collection: the root set in search order, then the rest of the base set in collection order."""
    n_root: int
    search_scores: FloatArray
    adjacency: Any
    """Candidates × candidates (CSR of ones): the links that count."""
    sites: IntArray
    edges_total: int
    """Number of distinct links between the candidates before the site rule."""
    citations: Any
    """All pages × candidates (CSC of ones): the links from all pages of the collection to candidates that count."""
    notes: tuple[str, ...]
    timings: dict[str, float]

    @property
    def in_root(self) -> Any:
        """Which candidates are in the root set."""
        return np.arange(len(self.pages)) < self.n_root

    @cached_property
    def raw_grams(self) -> tuple[FloatArray, FloatArray]:
        """Products of the candidates' tf-idf rows, and numbers of pages that cite both of two candidates."""
        return text_kernel(self.prepared.index.tfidf(self.pages, unit=False)), cocitation_kernel(self.citations)

    @cached_property
    def unit_grams(self) -> tuple[FloatArray, FloatArray]:
        """Similarities of the candidates by their words and by co-citation, with diagonals of ones."""
        words, cited = self.raw_grams
        return normalise_kernel(words), normalise_kernel(cited)


def searched_size(collection: Collection, options: Options) -> int:
    """Return the number of search results in the root set; the default depends on the size of the collection."""
    return options.root_size or _default(ROOT_SIZE, collection)


def gather_candidates(prepared: PreparedCollection, query: str, options: Options) -> Candidates:
    """Search for the root set, add its neighbours for the base set, and keep the links that count."""
    watch = Stopwatch()
    with watch.step("search"):
        root, scores = _root_set(prepared, query, options)
    with watch.step("candidates"):
        pages = root if options.candidates == "root" else _base_set(prepared, root, options)
        if options.candidates == "base" and options.root is None:
            scores = prepared.scores(query)[pages]
        elif len(pages) > len(root):
            scores = np.concatenate([scores, np.zeros(len(pages) - len(root))])
    with watch.step("links"):
        kept = prepared.kept_links(options.site_rule)
        adjacency = kept.adjacency[pages][:, pages]
        total = prepared.links[pages][:, pages].nnz
        citations = kept.adjacency[:, pages].tocsc()
    notes = (*kept.notes, *_size_notes(prepared, pages, options))
    return Candidates(
        query,
        prepared,
        pages,
        len(root),
        scores,
        adjacency,
        kept.sites[pages],
        total,
        citations,
        notes,
        watch.seconds,
    )


def _root_set(prepared: PreparedCollection, query: str, options: Options) -> tuple[IntArray, FloatArray]:
    if options.root is not None:
        rows = _rows_of(prepared, options.root)[: options.root_size]
        return rows, 1.0 / np.arange(1, len(rows) + 1)
    rows, scores = prepared.search(query, searched_size(prepared.collection, options))
    if not len(rows):
        raise NoMatchError(
            f"No page contains a word of the query {query!r}.",
            remedy=("Check its spelling", f"pass your own root set as {setting('root')}"),
        )
    return rows, scores


def _rows_of(prepared: PreparedCollection, addresses: Sequence[str]) -> IntArray:
    rows = map(prepared.collection.rows.find, addresses)
    known = list(dict.fromkeys(row for row in rows if row >= 0))
    if not known:
        raise DataError(
            f"None of the {counted(len(addresses), 'address', 'addresses')} of the root set is a page of the "
            f"collection; its first page is {prepared.collection.pages.url[0]!r}."
        )
    return np.array(known, dtype=np.int64)


def _base_set(prepared: PreparedCollection, root: IntArray, options: Options) -> IntArray:
    """Return the root set, all pages that it links to, and for each of its pages at most d pages that link to it."""
    at_most = options.in_links if options.in_links is not None else _default(IN_LINKS, prepared.collection)
    linked = prepared.links[root].indices
    incoming = prepared.links[:, root].tocsc()
    seed = random_seed(options.random_state)
    citing = [
        _sample(incoming.indices[incoming.indptr[k] : incoming.indptr[k + 1]], at_most, [seed, page])
        for k, page in enumerate(root)
    ]
    added = np.setdiff1d(np.concatenate([linked, *citing]), root)
    return np.concatenate([root, added]).astype(np.int64)


def _sample(pages: IntArray, at_most: int, seed: list[int]) -> IntArray:
    """Draw at most this many pages, with a seed per root page, so that the draw does not depend on other pages."""
    if len(pages) <= at_most:
        return pages
    return np.random.default_rng(seed).choice(np.sort(pages), at_most, replace=False)


def _size_notes(prepared: PreparedCollection, pages: IntArray, options: Options) -> list[str]:
    notes = []
    n = len(prepared.collection.pages)
    if options.candidates == "base" and len(pages) > LARGE_SHARE * n:
        notes.append(
            f"The base set contains {len(pages):,} of the collection's {n:,} pages ({len(pages) / n:.0%}), too many "
            "for one topic. A smaller root set or fewer linking pages narrow it."
        )
    if options.root is not None and (absent := {url for url in options.root if prepared.collection.rows.find(url) < 0}):
        notes.append(f"Addresses of the root set that are not in the collection and were ignored: {len(absent):,}.")
    return notes


def _default(sizes: dict[str, int], collection: Collection) -> int:
    return sizes["small" if len(collection.pages) < SMALL_COLLECTION else "large"]
