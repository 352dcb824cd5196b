"""Newton's method within bounds on the weights, against listed pairs and general-purpose solvers."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from glassrank.core.checks import DataError
from glassrank.core.groups import group_rows
from glassrank.core.pairs.compared_rows import ComparedRows
from glassrank.core.pairs.newton import MAX_FEATURES_EXACT, minimise, minimise_hinge, sample_queries
from glassrank.core.pairs.objectives import LogisticPairs, SmoothedHingePairs, SquaredHingePairs
from glassrank.core.pairs.pair_weights import weigh_pairs
from glassrank.core.pairs.shrinking_fit import ShrinkingFit
from glassrank.core.pairs.weight_bounds import bounded_step, largest_excess, reduced_gradient
from tests.reference import bounded_minimum as twin
from tests.reference import pair_losses
from tests.reference.exact_minimum import exact_differences, exact_minimum, exact_value
from tests.reference.pairs import random_problem

SMOOTH = {"squared hinge": SquaredHingePairs, "logistic": LogisticPairs}
SOLVERS = {**dict.fromkeys(SMOOTH, minimise), "hinge": minimise_hinge}
OBJECTIVES = SMOOTH | {"hinge": SmoothedHingePairs}
TWINS = {"squared hinge": pair_losses.SquaredHinge(), "logistic": pair_losses.Logistic(), "hinge": pair_losses.Hinge()}
KINDS = ["uniform", "query", "label-gap", "ndcg"]
N_FEATURES = 3
every_loss = pytest.mark.parametrize("loss", OBJECTIVES)
forty_examples = settings(max_examples=40, deadline=None)
smooth_losses = pytest.mark.parametrize("loss", SMOOTH)


@dataclass(frozen=True)
class Bounded:
    """A small problem with bounds on some weights."""

    X: np.ndarray
    y: np.ndarray
    qid: np.ndarray
    C: float
    kind: str
    rows: np.ndarray | None
    nonnegative: np.ndarray

    def listed(self, loss):
        return pair_losses.listed_objective(self.X, self.y, self.qid, self.C, TWINS[loss], self.kind, self.rows)

    def objective(self, loss, as_rows=np.asarray, nonnegative=None):
        groups = group_rows(self.qid, len(self.y))
        weights = weigh_pairs(self.kind, self.y, groups, self.rows)
        data = ComparedRows.of(as_rows(self.X), self.y, groups, weights)
        return OBJECTIVES[loss](data, self.C, nonnegative=self.nonnegative if nonnegative is None else nonnegative)

    def solve(self, loss, tol=1e-9, max_iter=500, start=None, **options):
        start = np.zeros(self.X.shape[1]) if start is None else start
        return SOLVERS[loss](self.objective(loss, **options), start, tol=tol, max_iter=max_iter)


def simulated(seed, n_features=5, C=1.0, kind="uniform", share=0.6, n_rows=60):
    problem = random_problem(seed, n_rows=n_rows, n_features=n_features)
    nonnegative = np.random.default_rng(seed).random(n_features) < share
    return Bounded(problem.X, problem.y, problem.qid, C, kind, None, nonnegative)


@st.composite
def small_problems(draw):
    """Rows of small numbers, with ties and copies, in up to three queries."""
    n_rows = draw(st.integers(3, 12))
    X = draw(arrays(float, (n_rows, N_FEATURES), elements=st.integers(-4, 4).map(lambda number: number / 2)))
    y = draw(arrays(float, n_rows, elements=st.integers(0, 2)))
    qid = draw(arrays(int, n_rows, elements=st.integers(0, 2)))
    rows = draw(st.none() | arrays(float, n_rows, elements=st.sampled_from([0.0, 0.5, 1.0, 3.0])))
    C, kind = draw(st.sampled_from([0.01, 0.3, 1.0, 20.0])), draw(st.sampled_from(KINDS))
    nonnegative = draw(arrays(bool, N_FEATURES))
    found = Bounded(X, y, qid, C, kind, rows, nonnegative)
    assume(found.listed("hinge").weights.sum() > 0)
    return found


@smooth_losses
@forty_examples
@given(small_problems())
def test_the_minimum_equals_that_of_a_general_purpose_solver(loss, problem):
    slow = problem.listed(loss)
    expected = twin.bounded_minimum(slow, problem.nonnegative)
    solution = problem.solve(loss)
    assert solution.converged
    assert solution.value == pytest.approx(slow.value(solution.w), rel=1e-12)
    assert solution.value == pytest.approx(slow.value(expected), rel=1e-8)
    # Because f curves at least as much as ½‖w‖², half the squared distance to the minimum is at most the gap.
    np.testing.assert_allclose(solution.w, expected, rtol=0, atol=np.sqrt(2e-9 * solution.value) + 1e-6)


@forty_examples
@given(small_problems())
def test_the_minimum_of_the_hinge_loss_equals_that_of_the_listed_dual(problem):
    slow = problem.listed("hinge")
    w, lower = twin.bounded_hinge_minimum(slow, problem.nonnegative)
    solution = problem.solve("hinge", tol=1e-7)
    assert solution.converged
    assert solution.value == pytest.approx(slow.value(solution.w), rel=1e-12)
    assert lower * (1 - 1e-12) <= solution.value <= slow.value(w) * (1 + 1e-6)


@every_loss
@forty_examples
@given(small_problems(), st.sampled_from([1, 2, 4, 8, 500]))
def test_no_point_within_the_bounds_lies_deeper_than_the_gap(loss, problem, max_iter):
    """Also if the solver is stopped early, far from the minimum."""
    slow = problem.listed(loss)
    solution = problem.solve(loss, max_iter=max_iter)
    if loss == "hinge":
        best = twin.bounded_hinge_minimum(slow, problem.nonnegative)[0]
    else:
        best = twin.bounded_minimum(slow, problem.nonnegative)
    assert solution.value - slow.value(best) <= solution.duality_gap


@every_loss
@forty_examples
@given(small_problems())
def test_weights_keep_their_bounds_exactly(loss, problem):
    for max_iter in (1, 3, 500):
        assert (problem.solve(loss, max_iter=max_iter).w[problem.nonnegative] >= 0.0).all()


@smooth_losses
@forty_examples
@given(small_problems())
def test_active_bounds_have_a_nonnegative_gradient(loss, problem):
    solution = problem.solve(loss, tol=1e-10)
    gradient = problem.listed(loss).gradient(solution.w)
    active = problem.nonnegative & (solution.w == 0.0)
    assert (gradient[active] >= -np.sqrt(2e-10 * solution.value)).all()


@smooth_losses
@forty_examples
@given(small_problems())
def test_the_gradient_of_free_weights_vanishes(loss, problem):
    solution = problem.solve(loss, tol=1e-10)
    gradient = problem.listed(loss).gradient(solution.w)
    # A weight is as good as at its bound if it is smaller than the accuracy of all.
    accuracy = np.sqrt(2e-10 * solution.value)
    free = ~problem.nonnegative | (solution.w > accuracy)
    assert (np.abs(gradient[free]) <= accuracy * 1.001).all()


@every_loss
@forty_examples
@given(small_problems())
def test_an_empty_mask_changes_not_one_bit(loss, problem):
    empty = problem.solve(loss, nonnegative=np.zeros(N_FEATURES, dtype=bool))
    objective = OBJECTIVES[loss](problem.objective(loss).data, problem.C)
    free = SOLVERS[loss](objective, np.zeros(N_FEATURES), tol=1e-9, max_iter=500)
    assert empty.w.tobytes() == free.w.tobytes()
    assert (empty.value, empty.duality_gap, empty.n_iter) == (free.value, free.duality_gap, free.n_iter)


@every_loss
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_bounds_that_do_not_bind_leave_the_minimum_as_it_is(loss, kind, seed):
    problem = simulated(seed, kind=kind)
    free = problem.solve(loss, nonnegative=np.zeros(5, dtype=bool))
    kept = problem.solve(loss, nonnegative=free.w > 0.1)
    assert kept.value == pytest.approx(free.value, rel=1e-8)
    np.testing.assert_allclose(kept.w, free.w, atol=1e-4)


@every_loss
def test_features_that_all_point_down_end_at_zero(loss):
    """Every feature falls with the label: within the bounds, w = 0 and each pair has the loss of a margin of 0."""
    y = np.arange(6.0)
    X = np.column_stack([-y, -(y**2), -np.sqrt(y)])
    problem = Bounded(X, y, np.zeros(6, dtype=int), 2.0, "uniform", None, np.ones(3, dtype=bool))
    solution = problem.solve(loss)
    assert solution.w.tolist() == [0.0, 0.0, 0.0]
    assert solution.value == pytest.approx(2.0 * 15 * (np.log(2) if loss == "logistic" else 1.0), rel=1e-12)
    assert solution.converged


@every_loss
def test_a_start_outside_the_bounds_reaches_the_same_minimum(loss):
    problem = simulated(4)
    cold, warm = problem.solve(loss), problem.solve(loss, start=np.full(5, -3.0))
    assert warm.converged
    assert warm.value == pytest.approx(cold.value, rel=1e-8)


@every_loss
def test_sparse_rows_have_the_same_bounded_minimum(loss):
    problem = simulated(5)
    dense, thin = problem.solve(loss), problem.solve(loss, as_rows=sparse.csr_matrix)
    assert thin.converged
    assert thin.value == pytest.approx(dense.value, rel=1e-8)
    assert (thin.w[problem.nonnegative] >= 0.0).all()


def test_a_gap_below_rounding_errors_is_certified_in_doubled_precision():
    """The pair (0, −1, ½) alone is active: u = α (0, −1, ½) with α = 4, of which the bounds leave w = (0, 0, 2)."""
    X = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.5], [0.0, -1.0, 1.0]])
    every = np.ones(3, dtype=bool)
    problem = Bounded(X, np.array([0.0, 0.0, 0.0, 1.0]), np.zeros(4, dtype=int), 20.0, "uniform", None, every)
    solution = problem.solve("hinge", tol=1e-8)
    assert solution.converged
    assert solution.value == pytest.approx(2.0, rel=1e-7)
    np.testing.assert_allclose(solution.w, [0.0, 0.0, 2.0], atol=1e-7)


@smooth_losses
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3, 1e6])
def test_scales_from_a_thousandth_to_a_million_converge(loss, C):
    """Weak duality, computed on the listed pairs, certifies what no general-purpose solver reaches."""
    for seed in range(3):
        problem = simulated(seed, n_features=6, C=C / 1000, n_rows=120)
        X = (problem.X + 5) * [1e-3, 1.0, 1e3, 1e6, 20.0, 1e-2]
        problem = Bounded(X, problem.y, problem.qid, problem.C, "uniform", None, problem.nonnegative)
        solution = problem.solve(loss, tol=1e-7)
        assert solution.converged
        gradient = problem.listed(loss).gradient(solution.w)
        assert twin.largest_excess(solution.w, gradient, problem.nonnegative) <= 1.01e-7 * solution.value


@smooth_losses
def test_copies_of_a_bounded_column_share_its_weight(loss):
    problem = simulated(1, n_features=3)
    X = np.column_stack([problem.X, problem.X[:, 0], np.zeros(len(problem.y))])
    free = problem.solve(loss, nonnegative=np.zeros(3, dtype=bool)).w
    nonnegative = np.array([free[0] > 0, True, True, free[0] > 0, True])
    copies = Bounded(X, problem.y, problem.qid, 1.0, "uniform", None, nonnegative)
    solution = copies.solve(loss, tol=1e-12)
    assert solution.w[0] != 0.0
    assert solution.w[0] == pytest.approx(solution.w[3], rel=1e-4)
    assert solution.w[4] == 0.0


def own_features(seed, n_queries=3):
    """Queries with one feature of their own each, of different scale and direction."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_queries), rng.integers(2, 8, size=n_queries))
    X = np.zeros((len(qid), n_queries))
    X[np.arange(len(qid)), qid] = rng.normal(size=len(qid)) * (10.0 ** rng.integers(-3, 7, size=n_queries))[qid]
    y = np.where(rng.random(n_queries) < 0.5, 1, -1)[qid] * np.argsort(np.argsort(X.sum(axis=1)))
    return X, y.astype(float), qid


