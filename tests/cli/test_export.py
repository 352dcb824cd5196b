"""``glassrank export``: model files of every command become exports, and what is refused says why."""

import json

import numpy as np
import pytest

import glassrank as gr
from glassrank.cli.models.export import FORMATS, SCALES
from glassrank.export.formats.format_table import FORMATS as WRITTEN
from glassrank.export.read_model import SCALES as READ
from tests.cli.commands import glassrank
from tests.quick_study import few_resamples_and_picks  # noqa: F401 - a fixture for all tests here
from tests.shop_table import shop


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A shop's table with gaps, a category and yes/no values, and models trained on it by commands."""
    folder = tmp_path_factory.mktemp("export")
    products = shop(20, 8)
    products.drop(columns="weight").to_csv(folder / "shop.csv", index=False)
    numbers = products[["qid", "doc_id", "label", "price", "in stock"]]
    numbers.rename(columns={"in stock": "in_stock"}).to_csv(folder / "numbers.csv", index=False)
    trained = {
        "shop.json": ["shop.csv", "--kernel", "lrbf"],
        "line.json": ["shop.csv"],
        "nodes.json": ["numbers.csv", "--model", "elm-rank", "--n-nodes", 15],
        "difference.json": ["numbers.csv", "--kernel", "lrbf", "--mode", "difference"],
    }
    for name, arguments in trained.items():
        done = glassrank("train", *arguments, "--output", name, "-q", folder=folder)
        assert done.code == 0, done.err
    ranker = gr.RankSVM().fit(numbers[["price"]].to_numpy(), numbers["label"], qid=numbers["qid"])
    gr.save_model(ranker, folder / "scaled.json", feature_names=["price"], query_scaling="minmax")
    return folder


def export(folder, *arguments, code=0):
    done = glassrank("export", *arguments, folder=folder)
    assert done.code == code, done.err
    return done


def test_the_command_repeats_the_formats_and_scales_of_the_library():
    assert set(FORMATS) == set(WRITTEN)
    assert SCALES == READ


def python_scores(path, rows):
    space = {}
    exec((path / "model.py").read_text(), space)
    return np.array([space["score"](row) for row in rows])


@pytest.mark.parametrize("name", ["shop", "line", "nodes"])
def test_a_trained_model_becomes_a_function_with_its_scores(name, folder, tmp_path):
    done = export(folder, f"{name}.json", "--format", "python", "--output", tmp_path / "out", "--rename", "auto")
    assert "Largest difference from the model's scores" in done.out
    assert f"  cd {tmp_path / 'out'}\nUse it:\n  from model import score" in done.out
    assert done.err.endswith(f"Wrote model.py, glassrank.json, check.jsonl to {tmp_path / 'out'}.\n")
    about = json.loads((tmp_path / "out" / "glassrank.json").read_text())
    data = gr.load_data(folder / ("numbers.csv" if name == "nodes" else "shop.csv"))
    ranked = gr.load_model(folder / f"{name}.json")
    taken = [values(about, data, row) for row in range(data.n_rows)]
    expected = ranked.predict(data.table)
    error = np.abs(python_scores(tmp_path / "out", taken) - expected).max()
    assert error <= about["table_error"] + about["rounding"] + 1e-12


def values(about, data, row):
    """The features of a row by their names in the export."""
    found = {}
    for feature in about["features"]:
        k = data.feature_names.index(feature["in_model"])
        value = float(data.table.values[row, k])
        is_level = feature["kind"] == "category" and not np.isnan(value)
        found[feature["name"]] = data.table.kinds[k].level(value) if is_level else value
    return found


def test_a_model_of_a_study_is_exported(folder, tmp_path):
    arguments = ["study", "numbers.csv", "--kernel", "lrbf", "--tune", 0, "--folder", tmp_path / "study", "-q"]
    done = glassrank(*arguments, folder=folder)
    assert done.code == 0, done.err
    export(folder, tmp_path / "study" / "model.json", "--format", "duckdb", "--output", tmp_path / "sql")
    assert "CREATE OR REPLACE MACRO" in (tmp_path / "sql" / "model.sql").read_text()


