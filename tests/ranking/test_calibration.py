"""Pair probabilities: fitted to held-out pairs, antisymmetric, for any ranker, and measured honestly."""

from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, GroupShuffleSplit, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from glassrank import BestSingleFeature, DataError, RankSVM
from glassrank.ranking.calibration import PairCalibrator
from tests.estimator_checks import assert_passes
from tests.reference.pairs import comparable_pairs, pair_accuracy, random_problem
from tests.reference.sigmoid import likelihood_derivatives


class OfRelatedLabels(PairCalibrator):
    """A calibrator whose labels follow the features: unrelated ones, as in some checks, give no probabilities."""

    def _check_rows(self, *given):
        rows = super()._check_rows(*given)
        try:
            cells = np.asarray(rows.X.toarray() if sparse.issparse(rows.X) else rows.X, dtype=float)
        except (TypeError, ValueError):
            return rows
        return rows._replace(y=np.nansum(cells, axis=1)) if cells.ndim == 2 and cells.shape[1] else rows


@parametrize_with_checks([OfRelatedLabels(RankSVM())])
def test_scikit_learns_checks_pass(estimator, check):
    assert_passes(check, estimator)


@pytest.fixture
def problem():
    return random_problem(11, n_rows=300, n_features=4, n_queries=20)


@pytest.fixture
def model(problem):
    return PairCalibrator(RankSVM(C=100.0), random_state=0).fit(problem.X, problem.y, qid=problem.qid)


def bradley_terry(slope, n_queries=20_000, seed=0):
    """Simulate two documents per query; the one with utility u beats the other with odds exp(slope · (u − v))."""
    rng = np.random.default_rng(seed)
    utility = rng.normal(size=(n_queries, 2))
    first_wins = rng.random(n_queries) < 1.0 / (1.0 + np.exp(-slope * (utility[:, 0] - utility[:, 1])))
    y = np.column_stack([first_wins, ~first_wins]).astype(float)
    return utility.reshape(-1, 1), y.ravel(), np.repeat(np.arange(n_queries), 2)


@pytest.mark.parametrize("slope", [0.3, 2.0])
def test_the_slope_of_simulated_preferences_is_recovered(slope):
    X, y, qid = bradley_terry(slope)
    model = PairCalibrator(lambda rows: rows[:, 0], cv="prefit").fit(X, y, qid=qid)
    outputs = (X[::2] - X[1::2]).ravel() * np.where(y[::2] > y[1::2], 1, -1)
    information = likelihood_derivatives([-slope], outputs, np.ones(len(outputs), dtype=bool))[2][0, 0]
    assert abs(model.slope_ + slope) < 4 / np.sqrt(information)
    assert all(one.interval[0] - 0.02 < one.predicted < one.interval[1] + 0.02 for one in model.calibration_.bins)


def test_the_slope_is_the_maximum_of_the_likelihood_of_all_held_out_pairs(problem):
    outputs = []
    for train, test in GroupKFold(3).split(problem.X, problem.y, problem.qid):
        fold = RankSVM(C=100.0).fit(problem.X[train], problem.y[train], qid=problem.qid[train])
        scores = fold.predict(problem.X[test])
        outputs += [scores[i] - scores[j] for i, j in comparable_pairs(problem.y[test], problem.qid[test])]
    model = PairCalibrator(RankSVM(C=100.0), max_pairs=None, random_state=0).fit(problem.X, problem.y, qid=problem.qid)
    _, gradient, curvature = likelihood_derivatives([model.slope_], outputs, [True] * len(outputs))
    # The distance to the maximum, by one Newton step of the twin.
    assert abs(gradient[0] / curvature[0, 0]) < 1e-8
    assert model.slope_ < 0
    assert model.calibration_.n_pairs == model.calibration_.n_comparable == len(outputs)


def test_the_final_ranker_is_fitted_to_all_rows(problem, model):
    expected = RankSVM(C=100.0).fit(problem.X, problem.y, qid=problem.qid)
    np.testing.assert_allclose(model.predict(problem.X), expected.predict(problem.X), rtol=1e-9, atol=1e-12)
    assert model.score(problem.X, problem.y, qid=problem.qid) == pytest.approx(
        pair_accuracy(expected.predict(problem.X), problem.y, problem.qid), rel=1e-12
    )
    assert model.n_queries_ == len(set(problem.qid.tolist()))


