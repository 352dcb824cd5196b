"""Ranges of columns equal numpy's and detect every value that is not finite."""

import numpy as np
import pytest
from scipy import sparse

from glassrank.core.column_ranges import column_ranges


@pytest.mark.parametrize("n_rows", [1, 63, 64, 65, 1_000, 50_000])
def test_low_high_and_mean_are_those_of_numpy(n_rows):
    X = np.random.default_rng(n_rows).standard_normal((n_rows, 3)) * [1.0, 1e6, 1e-6]
    low, high, mean = column_ranges(X)
    np.testing.assert_array_equal(low, X.min(axis=0))
    np.testing.assert_array_equal(high, X.max(axis=0))
    size = np.abs(X).max(axis=0)
    np.testing.assert_allclose(mean / size, X.mean(axis=0) / size, atol=1e-12)


def test_a_sparse_matrix_counts_its_zeros():
    X = np.array([[0.0, -1.0], [2.0, 0.0], [0.0, 0.0]])
    for dense, found in zip(column_ranges(X), column_ranges(sparse.csr_matrix(X)), strict=True):
        np.testing.assert_allclose(found, dense)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("row", [0, 70, 199, 49_999])
def test_a_value_that_is_not_finite_is_found_anywhere(bad, row):
    X = np.random.default_rng(0).standard_normal((50_000, 2))
    assert column_ranges(X).finite
    X[row, 1] = bad
    assert not column_ranges(X).finite


def test_infinities_of_both_signs_do_not_hide_each_other():
    assert not column_ranges(np.array([[np.inf], [-np.inf], [0.0]])).finite


def test_an_overflowing_sum_is_not_an_error():
    assert column_ranges(np.full((4, 1), 1e308)).finite
