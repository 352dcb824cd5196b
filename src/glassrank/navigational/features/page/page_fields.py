"""BM25F: score the query in four fields of a page at once, so that a word counts once whatever its field."""

from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import FloatArray, IntArray
from glassrank.navigational.features.language_models import inverse_frequency
from glassrank.navigational.features.page.page_rows import PageRows
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.features.vocabulary import spread
from glassrank.navigational.features.word_coverage import look_up
from glassrank.text.weighting import K1, B, document_frequencies


def field_scores(sources: IntentSources, rows: PageRows) -> FloatArray:
    """Σ over t(q) of idf · x (k₁ + 1) / (k₁ + x), x = Σ over fields of tf / (1 − b + b len / mean len).

    The fields are title, body, the texts of the counting links to the page, and the address, all with weight 1; idf
    counts the pages that contain the word in any field (Robertson, Zaragoza and Taylor 2004).
    """
    asked = sources.query_words
    owner, place = spread(asked.starts, rows.query)
    word, page = asked.ids[place], rows.page[owner]
    x = np.zeros(len(owner))
    for counts, norms in sources.prepared(_fields):
        x += look_up(counts, page, word) / norms[page]
    holding = sources.prepared(_holding)
    parts = inverse_frequency(len(sources.title_words), holding[word]) * x * (K1 + 1.0) / (K1 + x)
    return np.where(rows.has_word, np.bincount(owner, parts, len(rows.pairs)), np.nan)


def _fields(whole: IntentSources) -> list[tuple[Any, FloatArray]]:
    """Counts of words in each field of the pages, and the length normalisation of the field."""
    urls = [] if whole.pages is None else whole.pages.url
    found = []
    for counts in (
        whole.title_words.counts,
        whole.body_words.counts,
        _anchor_counts(whole, urls),
        whole.address_words.counts,
    ):
        lengths = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
        mean = lengths.sum() / max(len(lengths), 1)
        found.append((counts, 1.0 - B + B * lengths / (mean if mean > 0 else 1.0)))
    return found


def _holding(whole: IntentSources) -> IntArray:
    """Number of pages that contain each word in any field."""
    first, *others = (counts for counts, _ in whole.prepared(_fields))
    return document_frequencies(sparse.csr_matrix(sum(others, start=first)))


def _anchor_counts(sources: IntentSources, urls: Any) -> Any:
    """Counts of the words in the texts of the counting links to each page."""
    links = sources.anchor_links
    page = np.array([sources.row_of_page.get(target, -1) for target in links.targets], dtype=np.int64)[links.target_of]
    known = page >= 0
    shape = (len(urls), len(links.texts))
    texts = sparse.csr_matrix((np.ones(int(known.sum())), (page[known], links.text_of[known])), shape=shape)
    counts = sparse.csr_matrix(texts @ links.words.counts.astype(np.float64))
    counts.sort_indices()
    return counts
