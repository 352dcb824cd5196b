"""Every loss with every pair weight and row weight, swept without listing pairs, against twins that list them all."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from scipy.optimize import approx_fprime

from glassrank.core.groups import group_rows
from glassrank.core.pairs.compared_rows import ComparedRows
from glassrank.core.pairs.objectives import LogisticPairs, SmoothedHingePairs, SquaredHingePairs
from glassrank.core.pairs.pair_weights import weigh_pairs
from tests.reference import pair_losses as twin
from tests.reference.pairs import random_problem

WIDTH = 0.25
LOSSES = {
    "squared hinge": (SquaredHingePairs, twin.SquaredHinge()),
    "smoothed hinge": (lambda data, C: SmoothedHingePairs(data, C, WIDTH), twin.SmoothedHinge(WIDTH)),
    "logistic": (LogisticPairs, twin.Logistic()),
}
KINDS = ["uniform", "query", "label-gap", "ndcg"]
every_loss = pytest.mark.parametrize("loss", LOSSES)
every_kind = pytest.mark.parametrize("kind", KINDS)


def objective_of(loss, X, y, qid=None, C=1.0, kind="uniform", row_weights=None):
    y, groups = np.asarray(y, dtype=float), group_rows(qid, len(y))
    return LOSSES[loss][0](ComparedRows.of(X, y, groups, weigh_pairs(kind, y, groups, row_weights)), C)


def assert_equals_twin(loss, X, y, qid, w, C=1.0, kind="uniform", row_weights=None, rtol=1e-11):
    """Compare every quantity at w; errors are relative to the size of the terms before they cancel."""
    dense = X.toarray() if sparse.issparse(X) else X
    slow = twin.listed_objective(dense, y, qid, C, LOSSES[loss][1], kind, row_weights)
    objective = objective_of(loss, X, y, qid, C, kind, row_weights)
    assert objective.n_pairs == len(slow.differences)
    point = objective.at(w)
    direction = np.cos(np.arange(1, len(w) + 1))
    hessian, product = point.hessian(), point.hessian_product(direction)
    close(point.value, slow.value(w), rtol)
    close(point.gradient, slow.gradient(w), rtol, slow.gradient_scale(w))
    close(hessian, slow.hessian(w), rtol)
    close(product, slow.hessian_product(w, direction), rtol)
    np.testing.assert_array_equal(hessian, hessian.T)
    return point, slow


def close(actual, expected, rtol, scale=None):
    scale = np.max(np.abs(expected)) if scale is None else scale
    np.testing.assert_allclose(actual, expected, rtol=0, atol=rtol * scale)


def row_weights_of(seed, n_rows):
    """Weights between 0 and 3, every fifth of them exactly 0."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random(n_rows) < 0.2, 0.0, 3 * rng.random(n_rows))


@every_loss
@every_kind
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("levels", [2, 5, 40, None])
def test_every_quantity_equals_the_listed_pairs(loss, kind, weighted, levels):
    """Unsorted rows with duplicates, a query of one document, one whose labels are all equal."""
    for seed in range(3):
        problem = random_problem(seed, levels=levels, n_rows=60 + 20 * seed)
        rows = row_weights_of(seed, len(problem.y)) if weighted else None
        # A gain of 2^40 would hide those of other labels, and negative labels have none: use the usual range.
        y = problem.y / 10 if levels == 40 else problem.y - problem.y.min()
        C = 10.0 ** (seed - 1)
        assert_equals_twin(loss, problem.X, y, problem.qid, problem.w, C, kind, rows, rtol=1e-10)


@every_loss
@every_kind
@pytest.mark.parametrize("weighted", [False, True])
def test_sparse_rows_equal_the_listed_pairs(loss, kind, weighted):
    problem = random_problem(4, n_features=6)
    X = np.where(np.random.default_rng(4).random(problem.X.shape) < 0.6, 0.0, problem.X)
    X[:, 2] = 0.0
    rows = row_weights_of(4, len(problem.y)) if weighted else None
    assert_equals_twin(loss, sparse.csr_matrix(X), problem.y, problem.qid, problem.w, 1.0, kind, rows)


