"""A collection prepared for many queries: its text index and its distinct links, each computed once."""

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import DataError, FloatArray, IntArray
from glassrank.core.progress import Progress
from glassrank.data.collection import Collection
from glassrank.distillation.site_rule import SiteRule, apply_site_rule
from glassrank.text.analysis import analyser_version, analysis_of, contains_phrase, phrases_of
from glassrank.text.text_index import TextIndex, build_text_index, load_text_index

INDEX_FILE = "index{}.npz"


@dataclass(frozen=True, eq=False)
class KeptLinks:
    """The links of a whole collection that count."""

    sites: Any
    """Number of each page's site."""
    adjacency: Any
    """Pages × pages (CSR of ones): row i links to column j."""
    notes: tuple[str, ...]


class PreparedCollection:
    """The text index and the links of a collection, which every query needs."""

    def __init__(self, collection: Collection, language: str | None = None) -> None:
        self.collection = collection
        self.language = language
        self._index: TextIndex | None = None
        self._kept: dict[SiteRule, KeptLinks] = {}

    @property
    def index(self) -> TextIndex:
        """The text index of the pages."""
        return self.load_index()

    def load_index(self, progress: Progress | None = None) -> TextIndex:
        """Read the index from the folder of a stored collection; if there is none, build it and store it there."""
        if self._index is None:
            analysis_of(self.language)  # raises an error if the language is unknown, or its libraries are missing
            self._index = self._read_index() or self._build_index(progress)
        return self._index

    @property
    def _index_file(self) -> Path | None:
        folder = self.collection.folder
        return (
            None if folder is None else folder / INDEX_FILE.format("" if self.language is None else f"-{self.language}")
        )

    @property
    def stored_languages(self) -> list[str]:
        """Languages for which the folder of the collection contains an index."""
        files = [] if self.collection.folder is None else self.collection.folder.glob(INDEX_FILE.format("-*"))
        return sorted(file.stem.partition("-")[2] for file in files)

    def _read_index(self) -> TextIndex | None:
        if self._index_file is None or not self._index_file.exists():
            return None
        try:
            index = load_text_index(self._index_file)
        except DataError:
            return None  # a damaged index is rebuilt from the pages
        # Other versions of libraries may split or stem the words of a query differently from those of the pages.
        same = (len(self.collection.pages), analyser_version(self.language))
        return index if (index.counts.shape[0], index.analyser) == same else None

    def _build_index(self, progress: Progress | None) -> TextIndex:
        pages = self.collection.pages
        index = build_text_index(pages.title, pages.text, progress, language=self.language)
        if self._index_file is not None and os.access(self._index_file.parent, os.W_OK):
            # In a read-only folder, the next process builds the index again from the pages.
            index.save(self._index_file)
        return index

    def search(self, query: str, k: int) -> tuple[IntArray, FloatArray]:
        """Return the best ``k`` pages that contain a word of the query and all its quoted phrases, and their scores."""
        scores = self.scores(query)
        order = np.argsort(-scores, kind="stable")[:k]
        best = order[scores[order] > 0]
        return best, scores[best]

    def scores(self, query: str) -> FloatArray:
        """Return the BM25 score of every page; 0 without a word of the query, or without one of its quoted phrases."""
        scores = self.index.scores(query)
        for phrase in phrases_of(query):
            for row in np.flatnonzero(scores > 0):
                if not self._has_phrase(int(row), phrase):
                    scores[row] = 0.0
        return scores

    def _has_phrase(self, row: int, phrase: str) -> bool:
        pages, analyse = self.collection.pages, analysis_of(self.language)
        wanted = analyse(phrase)
        return any(contains_phrase(analyse(text), wanted) for text in (pages.title[row], pages.text[row]))

    @cached_property
    def links(self) -> Any:
        """Distinct links between different pages of the collection."""
        ends = self.collection.link_ends
        sources, targets = ends[(ends >= 0).all(axis=1) & (ends[:, 0] != ends[:, 1])].T
        n = len(self.collection.pages)
        adjacency = sparse.csr_matrix((np.ones(len(sources)), (sources, targets)), shape=(n, n))
        adjacency.data[:] = 1.0
        return adjacency

    def kept_links(self, rule: SiteRule) -> KeptLinks:
        """Return the links that a site rule keeps."""
        if rule not in self._kept:
            self._kept[rule] = KeptLinks(*apply_site_rule(self.collection.pages, self.links, rule))
        return self._kept[rule]


def prepare(collection: Collection, language: str | None = None) -> PreparedCollection:
    """Return the prepared form of a collection, which is cached in the collection, for each language."""
    key = "prepared" if language is None else f"prepared {language}"
    return collection.workings.setdefault(key, PreparedCollection(collection, language))
