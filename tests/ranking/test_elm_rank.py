"""ELMRank and ELMRankCV: least squares over pairs on random nodes."""

import csv

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold, KFold
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

from glassrank.core.checks import DataError
from glassrank.ranking.elm_rank import ELMRank
from glassrank.ranking.elm_rank_cv import ELMRankCV
from glassrank.ranking.kernel_least_squares import KernelLeastSquaresRanker
from tests.estimator_checks import assert_passes
from tests.reference.least_squares import fit_by_pairs, hidden_layer, pair_objective, total_weight
from tests.reference.pairs import pair_accuracy, random_problem

ACTIVATIONS = ["sigmoid", "gaussian", "tanh", "relu", "linear"]
WEIGHTINGS = ["pairs", "query", "different-labels"]


@parametrize_with_checks([ELMRank(n_nodes=50, random_state=0), ELMRankCV(n_nodes=20, random_state=0)])
def test_scikit_learns_checks_pass(estimator, check):
    assert_passes(check, estimator)


@pytest.fixture(scope="module")
def problem():
    return random_problem(21, n_rows=120, n_queries=8)


def fit(problem, **parameters):
    parameters = {"n_nodes": 25, "random_state": 0} | parameters
    return ELMRank(**parameters).fit(problem.X, problem.y, qid=problem.qid)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_the_coefficients_minimise_over_listed_pairs_on_the_hidden_layer(problem, activation, weighting):
    model = fit(problem, activation=activation, weighting=weighting, alpha=1e-2)
    H = hidden_layer(activation, problem.X, model.hidden_nodes_.inputs, model.hidden_nodes_.biases)
    expected = fit_by_pairs(H, problem.y, problem.qid, 1e-2, weighting)
    np.testing.assert_allclose(model.coef_, expected, rtol=0, atol=1e-10)
    np.testing.assert_allclose(model.hidden_layer(problem.X), H, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(model.predict(problem.X), H @ expected, rtol=0, atol=1e-10)
    value = pair_objective(H, problem.y, problem.qid, expected, 1e-2, weighting)
    assert model.objective_ == pytest.approx(value, rel=1e-10)


def test_one_query_is_ridge_regression_on_the_hidden_layer(problem):
    model = ELMRank(n_nodes=40, alpha=1e-3, random_state=0).fit(problem.X, problem.y)
    H = model.hidden_layer(problem.X)
    ridge = Ridge(alpha=1e-3 * 120 / 2, solver="svd").fit(H, problem.y)
    np.testing.assert_allclose(model.coef_, ridge.coef_, rtol=0, atol=1e-10)
    # The scores differ from ridge's by the intercept, which does not affect a ranking.
    np.testing.assert_allclose(model.predict(problem.X) + ridge.intercept_, ridge.predict(H), rtol=0, atol=1e-10)


def test_the_path_has_the_coefficients_of_each_alpha(problem):
    alphas = [1e-6, 1e-3, 1.0]
    path = fit(problem).coef_path(alphas)
    for alpha, coef in zip(alphas, path, strict=True):
        np.testing.assert_allclose(coef, fit(problem, alpha=alpha).coef_, rtol=0, atol=1e-9)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_partial_fits_equal_one_fit_to_all_queries(problem, weighting):
    whole = fit(problem, weighting=weighting)
    parts = ELMRank(n_nodes=25, weighting=weighting, random_state=0)
    for low, high in [(0, 1), (1, 4), (4, 8)]:
        rows = (problem.qid >= low) & (problem.qid < high)
        parts.partial_fit(problem.X[rows], problem.y[rows], qid=problem.qid[rows])
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=0, atol=1e-10)
    assert parts.n_queries_ == whole.n_queries_ == 8
    np.testing.assert_array_equal(parts.observed_values_.low, problem.X.min(axis=0))
    np.testing.assert_array_equal(parts.observed_values_.high, problem.X.max(axis=0))
    np.testing.assert_allclose(parts.observed_values_.mean, problem.X.mean(axis=0), atol=1e-14)