@every_loss
@every_kind
@pytest.mark.parametrize("n_features", [1, 300])
def test_one_and_300_features(loss, kind, n_features):
    problem = random_problem(5, n_rows=80, n_features=n_features)
    w = problem.w / np.sqrt(n_features)
    assert_equals_twin(loss, problem.X, problem.y, problem.qid, w, 0.5, kind, row_weights_of(5, 80))


@every_loss
@every_kind
@pytest.mark.parametrize("levels", [3, None])
def test_one_long_query_equals_the_listed_pairs(loss, kind, levels):
    problem = random_problem(3, n_rows=350, n_features=3, n_queries=1, levels=levels)
    y, rows = problem.y - problem.y.min(), row_weights_of(3, 350)
    assert_equals_twin(loss, problem.X, y, None, problem.w, 0.01, kind, rows, rtol=1e-10)


@every_loss
@every_kind
@pytest.mark.parametrize("seed", range(4))
def test_margins_exactly_at_the_kinks_fall_on_the_same_side(loss, kind, seed):
    """Scores are multiples of ¼: many margins are exactly 1, and exactly 1 − δ for the smoothed hinge."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-6, 7, size=(80, 3)) / 4
    y, qid = rng.integers(4, size=80).astype(float), rng.integers(6, size=80)
    w = np.array([1.0, -1.0, 1.0])
    _, slow = assert_equals_twin(loss, X, y, qid, w, 1.0, kind, rng.integers(0, 3, 80).astype(float), rtol=1e-12)
    assert np.sum(slow.margins(w) == 1.0) > 5
    assert np.sum(slow.margins(w) == 1.0 - WIDTH) > 5


quarters = st.integers(-8, 8).map(lambda number: number / 4)


@st.composite
def small_problems(draw):
    n, d = draw(st.integers(1, 12)), draw(st.integers(1, 3))
    return {
        "X": draw(arrays(float, (n, d), elements=quarters)),
        "y": draw(arrays(float, n, elements=st.integers(0, 4).map(float))),
        "qid": draw(arrays(int, n, elements=st.integers(0, 3))),
        "w": draw(arrays(float, d, elements=quarters)),
        "C": draw(st.sampled_from([0.25, 1.0, 8.0])),
        "kind": draw(st.sampled_from(KINDS)),
        "row_weights": draw(st.none() | arrays(float, n, elements=st.integers(0, 3).map(float))),
    }


@every_loss
@settings(deadline=None)
@given(problem=small_problems())
def test_any_small_problem_equals_the_listed_pairs(loss, problem):
    assert_equals_twin(loss, rtol=1e-12, **problem)


@every_loss
@every_kind
def test_at_zero_the_value_is_the_total_weight_times_the_loss_of_margin_zero(loss, kind):
    problem = random_problem(1)
    rows = row_weights_of(1, len(problem.y))
    pairs = twin.listed_pairs(problem.y, problem.qid)
    total = twin.listed_weights(kind, problem.y, problem.qid, pairs, rows).sum()
    point = objective_of(loss, problem.X, problem.y, problem.qid, 0.5, kind, rows).at(np.zeros(4))
    at_zero = {"squared hinge": 1.0, "smoothed hinge": 1 - WIDTH / 2, "logistic": np.log(2)}[loss]
    assert point.value == pytest.approx(0.5 * total * at_zero, rel=1e-13)


@every_loss
@every_kind
def test_gradient_and_hessian_are_the_slopes_of_value_and_gradient(loss, kind):
    problem = random_problem(2, n_rows=40)
    objective = objective_of(loss, problem.X, problem.y, problem.qid, 0.5, kind, row_weights_of(2, 40))
    gradient, hessian = objective.at(problem.w).gradient, objective.at(problem.w).hessian()
    slope = approx_fprime(problem.w, lambda w: objective.at(w).value, 1e-7)
    np.testing.assert_allclose(gradient, slope, rtol=0, atol=1e-4 * np.abs(slope).max())
    slope = approx_fprime(problem.w, lambda w: objective.at(w).gradient, 1e-8)
    np.testing.assert_allclose(hessian, slope, rtol=0, atol=1e-5 * np.abs(slope).max())


@every_loss
def test_rows_in_several_threads_equal_the_listed_pairs(loss):
    """50,000 rows are swept in several blocks at once."""
    rng = np.random.default_rng(0)
    n_rows, qid = 50_000, np.repeat(np.arange(5000), 10)
    X, y, w = rng.normal(size=(n_rows, 3)), rng.integers(3, size=n_rows).astype(float), rng.normal(size=3)
    assert_equals_twin(loss, X, y, qid, w, 1e-3, rtol=1e-10)


@every_loss
@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_matrix])
def test_repeated_evaluations_are_bitwise_equal(loss, as_rows):
    rng = np.random.default_rng(1)
    X, y = as_rows(rng.normal(size=(50_000, 3))), rng.integers(3, size=50_000).astype(float)
    qid, w, v = np.repeat(np.arange(5000), 10), rng.normal(size=3), rng.normal(size=3)
    first, again = (objective_of(loss, X, y, qid).at(w) for _ in range(2))
    assert first.value == again.value
    np.testing.assert_array_equal(first.gradient, again.gradient)
    np.testing.assert_array_equal(first.hessian_product(v), again.hessian_product(v))


@every_loss
def test_evaluations_do_not_depend_on_earlier_points(loss):
    """The order of the last point is reused and must not change the next result."""
    problem = random_problem(6, n_rows=120)
    fresh = objective_of(loss, problem.X, problem.y, problem.qid).at(problem.w)
    used = objective_of(loss, problem.X, problem.y, problem.qid)
    for w in [np.zeros(4), -problem.w, 1e-3 * problem.w, np.eye(4)[2]]:
        used.at(w)
    again = used.at(problem.w)
    assert again.value == pytest.approx(fresh.value, rel=1e-13)
    np.testing.assert_allclose(again.gradient, fresh.gradient, rtol=1e-11)
    np.testing.assert_allclose(again.hessian(), fresh.hessian(), rtol=1e-11)


@every_loss
def test_an_older_point_raises_an_error_for_its_hessian(loss):
    """The work arrays belong to the last point: an older one must not return another point's Hessian."""
    objective = objective_of(loss, np.eye(3), [0, 1, 2])
    old = objective.at(np.zeros(3))
    objective.at(np.ones(3))
    with pytest.raises(RuntimeError, match="last evaluated point"):
        old.hessian()
    with pytest.raises(RuntimeError, match="last evaluated point"):
        old.hessian_product(np.ones(3))


