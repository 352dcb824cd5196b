"""Commands that take a model file also take those of LightGBM, XGBoost and RankLib."""

import json
import shutil
from pathlib import Path

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost

import glassrank as gr
from tests.cli.commands import glassrank

RANKLIB = Path(__file__).parents[1] / "modelfile" / "ranklib"
FEATURES = ["bm25", "page rank", "shop", "age"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("foreign")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(240, 4)), columns=FEATURES)
    frame["shop"] = pd.Categorical(rng.choice(["inland", "abroad"], 240))
    frame.loc[rng.random(240) < 0.2, "age"] = np.nan
    label = np.digitize(frame["bm25"] + (frame["shop"] == "inland") * frame["page rank"], [0.0, 1.0])
    qid = np.repeat(np.arange(12), 20)
    table = frame.assign(label=label, qid=qid, doc_id=[f"d{row % 20}" for row in range(240)])
    table.to_csv(folder / "documents.csv", index=False)
    for name, depth in (("stumps", 1), ("deep", 4)):
        made = lightgbm.LGBMRanker(n_estimators=15, max_depth=depth, min_child_samples=5, verbose=-1, n_jobs=1)
        made.fit(frame, label, group=[20] * 12).booster_.save_model(folder / f"{name}.txt")
        np.savetxt(folder / f"{name}.scores", made.predict(frame))
    xgboost.XGBRanker(n_estimators=15, max_depth=1, n_jobs=1, enable_categorical=True).fit(
        frame, label, qid=qid
    ).save_model(folder / "boosted.ubj")
    shutil.copy(RANKLIB / "lambdamart.txt", folder / "ranklib.txt")
    shutil.copy(RANKLIB / "rows.txt", folder / "rows.txt")
    return folder


@pytest.mark.parametrize("name", ["stumps", "deep"])
def test_rank_gives_the_scores_of_the_library(name, folder):
    """LightGBM writes underscores for the spaces in the names of features."""
    done = glassrank("rank", f"{name}.txt", "documents.csv", "--quiet", folder=folder)
    assert done.code == 0, done.err
    np.testing.assert_allclose(np.loadtxt(done.out.splitlines()), np.loadtxt(folder / f"{name}.scores"), rtol=1e-12)


def test_ranklib_models_rank_letor_files(folder):
    """The order is that of RankLib's scores in tests/modelfile/test_ranklib.py."""
    done = glassrank("rank", "ranklib.txt", "rows.txt", "--json", "--quiet", folder=folder)
    assert done.code == 0, done.err
    ((query),) = json.loads(done.out)
    assert [one["row"] for one in query["documents"]] == [4, 5, 2, 3, 6, 0, 1, 7]


@pytest.mark.parametrize("name", ["stumps.txt", "boosted.ubj"])
def test_trees_of_one_feature_are_drawn_and_explained(name, folder, tmp_path):
    picture = tmp_path / "lines.svg"
    done = glassrank("nomogram", name, "documents.csv", "--output", picture, folder=folder)
    assert (done.code, picture.exists()) == (0, True), done.err
    pair = ("--query", "0", "--document", "d1", "--against", "d2", "--json", "--quiet")
    done = glassrank("explain", name, "documents.csv", *pair, folder=folder)
    assert done.code == 0, done.err
    found = json.loads(done.out)
    total = sum(feature["contribution"] for feature in found["features"])
    assert total == pytest.approx(found["a"]["score"] - found["b"]["score"], rel=1e-6)
    assert {feature["value_a"] for feature in found["features"]} & {"inland", "abroad"}


def test_a_pair_of_deep_trees_is_explained_by_the_library(folder):
    pair = ("--query", "0", "--document", "d1", "--against", "d2", "--quiet")
    done = glassrank("explain", "deep.txt", "documents.csv", *pair, folder=folder)
    assert done.code == 0, done.err
    assert "TreeSHAP attribution by LightGBM" in done.out


def test_deep_trees_have_no_lines_and_the_error_names_the_commands(folder):
    done = glassrank("nomogram", "deep.txt", "documents.csv", "--output", "never.svg", folder=folder)
    assert done.code == 1
    assert "glassrank explain --against, which takes all trees, or imitate" in done.err
    assert "glassrank train --like" in done.err


def test_models_of_two_libraries_are_compared(folder):
    models = ("--model", "stumps.txt", "--model", "boosted.ubj")
    done = glassrank("compare", "documents.csv", *models, "--quiet", folder=folder)
    assert done.code == 0, done.err
    assert "pairs change their order" in done.out


def test_train_like_writes_a_model_and_reports_its_fidelity(folder, tmp_path):
    output = tmp_path / "like.json"
    done = glassrank("train", "documents.csv", "--like", "deep.txt", "--output", output, folder=folder)
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[:2] == ["RankSVM that imitates Booster, 4 features", "fidelity on 12 held-out queries (3 folds):"]
    assert any(line.startswith("surrogate ") for line in lines)
    model = gr.load_model(output)
    assert model.steps[-1][1].kernel == "lrbf"
    assert gr.load_scorer(output).feature_names == tuple(FEATURES)


