"""``glassrank select``: rankings of features in text, JSON and pictures, and what it refuses."""

import json

import numpy as np
import pytest

from glassrank.cli import select
from glassrank.core.additive.effects import LENGTHS
from glassrank.data.load_data import load_data
from glassrank.navigational.coupling import selectors as coupled
from glassrank.nomograms.elimination.nomogram_rfe import FOLD_UNITS, NomogramRFE
from glassrank.ranking.additive_svc import AdditiveSVC
from glassrank.ranking.pairwise import PairwiseRanker
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


@pytest.fixture(scope="module")
def classes(tmp_path_factory):
    """Two classes that depend on a, and in a curve on b; queries are useless and each row has its own."""
    folder = tmp_path_factory.mktemp("classes")
    rng = np.random.default_rng(4)
    X = rng.normal(size=(90, 3))
    y = (X[:, 0] + 2 * (np.abs(X[:, 1]) < 0.7) - 1 > 0).astype(int)
    rows = [",".join([str(row), str(y[row]), *map(repr, X[row].tolist())]) for row in range(90)]
    (folder / "classes.csv").write_text("\n".join(["qid,label,a,b,noise", *rows]) + "\n")
    return folder


def test_a_classifier_is_eliminated_over_stratified_folds(classes):
    done = glassrank("select", "classes.csv", "--model", "additive-svc", "--json", folder=classes)
    assert (done.code, done.err) == (0, "")
    found = json.loads(done.out)
    assert (found["n_rows"], found["classes"]) == (90, ["0", "1"])
    assert [one["method"] for one in found["methods"]] == list(DEFAULT_SELECTORS)
    data = load_data(classes / "classes.csv")
    own = NomogramRFE(AdditiveSVC(cv=None), scoring="accuracy", random_state=0)
    own.fit(data.X / data.X.std(axis=0), data.y.astype(int))
    (nomogram,) = [one for one in found["methods"] if one["method"] == "nomogram"]
    chosen = {one["feature"] for one in nomogram["features"] if one["chosen"]}
    assert chosen == {data.feature_names[k] for k in np.flatnonzero(own.support_)}
    (gain,) = [one for one in found["methods"] if one["method"] == "information gain"]
    assert gain["measure"] == "bits about the class"


def test_curves_find_what_lines_do_not(classes):
    places = {}
    for kernel in ("linear", "lrbf"):
        arguments = [
            "--model",
            "additive-svc",
            "--kernel",
            kernel,
            "--measure",
            "auc",
            "--method",
            "nomogram",
            "--json",
        ]
        done = glassrank("select", "classes.csv", *arguments, "--json", folder=classes)
        assert done.code == 0, done.err
        features = json.loads(done.out)["methods"][0]["features"]
        places[kernel] = {one["feature"]: one["place"] for one in features}
    assert places["linear"]["b"] > 1
    assert places["lrbf"]["b"] == 1
    drawn = glassrank(
        *("select", "classes.csv", "--model", "additive-svc", "--method", "nomogram", "--output", "c.svg", "-q"),
        folder=classes,
    )
    assert (drawn.code, drawn.err) == (0, "")
    assert "noise" in (classes / "c.svg").read_text()


def test_the_published_elimination_is_a_matter_of_options(folder):
    machine = ["--model", "pairwise-additive-svc", "--mode", "difference", "--C", 2, "--loss", "hinge"]
    folds = ["--fold-unit", "pair", "--length", "pair-difference"]
    few = ["--feature", "BM25 title", "--feature", "Freshness", "--feature", "Noise 1"]
    done = glassrank("select", "sim.csv", "--method", "nomogram", *machine, *folds, *few, "--json", folder=folder)
    assert done.code == 0, done.err
    ranker = PairwiseRanker(AdditiveSVC(2.0, loss="hinge", random_state=0), mode="difference")
    data = load_data(folder / "sim.csv", features=["BM25 title", "Freshness", "Noise 1"])
    options = {"estimator": ranker, "fold_unit": "pair", "length": "pair-difference", "random_state": 0}
    expected = rank_features(data, methods=["nomogram"], **options)
    assert json.loads(done.out) == json.loads(expected.to_json())


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--model", "additive-svc"], 1, "A classifier needs labels of two classes: got 5"),
        (["--model", "additive-svc", "--mode", "difference"], 2, "--mode is not an option of additive-svc"),
        (["--gamma", 1], 2, "--gamma has no effect without --kernel lrbf"),
        (["--method", "SVM weights", "--length", "global"], 2, "--length has no effect without --method nomogram"),
        (["--method", "nomogram", "--measure", "accuracy"], 1, "--measure must measure rankings for a ranker"),
        (["--method", "nomogram", "--fold-unit", "pair", "--measure", "map"], 1, "--fold-unit pair only reproduces"),
    ],
)
def test_useless_options_are_refused(folder, arguments, code, message):
    done = glassrank("select", "sim.csv", *arguments, folder=folder)
    assert done.code == code, done.err
    assert message in done.err


def test_choices_are_those_of_the_library():
    assert set(select.LENGTHS) == set(LENGTHS)
    assert select.FOLD_UNITS == FOLD_UNITS
