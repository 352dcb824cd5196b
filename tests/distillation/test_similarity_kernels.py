"""Gram matrices of pages: by words, by co-citation, and composite."""

import numpy as np
import pytest
from scipy import sparse

from glassrank.core.checks import DataError
from glassrank.distillation.similarity_kernels import cocitation_kernel, composite_kernel, normalise_kernel, text_kernel

LINKS = np.array([[0, 1, 1, 0], [0, 0, 1, 0], [0, 1, 0, 0], [1, 1, 1, 0]])


def counted_cocitations(links):
    """Number of pages that cite both, counted one by one."""
    n = links.shape[1]
    return [[sum(bool(row[i] and row[j]) for row in links) for j in range(n)] for i in range(n)]


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, sparse.coo_array], ids=["dense", "csr", "coo"])
def test_cocitation_counts_the_pages_that_cite_both(kind):
    found = cocitation_kernel(kind(LINKS))
    assert isinstance(found, np.ndarray)
    assert found.tolist() == counted_cocitations(LINKS)


def test_rows_of_links_may_be_other_pages_than_columns():
    assert cocitation_kernel(LINKS[:2]).shape == (4, 4)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix], ids=["dense", "csr"])
def test_the_text_kernel_holds_products_of_term_weights(kind):
    weights = np.array([[0.5, 0.0, 2.0], [1.0, 1.0, 0.0]])
    assert text_kernel(kind(weights)).tolist() == [[4.25, 0.5], [0.5, 2.0]]


def test_a_normalised_kernel_holds_cosines():
    rows = np.random.default_rng(0).normal(size=(5, 3))
    unit = rows / np.linalg.norm(rows, axis=1)[:, None]
    found = normalise_kernel(rows @ rows.T)
    np.testing.assert_allclose(found, unit @ unit.T, rtol=1e-12)
    assert np.diagonal(found).tolist() == [1.0] * 5


def test_a_page_without_in_links_is_like_itself_alone():
    found = normalise_kernel(cocitation_kernel(LINKS))
    assert found[3].tolist() == [0.0, 0.0, 0.0, 1.0]
    assert found[:, 3].tolist() == [0.0, 0.0, 0.0, 1.0]


def test_a_composite_weighs_each_kernel_with_unit_diagonal():
    rng = np.random.default_rng(1)
    words, cited = rng.random((4, 6)), LINKS.astype(float)
    found = composite_kernel([text_kernel(words), cocitation_kernel(cited)], weights=[0.3, 0.7])
    cosine = words @ words.T / np.outer(np.linalg.norm(words, axis=1), np.linalg.norm(words, axis=1))
    together = np.array(counted_cocitations(LINKS), dtype=float)
    cites = np.sqrt(np.where(np.diag(together) > 0, np.diag(together), 1))
    together /= np.outer(cites, cites)
    together[3, 3] = 1.0
    np.testing.assert_allclose(found, 0.3 * cosine + 0.7 * together, rtol=1e-12)


def test_without_weights_all_kernels_count_alike():
    grams = [np.eye(3), np.ones((3, 3)), 2 * np.eye(3)]
    np.testing.assert_allclose(composite_kernel(grams), (2 * np.eye(3) + np.ones((3, 3))) / 3)


def test_raw_kernels_are_added_as_they_are():
    assert composite_kernel([4 * np.eye(2), np.ones((2, 2))], [1, 2], unit_diagonal=False).tolist() == [[6, 2], [2, 6]]


def test_the_given_matrices_are_left_as_they_were():
    K = np.array([[4.0, 1.0], [1.0, 9.0]])
    normalise_kernel(K)
    composite_kernel([K, K])
    assert K.tolist() == [[4.0, 1.0], [1.0, 9.0]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: composite_kernel([]), "grams must hold at least one Gram matrix: got none"),
        (lambda: composite_kernel([np.eye(2), np.eye(3)]), "grams must be of the same pages: expected 2 rows, got 3"),
        (lambda: composite_kernel([np.eye(2)], [0.5, 0.5]), "weights must have one entry per .*: expected 1, got 2"),
        (lambda: composite_kernel([np.eye(2)] * 2, [1.0, -0.1]), "weights must not be negative: got -0.1"),
        (lambda: composite_kernel([np.eye(2)] * 2, [0.0, 0.0]), "weights must not all be zero"),
        (lambda: normalise_kernel(np.ones((2, 3))), r"K must be square, .*: got shape \(2, 3\)"),
        (
            lambda: normalise_kernel([[1.0, 0.0], [0.0, -2.0]]),
            "K must not be negative on its diagonal: got -2 for page",
        ),
        (lambda: normalise_kernel([[1.0, np.nan], [0.0, 2.0]]), r"K has 1 value that is not finite"),
        (lambda: text_kernel([[np.inf]]), "tfidf has 1 value that is not finite"),
        (lambda: cocitation_kernel([["a"]]), "links must contain numbers"),
    ],
    ids=["none", "sizes", "too-many", "negative", "zeros", "not-square", "diagonal", "gap", "infinite", "text"],
)
def test_what_is_no_kernel_is_refused(call, message):
    with pytest.raises(DataError, match=message):
        call()
