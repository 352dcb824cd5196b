"""objective_ − minimum ≤ duality_gap_, in exact arithmetic, also where rounding rules."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from glassrank.core.checks import DataError
from glassrank.ranking.additive_svc import AdditiveSVC
from glassrank.ranking.elm_rank import ELMRank
from glassrank.ranking.rank_svm import RankSVM
from glassrank.ranking.rank_svm_cv import RankSVMCV
from tests.reference.exact_minimum import exact_differences, exact_minimum, exact_value

HUGE = [1e4, 1e6, 1e8, 1e10, 1e12]
both_losses = pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])


def own_features(seed, n_queries=3):
    """Queries with one feature of their own each, of different scale, in part with labels that follow it."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 8, size=n_queries)
    qid = np.repeat(np.arange(n_queries), sizes)
    X = np.zeros((len(qid), n_queries))
    X[np.arange(len(qid)), qid] = rng.normal(size=len(qid)) * (10.0 ** rng.integers(-3, 7, size=n_queries))[qid]
    y = np.argsort(np.argsort(X.sum(axis=1))) if rng.random() < 0.7 else rng.integers(0, 3, size=len(qid))
    y[0], y[1] = 0, 100  # at least one pair
    return X, y.astype(float), qid


def fit(X, y, qid, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return RankSVM(**parameters).fit(X, y, qid=qid)


def assert_certified(model, differences, loss):
    """The promise: what is reported, and the true value at the weights, exceed the minimum by the gap at most."""
    value = exact_value(differences, model.coef_, model.C, loss)
    lowest, gap = exact_minimum(differences, model.C, loss), Fraction(model.duality_gap_)
    assert value - lowest <= gap
    assert abs(Fraction(model.objective_) - lowest) <= gap
    assert model.duality_gap_ <= model.objective_ * (1 + 1e-12)


@both_losses
@pytest.mark.parametrize("C", HUGE)
def test_the_gap_bounds_the_true_excess_at_a_huge_weight_of_the_loss(loss, C):
    for seed in range(12):
        X, y, qid = own_features(seed)
        model = fit(X, y, qid, C=C, loss=loss)
        assert_certified(model, exact_differences(X, y, qid), loss)


@both_losses
@pytest.mark.parametrize("tol", [1e-12, 1e-14])
def test_the_gap_bounds_the_true_excess_at_a_tolerance_near_rounding(loss, tol):
    for seed in range(12):
        X, y, qid = own_features(seed)
        model = fit(X, y, qid, C=10.0, loss=loss, tol=tol)
        assert_certified(model, exact_differences(X, y, qid), loss)


@both_losses
def test_sparse_rows_are_certified_like_dense_ones(loss):
    X, y, qid = own_features(3)
    model = fit(sparse.csr_matrix(X), y, qid, C=1e9, loss=loss)
    assert_certified(model, exact_differences(X, y, qid), loss)


def test_an_objective_that_is_all_rounding_is_reported_as_it_is():
    """The weight 1e-6 leaves a slack of 4.7e-17, times C/3 pairs: thirty times ½w²."""
    X, y = [[0.0], [1e6], [2.5e6]], [0, 1, 2]
    with pytest.warns(ConvergenceWarning, match="certified gap"):
        model = RankSVM(1e6, loss="hinge").fit(X, y)
    differences = exact_differences(X, y, [0, 0, 0])
    assert model.objective_ == pytest.approx(float(exact_value(differences, model.coef_, 1e6, "hinge")), rel=1e-12)
    assert_certified(model, differences, "hinge")


@both_losses
@pytest.mark.parametrize("pair_weight", ["uniform", "label-gap", "ndcg"])
def test_objectives_of_correlated_features_are_those_of_exact_arithmetic(loss, pair_weight):
    """No query has a feature of its own here, so the value alone is compared; all pairs have the same label gap."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(12, 3)) * [0.01, 1.0, 100.0], (np.arange(12) % 2).astype(float)
        for C in HUGE:
            model = fit(X, y, None, C=C, loss=loss, pair_weight=pair_weight)
            expected = float(exact_value(exact_differences(X, y, np.zeros(12)), model.coef_, C, loss))
            assert abs(model.objective_ - expected) <= model.duality_gap_ + 1e-12 * expected


@pytest.mark.parametrize("C", [1e8, 1e12])
def test_fits_with_a_huge_weight_of_the_loss_end_with_finite_weights(C):
    """The Hessian of a narrow smoothing is a difference of large terms, which rounding may turn negative."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n_rows, n_features = int(rng.integers(5, 25)), int(rng.integers(1, 5))
        X = rng.normal(size=(n_rows, n_features)) * 10.0 ** rng.integers(-2, 3, size=n_features)
        y = np.digitize(X.sum(axis=1), [-1.0, 1.0]) if rng.random() < 0.5 else rng.integers(0, 3, n_rows)
        y[:2] = [0, 1]
        model = fit(X, y, None, C=C, loss="hinge")
        assert np.isfinite(model.coef_).all()
        assert 0 <= model.duality_gap_ <= model.objective_ * (1 + 1e-12)


def small_problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    return X, np.digitize(X[:, 0] + 0.3 * rng.normal(size=30), [-0.5, 0.5]).astype(float), np.repeat(np.arange(6), 5)


EVERY_RANKER = [
    RankSVM(),
    RankSVM(loss="hinge"),
    RankSVM(loss="logistic"),
    RankSVM(kernel="lrbf"),
    RankSVM(kernel="lrbf", mode="difference"),
    RankSVMCV(Cs=[1.0]),
    ELMRank(n_nodes=20, random_state=0),
]


@pytest.mark.parametrize("model", [*EVERY_RANKER, AdditiveSVC()], ids=repr)
def test_features_whose_squares_overflow_are_refused_with_the_reason(model):
    """Sigmoid nodes have no squares of features, and saturate."""
    X, y, qid = small_problem()
    y = (y > 0).astype(float) if isinstance(model, AdditiveSVC) else y
    queries = {} if isinstance(model, AdditiveSVC) else {"qid": qid}
    if isinstance(model, ELMRank):
        assert np.isfinite(model.fit(X * 1e154, y, **queries).coef_).all()
        return
    message = (
        r"too large for floats\. Replace the value .*, or standardise the features \(FeatureTransformer\(\)\)"
        if getattr(model, "kernel", "") == "linear"
        else r"'feature \d' are too large or too small for floats: .*, or standardise"
    )
    with pytest.raises(DataError, match=message):
        model.fit(X * 1e154, y, **queries)


@pytest.mark.parametrize("model", [*EVERY_RANKER, AdditiveSVC()], ids=repr)
def test_weights_whose_products_overflow_are_refused_with_the_reason(model):
    X, y, qid = small_problem()
    y = (y > 0).astype(float) if isinstance(model, AdditiveSVC) else y
    queries = {} if isinstance(model, AdditiveSVC) else {"qid": qid}
    with pytest.raises(DataError, match=r"sample_weight must be at most 1e\+50: got 1e\+160 at position 0"):
        model.fit(X, y, sample_weight=np.full(30, 1e160), **queries)


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge", "logistic"])
def test_a_loss_too_heavy_for_its_square_is_refused(loss):
    X, y, qid = small_problem()
    with pytest.raises(DataError, match="too large for floats"):
        RankSVM(1e200, loss=loss).fit(X, y, qid=qid)


@pytest.mark.parametrize("model", EVERY_RANKER[:-1], ids=repr)
@pytest.mark.parametrize("pair_weight", ["uniform", "query", "label-gap"])
def test_labels_of_1e_minus_300_rank_like_any_others(model, pair_weight):
    X, y, qid = small_problem()
    model.set_params(pair_weight=pair_weight)
    tiny, plain = (model.fit(X, y * unit, qid=qid).decide_pairs(X[:5], X[5:10]) for unit in (2.0**-1000, 1.0))
    np.testing.assert_allclose(tiny, plain, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("C", [1.0, 1e3, 1e6])
def test_the_gap_of_the_logistic_loss_covers_features_of_any_scale(C):
    """A solution at a tighter tolerance, and points around it, lie no deeper than the gap allows."""
    rng = np.random.default_rng(4)
    X, y, qid = (rng.normal(size=(60, 3)) + 5) * [1e-3, 1.0, 1e6], rng.integers(0, 3, 60), np.repeat(np.arange(6), 10)
    model = fit(X, y, qid, C=C, loss="logistic")
    better = fit(X, y, qid, C=C, loss="logistic", tol=1e-14)
    assert model.duality_gap_ <= 1e-6 * model.objective_
    deltas = np.array([[float(entry) for entry in delta] for delta in exact_differences(X, y, qid)])
    for w in (better.coef_, *(better.coef_ * (1 + size * rng.normal(size=3)) for size in (1e-12, 1e-9, 1e-6))):
        value = 0.5 * w @ w + C * np.logaddexp(0.0, -deltas @ w).mean()
        assert model.objective_ - model.duality_gap_ <= value * (1 + 1e-13)
