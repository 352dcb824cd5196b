"""NomogramRFE with missing values, categories and features without effect, against fits to listed pairs."""

import statistics

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from glassrank import FeatureTransformer, NomogramRFE, RankingData, RankSVM
from tests.ranking.mixed_tables import simulated
from tests.reference import feature_columns as twin
from tests.reference.pairs import pair_accuracy

MIN_COUNT = 4


def slow_fit(table, setting, C=2.0):
    kernels = twin.FeatureKernels.of(table.rows, table.categories, table.qid, [1.0] * len(table.rows), setting)
    return twin.best_ranker(kernels, np.array(table.y), table.qid, C)


def line_lengths(effects, qid):
    """Median over queries of the largest minus the smallest effect, known or missing."""
    names = list(dict.fromkeys(qid))
    rows = [[i for i, q in enumerate(qid) if q == name] for name in names]
    return [statistics.mean(float(np.ptp(column[own])) for own in rows) for column in effects.T]


def slow_elimination(table, setting, folds):
    """Table 1 with a new fit to listed pairs in every round and fold; accuracies by number of features."""
    left, order, accuracies = list(range(len(table.names))), [], {}
    while left:
        some = table.features(left)
        scores = []
        for train, test in folds:
            model = slow_fit(some.pick(train), setting)
            held_out = some.pick(test)
            scores.append(pair_accuracy(model.scores(held_out.rows), held_out.y, held_out.qid))
        accuracies[len(left)] = sum(scores) / len(scores)
        found = line_lengths(slow_fit(some, setting).contributions(some.rows), table.qid)
        order.append(left.pop(found.index(min(found))))
    return order, accuracies


@pytest.mark.parametrize("kernel", ["linear", "lrbf"])
def test_a_feature_leaves_with_all_its_columns_as_in_new_fits_to_listed_pairs(kernel):
    table = simulated(seed=3, n_rows=60, n_queries=4, missing=0.25)
    setting = twin.Setting(kernel, linear=0.5, min_count=MIN_COUNT)
    queries = np.array(table.qid)
    folds = [(np.flatnonzero(queries % 2 != part), np.flatnonzero(queries % 2 == part)) for part in range(2)]
    order, accuracies = slow_elimination(table, setting, folds)
    rfe = NomogramRFE(RankSVM(2.0, kernel=kernel, linear=0.5, min_count=MIN_COUNT, tol=1e-12), cv=folds, keep="literal")
    rfe.fit(table.data)
    # The last feature is not dropped.
    assert rfe.elimination_order_.tolist() == order[:-1]
    np.testing.assert_allclose(rfe.cv_results_["mean_test_score"], [accuracies[n] for n in range(1, 6)], atol=1e-12)
    kept = [k for k in range(5) if rfe.support_[k]]
    expected = slow_fit(table.features(kept), setting).scores(table.features(kept).rows)
    scores = rfe.predict(table.data)
    np.testing.assert_allclose(scores - scores.mean(), expected - expected.mean(), rtol=1e-5, atol=1e-5)


def test_a_followed_fit_equals_refits_of_the_same_estimator():
    table = simulated(seed=4, n_rows=60, n_queries=4, missing=0.25)
    queries = np.array(table.qid)
    folds = [(np.flatnonzero(queries % 2 != part), np.flatnonzero(queries % 2 == part)) for part in range(2)]
    ranker = RankSVM(2.0, min_count=MIN_COUNT, tol=1e-12)
    rfe = NomogramRFE(make_pipeline(FeatureTransformer(), ranker), cv=folds, keep="literal").fit(table.data)
    left = list(range(5))
    for dropped in [*rfe.elimination_order_.tolist(), None]:
        data = table.data.pick_features(left)
        scores = []
        for train, test in folds:
            part, held_out = data.pick_rows(train), data.pick_rows(test)
            model = make_pipeline(FeatureTransformer(), ranker).fit(part.table, part.y, ranksvm__qid=part.qid)
            scores.append(pair_accuracy(model.predict(held_out.table), held_out.y, held_out.qid.tolist()))
        place = rfe.cv_results_["n_features"].tolist().index(len(left))
        np.testing.assert_allclose(rfe.cv_results_["mean_test_score"][place], np.mean(scores), atol=1e-12)
        if dropped is not None:
            left.remove(dropped)


def with_constant(rng):
    X = np.column_stack([rng.normal(size=(90, 2)), np.full(90, 3.0)])
    y = np.digitize(X[:, 0] + 0.8 * X[:, 1] + 0.3 * rng.normal(size=90), [-0.5, 0.5])
    return RankingData(X, y, np.repeat(np.arange(6), 15), feature_names=["first", "second", "constant"])


@pytest.mark.parametrize("keep", ["best", "one-se"])
def test_a_constant_feature_is_never_selected(keep):
    data = with_constant(np.random.default_rng(5))
    rfe = NomogramRFE(RankSVM(), cv=3, keep=keep).fit(data)
    assert rfe.elimination_order_[0] == 2
    assert not rfe.support_[2]
    assert rfe.support_[0]


def test_the_literal_rule_keeps_a_constant_feature_because_nothing_is_better_without_it():
    data = with_constant(np.random.default_rng(5))
    rfe = NomogramRFE(RankSVM(), cv=3, keep="literal").fit(data)
    means = dict(zip(rfe.cv_results_["n_features"].tolist(), rfe.cv_results_["mean_test_score"], strict=True))
    # Table 1 remembers a subset only if it is better than the best so far, and all features come first.
    assert means[3] == means[2] > means[1]
    assert rfe.support_.tolist() == [True, True, True]


@pytest.mark.parametrize("keep", ["best", "one-se"])
def test_a_category_of_one_level_and_a_column_without_values_are_never_selected(keep):
    table = simulated(seed=6, n_rows=60, missing=0.0)
    rows = [[row[0], None, 1.0, "acme", row[4]] for row in table.rows]
    table = type(table)(rows, table.y, table.qid)
    rfe = NomogramRFE(RankSVM(min_count=MIN_COUNT), cv=2, keep=keep).fit(table.data)
    assert not rfe.support_[[1, 2, 3]].any()