def test_partial_fit_continues_after_fit(problem):
    early = problem.qid < 4
    model = ELMRank(n_nodes=25, random_state=0).fit(problem.X[early], problem.y[early], qid=problem.qid[early])
    model.partial_fit(problem.X[~early], problem.y[~early], qid=problem.qid[~early])
    np.testing.assert_allclose(model.coef_, fit(problem).coef_, rtol=0, atol=1e-10)


def test_a_first_part_without_a_comparable_pair_gives_zero_coefficients(problem):
    model = ELMRank(n_nodes=25, weighting="different-labels", random_state=0).partial_fit(
        [[0.0], [1.0]], [1, 1], qid=["t", "t"]
    )
    assert model.predict([[0.0], [1.0]]).tolist() == [0.0, 0.0]
    model.partial_fit([[0.0], [1.0]], [0, 1], qid=["u", "u"])
    assert model.predict([[1.0]]) > model.predict([[0.0]])


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_a_query_split_over_two_calls_is_refused_and_the_model_is_unchanged(problem, method):
    model = ELMRank(n_nodes=25, random_state=0)
    getattr(model, method)(problem.X, problem.y, qid=problem.qid)
    before = model.coef_.copy()
    with pytest.raises(DataError, match="1 were in an earlier call, such as '3'"):
        model.partial_fit(problem.X[:2], problem.y[:2], qid=["3", "99"])
    np.testing.assert_array_equal(model.coef_, before)
    assert model.n_queries_ == 8


def test_a_refused_part_leaves_the_model_unchanged(problem):
    """More nodes than documents: without a penalty the equations are singular."""
    model, unchanged = fit(problem, n_nodes=200), fit(problem, n_nodes=200)
    part = problem.X[:3], [0.0, 1.0, 2.0]
    with pytest.raises(DataError, match="alpha 1e-30 is too small"):
        model.set_params(alpha=1e-30).partial_fit(*part, qid=["x", "x", "x"])
    np.testing.assert_array_equal(model.predict(problem.X), unchanged.predict(problem.X))
    assert (model.n_queries_, model.normal_equations_.normaliser) == (8, unchanged.normal_equations_.normaliser)
    assert model.set_params(alpha=1e-3).partial_fit(*part, qid=["x", "x", "x"]).n_queries_ == 9


def test_without_qid_each_part_is_a_query_of_its_own(problem):
    halves = np.repeat([0, 1], 60)
    parts = ELMRank(n_nodes=25, random_state=0)
    for half in (0, 1):
        parts.partial_fit(problem.X[halves == half], problem.y[halves == half])
    whole = ELMRank(n_nodes=25, random_state=0).fit(problem.X, problem.y, qid=halves)
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=0, atol=1e-10)
    assert parts.n_queries_ == 2


def test_the_same_seed_gives_the_same_model_and_another_seed_another(problem):
    np.testing.assert_array_equal(fit(problem, random_state=3).coef_, fit(problem, random_state=3).coef_)
    assert not np.allclose(fit(problem, random_state=3).coef_, fit(problem, random_state=4).coef_)
    generator = np.random.default_rng(3)
    np.testing.assert_array_equal(fit(problem, random_state=generator).coef_, fit(problem, random_state=3).coef_)


def test_single_precision_ranks_nearly_the_same(problem):
    single, double = fit(problem, dtype="float32", alpha=1e-2), fit(problem, alpha=1e-2)
    assert single.hidden_layer(problem.X).dtype == np.float32
    assert single.predict(problem.X).dtype == np.float64
    np.testing.assert_allclose(single.predict(problem.X), double.predict(problem.X), atol=1e-3)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_a_model_of_additive_nodes_is_a_sum_of_one_function_per_feature(problem, activation):
    """f(x with a) − f(x) does not depend on the other features; full nodes do not have this."""
    rng = np.random.default_rng(0)
    base, other = rng.normal(size=(2, 50, 4))

    def change_of_feature_1(model, rows):
        moved = rows.copy()
        moved[:, 1] = 0.7
        start = rows.copy()
        start[:, 1] = -0.4
        return model.predict(moved) - model.predict(start)

    additive = fit(problem, nodes="additive", activation=activation)
    np.testing.assert_allclose(
        change_of_feature_1(additive, base), change_of_feature_1(additive, other), rtol=0, atol=1e-9
    )
    if activation != "linear":
        full = fit(problem, activation=activation)
        assert np.ptp(change_of_feature_1(full, base)) > 1e-3


