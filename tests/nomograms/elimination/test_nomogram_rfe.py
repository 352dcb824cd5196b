"""NomogramRFE: Table 1 against its slow twin, and what each option changes."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from glassrank import AdditiveSVC, DataError, PairwiseRanker, RankSVM, evaluate
from glassrank.nomograms.elimination.criterion import Scoring, mean_of_defined
from glassrank.nomograms.elimination.fits import FollowedRankSVM, Refits, can_be_followed, follow
from glassrank.nomograms.elimination.nomogram_rfe import NomogramRFE
from glassrank.nomograms.elimination.path import select, shortest
from glassrank.nomograms.elimination.training_rows import Rows, folds_of, resamples
from tests.estimator_checks import assert_passes, assert_takes_odd_data
from tests.reference import elimination as twin
from tests.reference.measures import per_query
from tests.reference.pairs import comparable_pairs, random_problem

C = 0.05
ACCURACY = Scoring.of("pair_accuracy", classifier=False, convention="standard")


@parametrize_with_checks(
    [
        NomogramRFE(RankSVM(), random_state=0),
        NomogramRFE(LogisticRegression(), scoring="accuracy", cv=2, random_state=0),
    ]
)
def test_scikit_learns_checks_pass(estimator, check):
    assert_passes(check, estimator)


def test_other_settings_pass_the_checks_too():
    assert_takes_odd_data(NomogramRFE(RankSVM(), scoring="ndcg@5", keep="one-se", step=0.5, n_jobs=2))


@pytest.fixture(scope="module")
def problem():
    """Six features: two strong ones, two weak ones, a copy, and one that is constant within queries."""
    made = random_problem(31, n_rows=160, n_features=6, n_queries=12)
    X = made.X.copy()
    X[:, 3] = X[:, 0]
    X[:, 4] = made.qid
    return type(made)(X, made.y, made.qid, made.w)


def by_appearance(qid):
    numbers = {query: number for number, query in enumerate(dict.fromkeys(qid.tolist()))}
    return np.array([numbers[query] for query in qid.tolist()])


def query_folds(problem, n_folds=3):
    return list(GroupKFold(n_folds).split(problem.X, problem.y, by_appearance(problem.qid)))


def fit(problem, estimator=None, **parameters):
    estimator = RankSVM(C, C_unit="pair") if estimator is None else estimator
    return NomogramRFE(estimator, **{"random_state": 0} | parameters).fit(problem.X, problem.y, qid=problem.qid)


def accuracies(rfe):
    """Mean accuracy of each round, from all features downwards."""
    return rfe.cv_results_["mean_test_score"][::-1].tolist()


@pytest.mark.parametrize("length", ["query", "global", "pair-difference"])
def test_order_accuracies_and_selection_equal_an_explicit_loop_over_listed_pairs(problem, length):
    selected, order, curve = twin.eliminate(problem.X, problem.y, problem.qid, C, query_folds(problem), length)
    rfe = fit(problem, length=length, keep="literal")
    # The twin continues until no feature is left; the last one has no other to compare with.
    assert rfe.elimination_order_.tolist() == order[:-1]
    assert accuracies(rfe) == pytest.approx([accuracy for _, accuracy in curve], abs=1e-12)
    assert np.flatnonzero(rfe.support_).tolist() == selected
    assert rfe.selection_score_ == pytest.approx(max(accuracy for _, accuracy in curve), abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_small_random_data_equal_the_explicit_loop(seed):
    problem = random_problem(100 + seed, n_rows=60, n_features=5, n_queries=7)
    selected, order, _ = twin.eliminate(problem.X, problem.y, problem.qid, C, query_folds(problem))
    rfe = fit(problem, keep="literal")
    assert rfe.elimination_order_.tolist() == order[:-1]
    assert np.flatnonzero(rfe.support_).tolist() == selected


@pytest.mark.parametrize("seed", range(6))
def test_each_fold_learns_its_own_order_and_the_best_number_of_features_is_kept(seed):
    problem = random_problem(100 + seed, n_rows=60, n_features=5, n_queries=7)
    _, order, _ = twin.eliminate(problem.X, problem.y, problem.qid, C, query_folds(problem))
    curve, n_features = twin.eliminate_by_fold(problem.X, problem.y, problem.qid, C, query_folds(problem))
    rfe = fit(problem)
    assert rfe.elimination_order_.tolist() == order[:-1]
    assert accuracies(rfe) == pytest.approx(curve, abs=1e-12)
    # The features are those that the order of all rows drops last.
    assert set(np.flatnonzero(rfe.support_)) == set(order[5 - n_features :])


def test_a_feature_that_is_constant_within_queries_has_length_zero_and_is_dropped_first(problem):
    rfe = fit(problem)
    assert rfe.elimination_order_[0] == 4
    assert rfe.result_.rounds[0].leaves[0].length == 0.0


def test_of_equally_long_lines_the_lowest_index_is_dropped(problem):
    """Feature 3 repeats feature 0, so that both have the same weight; 0 is dropped before 3."""
    order = fit(problem).elimination_order_.tolist()
    assert order.index(0) < (order.index(3) if 3 in order else len(order))


def test_ties_among_several_dropped_features_are_resolved_by_index_too():
    assert shortest(np.array([0.0, 2.0, 0.0, 1.0, 0.0]), 4).tolist() == [0, 2, 4, 3]


def test_a_line_without_a_finite_length_is_refused():
    with pytest.raises(DataError, match="no finite length"):
        shortest(np.array([1.0, np.nan]), 1)


def chosen(values, keep):
    """The selected round of rounds × queries, of which every fold has two."""
    values = np.asarray(values)
    sizes = range(len(values), 0, -1)
    return select([values[:, place : place + 2] for place in range(0, values.shape[1], 2)], ACCURACY, keep, list(sizes))


@pytest.mark.parametrize(
    ("means", "keep", "expected"),
    [
        ([0.5, 0.7, 0.6], "best", 1),
        ([0.7, 0.7, 0.7], "best", 2),  # Of equal ones, the fewest features.
        ([0.7, 0.7, 0.7], "literal", 0),  # Table 1: a smaller subset must be better.
        ([0.5, 0.6, 0.7], "best", 2),
        ([0.5, 0.6, 0.7], 3, 0),
        ([0.5, 0.6, 0.7], 2, 1),
        ([0.7, 0.7, 0.69], "one-se", 1),  # The differences do not vary: their standard error is 0.
    ],
)
def test_the_rule_selects_the_round(means, keep, expected):
    assert chosen(np.array(means)[:, None] + np.array([-0.02, 0.0, 0.02, 0.03]), keep) == expected


@pytest.mark.parametrize(("lost", "expected"), [(0.0005, 1), (0.0007, 0)])
def test_one_standard_error_is_that_of_the_difference_paired_over_all_queries(lost, expected):
    """Differences lost ± 0.001 of four queries: the deviation is 0.001·√(4/3), the standard error 0.000577."""
    best = np.array([0.2, 0.9, 0.4, 0.6])
    assert chosen([best, best - lost + 0.001 * np.array([1, -1, 1, -1])], "one-se") == expected


@pytest.mark.parametrize(("lost", "expected"), [(0.0019, 1), (0.0021, 0)])
def test_one_standard_error_allows_a_loss_of_at_most_two_thousandths(lost, expected):
    """Few queries with large differences have a large standard error, here 0.12."""
    best = np.array([0.2, 0.9, 0.4, 0.6])
    assert chosen([best, best - lost + 0.2 * np.array([1, -1, 1, -1])], "one-se") == expected


def test_nothing_is_selected_when_no_subset_is_better_than_zero():
    """Table 1 begins with best = 0 and would return no feature at all."""
    with pytest.raises(DataError, match="above 0"):
        chosen(np.zeros((3, 4)), "best")


def test_a_fold_without_a_comparable_pair_is_left_out_of_the_means():
    assert chosen([[0.5, 0.5, np.nan, np.nan], [0.6, 0.6, np.nan, np.nan]], "best") == 1
    with pytest.raises(DataError, match="undefined in every fold"):
        chosen(np.full((2, 2), np.nan), "best")


def test_a_measure_for_which_lower_is_better_is_minimised(problem):
    errors, hits = fit(problem, scoring="misranking"), fit(problem)
    assert errors.support_.tolist() == hits.support_.tolist()
    assert errors.selection_score_ == errors.cv_results_["mean_test_score"].min()


def test_the_table_contains_the_score_of_every_fold_by_increasing_number_of_features(problem):
    rfe = fit(problem, scoring="ndcg@3")
    table = rfe.cv_results_
    assert table["n_features"].tolist() == [1, 2, 3, 4, 5, 6]
    left = set(range(6))
    for size in range(6, 0, -1):
        kept = sorted(left)
        for number, (train, test) in enumerate(query_folds(problem)):
            w = twin.fit_pairs(problem.X[train][:, kept], comparable_pairs(problem.y[train], problem.qid[train]), C)
            scores = (problem.X[test][:, kept] @ w).tolist()
            found = per_query("ndcg", problem.y[test].tolist(), scores, problem.qid[test].tolist(), "standard", k=3)
            values = [value for value in found.values() if value is not None]
            assert table[f"split{number}_test_score"][size - 1] == pytest.approx(sum(values) / len(values), rel=1e-9)
        if size > 1:
            left.remove(rfe.elimination_order_[6 - size])
    folds = np.array([table[f"split{number}_test_score"] for number in range(3)])
    np.testing.assert_allclose(table["mean_test_score"], folds.mean(axis=0))
    np.testing.assert_allclose(table["std_test_score"], folds.std(axis=0))


def test_the_ranking_is_that_of_rfecv(problem):
    """1 for kept features, then in reverse order of dropping; the largest rank was dropped first."""
    rfe = fit(problem)
    assert (rfe.ranking_ == 1).tolist() == rfe.support_.tolist()
    left = rfe.elimination_order_[: 6 - rfe.n_features_]
    assert rfe.ranking_[left].tolist() == list(range(len(left) + 1, 1, -1))


@pytest.mark.parametrize(("step", "sizes"), [(2, [6, 4, 2]), (4, [6, 2]), (0.5, [6, 3, 2]), (0.01, [6, 5, 4, 3, 2])])
def test_several_features_may_be_dropped_in_a_round_down_to_the_minimum(problem, step, sizes):
    rfe = fit(problem, step=step, min_features_to_select=2)
    assert rfe.cv_results_["n_features"][::-1].tolist() == sizes
    assert len(rfe.elimination_order_) == 4
    assert rfe.n_features_ in sizes
    # Features dropped in one round share a rank.
    assert len(set(rfe.ranking_)) == sizes.index(rfe.n_features_) + 1


@pytest.mark.parametrize(
    "estimator",
    [
        RankSVM(C, C_unit="pair", loss="logistic"),
        RankSVM(1.0, C_unit="mean", pair_weight="query"),
        RankSVM(C, C_unit="pair", kernel="lrbf"),
        RankSVM(C, C_unit="pair", kernel="lrbf", gamma=0.3, pair_weight="label-gap"),
        make_pipeline(StandardScaler(), RankSVM(C, C_unit="pair")),
    ],
    ids=str,
)
@pytest.mark.parametrize("length", ["query", "global", "central", "pair-difference"])
def test_the_followed_minimum_equals_new_fits(problem, estimator, length):
    estimator = clone(estimator)
    (estimator[-1] if hasattr(estimator, "steps") else estimator).set_params(tol=1e-13)
    rows = Rows(problem.X, problem.y, by_appearance(problem.qid))
    train, test = query_folds(problem)[0]
    followed, refitted = follow(estimator, rows.pick(train)), Refits(estimator, rows.pick(train))
    assert isinstance(followed, FollowedRankSVM)
    held_out = rows.pick(test)
    for kept in ([0, 1, 2, 3, 4, 5], [0, 1, 2, 5], [1, 2, 5], [5]):
        followed.keep(np.array(kept))
        refitted.keep(np.array(kept))
        expected = refitted.lengths(length)
        np.testing.assert_allclose(followed.lengths(length), expected, rtol=0, atol=1e-6 * expected.max())
        values = refitted.measure(held_out, ACCURACY)
        np.testing.assert_allclose(followed.measure(held_out, ACCURACY), values, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("estimator", "followed"),
    [
        (RankSVM(), True),
        (RankSVM(loss="hinge"), False),
        (make_pipeline(StandardScaler(), RankSVM()), True),
        (make_pipeline(NomogramRFE(RankSVM(), random_state=0), RankSVM()), False),
        (LogisticRegression(), False),
    ],
    ids=str,
)
def test_only_smooth_ranking_svms_after_column_by_column_scalers_are_followed(estimator, followed):
    assert can_be_followed(estimator, 10) is followed


def test_a_ranker_that_only_compares_is_measured_by_its_comparisons():
    problem = random_problem(53, n_rows=60, n_features=3, n_queries=5)
    model = RankSVM(C, C_unit="pair", kernel="lrbf", mode="difference").fit(problem.X, problem.y, qid=problem.qid)
    right = {}
    for i, j in comparable_pairs(problem.y, problem.qid):
        decided = float(model.decide_pairs(problem.X[[i]], problem.X[[j]])[0])
        right.setdefault(problem.qid[i], []).append(0.5 if decided == 0 else float(decided > 0))
    expected = np.mean([np.mean(own) for own in right.values()])
    values = ACCURACY.of_model(model, problem.X, problem.y, problem.qid)
    assert mean_of_defined(values) == pytest.approx(expected, abs=1e-12)
    rfe = fit(problem, RankSVM(C, C_unit="pair", kernel="lrbf", mode="difference"), cv=2)
    assert len(rfe.elimination_order_) == 2


def test_other_measures_of_a_ranker_that_only_compares_are_those_of_its_order():
    problem = random_problem(53, n_rows=60, n_features=3, n_queries=5)
    model = RankSVM(C, C_unit="pair", kernel="lrbf", mode="difference").fit(problem.X, problem.y, qid=problem.qid)
    by_rank = evaluate(problem.y, -model.rank(problem.X, qid=problem.qid), qid=problem.qid, measures="map")["map"]
    measured = Scoring.of("map", classifier=False, convention="standard")
    values = measured.of_model(model, problem.X, problem.y, problem.qid)
    assert mean_of_defined(values) == pytest.approx(by_rank, abs=1e-12)


def test_a_hinge_ranker_is_refitted(problem):
    rfe = fit(problem, RankSVM(C, C_unit="pair", loss="hinge", tol=1e-7), cv=2, min_features_to_select=4)
    assert rfe.elimination_order_[0] == 4


def test_the_final_model_is_fitted_to_the_kept_features_of_all_rows(problem):
    rfe = fit(problem)
    kept = np.flatnonzero(rfe.support_)
    alone = RankSVM(C, C_unit="pair").fit(problem.X[:, kept], problem.y, qid=problem.qid)
    np.testing.assert_allclose(rfe.estimator_.coef_, alone.coef_, rtol=1e-6)
    np.testing.assert_allclose(rfe.predict(problem.X), alone.predict(problem.X[:, kept]), rtol=1e-6)
    expected = alone.score(problem.X[:, kept], problem.y, qid=problem.qid)
    assert rfe.score(problem.X, problem.y, qid=problem.qid) == pytest.approx(expected)
    np.testing.assert_array_equal(rfe.transform(problem.X), problem.X[:, kept])
    assert (rfe.inverse_transform(rfe.transform(problem.X))[:, ~rfe.support_] == 0).all()


def test_a_single_query_is_split_by_document():
    problem = random_problem(41, n_rows=60, n_features=4, n_queries=1)
    rfe = NomogramRFE(RankSVM(C, C_unit="pair"), keep="literal", random_state=0).fit(problem.X, problem.y)
    rows = Rows(problem.X, problem.y, np.zeros(60, dtype=int))
    folds = folds_of(rows, 3, 0)
    assert sorted(np.concatenate([held_out for _, held_out in folds]).tolist()) == list(range(60))
    _, order, curve = twin.eliminate(problem.X, problem.y, np.zeros(60), C, folds)
    assert rfe.elimination_order_.tolist() == order[:-1]
    assert accuracies(rfe) == pytest.approx([accuracy for _, accuracy in curve], abs=1e-12)
    assert "folds of documents" in str(rfe.result_)


def test_folds_by_pair_equal_the_source_with_pairs_as_samples():
    problem = random_problem(43, n_rows=24, n_features=4, n_queries=1)
    table_1 = {"fold_unit": "pair", "keep": "literal"}
    rfe = NomogramRFE(RankSVM(C, C_unit="pair"), cv=KFold(3), **table_1, random_state=0).fit(problem.X, problem.y)
    # Pairs are numbered by label and file order of the better one, then of the worse one.
    by_label = np.argsort(problem.y, kind="stable").tolist()
    pairs = [(i, j) for i in by_label for j in by_label if problem.y[i] > problem.y[j]]
    order, curve = twin.eliminate_on_pairs(problem.X, problem.y, C, (pairs, list(KFold(3).split(pairs))))
    assert rfe.elimination_order_.tolist() == order[:-1]
    assert accuracies(rfe) == pytest.approx(curve, abs=1e-12)


def test_folds_by_pair_are_too_optimistic_because_they_share_documents():
    """Random labels: folds by pair seem to order most pairs correctly, folds by document do not."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 20)), rng.integers(2, size=60)
    by_pair = NomogramRFE(RankSVM(1.0, C_unit="pair"), fold_unit="pair", step=19, random_state=0).fit(X, y)
    by_document = NomogramRFE(RankSVM(1.0, C_unit="pair"), step=19, random_state=0).fit(X, y)
    assert accuracies(by_pair)[0] > 0.8
    assert accuracies(by_document)[0] < 0.65


