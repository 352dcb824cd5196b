"""Naive Bayes by the paper's equations 3 to 6, worked out by hand."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from glassrank.core.checks import DataError
from glassrank.navigational.naive_bayes import NaiveBayes, read_naive_bayes
from tests.estimator_checks import assert_passes

# Scaled to [0, 1]: first feature 0, 1/2, 1, 1; second 1, 1, 0, 1/4.
X = np.array([[2.0, 9.0], [4.0, 9.0], [6.0, 1.0], [6.0, 3.0]])
Y = np.array(["informational", "informational", "informational", "navigational"])


@parametrize_with_checks([NaiveBayes(), NaiveBayes("categorical", prior="uniform")])
def test_scikit_learns_checks_pass(estimator, check):
    assert_passes(check, estimator)


def test_the_multinomial_model_is_equation_6_worked_by_hand():
    # N_yj: informational 0 + 1/2 + 1 = 3/2 and 1 + 1 + 0 = 2; navigational 1 and 1/4; K = 2, add one.
    p_informational = np.array([(1.5 + 1) / (3.5 + 2), (2 + 1) / (3.5 + 2)])
    p_navigational = np.array([(1 + 1) / (1.25 + 2), (0.25 + 1) / (1.25 + 2)])
    # The row (5, 5) is scaled to (3/4, 1/2).
    scaled = np.array([0.75, 0.5])
    joint = np.array([3 / 4 * np.prod(p_informational**scaled), 1 / 4 * np.prod(p_navigational**scaled)])
    model = NaiveBayes().fit(X, Y)
    assert model.predict_proba([[5.0, 5.0]])[0] == pytest.approx(joint / joint.sum(), rel=1e-12)


def test_a_uniform_prior_uses_only_the_likelihoods():
    by_shares, uniform = (
        NaiveBayes(prior=prior).fit(X, Y).predict_proba([[5.0, 5.0]])[0] for prior in ("map", "uniform")
    )
    # Equation 4 is equation 5 times P(y) = 3/4, 1/4.
    weighted = uniform * [3 / 4, 1 / 4]
    assert by_shares == pytest.approx(weighted / weighted.sum(), rel=1e-12)


def test_the_categorical_model_counts_rows_by_interval():
    rows = np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0], [8.0]])
    classes = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    model = NaiveBayes("categorical").fit(rows, classes)
    assert [cuts.tolist() for cuts in model.cut_points_] == [[4.5]]
    # Below the cut: all four of class 0 and none of class 1; two intervals, add one.
    below = np.array([(4 + 1) / (4 + 2), (0 + 1) / (4 + 2)])
    assert model.predict_proba([[0.0]])[0] == pytest.approx(below / below.sum(), rel=1e-12)


def test_values_beyond_the_training_range_are_clipped():
    model = NaiveBayes().fit(X, Y)
    assert model.predict_proba([[99.0, -5.0]]).tolist() == model.predict_proba([[6.0, 1.0]]).tolist()


def test_a_feature_without_a_cut_has_no_effect():
    model = NaiveBayes("categorical").fit(np.arange(8.0).reshape(-1, 1), [0, 1] * 4)
    assert model.predict_proba([[3.0]])[0] == pytest.approx([0.5, 0.5], rel=1e-12)


@pytest.mark.parametrize("model", ["multinomial", "categorical"])
def test_its_curves_add_up_to_the_log_odds(model):
    rng = np.random.default_rng(1)
    rows, classes = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
    rows[:, 1] += 2 * classes
    fitted = NaiveBayes(model).fit(rows, classes)
    others = 2 * rng.normal(size=(30, 3))
    wanted = np.diff(fitted.predict_log_proba(others), axis=1).ravel()
    terms = fitted.additive_terms()
    added = terms.constant + sum(curve(column) for curve, column in zip(terms.curves, others.T, strict=True))
    assert added == pytest.approx(wanted, rel=1e-9, abs=1e-12)
    assert read_naive_bayes(fitted)(others) == pytest.approx(wanted, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(("name", "value"), [("model", "gaussian"), ("prior", "flat"), ("smoothing", 0)])
def test_an_unknown_parameter_is_refused_by_name(name, value):
    with pytest.raises(DataError, match=f"{name} must be"):
        NaiveBayes(**{name: value}).fit(X, Y)