def test_the_curves_of_additive_nodes_add_up_to_the_score(problem):
    model = fit(problem, nodes="additive")
    curves = [model.hidden_nodes_.curve(feature, model.coef_) for feature in range(4)]
    total = sum(curve(problem.X[:, feature]) for feature, curve in enumerate(curves))
    np.testing.assert_allclose(total, model.predict(problem.X), rtol=0, atol=1e-10)


def test_additive_nodes_learn_curves_that_a_line_cannot():
    """The best value of the one feature that matters lies in the middle (simulated)."""
    rng = np.random.default_rng(0)
    X, qid = rng.uniform(-2, 2, size=(600, 3)), np.repeat(np.arange(30), 20)
    y = -(X[:, 1] ** 2)
    line = ELMRank(activation="linear", random_state=0).fit(X, y, qid=qid).score(X, y, qid=qid)
    curves = ELMRank(nodes="additive", alpha=1e-5, random_state=0).fit(X, y, qid=qid).score(X, y, qid=qid)
    assert line < 0.6
    assert curves > 0.98


def test_integer_row_weights_equal_repeated_rows(problem):
    weights = np.random.default_rng(0).integers(0, 3, size=120)
    for weighting in WEIGHTINGS:
        weighted = ELMRank(n_nodes=25, weighting=weighting, random_state=0)
        weighted.fit(problem.X, problem.y, qid=problem.qid, sample_weight=weights)
        rows = np.repeat(np.arange(120), weights)
        repeated = ELMRank(n_nodes=25, weighting=weighting, random_state=0).fit(
            problem.X[rows], problem.y[rows], qid=problem.qid[rows]
        )
        np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=0, atol=1e-9)


def test_sparse_rows_and_frames_give_the_same_scores(problem):
    expected = fit(problem).predict(problem.X)
    thin = sparse.csr_matrix(problem.X)
    by_sparse = ELMRank(n_nodes=25, random_state=0).fit(thin, problem.y, qid=problem.qid)
    np.testing.assert_allclose(by_sparse.predict(thin), expected, rtol=0, atol=1e-10)
    frame = pd.DataFrame(problem.X, columns=list("abcd"))
    by_frame = ELMRank(n_nodes=25, random_state=0).fit(
        frame, pd.Series(problem.y), qid=pd.Series(problem.qid).astype(str)
    )
    np.testing.assert_allclose(by_frame.predict(frame), expected, rtol=0, atol=1e-10)
    assert by_frame.feature_names_in_.tolist() == list("abcd")


def test_score_is_pair_accuracy_and_needs_qid(problem):
    model = fit(problem)
    expected = pair_accuracy(model.predict(problem.X), problem.y, problem.qid)
    assert model.score(problem.X, problem.y, qid=problem.qid) == pytest.approx(expected, rel=1e-12)
    with pytest.raises(DataError, match="score needs qid"):
        model.score(problem.X, problem.y)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("n_nodes", 0),
        ("n_nodes", 2.5),
        ("activation", "cosine"),
        ("alpha", 0.0),
        ("alpha", "small"),
        ("nodes", "some"),
        ("weighting", "documents"),
        ("input_range", -1.0),
        ("bias_range", 0.0),
        ("dtype", "float16"),
        ("random_state", -3),
    ],
)
def test_parameters_out_of_range_are_refused_by_name(problem, parameter, value):
    with pytest.raises(DataError, match=f"{parameter} must"):
        fit(problem, **{parameter: value})