def test_json_is_the_description_of_the_export(folder, tmp_path):
    done = export(
        folder, "nodes.json", "--format", "javascript", "--output", tmp_path, "--json", "--name", "shop", "-q"
    )
    found = json.loads(done.out)
    assert done.err == ""
    assert found == json.loads((tmp_path / "glassrank.json").read_text())
    assert found["name"].startswith("shop_")


def test_data_tell_how_many_pairs_could_swap(folder, tmp_path):
    done = export(
        folder,
        "shop.json",
        "--format",
        "python",
        "--output",
        tmp_path,
        "--rename",
        "in stock=stock",
        "--data",
        "shop.csv",
    )
    assert " of 560 pairs of documents (" in done.err  # 20 queries of 28 pairs


def test_features_can_be_renamed_one_by_one(folder, tmp_path):
    export(folder, "shop.json", "--format", "python", "--output", tmp_path, "--rename", "in stock=stock")
    about = json.loads((tmp_path / "glassrank.json").read_text())
    assert {"name": "stock", "in_model": "in stock"}.items() <= about["features"][2].items()


def test_a_folder_with_files_is_kept_unless_forced(folder, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    arguments = ["nodes.json", "--format", "python", "--output", tmp_path]
    assert (
        "is not empty. Choose another folder, or overwrite files in it with --force"
        in export(folder, *arguments, code=1).err
    )
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    export(folder, *arguments, "--force")
    assert (tmp_path / "notes.txt").read_text() == "mine"


REFUSED = {
    "scaled within queries": (
        ["scaled.json"],
        1,
        "scaled within each query (minmax)",
        "glassrank train --transform standard",
    ),
    "difference": (["difference.json"], 1, "gives no score to a single one", "--mode utility"),
    "names": (["shop.json"], 1, "got 'in stock'", "--rename auto"),
    "error": (["nodes.json", "--max-error", 1e-300], 1, "at most 1e-300 is allowed", "Raise --max-error"),
    "bad error": (["nodes.json", "--max-error", -1], 1, "--max-error must be", ""),
    "probabilities": (["difference.json", "--scale", "logit"], 1, "gives no score", ""),
    "kind": (["nodes.json", "--kind", "double"], 1, "has one kind of model only", "Omit --kind"),
    "definitions": (["nodes.json", "--definitions", "object.json"], 1, "has no definitions", "Omit --definitions"),
    "broken": (["nodes.json", "--definitions", "broken.json"], 1, "broken.json: the JSON ends too early", ""),
    "twice": (["nodes.json", "--definitions", "twice.json"], 1, "twice.json: an object has the name 'price' twice", ""),
    "list": (["nodes.json", "--definitions", "list.json"], 1, "list.json: expected a JSON object", ""),
    "encoding": (
        ["nodes.json", "--definitions", "latin.json"],
        1,
        "latin.json:1: expected UTF-8 text, got the byte 0xff",
        "",
    ),
    "no model": (["shop.csv"], 1, "shop.csv", ""),
    "rename": (["nodes.json", "--rename", "price"], 2, "--rename must be OLD=NEW, or auto alone: got 'price'", ""),
    "two renames": (["nodes.json", "--rename", "auto", "--rename", "a=b"], 2, "auto alone", ""),
    "unknown": (["nodes.json", "--rename", "a=b"], 1, "--rename must name features of the model: got 'a'", ""),
    "model name": (["nodes.json", "--name", "my model"], 1, "--name must be at most 50 letters", ""),
    "other data": (["shop.json", "--rename", "auto", "--data", "numbers.csv"], 1, "numbers.csv", ""),
    "query": (["nodes.json", "--query", "blue"], 2, "--query is for --check", ""),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_names_the_options_of_the_command_and_writes_nothing(name, folder, tmp_path):
    files = {"broken": b"{", "list": b"[1]", "object": b'{"price": {}}', "latin": b'{"\xff": 1}'}
    for file, content in {**files, "twice": b'{"price": "a", "price": "b"}'}.items():
        (folder / f"{file}.json").write_bytes(content)
    arguments, code, message, remedy = REFUSED[name]
    done = export(folder, *arguments, "--format", "python", "--output", tmp_path / "out", code=code)
    assert message in done.err
    assert remedy in done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / "out").exists()


def test_a_format_is_needed(folder, tmp_path):
    assert "--format" in export(folder, "nodes.json", "--output", tmp_path, code=2).err