@pytest.mark.parametrize("loss", ["hinge", "squared hinge"])
@pytest.mark.parametrize(("C", "tol"), [(10.0, 1e-14), (1e4, 1e-6), (1e8, 1e-6), (1e10, 1e-6), (1e12, 1e-6)])
def test_the_gap_bounds_the_true_excess_in_exact_arithmetic(loss, C, tol):
    power = loss.replace(" ", "_")
    for seed in range(12):
        X, y, qid = own_features(seed)
        differences = exact_differences(X, y, qid)
        nonnegative = np.random.default_rng(seed).random(3) < 0.7
        # A power of two, so that the mean of the twin and the sum of the objective have the same factor.
        problem = Bounded(X, y, qid, 2.0 ** round(np.log2(C / len(differences))), "uniform", None, nonnegative)
        solution = problem.solve(loss, tol=tol, max_iter=200)
        lowest = exact_minimum(differences, problem.C * len(differences), power, nonnegative)
        gap = Fraction(solution.duality_gap)
        assert exact_value(differences, solution.w, problem.C * len(differences), power) - lowest <= gap
        assert abs(Fraction(solution.value) - lowest) <= gap
        assert solution.duality_gap <= solution.value * (1 + 1e-12)


@pytest.mark.parametrize("C", [1.0, 1e4, 1e8])
@pytest.mark.parametrize("tol", [1e-6, 1e-14])
def test_the_gap_of_the_logistic_loss_covers_every_point_around_the_minimum(C, tol):
    rng = np.random.default_rng(4)
    problem = simulated(6, C=C / 500)
    solution = problem.solve("logistic", tol=tol, max_iter=60)
    slow = problem.listed("logistic")
    for size in (1e-12, 1e-9, 1e-6, 1e-3):
        w = solution.w * (1 + size * rng.normal(size=5))
        assert solution.value - solution.duality_gap <= slow.value(w) * (1 + 1e-13)