def test_alphas_that_make_no_sense_are_refused(problem):
    for alphas in ([], [1.0, 0.0], [-1.0]):
        with pytest.raises(DataError, match="alphas must be one or more positive numbers"):
            fit(problem).coef_path(alphas)


def test_row_weights_that_leave_no_pair_are_refused(problem):
    with pytest.raises(DataError, match="sample_weight is zero for all 120 rows: nothing to learn from"):
        ELMRank(n_nodes=5, random_state=0).fit(problem.X, problem.y, qid=problem.qid, sample_weight=np.zeros(120))


def test_values_that_overflow_the_hidden_layer_are_refused(problem):
    model = fit(problem, activation="linear", dtype="float32")
    for method in (model.hidden_layer, model.predict):
        with pytest.raises(DataError, match="hidden layer has"):
            method(problem.X * 1e39)


def test_a_clone_has_the_parameters_and_no_fit(problem):
    model = fit(problem, nodes="additive", input_range=0.5)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    for method in (copy.hidden_layer, copy.predict, copy.coef_path):
        with pytest.raises(NotFittedError):
            method([[1.0]])


ALPHAS = [1e-4, 1e-2, 1.0]


@pytest.fixture(scope="module")
def untied():
    """Documents that all differ: the scores of equal ones may differ by rounding, and pair accuracy depends on ties."""
    tied = random_problem(22, n_rows=120, n_queries=8)
    return type(tied)(tied.X + np.random.default_rng(0).normal(size=(120, 4)), tied.y, tied.qid, tied.w)


def test_leave_query_out_scores_are_those_of_fits_without_the_query(untied):
    model = ELMRankCV(ALPHAS, cv="leave-query-out", n_nodes=25, random_state=0).fit(untied.X, untied.y, qid=untied.qid)
    H, Z = model.hidden_layer(untied.X), total_weight(untied.y, untied.qid)
    for alpha, found in zip(ALPHAS, model.cv_results_["mean_test_score"], strict=True):
        held_out = np.empty(120)
        for query in np.unique(untied.qid):
            out = untied.qid == query
            coef = fit_by_pairs(H[~out], untied.y[~out], untied.qid[~out], alpha, normaliser=Z)
            held_out[out] = H[out] @ coef
        assert found == pytest.approx(pair_accuracy(held_out, untied.y, untied.qid), rel=1e-12)


@pytest.mark.parametrize("cv", [3, GroupKFold(3)])
def test_fold_scores_are_those_of_fits_on_the_other_queries(untied, cv):
    model = ELMRankCV(ALPHAS, cv=cv, n_nodes=25, random_state=0).fit(untied.X, untied.y, qid=untied.qid)
    for alpha, found in zip(ALPHAS, model.cv_results_["mean_test_score"], strict=True):
        by_hand = []
        for train, test in GroupKFold(3).split(untied.X, untied.y, untied.qid):
            H = model.hidden_layer(untied.X)
            coef = fit_by_pairs(H[train], untied.y[train], untied.qid[train], alpha)
            by_hand.append(pair_accuracy(H[test] @ coef, untied.y[test], untied.qid[test]))
        assert found == pytest.approx(np.mean(by_hand), rel=1e-12)


def test_the_chosen_penalty_is_the_best_and_fits_all_rows(problem):
    model = ELMRankCV(ALPHAS, cv=3, n_nodes=25, random_state=0).fit(problem.X, problem.y, qid=problem.qid)
    means = model.cv_results_["mean_test_score"]
    assert model.alpha_ == ALPHAS[int(np.argmax(means))]
    assert model.best_score_ == means.max()
    folds = np.array([model.cv_results_[f"split{fold}_test_score"] for fold in range(3)])
    np.testing.assert_allclose(means, folds.mean(axis=0), rtol=1e-14)
    np.testing.assert_allclose(model.cv_results_["std_test_score"], folds.std(axis=0), atol=1e-15)
    assert model.cv_results_["alpha"].tolist() == ALPHAS
    assert model.cv_results_["rank_test_score"].tolist() == [1 + int((means > mean).sum()) for mean in means]
    np.testing.assert_allclose(model.coef_, fit(problem, alpha=model.alpha_).coef_, rtol=0, atol=1e-10)
    assert model.score(problem.X, problem.y, qid=problem.qid) > 0.7


