"""bootstrap_effects(): spread over resamples, against known standard errors and a slow twin."""

from typing import ClassVar

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from glassrank.core.checks import DataError
from glassrank.core.feature_kinds import PLAIN, FeatureKind
from glassrank.data.ranking_data import RankingData
from glassrank.nomograms.bootstrap_effects import bootstrap_effects
from glassrank.ranking.additive_svc import AdditiveSVC
from glassrank.ranking.calibration import PairCalibrator
from glassrank.ranking.rank_svm import RankSVM
from glassrank.ranking.rank_svm_cv import RankSVMCV
from tests.nomograms.adapters.additive import CLASS, LABEL, OTHER, QID, VALUE, X
from tests.reference.pairs import random_problem

SCALER = StandardScaler().fit(X)
Z, OTHER_Z = SCALER.transform(X), SCALER.transform(OTHER)


def slopes(samples):
    return np.array(
        [[float(feature(np.array(feature.centre + 1.0))) for feature in r.features] for r in samples.replicates]
    )


def test_errors_are_those_of_gaussian_least_squares():
    """For y = Xw + noise of spread σ w_k has the error σ √((X'X)⁻¹_kk); 400 resamples estimate it to about 4 %."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(500, 3)) * [1.0, 2.0, 0.5]
    y = rows @ [1.0, -0.5, 0.3] + rng.normal(size=500)
    samples = bootstrap_effects(LinearRegression(), rows, y, n_resamples=400, random_state=0)
    centred = rows - rows.mean(axis=0)
    residuals = y - LinearRegression().fit(rows, y).predict(rows)
    expected = np.sqrt(np.diag(np.linalg.inv(centred.T @ centred)) * residuals.var(ddof=4))
    np.testing.assert_allclose(slopes(samples).std(axis=0, ddof=1), expected, rtol=0.12)
    A, B = rows[:5], rows[5:10]
    np.testing.assert_allclose(samples.difference_errors(A, B), np.abs(A - B) * expected, rtol=0.12)
    for k in range(3):
        error = samples.curve_errors(k, samples.replicates[0].features[k].centre + np.array([0.0, 2.0]))
        np.testing.assert_allclose(error, [0.0, 2 * expected[k]], rtol=0.12)


def test_intervals_cover_the_truth_about_as_often_as_their_level_says():
    """30 data sets with known truth: the 90 % intervals of a difference miss it in about 3."""
    rng = np.random.default_rng(1)
    truth, missed = np.array([1.0, -1.0]), 0
    A, B = np.array([[1.0, 0.5]]), np.array([[-0.5, 1.0]])
    for _ in range(30):
        rows = rng.normal(size=(120, 2))
        y = rows @ truth + rng.normal(size=120)
        low, high = bootstrap_effects(LinearRegression(), rows, y, n_resamples=50, random_state=0).interval(
            A, B, level=0.9
        )
        missed += not low[0] <= ((A - B) @ truth)[0] <= high[0]
    assert missed <= 9  # binomial(30, 0.1): 9 or fewer in 99.9 % of all cases


def test_documents_of_a_query_are_drawn_together():
    """All rows of a query are equal, so a bootstrap of rows would give an error that is 10 times too small."""
    rng = np.random.default_rng(2)
    values, shifts = rng.normal(size=50), rng.normal(size=50)
    qid = np.repeat(np.arange(50), 100)
    rows, y = values[qid][:, None], (values + shifts)[qid]
    drawn = slopes(bootstrap_effects(LinearRegression(), rows, y, qid, n_resamples=200, random_state=0)).std()
    alone = slopes(bootstrap_effects(LinearRegression(), rows, y, n_resamples=200, random_state=0)).std()
    residuals = values + shifts - np.polyval(np.polyfit(values, values + shifts, 1), values)
    expected = residuals.std(ddof=2) / np.sqrt(((values - values.mean()) ** 2).sum())
    assert drawn == pytest.approx(expected, rel=0.25)
    assert drawn > 5 * alone


def test_a_query_drawn_twice_counts_as_two_queries():
    """In no resample is a document compared with one of another query, so query offsets never matter."""
    problem = random_problem(3, n_rows=90, n_features=3, n_queries=9)
    offsets = np.random.default_rng(4).normal(size=problem.X.shape[1]) * 1e3
    moved = problem.X + np.unique(problem.qid, return_inverse=True)[1][:, None] * offsets
    plain = bootstrap_effects(
        RankSVM(C=100.0, tol=1e-10), problem.X, problem.y, problem.qid, n_resamples=5, random_state=0
    )
    shifted = bootstrap_effects(
        RankSVM(C=100.0, tol=1e-10), moved, problem.y, problem.qid, n_resamples=5, random_state=0
    )
    np.testing.assert_allclose(slopes(shifted), slopes(plain), rtol=1e-4, atol=1e-6)


def same(first, second):
    return np.array_equal(
        first.difference_errors(OTHER_Z[:9], OTHER_Z[9:18]), second.difference_errors(OTHER_Z[:9], OTHER_Z[9:18])
    )


@pytest.mark.parametrize(
    "model",
    [RankSVM(), PairCalibrator(RankSVM()), RankSVMCV(Cs=[1e-2, 1.0])],
    ids=["ranker", "calibrated", "chosen"],
)
def test_a_seed_decides_the_result_and_workers_do_not(model):
    first = bootstrap_effects(model, Z, LABEL, QID, n_resamples=4, random_state=7)
    assert same(first, bootstrap_effects(model, Z, LABEL, QID, n_resamples=4, random_state=7))
    assert same(first, bootstrap_effects(model, Z, LABEL, QID, n_resamples=4, random_state=7, n_jobs=2))
    assert not same(first, bootstrap_effects(model, Z, LABEL, QID, n_resamples=4, random_state=8))


@pytest.mark.parametrize("model", [LogisticRegression(), AdditiveSVC(random_state=0)], ids=["logistic", "svc"])
def test_a_classifier_draws_rows_and_has_intervals_of_its_log_odds(model):
    samples = bootstrap_effects(model, Z, CLASS, n_resamples=20, random_state=0)
    fitted = model.fit(Z, CLASS)
    low, high = samples.interval(Z, level=0.99)
    inside = (low <= fitted.decision_function(Z)) & (fitted.decision_function(Z) <= high)
    assert inside.mean() > 0.9
    assert samples.replicates[0].subject == "class"


def test_replicates_share_the_range_and_centre_of_their_lines():
    samples = bootstrap_effects(
        make_pipeline(StandardScaler(), RankSVM()), X, LABEL, QID, n_resamples=3, random_state=0
    )
    places = {
        tuple((feature.name, feature.low, feature.high, feature.centre) for feature in replicate.features)
        for replicate in samples.replicates
    }
    assert len(places) == 1
    assert [centre for *_, centre in places.pop()] == pytest.approx(X.mean(axis=0).tolist())


def test_progress_is_reported_after_every_fit():
    told = []
    bootstrap_effects(
        LinearRegression(), Z, VALUE, n_resamples=3, progress=lambda *step: told.append(step), random_state=0
    )
    assert told == [(done, 3, "fitting resamples") for done in (1, 2, 3)]


def test_the_given_model_is_not_changed():
    model = PairCalibrator(RankSVM(), cv=3)
    bootstrap_effects(model, Z, LABEL, QID, n_resamples=2, random_state=0)
    assert not hasattr(model, "slope_")
    assert (model.cv, model.random_state) == (3, None)


class RecordingCalibrator(PairCalibrator):
    """A calibrator that records its rows, and which of them each fold holds out."""

    seen: ClassVar = []

    def fit(self, X, y, qid=None):
        self.seen.append((X, self.cv))
        return super().fit(X, y, qid=qid)


def test_no_copy_of_a_query_is_held_out_from_itself(monkeypatch):
    from glassrank.nomograms.adapters import registry

    monkeypatch.setitem(registry.WRAPPERS, "tests:RecordingCalibrator", registry.WRAPPERS["glassrank:PairCalibrator"])
    RecordingCalibrator.seen.clear()
    bootstrap_effects(RecordingCalibrator(RankSVM()), Z, LABEL, QID, n_resamples=3, random_state=0)
    assert len(RecordingCalibrator.seen) == 3
    for rows, folds in RecordingCalibrator.seen:
        held_out = np.concatenate([test for _, test in folds])
        assert sorted(held_out.tolist()) == list(range(len(rows)))
        for train, test in folds:
            assert not {tuple(row) for row in rows[train]} & {tuple(row) for row in rows[test]}


def test_resamples_without_anything_to_compare_are_drawn_again():
    """Three of four queries have one label only: a third of the resamples of four queries lacks the other one."""
    qid = np.repeat(np.arange(4), 5)
    y = np.where(qid == 0, np.arange(20) % 2, 1.0)
    assert len(bootstrap_effects(RankSVM(), Z[:20], y, qid, n_resamples=20, random_state=0)) == 20


def test_data_in_which_nothing_can_be_compared_are_refused():
    with pytest.raises(DataError, match=r"Ranking needs at least two different labels"):
        bootstrap_effects(RankSVM(), Z[:20], np.ones(20), np.repeat(np.arange(4), 5), n_resamples=2, random_state=0)


def test_a_resample_that_lacks_a_category_is_refused_with_the_remedy():
    rows = np.array([["rare"]] + [["a"], ["b"]] * 20, dtype=object)
    y = np.arange(41.0)
    with pytest.raises(DataError, match=r"categories="):
        bootstrap_effects(make_pipeline(OneHotEncoder(), LinearRegression()), rows, y, n_resamples=10, random_state=0)
    named = make_pipeline(OneHotEncoder(categories=[["a", "b", "rare"]]), LinearRegression())
    assert len(bootstrap_effects(named, rows, y, n_resamples=10, random_state=0)) == 10


@pytest.mark.parametrize("n_resamples", [0, 1.5, 1])
def test_fewer_than_two_resamples_are_refused(n_resamples):
    with pytest.raises(DataError):
        bootstrap_effects(LinearRegression(), Z, VALUE, n_resamples=n_resamples, random_state=0)


def test_levels_that_are_rare_in_some_resamples_have_errors():
    """Where all of them are rare, their curve is flat and has no mean of its own."""
    rng = np.random.default_rng(0)
    levels = tuple("abcdefghijklmno")
    codes = rng.integers(len(levels), size=60).astype(float)
    codes[rng.random(60) < 0.3] = np.nan
    y = (np.nan_to_num(codes, nan=7.0) + rng.normal(scale=4.0, size=60) > 7).astype(float)
    kinds = (FeatureKind("category", levels), PLAIN)
    data = RankingData(np.column_stack([codes, rng.normal(size=60)]), y, np.zeros(60, dtype=int), kinds=kinds)
    samples = bootstrap_effects(RankSVM(missing="mean", min_count=7), data.table, y, n_resamples=20, random_state=0)
    own = [replicate.features[0] for replicate in samples.replicates]
    assert len({effect.centre is None for effect in own}) == 2
    codes = np.arange(float(len(levels)))
    np.testing.assert_allclose(
        samples.curve_errors(0, codes), np.std([effect(codes) for effect in own], axis=0, ddof=1)
    )
