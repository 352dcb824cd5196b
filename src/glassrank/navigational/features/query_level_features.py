"""Features of the query itself from pages and links; the same in all its rows."""

from collections.abc import Container
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import FloatArray, IntArray
from glassrank.navigational.feature import Feature, declare
from glassrank.navigational.features.address_parts import read_address
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.features.vocabulary import Words, spread
from glassrank.navigational.features.wanted_features import Column, only_wanted
from glassrank.navigational.features.word_coverage import divide

FEATURES: tuple[Feature, ...] = (
    *declare(
        "other",
        "pages",
        {
            "q_kkdist": "Σ over T(q) of ln(P(t, home) / P(t, topic))",
            "q_kkmi": "mean over neighbouring tokens a, b of ln((n_ab + ½)(N + ½) / ((n_a + ½)(n_b + ½)))",
        },
    ),
    *declare("other", "links pages", {"q_kkanc": "mean over T(q) of # links with t in their text / # pages with t"}),
    *declare("other", "results", {"q_len": "# t(q)"}),
)


def compute(sources: IntentSources, wanted: Container[str] | None = None) -> dict[str, FloatArray]:
    """Compute the wanted features of this file for every row; None: all."""
    columns: dict[str, Column] = {"q_len": lambda: sources.query_words.lengths.astype(np.float64)}
    if sources.pages is not None:
        columns["q_kkdist"] = lambda: _home_or_topic(sources)
        columns["q_kkmi"] = lambda: _mutual_information(sources, sources.prepared(_words_held))
        if sources.links is not None:
            columns["q_kkanc"] = lambda: _anchor_rates(sources, sources.prepared(_words_held))
    return {name: values[sources.query_of] for name, values in only_wanted(columns, wanted).items()}


def _words_held(sources: IntentSources) -> Any:
    """Pages × words (CSC): which words occur in the title or the body of a page."""
    return sparse.csc_matrix(sources.title_words.counts + sources.body_words.counts)


def _home_or_topic(sources: IntentSources) -> FloatArray:
    """Kang and Kim (2003): words of home pages (address of type 0) against words of the others, add-one smoothed."""
    terms, ratios = sources.query_words.distinct, sources.prepared(_home_ratios)
    return np.where(terms.lengths > 0, _sums(terms, ratios[terms.ids]), np.nan)


def _home_ratios(whole: IntentSources) -> FloatArray:
    """ln(P(t, home) / P(t, topic)) of every word; NaN if all pages are of one kind."""
    urls = () if whole.pages is None else whole.pages.url
    is_home = np.array([read_address(url).url_type == 0 for url in urls], dtype=bool)
    counts = np.zeros((2, len(whole.vocabulary)))
    for words in (whole.title_words, whole.body_words):
        of_home = np.repeat(is_home, words.lengths)
        counts[0] += np.bincount(words.ids[of_home], minlength=words.n_words)
        counts[1] += np.bincount(words.ids[~of_home], minlength=words.n_words)
    if not counts.any(axis=1).all():
        return np.full(counts.shape[1], np.nan)
    n_different = np.count_nonzero(counts.sum(axis=0))
    home, topic = np.log(counts + 1.0) - np.log(counts.sum(axis=1, keepdims=True) + n_different + 1.0)
    ratios: FloatArray = home - topic
    return ratios


def _mutual_information(sources: IntentSources, held: Any) -> FloatArray:
    """Pointwise mutual information of neighbouring words, by the pages that contain one or both."""
    asked = sources.query_words
    runs = [asked.ids[begin:end].tolist() for begin, end in pairwise(asked.starts.tolist())]
    both = _held_together(held, {pair for run in runs for pair in pairwise(run)})
    one, n_pages = np.diff(held.indptr), held.shape[0]
    found = np.full(len(runs), np.nan)
    for number, run in enumerate(runs):
        if len(run) > 1 and n_pages:
            first, second = np.array(run[:-1]), np.array(run[1:])
            together = np.array([both[pair] for pair in pairwise(run)])
            ratio = (together + 0.5) * (n_pages + 0.5) / ((one[first] + 0.5) * (one[second] + 0.5))
            found[number] = np.log(ratio).mean()
    return found


def _held_together(held: Any, pairs: set[tuple[int, int]]) -> dict[tuple[int, int], int]:
    """Number of pages that contain both words of each pair."""
    found: dict[tuple[int, int], int] = {}
    marked, marks = -1, np.zeros(held.shape[0], dtype=bool)
    for first, second in sorted(pairs):
        if first != marked:
            marks[:] = False
            marks[held.indices[held.indptr[first] : held.indptr[first + 1]]] = True
            marked = first
        found[first, second] = int(marks[held.indices[held.indptr[second] : held.indptr[second + 1]]].sum())
    return found


def _anchor_rates(sources: IntentSources, held: Any) -> FloatArray:
    """Links with a word in their text per page that contains it, averaged over the words that occur in pages."""
    terms = sources.query_words.distinct
    with_word = sources.prepared(_links_with_words)
    rates = divide(with_word.astype(np.float64), np.diff(held.indptr))[terms.ids]
    known = ~np.isnan(rates)
    return divide(_sums(terms, np.where(known, rates, 0.0)), _sums(terms, known.astype(np.float64)))


def _links_with_words(whole: IntentSources) -> IntArray:
    """Number of links whose text contains each word."""
    links = whole.anchor_links
    _, place = spread(links.words.distinct.starts, links.text_of)
    return np.bincount(links.words.distinct.ids[place], minlength=links.words.n_words)


def _sums(words: Words, values: FloatArray) -> FloatArray:
    """Sum of a value of each word over the words of each query."""
    owner = np.repeat(np.arange(len(words)), words.lengths)
    return np.bincount(owner, values, len(words)).astype(np.float64)