def test_probabilities_are_the_sigmoid_of_score_differences(problem, model):
    A, B = problem.X[:100], problem.X[100:200]
    differences = model.predict(A) - model.predict(B)
    np.testing.assert_array_equal(model.decide_pairs(A, B), differences)
    expected = 1.0 / (1.0 + np.exp(model.slope_ * differences))
    np.testing.assert_allclose(model.predict_pair_proba(A, B), expected, rtol=1e-12)


def test_both_orders_of_a_pair_have_probabilities_that_add_up_to_one_exactly(problem, model):
    A, B = problem.X[:150], problem.X[150:]
    total = model.predict_pair_proba(A, B) + model.predict_pair_proba(B, A)
    assert (total == 1.0).all()
    assert model.predict_pair_proba(A[:1], A[:1]).tolist() == [0.5]


def test_the_better_scored_document_is_the_more_likely_one(problem, model):
    A, B = problem.X[:150], problem.X[150:]
    np.testing.assert_array_equal(model.predict_pair_proba(A, B) > 0.5, model.decide_pairs(A, B) > 0)


def test_separable_data_have_finite_probabilities():
    X = np.arange(60.0)[:, None]
    model = PairCalibrator(RankSVM(C=1e6), random_state=0).fit(X, np.arange(60.0), qid=np.repeat([0, 1, 2], 20))
    assert np.isfinite(model.slope_)
    assert model.calibration_.accuracy == 1.0
    assert 0.5 < model.predict_pair_proba(X[1:2], X[:1])[0] < 1.0


# Folds.


def recording_ranker():
    """Return a ranker of rows (number of the query, score), and its record of (training, predicted) queries."""
    log = []

    class Recorder(BaseEstimator):
        def fit(self, X, y, qid):
            assert (np.diff(qid) >= 0).all()
            assert len(set(zip(X[:, 0], qid, strict=True))) == len(set(X[:, 0])) == len(set(qid))
            self.fitted_to_ = set(X[:, 0].tolist())
            return self

        def predict(self, X):
            log.append((self.fitted_to_, set(X[:, 0].tolist())))
            return X[:, 1]

    return Recorder(), log


@pytest.mark.parametrize("cv", [2, 3, 5, GroupKFold(4), GroupShuffleSplit(3, random_state=0)])
def test_no_query_is_on_both_sides_of_a_fold(problem, cv):
    ranker, log = recording_ranker()
    X = np.column_stack([problem.qid, problem.y])
    PairCalibrator(ranker, cv=cv, random_state=0).fit(X, problem.y, qid=problem.qid)
    assert len(log) == (cv if isinstance(cv, int) else cv.get_n_splits())
    assert all(fitted_to and asked and not fitted_to & asked for fitted_to, asked in log)
    if not isinstance(cv, GroupShuffleSplit):
        # Queries without a comparable pair are held out as well; a fold without any other would be skipped.
        assert set.union(*(asked for _, asked in log)) == set(problem.qid.tolist())


def test_splits_given_as_rows_are_used(problem):
    ranker, log = recording_ranker()
    X = np.column_stack([problem.qid, problem.y])
    low, high = np.flatnonzero(problem.qid < 9), np.flatnonzero(problem.qid >= 9)
    PairCalibrator(ranker, cv=[(low, high), (high, low)], random_state=0).fit(X, problem.y, qid=problem.qid)
    assert [sorted(asked) for _, asked in log] == [sorted(set(problem.qid[rows].tolist())) for rows in (high, low)]


def test_a_splitter_that_splits_a_query_is_refused(problem):
    torn = list(KFold(3).split(problem.X))
    with pytest.raises(DataError, match=r"keep each query whole: in fold 0 query .*GroupKFold"):
        PairCalibrator(RankSVM(), cv=torn).fit(problem.X, problem.y, qid=problem.qid)


def test_more_folds_than_queries_are_refused():
    with pytest.raises(DataError, match=r"3 folds by query need 3 queries: got 2\. Add judged queries, or lower cv\."):
        PairCalibrator(RankSVM()).fit(np.eye(4), [0, 1, 0, 1], qid=[1, 1, 2, 2])


