"""``glassrank select``: rankings of features in text, JSON and pictures, and what it refuses."""

import json

import numpy as np
import pytest

from glassrank.data.load_data import load_data
from glassrank.navigational.coupling import selectors as coupled
from glassrank.selection.rank_features import METHODS, rank_features
from glassrank.selection.selector_names import DEFAULT_SELECTORS, SELECTORS
from tests.cli.commands import glassrank, process

QUICK = ["--method", "information gain", "--method", "SVM weights"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("select")
    simulate = ["data", "simulate", "--queries", 12, "--documents", 10, "--seed", 2, "--quiet"]
    assert glassrank(*simulate, "sim.csv", folder=folder).code == 0
    (folder / "flat.csv").write_text("qid,label,x\n1,1,2.5\n1,1,1.5\n")
    return folder


def test_method_names_match_the_library():
    assert list(METHODS) == list(SELECTORS) == list(coupled.SELECTORS)


def test_it_prints_what_the_library_prints(folder):
    expected = rank_features(load_data(folder / "sim.csv"), n_features=4, random_state=0)
    done = glassrank("select", "sim.csv", "--n", 4, folder=folder)
    assert (done.code, done.err) == (0, "")
    assert done.out == f"{expected}\n"


def test_a_weight_column_changes_the_ranking(folder):
    lines = (folder / "sim.csv").read_text().splitlines()
    weighted = [f"{line},{'1e-6' if number % 3 else 100}" for number, line in enumerate(lines[1:])]
    (folder / "weighted.csv").write_text("\n".join([f"{lines[0]},w", *weighted]) + "\n")
    methods = ["information gain", "SVM weights"]
    expected = rank_features(load_data(folder / "weighted.csv", weight="w"), methods=methods)
    done = glassrank("select", "weighted.csv", *QUICK, "--weight-column", "w", folder=folder)
    assert (done.code, done.out) == (0, f"{expected}\n")
    plain = rank_features(load_data(folder / "sim.csv"), methods=methods)
    for method in methods:
        assert abs(expected[method].scores - plain[method].scores).max() > 0.05


def test_every_method_takes_missing_values_and_categories(folder):
    rng = np.random.default_rng(0)
    brands, worth = np.array(["Oska", "Tarn", "Veltra"]), np.array([2.0, 0.0, -2.0])
    lines = ["qid,label,brand,rating,noise,<script>"]
    for row in range(120):
        brand, rating, gone = rng.integers(3), rng.normal(), rng.random() < 0.3
        label = int(worth[brand] + (-1.5 if gone else rating) > 0)
        rating = "" if gone else rating
        lines.append(f"{row // 10},{label},{brands[brand]},{rating},{rng.normal()},{'yes' if row % 2 else 'no'}")
    (folder / "shop.csv").write_text("\n".join(lines) + "\n")
    done = glassrank("select", "shop.csv", "--n", 2, "--json", "--output", "shop.html", "-q", folder=folder)
    assert (done.code, done.err) == (0, "")
    found = json.loads(done.out)["methods"]
    assert [method["method"] for method in found] == list(DEFAULT_SELECTORS)
    for method in found:
        assert {one["feature"] for one in method["features"] if one["chosen"]} == {"brand", "rating"}, method
    assert "<script>" not in (folder / "shop.html").read_text().split("<body>")[1]


def test_json_contains_the_requested_methods(folder):
    done = glassrank("select", "sim.csv", *QUICK, "--n", 3, "--json", folder=folder)
    methods = json.loads(done.out)["methods"]
    assert [method["method"] for method in methods] == ["information gain", "SVM weights"]
    assert [sum(row["chosen"] for row in method["features"]) for method in methods] == [3, 3]


def test_it_draws_the_rankings(folder):
    done = glassrank("select", "sim.csv", *QUICK, "--output", "chart.svg", folder=folder)
    assert (done.code, done.err) == (0, "Wrote chart.svg.\n")
    assert "BM25 title" in (folder / "chart.svg").read_text()
    again = glassrank("select", "sim.csv", *QUICK, "--output", "chart.svg", folder=folder)
    assert (again.code, again.out) == (1, "")
    forced = glassrank("select", "sim.csv", *QUICK, "--output", "chart.svg", "--force", "-q", folder=folder)
    assert (forced.code, forced.err) == (0, "")


@pytest.mark.parametrize(
    "arguments",
    [["--method", "chi2"], ["--n", "0"], ["--output", "chart.docx"], ["--seed", "-1"]],
    ids=["method", "number", "picture", "seed"],
)
def test_bad_usage_ends_with_2(arguments, folder):
    done = glassrank("select", "sim.csv", *arguments, folder=folder)
    assert (done.code, done.out) == (2, "")
    assert "Usage: glassrank select" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.csv"], "nowhere.csv"),
        (["sim.csv", "--n", 99], "--n must be at most 18"),
        (["flat.csv"], "two different labels"),
    ],
    ids=["no file", "too many", "one label"],
)
def test_bad_data_end_with_1_and_one_line(arguments, message, folder):
    done = glassrank("select", *arguments, folder=folder)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("Error: ")
    assert done.err.count("\n") == 1
    assert message in done.err


def test_it_runs_as_a_process(folder):
    done = process("select", "sim.csv", *QUICK, "--json", folder=folder)
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out)["n_queries"] == 12
