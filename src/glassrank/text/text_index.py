"""TextIndex: word counts of titled texts, for search and comparison, which can be saved to a file."""

import io
import zipfile
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import DataError, FloatArray, IntArray, check_positive
from glassrank.core.progress import Progress
from glassrank.files.atomic_files import write_atomically
from glassrank.files.unfollowed_links import open_file
from glassrank.text.analysis import STEMMED, analyser_version, analysis_of, terms_of
from glassrank.text.weighting import bm25, inverse_frequencies, tfidf

TITLE_WEIGHT = 3
"""A word in the title counts as much as this many in the text."""
OPENING = 1000
"""Number of words at the beginning of a text that represent it in a query document (Bharat and Henzinger 1998)."""
_MATRICES = ("counts", "openings")
FORMAT = 3


@dataclass(frozen=True, eq=False, repr=False)
class TextIndex:
    """Word counts of documents.

    >>> index = build_text_index(["Zen", "Tea"], ["a school of buddhism", "a drink; zen monks like tea"])
    >>> rows, scores = index.search("zen buddhism", 10)
    >>> rows.tolist()
    [0, 1]
    >>> index
    TextIndex(2 documents, 9 terms)
    """

    terms: tuple[str, ...]
    """The vocabulary, in the order of the columns."""
    counts: Any
    """Documents × terms (CSR): occurrences in the text, plus 3 for each occurrence in the title."""
    openings: Any
    """Documents × terms (CSR): occurrences in the first 1,000 words of the text."""
    language: str | None = None
    """Language of the stems, or of the dictionary of words; None for words as they are."""
    shown: tuple[str, ...] = ()
    """The shortest word of each stem; empty if terms are words."""
    analyser: str = ""
    """Libraries that made the terms of the language, with their versions."""

    def __repr__(self) -> str:
        return f"TextIndex({self.counts.shape[0]:,} documents, {len(self.terms):,} terms)"

    @cached_property
    def column_of(self) -> dict[str, int]:
        """Column of each term."""
        return {term: column for column, term in enumerate(self.terms)}

    @cached_property
    def lengths(self) -> FloatArray:
        """Length of each document in words, title words weighted."""
        return np.asarray(self.counts.sum(axis=1), dtype=np.float64).ravel()

    @cached_property
    def inverse_frequencies(self) -> FloatArray:
        """ln(N / n_t) of each term."""
        return inverse_frequencies(self.counts)

    def word(self, column: int) -> str:
        """Return the term of a column as a word that readers know."""
        return self.shown[column] if self.shown else self.terms[column]

    def known_terms(self, query: str) -> IntArray:
        """Return the columns of those words of the query that occur in a document."""
        terms = analysis_of(self.language)(query)
        return np.array([self.column_of[t] for t in terms if t in self.column_of], dtype=np.int64)

    def scores(self, query: str) -> FloatArray:
        """Return the BM25 score of every document; 0 if it contains no word of the query."""
        return bm25(self.counts, self.known_terms(query), self.lengths)

    def search(self, query: str, k: int) -> tuple[IntArray, FloatArray]:
        """Return the rows of the best ``k`` documents that contain a word of the query, and their scores.

        Documents with equal scores are in the order of their rows.
        """
        check_positive("k", k, whole=True)
        scores = self.scores(query)
        order = np.argsort(-scores, kind="stable")[:k]
        best = order[scores[order] > 0]
        return best, scores[best]

    def tfidf(self, rows: Any, unit: bool = True) -> Any:
        """Return documents as tf-idf rows, by default of length 1."""
        return tfidf(self.counts[rows], self.inverse_frequencies, unit)

    def query_document(self, rows: Any) -> Any:
        """Return the tf-idf row of one document that concatenates the openings of these documents."""
        joined = sparse.csr_matrix(self.openings[rows].sum(axis=0))
        return tfidf(joined, self.inverse_frequencies)

    def save(self, path: str | Path) -> None:
        """Write the index to one file, atomically."""
        texts = {"terms": self.terms, "shown": self.shown}
        texts |= {"language": (self.language or "",), "analyser": (self.analyser,)}
        arrays: dict[str, Any] = {"format": np.array(FORMAT)}
        arrays |= {name: np.frombuffer("\n".join(values).encode(), dtype=np.uint8) for name, values in texts.items()}
        for name in _MATRICES:
            matrix = getattr(self, name)
            arrays |= {f"{name}_{part}": getattr(matrix, part) for part in ("data", "indices", "indptr")}
        content = io.BytesIO()
        np.savez(content, **arrays)
        write_atomically(path, content.getvalue())


