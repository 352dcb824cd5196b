"""Models from files: formats are recognised, and damaged or hostile files cause an error."""

import gzip
import os
import re

import lightgbm
import numpy as np
import pytest
import xgboost

import glassrank as gr
from glassrank.core.checks import DataError
from glassrank.modelfile import load_ranker as module
from glassrank.modelfile.load_ranker import is_model_file, load_ranker
from glassrank.studies.ranking.given_systems import load_system

X = np.array([[0.0, 1.0], [1.0, 0.5], [2.0, 3.0], [3.0, 2.0]] * 5)
Y = np.array([0, 1, 1, 2] * 5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    trees = lightgbm.LGBMRanker(n_estimators=2, min_child_samples=1, min_data_in_bin=1, verbose=-1)
    trees.fit(X, Y, group=[4] * 5).booster_.save_model(folder / "trees.txt")
    (folder / "trees.txt.gz").write_bytes(gzip.compress((folder / "trees.txt").read_bytes()))
    boosted = xgboost.XGBRanker(n_estimators=2, n_jobs=1).fit(X, Y, qid=np.repeat(np.arange(5), 4))
    for suffix in ("json", "ubj"):
        boosted.save_model(folder / f"boosted.{suffix}")
        boosted.get_booster().save_model(folder / f"plain.{suffix}")
    xgboost.train({"booster": "gblinear", "nthread": 1}, xgboost.DMatrix(X, Y), 1).save_model(folder / "linear.json")
    gr.save_model(gr.RankSVM().fit(X, Y, qid=np.repeat(np.arange(5), 4)), folder / "own.json")
    gr.save_model(gr.AdditiveSVC().fit(X, Y > 0), folder / "classifier.json")
    (folder / "scores.csv").write_text("qid,doc_id,score\n1,a,2\n")
    return folder


@pytest.mark.parametrize(
    ("name", "kind"),
    {
        "trees.txt": "Booster",
        "trees.txt.gz": "Booster",
        "boosted.json": "XGBRanker",
        "boosted.ubj": "XGBRanker",
        "plain.json": "Booster",
        "plain.ubj": "Booster",
        "own.json": "RankSVM",
    }.items(),
)
def test_formats_are_recognised_by_content(folder, name, kind):
    assert type(load_ranker(folder / name)).__name__ == kind
    assert is_model_file(folder / name)
    assert not is_model_file(folder / "scores.csv")


def test_wrong_sizes_of_trees_do_not_end_the_process(folder, tmp_path):
    text = (folder / "trees.txt").read_text()
    (tmp_path / "sizes.txt").write_text(re.sub(r"tree_sizes=\d+", "tree_sizes=7", text))
    found, expected = load_ranker(tmp_path / "sizes.txt"), lightgbm.Booster(model_str=text)
    assert found.predict(X).tolist() == expected.predict(X).tolist()


DAMAGED = {
    "cut text": ("trees.txt", lambda text: text[: text.index("end of trees")], "incomplete: expected 'end of trees'"),
    "cut parameters": ("trees.txt", lambda text: text[:-200], "incomplete: expected 'end of parameters'"),
    "loop": ("trees.txt", lambda text: re.sub(r"left_child=\S+", "left_child=0", text, count=1), "tree 0 .* damaged"),
    "far child": ("trees.txt", lambda text: re.sub(r"right_child=\S+", "right_child=99", text, count=1), "tree 0"),
    "far leaf": ("trees.txt", lambda text: re.sub(r"right_child=\S+", "right_child=-99", text, count=1), "tree 0"),
    "feature": ("trees.txt", lambda text: re.sub(r"split_feature=\d", "split_feature=9", text, count=1), "tree 0"),
    "leaves": ("trees.txt", lambda text: re.sub(r"num_leaves=\d+", "num_leaves=90000000", text, count=1), "tree 0"),
    "values": ("trees.txt", lambda text: re.sub(r"leaf_value=\S+", "leaf_value=", text, count=1), "tree 0"),
    "no names": ("trees.txt", lambda text: text.replace("feature_names=", "names="), "no list of features"),
    "linear": ("trees.txt", lambda text: text.replace("is_linear=0", "is_linear=1"), "linear functions in its leaves"),
    "cut JSON": ("plain.json", lambda text: text[: len(text) // 2], "XGBoost cannot read the model"),
    "far node": (
        "plain.json",
        lambda text: re.sub(r'"left_children":\[\d+', '"left_children":[999', text, count=1),
        "tree 0 of the XGBoost model is damaged",
    ),
    "XGBoost loop": (
        "plain.json",
        lambda text: re.sub(r'"left_children":\[\d+', '"left_children":[0', text, count=1),
        "tree 0 of the XGBoost model is damaged",
    ),
    "XGBoost feature": (
        "plain.json",
        lambda text: re.sub(r'"split_indices":\[\d+', '"split_indices":[77', text, count=1),
        "tree 0 of the XGBoost model is damaged",
    ),
    "another booster": ("linear.json", lambda text: text, "expected boosted trees, got the booster 'gblinear'"),
    "a table": ("scores.csv", lambda text: text, "got a file that begins with 'qid,doc_id,score'"),
    "other JSON": ("own.json", lambda text: '{"a": 1}', "expected a glassrank model"),
    "classifier": ("classifier.json", lambda text: text, "AdditiveSVC predicts classes"),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_damaged_and_foreign_files_cause_an_error(case, folder, tmp_path):
    name, damage, said = DAMAGED[case]
    path = tmp_path / name
    path.write_text(damage((folder / name).read_text()))
    with pytest.raises(DataError, match=said) as caught:
        load_system(path)
    assert str(path) in str(caught.value)


def test_large_files_pipes_and_folders_are_refused(folder, tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    for path, said in ((tmp_path / "pipe", "expected a regular file"), (tmp_path, "expected a file, got a folder")):
        with pytest.raises(DataError, match=said):
            load_ranker(path)
    monkeypatch.setattr(module, "MAX_MODEL_BYTES", 100)
    with pytest.raises(DataError, match="expected a model of at most 100 bytes, got more"):
        load_ranker(folder / "trees.txt")
