"""Selectors pass scikit-learn's checks and find the features that matter."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from glassrank.core.checks import DataError
from glassrank.ranking.rank_svm import RankSVM
from glassrank.selection.boosting_influence import BoostingInfluenceSelector
from glassrank.selection.combined import CombinedSelector, merge_rankings
from glassrank.selection.information_gain import InformationGainSelector
from glassrank.selection.selector import number_to_select
from glassrank.selection.svm_weight import SVMWeightSelector
from tests.estimator_checks import assert_passes
from tests.reference.class_objective import random_classes

FEW_TREES = {"n_estimators": 10, "random_state": 0}
SELECTORS = {
    "information gain": InformationGainSelector(),
    "presence": InformationGainSelector(discretisation="presence"),
    "svm": SVMWeightSelector(),
    "hinge": SVMWeightSelector(loss="hinge"),
    "boosting": BoostingInfluenceSelector(**FEW_TREES),
    "lightgbm": BoostingInfluenceSelector(engine="lightgbm", **FEW_TREES),
    "combined": CombinedSelector(
        selectors=[SVMWeightSelector(), BoostingInfluenceSelector(**FEW_TREES)], random_state=0
    ),
}
every_selector = pytest.mark.parametrize("selector", SELECTORS.values(), ids=SELECTORS)
# If values are never 0, their presence carries no information.
of_values = pytest.mark.parametrize("name", [name for name in SELECTORS if name != "presence"])
PLANTED = [1, 4, 6]


HALF_THE_ROWS = "every tree samples half of the rows, and repeated rows change the sample"


def failed_by_boosting(selector):
    """Integer weights equal repeated rows in every selector except those that sample rows."""
    if "Boosting" not in repr(selector):
        return {}
    return {f"check_sample_weight_equivalence_on_{kind}_data": HALF_THE_ROWS for kind in ("dense", "sparse")}


@parametrize_with_checks(
    [SELECTORS[name] for name in ("information gain", "svm", "boosting", "combined")],
    expected_failed_checks=failed_by_boosting,
)
def test_scikit_learns_checks_pass(estimator, check):
    assert_passes(check, estimator)


@pytest.fixture(scope="module")
def ranking():
    """Eight features in 40 queries of 20 documents; three determine the order, and every query has its own level."""
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(40), 20)
    X = rng.normal(size=(800, 8)) + 3 * rng.normal(size=(40, 8))[qid]
    # The level of a query, feature 2, shifts its labels: a trap for methods that compare across queries.
    utility = X[:, PLANTED] @ [1.0, -0.8, 0.6] + 0.3 * rng.normal(size=800)
    level = np.array([X[qid == query, 2].mean() for query in range(40)])[qid]
    centred = utility - np.array([utility[qid == query].mean() for query in range(40)])[qid]
    return X, np.round(centred + 2 * level), qid


@of_values
def test_with_queries_the_planted_features_are_found(name, ranking):
    X, y, qid = ranking
    fitted = clone(SELECTORS[name]).set_params(n_features_to_select=3).fit(X, y, qid=qid)
    assert np.flatnonzero(fitted.get_support()).tolist() == PLANTED
    assert fitted.ranking_[1] == 1


def test_without_queries_the_trap_feature_comes_first(ranking):
    X, y, _ = ranking
    assert InformationGainSelector().fit(X, y).ranking_[2] == 1


@of_values
def test_with_classes_the_planted_features_are_found(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 8)) * np.logspace(-2, 2, 8)
    y = np.where((X / X.std(axis=0))[:, PLANTED] @ [1.0, -0.8, 0.6] + 0.3 * rng.normal(size=800) > 0, "yes", "no")
    fitted = clone(SELECTORS[name]).set_params(n_features_to_select=3).fit(X, y)
    assert np.flatnonzero(fitted.get_support()).tolist() == PLANTED


def test_presence_means_nonzero():
    X = [[0.0, 5.0], [0.0, 1.0], [2.0, 3.0], [-1.0, 4.0]]
    assert InformationGainSelector(discretisation="presence").fit(X, [0, 0, 1, 1]).scores_.tolist() == [1.0, 0.0]
    by_query = InformationGainSelector(discretisation="presence").fit(X, [0, 0, 1, 2], qid=[1, 1, 1, 1])
    # Five pairs differ in label; all but the last two documents differ in presence, and all are concordant.
    assert by_query.scores_.tolist() == pytest.approx([4 / 5, 0.0])


def test_class_weights_equal_scikit_learn():
    X, y = make_classification(200, 6, n_informative=4, n_classes=3, random_state=0)
    expected = make_pipeline(StandardScaler(), LinearSVC(C=0.5, dual=False)).fit(X, y)[-1].coef_
    np.testing.assert_allclose(SVMWeightSelector(C=0.5).fit(X, y).scores_, np.abs(expected).sum(axis=0), rtol=1e-12)


def test_hinge_and_squared_hinge_weights_of_two_rows_are_worked_by_hand():
    """Rows −1 and 1: ½w² + 2C max(0, 1 − w) is least at w = 1 if C ≥ ½, ½w² + 2C max(0, 1 − w)² at 4C/(1 + 4C)."""
    X, y = [[-3.0, 7.0], [5.0, 7.0]], [0, 1]  # standardised: −1 and 1, and a constant
    assert SVMWeightSelector(loss="hinge").fit(X, y).scores_ == pytest.approx([1.0, 0.0])
    assert SVMWeightSelector(C=0.25, loss="hinge").fit(X, y).scores_ == pytest.approx([0.5, 0.0])
    assert SVMWeightSelector(C=0.25).fit(X, y).scores_ == pytest.approx([0.5, 0.0], rel=1e-3)
    assert SVMWeightSelector().fit(X, y).scores_ == pytest.approx([0.8, 0.0], rel=1e-3)


@pytest.mark.parametrize("weighted", [False, True])
def test_hinge_weights_equal_the_quadratic_programme(weighted):
    classes = random_classes(3, n_rows=40, C=0.5, weighted=weighted)
    weights = classes.weights / 0.5
    mean = np.average(classes.X, axis=0, weights=weights)
    scaled = (classes.X - mean) / np.sqrt(np.average((classes.X - mean) ** 2, axis=0, weights=weights))
    w, _ = replace(classes, X=scaled).best_hinge()
    found = SVMWeightSelector(C=0.5, loss="hinge").fit(classes.X, classes.signs > 0, sample_weight=weights)
    assert found.scores_ == pytest.approx(np.abs(w), abs=2e-3)


def test_hinge_weights_of_three_classes_are_summed_over_each_against_the_rest():
    X, y = make_classification(90, 6, n_informative=4, n_classes=3, random_state=0)
    each = [SVMWeightSelector(loss="hinge").fit(X, y == one).scores_ for one in range(3)]
    assert SVMWeightSelector(loss="hinge").fit(X, y).scores_ == pytest.approx(np.sum(each, axis=0), rel=1e-12)


def test_ranking_weights_with_hinge_loss_are_those_of_the_ranking_svm(ranking):
    X, y, qid = (values[:200] for values in ranking)
    spread = np.sqrt(np.mean([X[qid == query].var(axis=0) for query in range(10)], axis=0))
    expected = RankSVM(C=200.0, loss="hinge").fit(X / spread, y, qid=qid).coef_
    found = SVMWeightSelector(loss="hinge").fit(X, y, qid=qid).scores_
    np.testing.assert_allclose(found, np.abs(expected), rtol=1e-3, atol=1e-4)


def test_weights_with_more_columns_than_rows_reach_the_same_minimum():
    """The dual is solved in this case; the expected weights are from scikit-learn's primal solver."""
    X, y = make_classification(60, 80, n_informative=5, random_state=0)
    witness = make_pipeline(StandardScaler(), LinearSVC(C=0.01, dual=False, tol=1e-8, max_iter=10_000)).fit(X, y)
    found = SVMWeightSelector(C=0.01).fit(X, y).scores_
    np.testing.assert_allclose(found, np.abs(witness[-1].coef_[0]), atol=1e-3 * np.abs(witness[-1].coef_).max())