def load_text_index(path: str | Path) -> TextIndex:
    """Load an index that :meth:`TextIndex.save` has written."""
    try:
        with open(path, "rb", opener=open_file) as file, np.load(file, allow_pickle=False) as kept:
            if int(kept["format"]) != FORMAT:
                raise DataError(f"{path}: expected a text index of format {FORMAT}, got {int(kept['format'])}.")
            terms, shown, language, analyser = (
                _texts(kept[name]) for name in ("terms", "shown", "language", "analyser")
            )
            if shown and len(shown) != len(terms):
                raise ValueError("words and terms of different number")
            counts, openings = (_matrix(kept, name, len(terms)) for name in _MATRICES)
    except (OSError, EOFError, KeyError, ValueError, zipfile.BadZipFile) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(
            f"{path}: not a text index, or a damaged one ({error}).", remedy="Delete it: it will be built again."
        ) from error
    return TextIndex(terms, counts, openings, "".join(language) or None, shown, "".join(analyser))


def _texts(array: Any) -> tuple[str, ...]:
    joined = array.tobytes().decode()
    return tuple(joined.split("\n")) if joined else ()


def build_text_index(
    titles: Iterable[str], texts: Iterable[str], progress: Progress | None = None, *, language: str | None = None
) -> TextIndex:
    """Count the words of titled texts; with a ``language``, their stems or dictionary words, without stop words."""
    analyse, shown = analysis_of(language), _Shown(language)
    columns: defaultdict[str, int] = defaultdict()
    columns.default_factory = columns.__len__
    whole, openings = _Rows(), _Rows()
    for done, (title, text) in enumerate(zip(titles, texts, strict=True)):
        heading, body = (np.fromiter(map(columns.__getitem__, analyse(part)), np.int32) for part in (title, text))
        shown.add(title, text)
        whole.add(np.concatenate([*[heading] * TITLE_WEIGHT, body]))
        openings.add(body[:OPENING])
        if progress is not None and done % 100 == 0:
            progress(done, None, "counting words")
    counts, first = whole.matrix(len(columns)), openings.matrix(len(columns))
    return TextIndex(tuple(columns), counts, first, language, shown.of(columns), analyser_version(language))


class _Shown:
    """The shortest word of each stem, for readers."""

    def __init__(self, language: str | None) -> None:
        self._language = language if language in STEMMED else None
        self._seen: set[str] = set()
        self._word_of: dict[str, str] = {}

    def add(self, *texts: str) -> None:
        if self._language is None:
            return
        analyse = analysis_of(self._language)
        for word in {word for text in texts for word in terms_of(text)} - self._seen:
            self._seen.add(word)
            for stem in analyse(word):
                self._word_of[stem] = min(self._word_of.get(stem, word), word, key=lambda one: (len(one), one))

    def of(self, terms: Iterable[str]) -> tuple[str, ...]:
        return () if self._language is None else tuple(self._word_of.get(term, term) for term in terms)


class _Rows:
    """Rows of counts, collected one by one."""

    def __init__(self) -> None:
        self._columns: list[Any] = [np.empty(0, np.int32)]
        self._counts: list[Any] = [np.empty(0, np.int32)]
        self._ends = [0]

    def add(self, columns: Any) -> None:
        distinct, counts = np.unique(columns, return_counts=True)
        self._columns.append(distinct)
        self._counts.append(counts.astype(np.int32))
        self._ends.append(self._ends[-1] + len(distinct))

    def matrix(self, n_columns: int) -> Any:
        indices, data = np.concatenate(self._columns), np.concatenate(self._counts)
        return sparse.csr_matrix((data, indices, self._ends), shape=(len(self._ends) - 1, n_columns))


def _matrix(kept: Any, name: str, n_columns: int) -> Any:
    data, indices, indptr = (kept[f"{name}_{part}"] for part in ("data", "indices", "indptr"))
    matrix = sparse.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, n_columns))
    matrix.check_format()
    return matrix