@every_loss
@every_kind
def test_without_pairs_the_value_is_the_penalty(loss, kind):
    """Queries of one document, and a query whose labels are all equal."""
    objective = objective_of(loss, np.arange(10.0).reshape(5, 2), [3, 3, 3, 0, 1], [1, 1, 1, 2, 3], 5.0, kind)
    point = objective.at(np.array([3.0, 4.0]))
    assert objective.n_pairs == 0
    assert point.value == 12.5
    np.testing.assert_array_equal(point.gradient, [3.0, 4.0])
    np.testing.assert_array_equal(point.hessian(), np.eye(2))
    np.testing.assert_array_equal(point.hessian_product(np.array([1.0, 2.0])), [1.0, 2.0])


@every_loss
@every_kind
def test_a_large_offset_of_the_features_does_not_reduce_accuracy(loss, kind):
    problem = random_problem(7)
    assert_equals_twin(loss, problem.X + 1e6, problem.y, problem.qid, problem.w, 1.0, kind, rtol=1e-8)


@pytest.mark.parametrize("scale", [1.0, 1e3])
def test_margins_far_from_zero_do_not_overflow_the_logistic_loss(scale):
    problem = random_problem(8, n_features=2)
    assert_equals_twin("logistic", problem.X, problem.y, problem.qid, scale * problem.w)


def test_two_documents_by_hand_with_the_logistic_loss():
    """δ = 2, w = ½ log 3, margin log 3: loss log(4/3), slope −¼, curvature 3/16; C = 8, pair weight 2 · 3 = 6."""
    objective = objective_of("logistic", np.array([[2.0], [0.0]]), [1, 0], C=8.0, row_weights=np.array([2.0, 3.0]))
    point = objective.at(np.array([np.log(3) / 2]))
    assert point.value == pytest.approx(np.log(3) ** 2 / 8 + 48 * np.log(4 / 3), rel=1e-14)
    assert point.gradient[0] == pytest.approx(np.log(3) / 2 - 48 * 2 / 4, rel=1e-14)
    assert point.hessian()[0, 0] == pytest.approx(1 + 48 * 4 * 3 / 16, rel=1e-14)


