"""Row weights in elimination and bootstrap: rows of weight 0 are ignored, also in folds and resamples."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from glassrank import DataError, ELMRank, NomogramRFE, PairCalibrator, RankSVM
from glassrank.nomograms.bootstrap_effects import bootstrap_effects
from glassrank.nomograms.elimination.fits import FollowedRankSVM, Refits
from glassrank.nomograms.elimination.training_rows import Rows, resamples
from tests.reference import elimination as twin
from tests.reference.pairs import random_problem

C = 0.05
ADDITIVE_ELM = ELMRank(n_nodes=12, nodes="additive", random_state=0)


@pytest.fixture(scope="module")
def problem():
    return random_problem(41, n_rows=180, n_features=5, n_queries=14)


@pytest.fixture(scope="module")
def some(problem):
    weights = np.random.default_rng(1).choice([0.0, 0.5, 3.0], size=len(problem.y))
    weights[problem.qid == 3] = 0.0
    return weights


def path(rfe):
    """All numbers of an elimination."""
    scores = {name: values.tolist() for name, values in rfe.cv_results_.items()}
    nested, stability = getattr(rfe, "nested_scores_", np.zeros(0)), getattr(rfe, "stability_", np.zeros(0))
    lengths = [[line.length for line in one.leaves] for one in rfe.result_.rounds]
    return rfe.elimination_order_.tolist(), scores, nested.tolist(), stability.tolist(), lengths


ELIMINATIONS = {
    "followed": NomogramRFE(RankSVM(C, C_unit="pair"), nested=True, n_bootstraps=3, random_state=0),
    "followed lrbf": NomogramRFE(
        make_pipeline(StandardScaler(), RankSVM(C, C_unit="pair", kernel="lrbf")), scoring="ndcg@5"
    ),
    "refitted": NomogramRFE(ADDITIVE_ELM, step=2),
    "by pair": NomogramRFE(RankSVM(C, C_unit="pair"), fold_unit="pair", random_state=0),
}


@pytest.mark.parametrize("name", ELIMINATIONS)
def test_an_elimination_ignores_rows_of_weight_zero(name, problem, some):
    counted = np.flatnonzero(some)
    rfe = clone(ELIMINATIONS[name]).fit(problem.X, problem.y, qid=problem.qid, sample_weight=some)
    without = clone(ELIMINATIONS[name]).fit(
        problem.X[counted], problem.y[counted], qid=problem.qid[counted], sample_weight=some[counted]
    )
    assert path(rfe) == path(without)
    np.testing.assert_array_equal(rfe.predict(problem.X), without.predict(problem.X))


def test_a_classification_ignores_rows_of_weight_zero(problem, some):
    y, counted = problem.y > 0, np.flatnonzero(some)
    rfe = NomogramRFE(LogisticRegression(tol=1e-9), nested=True, n_bootstraps=3, random_state=0)
    with_zeros = clone(rfe).fit(problem.X, y, sample_weight=some)
    without = clone(rfe).fit(problem.X[counted], y[counted], sample_weight=some[counted])
    assert path(with_zeros) == path(without)
    expected = LogisticRegression(tol=1e-9).fit(problem.X[:, without.support_], y, sample_weight=some)
    np.testing.assert_allclose(with_zeros.estimator_.coef_, expected.coef_, rtol=1e-6)


def test_weighted_order_and_accuracies_equal_an_explicit_loop_over_listed_weighted_pairs(problem, some):
    X, y, qid, v = (part[some > 0] for part in (problem.X, problem.y, problem.qid, some))
    numbers = {query: number for number, query in enumerate(dict.fromkeys(qid.tolist()))}
    folds = list(GroupKFold(3).split(X, y, [numbers[query] for query in qid.tolist()]))
    selected, order, curve = twin.eliminate(X, y, qid, C, folds, row_weights=v)
    rfe = NomogramRFE(RankSVM(C, C_unit="pair"), keep="literal")
    rfe.fit(problem.X, problem.y, qid=problem.qid, sample_weight=some)
    assert rfe.elimination_order_.tolist() == order[:-1]
    found = rfe.cv_results_["mean_test_score"][::-1]
    np.testing.assert_allclose(found, [accuracy for _, accuracy in curve], atol=1e-12)
    assert np.flatnonzero(rfe.support_).tolist() == selected


def test_a_followed_minimum_equals_a_weighted_refit_of_the_pipeline(problem, some):
    rows = Rows(problem.X, problem.y, problem.qid, some + 0.25)
    ranker = RankSVM(C, C_unit="pair", kernel="lrbf", tol=1e-12)
    followed = FollowedRankSVM([StandardScaler()], ranker, rows)
    refitted = Refits(make_pipeline(StandardScaler(), ranker), rows)
    for kept in (np.arange(5), np.array([0, 1, 3])):
        followed.keep(kept)
        refitted.keep(kept)
        np.testing.assert_allclose(followed.lengths("query"), refitted.lengths("query"), rtol=1e-5)


def test_splits_of_an_elimination_index_all_rows(problem, some):
    numbered = np.unique(problem.qid, return_inverse=True)[1]
    splits = list(GroupKFold(3).split(problem.X, problem.y, numbered))
    place, counted = np.cumsum(some > 0) - 1, np.flatnonzero(some)
    kept = [tuple(place[part[some[part] > 0]] for part in split) for split in splits]
    rfe = NomogramRFE(RankSVM(C, C_unit="pair"), cv=splits).fit(
        problem.X, problem.y, qid=problem.qid, sample_weight=some
    )
    without = NomogramRFE(RankSVM(C, C_unit="pair"), cv=kept).fit(
        problem.X[counted], problem.y[counted], qid=problem.qid[counted], sample_weight=some[counted]
    )
    assert path(rfe) == path(without)


def test_resampled_queries_keep_their_rows_weights(problem, some):
    rows = Rows(problem.X, problem.y, problem.qid, some + np.arange(180) / 1000)
    weight_of = {tuple(row): weight for row, weight in zip(problem.X, rows.weights, strict=True)}
    unique = np.unique(problem.X, axis=0, return_counts=True)
    repeated = {tuple(row) for row, count in zip(*unique, strict=True) if count > 1}
    for drawn in resamples(rows, 3, random_state=0):
        for row, weight in zip(drawn.X, drawn.weights, strict=True):
            assert tuple(row) in repeated or weight == weight_of[tuple(row)]


def test_a_classifier_that_takes_no_weights_is_refused(problem, some):
    with pytest.raises(DataError, match="KNeighborsClassifier takes no sample_weight"):
        bootstrap_effects(KNeighborsClassifier(), problem.X, problem.y > 0, None, some, n_resamples=2, random_state=0)


MODELS = {
    "ranker": RankSVM(0.1, C_unit="pair"),
    "calibrated": PairCalibrator(make_pipeline(StandardScaler(), RankSVM(0.1, C_unit="pair")), random_state=0),
    "classifier": LogisticRegression(),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_bootstrap_does_not_draw_rows_of_weight_zero(name, problem, some):
    y, qid = (problem.y > 0, None) if name == "classifier" else (problem.y, problem.qid)
    counted = np.flatnonzero(some)
    with_zeros = bootstrap_effects(MODELS[name], problem.X, y, qid, some, n_resamples=4, random_state=0)
    left = None if qid is None else qid[counted]
    without = bootstrap_effects(
        MODELS[name], problem.X[counted], y[counted], left, some[counted], n_resamples=4, random_state=0
    )
    A, B = problem.X[:5], problem.X[5:10]
    for one, two in zip(with_zeros.replicates, without.replicates, strict=True):
        np.testing.assert_array_equal(one.contributions(A), two.contributions(A))
    plain = bootstrap_effects(MODELS[name], problem.X, y, qid, n_resamples=4, random_state=0)
    assert not np.allclose(with_zeros.difference_errors(A, B), plain.difference_errors(A, B), rtol=0.01)


def test_weighted_bootstrap_errors_are_those_of_weighted_least_squares():
    """Noise of variance 1/v_i: w_k has the error √((X'VX)⁻¹_kk) σ; 400 resamples estimate it to about 4 %."""
    rng = np.random.default_rng(0)
    rows, v = rng.normal(size=(500, 2)), rng.choice([0.25, 4.0], size=500)
    y = rows @ [1.0, -0.5] + rng.normal(size=500) / np.sqrt(v)
    samples = bootstrap_effects(LinearRegression(), rows, y, None, v, n_resamples=400, random_state=0)
    centred = rows - v @ rows / v.sum()
    expected = np.sqrt(np.diag(np.linalg.inv(centred.T @ (v[:, None] * centred))))
    found = np.array([[float(f(np.array(f.centre + 1.0))) for f in one.features] for one in samples.replicates])
    np.testing.assert_allclose(found.std(axis=0, ddof=1), expected, rtol=0.15)
    np.testing.assert_allclose([f.centre for f in samples.replicates[0].features], v @ rows / v.sum(), rtol=1e-12)


def test_a_data_frame_stays_a_data_frame_when_rows_are_dropped(problem, some):
    frame = pd.DataFrame(problem.X, columns=list("abcde"))
    rfe = NomogramRFE(RankSVM(C, C_unit="pair")).fit(frame, problem.y, qid=problem.qid, sample_weight=some)
    plain = NomogramRFE(RankSVM(C, C_unit="pair")).fit(problem.X, problem.y, qid=problem.qid, sample_weight=some)
    assert rfe.feature_names_in_.tolist() == list("abcde")
    assert rfe.elimination_order_.tolist() == plain.elimination_order_.tolist()
