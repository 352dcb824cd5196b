"""RankSVMCV: the path over C equals single fits, and the best on held-out queries is selected."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GroupKFold, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from glassrank import evaluate, load_lightgbm
from glassrank.core.checks import DataError
from glassrank.ranking.rank_svm import RankSVM
from glassrank.ranking.rank_svm_cv import RankSVMCV
from tests.estimator_checks import assert_passes
from tests.reference.measures import per_query
from tests.reference.pairs import comparable_pairs, pair_accuracy, random_problem

GRID = [1e-2, 1.0, 1e2]


@parametrize_with_checks([RankSVMCV(Cs=3)])
def test_scikit_learns_checks_pass(estimator, check):
    assert_passes(check, estimator)


@pytest.fixture
def problem():
    return random_problem(31, n_rows=240, n_features=4, n_queries=18)


def fit(problem, **parameters):
    return RankSVMCV(**{"Cs": GRID} | parameters).fit(problem.X, problem.y, qid=problem.qid)


def by_appearance(qid):
    """Number the queries in the order of their first row."""
    numbers = {query: number for number, query in enumerate(dict.fromkeys(qid.tolist()))}
    return np.array([numbers[query] for query in qid.tolist()])


def held_out_means(problem, ranker, measure, cv=3, **how):
    """Mean of a measure in each fold, by a new fit to the other folds."""
    folds = GroupKFold(cv).split(problem.X, problem.y, by_appearance(problem.qid))
    for train, test in folds:
        fitted = clone(ranker).fit(problem.X[train], problem.y[train], qid=problem.qid[train])
        scores = fitted.predict(problem.X[test]).tolist()
        found = per_query(measure, problem.y[test].tolist(), scores, problem.qid[test].tolist(), "standard", **how)
        kept = [value for value in found.values() if value is not None]
        yield sum(kept) / len(kept)


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"loss": "hinge"},
        {"loss": "logistic", "pair_weight": "query"},
        {"pair_weight": "ndcg"},
        {"kernel": "lrbf", "pair_weight": "label-gap"},
        {"kernel": "lrbf", "gamma": 0.3},
    ],
    ids=str,
)
def test_the_warm_path_scores_held_out_documents_as_cold_fits_do(problem, parameters):
    """The least-squares risk moves with every change of the scores, so equal risks mean equal solutions."""
    # The hinge is solved less precisely; its solution may be √(2 · gap) away.
    tol, rel = (1e-7, 1e-3) if parameters.get("loss") == "hinge" else (1e-9, 1e-4)
    shared = parameters | {"tol": tol, "max_iter": 1000}
    model = fit(problem, scoring="risk", **shared)
    for index, C in enumerate(GRID):
        cold = list(held_out_means(problem, RankSVM(C, C_unit="mean", **shared), "risk"))
        warm = [model.cv_results_[f"split{fold}_test_score"][index] for fold in range(3)]
        assert warm == pytest.approx(cold, rel=rel)


def test_the_table_contains_the_measure_of_every_fold_and_its_mean(problem):
    model = fit(problem, scoring="ndcg@3", tol=1e-10)
    per_fold = [list(held_out_means(problem, RankSVM(C, C_unit="mean", tol=1e-10), "ndcg", k=3)) for C in GRID]
    table = model.cv_results_
    assert table["C"].tolist() == GRID
    for fold in range(3):
        assert table[f"split{fold}_test_score"].tolist() == pytest.approx([row[fold] for row in per_fold], rel=1e-9)
    assert table["mean_test_score"].tolist() == pytest.approx([np.mean(row) for row in per_fold], rel=1e-9)
    assert table["std_test_score"].tolist() == pytest.approx([np.std(row) for row in per_fold], rel=1e-6)
    assert len(pd.DataFrame(table)) == 3
    assert "gamma" not in table


def test_the_best_mean_is_selected_and_fitted_to_all_queries(problem):
    model = fit(problem, scoring="pair_accuracy")
    table = model.cv_results_
    best = int(np.argmax(table["mean_test_score"]))
    assert table["C"][best] == model.C_
    assert model.best_score_ == table["mean_test_score"][best]
    assert table["rank_test_score"][best] == 1
    alone = RankSVM(model.C_, C_unit="mean").fit(problem.X, problem.y, qid=problem.qid)
    np.testing.assert_array_equal(model.coef_, alone.coef_)
    np.testing.assert_array_equal(model.predict(problem.X), alone.predict(problem.X))


def test_a_search_chooses_as_fit_does_and_makes_no_model(problem):
    searched, fitted = RankSVMCV(GRID).search(problem.X, problem.y, qid=problem.qid), fit(problem)
    assert (searched.C_, searched.best_score_) == (fitted.C_, fitted.best_score_)
    assert not hasattr(searched, "best_estimator_")


@pytest.mark.parametrize(("lower", "higher"), [("misranking", "pair_accuracy")])
def test_a_measure_for_which_lower_is_better_is_minimised(problem, lower, higher):
    errors, hits = fit(problem, scoring=lower), fit(problem, scoring=higher)
    assert errors.C_ == hits.C_
    np.testing.assert_allclose(errors.cv_results_["mean_test_score"], 1.0 - hits.cv_results_["mean_test_score"])
    assert errors.best_score_ == errors.cv_results_["mean_test_score"].min()
    assert errors.cv_results_["rank_test_score"].tolist() == hits.cv_results_["rank_test_score"].tolist()


def test_of_equal_values_the_smallest_c_is_selected():
    """One feature that orders everything: every C ranks all held-out queries correctly."""
    X, y, qid = np.tile(np.arange(4.0), 6)[:, None], np.tile(np.arange(4), 6), np.repeat(np.arange(6), 4)
    model = RankSVMCV(Cs=[100.0, 0.1, 10.0]).fit(X, y, qid=qid)
    assert model.best_score_ == 1.0
    assert model.C_ == 0.1
    assert model.cv_results_["C"].tolist() == [0.1, 10.0, 100.0]
    assert model.cv_results_["rank_test_score"].tolist() == [1, 1, 1]


def test_the_best_gamma_is_chosen_with_c(problem):
    Cs, gammas = [0.1, 10.0], ["scale", 0.01, 1.0]
    shared = {"Cs": Cs, "kernel": "lrbf", "scoring": "pair_accuracy"}
    model = fit(problem, gamma=gammas, **shared)
    table = model.cv_results_
    assert table["C"].tolist() == [C for C in Cs for _ in gammas]
    assert table["gamma"].tolist() == gammas * 2
    for gamma in gammas:
        chosen = [row == gamma for row in table["gamma"]]
        alone = fit(problem, gamma=gamma, **shared)
        np.testing.assert_array_equal(table["mean_test_score"][chosen], alone.cv_results_["mean_test_score"])
    best = int(np.argmax(table["mean_test_score"]))
    assert (model.C_, model.gamma_) == (table["C"][best], table["gamma"][best])
    assert model.best_estimator_.gamma == model.gamma_


def test_a_number_of_values_is_a_logarithmic_grid_on_the_mean_pair_loss(problem):
    by_mean = fit(problem, Cs=7)
    np.testing.assert_allclose(by_mean.cv_results_["C"], 10.0 ** np.arange(-3, 4))
    by_pair = fit(problem, Cs=7, C_unit="pair")
    n_pairs = len(comparable_pairs(problem.y, problem.qid))
    np.testing.assert_allclose(by_pair.cv_results_["C"] * n_pairs, 10.0 ** np.arange(-3, 4))


def test_c_per_pair_is_the_same_number_in_every_fold(problem):
    model = fit(problem, Cs=[1e-3], C_unit="pair", scoring="risk", tol=1e-10)
    cold = list(held_out_means(problem, RankSVM(1e-3, C_unit="pair", tol=1e-10), "risk"))
    assert [model.cv_results_[f"split{fold}_test_score"][0] for fold in range(3)] == pytest.approx(cold, rel=1e-6)


def test_two_fits_are_the_same(problem):
    first, second = fit(problem), fit(problem)
    for name, column in first.cv_results_.items():
        np.testing.assert_array_equal(second.cv_results_[name], column)
    np.testing.assert_array_equal(first.coef_, second.coef_)


@pytest.mark.parametrize("kernel", ["linear", "lrbf"])
def test_the_number_of_jobs_changes_nothing(problem, kernel):
    alone, together = (fit(problem, kernel=kernel, scoring="risk", tol=1e-12, n_jobs=jobs) for jobs in (None, 2))
    np.testing.assert_allclose(together.cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"], rtol=1e-9)
    assert together.C_ == alone.C_


def test_the_order_of_the_values_does_not_matter(problem):
    rising, falling = fit(problem, scoring="map"), fit(problem, Cs=GRID[::-1], scoring="map")
    np.testing.assert_array_equal(rising.cv_results_["mean_test_score"], falling.cv_results_["mean_test_score"])


def test_attributes_of_the_fitted_model_are_available(problem):
    model = fit(problem)
    inner = model.best_estimator_
    assert isinstance(inner, RankSVM)
    assert model.coef_ is inner.coef_
    assert (model.objective_, model.duality_gap_) == (inner.objective_, inner.duality_gap_)
    assert (model.n_iter_, model.n_pairs_, model.feature_map_) == (inner.n_iter_, inner.n_pairs_, None)
    assert model.n_pairs_ == len(comparable_pairs(problem.y, problem.qid))
    A, B = problem.X[:50], problem.X[50:100]
    np.testing.assert_array_equal(model.decide_pairs(A, B), model.predict(A) - model.predict(B))
    expected = pair_accuracy(model.predict(problem.X), problem.y, problem.qid)
    assert model.score(problem.X, problem.y, qid=problem.qid) == pytest.approx(expected, rel=1e-12)


def test_before_fit_these_attributes_are_absent():
    model = RankSVMCV()
    assert not hasattr(model, "coef_")
    with pytest.raises(NotFittedError):
        model.predict([[1.0]])


@pytest.mark.parametrize("kernel", ["linear", "lrbf"])
def test_sparse_rows_give_the_same_choice(problem, kernel):
    thin = RankSVMCV(Cs=GRID, kernel=kernel, tol=1e-10).fit(sparse.csr_matrix(problem.X), problem.y, qid=problem.qid)
    dense = fit(problem, kernel=kernel, tol=1e-10)
    assert thin.C_ == dense.C_
    np.testing.assert_allclose(thin.coef_, dense.coef_, rtol=0, atol=1e-8)


def test_a_splitter_sees_the_queries_as_groups(problem):
    model = fit(problem, cv=GroupKFold(4))
    assert "split3_test_score" in model.cv_results_
    assert "split4_test_score" not in model.cv_results_
    np.testing.assert_array_equal(
        fit(problem, cv=4).cv_results_["mean_test_score"], model.cv_results_["mean_test_score"]
    )


def test_a_single_query_is_split_by_document(problem):
    model = RankSVMCV(Cs=GRID, scoring="pair_accuracy").fit(problem.X, problem.y)
    assert model.n_queries_ == 1
    assert model.best_score_ > 0.6


def test_a_fold_in_which_the_measure_is_undefined_is_ignored(problem):
    """If no held-out document is relevant, NDCG is undefined."""
    groups = by_appearance(problem.qid)
    nothing = groups == 3
    y = np.where(nothing, 0.0, problem.y)
    rest = [
        (np.flatnonzero(groups % 2 != parity), np.flatnonzero((groups % 2 == parity) & ~nothing)) for parity in (0, 1)
    ]
    folds = [*rest, (np.flatnonzero(~nothing), np.flatnonzero(nothing))]
    model = RankSVMCV(Cs=GRID, cv=folds).fit(problem.X, y, qid=problem.qid)
    table = model.cv_results_
    assert np.isnan(table["split2_test_score"]).all()
    expected = (table["split0_test_score"] + table["split1_test_score"]) / 2
    np.testing.assert_allclose(table["mean_test_score"], expected)
    with pytest.raises(DataError, match=r"ndcg@10 is undefined in every fold"):
        RankSVMCV(Cs=GRID, cv=folds[2:]).fit(problem.X, y, qid=problem.qid)


def test_a_fold_without_a_comparable_training_pair_is_refused(problem):
    y = np.where(problem.qid == problem.qid[0], np.arange(240.0), 1.0)
    own = problem.qid == problem.qid[0]
    folds = [(np.flatnonzero(~own), np.flatnonzero(own))]
    with pytest.raises(DataError, match="no comparable pair"):
        RankSVMCV(cv=folds).fit(problem.X, y, qid=problem.qid)


def test_another_convention_gives_other_values(problem):
    """A query without a relevant document is ignored by one convention, and counts 0 by the other."""
    y = np.where(problem.qid == problem.qid[0], 0.0, problem.y)
    standard, letor = (
        RankSVMCV(Cs=GRID, convention=convention).fit(problem.X, y, qid=problem.qid)
        for convention in ("standard", "letor")
    )
    assert standard.best_score_ > letor.best_score_
    with pytest.raises(DataError, match="convention must be one of"):
        fit(problem, convention="own")


def test_queries_are_routed_through_a_pipeline(problem):
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = RankSVMCV(Cs=GRID).set_fit_request(qid=True).set_score_request(qid=True)
        pipeline = make_pipeline(StandardScaler(), ranker).fit(problem.X, problem.y, qid=problem.qid)
    scaled = StandardScaler().fit_transform(problem.X)
    expected = RankSVMCV(Cs=GRID).fit(scaled, problem.y, qid=problem.qid)
    np.testing.assert_array_equal(pipeline[-1].coef_, expected.coef_)


def test_names_of_features_are_kept_and_checked(problem):
    frame = pd.DataFrame(problem.X, columns=["bm25", "age", "clicks", "length"])
    model = RankSVMCV(Cs=GRID).fit(frame, problem.y, qid=problem.qid)
    assert model.feature_names_in_.tolist() == ["bm25", "age", "clicks", "length"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["age", "bm25", "clicks", "length"]])


def test_score_without_qid_after_a_fit_with_qid_is_refused(problem):
    with pytest.raises(DataError, match="score needs qid: the model was fitted on 18 queries"):
        fit(problem).score(problem.X, problem.y)


def test_early_stops_on_folds_are_counted(problem):
    with pytest.warns(ConvergenceWarning) as caught:
        fit(problem, Cs=[100.0, 1000.0], tol=1e-13, max_iter=1)
    messages = [str(warning.message) for warning in caught]
    assert any(message.startswith("6 of 6 fits to folds stopped at a certified gap") for message in messages)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"Cs": 0}, "Cs must be a positive whole number: got 0"),
        ({"Cs": 1}, "Cs as a number of values must be at least 2"),
        ({"Cs": 2.5}, "Cs must be a positive whole number"),
        ({"Cs": []}, "Cs is empty"),
        ({"Cs": [1.0, -1.0]}, "C must be a positive number: got -1.0"),
        ({"Cs": "many"}, "Cs must"),
        ({"Cs": [1.0, np.nan]}, "Cs has 1 value that is not finite"),
        ({"cv": 1}, "cv must be a number of folds from 2"),
        ({"cv": 40}, "40 folds need at least 40 queries: got 18"),
        ({"cv": KFold(3)}, "cv must keep each query whole"),
        ({"scoring": "ndgc@10"}, "measure must be one of"),
        ({"scoring": "p"}, "p needs a cutoff"),
        ({"kernel": "rbf"}, "kernel must be one of"),
        ({"loss": "l2"}, "loss must be one of"),
        ({"gamma": "auto"}, "gamma must be a positive number, 'scale', or a multiple"),
        ({"gamma": [0.1, -1.0], "kernel": "lrbf"}, "gamma must be a positive number"),
        ({"gamma": [], "kernel": "lrbf"}, "gamma is empty"),
        ({"pair_weight": "all"}, "pair_weight must be one of"),
        ({"C_unit": "row"}, "C_unit must be one of"),
        ({"tol": 0.0}, "tol must be a positive number"),
        ({"max_iter": 0}, "max_iter must be a positive whole number"),
    ],
    ids=str,
)
def test_parameters_that_make_no_sense_are_refused_with_the_reason(problem, parameters, message):
    with pytest.raises(DataError, match=message):
        fit(problem, **parameters)


def test_data_without_a_comparable_pair_are_refused(problem):
    with pytest.raises(DataError, match="two different labels"):
        RankSVMCV().fit(problem.X, np.zeros(240), qid=problem.qid)


def test_real_queries_are_ranked_better_by_a_chosen_c_than_by_a_bad_one(real_data):
    """LightGBM's example: 201 queries to choose on, 50 others to check the choice."""
    folder = real_data / "lightgbm-rank"
    train, test = (load_lightgbm(folder / f"rank.{part}") for part in ("train", "test"))
    model = RankSVMCV(Cs=5, n_jobs=2).fit(train.X, train.y, qid=train.qid)
    worst = model.cv_results_["C"][np.argmin(model.cv_results_["mean_test_score"])]
    alone = RankSVM(worst, C_unit="mean").fit(train.X, train.y, qid=train.qid)
    chosen, other = (
        evaluate(test.y, ranker.predict(test.X), qid=test.qid, measures="ndcg@10")["ndcg@10"]
        for ranker in (model, alone)
    )
    assert chosen > other
