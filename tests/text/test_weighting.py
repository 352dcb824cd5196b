"""tf-idf and BM25 against twins and a peer."""

import numpy as np
import pytest

from glassrank.text.text_index import TITLE_WEIGHT, build_text_index
from glassrank.text.tokens import tokenise
from tests.reference import text_weights

TITLES = ["Zen", "Tea", "", "Gardens"]
TEXTS = ["zen is a school of zen buddhism", "tea and zen", "", "a garden of stones, a garden of moss"]
DOCUMENTS = [tokenise(title) * TITLE_WEIGHT + tokenise(text) for title, text in zip(TITLES, TEXTS, strict=True)]


@pytest.fixture(scope="module")
def index():
    return build_text_index(TITLES, TEXTS)


@pytest.mark.parametrize("query", ["zen", "zen garden", "garden garden a", "unknown", ""])
def test_bm25_equals_its_twin(index, query):
    known = [word for word in tokenise(query) if any(word in document for document in DOCUMENTS)]
    np.testing.assert_allclose(index.scores(query), text_weights.bm25(known, DOCUMENTS), rtol=1e-12)


def test_bm25_equals_the_lucene_form_of_bm25s_times_k1_plus_1(index):
    bm25s = pytest.importorskip("bm25s")
    peer = bm25s.BM25(k1=1.2, b=0.75, method="lucene", dtype="float64")
    peer.index(DOCUMENTS, show_progress=False)
    for query in ("zen", "garden of zen"):
        np.testing.assert_allclose(index.scores(query), 2.2 * peer.get_scores(tokenise(query)), rtol=1e-12)


def test_tfidf_rows_equal_their_twin(index):
    rows = index.tfidf(np.arange(4)).toarray()
    expected = np.zeros_like(rows)
    for row, weights in enumerate(text_weights.tfidf(DOCUMENTS)):
        for word, weight in weights.items():
            expected[row, index.column_of[word]] = weight
    np.testing.assert_allclose(rows, expected, atol=1e-14)


def test_a_document_without_words_has_an_empty_row(index):
    assert index.tfidf([2]).nnz == 0


def test_the_query_document_joins_the_openings_without_titles(index):
    words = tokenise(TEXTS[0]) + tokenise(TEXTS[1])
    joined = index.query_document([0, 1])
    assert {index.terms[column] for column in joined.indices} <= set(words)
    counts = np.asarray(index.openings[[0, 1]].sum(axis=0)).ravel()
    assert {index.terms[k]: int(n) for k, n in enumerate(counts) if n} == {w: words.count(w) for w in set(words)}
