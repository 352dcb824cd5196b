"""Row weights in selectors: zero means absent, integers mean repetition, and weights of the data are used."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from glassrank.core.checks import DataError
from glassrank.core.groups import group_rows
from glassrank.data.ranking_data import RankingData
from glassrank.navigational.coupling.selectors import NomogramLengthSelector
from glassrank.selection.boosting_influence import BoostingInfluenceSelector
from glassrank.selection.combined import CombinedSelector
from glassrank.selection.entropy import class_information, cut_points, order_information
from glassrank.selection.information_gain import InformationGainSelector
from glassrank.selection.rank_features import METHODS, rank_features
from glassrank.selection.svm_weight import SVMWeightSelector
from tests.reference import information as slow
from tests.reference.elimination import fit_pairs
from tests.reference.pairs import comparable_pairs, random_problem

FEW_TREES = {"n_estimators": 10, "random_state": 0}
SELECTORS = {
    "information gain": InformationGainSelector(),
    "presence": InformationGainSelector(discretisation="presence"),
    "svm": SVMWeightSelector(),
    "boosting": BoostingInfluenceSelector(**FEW_TREES),
    "lightgbm": BoostingInfluenceSelector(engine="lightgbm", **FEW_TREES),
    "combined": CombinedSelector(selectors=[SVMWeightSelector(), BoostingInfluenceSelector(**FEW_TREES)]),
}
# With few features, ranks may not change when scores do.
SCORED = [name for name in SELECTORS if name != "combined"]


@pytest.fixture(scope="module")
def problem():
    made = random_problem(51, n_rows=240, n_features=5, n_queries=15)
    # Half of the values are 0, so that presence is informative.
    return type(made)(np.where(made.X > -0.2, made.X, 0.0), made.y, made.qid, made.w)


@pytest.fixture(scope="module")
def some(problem):
    weights = np.random.default_rng(1).choice([0.0, 0.5, 3.0], size=len(problem.y))
    weights[problem.qid == 3] = 0.0
    return weights


@pytest.mark.parametrize("ranked", [True, False])
@pytest.mark.parametrize("name", SELECTORS)
def test_a_row_of_weight_zero_is_absent(name, ranked, problem, some):
    counted = np.flatnonzero(some)
    qid, left = (problem.qid, problem.qid[counted]) if ranked else (None, None)
    with_zeros = clone(SELECTORS[name]).fit(problem.X, problem.y, qid=qid, sample_weight=some)
    without = clone(SELECTORS[name]).fit(problem.X[counted], problem.y[counted], qid=left, sample_weight=some[counted])
    np.testing.assert_array_equal(with_zeros.scores_, without.scores_)


@pytest.mark.parametrize("ranked", [True, False])
@pytest.mark.parametrize("name", SCORED)
def test_weights_change_the_scores(name, ranked, problem, some):
    qid = problem.qid if ranked else None
    weighted = clone(SELECTORS[name]).fit(problem.X, problem.y, qid=qid, sample_weight=some + 0.1)
    plain = clone(SELECTORS[name]).fit(problem.X, problem.y, qid=qid)
    assert not np.allclose(weighted.scores_, plain.scores_, rtol=0.01)


@pytest.mark.parametrize("name", SELECTORS)
def test_a_class_without_weight_does_not_count(name, problem):
    with pytest.raises(DataError, match="at least two classes"):
        clone(SELECTORS[name]).fit(problem.X, problem.y, sample_weight=(problem.y == 1).astype(float))


def test_the_lines_of_a_classifier_ignore_rows_of_weight_zero(problem, some):
    y, counted = problem.y > 0, np.flatnonzero(some)
    with_zeros = NomogramLengthSelector().fit(problem.X, y, sample_weight=some)
    without = NomogramLengthSelector().fit(problem.X[counted], y[counted], sample_weight=some[counted])
    np.testing.assert_array_equal(with_zeros.scores_, without.scores_)


@pytest.mark.parametrize("seed", range(5))
def test_cuts_and_gains_with_integer_weights_equal_repeated_rows_in_the_twin(seed):
    rng = np.random.default_rng(seed)
    classes, weights = rng.integers(0, 3, size=60), rng.integers(1, 5, size=60)
    values = np.round(rng.normal(size=60) + classes, 1)
    repeated, labels = np.repeat(values, weights).tolist(), np.repeat(classes, weights).tolist()
    cuts = cut_points(values, classes, weights.astype(float))
    np.testing.assert_allclose(cuts, slow.fayyad_irani(repeated, labels), rtol=1e-12)
    parts = np.searchsorted(cuts, values)
    expected = slow.gain(np.repeat(parts, weights).tolist(), labels)
    assert class_information(parts, classes, weights.astype(float)) == pytest.approx(expected, abs=1e-12)


def test_a_cut_with_little_weight_is_not_made():
    """Two rows of each class gain 1 bit; with a total weight of 0.1, the description costs (log₂ 7 − 2)/0.1 = 8."""
    values, classes = np.array([1.0, 2.0, 4.0, 5.0]), np.array([0, 0, 1, 1])
    assert cut_points(values, classes, np.full(4, 1.0)).tolist() == [3.0]
    assert cut_points(values, classes, np.full(4, 0.025)).tolist() == []


def test_order_information_weights_pairs_by_the_product_of_their_weights():
    """One query, labels 2 > 1 > 0, values 3, 1, 2: of the pairs, those of weights 1·2 and 1·4 agree, 2·4 does not."""
    values, y, v = np.array([3.0, 1.0, 2.0]), np.array([2.0, 1.0, 0.0]), np.array([1.0, 2.0, 4.0])
    p = (2 + 4) / (2 + 4 + 8)
    expected = 1 + p * np.log2(p) + (1 - p) * np.log2(1 - p)
    assert order_information(values, y, group_rows(None, 3), v) == pytest.approx(expected, rel=1e-12)


def test_svm_weights_equal_liblinear_on_weighted_rows_and_pairs(problem, some):
    found = SVMWeightSelector(C=0.01).fit(problem.X, problem.y > 0, sample_weight=some).scores_
    scaled = StandardScaler().fit_transform(problem.X, sample_weight=some)
    expected = LinearSVC(C=0.01, dual=False, tol=1e-8).fit(scaled, problem.y > 0, sample_weight=some).coef_.ravel()
    np.testing.assert_allclose(found, np.abs(expected), rtol=1e-3)
    X, y, qid, v = (part[some > 0] for part in (problem.X, problem.y, problem.qid, some))
    found = SVMWeightSelector(C=0.01).fit(problem.X, problem.y, qid=problem.qid, sample_weight=some).scores_
    squares = np.zeros(5)
    for query in np.unique(qid):
        rows = qid == query
        mean = v[rows] @ X[rows] / v[rows].sum()
        squares += v[rows] @ (X[rows] - mean) ** 2
    pairs = comparable_pairs(y, qid)
    total = sum(v[i] * v[j] for i, j in pairs)
    expected = fit_pairs(X / np.sqrt(squares / v.sum()), pairs, 0.01 * v.sum() / total, v)
    np.testing.assert_allclose(found, np.abs(expected), rtol=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_features_are_ranked_without_rows_of_weight_zero(method, problem, some):
    data = RankingData(problem.X, problem.y, problem.qid, weights=some)
    found = rank_features(data, methods=[method], n_features=2, random_state=0).rankings[0]
    without = rank_features(data.pick_rows(some > 0), methods=[method], n_features=2, random_state=0).rankings[0]
    np.testing.assert_array_equal(found.scores, without.scores)
    np.testing.assert_array_equal(found.chosen, without.chosen)


def test_only_the_ratios_of_weights_matter(problem, some):
    scores = []
    for factor in (1e-5, 1.0):
        data = RankingData(problem.X, problem.y, problem.qid, weights=factor * some)
        scores.append(rank_features(data, methods=["SVM weights"]).rankings[0].scores)
    plain = rank_features(RankingData(problem.X, problem.y, problem.qid), methods=["SVM weights"]).rankings[0].scores
    np.testing.assert_allclose(scores[0], scores[1], rtol=1e-6)
    assert not np.allclose(scores[0], plain, rtol=0.01)
