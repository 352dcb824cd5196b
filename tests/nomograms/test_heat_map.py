"""The cells of a heat map: the model's own thresholds, merged by weight, and labelled."""

import numpy as np
import pytest

from glassrank.core.additive.curves import TreeCategoryCurve
from glassrank.core.additive.effects import FeatureEffect, LinearCurve
from glassrank.core.additive.interactions import Interaction, step_axis
from glassrank.nomograms.heat_map import heat_map


def number(name="x", *, whole=False, missing=None, low=0.0, high=10.0):
    return FeatureEffect(name, LinearCurve(0.0), low, high, 5.0, whole=whole, missing_share=missing)


def category(levels, missing=None):
    names = tuple(f"level {code}" for code in range(levels))
    return FeatureEffect("c", LinearCurve(0.0), 0.0, levels - 1.0, 0.0, categories=names, missing_share=missing)


def codes(levels):
    return TreeCategoryCurve(np.arange(float(levels)), levels, levels + 1.0)


def test_cells_are_the_models_own_intervals_while_there_are_few():
    table = np.arange(12.0).reshape(3, 4)
    both = Interaction(0, 1, step_axis(np.array([4.0])), step_axis(np.array([2.0, 6.0])), table)
    drawn = heat_map(both, (number(), number("y")), np.random.default_rng(0).uniform(0, 10, (50, 2)))
    np.testing.assert_array_equal(drawn.effects, table[:2, :3])
    assert drawn.across.labels == ((1, "4"),)
    assert drawn.up.labels == ((1, "2"), (2, "6"))
    assert (drawn.across.of_state, drawn.up.of_state) == ((0, 1, -1), (0, 1, 2, -1))
    assert not drawn.across.merged


def test_a_merged_cell_has_the_mean_of_its_rows():
    """Twenty intervals of the first feature in eight cells: every cell's mean is that of its rows."""
    rng = np.random.default_rng(1)
    thresholds = np.arange(1.0, 20.0)
    table = rng.normal(size=(21, 3))
    both = Interaction(0, 1, step_axis(thresholds), step_axis(np.array([5.0])), table)
    rows = np.column_stack([rng.uniform(0, 20, 4000), rng.uniform(0, 10, 4000)])
    drawn = heat_map(both, (number(high=20.0), number("y")), rows)
    assert drawn.effects.shape == (8, 2)
    assert drawn.across.merged
    assert set(drawn.across.edges[1:-1]) <= set(thresholds)
    effects = both(rows)
    for i in range(8):
        for j in range(2):
            low, high = drawn.across.edges[i : i + 2]
            inside = (rows[:, 0] > low) & (rows[:, 0] <= high) & ((rows[:, 1] > 5.0) == bool(j))
            assert drawn.effects[i, j] == pytest.approx(effects[inside].mean())


def test_rare_values_are_merged_first():
    both = Interaction(0, 1, step_axis(np.arange(1.0, 10.0)), step_axis(np.array([5.0])), np.zeros((11, 3)))
    rows = np.concatenate([np.full(100, value) for value in np.arange(0.5, 8.0)] + [[8.5, 9.5]])
    drawn = heat_map(both, (number(), number("y")), np.column_stack([rows, rows]))
    assert drawn.across.edges[1:-1] == (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0)


def test_whole_numbers_are_ranges_and_missing_values_have_their_own_cell():
    both = Interaction(0, 1, step_axis(np.array([2.5, 4.0])), step_axis(np.array([0.5])), np.arange(12.0).reshape(4, 3))
    features = number(whole=True, missing=0.2, low=1.0, high=9.0), number("yes", whole=True, low=0.0, high=1.0)
    drawn = heat_map(both, features, np.array([[1.0, 0.0], [np.nan, 1.0]]))
    assert drawn.across.labels == ((0.5, "1–2"), (1.5, "3–4"), (2.5, "5–9"), (3.5, "missing"))
    assert drawn.up.labels == ((0.5, "0"), (1.5, "1"))
    np.testing.assert_array_equal(drawn.effects, both.table[:, :2])


def test_of_many_levels_the_six_strongest_have_a_cell():
    table = np.zeros((11, 3))
    table[:9, 0] = [0, 5, 1, 8, 7, 0.5, 6, 9, 4]
    both = Interaction(0, 1, codes(9), step_axis(np.array([5.0])), table)
    rows = np.column_stack([np.tile(np.arange(9.0), 10), np.zeros(90)])
    drawn = heat_map(both, (category(9), number("y")), rows)
    assert [label for _, label in drawn.across.labels] == [f"level {code}" for code in (1, 3, 4, 6, 7, 8)] + ["others"]
    assert drawn.effects[6, 0] == pytest.approx((0 + 1 + 0.5) / 3)
    assert drawn.across.of_state[:3] == (6, 0, 6)


def test_seven_levels_all_have_a_cell():
    both = Interaction(0, 1, codes(7), step_axis(np.array([5.0])), np.zeros((9, 3)))
    drawn = heat_map(both, (category(7, missing=0.1), number("y")), np.zeros((1, 2)))
    assert drawn.across.n_cells == 7
    assert drawn.across.of_state == (0, 1, 2, 3, 4, 5, 6, -1, 7)
