"""How natural the text of a page reads: its words and runs of words among those of all pages."""

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.navigational.coverage import divide
from glassrank.navigational.sources import Sources
from glassrank.navigational.words import Words, spread

MOST_FREQUENT, FREQUENT = 100, 200


def facts_of_bodies(sources: Sources, wanted: IntArray) -> dict[str, FloatArray]:
    """Features of the bodies of these pages by page; those of other pages are left NaN, but for the length."""
    bodies = sources.body_words
    owner, place = spread(bodies.starts, wanted)
    ids, n = bodies.ids[place], len(wanted)
    lengths = bodies.lengths[wanted]
    word_lengths = np.fromiter(map(len, sources.vocabulary.words), np.float64, len(sources.vocabulary))
    counts = bodies.counts[wanted]
    entry_owner = np.repeat(np.arange(n), np.diff(counts.indptr))
    largest = np.zeros(n)
    np.maximum.at(largest, entry_owner, counts.data)
    popular = _most_frequent(sources, FREQUENT)
    is_top, is_popular = (np.zeros(bodies.n_words, dtype=bool) for _ in range(2))
    is_top[popular[:MOST_FREQUENT]] = True
    is_popular[popular] = True
    found = {
        "sp_wl": divide(np.bincount(owner, word_lengths[ids], n), lengths),
        "sp_pop": divide(np.bincount(owner, is_top[ids], n), lengths),
        "sp_popc": divide(np.bincount(entry_owner, is_popular[counts.indices], n), np.full(n, len(popular))),
        "sp_rep": divide(largest, lengths),
    }
    return {"pg_len": np.log(1.0 + bodies.lengths), "sp_ng": _surprise(bodies)} | {
        name: _by_page(values, wanted, len(bodies)) for name, values in found.items()
    }


def _by_page(values: FloatArray, wanted: IntArray, n_pages: int) -> FloatArray:
    every = np.full(n_pages, np.nan)
    every[wanted] = values
    return every


def _most_frequent(sources: Sources, number: int) -> IntArray:
    """Numbers of the most frequent words of all bodies; of equally frequent words the first by code points."""
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
    """−mean of ln((c + 1) / (M + G)) over the runs of three words: c counts the run in all M, G of them different."""
    owner = np.repeat(np.arange(len(bodies)), bodies.lengths)
    within = np.flatnonzero(owner[2:] == owner[:-2]) if len(owner) > 2 else np.empty(0, dtype=np.int64)
    ids = bodies.ids.astype(np.int64)
    # In two steps: three numbers of words may not fit into one.
    _, beginning = np.unique(ids[within] * bodies.n_words + ids[within + 1], return_inverse=True)
    different, run, times = np.unique(
        beginning * np.int64(bodies.n_words) + ids[within + 2], return_inverse=True, return_counts=True
    )
    logarithms = np.log((times[run] + 1.0) / (len(within) + len(different)))
    runs = np.maximum(bodies.lengths - 2, 0)
    return -divide(np.bincount(owner[within], logarithms, len(bodies)), runs)
