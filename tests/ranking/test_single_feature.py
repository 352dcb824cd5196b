"""BestSingleFeature against an exhaustive search with the slow twin of the measures."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from glassrank.core.checks import DataError
from glassrank.ranking.single_feature import BestSingleFeature
from tests.estimator_checks import assert_passes
from tests.reference.measures import per_query
from tests.reference.pairs import pair_accuracy

UNWEIGHTED = "features compete on a measure, which counts a repeated document and takes no weights"


@parametrize_with_checks(
    [BestSingleFeature()],
    expected_failed_checks=lambda ranker: {
        f"check_sample_weight_equivalence_on_{kind}_data": UNWEIGHTED for kind in ("dense", "sparse")
    },
)
def test_scikit_learns_checks_pass(estimator, check):
    assert_passes(check, estimator)


@pytest.fixture(scope="module")
def problem():
    """Five features; the fourth decreases with the label and is the best one."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(72, 5))
    y = np.clip(np.round(-1.5 * X[:, 3] + 0.5 * X[:, 1] + rng.normal(size=72)), 0, 3)
    return X, y, np.repeat([f"q{number}" for number in range(8)], 9)


def search(X, y, qid, measure, k, convention):
    """(value, feature, direction) of the best feature; the first of equals, ascending before descending."""
    best = (-np.inf, None, None)
    for feature in range(X.shape[1]):
        for direction in (1, -1):
            values = per_query(measure, y.tolist(), (direction * X[:, feature]).tolist(), qid.tolist(), convention, k=k)
            counted = [value for value in values.values() if value is not None]
            mean = sum(counted) / len(counted)
            if mean > best[0] + 1e-12:
                best = (mean, feature, direction)
    return best


@pytest.mark.parametrize(
    ("name", "measure", "k"),
    [("ndcg@10", "ndcg", 10), ("ndcg@3", "ndcg", 3), ("map", "map", None), ("mrr", "mrr", None)],
)
@pytest.mark.parametrize("convention", ["standard", "letor"])
def test_the_feature_and_direction_are_those_of_an_exhaustive_search(problem, name, measure, k, convention):
    X, y, qid = problem
    model = BestSingleFeature(name, convention).fit(X, y, qid=qid)
    value, feature, direction = search(X, y, qid, measure, k, convention)
    assert (model.feature_, model.direction_) == (feature, direction)
    assert model.training_value_ == pytest.approx(value, rel=1e-12)


def test_a_descending_feature_is_found(problem):
    X, y, qid = problem
    model = BestSingleFeature().fit(X, y, qid=qid)
    assert (model.feature_, model.direction_) == (3, -1)


def test_scores_are_the_features_values_times_the_direction(problem):
    X, y, qid = problem
    model = BestSingleFeature().fit(X, y, qid=qid)
    new = np.random.default_rng(1).normal(size=(7, 5))
    assert model.predict(new).tolist() == (-new[:, 3]).tolist()
    assert model.predict(sparse.csr_matrix(new)).tolist() == (-new[:, 3]).tolist()


@pytest.mark.parametrize("layout", [sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array])
def test_sparse_rows_give_the_same_choice_as_dense_rows(problem, layout):
    X, y, qid = problem
    thin = np.where(np.random.default_rng(0).random(X.shape) < 0.3, 0.0, X)
    dense = BestSingleFeature().fit(thin, y, qid=qid)
    compressed = BestSingleFeature().fit(layout(thin), y, qid=qid)
    assert (compressed.feature_, compressed.direction_) == (dense.feature_, dense.direction_)
    assert compressed.training_value_ == pytest.approx(dense.training_value_, rel=1e-12)


def test_the_first_of_equal_features_wins():
    X = np.array([[3.0, 3.0, -3.0], [1.0, 1.0, -1.0], [2.0, 2.0, -2.0]])
    model = BestSingleFeature().fit(X, [2, 0, 1])
    assert (model.feature_, model.direction_, model.training_value_) == (0, 1, 1.0)


def test_rows_of_a_query_need_not_be_adjacent(problem):
    X, y, qid = problem
    mixed = np.random.default_rng(2).permutation(len(y))
    here, there = BestSingleFeature().fit(X, y, qid=qid), BestSingleFeature().fit(X[mixed], y[mixed], qid=qid[mixed])
    assert (here.feature_, here.direction_) == (there.feature_, there.direction_)
    assert here.training_value_ == pytest.approx(there.training_value_, rel=1e-12)


def test_queries_are_kept_apart():
    """Within each query the second feature is perfect; over all rows as one query the first one is."""
    X = np.array([[0.0, 1.0], [0.0, 0.0], [9.0, 9.0], [9.0, 5.0]])
    y, qid = np.array([1, 0, 3, 2]), np.array([1, 1, 2, 2])
    assert BestSingleFeature().fit(X, y, qid=qid).feature_ == 1


def test_score_is_pair_accuracy(problem):
    X, y, qid = problem
    model = BestSingleFeature().fit(X, y, qid=qid)
    assert model.score(X, y, qid=qid) == pytest.approx(pair_accuracy(model.predict(X), y, qid))


def test_names_of_columns_are_checked(problem):
    X, y, qid = problem
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = BestSingleFeature().fit(frame, y, qid=qid)
    assert model.feature_names_in_.tolist() == list("abcde")
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[list("edcba")])


def test_an_unfitted_model_does_not_score():
    with pytest.raises(NotFittedError):
        BestSingleFeature().predict([[1.0]])


@pytest.mark.parametrize(("parameter", "value"), [("scoring", "ndgc@10"), ("convention", "trek")])
def test_an_unknown_measure_or_convention_is_refused(problem, parameter, value):
    X, y, qid = problem
    with pytest.raises(DataError, match=value):
        BestSingleFeature(**{parameter: value}).fit(X, y, qid=qid)


def test_parameters_survive_cloning():
    assert clone(BestSingleFeature("map", "letor")).get_params() == {"scoring": "map", "convention": "letor"}
