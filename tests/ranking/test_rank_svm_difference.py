"""RankSVM on differences against LIBSVM with the exact kernel, and against slow twins on listed pairs."""

import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

from glassrank import BestSingleFeature, DataError, PairCalibrator, RankSVM, RankSVMCV
from glassrank.core.pairs import difference_rows
from tests.estimator_checks import assert_passes
from tests.reference import differences as reference
from tests.reference import lrbf
from tests.reference import pair_losses as twin
from tests.reference.pairs import random_problem

LOSSES = {"squared_hinge": twin.SquaredHinge(), "hinge": twin.Hinge(), "logistic": twin.Logistic()}
TIGHT = {"squared_hinge": 1e-12, "hinge": 1e-9, "logistic": 1e-12}
every_loss = pytest.mark.parametrize("loss", LOSSES)


@pytest.fixture(autouse=True, scope="module")
def one_blas_thread():
    """The products are small: on a busy machine, a second thread would only add waiting time."""
    with threadpool_limits(1, user_api="blas"):
        yield


def ranker(loss="squared_hinge", **parameters):
    fixed = {"C_unit": "pair", "kernel": "lrbf", "mode": "difference", "loss": loss, "tol": TIGHT[loss]}
    return RankSVM(**(fixed | parameters))


def fit(problem, loss="squared_hinge", rows=None, **parameters):
    return ranker(loss, **parameters).fit(problem.X, problem.y, qid=problem.qid, sample_weight=rows)


def differences(problem):
    pairs = twin.listed_pairs(problem.y, problem.qid)
    return problem.X[pairs[:, 0]] - problem.X[pairs[:, 1]], pairs


def listed(problem, loss, C=1.0, kind="uniform", rows=None, gammas=None):
    """The objective over listed pairs, in columns whose products are the exact odd kernel."""
    delta, pairs = differences(problem)
    gammas = lrbf.scale_gammas(problem.X, problem.qid, rows) if gammas is None else gammas
    weights = twin.listed_weights(kind, problem.y, problem.qid, pairs, rows)
    return twin.ListedObjective(reference.odd_factor(delta, gammas), weights, C, LOSSES[loss])


def both_orientations(delta, gammas):
    """Exact kernel of (δ, +1) and (−δ, −1) for all pairs: plain Gaussians, and their odd part."""
    rows = np.vstack([delta, -delta])
    return {"plain": lrbf.kernel(rows, rows, gammas), "odd": reference.odd_kernel(rows, rows, gammas)}


# The solution.


@pytest.mark.parametrize("kind", ["plain", "odd"])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("C", [0.01, 0.1, 1.0])
def test_the_hinge_solution_is_libsvms_on_both_orientations_with_half_of_c(seed, C, kind):
    """LIBSVM keeps its kernel in single precision: its primal value is above the minimum, its dual value below."""
    problem = random_problem(seed, n_rows=40, n_features=3)
    delta, pairs = differences(problem)
    gram = both_orientations(delta, lrbf.scale_gammas(problem.X, problem.qid))[kind]
    sign = np.repeat([1, -1], len(delta))
    peer = SVC(kernel="precomputed", C=C / 2, tol=1e-10).fit(gram, sign)
    alpha = np.zeros(len(sign))
    alpha[peer.support_] = peer.dual_coef_[0]
    decisions = gram @ alpha
    primal = 0.5 * alpha @ decisions + C / 2 * np.maximum(0, 1 - sign * decisions).sum()
    dual = np.abs(alpha).sum() - 0.5 * alpha @ decisions
    model = fit(problem, "hinge", C=C)
    assert dual * (1 - 1e-7) <= model.objective_ <= primal * (1 + 1e-7)
    assert model.objective_ == pytest.approx(dual, rel=1e-7)
    found = model.decide_pairs(problem.X[pairs[:, 0]], problem.X[pairs[:, 1]])
    np.testing.assert_allclose(found, decisions[: len(delta)], rtol=0, atol=1e-5)


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
@pytest.mark.parametrize("C", [0.1, 3.0])
def test_the_optimum_is_the_slow_twins(loss, C):
    problem = random_problem(4, n_rows=50, n_features=3)
    slow = listed(problem, loss, C)
    w = reference.minimum(slow)
    model = fit(problem, loss, C=C)
    assert model.objective_ == pytest.approx(slow.value(w), rel=1e-7)
    _, pairs = differences(problem)
    found = model.decide_pairs(problem.X[pairs[:, 0]], problem.X[pairs[:, 1]])
    np.testing.assert_allclose(found, slow.margins(w), rtol=0, atol=1e-5)