def test_one_query_is_split_by_document_into_folds_with_all_labels():
    log = []

    class Recorder(BaseEstimator):
        def fit(self, X, y):
            self.fitted_to_ = set(X[:, 0].tolist())
            return self

        def predict(self, X):
            log.append((self.fitted_to_, X[:, 0].tolist()))
            return X[:, 1]

    rng = np.random.default_rng(0)
    y = np.repeat([0.0, 1.0, 2.0], 12)
    X = np.column_stack([np.arange(36), y + rng.normal(size=36)])
    model = PairCalibrator(Recorder(), random_state=0).fit(X, y)
    assert [len(asked) for _, asked in log] == [12, 12, 12]
    assert all(not fitted_to & set(asked) for fitted_to, asked in log)
    assert sorted(row for _, asked in log for row in asked) == list(range(36))
    assert all(np.bincount(y[np.array(asked, dtype=int)].astype(int)).tolist() == [4, 4, 4] for _, asked in log)
    assert model.calibration_.n_pairs == 3 * 3 * 16
    assert {one.interval for one in model.calibration_.bins} == {None}


def test_a_single_query_of_too_few_documents_is_refused():
    with pytest.raises(DataError, match="None of the 3 folds has a pair of documents with different labels"):
        PairCalibrator(Ridge()).fit(np.eye(3), [0, 1, 2])


# Sampling.


def test_long_queries_are_sampled_and_the_result_says_so(problem):
    model = PairCalibrator(RankSVM(C=100.0), max_pairs=10, random_state=0).fit(problem.X, problem.y, qid=problem.qid)
    listed = comparable_pairs(problem.y, problem.qid)
    per_query = np.bincount(problem.qid[[i for i, _ in listed]])
    assert model.calibration_.n_pairs == np.minimum(per_query, 10).sum()
    assert model.calibration_.n_comparable == len(listed)
    assert f"pairs with different labels, sampled from {len(listed):,}" in str(model.calibration_)


def test_the_same_seed_gives_the_same_result_and_another_one_does_not(problem):
    def fitted(seed):
        return PairCalibrator(RankSVM(C=100.0), max_pairs=10, random_state=seed).fit(
            problem.X, problem.y, qid=problem.qid
        )

    assert fitted(1).slope_ == fitted(1).slope_
    assert fitted(1).calibration_ == fitted(1).calibration_
    assert fitted(1).slope_ != fitted(2).slope_


# Rankers of all kinds.


def in_query_order(problem):
    """Rows query by query in order of first appearance, and the sizes of the queries."""
    first = {query: place for place, query in reversed(list(enumerate(problem.qid.tolist())))}
    order = sorted(range(len(problem.y)), key=lambda row: (first[problem.qid[row]], row))
    queries = [problem.qid[row] for row in order]
    numbers = np.cumsum([0] + [a != b for a, b in pairwise(queries)])
    return np.array(order), numbers


def test_a_lightgbm_ranker_gets_groups_of_adjacent_rows(problem):
    lightgbm = pytest.importorskip("lightgbm")
    ranker = lightgbm.LGBMRanker(n_estimators=5, min_child_samples=5, n_jobs=1, verbose=-1, random_state=0)
    model = PairCalibrator(ranker, random_state=0).fit(problem.X, problem.y, qid=problem.qid)
    order, numbers = in_query_order(problem)
    by_hand = clone(ranker).fit(problem.X[order], problem.y[order], group=np.bincount(numbers))
    np.testing.assert_allclose(model.predict(problem.X), by_hand.predict(problem.X), rtol=1e-12)
    check_probabilities(model, problem)


def test_an_xgboost_ranker_gets_sorted_queries(problem):
    xgboost = pytest.importorskip("xgboost")
    ranker = xgboost.XGBRanker(n_estimators=5, n_jobs=1, random_state=0)
    model = PairCalibrator(ranker, random_state=0).fit(problem.X, problem.y, qid=problem.qid)
    order, numbers = in_query_order(problem)
    by_hand = clone(ranker).fit(problem.X[order], problem.y[order], qid=numbers)
    np.testing.assert_allclose(model.predict(problem.X), by_hand.predict(problem.X), rtol=1e-6)
    check_probabilities(model, problem)


def check_probabilities(model, problem):
    A, B = problem.X[:150], problem.X[150:]
    assert model.slope_ < 0
    assert (model.predict_pair_proba(A, B) + model.predict_pair_proba(B, A) == 1.0).all()
    assert model.calibration_.brier < 0.25