def test_train_like_takes_documents_without_labels_and_other_models(folder, tmp_path):
    pd.read_csv(folder / "documents.csv").drop(columns="label").to_csv(tmp_path / "unjudged.csv", index=False)
    given = ("--like", folder / "deep.txt", "--kernel", "linear", "--folds", "2", "--output", "like.json", "--json")
    done = glassrank("train", "unjudged.csv", *given, folder=tmp_path)
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert (found["folds"], found["comparison"], found["n_queries"]) == (2, None, 12)
    assert gr.load_model(tmp_path / "like.json").steps[-1][1].kernel == "linear"


def test_train_like_compares_rankings_of_negative_labels_by_pairs(folder, tmp_path):
    """NDCG has no gain for them, and the labels are not what the model learns from."""
    table = pd.read_csv(folder / "documents.csv")
    table.assign(label=-table["label"]).to_csv(tmp_path / "negative.csv", index=False)
    given = ("--like", folder / "deep.txt", "--kernel", "linear", "--folds", "2", "--output", "like.json")
    done = glassrank("train", "negative.csv", *given, folder=tmp_path)
    assert done.code == 0, done.err
    assert "pair_accuracy" in done.out
    assert "ndcg" not in done.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--calibrate"], "--like imitates an order, which has no probabilities: leave out --calibrate."),
        (["--model", "additive-svc"], "--like needs a ranker: --model additive-svc is a classifier."),
    ],
)
def test_options_that_contradict_like_are_bad_usage(options, message, folder, tmp_path):
    given = ("--like", "deep.txt", "--output", tmp_path / "like.json", *options)
    done = glassrank("train", "documents.csv", *given, folder=folder)
    assert (done.code, message in done.err) == (2, True), done.err


def test_an_order_that_depends_on_the_list_is_not_imitated(folder, tmp_path):
    data = gr.load_table(folder / "documents.csv").pick_features(["bm25"])
    gr.save_model(gr.RankSVM().fit(data.scaled("minmax")), tmp_path / "scaled.json", query_scaling="minmax")
    given = ("--like", tmp_path / "scaled.json", "--output", tmp_path / "like.json")
    done = glassrank("train", "documents.csv", *given, folder=folder)
    assert done.code == 1
    assert "scaled within each query" in done.err


@pytest.mark.parametrize("name", ["deep.txt", "boosted.ubj"])
def test_judged_queries_give_a_ranker_of_another_library_its_probabilities(name, folder, tmp_path):
    """With missing values and categories; the documents themselves need no labels."""
    table = pd.read_csv(folder / "documents.csv")
    table.drop(columns="label").to_csv(tmp_path / "unlabelled.csv", index=False)
    table[table["qid"] >= 6].to_csv(tmp_path / "judged.csv", index=False)
    given = ("--query", "0", "--document", "d1", "--against", "d2", "--quiet")
    files = (folder / name, tmp_path / "unlabelled.csv")
    done = glassrank("explain", *files, *given, "--json", "--calibrate", tmp_path / "judged.csv", folder=folder)
    assert done.code == 0, done.err
    found = json.loads(done.out)
    plain = json.loads(glassrank("explain", *files, *given, "--json", folder=folder).out)
    assert plain["probability"] is None
    judged = gr.load_table(tmp_path / "judged.csv").pick_features(FEATURES)
    slope = gr.PairCalibrator(gr.load_ranker(folder / name), cv="prefit", random_state=0).fit(judged).slope_
    odds = -slope * (plain["a"]["score"] - plain["b"]["score"])
    assert found["probability"] == pytest.approx(1 / (1 + np.exp(-odds)), rel=1e-6)
    assert [found[place]["label"] for place in "ab"] == [None, None]
    assert "judgement" not in glassrank("explain", *files, *given, folder=folder).out


def test_a_calibrated_model_is_not_calibrated_again(folder, tmp_path):
    data = gr.load_table(folder / "documents.csv")
    gr.save_model(gr.PairCalibrator(gr.RankSVM(), cv=2, random_state=0).fit(data), tmp_path / "sure.json")
    given = ("--query", "0", "--document", "d1", "--against", "d2", "--calibrate", "documents.csv")
    done = glassrank("explain", tmp_path / "sure.json", "documents.csv", *given, folder=folder)
    assert (done.code, done.err) == (1, "Error: The model is calibrated already. Leave out --calibrate.\n")
    done = glassrank("explain", "stumps.txt", "documents.csv", *given, "--train", "documents.csv", folder=folder)
    assert done.code == 2
    assert "leave out --calibrate" in done.err
