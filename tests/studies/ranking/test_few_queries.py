"""Studies of few queries, of one query, and of its pairs, with a given C and γ."""

import json

import numpy as np
import pytest
from sklearn.svm import LinearSVC

import glassrank as gr
from glassrank.core.checks import DataError
from glassrank.ranking.rank_svm import RankSVM
from glassrank.studies.ranking.measuring.measured_lists import MeasuredLists
from glassrank.studies.ranking.measuring.study_folds import StudyFolds
from glassrank.studies.ranking.recipe import Recipe
from glassrank.studies.ranking.study import study
from tests.quick_study import few_resamples_and_picks  # noqa: F401 - a fixture for all tests here

FEATURES = ["BM25 title", "Click ratio", "Noise 1"]


@pytest.fixture(scope="module")
def three():
    data = gr.simulate_ranking(3, 16, random_state=4).data
    return data.pick_features(FEATURES)


@pytest.fixture(scope="module")
def one(three):
    return three.pick_queries(three.groups.ids[:1])


@pytest.fixture(scope="module")
def by_document(one, tmp_path_factory):
    return study(one, folder=tmp_path_factory.mktemp("document"), tune=0)


@pytest.fixture(scope="module")
def by_pair(one, tmp_path_factory):
    return study(one, folder=tmp_path_factory.mktemp("pair"), folds="pair", C=1.0, tune=0)


def page_of(result):
    return (result.folder / "report.html").read_text(encoding="utf-8")


def test_one_query_is_measured_on_folds_of_its_documents(one, by_document):
    assert by_document.elimination.fold_unit == "document"
    assert (by_document.main.n_queries, by_document.main.n_documents) == (1, one.n_rows)
    assert f"On {one.n_rows} held-out documents of one query (5 folds), the model" in by_document.lead()
    assert "not other queries" in by_document.facts["Folds"]
    page = page_of(by_document)
    assert "bootstrap over the documents of the query" in page
    assert "the tests say nothing about other queries" in page


def test_the_value_of_one_query_is_the_mean_over_its_folds(by_document):
    """Each fold is ranked by a model of its own, so documents of different folds are never compared."""
    rows = by_document.shown["kept"]
    steps = [json.loads((by_document.folder / "steps" / f"fold-{k}.json").read_text())["result"] for k in range(1, 6)]
    sizes = [len(step["kept"]) for step in steps]
    assert sum(sizes) == rows.n_rows
    scores, values = by_document.scores["kept"], []
    for step in steps:
        own = np.array([int(np.flatnonzero(scores == score)[0]) for score in step["kept"]])
        values.append(gr.evaluate(rows.y[own], np.array(step["kept"]), measures=["ndcg@10"])["ndcg@10"])
    assert by_document.main["kept"].mean == pytest.approx(np.mean(values))


def test_with_three_queries_one_is_held_out_at_a_time_and_no_verdict_is_given(three, tmp_path):
    found = study(three, folder=tmp_path, tune=0, C=1.0)
    assert len(found.n_kept) == 3
    assert {system.verdict for system in found.main.systems} == {"baseline", "too few queries"}
    assert found.lead().count(": too few queries, ") == len(found.main.others)
    assert "2/2^3 = 0.25" in page_of(found)
    expected = []
    for query in three.groups.ids:
        own = three.qid == query
        mean, spread = three.X[~own].mean(axis=0), three.X[~own].std(axis=0)
        model = RankSVM(1.0, tol=1e-7).fit((three.X[~own] - mean) / spread, three.y[~own], qid=three.qid[~own])
        scores = model.predict((three.X[own] - mean) / spread)
        expected.append(gr.evaluate(three.y[own], scores, measures=["ndcg@10"])["ndcg@10"])
    full = found.scores.get("full", found.scores["kept"])
    per_query = gr.evaluate(three.y, full, qid=three.qid, measures=["ndcg@10"]).per_query["ndcg@10"]
    np.testing.assert_allclose(per_query, expected, atol=1e-6)


def test_few_training_queries_are_enough_with_test_data(one, tmp_path):
    test = gr.simulate_ranking(2, 12, random_state=9).data.pick_features(FEATURES)
    renamed = gr.RankingData(test.X, test.y, np.char.add("t", test.qid.astype(str)), None, test.feature_names)
    found = study(one, test=renamed, folder=tmp_path, tune=0, C=1.0)
    assert (found.main.n_queries, found.main.n_documents) == (2, None)
    assert found.elimination.fold_unit == "document"
    single = study(one, test=renamed.pick_queries(["t" + str(test.qid[0])]), folder=tmp_path / "one", tune=0, C=1.0)
    assert single.main.n_documents == int((test.qid == test.qid[0]).sum())
    assert "documents of the one test query" in single.lead()


