"""Features of the query in the result's page: title, body, headings, description, site name, all fields."""

from collections.abc import Container
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import FloatArray
from glassrank.navigational.feature import Feature, declare
from glassrank.navigational.features.common_substring import common_substring_lengths
from glassrank.navigational.features.edit_likeness import likeness
from glassrank.navigational.features.language_models import Documents
from glassrank.navigational.features.page.body_positions import BodyPositions
from glassrank.navigational.features.page.page_fields import field_scores
from glassrank.navigational.features.page.page_rows import PageRows
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.features.vocabulary import Words, spread
from glassrank.navigational.features.wanted_features import Column, only_wanted, together
from glassrank.navigational.features.word_coverage import SharedWords, divide, look_up
from glassrank.navigational.normal_text import normal_text
from glassrank.text.weighting import inverse_frequencies

FEATURES: tuple[Feature, ...] = (
    *declare(
        "other",
        "pages",
        {
            "ti_mr": "lcs(q, title) / len title",
            "ti_q": "lcs(q, title) / len q",
            "ti_cov": "cov(title)",
            "ti_jacc": "jacc(title)",
            "ti_pre": "1 if the title begins with q",
            "ti_bm25": "BM25 of the title among all titles",
            "ti_ed": "1 − lev(q, title) / max(len q, len title)",
            "bo_cov": "cov(body)",
            "bo_bm25": "BM25 of the body among all bodies",
            "bo_dir": "ll(body), Dirichlet",
            "bo_jm": "ll(body), Jelinek–Mercer",
            "bo_tfn": "tokens of the body that are in T(q) / # t(body)",
            "bo_cos": "cosine of query and body, weights (1 + ln tf) ln(N / n_t)",
            "bo_first": "1 / (1 + tokens before the first one in T(q))",
            "bo_span": "# T(q) / # tokens of the shortest run that contains all of T(q)",
            "bo_phrase": "ln(1 + # occurrences of t(q) in t(body))",
        },
    ),
    *declare("other", "pages headings", {"he_cov": "cov(headings)"}),
    *declare("other", "pages description", {"me_cov": "cov(description)"}),
    *declare("other", "pages site_name", {"site_name": "1 − lev(q, site name) / max(len q, len site name)"}),
    *declare("other", "pages links", {"bm25f": "BM25F over title, body, anchor texts and address"}),
)


def compute(sources: IntentSources, wanted: Container[str] | None = None) -> dict[str, FloatArray]:
    """Compute the wanted features of this file for every row; None: all."""
    if sources.pages is None:
        return {}
    rows = PageRows.of(sources)
    if not len(rows.rows):
        return {feature.name: np.full(sources.n_rows, np.nan) for feature in FEATURES}
    columns = _of_title(sources, rows) | _of_body(sources, rows)
    if sources.has("headings"):
        columns["he_cov"] = lambda: _coverage(sources, sources.heading_words, rows)
    if sources.has("description"):
        columns["me_cov"] = lambda: _coverage(sources, sources.description_words, rows)
    if sources.has("site_name"):
        columns["site_name"] = lambda: _of_site_name(sources, rows)
    if sources.has("links"):
        columns["bm25f"] = lambda: field_scores(sources, rows)
    return rows.spread_pairs(only_wanted(columns, wanted))


# Values that do not depend on the results, for ``IntentSources.prepared``.


def _titles(whole: IntentSources) -> list[str]:
    return [] if whole.pages is None else list(map(normal_text, whole.pages.title))


def _site_names(whole: IntentSources) -> list[str]:
    return [] if whole.pages is None else list(map(normal_text, whole.pages.site_name))


def _title_documents(whole: IntentSources) -> Documents:
    return Documents(whole.title_words.counts)


def _bodies(whole: IntentSources) -> Documents:
    return Documents(whole.body_words.counts)


def _weights(whole: IntentSources) -> tuple[FloatArray, FloatArray]:
    """ln(N / n_t) of each word, and the length of each body's vector."""
    inverse = inverse_frequencies(whole.body_words.counts)
    return inverse, _norms(whole.body_words.counts, inverse)


