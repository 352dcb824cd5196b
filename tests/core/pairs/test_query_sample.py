"""Large problems solved from a sample of the queries: the optimum is unchanged, and the sample is representative."""

import numpy as np
import pytest
from scipy import sparse

from glassrank.core.groups import group_rows
from glassrank.core.pairs.compared_rows import ComparedRows
from glassrank.core.pairs.newton import minimise, sample_queries
from glassrank.core.pairs.objectives import LogisticPairs, SmoothedHingePairs, SquaredHingePairs
from glassrank.core.pairs.pair_weights import weigh_pairs

N_QUERIES, LENGTH, N_FEATURES = 6000, 20, 5


def simulated_rows(n_queries=N_QUERIES, seed=0):
    """Simulated rows, query by query: features on different scales, labels 0 to 2."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_queries * LENGTH, N_FEATURES)) * [1.0, 10.0, 0.1, 1.0, 3.0]
    noisy = X @ [1.0, -0.1, 5.0, 0.0, 0.2] + rng.normal(size=len(X))
    return X, np.searchsorted([0.0, 1.5], noisy).astype(float), np.repeat(np.arange(n_queries), LENGTH)


@pytest.fixture(scope="module")
def rows():
    return simulated_rows()


def compared(rows, kind="uniform"):
    X, y, qid = rows
    groups = group_rows(qid, len(y))
    return ComparedRows.of(X, y, groups, weigh_pairs(kind, y, groups))


def newton_by_hand(objective, steps=30):
    """Newton's method with the exact Hessian of all data, halving steps that do not decrease the value."""
    w = np.zeros(objective.n_features)
    for _ in range(steps):
        point = objective.at(w)
        if point.gradient @ point.gradient <= 1e-12 * point.value:
            break
        step = np.linalg.solve(point.hessian(), point.gradient)
        while objective.at(w - step).value > point.value:
            step = step / 2
        w = w - step
    return objective.at(w)


@pytest.mark.parametrize("loss", [SquaredHingePairs, LogisticPairs])
@pytest.mark.parametrize("kind", ["uniform", "ndcg"])
def test_the_sampled_path_ends_at_the_exact_optimum_within_its_certified_gap(rows, loss, kind):
    objective = loss(compared(rows, kind), 1e-3)
    assert sample_queries(objective) is not None
    exact = newton_by_hand(objective)
    for tol in [1e-4, 1e-9]:
        solution = minimise(objective, np.zeros(N_FEATURES), tol=tol, max_iter=50)
        assert solution.converged
        assert solution.duality_gap <= tol * solution.value
        assert solution.value - exact.value <= solution.duality_gap + 1e-12 * exact.value
        assert solution.value >= exact.value - exact.duality_gap - 1e-12 * exact.value


def test_the_sampled_path_is_reproducible(rows):
    first, again = (
        minimise(SquaredHingePairs(compared(rows), 1e-3), np.zeros(N_FEATURES), tol=1e-8, max_iter=50) for _ in range(2)
    )
    np.testing.assert_array_equal(first.w, again.w)
    assert first.value == again.value


def test_a_sample_keeps_whole_queries_and_the_weight_of_the_loss(rows):
    """4 % of the queries (4,800 of 120,000 rows), with C increased by the ratio of pairs."""
    objective = SquaredHingePairs(compared(rows), 1e-3)
    sample = sample_queries(objective)
    assert len(sample.data.n_levels) == 240
    assert set(np.diff(sample.data.starts).tolist()) == {LENGTH}
    assert sample.C * sample.n_pairs == pytest.approx(objective.C * objective.n_pairs, rel=1e-14)
    whole = rows[0].reshape(N_QUERIES, LENGTH, N_FEATURES)
    found = {block.tobytes() for block in np.asarray(sample.data.X).reshape(240, LENGTH, N_FEATURES)}
    assert len(found) == 240
    assert found <= {block.tobytes() for block in whole}


def test_a_sample_depends_on_the_seed_alone(rows):
    objective = SquaredHingePairs(compared(rows), 1e-3)
    first, again, other = (sample_queries(objective, seed).data.X for seed in [0, 0, 1])
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_sample_of_the_smoothed_hinge_keeps_its_width(rows):
    assert sample_queries(SmoothedHingePairs(compared(rows), 1e-3, 0.125)).width == 0.125


def test_a_sample_has_about_the_value_of_the_whole(rows):
    """The sample provides a starting point and a Hessian close to that of all data."""
    objective = SquaredHingePairs(compared(rows), 1e-3)
    sample = sample_queries(objective)
    w = np.array([0.5, -0.05, 2.0, 0.0, 0.1])
    assert sample.at(w).value == pytest.approx(objective.at(w).value, rel=0.05)
    np.testing.assert_allclose(np.diag(sample.at(w).hessian()), np.diag(objective.at(w).hessian()), rtol=0.1)


def test_small_data_sets_are_not_sampled():
    """A sample has at least 2,000 rows and at most a tenth of all."""
    assert sample_queries(SquaredHingePairs(compared(simulated_rows(n_queries=999)), 1.0)) is None
    assert sample_queries(SquaredHingePairs(compared(simulated_rows(n_queries=1000)), 1.0)) is not None


def test_few_long_queries_are_not_sampled():
    """4 % of 240 queries are too few to represent all."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(120_000, 1)), rng.integers(2, size=120_000).astype(float)
    data = ComparedRows.of(X, y, group_rows(np.repeat(np.arange(240), 500), 120_000))
    assert sample_queries(SquaredHingePairs(data, 1.0)) is None


def test_data_with_too_many_features_are_not_sampled():
    """40 rows for each of 400 features are 16,000 of 120,000 rows."""
    rows = sparse.csr_matrix((120_000, 400))
    data = ComparedRows.of(rows, np.arange(120_000) % 2.0, group_rows(np.repeat(np.arange(6000), 20), 120_000))
    assert sample_queries(SquaredHingePairs(data, 1.0)) is None
    assert sample_queries(SquaredHingePairs(data.with_rows(rows[:, :300]), 1.0)) is not None