def test_the_nested_estimate_repeats_the_elimination_without_each_outer_fold(problem):
    rfe = fit(problem, nested=True)
    expected = []
    for train, test in query_folds(problem):
        inner = NomogramRFE(RankSVM(C, C_unit="pair"), random_state=0).fit(
            problem.X[train], problem.y[train], qid=problem.qid[train]
        )
        expected.append(inner.score(problem.X[test], problem.y[test], qid=problem.qid[test]))
    assert rfe.nested_scores_.tolist() == pytest.approx(expected, abs=1e-9)
    assert rfe.nested_score_ == pytest.approx(np.mean(expected), abs=1e-9)
    assert rfe.nested_std_ == pytest.approx(np.std(expected), abs=1e-9)


def test_pure_noise_has_a_good_selection_score_but_not_a_good_nested_score():
    rng = np.random.default_rng(3)
    X, y, qid = rng.normal(size=(90, 30)), rng.integers(2, size=90), np.repeat(np.arange(9), 10)
    rfe = NomogramRFE(RankSVM(C_unit="mean"), nested=True, random_state=0).fit(X, y, qid=qid)
    assert rfe.selection_score_ > 0.55
    assert rfe.nested_score_ < rfe.selection_score_ - 0.04


def test_stability_is_the_share_of_resamples_that_keep_a_feature(problem):
    rfe = fit(problem, n_bootstraps=5, random_state=7, keep="literal")
    rows = Rows(problem.X, problem.y, by_appearance(problem.qid))
    kept = np.zeros(6)
    for drawn in resamples(rows, 5, 7):
        folds = GroupKFold(3).split(drawn.X, drawn.y, by_appearance(drawn.source))
        selected, _, _ = twin.eliminate(drawn.X, drawn.y, drawn.query, C, list(folds))
        kept[selected] += 1
    assert rfe.stability_.tolist() == (kept / 5).tolist()