@forty_examples
@given(
    arrays(float, (4, 4), elements=st.floats(-2, 2)),
    arrays(float, 4, elements=st.floats(-5, 5)),
    arrays(float, 4, elements=st.sampled_from([0.0, 0.0, 0.5, 2.0])),
    arrays(bool, 4),
    arrays(float, 4, elements=st.sampled_from([1.0, 1e-3, 1e4])),
)
@example(
    np.tile([1.5, 0.1, -0.9, 1.9], (4, 1)),
    np.array([-3.2, -3.9, 3.5, 3.1]),
    np.array([0.0, 0.5, 0.0, 0.5]),
    np.array([False, True, True, True]),
    np.full(4, 1e4),
)
@example(
    np.tile([-1.3, -1.41, -1.04, -1.68], (4, 1)),
    np.array([4.7, 2.9, 4.9, 1.5]),
    np.array([0.5, 0.0, 0.5, 0.0]),
    np.array([True, False, False, True]),
    np.full(4, 1e4),
)
def test_a_step_within_bounds_equals_the_best_of_all_active_sets(root, gradient, w, nonnegative, scales):
    hessian = np.eye(4) + (root.T @ root) * scales * scales[:, None]
    expected = twin.enumerated_step(hessian, gradient, w, nonnegative)
    step = bounded_step(hessian, gradient, w, nonnegative)
    lowest = gradient @ expected + 0.5 * expected @ hessian @ expected
    rounding = 1e-12 + np.finfo(float).eps * np.linalg.cond(hessian)
    assert gradient @ step + 0.5 * step @ hessian @ step <= lowest + rounding * abs(lowest)
    for share in (1.0, 0.7, 0.1):
        assert (w + share * step)[nonnegative].min(initial=0.0) >= 0.0