@every_loss
@pytest.mark.parametrize("tol", [1e-2, 1e-6])
def test_the_gap_is_certified(loss, tol):
    problem = random_problem(5, n_rows=50, n_features=3)
    rough, exact = fit(problem, loss, tol=tol), fit(problem, loss)
    assert rough.duality_gap_ <= tol * rough.objective_
    assert rough.objective_ - rough.duality_gap_ <= exact.objective_ * (1 + 1e-12)
    assert exact.objective_ - exact.duality_gap_ <= rough.objective_
    assert exact.n_iter_ >= rough.n_iter_ >= 1


@every_loss
def test_the_objective_is_that_of_its_own_decisions(loss):
    """‖w‖² and the loss of the margins, computed by hand."""
    problem = random_problem(6, n_rows=60, n_features=2)
    _, pairs = differences(problem)
    model = fit(problem, loss, C=0.3)
    margins = model.decide_pairs(problem.X[pairs[:, 0]], problem.X[pairs[:, 1]])
    by_hand = 0.5 * model.coef_ @ model.coef_ + 0.3 * LOSSES[loss].loss(margins).sum()
    assert model.objective_ == pytest.approx(by_hand, rel=1e-8)


@every_loss
def test_reversing_a_pair_reverses_the_sign_exactly(loss):
    problem = random_problem(7, n_rows=80, n_features=3)
    model = fit(problem, loss)
    A, B = problem.X[:40] * 3, problem.X[40:]
    np.testing.assert_array_equal(model.decide_pairs(A, B), -model.decide_pairs(B, A))
    np.testing.assert_array_equal(model.decide_pairs(A, A), 0.0)


def test_decisions_depend_on_the_difference_alone():
    problem = random_problem(7, n_rows=80, n_features=3)
    model = fit(problem)
    A, B = problem.X[:40], problem.X[40:]
    np.testing.assert_allclose(model.decide_pairs(A + 5.0, B + 5.0), model.decide_pairs(A, B), rtol=0, atol=1e-9)


def test_the_curves_of_the_features_add_up_to_the_decision():
    problem = random_problem(8, n_rows=80, n_features=3)
    model = fit(problem)
    A, B = problem.X[:40], problem.X[40:]
    curves = model.feature_map_.curves(model.coef_)
    summed = sum(curve(A[:, k] - B[:, k]) for k, curve in enumerate(curves))
    np.testing.assert_allclose(model.decide_pairs(A, B), summed, rtol=0, atol=1e-10)


@every_loss
def test_columns_recomputed_in_every_pass_give_the_same_model(loss, monkeypatch):
    problem = random_problem(9, n_rows=60, n_features=2)
    held = fit(problem, loss)
    monkeypatch.setattr(difference_rows, "BLOCK_PAIRS", 32)
    monkeypatch.setattr(difference_rows.DifferenceRows.__init__, "__defaults__", (0,))
    made = fit(problem, loss)
    assert made.objective_ == pytest.approx(held.objective_, rel=1e-9)
    np.testing.assert_allclose(made.coef_, held.coef_, rtol=0, atol=1e-4)