def test_a_query_drawn_twice_counts_twice_and_stays_in_one_fold():
    problem = random_problem(47, n_rows=80, n_features=3, n_queries=8)
    rows = Rows(problem.X, problem.y, by_appearance(problem.qid))
    drawn = next(resamples(rows, 1, 0))
    copies = {source: set(drawn.query[drawn.source == source].tolist()) for source in set(drawn.source.tolist())}
    assert max(map(len, copies.values())) > 1
    assert sum(map(len, copies.values())) == 8
    for train, held_out in folds_of(drawn, 3, 0):
        assert not set(drawn.source[train]) & set(drawn.source[held_out])


def test_copies_of_documents_and_of_classified_rows_stay_in_one_fold():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.repeat([0.0, 1.0], 20)
    for query in (np.zeros(40, dtype=int), None):
        drawn = next(resamples(Rows(X, y, query), 1, 0))
        np.testing.assert_array_equal(drawn.X, X[drawn.source])
        for train, held_out in folds_of(drawn, 2, 0):
            assert not set(drawn.source[train]) & set(drawn.source[held_out])


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X[:, :8]), np.array(["malignant", "zbenign"])[y]


@pytest.mark.parametrize("scoring", ["accuracy", "f1", "auc", "pair_accuracy"])
def test_a_classifier_is_trimmed_by_the_range_of_its_lines(cancer, scoring):
    """The explicit loop with scikit-learn alone: lines are w_k x_k, their length the range over the rows."""
    X, y = cancer
    model = LogisticRegression(tol=1e-8, max_iter=1000)
    rfe = NomogramRFE(model, scoring=scoring, keep="literal", random_state=0).fit(X, y)
    folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
    s, order, curve = list(range(8)), [], []
    while s:
        values = []
        for train, test in folds:
            fitted = clone(model).fit(X[np.ix_(train, s)], y[train])
            predicted, decided = fitted.predict(X[np.ix_(test, s)]), fitted.decision_function(X[np.ix_(test, s)])
            values.append(
                {
                    "accuracy": accuracy_score(y[test], predicted),
                    "f1": f1_score(y[test], predicted, pos_label="zbenign"),
                }.get(scoring, roc_auc_score(y[test] == "zbenign", decided))
            )
        curve.append(np.mean(values))
        fitted = clone(model).fit(X[:, s], y)
        order.append(s.pop(int(np.argmin(np.abs(fitted.coef_[0]) * np.ptp(X[:, s], axis=0)))))
    assert rfe.elimination_order_.tolist() == order[:-1]
    assert accuracies(rfe) == pytest.approx(curve, abs=1e-12)
    assert rfe.n_features_ == 8 - int(np.argmax(curve))
    assert rfe.classes_.tolist() == ["malignant", "zbenign"]
    assert rfe.predict_proba(X).shape == (len(y), 2)
    assert rfe.score(X, y) > 0.9


