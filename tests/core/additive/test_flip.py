"""The flip value of one feature, against a search in small steps."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassrank.core.additive.curves import CategoryCurve, MissingCurve
from glassrank.core.additive.effects import FeatureEffect, LinearCurve
from glassrank.core.additive.flip import flip_value
from tests.reference.flip import flip_by_counting, flip_by_listing, flip_by_walking

LOW, HIGH = -2.0, 3.0
STEP = (HIGH - LOW) / 100_000


@dataclass(frozen=True)
class Function:
    """Any function of the value as a curve, without declaring whether it is a straight line."""

    function: Any

    def __call__(self, values):
        return self.function(np.asarray(values))


def bumps(values):
    return (
        np.exp(-4 * (values - 0.5) ** 2) - 0.7 * np.exp(-2 * (values + 1) ** 2) + 0.2 * np.exp(-9 * (values - 2) ** 2)
    )


CURVES = {
    "cubic": lambda values: values**3 + values,
    "falling": lambda values: -np.expm1(values),
    "bumps": bumps,
    "wave": lambda values: np.sin(7 * values) + 0.3 * values,
    "steps": lambda values: np.searchsorted([-1.0, 0.25, 1.0, 2.5], values, side="left") * 0.5,
    "stairs up and down": lambda values: np.array([0.0, 2.0, 1.0, -1.0, 3.0])[np.searchsorted([-1, 0, 1, 2], values)],
    "bent": lambda values: np.interp(values, [-2, -1.3, 0.1, 0.4, 3], [0, 1, -1, 2, 0]),
    "flat": lambda values: np.zeros_like(values),
}


def effect_of(function, low=LOW, high=HIGH, centre=0.3):
    return FeatureEffect("x", Function(function), low, high, centre)


@pytest.mark.parametrize("name", CURVES)
@given(value=st.floats(LOW, HIGH), change=st.floats(1e-6, 2.5), down=st.booleans())
def test_the_flip_value_equals_a_search_in_small_steps(name, value, change, down):
    effect = effect_of(CURVES[name])
    needed = float(effect(np.array([value]))[0]) + (-change if down else change)
    expected = flip_by_walking(effect, LOW, HIGH, value, needed)
    found = flip_value(effect, value, needed)
    if expected is None:
        # The search can only miss a level that is touched between two steps.
        assert found is None or abs(effect(np.array([found]))[0] - needed) < 1e-9
    else:
        # Of two ties at nearly the same distance, one on each side, either counts as the nearest.
        assert abs(abs(found - value) - abs(expected - value)) <= 2 * STEP


@given(value=st.floats(LOW, HIGH), slope=st.floats(0.01, 50), target=st.floats(LOW, HIGH), down=st.booleans())
def test_the_flip_value_of_a_straight_line_is_exact(value, slope, target, down):
    effect = FeatureEffect("x", LinearCurve(-slope if down else slope), LOW, HIGH, 0.3)
    needed = float(effect(np.array([target]))[0])
    assert flip_value(effect, value, needed) == pytest.approx(target, rel=1e-14, abs=1e-13)


def test_a_straight_line_of_slope_0_never_flips():
    assert flip_value(FeatureEffect("x", LinearCurve(0.0), LOW, HIGH, 0.0), 1.0, 0.5) is None


def test_the_flip_value_of_a_tie_is_the_present_value():
    assert flip_value(effect_of(bumps), 1.25, float(effect_of(bumps)(np.array([1.25]))[0])) == 1.25


def test_a_level_reached_at_an_end_of_the_line_counts():
    effect = effect_of(np.exp, centre=0.0)
    needed = float(effect(np.array([HIGH]))[0])
    assert flip_value(effect, 0.0, needed) == HIGH


def test_a_level_beyond_the_line_is_not_reached():
    assert flip_value(effect_of(np.exp, centre=0.0), 0.0, float(np.exp(3.01) - 1)) is None


def test_the_nearer_of_two_ties_is_returned():
    effect = effect_of(lambda values: values**2, centre=0.0)
    assert flip_value(effect, -0.2, 1.0) == pytest.approx(-1.0, abs=1e-15)
    assert flip_value(effect, 0.2, 1.0) == pytest.approx(1.0, abs=1e-15)


def test_a_narrow_dip_between_grid_points_is_found():
    """The width of the dip is a tenth of a grid cell."""
    effect = effect_of(lambda values: 1 + (values - 1.2345) ** 2 - np.maximum(0, 2 - 2000 * abs(values - 1.2345)))
    level = float(effect(np.array([1.2345]))[0]) + 0.5
    assert flip_value(effect, 1.2, level) == pytest.approx(1.2345 - 0.5 / 2000, abs=1e-6)


def test_a_level_that_is_only_touched_counts():
    effect = effect_of(lambda values: (values - 1.3) ** 2, centre=1.3)
    assert flip_value(effect, 0.0, 0.0) == pytest.approx(1.3, abs=1e-6)


def test_at_a_jump_the_first_value_with_the_reversed_order_is_returned():
    effect = effect_of(lambda values: (values > 1.0) * 2.0, centre=0.0)
    assert flip_value(effect, 0.0, 1.0) == np.nextafter(1.0, 2.0)
    assert flip_value(effect, 2.0, 1.0) == 1.0


def test_the_line_is_extended_to_the_present_value():
    """The order is already reversed at the end of the line, 3: the tie is between it and the present value."""
    effect = FeatureEffect("x", LinearCurve(1.0), LOW, HIGH, 0.0)
    assert flip_value(effect, 5.0, 4.0) == 4.0
    assert flip_value(effect_of(lambda values: values**3, centre=0.0), 5.0, 64.0) == pytest.approx(4.0, rel=1e-14)


def test_a_constant_feature_never_flips():
    assert flip_value(effect_of(bumps, low=1.0, high=1.0), 1.0, 5.0) is None
    assert flip_value(FeatureEffect("x", LinearCurve(2.0), 1.0, 1.0, 1.0), 1.0, 5.0) is None


@given(
    effects=st.lists(st.integers(-6, 6), min_size=2, max_size=6), present=st.integers(0, 5), needed=st.integers(-7, 7)
)
def test_the_category_with_the_smallest_sufficient_change_is_returned(effects, present, needed):
    present = present % len(effects)
    table = np.array(effects, dtype=float)
    names = tuple(f"c{k}" for k in range(len(effects)))
    curve = Function(lambda values: table[values.astype(int)])
    effect = FeatureEffect("colour", curve, 0.0, len(effects) - 1.0, 0.0, categories=names)
    expected = flip_by_listing(effects, needed + effects[0], present)
    found = flip_value(effect, float(present), float(needed))
    assert (found is None) == (expected is None)
    if found is not None:
        assert effects[int(found)] == effects[expected]


WHOLE_CURVES = {
    "falling line": LinearCurve(-0.37),
    "bumps": Function(lambda values: np.sin(values / 3.0) + 0.01 * values),
    "tree": Function(lambda values: np.array([0.0, 2.0, 1.0, 3.0])[np.searchsorted([2.5, 7.5, 30.5], values)]),
}


@pytest.mark.parametrize("name", WHOLE_CURVES)
@given(value=st.integers(0, 200), change=st.floats(1e-6, 2.5), down=st.booleans())
def test_a_whole_number_is_proposed_for_whole_numbers(name, value, change, down):
    effect = FeatureEffect("days", WHOLE_CURVES[name], 0.0, 200.0, 5.0, whole=True)
    needed = float(effect(np.array([float(value)]))[0]) + (-change if down else change)
    assert flip_value(effect, float(value), needed) == flip_by_counting(effect, 0.0, 200.0, value, needed)


def test_whole_numbers_are_found_far_away_and_not_beyond_the_line():
    effect = FeatureEffect("clicks", LinearCurve(1e-5), 0.0, 1e6, 0.0, whole=True)
    assert flip_value(effect, 3.0, 2.345678) == 234568.0
    assert flip_value(effect, 3.0, 10.1) is None


def test_a_document_without_a_value_is_offered_a_whole_number():
    effect = FeatureEffect("days", MissingCurve(LinearCurve(-1.0), 0.0, missing=5.0), 1.0, 14.0, 4.4, whole=True)
    # Missing is worth 5 + 4.4; the mean, 4.4 days, is worth 0, so that 4 days already suffice for a level of 1.
    assert flip_value(effect, np.nan, 1.0) == 4.0
    assert flip_value(effect, np.nan, -3.7) == 9.0


def test_rare_categories_are_never_proposed():
    curve = CategoryCurve(np.array([2.0, 0.9, 0.0]), rare=(1,))
    effect = FeatureEffect("brand", curve, 0.0, 2.0, None, categories=("acme", "tiny", "bolt"))
    assert flip_value(effect, 0.0, 1.0) == 2.0
    assert effect.rare == (1,)


@pytest.mark.parametrize("scale", [1e-9, 1e9], ids=["tiny", "huge"])
def test_units_do_not_matter(scale):
    effect = FeatureEffect("x", Function(lambda values: bumps(values / scale)), LOW * scale, HIGH * scale, 0.3 * scale)
    plain = flip_value(effect_of(bumps), 0.6, 0.1)
    assert flip_value(effect, 0.6 * scale, 0.1) == pytest.approx(plain * scale, rel=1e-12)
