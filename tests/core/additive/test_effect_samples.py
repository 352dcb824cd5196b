"""EffectSamples against plain arithmetic over the replicates."""

import statistics

import numpy as np
import pytest

from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.core.additive.effects import AdditiveEffects, FeatureEffect, LinearCurve
from glassrank.core.additive.interactions import Interaction, step_axis
from glassrank.core.checks import DataError

SLOPES = np.random.default_rng(0).normal(size=(40, 3))
INTERCEPTS = np.random.default_rng(1).normal(size=40)


def samples_of(subject, slopes=SLOPES):
    def replicate(own, intercept):
        features = tuple(
            FeatureEffect(name, LinearCurve(slope), -1.0, 1.0, centre)
            for name, slope, centre in zip("abc", own, (0.0, 0.5, 1.0), strict=True)
        )
        return AdditiveEffects(features, intercept, "score", subject)

    return EffectSamples(tuple(replicate(own, intercept) for own, intercept in zip(slopes, INTERCEPTS, strict=True)))


@pytest.fixture(name="rows")
def two_sets_of_rows():
    return np.random.default_rng(2).normal(size=(2, 6, 3))


def test_errors_of_contributions_are_standard_deviations_over_the_replicates(rows):
    A, B = rows
    errors = samples_of("utility").difference_errors(A, B)
    for row in range(6):
        for k in range(3):
            moved = [float(slope * (A[row, k] - B[row, k])) for slope in SLOPES[:, k]]
            assert errors[row, k] == pytest.approx(statistics.stdev(moved), rel=1e-10)


def test_the_error_of_the_total_is_that_of_the_sum(rows):
    A, B = rows
    errors = samples_of("utility").total_errors(A, B)
    for row in range(6):
        moved = [float(own @ (A[row] - B[row])) for own in SLOPES]
        assert errors[row] == pytest.approx(statistics.stdev(moved), rel=1e-10)


def test_the_error_of_an_effect_is_zero_only_at_its_centre():
    errors = samples_of("utility").curve_errors(1, np.array([0.5, 1.5, -3.5]))
    spread = statistics.stdev(SLOPES[:, 1].tolist())
    assert errors.tolist() == pytest.approx([0.0, spread, 4 * spread], rel=1e-10)


def test_the_interval_contains_its_share_of_the_replicates(rows):
    A, B = rows
    low, high = samples_of("utility").interval(A, B, level=0.8)
    totals = (A - B) @ SLOPES.T
    inside = (totals >= low[:, None]) & (totals <= high[:, None])
    assert (inside.sum(axis=1) == 32).all()


def test_single_rows_have_an_interval_for_classes_but_not_for_utilities(rows):
    low, high = samples_of("class").interval(rows[0])
    assert (low < high).all()
    with pytest.raises(DataError, match=r"both A and B"):
        samples_of("utility").interval(rows[0])


@pytest.mark.parametrize("level", [0.0, 1.0, 95])
def test_a_level_outside_zero_and_one_is_rejected(rows, level):
    with pytest.raises(DataError, match=r"between 0 and 1"):
        samples_of("utility").interval(*rows, level=level)


def test_one_replicate_has_no_spread():
    with pytest.raises(DataError, match=r"two replicates: got 1"):
        EffectSamples(samples_of("utility").replicates[:1])


def test_replicates_with_different_features_or_categories_are_rejected():
    known = FeatureEffect("a", LinearCurve(1.0), 0.0, 1.0, 0.0, categories=("x", "y"))
    other = FeatureEffect("a", LinearCurve(1.0), 0.0, 1.0, 0.0, categories=("x",))
    with pytest.raises(DataError, match=r"number 1.*categories="):
        EffectSamples(tuple(AdditiveEffects((feature,), 0.0, "score") for feature in (known, other)))


def test_replicates_with_different_interactions_are_refused():
    """Trees of two features combine other features in each resample."""
    axis = step_axis(np.array([0.5]))
    features = tuple(FeatureEffect(name, LinearCurve(1.0), 0.0, 1.0, 0.0) for name in "abc")
    made = [
        AdditiveEffects(features, 0.0, "score", interactions=(Interaction(0, k, axis, axis, np.zeros((3, 3))),))
        for k in (1, 2)
    ]
    with pytest.raises(DataError, match=r"same interactions.*max_depth=1"):
        EffectSamples(tuple(made))
    assert len(EffectSamples((made[0], made[0]))) == 2
