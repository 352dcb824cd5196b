"""One feature's line: its samples, its kind and its runs."""

import itertools

import numpy as np
import pytest

from glassrank.core.additive.effects import FeatureEffect, LinearCurve
from glassrank.nomograms.figure.lines import line_of, monotone_runs

HELD = np.array([1.0, 2.0])


def made(curve, *, tolerance=1e-3, turning="box", held=HELD, **feature):
    effect = FeatureEffect("feature", curve, 0.0, 10.0, 1.0, **feature)
    return line_of(effect, held, tolerance, 1.0, turning)


def bump(values):
    return np.exp(-(((values - 3.7) / 1.3) ** 2))


def staircase(values):
    return np.floor(values / 3.0)


@pytest.mark.parametrize("tolerance", [1e-2, 1e-4])
@pytest.mark.parametrize("curve", [bump, np.sin, np.tanh, np.sqrt], ids=["bump", "sine", "tanh", "root"])
def test_straight_lines_between_samples_differ_from_the_curve_by_at_most_the_tolerance(curve, tolerance):
    line = made(curve, tolerance=tolerance)
    dense = np.linspace(0, 10, 20_001)
    exact = curve(dense) - curve(dense).min()
    assert np.abs(np.interp(dense, line.values, line.effects) - exact).max() <= tolerance


def test_a_jump_is_found_to_many_digits_and_treads_need_two_samples_each():
    line = made(staircase)
    assert len(line.values) <= 2 * 4 + 1
    for jump in (3.0, 6.0, 9.0):
        assert np.interp([jump - 1e-5, jump + 1e-5], line.values, line.effects) == pytest.approx(
            [jump / 3 - 1, jump / 3]
        )


def test_a_straight_line_needs_its_ends_only_and_reaches_to_the_documents():
    line = made(LinearCurve(-2.0), held=np.array([-1.0, 12.0]))
    assert line.values.tolist() == [-1.0, 12.0]
    assert line.effects.tolist() == [26.0, 0.0]
    assert (line.kind, line.range) == ("line", 26.0)


@pytest.mark.parametrize(
    ("curve", "turning", "kind", "n_runs"),
    [
        (np.tanh, "box", "line", 1),
        (bump, "box", "box", 2),
        (bump, "folded", "fold", 2),
        (np.sin, "box", "box", 4),
        (lambda values: 0.0 * values, "box", "point", 0),
    ],
    ids=["saturating", "bump", "folded bump", "sine", "constant"],
)
def test_the_kind_follows_from_how_often_the_curve_turns(curve, turning, kind, n_runs):
    """The sine turns at π/2, 3π/2 and 5π/2 between 0 and 10."""
    line = made(curve, turning=turning)
    assert (line.kind, len(line.runs)) == (kind, n_runs)


def test_runs_meet_at_the_turning_points():
    line = made(np.sin, tolerance=1e-5)
    turns = [line.values[end] for _, end in line.runs[:-1]]
    assert turns == pytest.approx([np.pi / 2, 3 * np.pi / 2, 5 * np.pi / 2], abs=0.02)
    assert all(first[1] == second[0] for first, second in itertools.pairwise(line.runs))
    assert (line.runs[0][0], line.runs[-1][1]) == (0, len(line.values) - 1)


def test_a_ripple_of_less_than_a_hundredth_of_the_range_is_not_a_turn():
    assert made(lambda values: values + 0.04 * np.sin(30 * values), tolerance=1e-4).kind == "line"
    assert made(lambda values: values + 0.4 * np.sin(30 * values), tolerance=1e-2).kind == "box"


@pytest.mark.parametrize(
    ("effects", "runs"),
    [([0, 1, 2], ((0, 2),)), ([2, 1, 0], ((0, 2),)), ([0, 2, 0], ((0, 1), (1, 2))), ([0, 2, 1.9, 3], ((0, 3),))],
)
def test_runs_by_hand(effects, runs):
    assert monotone_runs(np.array(effects, dtype=float), min_turn=0.5) == runs


@pytest.mark.parametrize("curve", [np.tanh, bump, np.cos], ids=["tanh", "bump", "cosine"])
def test_the_inverse_of_a_run_leads_back_to_the_curve(curve):
    line = made(curve, tolerance=1e-5)
    for run in range(len(line.runs)):
        effects, values = line.inverse(run)
        assert (np.diff(effects) >= 0).all()
        asked = np.linspace(effects[0], effects[-1], 50)
        found = np.interp(asked, effects, values)
        lowest = curve(np.linspace(0, 10, 20_001)).min()
        assert curve(found) - lowest == pytest.approx(asked, abs=1e-3)


def test_a_feature_with_categories_has_a_value_for_each():
    worth = np.array([0.5, -1.0, 2.0])
    names = ("news", "shop", "wiki")
    line = made(lambda codes: worth[np.asarray(codes, dtype=int)], held=np.array([0.0]), categories=names)
    assert line.kind == "category"
    assert line.values.tolist() == [0.0, 1.0, 2.0]
    assert line.effects.tolist() == [1.5, 0.0, 3.0]
