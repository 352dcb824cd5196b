"""How natural the text of a page is: its words and word sequences compared with those of all pages."""

from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import FloatArray, IntArray
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.features.vocabulary import Words
from glassrank.navigational.features.word_coverage import divide

N_TOP_WORDS, N_COMMON_WORDS = 100, 200
BLOCK = 1 << 21
"""Number of words whose sequences are sorted at a time."""


def facts_of_bodies(sources: IntentSources) -> dict[str, FloatArray]:
    """Features of the body of every page."""
    bodies = sources.body_words
    counts, lengths = bodies.counts, bodies.lengths
    words = sources.vocabulary.words
    popular = _most_frequent(sources, N_COMMON_WORDS)
    in_body = sparse.csr_matrix((np.ones(len(counts.data)), counts.indices, counts.indptr), shape=counts.shape)
    largest = counts.max(axis=1).toarray().ravel() if counts.nnz else np.zeros(len(bodies))
    return {
        "pg_len": np.log(1.0 + lengths),
        "sp_wl": divide(counts @ np.fromiter(map(len, words), np.float64, len(words)), lengths),
        "sp_pop": divide(counts @ _marked(popular[:N_TOP_WORDS], len(words)), lengths),
        "sp_popc": divide(in_body @ _marked(popular, len(words)), len(popular)),
        "sp_rep": divide(largest, lengths),
        "sp_ng": _surprise(bodies),
    }


def _marked(places: IntArray, length: int) -> FloatArray:
    """1 at these positions, 0 elsewhere."""
    marks = np.zeros(length)
    marks[places] = 1.0
    return marks


def _most_frequent(sources: IntentSources, number: int) -> IntArray:
    """Numbers of the most frequent words of all bodies; ties are broken by code points."""
    totals = np.bincount(sources.body_words.ids, minlength=sources.body_words.n_words)
    n_different = int(np.count_nonzero(totals))
    if n_different == 0:
        return np.empty(0, dtype=np.int64)
    number = min(number, n_different)
    least = np.partition(totals, -number)[-number]
    words = sources.vocabulary.words
    candidates = np.flatnonzero(totals >= max(least, 1)).tolist()
    return np.array(sorted(candidates, key=lambda word: (-totals[word], words[word]))[:number], dtype=np.int64)


def _surprise(bodies: Words) -> FloatArray:
    """−mean of ln((c + 1) / (M + G)) over the trigrams: c is the count of the trigram, M of all, G of distinct ones."""
    owner = np.repeat(np.arange(len(bodies), dtype=np.int32), bodies.lengths)
    ids = bodies.ids
    n_runs, n_different, sums = np.maximum(bodies.lengths - 2, 0), 0, np.zeros(len(bodies))
    # Equal trigrams start with the same word, so the words are processed in parts, to sort little at a time.
    n_parts = 1 + len(ids) // BLOCK
    for part in range(n_parts):
        begins = np.flatnonzero((ids[:-2] % n_parts == part) & (owner[2:] == owner[:-2]))
        times, different = _count_runs(ids, begins, bodies.n_words)
        sums += np.bincount(owner[begins], np.log(times + 1.0), len(bodies))
        n_different += different
    return np.log(max(n_runs.sum() + n_different, 1)) - divide(sums, n_runs)


def _count_runs(ids: Any, begins: IntArray, n_words: int) -> tuple[IntArray, int]:
    """Count of the trigram at each position, and number of distinct trigrams."""
    pairs = ids[begins] * np.int64(n_words) + ids[begins + 1]
    beginning = np.unique(pairs, return_inverse=True)[1]
    runs = beginning * np.int64(n_words) + ids[begins + 2]
    different, run, times = np.unique(runs, return_inverse=True, return_counts=True)
    return times[run], len(different)
