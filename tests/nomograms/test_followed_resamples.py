"""Replicates of a calibrated ranking SVM that are followed, against fits to repeated rows."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from glassrank.core.groups import group_rows
from glassrank.modelfile.load_model import load_model
from glassrank.modelfile.save_model import save_model
from glassrank.nomograms.bootstrap_effects import bootstrap_effects
from glassrank.nomograms.followed_resamples import FollowedResamples
from glassrank.ranking.calibration import PairCalibrator
from glassrank.ranking.feature_transformer import FeatureTransformer
from glassrank.ranking.rank_svm import RankSVM
from glassrank.simulation.ranking import simulate_ranking
from tests.reference.elimination import fit_pairs
from tests.reference.pairs import comparable_pairs
from tests.reference.sigmoid import negative_log_likelihood

DATA = simulate_ranking(24, 10, random_state=0).data
N_FOLDS = 3


def calibrated(ranker, **options):
    return PairCalibrator(ranker, cv=N_FOLDS, random_state=0, **options).fit(DATA.X, DATA.y, qid=DATA.qid)


def followed(model, data=DATA):
    return FollowedResamples.of(model, data.X, data.y, group_rows(data.qid, len(data.y)), None)


def test_weights_and_slope_are_those_of_the_repeated_rows():
    """Three folds of the queries that were drawn, each scored by LIBLINEAR's fit to the others; all pairs."""
    model = calibrated(RankSVM(C=0.02, C_unit="pair", tol=1e-10), max_pairs=None)
    groups, rng = DATA.groups, np.random.default_rng(3)
    counts = np.bincount(rng.integers(groups.n_queries, size=groups.n_queries), minlength=groups.n_queries)
    made = followed(model).replicate(counts, np.random.default_rng(7))
    drawn = np.flatnonzero(counts)
    fold = dict(zip(np.random.default_rng(7).permutation(drawn), np.arange(len(drawn)) % N_FOLDS, strict=True))
    draws = np.repeat(np.arange(len(counts)), counts)
    rows = np.concatenate([groups.rows(query) for query in draws])
    place = np.repeat(np.arange(len(draws)), groups.sizes[draws])
    pairs = comparable_pairs(DATA.y[rows], place)
    fold_of_pair = np.array([fold[draws[place[i]]] for i, _ in pairs])
    outputs = []
    for number in range(N_FOLDS):
        w = fit_pairs(DATA.X[rows], [pairs[k] for k in np.flatnonzero(fold_of_pair != number)], 0.02)
        scores = DATA.X[rows] @ w
        outputs += [scores[pairs[k][0]] - scores[pairs[k][1]] for k in np.flatnonzero(fold_of_pair == number)]
    likelihood = minimize_scalar(
        lambda slope: negative_log_likelihood(slope, 0.0, outputs, [True] * len(outputs)), bounds=(-6.0, 0.0)
    )
    whole = fit_pairs(DATA.X[rows], pairs, 0.02)
    moved = np.linalg.norm(whole - model.estimator_.coef_)
    assert np.linalg.norm(made.estimator_.coef_ - whole) <= 0.03 * moved
    assert made.slope_ == pytest.approx(likelihood.x, rel=0.01)
    assert made.offset_ == 0.0


@pytest.mark.parametrize("kernel", ["linear", "lrbf"])
def test_standard_errors_are_those_of_full_fits(kernel):
    """60 resamples estimate a standard error to about 9 %; an unfitted model is fitted to each resample in full."""
    model = make_pipeline(FeatureTransformer(), RankSVM(kernel=kernel, linear=1.0))
    settings = {"n_resamples": 60, "random_state": 0}
    data = DATA.X, DATA.y, DATA.qid
    errors = [
        bootstrap_effects(one, *data, **settings).difference_errors(DATA.X[:40], DATA.X[40:80])
        for one in (calibrated(model), PairCalibrator(clone(model), cv=N_FOLDS, random_state=0))
    ]
    large = errors[1] > 0.2 * np.median(errors[1])
    ratios = errors[0][large] / errors[1][large]
    assert 0.85 < np.median(ratios) < 1.15
    assert np.quantile(np.abs(np.log(ratios)), 0.9) < 0.3