def test_ranking_weights_equal_the_ranking_svm_on_features_of_unit_spread(ranking):
    X, y, qid = ranking
    centred = X - np.array([X[qid == query].mean(axis=0) for query in range(40)])[qid]
    scaled = centred / centred.std(axis=0)
    pairs = sum((y[qid == query][:, None] > y[qid == query]).sum() for query in range(40))
    expected = RankSVM(C=0.3 * 800 / pairs, C_unit="pair").fit(scaled, y, qid=qid).coef_
    np.testing.assert_allclose(SVMWeightSelector(C=0.3).fit(X, y, qid=qid).scores_, np.abs(expected), rtol=1e-4)


def test_influence_is_the_sum_of_the_improvements_of_splits():
    """The expected value sums the decrease in squared error of each split over the nodes of scikit-learn's trees."""
    X, y = make_classification(200, 5, random_state=0)
    trees = GradientBoostingClassifier(subsample=0.5, n_estimators=10, random_state=0).fit(X, y)
    influence = np.zeros(5)
    for tree in (one.tree_ for one in trees.estimators_.ravel()):
        error = tree.impurity * tree.weighted_n_node_samples
        for node in np.flatnonzero(tree.children_left >= 0):
            left, right = tree.children_left[node], tree.children_right[node]
            influence[tree.feature[node]] += error[node] - error[left] - error[right]
    found = BoostingInfluenceSelector(**FEW_TREES).fit(X, y).scores_
    np.testing.assert_allclose(found, influence / influence.sum(), rtol=1e-9)


