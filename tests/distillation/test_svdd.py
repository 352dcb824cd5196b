"""SVDD: the smallest sphere as a scikit-learn estimator."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.svm import OneClassSVM
from sklearn.utils.estimator_checks import parametrize_with_checks

from glassrank.core.checks import DataError
from glassrank.distillation.svdd import SVDD
from tests.estimator_checks import assert_passes
from tests.reference.sphere import best_weights, composite, cosines, distances


@parametrize_with_checks([SVDD(), SVDD(kernel="rbf")])
def test_scikit_learns_checks_pass(estimator, check):
    assert_passes(check, estimator)


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(0).normal(size=(90, 3)) * [1.0, 2.0, 0.5] + [5.0, 0.0, -2.0]


@pytest.fixture(scope="module")
def new_rows():
    return np.random.default_rng(1).normal(size=(25, 3)) * 2 + [5.0, 0.0, -2.0]


def quadratic(X, Y):
    """A user-defined kernel whose diagonal is not constant."""
    return (X @ Y.T + 1) ** 2


GRAMS = {
    "linear": lambda X, Y: X @ Y.T,
    "rbf": lambda X, Y: np.exp(-0.3 * cdist(X, Y, "sqeuclidean")),
    "callable": quadratic,
}


def model_of(kernel, **options):
    return SVDD(kernel=quadratic if kernel == "callable" else kernel, gamma=0.3, **options)


@pytest.mark.parametrize("kernel", GRAMS)
def test_a_kernel_by_name_is_its_gram_matrix_precomputed(kernel, rows, new_rows):
    gram = GRAMS[kernel]
    by_name = model_of(kernel).fit(rows)
    by_gram = SVDD(kernel="precomputed").fit(gram(rows, rows))
    assert by_name.objective_ == pytest.approx(by_gram.objective_, rel=1e-9)
    assert by_name.radius_ == pytest.approx(by_gram.radius_, rel=1e-5)
    own = np.diagonal(gram(new_rows, new_rows))
    expected = by_gram.score_samples(gram(new_rows, rows), diagonal=own)
    np.testing.assert_allclose(by_name.score_samples(new_rows), expected, rtol=1e-4, atol=1e-6)


def test_small_data_have_the_brute_force_sphere(rows):
    X = rows[:6]
    alpha, value = best_weights(X @ X.T, 0.4)
    model = SVDD(C=0.4).fit(X)
    assert model.objective_ == pytest.approx(value, abs=1e-10)
    np.testing.assert_allclose(-model.score_samples(X), distances(X @ X.T, alpha), atol=1e-5)


def test_with_a_gaussian_kernel_decisions_equal_those_of_a_one_class_svm(rows, new_rows):
    ours = SVDD(nu=0.2, kernel="rbf", gamma=0.3, radius_tol=0.0).fit(rows)
    peer = OneClassSVM(nu=0.2, kernel="rbf", gamma=0.3, tol=1e-10).fit(rows)
    outputs = peer.decision_function(new_rows)
    clear = np.abs(outputs) > 1e-6
    np.testing.assert_array_equal(ours.predict(new_rows)[clear], np.sign(outputs)[clear])
    peer_alpha = np.zeros(90)
    peer_alpha[peer.support_] = peer.dual_coef_[0] / peer.dual_coef_[0].sum()
    K = GRAMS["rbf"](rows, rows)
    assert ours.objective_ == pytest.approx(1 - peer_alpha @ K @ peer_alpha, rel=1e-10)


def test_on_a_raw_composite_kernel_a_one_class_svm_decides_differently():
    K = composite(300, 1)
    ours = SVDD(nu=0.3, kernel="precomputed").fit(K).predict(K, diagonal=np.diagonal(K))
    theirs = OneClassSVM(nu=0.3, kernel="precomputed", tol=1e-10).fit(K).predict(K)
    assert (ours == theirs).mean() < 0.7


def test_gamma_scale_is_scikit_learns(rows):
    scaled, given = SVDD(kernel="rbf").fit(rows), SVDD(kernel="rbf", gamma=1 / (3 * rows.var())).fit(rows)
    assert scaled.objective_ == given.objective_


def test_nu_bounds_the_shares_outside_and_of_support():
    K = cosines(400, 2, n_words=30)
    for nu in (0.05, 0.2, 0.6):
        model = SVDD(nu=nu, kernel="precomputed").fit(K)
        assert (model.predict(K) == -1).mean() <= nu
        assert len(model.support_) >= nu * 400 - 1e-9
        assert model.dual_coef_.shape == (1, len(model.support_))
        assert model.dual_coef_.sum() == pytest.approx(1.0)
        assert model.dual_coef_.max() <= 1 / (nu * 400) * (1 + 1e-12)


def test_the_radius_is_a_distance_and_not_its_square():
    model = SVDD(C=1.0).fit([[0.0], [10.0]])
    assert model.radius_ == pytest.approx(5.0)
    assert model.radius_interval_ == (model.radius_, model.radius_)


def test_c_of_one_over_n_makes_the_mean_the_centre(rows):
    model = SVDD(C=1 / 90).fit(rows)
    squared = ((rows - rows.mean(axis=0)) ** 2).sum(axis=1)
    np.testing.assert_allclose(-model.score_samples(rows), squared, rtol=1e-9, atol=1e-9)
    assert model.radius_interval_[0] == 0.0
    assert model.radius_ == pytest.approx(np.sqrt(squared.min() / 2))
    np.testing.assert_allclose(SVDD(nu=1.0).fit(rows).score_samples(rows), model.score_samples(rows))


def test_data_far_from_the_origin_have_the_same_sphere(rows):
    near, far = SVDD().fit(rows), SVDD().fit(rows + 1e6)
    assert far.radius_ == pytest.approx(near.radius_, rel=1e-6)
    np.testing.assert_array_equal(far.predict(rows + 1e6), near.predict(rows))


def test_new_rows_of_a_gram_matrix_need_their_diagonal_if_it_varies():
    K = composite(50, 0)
    model = SVDD(kernel="precomputed").fit(K)
    with pytest.raises(DataError, match=r"diagonal must be given, K\(z, z\) of each row: .* predict\(K, diagonal"):
        model.predict(K)
    with pytest.raises(DataError, match="diagonal must have one entry per row of X: expected 50, got 3"):
        model.predict(K, diagonal=[1.0, 2.0, 3.0])
    np.testing.assert_array_equal(model.predict(K, diagonal=np.diagonal(K)), SVDD(kernel="precomputed").fit_predict(K))


def test_a_constant_diagonal_may_be_omitted():
    K = cosines(50, 0)
    model = SVDD(kernel="precomputed").fit(K)
    np.testing.assert_array_equal(model.score_samples(K), model.score_samples(K, diagonal=np.ones(50)))


def test_a_diagonal_for_a_kernel_that_computes_it_is_refused(rows):
    with pytest.raises(DataError, match="diagonal is for kernel='precomputed': this SVDD computes it"):
        SVDD().fit(rows).predict(rows, diagonal=np.ones(90))


def test_many_pages_lie_on_the_sphere_and_are_accepted():
    K = cosines(200, 0)
    model = SVDD(kernel="precomputed").fit(K)
    strict = clone(model).set_params(radius_tol=0.0).fit(K)
    on_sphere = np.abs(model.score_samples(K) + model.radius_**2) < 1e-6
    assert on_sphere.mean() > 0.5
    assert (model.predict(K)[on_sphere] == 1).all()
    assert (strict.predict(K)[on_sphere] == -1).any()


def test_an_early_stop_warns_with_the_gap(rows):
    with pytest.warns(ConvergenceWarning, match=r"SVDD stopped after 3 steps with a duality gap of .* Raise max_iter"):
        SVDD(max_iter=3).fit(rows)


def test_it_predicts_only_after_fit(rows):
    with pytest.raises(NotFittedError):
        SVDD().predict(rows)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"C": 0.001}, r"C must be at least 1/N = 0\.0111111 for N = 90 pages"),
        ({"nu": 1.1}, "nu must be at most 1, .*: got 1.1"),
        ({"nu": -1}, "nu must be a positive number"),
        ({"kernel": "poly"}, "kernel must be one of 'linear', 'rbf', 'precomputed': got 'poly'"),
        ({"gamma": "auto"}, "gamma must be a positive number: got 'auto'"),
        ({"radius_tol": -1e-3}, "radius_tol must be a number of at least 0"),
        ({"tol": 0.0}, "tol must be a positive number"),
        ({"max_iter": 0}, "max_iter must be a positive whole number"),
        ({"kernel": "precomputed"}, "K must be square"),
        ({"kernel": lambda X, Y: X}, r"kernel\(X, Y\) must return one row per row of X .*: expected shape \(90, 90\)"),
    ],
    ids=["C", "nu", "negative-nu", "kernel", "gamma", "radius_tol", "tol", "max_iter", "not-square", "callable"],
)
def test_parameters_that_make_no_sense_are_refused(rows, options, message):
    with pytest.raises(DataError, match=message):
        SVDD(**options).fit(rows)
