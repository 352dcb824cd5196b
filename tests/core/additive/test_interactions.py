"""Interactions: tables of two features, and what belongs to one feature alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassrank.core.additive.curves import TreeCategoryCurve
from glassrank.core.additive.effects import AdditiveEffects, FeatureEffect, LinearCurve
from glassrank.core.additive.interactions import Interaction, effect_along, n_states, purify, step_axis, with_levels


@given(
    st.integers(1, 6).flatmap(
        lambda rows: st.integers(1, 6).flatmap(
            lambda columns: st.tuples(
                *(
                    st.lists(st.lists(numbers, min_size=columns, max_size=columns), min_size=rows, max_size=rows).map(
                        np.array
                    )
                    for numbers in (st.floats(-9, 9), st.sampled_from([0.0, 0.0, 1.0, 3.0, 250.0]))
                )
            )
        )
    )
)
def test_a_pure_interaction_has_mean_zero_along_both_features(tables):
    table, mass = tables
    pure, of_rows, of_columns = purify(table, mass)
    np.testing.assert_allclose(pure + of_rows[:, None] + of_columns, table, atol=1e-9)
    scale = 1e-8 * max(1.0, mass.sum())
    np.testing.assert_allclose((mass * pure).sum(axis=1), 0.0, atol=scale)
    np.testing.assert_allclose((mass * pure).sum(axis=0), 0.0, atol=scale)


def test_an_additive_table_has_no_interaction():
    rows, columns = np.array([1.0, -2.0, 4.0]), np.array([0.5, 3.0])
    pure, *_ = purify(rows[:, None] + columns, np.array([[1.0, 2.0], [0.0, 3.0], [5.0, 0.0]]))
    # The cell without mass belongs to no row or column mean, but the additive fit is exact there, too.
    np.testing.assert_allclose(pure, 0.0, atol=1e-12)


def test_states_without_mass_are_weighted_by_the_other_feature():
    table = np.array([[1.0, -1.0], [-1.0, 1.0], [8.0, 2.0]])
    mass = np.array([[1.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
    pure, of_rows, _ = purify(table, mass)
    assert of_rows[2] == pytest.approx(5.0)
    np.testing.assert_allclose(pure[2], [3.0, -3.0])


def test_curves_along_an_interaction_are_slices_of_its_table():
    numbers = step_axis(np.array([1.0, 2.0]))
    brands = TreeCategoryCurve(np.arange(2.0), 2.0, 3.0)
    table = np.arange(16.0).reshape(n_states(numbers), n_states(brands))
    both = Interaction(0, 2, numbers, brands, table)
    row = np.array([1.5, 0.0, np.nan])
    values = np.array([0.0, 1.0, 1.5, 9.0, np.nan])
    assert both.along(0, row)(values).tolist() == [3.0, 3.0, 7.0, 11.0, 15.0]
    assert both.along(2, row)(np.array([0.0, 1.0, 7.0, np.nan])).tolist() == [4.0, 5.0, 6.0, 7.0]
    rows = np.array([[value, 5.0, code] for value in values for code in (0.0, 1.0, np.nan, -1.0)])
    expected = [both(row[None])[0] for row in rows]
    assert both(rows).tolist() == expected
    assert with_levels(brands, table[0])(np.array([1.0])).tolist() == [1.0]


def test_totals_and_differences_include_interactions():
    axis = step_axis(np.array([0.0]))
    both = Interaction(0, 1, axis, axis, np.array([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]))
    lines = tuple(FeatureEffect(name, LinearCurve(slope), -1, 1, 0.0) for name, slope in (("a", 2.0), ("b", 3.0)))
    effects = AdditiveEffects(lines, 0.5, "score", interactions=(both,))
    A, B = np.array([[1.0, 1.0]]), np.array([[1.0, -1.0]])
    assert effects.interaction_names == ("a × b",)
    assert effects.contributions(A).tolist() == [[2.0, 3.0, 1.0]]
    assert effects.total(A).tolist() == [6.5]
    assert effects.differences(A, B).tolist() == [[0.0, 6.0, 2.0]]
    moved = effect_along(effects, 0, A[0])
    assert (moved(np.array([1.0])) - moved(np.array([-1.0]))).tolist() == [4.0 + 2.0]