def test_the_union_of_30_and_29_with_9_shared_has_50():
    """The paper combines the 30 best by one and the 29 best by the other, 9 of them shared."""
    second = np.concatenate([np.arange(21, 30), np.arange(100, 120), np.arange(0, 21), np.arange(30, 100)])
    rankings = [np.arange(1, 121), np.empty(120, dtype=np.int64)]
    rankings[1][second] = np.arange(1, 121)
    merged = merge_rankings(rankings)
    assert set(np.flatnonzero(merged <= 50)) == set(range(30)) | set(range(100, 120))


def test_merging_equals_taking_turns():
    rng = np.random.default_rng(0)
    for _ in range(20):
        rankings = [rng.permutation(12) + 1 for _ in range(3)]
        named = []
        for place in range(1, 13):
            named += [int(np.flatnonzero(ranking == place)[0]) for ranking in rankings]
        expected = list(dict.fromkeys(named))
        assert np.argsort(merge_rankings(rankings)).tolist() == expected


@every_selector
def test_sparse_and_dense_features_have_the_same_scores(selector, ranking):
    X, y, qid = ranking
    X = np.where(np.abs(X) < 1, 0.0, X)
    dense = clone(selector).fit(X, y, qid=qid)
    thin = clone(selector).fit(sparse.csr_matrix(X), y, qid=qid)
    np.testing.assert_allclose(thin.scores_, dense.scores_, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", ["information gain", "presence", "svm"])
def test_rows_of_a_query_need_not_be_contiguous(name, ranking):
    """Trees sample rows by position, so they are not tested here."""
    X, y, qid = ranking
    selector = SELECTORS[name]
    shuffled = np.random.default_rng(1).permutation(len(y))
    one = clone(selector).fit(X, y, qid=qid)
    other = clone(selector).fit(X[shuffled], y[shuffled], qid=qid[shuffled])
    np.testing.assert_allclose(one.scores_, other.scores_, rtol=1e-4, atol=1e-9)


def test_equal_scores_are_ranked_by_name():
    frame = pd.DataFrame({"url": [1.0, 1.0], "age": [1.0, 1.0], "bm25": [0.0, 1.0]})
    fitted = InformationGainSelector(n_features_to_select=2).fit(frame, [0, 1], qid=[1, 1])
    assert dict(zip(frame.columns, fitted.ranking_.tolist(), strict=True)) == {"url": 3, "age": 2, "bm25": 1}
    assert fitted.get_feature_names_out().tolist() == ["age", "bm25"]


@every_selector
def test_a_frame_in_gives_a_frame_out(selector, ranking):
    X, y, qid = ranking
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    fitted = clone(selector).set_params(n_features_to_select=2).set_output(transform="pandas").fit(frame, y, qid=qid)
    kept = fitted.transform(frame)
    assert kept.columns.tolist() == frame.columns[fitted.support_].tolist()
    assert kept.shape == (800, 2)


def test_a_feature_constant_within_every_query_scores_0(ranking):
    X, y, qid = ranking
    X = np.column_stack([X, y[np.searchsorted(qid, qid)]])
    for selector in (InformationGainSelector(), SVMWeightSelector()):
        assert selector.fit(X, y, qid=qid).scores_[-1] == 0.0


@pytest.mark.parametrize("asked", [0, 9, 1.0, 0.0, -0.5, True, "all"], ids=str)
def test_an_invalid_number_of_features_is_refused(asked, ranking):
    X, y, qid = ranking
    with pytest.raises(DataError, match="n_features_to_select must be a whole number from 1 to 8"):
        InformationGainSelector(n_features_to_select=asked).fit(X, y, qid=qid)


def test_half_of_the_features_are_kept_by_default():
    assert [number_to_select(None, n) for n in (1, 2, 5)] == [1, 1, 2]


@pytest.mark.parametrize(
    ("selector", "y", "qid", "message"),
    [
        (InformationGainSelector(), [0.5, 1.5, 2.5, 3.5], None, "Without qid, labels are classes"),
        (InformationGainSelector(), [1, 1, 1, 1], None, "at least two classes"),
        (InformationGainSelector(), [0, 0, 1, 1], [1, 1, 2, 2], "a query with two different labels"),
        (InformationGainSelector(discretisation="equal"), [0, 1, 0, 1], None, "discretisation must be one of"),
        (SVMWeightSelector(C=0.0), [0, 1, 0, 1], None, "C must be"),
        (SVMWeightSelector(loss="log"), [0, 1, 0, 1], None, "loss must be one of 'squared_hinge', 'hinge'"),
        (BoostingInfluenceSelector(engine="xgboost"), [0, 1, 0, 1], None, "engine must be one of"),
        (BoostingInfluenceSelector(max_depth=0), [0, 1, 0, 1], None, "max_depth must be"),
        (CombinedSelector(selectors=[], random_state=0), [0, 1, 0, 1], None, "at least one selector"),
    ],
    ids=["continuous", "one class", "no pair", "discretisation", "C", "loss", "engine", "depth", "no selector"],
)
def test_invalid_arguments_are_refused(selector, y, qid, message):
    with pytest.raises(DataError, match=message):
        selector.fit(np.arange(8.0).reshape(4, 2), y, qid=qid)


@every_selector
def test_missing_values_of_a_sparse_matrix_are_refused(selector):
    with pytest.raises(DataError, match="Missing values need a dense matrix"):
        clone(selector).fit(sparse.csr_matrix([[np.nan], [1.0]]), [0, 1])


def test_boosting_takes_values_beyond_single_precision_by_their_order():
    X, y = make_classification(120, 4, n_informative=2, n_redundant=0, random_state=0)
    far = X.copy()
    far[:, 1] = np.sign(X[:, 1]) * 10.0 ** (290 + 4 * np.abs(X[:, 1]))  # the same order, up to 1e300 and beyond
    ranked = X.copy()
    ranked[:, 1] = rankdata(np.append(X[:, 1], 0.0), "dense")[:-1]
    expected = GradientBoostingClassifier(subsample=0.5, **FEW_TREES).fit(ranked, y).feature_importances_
    for rows in (far, sparse.csr_matrix(far)):
        found = clone(SELECTORS["boosting"]).fit(rows, y).scores_
        np.testing.assert_allclose(found, expected, atol=1e-12)