def _of_title(sources: IntentSources, rows: PageRows) -> dict[str, Column]:
    titles, words = sources.prepared(_titles), sources.query_words
    common = cache(lambda: common_substring_lengths(sources.queries, titles, rows.query, rows.page))
    shared = cache(lambda: SharedWords.of(words, sources.title_words.counts, rows.query, rows.page))
    return {
        "ti_mr": lambda: divide(common(), _lengths(titles)[rows.page]),
        "ti_q": lambda: divide(common(), _lengths(sources.queries)[rows.query]),
        "ti_cov": lambda: shared().coverage,
        "ti_jacc": lambda: shared().jaccard,
        "ti_pre": lambda: np.array(
            [titles[j].startswith(sources.queries[i]) for i, j in zip(rows.query, rows.page, strict=True)],
            dtype=np.float64,
        ),
        "ti_bm25": lambda: sources.prepared(_title_documents).bm25(words, rows.query, rows.page),
        "ti_ed": lambda: likeness(sources.queries, titles, rows.query, rows.page),
    }


def _of_body(sources: IntentSources, rows: PageRows) -> dict[str, Column]:
    words, bodies = sources.query_words, sources.body_words
    shared = cache(lambda: SharedWords.of(words, bodies.counts, rows.query, rows.page))
    return {
        "bo_cov": lambda: shared().coverage,
        "bo_bm25": lambda: sources.prepared(_bodies).bm25(words, rows.query, rows.page),
        "bo_dir": lambda: sources.prepared(_bodies).dirichlet(words, rows.query, rows.page),
        "bo_jm": lambda: sources.prepared(_bodies).jelinek_mercer(words, rows.query, rows.page),
        "bo_cos": lambda: _cosines(sources, rows),
        "bo_tfn": lambda: np.where(rows.has_word, divide(shared().occurrences, bodies.lengths[rows.page]), np.nan),
        **together(("bo_first", "bo_span", "bo_phrase"), lambda: _of_positions(sources, rows, shared())),
    }


def _of_positions(sources: IntentSources, rows: PageRows, shared: SharedWords) -> dict[str, FloatArray]:
    places = BodyPositions.of(sources.query_words, sources.body_words, rows.query, rows.page)
    found = {
        "bo_first": np.where(places.first >= 0, 1.0 / (1.0 + np.maximum(places.first, 0)), 0.0),
        "bo_span": np.where(places.span > 0, shared.in_query / np.maximum(places.span, 1), 0.0),
        "bo_phrase": np.log(1.0 + places.phrases),
    }
    return {name: np.where(rows.has_word, values, np.nan) for name, values in found.items()}


def _of_site_name(sources: IntentSources, rows: PageRows) -> FloatArray:
    names = sources.prepared(_site_names)
    like = likeness(sources.queries, names, rows.query, rows.page)
    return np.where(_lengths(names)[rows.page] > 0, like, np.nan)


def _coverage(sources: IntentSources, words: Words, rows: PageRows) -> FloatArray:
    return SharedWords.of(sources.query_words, words.counts, rows.query, rows.page).coverage


def _cosines(sources: IntentSources, rows: PageRows) -> FloatArray:
    """Cosine of query and body; words that occur in no body are ignored, and the cosine of zero vectors is 0."""
    counts, asked = sources.body_words.counts, sources.query_words
    inverse, body_norms = sources.prepared(_weights)
    owner, place = spread(asked.distinct.starts, rows.query)
    word = asked.distinct.ids[place]
    in_body = look_up(counts, rows.page[owner], word)
    in_query = asked.counts.data[place].astype(np.float64)
    held = in_body > 0
    product = np.bincount(
        owner[held],
        _damped(in_query[held]) * _damped(in_body[held]) * inverse[word[held]] ** 2,
        len(rows.pairs),
    )
    norms = _norms(asked.counts, inverse)[rows.query] * body_norms[rows.page]
    cosine = np.where(product > 0, product / np.where(norms > 0, norms, 1.0), 0.0)
    return np.where(rows.has_word & (sources.body_words.lengths[rows.page] > 0), cosine, np.nan)


def _damped(counts: FloatArray) -> FloatArray:
    return 1.0 + np.log(counts)


def _norms(counts: Any, inverse: FloatArray) -> FloatArray:
    """Length of each row's vector of (1 + ln tf) ln(N / n_t)."""
    squares = (_damped(counts.data) * inverse[counts.indices]) ** 2
    squared = sparse.csr_matrix((squares, counts.indices, counts.indptr), shape=counts.shape)
    return np.sqrt(np.asarray(squared.sum(axis=1)).ravel())


def _lengths(texts: list[str]) -> Any:
    return np.fromiter(map(len, texts), np.int64, len(texts))
