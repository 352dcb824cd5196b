"""Objectives over listed differences, against the same written out in dense columns."""

import numpy as np
import pytest

from glassrank.core.additive.odd_gaussian_columns import odd_map
from glassrank.core.groups import group_rows
from glassrank.core.pairs import difference_rows
from glassrank.core.pairs.difference_hinge import ProximalHinge, minimise_hinge_on_differences
from glassrank.core.pairs.difference_objective import DifferenceObjective, Logistic, SquaredHinge
from glassrank.core.pairs.difference_rows import DifferenceRows, draw_pairs
from tests.reference import pair_losses as twin
from tests.reference.pairs import random_problem

SMOOTH = {"squared_hinge": (SquaredHinge(), twin.SquaredHinge()), "logistic": (Logistic(), twin.Logistic())}


@pytest.fixture(params=[0, 10**9], ids=["made", "held"])
def rows(request, monkeypatch):
    monkeypatch.setattr(difference_rows, "BLOCK_PAIRS", 50)
    problem = random_problem(1, n_rows=60, n_features=2)
    pairs = draw_pairs(problem.y, group_rows(problem.qid, 60), None, 0)
    weights = np.random.default_rng(1).random(len(pairs))
    columns = odd_map(np.array([0.5, 1.0]), np.full(2, 6.0), ("a", "b"))
    return DifferenceRows(problem.X, pairs, weights, columns, cached_bytes=request.param)


def dense(rows):
    return np.concatenate([columns for _, columns in rows.blocks()])


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("size", [0.0, 0.1, 1.0])
def test_value_gradient_and_hessian_are_those_of_the_listed_columns(rows, name, size):
    loss, slow_loss = SMOOTH[name]
    slow = twin.ListedObjective(dense(rows), rows.weights, 0.7, slow_loss)
    rng = np.random.default_rng(2)
    w, v = size * rng.normal(size=rows.n_columns), rng.normal(size=rows.n_columns)
    point = DifferenceObjective(rows, 0.7, loss).at(w)
    assert point.value == pytest.approx(slow.value(w), rel=1e-10)
    np.testing.assert_allclose(point.gradient, slow.gradient(w), rtol=0, atol=1e-9 * slow.gradient_scale(w))
    scale = np.abs(slow.hessian(w)).max()
    np.testing.assert_allclose(point.hessian(), slow.hessian(w), rtol=0, atol=1e-9 * scale)
    np.testing.assert_allclose(point.hessian_product(v), slow.hessian_product(w, v), rtol=0, atol=1e-8 * scale)


@pytest.mark.parametrize("name", SMOOTH)
def test_the_gap_bounds_the_duality_gap_of_the_definition(rows, name):
    """For the squared hinge it is the duality gap itself."""
    loss, slow_loss = SMOOTH[name]
    w = 0.3 * np.random.default_rng(3).normal(size=rows.n_columns)
    slow = twin.ListedObjective(dense(rows), rows.weights, 0.7, slow_loss)
    gap = DifferenceObjective(rows, 0.7, loss).at(w).duality_gap
    assert gap == pytest.approx(slow.duality_gap(w), rel=1e-6)


def test_without_a_prior_the_proximal_hinge_is_the_smoothed_hinge():
    margins = np.linspace(-2, 2, 401)
    loss, slow = ProximalHinge(0.5, np.zeros(401)), twin.SmoothedHinge(0.5)
    np.testing.assert_allclose(loss.value(margins), slow.loss(margins), rtol=0, atol=1e-12)
    np.testing.assert_allclose(loss.pull(margins, slice(None)), -slow.slope(margins), rtol=0, atol=1e-12)


@pytest.mark.parametrize("prior", [0.0, 0.3, 1.0])
def test_the_slope_of_the_proximal_hinge_is_that_of_its_values(prior):
    margins = np.linspace(-2, 2, 400)
    loss, step = ProximalHinge(0.7, np.full(400, prior)), 1e-6
    slope = (loss.value(margins + step) - loss.value(margins - step)) / (2 * step)
    np.testing.assert_allclose(-loss.pull(margins, slice(None)), slope, rtol=0, atol=1e-5)
    assert (loss.value(margins) <= np.maximum(0, 1 - margins) + 1e-12).all()


@pytest.mark.parametrize("C", [1e-3, 0.1, 10.0])
def test_the_hinge_solution_is_certified_by_both_sides_of_the_definition(rows, C):
    """The value at w and a dual value, with the slopes of a narrow smoothing as multipliers, bound it on both sides."""
    found = minimise_hinge_on_differences(rows, C, 1e-9, 200)
    slow = twin.ListedObjective(dense(rows), rows.weights, C, twin.Hinge())
    assert found.converged
    assert found.value == pytest.approx(slow.value(found.w), rel=1e-9)
    rng = np.random.default_rng(4)
    for size in (1e-4, 1e-2, 1.0):
        assert slow.value(found.w + size * rng.normal(size=len(found.w))) >= found.value - found.duality_gap


def test_a_solver_without_steps_reports_that_it_has_not_converged(rows):
    found = minimise_hinge_on_differences(rows, 10.0, 1e-9, 2)
    assert not found.converged
    assert found.n_iter == 2
    assert found.duality_gap > 0
