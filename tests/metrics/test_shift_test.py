"""The interval that inverts the sign-flip test: against every sign pattern, and against a known difference."""

from fractions import Fraction

import numpy as np
import pytest

from experiments.interval_coverage import WORLDS, coverage
from glassrank.metrics.compare_values import compare_values
from glassrank.metrics.document_resampling import bootstrap_test
from glassrank.metrics.resampling import holm, holm_levels, randomisation_test
from tests.reference import sign_flip


def rng(seed=0):
    return np.random.default_rng(seed)


DIFFERENCES = {
    "numbers": lambda n, one: one.integers(-40, 80, n) / 64,
    "ties and zeros": lambda n, one: one.choice([-0.5, 0.0, 0.0, 0.25, 0.5], n),
    "all equal": lambda n, one: np.full(n, 0.125),
    "all zero": lambda n, one: np.zeros(n),
    "one query decides": lambda n, one: np.eye(n)[0],
}


@pytest.mark.parametrize("kind", DIFFERENCES)
@pytest.mark.parametrize("n_queries", [2, 5, 6, 7])
def test_the_interval_is_the_set_of_shifts_that_enumeration_does_not_reject(kind, n_queries):
    columns = np.column_stack([DIFFERENCES[kind](n_queries, rng(seed)) for seed in range(3)])
    test = randomisation_test(columns, 10_000, rng())
    for place, column in enumerate(columns.T.tolist()):
        assert test.p_values()[place] == sign_flip.p_value(column)
        for level in (Fraction(1, 20), Fraction(1, 8), Fraction(1, 32)):
            expected = sign_flip.interval(column, level)
            found = test.interval(place, float(level))
            assert (found is None) == (expected is None)
            if expected is not None:
                assert found == pytest.approx([float(end) for end in expected], abs=1e-12)


def test_between_the_ends_no_shift_is_rejected_and_beyond_them_every_one_is():
    column = DIFFERENCES["numbers"](7, rng(5)).tolist()
    low, high = randomisation_test(np.array(column)[:, None], 10_000, rng()).interval(0, 0.05)
    for shift in np.linspace(low - 0.2, high + 0.2, 81).tolist():
        assert (sign_flip.p_value(column, shift) >= Fraction(1, 20)) == (low <= shift <= high)


@pytest.mark.parametrize("n_queries", [20, 300])
def test_an_interval_of_random_patterns_excludes_0_if_and_only_if_p_is_below_its_level(n_queries):
    differences = rng(1).normal(0.15, 1.0, size=(n_queries, 200))
    for test in (randomisation_test(differences, 999, rng(2)), bootstrap_test(differences)):
        for place, p in enumerate(test.p_values()):
            # The p-value itself is among the levels: it is not below itself.
            for level in (p, np.nextafter(p, 1.0), 0.05, 0.05 / 3):
                low, high = test.interval(place, min(level, 0.5)) or (-np.inf, np.inf)
                assert (p < min(level, 0.5)) == (low > 0 or high < 0)


def test_a_p_value_is_below_its_level_by_holm_if_and_only_if_its_adjusted_p_value_is_below_alpha():
    for seed in range(200):
        p = rng(seed).choice([0.001, 0.012, 0.02, 0.03, 0.2], size=int(rng(seed).integers(1, 7))) * rng(seed).random()
        assert ((p < holm_levels(p, 0.05)) == (holm(p) < 0.05)).all()


def test_holm_levels_by_hand_end_where_the_procedure_stops():
    # Sorted: 0.001 < 0.05/4, 0.02 ≥ 0.05/3. The rest is judged at the level of the step that stopped.
    assert holm_levels(np.array([0.03, 0.02, 0.001, 0.9]), 0.05) == pytest.approx(
        [0.05 / 3, 0.05 / 3, 0.0125, 0.05 / 3]
    )


def test_equal_p_values_have_the_same_level_in_any_order():
    assert holm_levels(np.array([0.9, 0.001, 0.001]), 0.06).tolist() == [0.06, 0.02, 0.02]


def test_a_system_that_is_asked_for_is_tested_by_itself_and_the_rest_is_adjusted_without_it():
    base = rng(1).random(80)
    gains = [rng(2 + place).normal(shift, 0.2, 80) for place, shift in enumerate((0.06, 0.05, 0.03))]
    systems = {"base": base} | {name: base + gain for name, gain in zip("abc", gains, strict=True)}
    found = compare_values(systems, measure="x", asked=["a"], random_state=0)
    alone = {name: compare_values({"base": base, name: systems[name]}, measure="x", random_state=0) for name in "abc"}
    assert found["a"] == alone["a"]["a"]
    p = [alone[name][name].p_value for name in "bc"]
    assert [found[name].adjusted_p_value for name in "bc"] == holm(np.array(p)).tolist()
    for name, other in zip("bc", p[::-1], strict=True):
        own = alone[name][name].p_value
        first_rejected = min(p) < 0.025
        expected = 0.05 if first_rejected and own > other else 0.025
        assert found[name].level == expected


@pytest.mark.parametrize("world", WORLDS)
def test_the_interval_covers_a_known_difference_in_95_of_100_samples(world):
    assert 0.94 <= coverage(world, n_queries=50, n_samples=2_000, n_resamples=999, seed=0) <= 0.96