@pytest.mark.parametrize("estimator", [Ridge(), BestSingleFeature(), make_pipeline(StandardScaler(), Ridge())])
def test_regressors_and_baselines_are_rankers_too(problem, estimator):
    model = PairCalibrator(estimator, random_state=0).fit(problem.X, problem.y, qid=problem.qid)
    check_probabilities(model, problem)


@pytest.mark.parametrize("routing", [False, True])
def test_a_pipeline_passes_the_queries_to_its_last_step(problem, routing):
    with sklearn.config_context(enable_metadata_routing=routing):
        ranker = RankSVM(C=100.0, tol=1e-10)
        pipeline = make_pipeline(StandardScaler(), ranker.set_fit_request(qid=True) if routing else ranker)
        model = PairCalibrator(pipeline, random_state=0).fit(problem.X, problem.y, qid=problem.qid)
    by_hand = RankSVM(C=100.0, tol=1e-10).fit(StandardScaler().fit_transform(problem.X), problem.y, qid=problem.qid)
    np.testing.assert_allclose(model.estimator_[-1].coef_, by_hand.coef_, rtol=1e-6)
    assert model.estimator_[-1].n_queries_ == by_hand.n_queries_


def test_a_pipeline_around_lightgbm_passes_the_groups(problem):
    lightgbm = pytest.importorskip("lightgbm")
    ranker = lightgbm.LGBMRanker(n_estimators=5, min_child_samples=5, n_jobs=1, verbose=-1, random_state=0)
    nested = make_pipeline(StandardScaler(), make_pipeline(StandardScaler(), ranker))
    model = PairCalibrator(nested.set_output(transform="pandas"), random_state=0)
    check_probabilities(model.fit(problem.X, problem.y, qid=problem.qid), problem)


def test_a_fitted_ranker_is_not_refitted(problem):
    half = problem.qid < 9
    ranker = RankSVM(C=100.0).fit(problem.X[half], problem.y[half], qid=problem.qid[half])
    coefficients = ranker.coef_.copy()
    model = PairCalibrator(ranker, cv="prefit", max_pairs=None, random_state=0)
    model.fit(problem.X[~half], problem.y[~half], qid=problem.qid[~half])
    assert model.estimator_ is ranker
    np.testing.assert_array_equal(ranker.coef_, coefficients)
    assert model.calibration_.n_pairs == len(comparable_pairs(problem.y[~half], problem.qid[~half]))


def test_a_model_that_only_compares_pairs_is_made_antisymmetric(problem):
    class Comparer(BaseEstimator):
        """Compares with a bias of 3 in favour of the first document."""

        def fit(self, X, y, qid=None):
            return self

        def decide_pairs(self, A, B):
            return 2.0 * (A[:, 0] - B[:, 0]) + 3.0

    X = np.column_stack([problem.X @ RankSVM().fit(problem.X, problem.y, qid=problem.qid).coef_, problem.X])
    model = PairCalibrator(Comparer(), random_state=0).fit(X, problem.y, qid=problem.qid)
    np.testing.assert_allclose(model.decide_pairs(X[:9], X[9:18]), 2.0 * (X[:9, 0] - X[9:18, 0]), atol=1e-12)
    assert (model.predict_pair_proba(X[:150], X[150:]) + model.predict_pair_proba(X[150:], X[:150]) == 1.0).all()
    with pytest.raises(AttributeError, match=r"Comparer does not score single documents: use decide_pairs\(A, B\)"):
        model.predict(X)
    scored = PairCalibrator(lambda rows: 2.0 * rows[:, 0], cv="prefit", random_state=0)
    assert model.slope_ == pytest.approx(scored.fit(X, problem.y, qid=problem.qid).slope_, rel=0.2)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_are_passed_to_the_ranker_with_their_names(problem, frame):
    rows = frame({f"feature {k}": problem.X[:, k] for k in range(4)})
    model = PairCalibrator(RankSVM(C=100.0), random_state=0).fit(rows, problem.y, qid=problem.qid)
    assert model.estimator_.feature_names_in_.tolist() == model.feature_names_in_.tolist() == list(rows.columns)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(rows[list(rows.columns)[::-1]])


def test_sparse_rows_give_the_same_slope(problem, model):
    thin = PairCalibrator(RankSVM(C=100.0), random_state=0).fit(sparse.coo_array(problem.X), problem.y, qid=problem.qid)
    assert thin.slope_ == pytest.approx(model.slope_, rel=1e-6)