def test_a_replicate_has_the_pairs_of_its_resample_and_no_number_of_another_fit(tmp_path):
    """Its objective is never evaluated at its weights; this also holds for a replicate that was saved."""
    model, groups = calibrated(make_pipeline(FeatureTransformer(), RankSVM())), DATA.groups
    counts = np.zeros(groups.n_queries, dtype=np.int64)
    counts[:12] = 2
    made = followed(model).replicate(counts, np.random.default_rng(0)).estimator_
    rows = np.concatenate([groups.rows(query) for query in range(12)])
    save_model(made, tmp_path / "replicate.json")
    for svm in (made[-1], load_model(tmp_path / "replicate.json")[-1]):
        assert svm.n_pairs_ == svm.n_sampled_pairs_ == 2 * len(comparable_pairs(DATA.y[rows], DATA.qid[rows]))
        assert svm.n_queries_ == 24
        assert not {"objective_", "duality_gap_", "n_iter_"} & set(vars(svm))
    assert model.estimator_[-1].objective_ > 0.0


def test_replicates_do_not_change_the_model():
    model = calibrated(RankSVM())
    slope, weights = model.slope_, model.estimator_.coef_.copy()
    found = bootstrap_effects(model, DATA.X, DATA.y, DATA.qid, n_resamples=3, random_state=0)
    assert len(found) == 3
    assert (model.slope_ == slope, (model.estimator_.coef_ == weights).all()) == (True, True)
    assert model.calibration_.n_pairs > 0


def test_a_seed_decides_the_replicates_and_workers_do_not():
    model, data = calibrated(RankSVM(kernel="lrbf")), (DATA.X, DATA.y, DATA.qid)
    first, same, other = (
        bootstrap_effects(model, *data, n_resamples=3, random_state=seed, n_jobs=n_jobs).difference_errors(
            DATA.X[:5], DATA.X[5:10]
        )
        for seed, n_jobs in ((1, None), (1, 2), (2, None))
    )
    assert np.array_equal(first, same)
    assert not np.array_equal(first, other)


def test_rows_of_weight_0_are_as_if_absent():
    weights = np.where(np.arange(len(DATA.y)) % 4 == 0, 0.0, 1.5)
    model = PairCalibrator(RankSVM(), random_state=0).fit(DATA.X, DATA.y, qid=DATA.qid, sample_weight=weights)
    counted = weights > 0
    with_zeros = bootstrap_effects(model, DATA.X, DATA.y, DATA.qid, weights, n_resamples=3, random_state=0)
    without = bootstrap_effects(
        model, DATA.X[counted], DATA.y[counted], np.asarray(DATA.qid)[counted], n_resamples=3, random_state=0
    )
    pairs = DATA.X[:5], DATA.X[5:10]
    np.testing.assert_allclose(with_zeros.difference_errors(*pairs), without.difference_errors(*pairs), rtol=1e-6)


@pytest.mark.parametrize(
    "ranker",
    [
        RankSVM(loss="logistic"),
        RankSVM(loss="hinge"),
        RankSVM(monotone={0: 1}),
        RankSVM(kernel="lrbf", mode="difference"),
    ],
    ids=["logistic", "hinge", "bounded", "differences"],
)
def test_other_models_are_fitted_to_each_resample(ranker):
    model = calibrated(ranker)
    assert followed(model) is None
    assert len(bootstrap_effects(model, DATA.X, DATA.y, DATA.qid, n_resamples=2, random_state=0)) == 2


def test_a_fold_without_comparable_documents_outside_is_drawn_again():
    """Only query 0 has different labels: the fold that holds it out has nothing to learn from."""
    model = calibrated(RankSVM())
    y = np.where(DATA.groups.of_row == 0, np.arange(len(DATA.y)) % 2, 1.0)
    made = FollowedResamples.of(model, DATA.X, y, DATA.groups, None)
    counts = np.ones(DATA.n_queries, dtype=np.int64)
    assert made.replicate(counts, np.random.default_rng(0)) is None
