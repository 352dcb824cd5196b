"""Groups of features that move together within queries, against sums written out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from glassrank.core.additive import feature_groups
from glassrank.core.additive.feature_groups import correlations_within_queries, group_correlated
from glassrank.core.groups import group_rows
from tests.reference.correlated_groups import centred, correlation, linked


@st.composite
def tables(draw):
    n, d = draw(st.integers(1, 12)), draw(st.integers(1, 5))
    value = st.one_of(st.integers(-3, 3).map(float), st.just(np.nan), st.floats(-1e6, 1e6))
    X = np.array(draw(st.lists(st.lists(value, min_size=d, max_size=d), min_size=n, max_size=n)))
    qid = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    weight = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=n, max_size=n))
    return X.reshape(n, d), qid, np.array(weight)


@given(tables())
def test_correlations_are_those_of_the_sums_written_out(table):
    X, qid, weight = table
    found = correlations_within_queries(X, group_rows(qid, len(X)), weight)
    scale = np.nan_to_num(np.abs(X)).max(axis=0)
    for j in range(X.shape[1]):
        for k in range(X.shape[1]):
            # A spread of rounding size has no correlation in floats; the twin's sums are exact.
            if (
                min(spread(X, qid, weight, j) / max(scale[j], 1.0), spread(X, qid, weight, k) / max(scale[k], 1.0))
                > 1e-6
            ):
                assert found[j, k] == pytest.approx(correlation(X[:, j], X[:, k], qid, weight), abs=1e-7)


def spread(X, qid, weight, k):
    return max((abs(v) for v, w in zip(centred(X[:, k], qid, weight), weight, strict=True) if w > 0), default=0.0)


def test_correlations_in_blocks_and_of_sparse_rows_are_the_same(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4)) * (rng.random((60, 4)) < 0.5)
    groups = group_rows(rng.integers(0, 12, 60), 60)
    whole = correlations_within_queries(X, groups)
    monkeypatch.setattr(feature_groups, "MAX_BLOCK_VALUES", 16)
    np.testing.assert_allclose(correlations_within_queries(X, groups), whole, rtol=0, atol=1e-14)
    np.testing.assert_allclose(correlations_within_queries(sparse.csr_matrix(X), groups), whole, rtol=0, atol=1e-14)


def test_a_shift_of_a_query_changes_nothing():
    """Features may be large for one query and small for another: only differences within a query order documents."""
    rng = np.random.default_rng(1)
    X, qid = rng.normal(size=(40, 3)), np.repeat(np.arange(8), 5)
    shifted = X + 1000.0 * rng.normal(size=(8, 3))[qid]
    groups = group_rows(qid, 40)
    np.testing.assert_allclose(
        correlations_within_queries(shifted, groups), correlations_within_queries(X, groups), atol=1e-9
    )


def test_constants_and_extreme_values_have_finite_correlations():
    rng = np.random.default_rng(2)
    x = rng.normal(size=50)
    X = np.column_stack([x, 1e150 * x, 1e-150 * x, np.full(50, 0.1), np.repeat([0.1, 0.7], 25), np.full(50, np.nan)])
    found = correlations_within_queries(X, group_rows(np.repeat([0, 1], 25), 50))
    np.testing.assert_allclose(found[:3, :3], 1.0, atol=1e-12)
    assert not found[3:].any()


@given(st.integers(2, 7), st.integers(0, 10**6))
def test_groups_are_those_of_average_linkage(d, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, d)) + 1.5 * rng.normal(size=(30, 1))
    r = np.corrcoef(X, rowvar=False)
    for threshold in (0.6, 0.8):
        assert [group.members for group in group_correlated(r, list("abcdefg"), threshold)] == linked(r, threshold)


def test_features_at_the_threshold_are_grouped():
    r = np.array([[1.0, 0.8], [0.8, 1.0]])
    assert [group.members for group in group_correlated(r, ["a", "b"])] == [(0, 1)]


def test_one_feature_and_no_feature_form_no_group():
    assert group_correlated(np.eye(1), ["a"]) == ()
    assert group_correlated(np.zeros((0, 0)), []) == ()
