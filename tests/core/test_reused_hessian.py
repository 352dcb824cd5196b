"""A Hessian of an earlier point, corrected by observed steps: against the dense formula, and how often it is made."""

import numpy as np
import pytest

from glassrank.core.groups import group_rows
from glassrank.core.hessian_factor import MAX_CORRECTIONS, Factor, ReusedHessian
from glassrank.core.pairs.compared_rows import ComparedRows
from glassrank.core.pairs.newton import minimise
from glassrank.core.pairs.objectives import LogisticPairs, SquaredHingePairs


def bfgs_inverse(inverse, step, change):
    """The inverse update of Broyden, Fletcher, Goldfarb and Shanno, with whole matrices."""
    share = 1.0 / (step @ change)
    left = np.eye(len(step)) - share * np.outer(step, change)
    return left @ inverse @ left.T + share * np.outer(step, step)


def curved_steps(n_steps, n_features=6, seed=0):
    """Steps and changes of the gradient of a quadratic function."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n_features, n_features))
    hessian = root @ root.T + np.eye(n_features)
    steps = rng.normal(size=(n_steps, n_features))
    return hessian, [(step, hessian @ step) for step in steps]


@pytest.mark.parametrize("n_steps", [0, 1, 4])
def test_corrections_equal_the_dense_update(n_steps):
    hessian, observed = curved_steps(n_steps)
    start = np.diag(np.diag(hessian))
    reused, dense = ReusedHessian(Factor(start)), np.linalg.inv(start)
    for step, change in observed:
        reused.learn(step, change)
        dense = bfgs_inverse(dense, step, change)
    right = np.arange(1.0, 7.0)
    np.testing.assert_allclose(reused.solve(right), dense @ right, rtol=1e-10)


def test_only_the_latest_steps_are_kept():
    _, observed = curved_steps(MAX_CORRECTIONS + 3, n_features=20)
    every, latest = (ReusedHessian(Factor(np.eye(20))) for _ in range(2))
    for step, change in observed:
        every.learn(step, change)
    for step, change in observed[3:]:
        latest.learn(step, change)
    right = np.ones(20)
    np.testing.assert_array_equal(every.solve(right), latest.solve(right))


def test_a_step_without_curvature_teaches_nothing():
    reused = ReusedHessian(Factor(np.eye(2)))
    reused.learn(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    assert reused.solve(np.array([3.0, 4.0])).tolist() == [3.0, 4.0]


@pytest.mark.parametrize("loss", [SquaredHingePairs, LogisticPairs])
def test_a_well_conditioned_fit_computes_one_hessian(loss):
    """2,000 rows × 10 features without correlation; the steps after the first reuse the Hessian."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 10))
    noisy = X @ rng.normal(size=10) + 2.0 * rng.normal(size=2000)
    y, groups = np.searchsorted([1.0, 3.0], noisy).astype(float), group_rows(np.repeat(np.arange(40), 50), 2000)

    class Counted(loss):
        n_hessians = 0

        def loss_hessian(self, w):
            Counted.n_hessians += 1
            return super().loss_hessian(w)

    data = ComparedRows.of(X, y, groups)
    solution = minimise(Counted(data, 10.0 / data.n_pairs), np.zeros(10), tol=1e-8, max_iter=50)
    assert solution.converged
    assert solution.n_iter > 2
    assert Counted.n_hessians == 1
