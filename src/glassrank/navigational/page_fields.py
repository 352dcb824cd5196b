"""BM25F: the query in four fields of a page at once, so that a word counts once wherever it stands."""

from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import FloatArray
from glassrank.navigational.addresses import read_address
from glassrank.navigational.coverage import look_up
from glassrank.navigational.language_models import inverse_frequency
from glassrank.navigational.page_rows import PageRows
from glassrank.navigational.sources import Sources
from glassrank.navigational.words import spread
from glassrank.text.weighting import K1, B, document_frequencies


def field_scores(sources: Sources, rows: PageRows) -> FloatArray:
    """Σ over t(q) of idf · x (k₁ + 1) / (k₁ + x), x = Σ over fields of tf / (1 − b + b len / mean len).

    The fields are title, body, the texts of the links that count to the page, and the address, all with weight 1; idf
    counts the pages that hold the word in any field (Robertson, Zaragoza and Taylor 2004).
    """
    asked = sources.query_words
    owner, place = spread(asked.starts, rows.query)
    word, page = asked.ids[place], rows.page[owner]
    x, anywhere = np.zeros(len(owner)), None
    for counts in _fields(sources):
        lengths = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
        mean = lengths.sum() / max(len(lengths), 1)
        norms = 1.0 - B + B * lengths / (mean if mean > 0 else 1.0)
        x += look_up(counts, page, word) / norms[page]
        known = counts[:, : asked.n_words]
        anywhere = known if anywhere is None else anywhere + known
    holding = document_frequencies(sparse.csr_matrix(anywhere))
    parts = inverse_frequency(len(sources.title_words), holding[word]) * x * (K1 + 1.0) / (K1 + x)
    return np.where(rows.has_word, np.bincount(owner, parts, len(rows.pairs)), np.nan)


def _fields(sources: Sources) -> tuple[Any, ...]:
    """Counts of words in the fields of each page."""
    urls = [] if sources.pages is None else sources.pages.url
    addresses = sources.read(read_address(url).text for url in urls)
    return sources.title_words.counts, sources.body_words.counts, _anchor_counts(sources, urls), addresses.counts


def _anchor_counts(sources: Sources, urls: Any) -> Any:
    """Words of the texts of the links that count to each page, each link once."""
    links = sources.anchor_links
    row_of = {url: row for row, url in enumerate(urls)}
    page = np.array([row_of.get(target, -1) for target in links.targets], dtype=np.int64)[links.target_of]
    known = page >= 0
    shape = (len(urls), len(links.texts))
    texts = sparse.csr_matrix((np.ones(int(known.sum())), (page[known], links.text_of[known])), shape=shape)
    counts = sparse.csr_matrix(texts @ links.words.counts.astype(np.float64))
    counts.sort_indices()
    return counts