def test_a_measure_for_which_lower_is_better_is_minimised(problem):
    good, bad = (
        ELMRankCV(ALPHAS, cv=3, scoring=scoring, n_nodes=25, random_state=0).fit(problem.X, problem.y, qid=problem.qid)
        for scoring in ("pair_accuracy", "misranking")
    )
    means = [model.cv_results_["mean_test_score"] for model in (good, bad)]
    np.testing.assert_allclose(means[1], 1.0 - means[0], rtol=1e-12)
    assert bad.alpha_ == good.alpha_
    assert bad.best_score_ == means[1].min()


def test_of_equal_penalties_the_largest_is_chosen():
    """Two documents per query, one feature: every penalty gives the same order."""
    X, y, qid = np.tile([[0.0], [1.0]], (6, 1)), np.tile([0, 1], 6), np.repeat(np.arange(6), 2)
    model = ELMRankCV([1.0, 1e-3, 10.0, 1e-2], cv=3, n_nodes=5, random_state=0).fit(X, y, qid=qid)
    assert model.cv_results_["mean_test_score"].tolist() == [1.0] * 4
    assert model.alpha_ == 10.0


def test_default_penalties_are_half_decades(problem):
    double = ELMRankCV(cv=2, n_nodes=10, random_state=0).fit(problem.X, problem.y, qid=problem.qid)
    np.testing.assert_allclose(np.log10(double.cv_results_["alpha"]), np.arange(-6, 1.1, 0.5), atol=1e-12)
    single = ELMRankCV(cv=2, n_nodes=10, dtype="float32", random_state=0).fit(problem.X, problem.y, qid=problem.qid)
    np.testing.assert_allclose(np.log10(single.cv_results_["alpha"]), np.arange(-4, 1.1, 0.5), atol=1e-12)


@pytest.mark.parametrize(
    ("cv", "qid", "message"),
    [
        ("leave-query-out", None, "needs at least two queries: got 1"),
        (9, "of the problem", "9 folds need .* queries: got 8"),
        (121, None, "121 folds need .* documents of the one query: got 120"),
        (1, None, "cv must be a number of folds from 2"),
        ("loo", None, "cv as a string must be one of 'leave-query-out': got 'loo'"),
    ],
)
def test_folds_that_cannot_be_made_are_refused(problem, cv, qid, message):
    with pytest.raises(DataError, match=message):
        ELMRankCV(cv=cv, n_nodes=5, random_state=0).fit(problem.X, problem.y, qid=None if qid is None else problem.qid)


def test_the_convention_of_the_measure_is_chosen_by_name(problem):
    """A query without a relevant document counts 0 in LETOR's NDCG and is ignored by the standard one."""
    y = np.where(problem.qid < 4, 0.0, problem.y)
    letor, standard = (
        ELMRankCV(ALPHAS, "leave-query-out", "ndcg", convention=name, n_nodes=25, random_state=0).fit(
            problem.X, y, qid=problem.qid
        )
        for name in ("letor", "standard")
    )
    assert letor.best_score_ < 0.7 < standard.best_score_
    with pytest.raises(DataError, match="convention must be one of"):
        ELMRankCV(convention="trek", random_state=0).fit(problem.X, problem.y)


def test_a_measure_undefined_in_every_fold_is_refused():
    """Folds of one document each have no pair."""
    X, y = np.arange(4.0)[:, None], [0, 1, 0, 1]
    with pytest.raises(DataError, match="pair_accuracy is undefined in every fold"):
        ELMRankCV(cv=4, n_nodes=5, random_state=0).fit(X, y)