@forty_examples
@given(
    arrays(float, 4, elements=st.floats(-5, 5)),
    arrays(float, 4, elements=st.floats(0, 5)),
    arrays(bool, 4),
)
def test_the_largest_excess_equals_that_of_each_weight_alone(gradient, w, nonnegative):
    w = np.where(nonnegative, w, w - 2.5)
    expected = twin.largest_excess(w, gradient, nonnegative)
    assert largest_excess(w, gradient, nonnegative) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_the_reduced_gradient_is_zero_at_a_bound_that_binds():
    reduced = reduced_gradient(np.array([0.0, 0.0, 2.0, 0.0]), np.array([3.0, -3.0, 1.0, 3.0]), np.arange(4) < 3)
    assert reduced.tolist() == [0.0, -3.0, 1.0, 3.0]


def many_rows(n_queries=2600, size=40):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_queries * size, 4))
    y = np.digitize(X @ [1.0, -1.0, 0.5, -0.2] + rng.normal(size=len(X)), [-1.0, 1.0]).astype(float)
    return ComparedRows.of(X, y, group_rows(np.repeat(np.arange(n_queries), size), len(y)))


def test_much_data_start_from_a_bounded_sample():
    data, nonnegative = many_rows(), np.array([True, True, False, True])
    objective = SquaredHingePairs(data, 1e-4, nonnegative=nonnegative)
    assert sample_queries(objective).nonnegative.tolist() == nonnegative.tolist()
    solution = minimise(objective, np.zeros(4), tol=1e-10, max_iter=50)
    assert solution.converged
    assert solution.w[[1, 3]].tolist() == [0.0, 0.0]
    # Without the two columns that end at their bound, the minimum is the same.
    alone = SquaredHingePairs(data.with_rows(data.X[:, [0, 2]]), 1e-4)
    assert solution.value == pytest.approx(minimise(alone, np.zeros(2), tol=1e-10, max_iter=50).value, rel=1e-9)


@every_loss
def test_too_many_columns_for_bounds_are_refused_with_the_remedy(loss):
    X = np.zeros((3, MAX_FEATURES_EXACT + 1))
    X[1, 0] = 1.0
    problem = Bounded(X, np.arange(3.0), np.zeros(3, dtype=int), 1.0, "uniform", None, X[1] > 0)
    with pytest.raises(DataError, match=r"at most 2048 columns: got 2049\. Select features first"):
        problem.solve(loss)


def test_a_mask_of_the_wrong_length_is_refused():
    problem = simulated(0)
    with pytest.raises(DataError, match="nonnegative must have one entry per column of X: expected 5, got 4"):
        problem.objective("logistic", nonnegative=np.ones(4, dtype=bool))


def test_repeated_fits_refuse_bounds():
    problem = simulated(0)
    with pytest.raises(DataError, match="do not support bounds on weights: got 5 bounded columns"):
        ShrinkingFit(problem.objective("squared hinge", nonnegative=np.ones(5, dtype=bool)))