def test_a_method_that_the_estimator_lacks_is_absent_for_the_same_reason():
    with pytest.raises(AttributeError, match=r"predict_proba needs held-out outputs: this AdditiveSVC has cv=None"):
        _ = NomogramRFE(AdditiveSVC(cv=None)).predict_proba
    with pytest.raises(AttributeError, match="'RankSVM' object has no attribute 'decision_function'"):
        _ = NomogramRFE(RankSVM()).decision_function


def test_an_additive_svc_is_trimmed(cancer):
    X, y = cancer
    rfe = NomogramRFE(AdditiveSVC(kernel="lrbf", cv=None, C=0.1), scoring="accuracy", step=3, cv=2, random_state=0).fit(
        X[::4], y[::4]
    )
    assert rfe.predict(X).shape == (len(y),)
    assert rfe.n_features_ <= 8


def test_folds_may_be_processed_in_threads(problem):
    one, two = (fit(problem, nested=True, n_bootstraps=2, n_jobs=n_jobs) for n_jobs in (None, 2))
    assert one.cv_results_["mean_test_score"].tolist() == two.cv_results_["mean_test_score"].tolist()
    assert one.nested_score_ == two.nested_score_
    assert one.stability_.tolist() == two.stability_.tolist()


def test_unsorted_and_sorted_rows_give_the_same(problem):
    order = np.argsort(by_appearance(problem.qid), kind="stable")
    rfe = NomogramRFE(RankSVM(C, C_unit="pair"), random_state=0).fit(
        problem.X[order], problem.y[order], qid=problem.qid[order]
    )
    assert rfe.elimination_order_.tolist() == fit(problem).elimination_order_.tolist()


