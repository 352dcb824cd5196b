"""The pairwise transform, its published experiment, and rankers made of linear classifiers."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from scipy.optimize import minimize
from scipy.stats import kendalltau
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from glassrank import DataError, RankSVM, evaluate
from glassrank.ranking.pairwise import PairwiseRanker, pairwise_transform
from tests.estimator_checks import assert_passes
from tests.reference import pairwise as twin
from tests.reference.pairs import comparable_pairs, pair_accuracy, random_problem

EXACT_SVC = LinearSVC(C=0.5, dual=False, fit_intercept=False, tol=1e-10)


# Without an intercept, because repeated rows change which of the listed pairs are reversed.
@parametrize_with_checks([PairwiseRanker(LinearSVC(fit_intercept=False, dual=False, tol=1e-12))])
def test_scikit_learns_checks_pass(estimator, check):
    assert_passes(check, estimator)


@parametrize_with_checks([PairwiseRanker(EXACT_SVC), PairwiseRanker(Ridge(fit_intercept=False))])
def test_without_an_intercept_whole_weights_equal_repeated_rows(estimator, check):
    assert_passes(check, estimator)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("levels", [2, 3, None])
def test_the_transform_equals_a_loop_over_all_combinations(seed, levels):
    problem = random_problem(seed, levels=levels)
    differences, signs = pairwise_transform(problem.X, problem.y, problem.qid)
    expected_differences, expected_signs = twin.pairwise_transform(problem.X, problem.y, problem.qid)
    np.testing.assert_array_equal(differences, expected_differences)
    np.testing.assert_array_equal(signs, expected_signs)


def test_without_qid_all_rows_are_one_query():
    problem = random_problem(0, n_rows=25)
    differences, signs = pairwise_transform(problem.X, problem.y)
    expected_differences, expected_signs = twin.pairwise_transform(problem.X, problem.y)
    np.testing.assert_array_equal(differences, expected_differences)
    np.testing.assert_array_equal(signs, expected_signs)


def test_signs_alternate_over_the_pairs_that_are_kept():
    """Rows 0 and 1 have equal labels: that pair is dropped, and must not count."""
    differences, signs = pairwise_transform([[1.0], [2.0], [4.0]], [5, 5, 7])
    assert signs.tolist() == [1, -1]
    assert differences.tolist() == [[3.0], [-2.0]]


def test_a_sparse_matrix_gives_the_same_differences():
    problem = random_problem(4)
    dense, signs = pairwise_transform(problem.X, problem.y, problem.qid)
    thin, thin_signs = pairwise_transform(sparse.coo_matrix(problem.X), problem.y, problem.qid)
    assert sparse.issparse(thin)
    np.testing.assert_array_equal(thin.toarray(), dense)
    np.testing.assert_array_equal(thin_signs, signs)


def test_frames_series_and_string_queries_are_taken():
    frame = pd.DataFrame({"bm25": [1.0, 2.0, 4.0], "age": [3.0, 1.0, 9.0]})
    differences, signs = pairwise_transform(frame, pd.Series([0, 2, 1]), pd.Series(["a", "a", "b"]))
    assert (differences.tolist(), signs.tolist()) == ([[1.0, -2.0]], [1])


@pytest.mark.parametrize("qid", [None, [1, 2, 3]])
def test_without_a_comparable_pair_there_are_no_rows(qid):
    differences, signs = pairwise_transform(np.eye(3), [1, 1, 1] if qid is None else [1, 2, 3], qid)
    assert differences.shape == (0, 3)
    assert signs.shape == (0,)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"qid": [1, 1]}, "qid must have one entry per row of X: expected 3, got 2"),
        ({"y": [0, 1]}, "y must have one entry per row of X: expected 3, got 2"),
        ({"y": [0, 1, np.nan]}, "y has 1 value that is not finite"),
        ({"X": [[0.0], [np.nan], [1.0]]}, "X has 1 value that is not finite, the first .* at row 1, column 0"),
        ({"X": [0.0, 1.0, 2.0]}, "two dimensions"),
    ],
)
def test_data_that_cannot_be_transformed_are_refused_with_the_reason(change, message):
    data = {"X": [[0.0], [1.0], [2.0]], "y": [0, 1, 2], "qid": [1, 1, 1]} | change
    with pytest.raises(DataError, match=message):
        pairwise_transform(data["X"], data["y"], data["qid"])


# The published experiment (F. Pedregosa, 2012): 60 points in two blocks, half of them for training.


@pytest.fixture(scope="module")
def halves():
    return twin.published_halves()


def taus(half, scores, tau):
    return [tau(half.y[half.blocks == block], scores[half.blocks == block]) for block in (0, 1)]


def test_the_published_training_half_has_154_pairs_77_of_each_class(halves):
    train, _ = halves
    _, signs = pairwise_transform(train.X, train.y, train.blocks)
    assert len(signs) == 154
    assert (signs == 1).sum() == (signs == -1).sum() == 77


def test_the_published_weights_are_reproduced_to_eight_decimals(halves):
    train, _ = halves
    model = SVC(kernel="linear", C=0.1).fit(*pairwise_transform(train.X, train.y, train.blocks))
    weights = model.coef_.ravel() / np.linalg.norm(model.coef_)
    assert weights.round(8).tolist() == [0.96136901, 0.27526282]


def test_the_published_taus_are_reproduced(halves):
    train, test = halves
    ridge = Ridge(alpha=1.0).fit(train.X, train.y)
    svm = PairwiseRanker(SVC(kernel="linear", C=0.1)).fit(train.X, train.y, qid=train.blocks)
    scores = {"ridge": ridge.predict(test.X), "svm": svm.predict(test.X)}
    published = {"ridge": [0.71122, 0.84387], "svm": [0.83627, 0.84387]}
    for name, expected in published.items():
        assert [round(t, 5) for t in taus(test, scores[name], lambda y, s: kendalltau(y, s).statistic)] == expected
        measured = evaluate(test.y, scores[name], qid=test.blocks, measures=["tau_b", "tau"])
        by_block = dict(zip(measured.queries.tolist(), measured.per_query["tau_b"], strict=True))
        assert [round(float(by_block[block]), 5) for block in (0, 1)] == expected


def test_by_the_posts_own_formula_the_ranking_svm_is_perfect(halves):
    train, test = halves
    svm = PairwiseRanker(SVC(kernel="linear", C=0.1)).fit(train.X, train.y, qid=train.blocks)
    assert taus(test, svm.predict(test.X), twin.tau_by_formula) == [1.0, 1.0]
    measured = evaluate(test.y, svm.predict(test.X), qid=test.blocks, measures=["tau"])
    assert measured.per_query["tau"].tolist() == [1.0, 1.0]


def test_without_bias_the_published_hinge_problem_has_the_solution_of_its_dual(halves):
    """The dual is a quadratic programme in a box, solved here without any SVM code."""
    train, test = halves
    differences, signs = twin.pairwise_transform(train.X, train.y, train.blocks)
    margins = differences * signs[:, None]
    dual = minimize(
        lambda alpha: 0.5 * np.sum((margins.T @ alpha) ** 2) - alpha.sum(),
        np.full(len(signs), 0.05),
        jac=lambda alpha: margins @ (margins.T @ alpha) - 1.0,
        bounds=[(0.0, 0.1)] * len(signs),
        method="L-BFGS-B",
        options={"ftol": 1e-16, "gtol": 1e-10, "maxiter": 10_000},
    )
    expected = margins.T @ dual.x
    svc = LinearSVC(loss="hinge", C=0.1, fit_intercept=False, tol=1e-10, max_iter=10**6, random_state=0)
    model = PairwiseRanker(svc).fit(train.X, train.y, qid=train.blocks)
    np.testing.assert_allclose(model.coef_, expected, rtol=0, atol=1e-5)
    np.testing.assert_allclose(expected, [0.61287, 0.17533], rtol=0, atol=1e-5)
    tau_b = taus(test, model.predict(test.X), lambda y, s: kendalltau(y, s).statistic)
    assert [round(t, 5) for t in tau_b] == [0.83627, 0.84387]


# The meta-estimator.


@pytest.fixture
def problem():
    return random_problem(11, n_rows=150, n_features=4, n_queries=9)


@pytest.mark.parametrize(
    "estimator",
    [EXACT_SVC, LogisticRegression(C=0.5), SVC(kernel="linear", C=0.1), Ridge(), SGDClassifier(random_state=0)],
    ids=lambda estimator: type(estimator).__name__,
)
def test_the_weights_are_the_classifiers_on_the_transformed_pairs(problem, estimator):
    model = PairwiseRanker(estimator).fit(problem.X, problem.y, qid=problem.qid)
    differences, signs = twin.pairwise_transform(problem.X, problem.y, problem.qid)
    expected = np.ravel(clone(estimator).fit(differences, signs).coef_)
    np.testing.assert_allclose(model.coef_, expected, rtol=1e-12)
    np.testing.assert_allclose(model.predict(problem.X), problem.X @ expected, rtol=1e-12, atol=1e-12)
    assert model.n_pairs_ == len(signs) == len(comparable_pairs(problem.y, problem.qid))


def test_a_squared_hinge_on_listed_pairs_is_the_ranking_svm(problem):
    listed = PairwiseRanker(EXACT_SVC).fit(problem.X, problem.y, qid=problem.qid)
    unlisted = RankSVM(C=0.5, C_unit="pair", tol=1e-12).fit(problem.X, problem.y, qid=problem.qid)
    np.testing.assert_allclose(listed.coef_, unlisted.coef_, rtol=0, atol=1e-6)


def test_an_intercept_of_the_classifier_does_not_affect_the_scores(problem):
    model = PairwiseRanker(SVC(kernel="linear")).fit(problem.X, problem.y, qid=problem.qid)
    assert model.estimator_.intercept_[0] != 0.0
    assert model.predict(np.zeros((1, 4))).tolist() == [0.0]


def test_sparse_weights_and_sparse_rows_are_taken(problem):
    class Sparsified(LinearSVC):
        def fit(self, X, y):
            return super().fit(X, y).sparsify()

    dense = PairwiseRanker(EXACT_SVC).fit(problem.X, problem.y, qid=problem.qid)
    thin = PairwiseRanker(Sparsified(**EXACT_SVC.get_params()))
    thin.fit(sparse.csr_matrix(problem.X), problem.y, qid=problem.qid)
    assert sparse.issparse(thin.estimator_.coef_)
    np.testing.assert_allclose(thin.coef_, dense.coef_, rtol=1e-7)


def test_the_given_estimator_is_not_changed(problem):
    given = LinearSVC()
    PairwiseRanker(given).fit(problem.X, problem.y, qid=problem.qid)
    assert not hasattr(given, "coef_")


def test_score_is_the_mean_pair_accuracy_over_queries(problem):
    model = PairwiseRanker(EXACT_SVC).fit(problem.X, problem.y, qid=problem.qid)
    expected = pair_accuracy(model.predict(problem.X), problem.y, problem.qid)
    assert model.score(problem.X, problem.y, qid=problem.qid) == pytest.approx(expected, rel=1e-12)
    with pytest.raises(DataError, match="score needs qid"):
        model.score(problem.X, problem.y)


def test_grid_search_by_query_passes_qid_and_reaches_the_classifiers_parameters(problem):
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = PairwiseRanker(EXACT_SVC).set_fit_request(qid=True).set_score_request(qid=True)
        search = GridSearchCV(ranker, {"estimator__C": [1e-4, 1.0]}, cv=GroupKFold(3))
        search.fit(problem.X, problem.y, qid=problem.qid, groups=problem.qid)
    by_hand = []
    for train, test in GroupKFold(3).split(problem.X, problem.y, problem.qid):
        differences, signs = twin.pairwise_transform(problem.X[train], problem.y[train], problem.qid[train])
        weights = clone(EXACT_SVC).set_params(C=1.0).fit(differences, signs).coef_.ravel()
        by_hand.append(pair_accuracy(problem.X[test] @ weights, problem.y[test], problem.qid[test]))
    assert search.cv_results_["mean_test_score"][1] == pytest.approx(np.mean(by_hand), rel=1e-12)


@pytest.mark.parametrize(
    ("estimator", "name"),
    [
        (RandomForestClassifier(n_estimators=2), "RandomForestClassifier"),
        (SVC(kernel="rbf"), "SVC"),
        (make_pipeline(StandardScaler(), LinearSVC()), "Pipeline"),
    ],
)
def test_an_estimator_without_weights_is_refused_by_name(problem, estimator, name):
    with pytest.raises(DataError, match=rf"linear estimator.*coef_.*got {name}.*LinearSVC"):
        PairwiseRanker(estimator).fit(problem.X, problem.y, qid=problem.qid)


def test_a_single_pair_is_refused():
    with pytest.raises(DataError, match="at least two comparable pairs"):
        PairwiseRanker(LinearSVC()).fit([[0.0], [1.0]], [0, 1])


def test_data_without_a_comparable_pair_are_refused():
    with pytest.raises(DataError, match="two different labels"):
        PairwiseRanker(LinearSVC()).fit(np.eye(4), [1, 1, 2, 2], qid=[1, 1, 2, 2])


def test_predicting_before_fitting_is_refused():
    with pytest.raises(NotFittedError):
        PairwiseRanker(LinearSVC()).predict(np.zeros((1, 2)))
