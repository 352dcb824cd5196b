"""RankSVM: the ranking SVM that lists no pairs."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from glassrank import DataError, RankSVM
from tests.reference.pairs import comparable_pairs, pair_accuracy, random_problem, squared_hinge


@pytest.fixture
def problem():
    return random_problem(11, n_rows=150, n_features=4, n_queries=9)


@pytest.fixture
def model(problem):
    return RankSVM(C=0.5, C_unit="pair", tol=1e-10).fit(problem.X, problem.y, qid=problem.qid)


def test_fitted_attributes_describe_the_optimum(problem, model):
    twin = squared_hinge(problem.X, problem.y, problem.qid, 0.5)
    assert model.coef_.shape == (4,)
    assert model.objective_ == pytest.approx(twin.value(model.coef_), rel=1e-12)
    assert 0 <= model.duality_gap_ <= 1e-10 * model.objective_
    assert twin.duality_gap(model.coef_) <= 1.1e-10 * model.objective_
    assert model.n_pairs_ == len(comparable_pairs(problem.y, problem.qid))
    assert model.n_queries_ == len(set(problem.qid.tolist()))
    assert model.n_features_in_ == 4
    assert 1 <= model.n_iter_ <= 100


def test_predict_is_the_weighted_sum_of_the_features(problem, model):
    np.testing.assert_allclose(model.predict(problem.X), problem.X @ model.coef_, rtol=1e-13)
    thin = sparse.csr_matrix(problem.X)
    np.testing.assert_allclose(model.predict(thin), problem.X @ model.coef_, rtol=1e-13)


def test_decide_pairs_is_the_difference_of_scores(problem, model):
    A, B = problem.X[:50], problem.X[50:100]
    np.testing.assert_allclose(model.decide_pairs(A, B), model.predict(A) - model.predict(B), rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(model.decide_pairs(A, B), -model.decide_pairs(B, A))


def test_decide_pairs_refuses_sides_of_different_length(problem, model):
    with pytest.raises(DataError, match=r"50.*49|49.*50"):
        model.decide_pairs(problem.X[:50], problem.X[:49])


def test_separable_rows_are_ordered_without_an_error():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    qid = rng.integers(6, size=80)
    y = np.round(X @ np.array([2.0, -1.0, 0.5]) + 3 * qid, 1)
    model = RankSVM(C=1e4, C_unit="pair").fit(X, y, qid=qid)
    assert model.score(X, y, qid=qid) == 1.0


def test_without_qid_all_rows_are_one_query(problem):
    plain = RankSVM(tol=1e-12).fit(problem.X, problem.y)
    single = RankSVM(tol=1e-12).fit(problem.X, problem.y, qid=np.full(len(problem.y), 7))
    np.testing.assert_array_equal(plain.coef_, single.coef_)
    assert plain.n_queries_ == 1
    assert plain.score(problem.X, problem.y) == pytest.approx(pair_accuracy(plain.predict(problem.X), problem.y))


def refit(problem, X=None, y=None, qid=None, C=0.5):
    X = problem.X if X is None else X
    y = problem.y if y is None else y
    qid = problem.qid if qid is None else qid
    return RankSVM(C=C, C_unit="pair", tol=1e-12).fit(X, y, qid=qid).coef_


def test_the_order_of_the_rows_does_not_matter(problem):
    shuffled = np.random.default_rng(1).permutation(len(problem.y))
    coefficients = refit(problem, problem.X[shuffled], problem.y[shuffled], problem.qid[shuffled])
    np.testing.assert_allclose(coefficients, refit(problem), rtol=0, atol=1e-9)


def test_the_names_of_the_queries_do_not_matter(problem):
    names = np.array([f"query {9 - number}" for number in range(9)])
    np.testing.assert_allclose(refit(problem, qid=names[problem.qid]), refit(problem), rtol=0, atol=1e-9)


def test_only_the_order_of_the_labels_matters(problem):
    np.testing.assert_allclose(refit(problem, y=np.exp(problem.y) - 40), refit(problem), rtol=0, atol=1e-9)


@pytest.mark.parametrize("size", [1.0, 1e4])
def test_a_constant_added_to_the_features_of_a_query_changes_nothing(problem, size):
    constants = size * np.random.default_rng(2).normal(size=(9, 4))
    np.testing.assert_allclose(refit(problem, problem.X + constants[problem.qid]), refit(problem), rtol=0, atol=1e-8)


def test_reversing_all_labels_reverses_the_weights(problem):
    np.testing.assert_allclose(refit(problem, y=-problem.y), -refit(problem), rtol=0, atol=1e-9)


def test_scaled_features_with_c_scaled_inversely_give_inverse_weights(problem):
    """½‖w‖² + C Σ ℓ(w·δ) with δ → 10 δ, w → w/10 and C → C/100 is the same problem over 100."""
    np.testing.assert_allclose(10 * refit(problem, 10 * problem.X, C=0.005), refit(problem), rtol=0, atol=1e-8)


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix, sparse.csr_array])
def test_sparse_rows_give_the_same_weights(problem, kind):
    np.testing.assert_allclose(refit(problem, kind(problem.X)), refit(problem), rtol=0, atol=1e-9)


def test_score_is_the_mean_pair_accuracy_over_queries(problem, model):
    expected = pair_accuracy(model.predict(problem.X), problem.y, problem.qid)
    assert 0.5 < expected < 1.0
    assert model.score(problem.X, problem.y, qid=problem.qid) == pytest.approx(expected, rel=1e-12)


def test_a_tie_in_score_counts_half():
    model = RankSVM().fit([[0.0], [1.0]], [0, 1])
    assert model.score([[2.0], [2.0]], [0, 1]) == 0.5
    assert model.score([[2.0], [2.0], [3.0]], [0, 1, 1]) == 0.75


def test_the_score_ignores_a_query_without_a_comparable_pair():
    model = RankSVM().fit([[0.0], [1.0]], [0, 1], qid=[1, 1])
    X = [[0.0], [1.0], [5.0], [6.0], [9.0]]
    assert model.score(X, [1, 0, 2, 2, 0], qid=[1, 1, 2, 2, 3]) == 0.0


def test_a_row_weight_counts_as_repeated_rows(problem, model):
    weights = np.random.default_rng(3).integers(0, 4, size=len(problem.y))
    X, y, qid = (np.repeat(rows, weights, axis=0) for rows in (problem.X, problem.y, problem.qid))
    weighted = model.score(problem.X, problem.y, qid=problem.qid, sample_weight=weights)
    assert weighted == pytest.approx(model.score(X, y, qid=qid), rel=1e-12)
    expected = pair_accuracy(model.predict(problem.X), problem.y, problem.qid, weights)
    assert weighted == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("weights", [[1.0, -1.0], [1.0], [1.0, np.nan]])
def test_row_weights_that_make_no_sense_are_refused(weights):
    model = RankSVM().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(DataError, match="weight"):
        model.score([[0.0], [1.0]], [0, 1], sample_weight=weights)


def test_feature_names_come_from_the_frame_and_are_checked(problem):
    frame = pd.DataFrame(problem.X, columns=["bm25", "age", "clicks", "length"])
    model = RankSVM().fit(frame, problem.y, qid=problem.qid)
    assert model.feature_names_in_.tolist() == ["bm25", "age", "clicks", "length"]
    np.testing.assert_allclose(model.predict(frame), problem.X @ model.coef_, rtol=1e-13)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["age", "bm25", "clicks", "length"]])


def test_labels_and_queries_may_be_series(problem):
    index = np.arange(len(problem.y))[::-1]
    y, qid = pd.Series(problem.y, index=index), pd.Series(problem.qid.astype(str), index=index)
    np.testing.assert_allclose(refit(problem, y=y, qid=qid), refit(problem), rtol=0, atol=1e-9)


def test_a_clone_has_the_parameters_and_no_fit(model):
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert (copy.C, copy.tol, copy.max_iter) == (0.5, 1e-10, 200)
    with pytest.raises(NotFittedError):
        copy.predict(np.zeros((1, 4)))


def test_an_early_stop_warns(problem):
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        RankSVM(C=100.0, C_unit="pair", tol=1e-12, max_iter=1).fit(problem.X, problem.y, qid=problem.qid)


def test_grid_search_by_query_passes_qid_to_fit_and_score(problem):
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = RankSVM(C_unit="pair").set_fit_request(qid=True).set_score_request(qid=True)
        search = GridSearchCV(ranker, {"C": [1e-3, 1.0]}, cv=GroupKFold(3))
        search.fit(problem.X, problem.y, qid=problem.qid, groups=problem.qid)
    by_hand = []
    for train, test in GroupKFold(3).split(problem.X, problem.y, problem.qid):
        fold = RankSVM(C=1.0, C_unit="pair").fit(problem.X[train], problem.y[train], qid=problem.qid[train])
        by_hand.append(pair_accuracy(fold.predict(problem.X[test]), problem.y[test], problem.qid[test]))
    assert search.cv_results_["mean_test_score"][1] == pytest.approx(np.mean(by_hand), rel=1e-12)
    assert search.best_estimator_.n_queries_ == len(set(problem.qid.tolist()))


def test_a_pipeline_routes_qid(problem):
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = RankSVM(C_unit="pair", tol=1e-12).set_fit_request(qid=True).set_score_request(qid=True)
        pipeline = make_pipeline(StandardScaler(), ranker).fit(problem.X, problem.y, qid=problem.qid)
        accuracy = pipeline.score(problem.X, problem.y, qid=problem.qid)
    expected = refit(problem, StandardScaler().fit_transform(problem.X), C=1.0)
    np.testing.assert_allclose(pipeline[-1].coef_, expected, rtol=0, atol=1e-9)
    assert accuracy == pytest.approx(pair_accuracy(pipeline.predict(problem.X), problem.y, problem.qid), rel=1e-12)


SCORE_NEEDS_QID = (
    "score needs qid: the model was fitted on 9 queries. With GridSearchCV: "
    "sklearn.set_config(enable_metadata_routing=True) and set_score_request(qid=True)."
)


def test_score_without_qid_after_a_fit_with_qid_is_refused(problem, model):
    with pytest.raises(DataError) as error:
        model.score(problem.X, problem.y)
    assert str(error.value).startswith(SCORE_NEEDS_QID)


def test_grid_search_without_routing_is_refused_with_the_remedy(problem):
    """Without routing, scikit-learn passes qid to fit and drops it in score."""
    search = GridSearchCV(RankSVM(), {"C": [1.0]}, cv=GroupKFold(3), error_score="raise")
    with pytest.raises(DataError, match=r"score needs qid.*enable_metadata_routing=True"):
        search.fit(problem.X, problem.y, qid=problem.qid, groups=problem.qid)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"qid": [1, 1]}, "qid must have one entry per row of X: expected 4, got 2"),
        ({"y": [1, 1, 1, 1]}, "two different labels.*4 rows"),
        ({"y": [0, 0, 1, 1]}, "4 rows in 2 queries have labels from 0 to 1, but"),
        ({"y": [0, 1, np.nan, 1]}, "NaN|finite"),
        ({"y": [0, 1, np.inf, 1]}, "infinity|finite"),
        ({"X": [[0.0], [np.inf], [1.0], [2.0]]}, "infinity|finite"),
    ],
)
def test_data_that_cannot_be_ranked_are_refused_with_the_reason(change, message):
    data = {"X": [[0.0], [1.0], [2.0], [4.0]], "y": [0, 1, 0, 1], "qid": ["a", "a", "b", "b"]} | change
    with pytest.raises(ValueError, match=message):
        RankSVM().fit(data["X"], data["y"], qid=data["qid"])


def test_labels_of_another_length_are_refused():
    with pytest.raises(ValueError, match=r"4.*3|3.*4"):
        RankSVM().fit(np.zeros((4, 1)), [0, 1, 2])


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("C", 0), ("C", -1.0), ("C", "big"), ("tol", 0.0), ("tol", np.nan), ("max_iter", 0), ("max_iter", 1.5)],
)
def test_parameters_out_of_range_are_refused_by_name(problem, parameter, value):
    with pytest.raises(ValueError, match=f"'{parameter}'|{parameter} must"):
        RankSVM(**{parameter: value}).fit(problem.X, problem.y, qid=problem.qid)


def test_a_score_without_any_comparable_pair_is_refused(problem, model):
    with pytest.raises(DataError, match="two different labels"):
        model.score(problem.X, np.zeros(len(problem.y)), qid=problem.qid)


@pytest.mark.parametrize("shape", [(3, 5), (3, 3)])
def test_rows_with_another_number_of_features_are_refused(model, shape):
    with pytest.raises(ValueError, match=f"{shape[1]} features"):
        model.predict(np.zeros(shape))