def test_sparse_rows_give_what_dense_rows_give(problem):
    dense = fit(problem)
    thin = NomogramRFE(RankSVM(C, C_unit="pair"), random_state=0).fit(
        sparse.csr_matrix(problem.X), problem.y, qid=problem.qid
    )
    assert thin.elimination_order_.tolist() == dense.elimination_order_.tolist()
    np.testing.assert_allclose(thin.cv_results_["mean_test_score"], dense.cv_results_["mean_test_score"], atol=1e-12)


def test_a_frame_gives_names_to_features_and_to_the_final_model(problem):
    frame = pd.DataFrame(problem.X, columns=list("abcdef"))
    rfe = NomogramRFE(RankSVM(C, C_unit="pair"), random_state=0).fit(frame, problem.y, qid=problem.qid)
    kept = [name for name, keep in zip("abcdef", rfe.support_, strict=True) if keep]
    assert rfe.feature_names_in_.tolist() == list("abcdef")
    assert rfe.get_feature_names_out().tolist() == kept
    assert rfe.estimator_.feature_names_in_.tolist() == kept
    assert rfe.result_.rounds[0].leaves[0].feature == "e"
    assert len(rfe.predict(frame)) == len(frame)
    with pytest.raises(ValueError, match="feature names"):
        rfe.predict(frame.rename(columns={"a": "z"}))