def test_the_accuracy_over_folds_of_pairs_is_that_of_a_classifier_of_differences(one, by_pair):
    """LIBLINEAR on the differences of the other folds' pairs minimises the same objective, C/n for each of n pairs."""
    measured = MeasuredLists.of(one, None, StudyFolds.of("pair", one))
    right = []
    for number, (rest, own) in enumerate(measured.split(), start=1):
        X = one.X[measured.place]
        X = (X - X[rest].mean(axis=0)) / X[rest].std(axis=0)
        learned, held_out = X[rest][::2] - X[rest][1::2], X[own][::2] - X[own][1::2]
        signs = np.where(np.arange(len(learned)) % 2, -1, 1)
        machine = LinearSVC(C=1.0 / len(learned), fit_intercept=False, tol=1e-9, max_iter=100_000, random_state=0)
        machine.fit(learned * signs[:, None], signs)
        scores = np.array(json.loads((by_pair.folder / "steps" / f"fold-{number}.json").read_text())["result"]["full"])
        decided = held_out @ machine.coef_[0] > 0
        assert ((scores[::2] > scores[1::2]) == decided).all()
        right.append(decided)
    if "full" in by_pair.scores:
        assert by_pair.main["full"].mean == pytest.approx(np.concatenate(right).mean())
    assert [one.measure for one in by_pair.comparisons] == ["pair_accuracy"]
    assert by_pair.main.n_documents == one.n_rows


def test_folds_of_pairs_are_called_too_optimistic_everywhere(by_pair):
    assert by_pair.elimination.fold_unit == "pair"
    assert by_pair.elimination.nested is None
    assert "far too optimistic" in by_pair.lead()
    assert "far too optimistic" in by_pair.facts["Folds"]
    assert '<p class="warning" role="note">' in page_of(by_pair)
    assert "C = 1 was given. Nothing was chosen." in page_of(by_pair)


@pytest.mark.parametrize("mode", ["difference", "one-orientation"])
def test_a_model_of_differences_ranks_by_wins_and_is_saved(one, mode, tmp_path):
    given = {"kernel": "lrbf", "loss": "hinge", "gamma": 0.5, "C": 1.0, "C_unit": "pair"}
    found = study(one.pick_features([0, 1]), folder=tmp_path, mode=mode, tune=0, **given)
    assert "of differences" in found.facts["Model"]
    assert "C = 1 per pair, γ = 0.5" in found.facts["Model"]
    model = gr.load_model(tmp_path / "model.json")
    assert not hasattr(model, "predict")
    assert found.nomogram.effects.subject == "difference"


def test_the_best_c_of_differences_is_that_of_fits_to_the_folds(one):
    recipe = Recipe("lrbf", "pair_accuracy", mode="difference", gamma=0.5)
    choice = recipe._grid(one, [(np.arange(0, one.n_rows, 2), np.arange(1, one.n_rows, 2))])((0.1, 10.0))
    X, odd = one.X, np.arange(one.n_rows) % 2 == 1
    mean, spread = X[~odd].mean(axis=0), X[~odd].std(axis=0)
    A, y = (X - mean) / spread, one.y
    for C, value in zip((0.1, 10.0), choice["mean_test_score"], strict=True):
        model = RankSVM(C, kernel="lrbf", mode="difference", gamma=0.5, tol=1e-7).fit(A[~odd], y[~odd])
        pairs = [(i, j) for i in np.flatnonzero(odd) for j in np.flatnonzero(odd) if y[i] > y[j]]
        right = model.decide_pairs(A[[i for i, _ in pairs]], A[[j for _, j in pairs]]) > 0
        assert value == pytest.approx(right.mean())


def test_a_given_c_and_gamma_are_not_chosen(one):
    choice = Recipe("lrbf", gamma=0.3, C=2.0).choose(one)
    assert (choice.C, choice.gamma, choice.tried) == (2.0, 0.3, ())
    several = Recipe("lrbf", C=2.0, folds=StudyFolds.of(None, one)).choose(one)
    assert {tried.C for tried in several.tried} == {2.0}
    assert len(several.tried) == 3
    assert several.sentence().startswith("C = 2 was given. γ = ")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gamma": 1.0}, "gamma has no effect without kernel='lrbf'"),
        ({"C_unit": "pair"}, "C_unit has no effect without C"),
        ({"loss": "cubic"}, "loss must be one of"),
        ({"mode": "both"}, "mode must be one of 'utility', 'difference', 'one-orientation'"),
        ({"mode": "one-orientation", "C": 1.0, "C_unit": "mean"}, "C_unit is not an option"),
        ({"mode": "one-orientation", "loss": "logistic"}, "loss must be one of 'squared_hinge', 'hinge'"),
        ({"mode": "difference", "transform": "log"}, "use mode='utility'"),
        ({"kernel": "lrbf", "gamma": "wide"}, "gamma must be a positive number"),
    ],
)
def test_options_without_effect_or_meaning_are_refused(options, message):
    with pytest.raises(DataError, match=message):
        Recipe(**options)