@every_loss
def test_the_linear_kernel_is_odd_already_and_is_trained_without_pairs(loss):
    problem = random_problem(10, n_rows=80, n_features=3)
    X, y, qid = problem.X, problem.y, problem.qid
    utility = RankSVM(loss=loss).fit(X, y, qid=qid)
    difference = RankSVM(loss=loss, mode="difference", max_pairs=1).fit(X, y, qid=qid)
    np.testing.assert_array_equal(difference.coef_, utility.coef_)
    np.testing.assert_array_equal(difference.predict(X), utility.predict(X))
    assert difference.n_sampled_pairs_ == difference.n_pairs_ == len(twin.listed_pairs(y, qid))


def test_a_cycle_of_preferences_is_learned_that_no_score_can_represent():
    """Three kinds of documents, each better than the next: pairs of a query show two of the three at a time."""
    kinds = np.array([0.0, 1.0, 3.0])
    beats = [(0, 1), (1, 2), (2, 0)]
    X = np.array([[kinds[kind]] for pair in beats for kind in pair])
    y, qid = np.tile([1, 0], 3), np.repeat(np.arange(3), 2)
    difference = ranker(C=100.0, gamma=2.0).fit(X, y, qid=qid)
    utility = RankSVM(C=100.0, C_unit="pair", kernel="lrbf", gamma=2.0).fit(X, y, qid=qid)
    assert difference.score(X, y, qid=qid) == 1.0
    assert utility.score(X, y, qid=qid) < 1.0


# Weights.


@pytest.mark.parametrize("kind", ["uniform", "query", "label-gap", "ndcg"])
@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_pair_weights_and_row_weights_are_used(kind, loss):
    problem = random_problem(11, n_rows=50, n_features=2)
    rows = np.random.default_rng(11).random(50)
    slow = listed(problem, loss, 1.0, kind, rows, np.full(2, 0.7))
    model = fit(problem, loss, rows, gamma=0.7, pair_weight=kind)
    assert model.objective_ == pytest.approx(slow.value(reference.minimum(slow)), rel=1e-7)


@pytest.mark.parametrize("gamma", ["scale", 0.5])
@every_loss
def test_whole_row_weights_equal_repeated_rows(gamma, loss):
    problem = random_problem(12, n_rows=60, n_features=2)
    weights = np.random.default_rng(12).integers(0, 4, size=60)
    X, y, qid = (np.repeat(part, weights, axis=0) for part in (problem.X, problem.y, problem.qid))
    weighted = fit(problem, loss, weights, gamma=gamma, C=0.1)
    repeated = ranker(loss, gamma=gamma, C=0.1).fit(X, y, qid=qid)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-8)
    A, B = X[:30], X[30:60]
    np.testing.assert_allclose(weighted.decide_pairs(A, B), repeated.decide_pairs(A, B), rtol=0, atol=2e-4)


def test_c_on_the_mean_loss_is_c_over_the_total_weight():
    problem = random_problem(13, n_rows=60, n_features=2)
    rows = np.random.default_rng(13).random(60)
    _, pairs = differences(problem)
    total = twin.listed_weights("uniform", problem.y, problem.qid, pairs, rows).sum()
    by_mean = fit(problem, rows=rows, C=2.0, C_unit="mean")
    by_pair = fit(problem, rows=rows, C=2.0 / total)
    np.testing.assert_allclose(by_mean.coef_, by_pair.coef_, rtol=0, atol=1e-9)


# The maximum number of pairs.


def test_a_warning_about_max_pairs_has_both_counts_and_the_line_that_called_fit():
    problem = random_problem(14, n_rows=80, n_features=2)
    n_pairs = len(twin.listed_pairs(problem.y, problem.qid))
    with pytest.warns(UserWarning, match=rf"learns from 50 of {n_pairs:,} comparable pairs.*max_pairs") as caught:
        model = ranker(max_pairs=50).fit(problem.X, problem.y, qid=problem.qid)
    assert Path(caught[0].filename).name == Path(__file__).name
    assert (model.n_pairs_, model.n_sampled_pairs_) == (n_pairs, 50)


