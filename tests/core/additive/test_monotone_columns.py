"""Monotone columns and their curves against formulas for one value at a time."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from glassrank.core.additive.curves import PiecewiseLinearCurve
from glassrank.core.additive.monotone_columns import MonotoneColumns, monotone_columns
from glassrank.core.checks import DataError
from glassrank.core.groups import group_rows
from glassrank.core.pairs.compared_rows import ComparedRows
from glassrank.core.pairs.newton import minimise
from glassrank.core.pairs.objectives import SquaredHingePairs
from tests.reference import monotone as twin

sixty_examples = settings(max_examples=60, deadline=None)
both_directions = pytest.mark.parametrize("direction", [1, -1])


@st.composite
def features(draw):
    """Values of one feature, many of them equal, on any scale, with positive weights."""
    unit = draw(st.sampled_from([1e-150, 1e-3, 1.0, 1e6, 1e70]))
    values = draw(
        arrays(float, st.integers(1, 40), elements=st.sampled_from([0.0, 0.0, 0.0, 1.0, 2.5]) | st.floats(-9, 9))
    )
    weights = draw(st.none() | arrays(float, len(values), elements=st.sampled_from([0.5, 1.0, 4.0])))
    return unit * np.round(values, 3), weights


@both_directions
@sixty_examples
@given(features(), st.integers(2, 8))
def test_columns_equal_one_ramp_at_a_time(direction, feature, n_knots):
    values, weights = feature
    columns = monotone_columns(values, weights, direction, n_knots)
    places = np.concatenate([values, columns.knots, [values.min() - 1.0, values.max() + 1.0]])
    expected = [twin.monotone_row(x, columns.knots, direction, columns.spread) for x in places]
    made = columns(places)
    assert made.shape == (len(places), columns.n_columns)
    np.testing.assert_allclose(made, np.reshape(expected, made.shape), rtol=1e-12, atol=0)


@both_directions
@sixty_examples
@given(features(), st.integers(2, 8), st.integers(0, 100))
def test_the_curve_is_the_sum_of_the_weighted_columns(direction, feature, n_knots, seed):
    values, weights = feature
    columns = monotone_columns(values, weights, direction, n_knots)
    w = np.random.default_rng(seed).normal(size=columns.n_columns)
    size = np.abs(columns.heights) @ np.abs(w)
    np.testing.assert_allclose(columns.curve(w)(values), columns(values) @ w, rtol=0, atol=1e-12 * size)


@both_directions
@sixty_examples
@given(features(), st.integers(2, 8), st.integers(0, 100))
def test_nonnegative_weights_make_a_monotone_curve(direction, feature, n_knots, seed):
    values, weights = feature
    columns = monotone_columns(values, weights, direction, n_knots)
    rng = np.random.default_rng(seed)
    w = np.where(rng.random(columns.n_columns) < 0.3, 0.0, rng.exponential(size=columns.n_columns))
    curve, width = columns.curve(w), values.max() - values.min()
    effects = curve(np.linspace(values.min() - width, values.max() + width, 200))
    assert (direction * np.diff(effects) >= -1e-14 * np.abs(effects).max()).all()


@sixty_examples
@given(features(), st.integers(2, 8))
def test_there_are_as_many_knots_as_asked_for_and_as_distinct_values_allow(feature, n_knots):
    values, weights = feature
    knots = monotone_columns(values, weights, 1, n_knots).knots
    assert len(knots) == min(n_knots, len(np.unique(values)))
    assert (np.diff(knots) > 0).all()
    assert (knots[0], knots[-1]) == (values.min(), values.max())
    assert np.isin(knots, values).all()


def test_knots_of_distinct_values_are_their_quantiles():
    values = np.random.default_rng(0).permutation(np.arange(1.0, 101.0))
    knots = monotone_columns(values, None, 1, n_knots=5).knots
    assert knots.tolist() == [1.0, 25.0, 50.0, 75.0, 100.0]


def test_knots_follow_the_weights():
    values = np.arange(1.0, 101.0)
    light = np.where(values <= 50, 1.0, 3.0)
    # 200 in total: a half of it lies at or below 67 (50 + 3 · 17 = 101), as 50 + 3 · 16 = 98 is less.
    assert monotone_columns(values, light, 1, n_knots=3).knots.tolist() == [1.0, 67.0, 100.0]


@sixty_examples
@given(features())
def test_whole_weights_are_repeated_values(feature):
    values, _ = feature
    counts = 1 + np.arange(len(values)) % 3
    weighted = monotone_columns(values, counts.astype(float), 1, 4)
    repeated = monotone_columns(np.repeat(values, counts), None, 1, 4)
    assert weighted.knots.tolist() == repeated.knots.tolist()
    assert weighted.spread == pytest.approx(repeated.spread, rel=1e-12)


def test_values_of_weight_zero_are_ignored():
    values, weights = np.array([-50.0, 0.0, 1.0, 2.0, 90.0]), np.array([0.0, 1.0, 2.0, 1.0, 0.0])
    columns = monotone_columns(values, weights, 1)
    assert columns.knots.tolist() == [0.0, 1.0, 2.0]
    assert columns.spread == pytest.approx(twin.deviation([0.0, 1.0, 2.0], [1.0, 2.0, 1.0]), rel=1e-14)


@sixty_examples
@given(features())
def test_the_spread_is_the_weighted_standard_deviation(feature):
    values, weights = feature
    assume(values.max() > values.min())
    unit = np.abs(values).max()
    expected = unit * twin.deviation(values / unit, np.ones(len(values)) if weights is None else weights)
    assert monotone_columns(values, weights, 1).spread == pytest.approx(expected, rel=1e-9)


@both_directions
@sixty_examples
@given(features(), st.integers(2, 8), st.integers(0, 100))
def test_the_squared_weights_are_the_integral_of_the_squared_slope(direction, feature, n_knots, seed):
    values, weights = feature
    columns = monotone_columns(values, weights, direction, n_knots)
    w = np.random.default_rng(seed).exponential(size=columns.n_columns)
    knots = columns.knots / columns.spread
    levels = columns.curve(w).levels
    assert twin.squared_slopes(knots, levels) == pytest.approx(w @ w, rel=1e-6)


def test_the_unit_of_a_feature_does_not_change_its_columns():
    values = np.random.default_rng(1).normal(size=200)
    plain, scaled = (monotone_columns(values * unit, None, 1)(values * unit) for unit in (1.0, 2.0**40))
    np.testing.assert_allclose(scaled, plain, rtol=1e-12)


@both_directions
def test_a_constant_feature_has_no_columns(direction):
    columns = monotone_columns(np.full(5, 7.0), None, direction)
    assert columns.n_columns == 0
    assert columns(np.array([1.0, 7.0])).shape == (2, 0)
    assert columns.curve(np.zeros(0))(np.array([1.0, 7.0, 9.0])).tolist() == [0.0, 0.0, 0.0]


def test_values_next_to_each_other_in_floating_point_have_a_column():
    """The spread of two values of equal weight is half their distance, so the height is √2."""
    values = np.array([9.0, np.nextafter(9.0, 10.0)])
    np.testing.assert_allclose(monotone_columns(values, None, 1)(values), [[0.0], [np.sqrt(2.0)]], rtol=1e-12)


def test_a_given_spread_is_used():
    columns = monotone_columns(np.array([0.0, 4.0]), None, 1, spread=0.25)
    assert columns(np.array([4.0])).tolist() == [[4.0]]


def test_a_piecewise_linear_curve_is_flat_beyond_its_knots():
    curve = PiecewiseLinearCurve(np.array([0.0, 2.0]), np.array([1.0, 5.0]))
    assert curve(np.array([[-9.0, 0.0], [1.0, 99.0]])).tolist() == [[1.0, 1.0], [3.0, 5.0]]
    assert np.isnan(curve(np.array([np.nan]))).all()


def test_a_bounded_fit_of_monotone_columns_recovers_a_saturating_trend():
    """The label rises with x up to 0.5 and then falls a little; the curve rises and then stays flat."""
    rng = np.random.default_rng(0)
    x = rng.uniform(size=600)
    y = np.digitize(np.minimum(x, 0.75 - x / 2) + 0.05 * rng.normal(size=600), [0.1, 0.2, 0.3, 0.4]).astype(float)
    columns = monotone_columns(x, None, 1)
    data = ComparedRows.of(columns(x), y, group_rows(np.arange(600) // 30, 600))
    bounded = SquaredHingePairs(data, 1e-2, nonnegative=np.ones(columns.n_columns, dtype=bool))
    solution = minimise(bounded, np.zeros(columns.n_columns), tol=1e-9, max_iter=100)
    levels = columns.curve(solution.w).levels
    assert solution.converged
    assert (np.diff(levels) >= 0.0).all()
    assert (np.diff(levels[columns.knots < 0.4]) > 0.0).all()
    assert np.ptp(levels[columns.knots > 0.6]) == 0.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"direction": 0}, r"direction must be one of 1, -1: got 0"),
        ({"n_knots": 1}, r"n_knots must be at least 2: got 1"),
        ({"spread": 0.0}, r"spread must be a positive number: got 0\.0"),
        ({"weights": np.zeros(3)}, r"need a value of positive weight: got none"),
        (
            {"values": np.array([-1.5e308, 0.0, 1.5e308])},
            r"range of a feature must be a finite number.*scale the feature",
        ),
        ({"values": np.array([0.0, np.nan, 1.0])}, r"range of a feature must be a finite number"),
    ],
)
def test_unusable_input_is_refused_with_the_reason(arguments, message):
    valid = {"values": np.array([0.0, 1.0, 2.0]), "weights": None, "direction": 1}
    with pytest.raises(DataError, match=message):
        monotone_columns(**valid | arguments)


def test_columns_built_by_hand_have_the_stated_heights():
    columns = MonotoneColumns(np.array([0.0, 1.0, 10.0]), direction=-1, spread=4.0)
    assert columns(np.array([10.0])).tolist() == [[-0.5, -1.5]]