def test_qid_is_routed_to_every_method():
    with sklearn.config_context(enable_metadata_routing=True):
        for model in (ELMRank(random_state=0), ELMRankCV(random_state=0)):
            requests = model.set_fit_request(qid=True).set_score_request(qid=True).get_metadata_routing()
            assert requests.fit.requests["qid"] is True
            assert requests.score.requests["qid"] is True


def read_qsar(path):
    """Activities and descriptors of the training (1) and the test set (2); descriptors begin at the first S_ column."""
    with path.open(newline="") as lines:
        header, *rows = csv.reader(lines, delimiter="\t")
    first = next(k for k, name in enumerate(header) if name.startswith("S_"))
    activity, part = header.index("Activity"), header.index("set")
    for wanted in ("1", "2"):
        chosen = [row for row in rows if row[part] == wanted]
        yield np.array([row[first:] for row in chosen], dtype=float), np.array([float(row[activity]) for row in chosen])


QSAR_SIZES = {"dhfr": (237, 124), "cox2": (188, 94)}
FOLDS = KFold(5, shuffle=True, random_state=0)
ALPHAS_OF_FOLDS = 10.0 ** np.arange(-7.0, 0.75, 0.5)


@pytest.fixture(params=QSAR_SIZES)
def compounds(real_data, request):
    """Name, training compounds, test compounds; descriptors standardised on the training compounds.

    The decompositions are small: threads of the linear algebra library would mostly wait for each other.
    """
    (X, y), (X_test, y_test) = read_qsar(real_data / "qsar" / f"{request.param}_25d_desc.txt")
    assert (len(y), len(y_test)) == QSAR_SIZES[request.param]
    scaler = StandardScaler().fit(X)
    with threadpool_limits(1):
        yield request.param, scaler.transform(X), y, scaler.transform(X_test), y_test


@pytest.mark.parametrize(
    ("nodes", "published"),
    [
        ("full", {"dhfr": (0.2138, 0.0071), "cox2": (0.2724, 0.0046)}),
        ("additive", {"dhfr": (0.2048, 0.0091), "cox2": (0.2885, 0.0043)}),
    ],
)
def test_drug_discovery_results_are_reproduced(compounds, nodes, published):
    """500 sigmoid nodes, weights U(−1, 1)·2/√d, biases U(−1, 1), λ by 5-fold cross-validation; 10 seeds."""
    name, X, y, X_test, y_test = compounds
    found = []
    for seed in range(10):
        model = ELMRankCV(ALPHAS_OF_FOLDS, cv=FOLDS, scoring="misranking", nodes=nodes, random_state=seed).fit(X, y)
        found.append(1.0 - pair_accuracy(model.predict(X_test), y_test))
    assert np.mean(found) == pytest.approx(published[name][0], abs=5e-5)
    assert np.std(found) == pytest.approx(published[name][1], abs=5e-5)


@pytest.mark.parametrize(
    ("ranker", "alphas", "published"),
    [
        (Ridge(), 10.0 ** np.arange(-5.0, 5.25, 0.5), {"dhfr": 0.2349, "cox2": 0.2719}),
        (KernelLeastSquaresRanker(), ALPHAS_OF_FOLDS, {"dhfr": 0.2155, "cox2": 0.3020}),
    ],
)
def test_drug_discovery_baselines_are_reproduced(compounds, ranker, alphas, published):
    name, X, y, X_test, y_test = compounds

    def misranking(alpha, train, X_new, y_new):
        scores = clone(ranker).set_params(alpha=alpha).fit(X[train], y[train]).predict(X_new)
        return 1.0 - pair_accuracy(scores, y_new)

    def held_out(alpha):
        return np.mean([misranking(alpha, train, X[test], y[test]) for train, test in FOLDS.split(X)])

    best = min(alphas, key=held_out)
    assert misranking(best, np.arange(len(y)), X_test, y_test) == pytest.approx(published[name], abs=5e-5)