def test_max_pairs_does_not_warn_if_there_are_fewer_pairs():
    problem = random_problem(14, n_rows=80, n_features=2)
    n_pairs = len(twin.listed_pairs(problem.y, problem.qid))
    exact, capped = fit(problem, max_pairs=None), fit(problem, max_pairs=n_pairs)
    assert capped.n_sampled_pairs_ == n_pairs
    np.testing.assert_array_equal(capped.coef_, exact.coef_)


@every_loss
def test_the_objective_on_a_sample_estimates_that_on_all_pairs(loss):
    """Without an estimate of the whole loss, half of the pairs would have half of the objective."""
    problem = random_problem(15, n_rows=150, n_features=2)
    whole = fit(problem, loss, C=1e-3)
    with pytest.warns(UserWarning, match="drawn at random"):
        half = fit(problem, loss, C=1e-3, max_pairs=whole.n_pairs_ // 2)
    assert half.objective_ == pytest.approx(whole.objective_, rel=0.1)


def test_the_seed_decides_which_pairs_are_drawn():
    problem = random_problem(16, n_rows=80, n_features=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        first, again, other = (fit(problem, max_pairs=60, random_state=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first.coef_, again.coef_)
    assert first.objective_ != other.objective_


# Methods.


def test_there_is_no_predict_and_the_error_says_why_and_what_to_use():
    problem = random_problem(17, n_rows=40, n_features=2)
    for model in (ranker(), fit(problem)):
        assert not hasattr(model, "predict")
        with pytest.raises(AttributeError, match=r"does not score single.*decide_pairs\(A, B\) or rank\(X, qid\)"):
            model.predict(problem.X)
        with pytest.raises(AttributeError, match="does not score single"):
            RankSVM.predict(model, problem.X)
    assert hasattr(RankSVM(kernel="lrbf"), "predict")
    assert RankSVM.predict.__doc__.startswith("Score documents")


def test_a_fitted_model_keeps_its_mode_when_parameters_change():
    problem = random_problem(17, n_rows=40, n_features=2)
    model = fit(problem)
    before = model.decide_pairs(problem.X[:20], problem.X[20:])
    model.set_params(mode="utility")
    assert not hasattr(model, "predict")
    np.testing.assert_array_equal(model.decide_pairs(problem.X[:20], problem.X[20:]), before)
    assert hasattr(model.fit(problem.X, problem.y, qid=problem.qid), "predict")


def decision_matrix(model, X):
    first, second = np.indices((len(X), len(X))).reshape(2, -1)
    return model.decide_pairs(X[first], X[second]).reshape(len(X), len(X))


def test_rank_orders_each_query_by_copelands_wins():
    problem = random_problem(18, n_rows=80, n_features=2)
    model = fit(problem, C=0.1)
    found = model.rank(problem.X, qid=problem.qid)
    for query in np.unique(problem.qid):
        rows = np.flatnonzero(problem.qid == query)
        assert found[rows].tolist() == reference.copeland_positions(decision_matrix(model, problem.X[rows]))


def test_equal_documents_keep_the_order_of_the_rows():
    problem = random_problem(19, n_rows=60, n_features=2)
    model = fit(problem)
    doubled = np.repeat(problem.X[:30], 2, axis=0)
    found = model.rank(doubled).reshape(30, 2)
    np.testing.assert_array_equal(found[:, 1], found[:, 0] + 1)


def test_a_query_of_many_documents_is_ranked_in_blocks():
    problem = random_problem(20, n_rows=60, n_features=2)
    X = np.random.default_rng(20).normal(size=(600, 2))
    found = fit(problem).rank(X)
    assert sorted(found.tolist()) == list(range(1, 601))


def test_score_is_the_pair_accuracy_of_the_decisions():
    problem = random_problem(21, n_rows=80, n_features=2)
    model = fit(problem, C=0.01)
    weights = np.random.default_rng(21).integers(0, 3, size=80)
    per_query = []
    for query in np.unique(problem.qid):
        rows = np.flatnonzero(problem.qid == query)
        matrix, y, v = decision_matrix(model, problem.X[rows]), problem.y[rows], weights[rows]
        better = (y[:, None] > y) * np.outer(v, v)
        if better.sum() > 0:
            per_query.append((better * (0.5 * (1 + np.sign(matrix)))).sum() / better.sum())
    found = model.score(problem.X, problem.y, qid=problem.qid, sample_weight=weights)
    assert found == pytest.approx(np.mean(per_query), rel=1e-12)


def test_score_without_qid_is_refused_after_several_queries():
    problem = random_problem(21, n_rows=80, n_features=2)
    with pytest.raises(DataError, match="score needs qid"):
        fit(problem).score(problem.X, problem.y)


@pytest.mark.parametrize("model", [RankSVM(), BestSingleFeature(), RankSVMCV(Cs=[1.0])], ids=lambda m: type(m).__name__)
def test_rankers_with_scores_rank_by_score(model):
    problem = random_problem(22, n_rows=60, n_features=3)
    X = np.round(problem.X)
    model = clone(model).fit(X, problem.y, qid=problem.qid)
    scores, found = model.predict(X), model.rank(X, qid=problem.qid)
    for query in np.unique(problem.qid):
        rows = np.flatnonzero(problem.qid == query)
        best_first = sorted(range(len(rows)), key=lambda a, rows=rows: (-scores[rows[a]], a))
        assert found[rows].tolist() == [best_first.index(a) + 1 for a in range(len(rows))]


@pytest.mark.parametrize("kind", [pd.DataFrame, sparse.csr_matrix, sparse.coo_matrix, list])
def test_frames_lists_and_sparse_rows_are_compared_ranked_and_scored_alike(kind):
    problem = random_problem(23, n_rows=60, n_features=2)
    y, qid = problem.y, problem.qid
    plain = fit(problem, C=0.1)
    X = pd.DataFrame(problem.X, columns=["a", "b"]) if kind is pd.DataFrame else kind(problem.X)
    model = ranker(C=0.1).fit(X, y, qid=qid)
    np.testing.assert_allclose(model.coef_, plain.coef_, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(model.rank(X, qid=qid), plain.rank(problem.X, qid=qid))
    assert model.score(X, y, qid=qid) == plain.score(problem.X, y, qid=qid)
    expected = plain.decide_pairs(problem.X, problem.X[::-1])
    reverse = X[::-1] if not sparse.issparse(X) else sparse.csr_matrix(X)[::-1]
    np.testing.assert_allclose(model.decide_pairs(X, reverse), expected, rtol=0, atol=1e-9)


# Probabilities.


@pytest.mark.parametrize("prefit", [False, True])
def test_the_calibrator_gives_probabilities_that_add_up_to_one(prefit):
    problem = random_problem(24, n_rows=200, n_features=2)
    X, y, qid = problem.X, problem.y, problem.qid
    estimator = fit(problem, C=0.1) if prefit else ranker(C=0.1)
    model = PairCalibrator(estimator, cv="prefit" if prefit else 3, random_state=0).fit(X, y, qid=qid)
    assert model.slope_ < 0
    there, back = model.predict_pair_proba(X[:100], X[100:]), model.predict_pair_proba(X[100:], X[:100])
    np.testing.assert_allclose(there + back, 1.0, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(model.decide_pairs(X[:100], X[100:]), model.estimator_.decide_pairs(X[:100], X[100:]))
    assert not hasattr(model, "predict")
    np.testing.assert_array_equal(model.rank(X, qid=qid), model.estimator_.rank(X, qid=qid))
    assert model.score(X, y, qid=qid) == model.estimator_.score(X, y, qid=qid)
    assert model.reliability(X, y, qid=qid).n_pairs > 0


@pytest.mark.parametrize("prefit", [False, True])
@pytest.mark.parametrize("steps", [[StandardScaler()], []], ids=["scaled", "bare"])
def test_a_pipeline_that_ends_in_it_is_calibrated_too(steps, prefit):
    problem = random_problem(25, n_rows=120, n_features=2)
    X, y, qid = problem.X, problem.y, problem.qid
    pipeline = make_pipeline(*steps, ranker(C=0.1))
    if prefit:
        pipeline.fit(X, y, ranksvm__qid=qid)
    model = PairCalibrator(pipeline, cv="prefit" if prefit else 3, random_state=0).fit(X, y, qid=qid)
    scaled = clone(steps[0]).fit_transform(X) if steps else X
    by_hand = ranker(C=0.1).fit(scaled, y, qid=qid)
    expected = by_hand.decide_pairs(scaled[:60], scaled[60:])
    np.testing.assert_allclose(model.decide_pairs(X[:60], X[60:]), expected, rtol=0, atol=1e-9)
    assert not hasattr(model, "predict")


# Degenerate data and refusals.


@every_loss
def test_features_constant_within_queries_give_decisions_of_zero(loss):
    model = ranker(loss, C=2.0).fit(np.full((4, 2), 3.0), [0, 1, 2, 2])
    np.testing.assert_array_equal(model.decide_pairs([[3.0, 3.0]], [[0.0, 1.0]]), 0.0)
    at_zero = {"squared_hinge": 1.0, "hinge": 1.0, "logistic": np.log(2)}[loss]
    assert model.objective_ == pytest.approx(2.0 * 5 * at_zero)
    assert model.rank([[3.0, 3.0], [0.0, 1.0]]).tolist() == [1, 2]


@every_loss
def test_one_pair_is_enough(loss):
    model = ranker(loss).fit([[0.0], [1.0]], [0, 1])
    assert model.decide_pairs([[1.0]], [[0.0]])[0] > 0


@pytest.mark.parametrize("exponent", [-500, 40, 500])
def test_the_unit_of_a_feature_does_not_matter_under_gamma_scale(exponent):
    problem = random_problem(26, n_rows=60, n_features=2)
    X = problem.X * [1.0, 2.0**exponent]
    scaled = ranker().fit(X, problem.y, qid=problem.qid)
    expected = fit(problem).decide_pairs(problem.X[:30], problem.X[30:])
    np.testing.assert_allclose(scaled.decide_pairs(X[:30], X[30:]), expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"mode": "pairs"}, "mode must be one of 'utility', 'difference': got 'pairs'."),
        ({"max_pairs": 0}, "max_pairs must be a positive whole number: got 0."),
        ({"max_pairs": 2.5}, "max_pairs must be a positive whole number: got 2.5."),
        (
            {"random_state": -1},
            "random_state must be None, a whole number that is at least 0, or a numpy Generator: got -1.",
        ),
    ],
)
def test_a_parameter_out_of_range_is_refused(parameters, message):
    with pytest.raises(DataError, match=re.escape(message)):
        ranker(**parameters).fit([[0.0], [1.0]], [0, 1])


def test_sides_of_different_length_are_refused():
    model = ranker().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(DataError, match=r"A and B must have one row per pair: got 2 and 1 rows\."):
        model.decide_pairs([[0.0], [1.0]], [[1.0]])


def test_a_feature_too_wide_for_gamma_is_rejected_by_name():
    frame = pd.DataFrame({"bm25": [0.0, 1.0, 2.0], "clicks": [0.0, 10.0, 1e6]})
    with (
        pytest.warns(UserWarning, match="One gamma"),
        pytest.raises(DataError, match=r"feature 'clicks': .*Clip or transform the feature .*, or use a smaller gamma"),
    ):
        ranker(gamma=1.0).fit(frame, [0, 1, 2])


def test_weights_that_leave_no_pair_are_refused():
    with pytest.raises(DataError, match="sample_weight is zero for a document of every comparable pair"):
        ranker().fit([[0.0], [1.0]], [0, 1], sample_weight=[0.0, 1.0])


@parametrize_with_checks([ranker(tol=1e-8)])
def test_scikit_learns_checks_pass(estimator, check):
    assert_passes(check, estimator)