def test_qid_is_routed_through_a_pipeline(problem):
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(
            StandardScaler(), NomogramRFE(RankSVM(C, C_unit="pair"), random_state=0).set_fit_request(qid=True)
        )
        pipeline.fit(problem.X, problem.y, qid=problem.qid)
    alone = NomogramRFE(RankSVM(C, C_unit="pair"), random_state=0).fit(
        StandardScaler().fit_transform(problem.X), problem.y, qid=problem.qid
    )
    assert pipeline[-1].elimination_order_.tolist() == alone.elimination_order_.tolist()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"step": 0}, "step must be a positive whole number: got 0"),
        ({"step": 1.5}, "step must be a positive whole number: got 1.5"),
        ({"min_features_to_select": 7}, "at most the 6 features of X: got 7"),
        ({"min_features_to_select": 0}, "min_features_to_select must be a positive whole number"),
        ({"cv": 1}, "cv must be a number of folds from 2"),
        ({"scoring": "accuracy"}, "measures classes"),
        ({"scoring": "ndgc"}, "measure must be one of"),
        ({"convention": "trek"}, "convention must be one of"),
        ({"length": "long"}, "length must be one of 'query', 'global'"),
        ({"keep": "first"}, "keep must be 'best', 'one-se', 'literal' or a positive whole number: got 'first'"),
        ({"keep": 0}, "keep must be 'best', .* or a positive whole number: got 0"),
        ({"keep": True}, "or a positive whole number: got True"),
        ({"keep": 7}, "keep must be one of 6, 5, 4, 3, 2, 1 features: got 7"),
        ({"keep": 3, "step": 2}, "keep must be one of 6, 4, 2, 1 features: got 3"),
        ({"keep": 2, "min_features_to_select": 4}, "keep must be one of 6, 5, 4 features: got 2"),
        ({"fold_unit": "row"}, "fold_unit must be one of 'query', 'pair'"),
        ({"fold_unit": "pair", "nested": True}, "give no valid estimate"),
        ({"fold_unit": "pair", "scoring": "map"}, "needs a ranker, scoring='pair_accuracy'"),
        ({"n_bootstraps": -1}, "n_bootstraps must be a positive whole number"),
        ({"nested": True, "cv": [([0], [1])]}, "cv must be a number or a splitter"),
    ],
    ids=str,
)
def test_a_wrong_parameter_is_refused_with_the_remedy(problem, parameters, message):
    with pytest.raises(DataError, match=message):
        fit(problem, **parameters)