@pytest.mark.parametrize("width", [0.5, 0.1, 1e-3])
def test_the_smoothed_hinge_lies_below_the_hinge_by_at_most_half_the_width(width):
    """With one pair, the loss at each margin is the value minus ½w²."""
    margins = np.linspace(-2, 2, 401)
    groups = group_rows(None, 2)
    data = ComparedRows.of(np.array([[0.0], [1.0]]), np.array([0.0, 1.0]), groups)
    objective = SmoothedHingePairs(data, 1.0, width)
    smooth = np.array([objective.at(np.array([m])).value - 0.5 * m * m for m in margins])
    hinge = np.maximum(0, 1 - margins)
    assert np.all(smooth <= hinge + 1e-13)
    assert np.all(smooth >= hinge - width / 2 - 1e-12)
    np.testing.assert_allclose(smooth, twin.SmoothedHinge(width).loss(margins), rtol=0, atol=1e-15 / width + 1e-14)


@every_kind
@pytest.mark.parametrize("width", [0.5, 1e-2])
def test_the_hinge_value_equals_that_of_the_listed_pairs(kind, width):
    problem = random_problem(9)
    y, groups = problem.y, group_rows(problem.qid, len(problem.y))
    rows = row_weights_of(9, len(y))
    objective = SmoothedHingePairs(
        ComparedRows.of(problem.X, y, groups, weigh_pairs(kind, y, groups, rows)), 2.0, width
    )
    slow = twin.listed_objective(problem.X, y, problem.qid, 2.0, twin.Hinge(), kind, rows)
    point = objective.at(problem.w)
    assert objective.hinge_value(point) == pytest.approx(slow.value(problem.w), rel=1e-12)
    assert objective.hinge_value(point) >= point.value


@every_loss
@every_kind
@pytest.mark.parametrize("weighted", [False, True])
def test_the_gap_is_the_fenchel_gap_of_the_listed_pairs(loss, kind, weighted):
    """For the smoothed hinge, it is the gap of the hinge itself, with the smoothed slopes in the dual."""
    problem = random_problem(10)
    rows = row_weights_of(10, len(problem.y)) if weighted else None
    judged = twin.Hinge() if loss == "smoothed hinge" else None
    objective = objective_of(loss, problem.X, problem.y, problem.qid, 0.3, kind, rows)
    slow = twin.listed_objective(problem.X, problem.y, problem.qid, 0.3, LOSSES[loss][1], kind, rows)
    for w in [np.zeros(4), problem.w, 0.01 * problem.w, 10 * problem.w]:
        expected = slow.duality_gap(w, judged)
        scale = slow.value(w) + slow.gradient_scale(w) ** 2
        assert objective.at(w).duality_gap == pytest.approx(expected, rel=1e-9, abs=1e-12 * scale)


@pytest.mark.parametrize("width", [0.5, 1e-2, 1e-4])
@pytest.mark.parametrize("seed", range(3))
def test_the_gap_of_the_smoothed_hinge_bounds_the_distance_to_any_other_value(width, seed):
    """By weak duality, the hinge value at w minus the gap is below the hinge value at every other point."""
    problem = random_problem(seed)
    data = ComparedRows.of(problem.X, problem.y, group_rows(problem.qid, len(problem.y)))
    objective = SmoothedHingePairs(data, 0.1, width)
    slow = twin.listed_objective(problem.X, problem.y, problem.qid, 0.1, twin.Hinge())
    rng = np.random.default_rng(seed)
    points = [np.zeros(4), *(size * rng.normal(size=4) for size in [0.01, 0.1, 0.3, 1.0, 3.0] * 4)]
    evaluated = [objective.at(w) for w in points]
    lowest = min(slow.value(w) for w in points)
    assert all(objective.hinge_value(point) - point.duality_gap <= lowest + 1e-9 for point in evaluated)
