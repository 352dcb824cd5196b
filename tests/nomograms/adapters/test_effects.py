"""effects(): a fitted model as one curve per feature."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.dummy import DummyRegressor

from glassrank.core.checks import DataError
from glassrank.core.groups import group_rows
from glassrank.nomograms.adapters.effects_of_model import effects
from glassrank.ranking.rank_svm import RankSVM
from tests.reference.nomogram import mean_spreads
from tests.reference.pairs import random_problem


@pytest.fixture(scope="module")
def problem():
    return random_problem(5, n_rows=160, n_features=5, n_queries=8)


@pytest.fixture(scope="module")
def model(problem):
    return RankSVM(C=100.0).fit(problem.X, problem.y, qid=problem.qid)


@pytest.fixture(scope="module")
def other_rows():
    return np.random.default_rng(9).normal(loc=3.0, scale=[1, 10, 100, 0.1, 1e4], size=(60, 5))


def test_effects_add_up_to_the_models_scores(problem, model, other_rows):
    for rows in (problem.X, other_rows):
        expected = model.predict(rows)
        scale = np.abs(rows) @ np.abs(model.coef_)
        assert (np.abs(effects(model).total(rows) - expected) <= 1e-12 * scale).all()
        assert (np.abs(effects(model, rows).total(rows) - expected) <= 1e-12 * scale).all()


def test_each_curve_is_zero_at_the_training_mean(problem, model):
    features = effects(model).features
    for column, feature in zip(problem.X.T, features, strict=True):
        assert feature.centre == pytest.approx(column.mean(), rel=1e-12)
        assert feature(np.array([column.mean()]))[0] == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(effects(model).contributions(problem.X).mean(axis=0), 0, atol=1e-12)


def test_rows_that_only_set_the_range_leave_the_centre_at_the_training_mean(problem, model, other_rows):
    """A document's effects must not depend on which other documents set the ends of the lines."""
    shifted = effects(model, other_rows)
    np.testing.assert_allclose(
        shifted.contributions(problem.X), effects(model).contributions(problem.X), rtol=1e-9, atol=1e-9
    )
    assert [feature.centre for feature in shifted.features] == pytest.approx(problem.X.mean(axis=0).tolist(), rel=1e-12)


def test_a_curve_rises_by_the_weight_per_unit(model):
    for weight, feature in zip(model.coef_, effects(model).features, strict=True):
        low, high = feature(np.array([2.0, 5.0]))
        assert high - low == pytest.approx(3 * weight, rel=1e-12)


def test_curves_span_all_training_values_or_the_middle_99_percent_of_other_rows(problem, model, other_rows):
    for k, feature in enumerate(effects(model).features):
        assert (feature.low, feature.high) == (problem.X[:, k].min(), problem.X[:, k].max())
    for k, feature in enumerate(effects(model, other_rows).features):
        assert (feature.low, feature.high) == pytest.approx(tuple(np.quantile(other_rows[:, k], [0.005, 0.995])))


def test_lengths_are_means_over_queries_of_the_spread(problem, model):
    lengths = effects(model).lengths(problem.X, group_rows(problem.qid, len(problem.y)))
    np.testing.assert_allclose(lengths, mean_spreads(model.coef_, problem.X, problem.qid), rtol=1e-10)


@pytest.mark.parametrize("layout", [sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array])
def test_sparse_rows_give_the_effects_of_dense_rows(problem, layout):
    thin = np.where(np.random.default_rng(2).random(problem.X.shape) < 0.6, 0.0, problem.X)
    dense_model = RankSVM(C=100.0, tol=1e-12).fit(thin, problem.y, qid=problem.qid)
    thin_model = RankSVM(C=100.0, tol=1e-12).fit(layout(thin), problem.y, qid=problem.qid)
    for dense, compressed in [
        (effects(dense_model), effects(thin_model)),
        (effects(dense_model, thin), effects(thin_model, layout(thin))),
    ]:
        for expected, got in zip(dense.features, compressed.features, strict=True):
            assert (got.low, got.high, got.centre) == pytest.approx((expected.low, expected.high, expected.centre))
        np.testing.assert_allclose(compressed.contributions(layout(thin)), dense.contributions(thin), atol=1e-9)


def test_names_come_from_the_training_frame_or_count_from_1(problem, model):
    frame = pd.DataFrame(problem.X, columns=["bm25", "age", "clicks", "depth", "links"])
    named = RankSVM().fit(frame, problem.y, qid=problem.qid)
    assert effects(named).names == ("bm25", "age", "clicks", "depth", "links")
    assert effects(model).names == tuple(f"feature {number}" for number in range(1, 6))
    assert effects(model).unit == "score"


def test_a_model_that_is_not_additive_is_refused_by_name():
    with pytest.raises(DataError, match=r"RankSVM.*got DummyRegressor"):
        effects(DummyRegressor())


def test_a_model_that_is_not_fitted_is_refused_with_the_remedy():
    with pytest.raises(DataError, match=r"not fitted.*fit"):
        effects(RankSVM())


def test_rows_with_another_number_of_columns_are_refused(model):
    with pytest.raises(DataError, match=r"expected 5, got 4"):
        effects(model, np.zeros((3, 4)))


@pytest.mark.parametrize(
    "rows",
    [np.zeros((0, 5)), np.full((4, 5), np.nan), np.full((4, 5), np.inf), np.zeros(5), [["a"] * 5]],
    ids=["no rows", "missing values", "infinite values", "one dimension", "words"],
)
def test_rows_without_a_range_are_refused(model, rows):
    with pytest.raises(DataError):
        effects(model, rows)
