"""Tables of curves: the stated error holds everywhere, with as few pieces as theory says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassrank.core.additive.curves import Affine, ComposedCurve, GaussianCurve, MissingCurve, SumCurve
from glassrank.core.additive.effects import LinearCurve
from glassrank.core.checks import DataError
from glassrank.core.column_transforms import LogTransform, QuantileTransform
from glassrank.export.curve_kinks import kinks
from glassrank.export.curve_tables import MAX_KNOTS, tabulate, tabulate_steps
from glassrank.export.export_form import CurveTerm, StepTerm

BUMP = GaussianCurve(1.0, np.array([0.0]), np.array([1.0]))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def everywhere(low, high, *places, seed=0):
    """A dense grid, random points, points that crowd towards 0, and neighbours of special places."""
    random = np.random.default_rng(seed).uniform(low, high, 20_000)
    tiny = np.geomspace(1e-30, max(abs(low), abs(high)), 2_000)
    special = np.concatenate([np.zeros(1), *places])
    near = [special, np.nextafter(special, -np.inf), np.nextafter(special, np.inf)]
    points = np.concatenate([np.linspace(low, high, 100_001), random, tiny, -tiny, *near])
    points = points[(points == 0) | (np.abs(points) > 1e-300)]
    return points[(points >= low) & (points <= high)]


def largest_error(curve, knots, values, low, high):
    points = everywhere(low, high, knots)
    return np.abs(np.interp(points, knots, values) - curve(points)).max()


# Segments of the best interpolation, K = I/√(8ε) with I = ∫√|g″| = 3.96 for the bump and 2.40 for the sigmoid.
@pytest.mark.parametrize(("curve", "integral"), [(BUMP, 3.96), (sigmoid, 2.40)])
@pytest.mark.parametrize("allowed", [1e-2, 1e-3, 1e-4])
def test_a_curve_has_as_few_segments_as_theory_says(curve, integral, allowed):
    low, high = (-6.0, 6.0) if curve is BUMP else (-14.0, 14.0)
    knots, values, error = tabulate(curve, low, high, allowed, "x")
    theory = integral / np.sqrt(8 * allowed)
    assert 0.75 * theory <= len(knots) - 1 <= 1.2 * theory + 2
    assert largest_error(curve, knots, values, low, high) <= error <= allowed


@pytest.mark.parametrize("allowed", [1e-2, 1e-3])
def test_steps_are_as_few_as_the_variation_says(allowed):
    # A bump rises and falls by 1, and each step spans 2ε.
    thresholds, levels, error = tabulate_steps(BUMP, -6.0, 6.0, allowed, "x")
    assert 1 / allowed <= len(levels) <= 1.25 / allowed + 2
    points = everywhere(-6.0, 6.0, thresholds)
    steps = StepTerm(0, None, thresholds, levels)(points)
    assert np.abs(steps - BUMP(points)).max() <= error <= allowed


def test_a_straight_line_has_two_knots():
    knots, values, error = tabulate(lambda x: 3 * x - 1, -2.0, 5.0, 1e-6, "x")
    assert knots.tolist() == [-2.0, 5.0]
    assert values.tolist() == [-7.0, 14.0]
    assert error < 1e-12


@pytest.mark.parametrize("place", [0.3, 0.0, 1e-20, 1.0 / 3.0])
def test_a_jump_is_two_neighbouring_knots(place):
    def curve(x):
        return np.where(x <= place, 1.0, 2.0) + 0.1 * x

    knots, values, error = tabulate(curve, -1.0, 2.0, 1e-3, "x")
    assert largest_error(curve, knots, values, -1.0, 2.0) <= error <= 1e-3
    assert len(knots) <= 6
    term = CurveTerm(0, None, knots, values)
    np.testing.assert_allclose(term(np.array([place, place + 0.01])), curve(np.array([place, place + 0.01])), atol=1e-3)


@pytest.mark.parametrize("shift", [0.0, 1e-4, 0.123456])
def test_a_narrow_peak_is_not_missed_between_samples(shift):
    # Its width is a thousandth of the distance between two first samples.
    peak = GaussianCurve(1e10, np.array([0.5 + shift]), np.array([1.0]))
    for curve, low, high in (
        (peak, 0.0, 1.0),
        (SumCurve((peak, LinearCurve(0.5))), 0.0, 1.0),
        (MissingCurve(peak, 0.2, 1.0), 0.0, 1.0),
        (ComposedCurve(Affine(-2.0, 1.0), peak), 0.0, 0.5),
        (ComposedCurve(LogTransform(1.0), peak), 0.0, 1.0),
    ):
        knots, values, error = tabulate(curve, low, high, 1e-3, "x")
        assert np.abs(values).max() > 0.7
        assert largest_error(curve, knots, values, low, high) <= error <= 1e-3


def test_curves_of_logarithms_over_many_orders_of_magnitude_keep_their_error():
    bumps = GaussianCurve(0.5, np.array([-1.0, 2.0]), np.array([3.0, -2.0]))
    curve = ComposedCurve(LogTransform(1e-3, 5.0, 2.0), bumps)
    knots, values, error = tabulate(curve, 0.0, 1e9, 1e-3, "x")
    assert largest_error(curve, knots, values, 0.0, 1e9) <= error <= 1e-3
    assert len(knots) < 250


def test_the_knots_of_a_quantile_transform_are_kinks():
    transform = QuantileTransform(np.array([0.0, 1.0, 1.0001, 50.0]), np.array([-1.0, 0.0, 0.5, 1.0]))
    curve = ComposedCurve(transform, GaussianCurve(1.0, np.array([0.25]), np.array([1.0])))
    assert kinks(curve, 0.0, 100.0).tolist() == pytest.approx([0.0, 1.0, 1.00005, 1.0001, 50.0])
    knots, values, error = tabulate(curve, 0.0, 100.0, 1e-4, "x")
    assert largest_error(curve, knots, values, 0.0, 100.0) <= error <= 1e-4


@given(
    st.lists(st.tuples(st.floats(-1, 1), st.floats(-3, 3)), min_size=1, max_size=6),
    st.floats(-1, 5),
    st.sampled_from([1e-2, 1e-4]),
    st.sampled_from([1e-6, 1.0, 1e6]),
)
def test_the_stated_error_holds_for_sums_of_gaussians(bumps, log_gamma, allowed, unit):
    nodes, weights = np.array(bumps).T
    curve = ComposedCurve(Affine(1 / unit), GaussianCurve(10**log_gamma, nodes, weights))
    knots, values, error = tabulate(curve, -3 * unit, 3 * unit, allowed, "x")
    assert (np.diff(knots) > 0).all()
    assert largest_error(curve, knots, values, -3 * unit, 3 * unit) <= error * (1 + 1e-9) + 1e-15
    assert error <= allowed


def test_a_curve_that_needs_too_many_knots_is_refused():
    with pytest.raises(DataError, match=f"'rank' needs more than {MAX_KNOTS:,} pieces for an error of 1e-06") as caught:
        tabulate(lambda x: np.sin(1000 * x), 0.0, 6.0, 1e-6, "rank")
    assert "max_error" in caught.value.remedy


def test_a_curve_that_is_undefined_somewhere_is_refused():
    with pytest.raises(DataError, match="The curve of 'delta' has no finite value at -3"):
        tabulate(np.log1p, -3.0, 2.0, 1e-3, "delta")
