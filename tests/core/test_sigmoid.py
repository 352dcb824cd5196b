"""The sigmoid fit finds the maximum of the likelihood for any outputs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.calibration import _SigmoidCalibration

from glassrank import DataError
from glassrank.core.sigmoid import Sigmoid, fit_sigmoid
from tests.reference.sigmoid import likelihood_derivatives, negative_log_likelihood


def simulated_outputs(seed, n=200, slope=-1.3, offset=0.4):
    """Outputs whose positives are drawn with the probability of a known sigmoid."""
    rng = np.random.default_rng(seed)
    outputs = rng.normal(scale=2.0, size=n)
    return outputs, rng.random(n) < 1.0 / (1.0 + np.exp(slope * outputs + offset))


def by_scipy(outputs, positive, weights=None, n_parameters=2):
    arguments = (outputs, positive, weights)
    return minimize(
        lambda p: likelihood_derivatives(p, *arguments)[0],
        np.zeros(n_parameters),
        jac=lambda p: likelihood_derivatives(p, *arguments)[1],
        hess=lambda p: likelihood_derivatives(p, *arguments)[2],
        method="trust-exact",
        options={"gtol": 1e-11},
    ).x


@pytest.mark.parametrize("seed", range(5))
def test_the_fit_equals_a_general_minimisation_of_the_likelihood(seed):
    outputs, positive = simulated_outputs(seed)
    fitted = fit_sigmoid(outputs, positive)
    np.testing.assert_allclose([fitted.slope, fitted.offset], by_scipy(outputs, positive), rtol=0, atol=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_without_offset_the_fit_equals_a_general_minimisation_of_the_slope(seed):
    outputs, positive = simulated_outputs(seed, offset=0.0)
    fitted = fit_sigmoid(outputs, positive, fit_offset=False)
    np.testing.assert_allclose(fitted.slope, by_scipy(outputs, positive, n_parameters=1)[0], rtol=0, atol=1e-8)
    assert fitted.offset == 0.0


@pytest.mark.parametrize("fit_offset", [True, False])
def test_weights_enter_likelihood_and_targets(fit_offset):
    outputs, positive = simulated_outputs(3)
    weights = np.random.default_rng(0).random(len(outputs))
    fitted = fit_sigmoid(outputs, positive, weights, fit_offset=fit_offset)
    expected = by_scipy(outputs, positive, weights, n_parameters=1 + fit_offset)
    np.testing.assert_allclose([fitted.slope, fitted.offset][: 1 + fit_offset], expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize("fit_offset", [True, False])
def test_integer_weights_equal_repeated_outputs(fit_offset):
    outputs, positive = simulated_outputs(1, n=60)
    weights = np.random.default_rng(1).integers(0, 4, size=60)
    weighted = fit_sigmoid(outputs, positive, weights.astype(float), fit_offset=fit_offset)
    repeated = fit_sigmoid(np.repeat(outputs, weights), np.repeat(positive, weights), fit_offset=fit_offset)
    assert weighted.slope == pytest.approx(repeated.slope, rel=1e-10)
    assert weighted.offset == pytest.approx(repeated.offset, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_the_fit_equals_scikit_learns(seed):
    """Its optimiser stops at a gradient of 1e-6, which limits the agreement."""
    outputs, positive = simulated_outputs(seed)
    theirs = _SigmoidCalibration().fit(outputs, positive.astype(int))
    ours = fit_sigmoid(outputs, positive)
    np.testing.assert_allclose([ours.slope, ours.offset], [theirs.a_, theirs.b_], rtol=0, atol=1e-6)
    np.testing.assert_allclose(ours(outputs), theirs.predict(outputs), rtol=0, atol=1e-6)
    value = negative_log_likelihood(ours.slope, ours.offset, outputs, positive)
    assert value <= negative_log_likelihood(theirs.a_, theirs.b_, outputs, positive) + 1e-12


def test_a_better_first_pair_is_the_same_as_both_its_orientations():
    """Each pair in both orientations with N₊ = N₋ = N has the same likelihood, twice."""
    outputs = np.abs(simulated_outputs(0)[0]) * np.where(np.random.default_rng(0).random(200) < 0.8, 1, -1)
    once = fit_sigmoid(outputs, np.ones(200, dtype=bool), fit_offset=False)
    both = fit_sigmoid(np.append(outputs, -outputs), np.repeat([True, False], 200), fit_offset=False)
    free = fit_sigmoid(np.append(outputs, -outputs), np.repeat([True, False], 200), fit_offset=True)
    assert once.slope == pytest.approx(both.slope, rel=1e-12)
    assert free.slope == pytest.approx(both.slope, rel=1e-9)
    assert free.offset == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_a_known_slope_and_offset_are_recovered(seed):
    outputs, positive = simulated_outputs(seed, n=40_000, slope=-0.8, offset=0.5)
    fitted = fit_sigmoid(outputs, positive)
    errors = np.sqrt(np.diag(np.linalg.inv(likelihood_derivatives([-0.8, 0.5], outputs, positive)[2])))
    np.testing.assert_array_less(np.abs([fitted.slope + 0.8, fitted.offset - 0.5]), 4 * errors)


def test_separable_outputs_reach_the_targets():
    """Two outputs ±1: both targets are met exactly, log-odds = log((N + 1)/1) for N = 100 on each side."""
    outputs, positive = np.repeat([1.0, -1.0], 100), np.repeat([True, False], 100)
    fitted = fit_sigmoid(outputs, positive)
    assert fitted.slope == pytest.approx(-np.log(101.0), rel=1e-9)
    assert fitted.offset == pytest.approx(0.0, abs=1e-9)
    assert fit_sigmoid(outputs, positive, fit_offset=False).slope == pytest.approx(-np.log(101.0), rel=1e-9)


@pytest.mark.parametrize("unit", [1e-150, 1e-9, 1.0, 1e9, 1e150])
def test_the_unit_of_the_outputs_does_not_matter(unit):
    outputs, positive = simulated_outputs(2)
    plain, scaled = fit_sigmoid(outputs, positive), fit_sigmoid(unit * outputs, positive)
    assert scaled.slope * unit == pytest.approx(plain.slope, rel=1e-9)
    assert scaled.offset == pytest.approx(plain.offset, rel=1e-9)


def test_a_common_shift_of_the_outputs_goes_into_the_offset():
    outputs, positive = simulated_outputs(2)
    plain, shifted = fit_sigmoid(outputs, positive), fit_sigmoid(outputs + 1e5, positive)
    np.testing.assert_allclose(shifted(outputs + 1e5), plain(outputs), rtol=0, atol=1e-9)


finite = st.floats(-1e100, 1e100, allow_subnormal=False).map(lambda f: 0.0 if abs(f) < 1e-100 else f)


@settings(deadline=None)
@given(st.lists(st.tuples(finite, st.booleans()), min_size=1, max_size=30), st.booleans())
def test_any_finite_outputs_have_a_finite_fit_with_probabilities_inside_the_unit_interval(rows, fit_offset):
    outputs, positive = np.array([f for f, _ in rows]), np.array([yes for _, yes in rows])
    fitted = fit_sigmoid(outputs, positive, fit_offset=fit_offset)
    probabilities = fitted(outputs)
    assert np.isfinite([fitted.slope, fitted.offset]).all()
    assert ((probabilities >= 0) & (probabilities <= 1)).all()


@settings(deadline=None)
@given(st.floats(-1e300, 1e300), st.floats(-50, 50))
def test_without_offset_opposite_outputs_have_probabilities_that_add_up_to_one_exactly(output, slope):
    sigmoid = Sigmoid(slope)
    assert sigmoid(np.array([output]))[0] + sigmoid(np.array([-output]))[0] == 1.0


def test_extreme_probabilities_stay_in_the_unit_interval():
    outputs = np.array([-1e308, -1e4, 0.0, 1e4, 1e308])
    assert Sigmoid(-1.0)(outputs).tolist() == [0.0, 0.0, 0.5, 1.0, 1.0]


def test_equal_outputs_contain_no_information():
    positive = np.array([True, True, True, False])
    fitted = fit_sigmoid(np.full(4, 0.1), positive)
    # The mean of the targets 4/5, 4/5, 4/5 and 1/3.
    assert fitted.slope == 0.0
    assert fitted(np.array([7.0]))[0] == pytest.approx((3 * 4 / 5 + 1 / 3) / 4, rel=1e-12)
    assert fit_sigmoid(np.zeros(4), positive, fit_offset=False) == Sigmoid(0.0, 0.0)


@pytest.mark.parametrize("n", [0, 3])
def test_outputs_without_weight_are_rejected(n):
    with pytest.raises(DataError, match=f"positive weight: got {n} outputs"):
        fit_sigmoid(np.zeros(n), np.zeros(n, dtype=bool), np.zeros(n))
