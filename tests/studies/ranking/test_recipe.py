"""The recipe of a study equals its public parts combined by hand."""

import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from glassrank.core.checks import DataError
from glassrank.data.ranking_data import RankingData
from glassrank.metrics.evaluation import evaluate
from glassrank.nomograms.elimination.eliminated import EliminationResult
from glassrank.ranking.rank_svm import RankSVM
from glassrank.simulation.ranking import simulate_ranking
from glassrank.studies.ranking.choice import Choice
from glassrank.studies.ranking.measuring.fold_rows import FoldRows
from glassrank.studies.ranking.recipe import Recipe
from glassrank.studies.ranking.systems import HeldOutScores


@pytest.fixture(scope="module")
def parts():
    data = simulate_ranking(16, 8, random_state=1).data.pick_features(range(6))
    ids = data.groups.ids
    return data.pick_queries(ids[:12]), data.pick_queries(ids[12:])


@pytest.fixture(scope="module")
def scores(parts):
    return Recipe().held_out_scores(FoldRows.of(*parts))


def both(train, valid):
    return RankingData(np.vstack([train.X, valid.X]), np.append(train.y, valid.y), np.append(train.qid, valid.qid))


def test_c_is_the_best_on_the_validation_rows(parts):
    train, valid = parts
    X = StandardScaler().fit_transform(np.vstack([train.X, valid.X]))
    chosen = Recipe(measure="map").choose(both(train, valid), train.n_rows + np.arange(valid.n_rows))
    values = {}
    for C in {one.C for one in chosen.tried}:
        model = RankSVM(C, C_unit="mean").fit(X[: train.n_rows], train.y, qid=train.qid)
        values[C] = evaluate(valid.y, model.predict(X[train.n_rows :]), qid=valid.qid, measures=["map"])["map"]
    assert values[chosen.C] == max(values.values())
    assert {one.C: one.mean for one in chosen.tried} == pytest.approx(values)


def test_the_full_model_standardises_by_the_training_rows_alone(parts, scores):
    train, test = parts
    mean, spread = train.X.mean(axis=0), train.X.std(axis=0)
    model = RankSVM(scores.C, C_unit="mean", tol=1e-7).fit((train.X - mean) / spread, train.y, qid=train.qid)
    assert scores.by_system["full"] == pytest.approx(model.predict((test.X - mean) / spread), abs=1e-5)


def test_the_reduced_model_uses_as_many_features_as_it_reports(parts, scores):
    train, test = parts
    found = Recipe().eliminate(train, Choice(scores.C, scores.gamma, ()), nested=True).result_
    names = [line.feature for line in found.kept]
    assert len(names) == found.n_kept == scores.n_kept
    mean, spread = train.pick_features(names).X.mean(axis=0), train.pick_features(names).X.std(axis=0)
    model = RankSVM(scores.C, C_unit="mean", tol=1e-7)
    model.fit((train.pick_features(names).X - mean) / spread, train.y, qid=train.qid)
    assert scores.by_system["kept"] == pytest.approx(
        model.predict((test.pick_features(names).X - mean) / spread), abs=1e-5
    )


def test_the_labels_of_the_measured_documents_change_no_score(parts, scores):
    train, test = parts
    other = RankingData(test.X, test.y[::-1], test.qid, None, test.feature_names)
    assert Recipe().held_out_scores(FoldRows.of(train, other)).to_dict() == scores.to_dict()


def test_the_best_single_feature_is_the_best_of_both_directions(parts, scores):
    train, test = parts
    tried = {
        (name, sign): evaluate(train.y, sign * train.X[:, k], qid=train.qid, measures=["ndcg@10"])["ndcg@10"]
        for k, name in enumerate(train.feature_names)
        for sign in (1, -1)
    }
    name, sign = max(tried, key=tried.get)
    assert scores.single_feature == name
    assert scores.by_system["single"].tolist() == (sign * test.X[:, test.feature_index(name)]).tolist()


def test_an_elimination_survives_serialisation(parts):
    train, _ = parts
    rfe = Recipe().eliminate(train, Choice(0.1, "scale", ()), nested=True)
    found = rfe.result_
    assert {line.feature for line in found.kept} == set(np.array(train.feature_names)[rfe.support_])
    assert EliminationResult.from_dict(json.loads(found.to_json())) == found


def test_an_outer_fold_without_a_measurable_query_has_no_score(parts):
    found = Recipe().eliminate(parts[0], Choice(0.1, "scale", ()), nested=True).result_
    unmeasured = replace(found, nested=replace(found.nested, folds=(np.nan, *found.nested.folds[1:])))
    again = EliminationResult.from_dict(json.loads(unmeasured.to_json()))
    assert np.isnan(again.nested.folds[0])
    assert again.nested.folds[1:] == found.nested.folds[1:]


def test_scores_survive_serialisation(scores):
    again = HeldOutScores.from_dict(json.loads(json.dumps(scores.to_dict())))
    assert (again.C, again.n_kept, again.single_feature) == (scores.C, scores.n_kept, scores.single_feature)
    assert {key: values.tolist() for key, values in again.by_system.items()} == {
        key: values.tolist() for key, values in scores.by_system.items()
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "rbf"}, "kernel"),
        ({"transform": "square"}, "transform must be one of 'none', 'standard', 'log', 'quantile', 'auto'"),
        ({"measure": "ndgc@10"}, "measure must be one of"),
        ({"measure": "misranking"}, "higher is better"),
        ({"convention": "nist"}, "convention"),
        ({"convention": "trec"}, "convention"),
    ],
    ids=["kernel", "transform", "measure", "loss", "convention", "trec"],
)
def test_unknown_options_are_refused(options, message):
    with pytest.raises(DataError, match=message):
        Recipe(**options)


def test_a_measure_is_named_in_any_case():
    assert Recipe(measure="NDCG@10") == Recipe(measure="ndcg@10")
