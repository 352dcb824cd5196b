"""AdditiveEffects against hand arithmetic and plain loops."""

import numpy as np
import pytest
from scipy import sparse

from glassrank.core.checks import DataError
from glassrank.core.effects import AdditiveEffects, FeatureEffect, LinearCurve, ObservedValues, linear_effects
from glassrank.core.groups import group_rows

NAMES = ("bm25", "age", "clicks")
SLOPES = np.array([2.0, -0.5, 0.0])


@pytest.fixture(name="X")
def training_rows():
    return np.random.default_rng(0).normal(size=(30, 3)) * [1.0, 100.0, 3.0]


@pytest.fixture
def effects(X):
    return linear_effects(NAMES, SLOPES, ObservedValues.of(X), "score")


def square(values):
    return np.asarray(values) ** 2


def test_contributions_and_intercept_add_up_to_the_linear_model(X, effects):
    np.testing.assert_allclose(effects.total(X), X @ SLOPES, rtol=0, atol=1e-11)
    np.testing.assert_allclose(effects.intercept + effects.contributions(X).sum(axis=1), X @ SLOPES, rtol=0, atol=1e-11)


def test_new_rows_add_up_too(effects):
    rows = np.random.default_rng(1).normal(size=(10, 3)) * 1000
    np.testing.assert_allclose(effects.total(rows), rows @ SLOPES, rtol=0, atol=1e-9)


def test_effects_of_the_training_rows_have_mean_zero(X, effects):
    np.testing.assert_allclose(effects.contributions(X).mean(axis=0), 0, atol=1e-12)
    for k, feature in enumerate(effects.features):
        assert feature(np.array([X[:, k].mean()]))[0] == pytest.approx(0, abs=1e-12)


def test_a_feature_knows_its_name_and_its_observed_range(X, effects):
    assert effects.names == NAMES
    assert effects.unit == "score"
    for k, feature in enumerate(effects.features):
        assert (feature.low, feature.high) == (X[:, k].min(), X[:, k].max())
        assert feature.centre == pytest.approx(X[:, k].mean(), rel=1e-12)


def test_two_features_by_hand():
    """2·(4 − 1) = 6 and 3² − 2² = 5; with the intercept 10 the total is 21."""
    effects = AdditiveEffects(
        (FeatureEffect("a", LinearCurve(2.0), 0.0, 5.0, 1.0), FeatureEffect("b", square, -3.0, 3.0, 2.0)), 10.0, "logit"
    )
    assert effects.contributions(np.array([[4.0, 3.0], [1.0, 2.0]])).tolist() == [[6.0, 5.0], [0.0, 0.0]]
    assert effects.total(np.array([[4.0, 3.0], [1.0, 2.0]])).tolist() == [21.0, 10.0]


def test_sparse_rows_have_the_effects_of_dense_rows(X):
    thin = np.where(np.random.default_rng(2).random(X.shape) < 0.7, 0.0, X)
    rows = sparse.csr_matrix(thin)
    dense = linear_effects(NAMES, SLOPES, ObservedValues.of(thin), "score")
    compressed = linear_effects(NAMES, SLOPES, ObservedValues.of(rows), "score")
    np.testing.assert_allclose(compressed.contributions(rows), dense.contributions(thin), rtol=0, atol=1e-12)
    for a, b in zip(compressed.features, dense.features, strict=True):
        assert (a.low, a.high) == (b.low, b.high)
        assert a.centre == pytest.approx(b.centre, rel=1e-12)


def test_length_is_the_median_over_queries_of_the_spread_of_effects(X, effects):
    qid = np.random.default_rng(3).integers(6, size=30)
    spreads = [np.ptp(X[qid == query] * SLOPES, axis=0) for query in np.unique(qid)]
    lengths = effects.lengths(X, group_rows(qid, 30))
    np.testing.assert_allclose(lengths, np.median(spreads, axis=0), rtol=1e-12)
    assert lengths[2] == 0.0


def test_length_by_hand():
    """Effects 2·x: query a spreads by 6, query b by 0, query c by 2; the median is 2."""
    effects = linear_effects(("a",), np.array([2.0]), ObservedValues.of(np.arange(6.0)[:, None]), "score")
    rows = np.array([[0.0], [5.0], [3.0], [1.0], [7.0], [8.0]])
    assert effects.lengths(rows, group_rows(["a", "b", "a", "a", "c", "c"], 6)).tolist() == [2.0]


def test_one_query_without_identifiers_has_the_full_spread(X, effects):
    np.testing.assert_allclose(effects.lengths(X, group_rows(None, 30)), np.ptp(X * SLOPES, axis=0), rtol=1e-12)


def test_rows_with_another_number_of_columns_are_refused(effects):
    with pytest.raises(DataError, match=r"one column per effect: expected 3, got 2"):
        effects.contributions(np.zeros((5, 2)))