# Refusals.


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"method": "isotonic"}, "method must be one of 'sigmoid': got 'isotonic'"),
        ({"cv": 1}, "cv must be at least 2 folds: got 1"),
        ({"cv": "loo"}, "cv must be one of 'prefit': got 'loo'"),
        ({"max_pairs": 0}, "max_pairs must be a positive whole number: got 0"),
        ({"random_state": "x"}, "random_state must be None, a whole number"),
        ({"estimator": LogisticRegression()}, "LogisticRegression predicts classes.*PairwiseRanker"),
        ({"estimator": RankSVM}, "expected fit and predict, got <class"),
        ({"estimator": None}, "expected fit and predict, got None"),
        ({"estimator": 7, "cv": "prefit"}, "expected a fitted model with predict, or a function .*, got 7"),
        ({"estimator": GridSearchCV(RankSVM(), {"C": [1.0]})}, "GridSearchCV takes no queries.*RankSVM.*'prefit'"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(problem, parameters, message):
    with pytest.raises(DataError, match=message):
        PairCalibrator(**{"estimator": RankSVM(), **parameters}).fit(problem.X, problem.y, qid=problem.qid)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"qid": [1, 1]}, "qid must have one entry per row of X: expected 6, got 2"),
        ({"y": [1, 1, 1, 1, 1, 1]}, "two different labels"),
        ({"y": [0, 1, 0, 1, 0]}, "y must have one entry per row of X: expected 6, got 5"),
    ],
)
def test_data_that_cannot_be_calibrated_are_refused(change, message):
    data = {"X": np.eye(6), "y": [0, 1] * 3, "qid": [1, 1, 2, 2, 3, 3]} | change
    with pytest.raises(DataError, match=message):
        PairCalibrator(RankSVM()).fit(data["X"], data["y"], qid=data["qid"])


def test_sides_of_different_length_are_refused(problem, model):
    with pytest.raises(DataError, match="A and B must have one row per pair: got 3 and 2 rows"):
        model.predict_pair_proba(problem.X[:3], problem.X[:2])


def test_scores_that_are_not_finite_are_refused(problem):
    with pytest.raises(DataError, match="scores has 300 values that are not finite"):
        PairCalibrator(lambda rows: rows[:, 0] * np.nan, cv="prefit").fit(problem.X, problem.y, qid=problem.qid)


def test_held_out_pairs_that_would_reverse_the_order_give_no_probabilities(problem):
    """With scores against the labels, the best A is above 0: the message has the share of pairs in the right order."""
    weights = RankSVM().fit(problem.X, problem.y, qid=problem.qid).coef_
    model = PairCalibrator(lambda rows: -rows @ weights, cv="prefit", max_pairs=None, random_state=0)
    right = [float(-(problem.X[i] - problem.X[j]) @ weights > 0) for i, j in comparable_pairs(problem.y, problem.qid)]
    message = f"{np.mean(right):.1%} of the {len(right):,} held-out pairs are in the right order"
    with pytest.raises(DataError, match=message):
        model.fit(problem.X, problem.y, qid=problem.qid)


def test_more_than_half_of_the_pairs_may_be_in_order_although_large_differences_are_wrong():
    """Of 6 pairs, 4 with a difference of +1 are right and 2 with a difference of −10 wrong: A is above 0."""
    outputs = [1.0, 1.0, 1.0, 1.0, -10.0, -10.0]
    scores = np.column_stack([outputs, np.zeros(6)]).reshape(-1, 1)
    y, qid = np.tile([1.0, 0.0], 6), np.repeat(np.arange(6), 2)
    with pytest.raises(DataError, match=r"66\.7% of the 6 held-out pairs"):
        PairCalibrator(lambda rows: rows[:, 0], cv="prefit").fit(scores, y, qid=qid)


def test_a_ranker_that_ties_every_pair_gives_no_probabilities(problem):
    with pytest.raises(DataError, match=r"50\.0% of the"):
        PairCalibrator(lambda rows: np.zeros(len(rows)), cv="prefit").fit(problem.X, problem.y, qid=problem.qid)


def test_probabilities_before_fitting_are_refused(problem):
    with pytest.raises(NotFittedError):
        PairCalibrator(RankSVM()).predict_pair_proba(problem.X, problem.X)