def test_wrong_data_are_refused(problem, cancer):
    X, y = cancer
    with pytest.raises(DataError, match="qid is for rankers"):
        NomogramRFE(LogisticRegression(), random_state=0).fit(X, y, qid=np.zeros(len(y)))
    with pytest.raises(DataError, match="expected 2 classes in y, got 3"):
        NomogramRFE(LogisticRegression(), random_state=0).fit(X, np.arange(len(y)) % 3)
    with pytest.raises(DataError, match="two different labels"):
        NomogramRFE(RankSVM(), random_state=0).fit(problem.X, np.zeros(len(problem.y)), qid=problem.qid)
    with pytest.raises(NotFittedError):
        NomogramRFE(RankSVM(), random_state=0).transform(problem.X)
    with pytest.raises(DataError, match="lists every pair"):
        NomogramRFE(RankSVM(), fold_unit="pair", random_state=0).fit(np.zeros((1000, 1)), np.arange(1000))


def test_an_estimator_that_is_not_additive_is_refused(cancer):

    with pytest.raises(DataError):
        NomogramRFE(KNeighborsClassifier(), scoring="accuracy", random_state=0).fit(*cancer)


def test_missing_values_that_the_estimator_does_not_take_are_an_error_of_one_line():
    data = random_problem(0)
    X = data.X.copy()
    X[[1, 4], 1] = np.nan
    with pytest.raises(DataError, match=r"PairwiseRanker needs known values: feature 'feature 2' has 2 missing values"):
        NomogramRFE(PairwiseRanker(AdditiveSVC())).fit(X, data.y, data.qid)
    assert NomogramRFE(RankSVM(missing="mean"), cv=2).fit(X, data.y, data.qid).n_features_ >= 1
