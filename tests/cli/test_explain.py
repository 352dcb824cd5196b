"""``glassrank explain``: text, JSON and pictures of a pair, and what it refuses."""

import json
import math

import pytest

from glassrank.data.load_data import load_data
from glassrank.modelfile.save_model import save_model
from glassrank.nomograms.bootstrap_effects import bootstrap_effects
from glassrank.nomograms.document_explanation import explain_document
from glassrank.nomograms.explanation import explain_pair
from glassrank.ranking.additive_svc import AdditiveSVC
from glassrank.ranking.calibration import PairCalibrator
from glassrank.ranking.rank_svm import RankSVM
from tests.cli.commands import glassrank

PAIR = ["--query", "q03", "--document", "d027", "--against", "d025"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Simulated data, with and without names of features and documents, and models of them."""
    folder = tmp_path_factory.mktemp("explain")
    simulate = ["data", "simulate", "--queries", 12, "--documents", 10, "--seed", 2, "--quiet"]
    assert glassrank(*simulate, "sim.csv", folder=folder).code == 0
    data = load_data(folder / "sim.csv")
    plain = RankSVM().fit(data.X, data.y, qid=data.qid)
    save_model(plain, folder / "plain.json", feature_names=data.feature_names)
    sure = PairCalibrator(RankSVM(), random_state=0).fit(data.X, data.y, qid=data.qid)
    save_model(sure, folder / "sure.json", feature_names=data.feature_names)
    (folder / "unnamed.csv").write_text("qid,label,x,y\n1,1,2.5,30\n1,0,1.5,10\n2,0,0.5,20\n2,1,1.5,20\n")
    unnamed = load_data(folder / "unnamed.csv")
    small = RankSVM().fit(unnamed.X, unnamed.y, qid=unnamed.qid)
    save_model(small, folder / "small.json", feature_names=["x", "y"])
    return folder


def test_it_prints_what_the_library_prints(folder):
    data = load_data(folder / "sim.csv")
    model = RankSVM().fit(data.X, data.y, qid=data.qid)
    expected = explain_pair(model, data, query="q03", document="d027", against="d025")
    done = glassrank("explain", "plain.json", "sim.csv", *PAIR, folder=folder)
    assert (done.code, done.err) == (0, "")
    assert done.out == f"{expected}\n"
    assert "PairCalibrator" in done.out


def test_a_calibrated_model_prints_the_probability(folder):
    data = load_data(folder / "sim.csv")
    model = PairCalibrator(RankSVM(), random_state=0).fit(data.X, data.y, qid=data.qid)
    a, b = (data.X[[data.row_of("q03", name)]] for name in ("d027", "d025"))
    done = glassrank("explain", "sure.json", "sim.csv", *PAIR, "--json", folder=folder)
    assert json.loads(done.out)["probability"] == pytest.approx(float(model.predict_pair_proba(a, b)[0]), rel=1e-9)


def test_training_data_add_intervals(folder):
    data = load_data(folder / "sim.csv")
    model = PairCalibrator(RankSVM(), random_state=0).fit(data.X, data.y, qid=data.qid)
    samples = bootstrap_effects(model, data.X, data.y, data.qid, n_resamples=5, random_state=0)
    a, b = (data.X[[data.row_of("q03", name)]] for name in ("d027", "d025"))
    low, high = (float(end[0]) for end in samples.interval(a, b))
    more = ["--train", "sim.csv", "--resamples", 5, "--json"]
    message = json.loads(glassrank("explain", "sure.json", "sim.csv", *PAIR, *more, folder=folder).out)
    assert message["interval"] == pytest.approx([low, high], rel=1e-9)
    assert message["probability_interval"] == pytest.approx([1 / (1 + math.exp(-low)), 1 / (1 + math.exp(-high))])


def test_weights_of_the_training_data_affect_the_intervals(folder):
    lines = (folder / "sim.csv").read_text().splitlines()
    weighted = [f"{line},{1 + number % 3}" for number, line in enumerate(lines[1:])]
    (folder / "weighted.csv").write_text("\n".join([f"{lines[0]},w", *weighted]) + "\n")
    data = load_data(folder / "weighted.csv", weight="w")
    model = PairCalibrator(RankSVM(), random_state=0).fit(data.X, data.y, qid=data.qid)
    samples = bootstrap_effects(model, data.X, data.y, data.qid, data.weights, n_resamples=5, random_state=0)
    a, b = (data.X[[data.row_of("q03", name)]] for name in ("d027", "d025"))
    low, high = (float(end[0]) for end in samples.interval(a, b))
    more = ["--train", "weighted.csv", "--weight-column", "w", "--resamples", 5, "--json", "-q"]
    message = json.loads(glassrank("explain", "sure.json", "weighted.csv", *PAIR, *more, folder=folder).out)
    assert message["interval"] == pytest.approx([low, high], rel=1e-9)


def test_one_document_is_explained_as_the_library_does(folder):
    data = load_data(folder / "sim.csv")
    model = PairCalibrator(RankSVM(), random_state=0).fit(data.X, data.y, qid=data.qid)
    expected = explain_document(model, data, query="q03", document="d027")
    done = glassrank("explain", "sure.json", "sim.csv", *PAIR[:4], "--output", "one.svg", folder=folder)
    assert (done.code, done.err, done.out) == (0, "Wrote one.svg.\n", f"{expected}\n")
    assert "Reference: " in (folder / "one.svg").read_text()
    short = glassrank("explain", "sure.json", "sim.csv", *PAIR[:4], "--top", 2, folder=folder)
    assert short.out.count("│") == 2
    more = ["--train", "sim.csv", "--resamples", 4, "--json"]
    message = json.loads(glassrank("explain", "sure.json", "sim.csv", *PAIR[:4], *more, folder=folder).out)
    assert message["interval"][0] <= message["interval"][1]
    assert all(row["error"] >= 0 for row in message["features"])


def test_a_classifier_explains_one_document_and_compares_none(folder):
    data = load_data(folder / "sim.csv")
    model = AdditiveSVC(C=1e-3, random_state=0).fit(data.X, data.y > 1)
    save_model(model, folder / "class.json", feature_names=data.feature_names)
    done = glassrank("explain", "class.json", "sim.csv", *PAIR[:4], "--json", folder=folder)
    message, row = json.loads(done.out), data.X[[data.row_of("q03", "d027")]]
    assert (message["reference"], message["outcome"]) == (None, "True")
    assert message["total"] == pytest.approx(float(model.decision_function(row)[0]), abs=1e-9)
    assert message["probability"] == pytest.approx(float(model.predict_proba(row)[0, 1]), abs=1e-9)
    drawn = glassrank("explain", "class.json", "sim.csv", *PAIR[:4], "--output", "class.svg", folder=folder)
    assert "P(True) = " in drawn.out
    largest = max(message["features"], key=lambda feature: abs(feature["contribution"]))
    assert largest["feature"] in (folder / "class.svg").read_text()
    pair = glassrank("explain", "class.json", "sim.csv", *PAIR, folder=folder)
    assert (pair.code, pair.out) == (1, "")
    assert "Only a ranker compares two documents" in pair.err
    assert "leave out --against" in pair.err


def test_json_contains_every_feature(folder):
    done = glassrank("explain", "plain.json", "sim.csv", *PAIR, "--json", folder=folder)
    message = json.loads(done.out)
    assert (message["query"], message["a"]["name"], message["b"]["name"]) == ("q03", "d027", "d025")
    assert sum(row["contribution"] for row in message["features"]) == pytest.approx(message["total"], rel=1e-9)
    assert {row["feature"] for row in message["features"]} == set(load_data(folder / "sim.csv").feature_names)


def test_top_limits_the_table(folder):
    done = glassrank("explain", "plain.json", "sim.csv", *PAIR, "--top", 3, folder=folder)
    assert done.out.count("│") == 3
    assert "more features" in done.out


def test_documents_without_identifiers_are_numbered_from_0(folder):
    places = ["--query", "2", "--document", "1", "--against", "0"]
    done = glassrank("explain", "small.json", "unnamed.csv", *places, "--json", folder=folder)
    assert done.code == 0, done.err
    message = json.loads(done.out)
    assert (message["a"]["label"], message["b"]["label"]) == (1.0, 0.0)


def test_it_draws_the_pair(folder):
    done = glassrank("explain", "plain.json", "sim.csv", *PAIR, "--output", "why.svg", folder=folder)
    assert done.code == 0, done.err
    assert done.err == "Wrote why.svg.\n"
    assert "d027" in (folder / "why.svg").read_text()
    again = glassrank("explain", "plain.json", "sim.csv", *PAIR, "--output", "why.svg", folder=folder)
    assert (again.code, again.out) == (1, "")
    assert "overwrite it with --force" in again.err
    forced = glassrank("explain", "plain.json", "sim.csv", *PAIR, "--output", "why.svg", "--force", "-q", folder=folder)
    assert (forced.code, forced.err) == (0, "")


@pytest.mark.parametrize(
    "arguments",
    [
        [*PAIR[:2]],
        [*PAIR, "--output", "why.docx"],
        [*PAIR, "--json", "--top", "3"],
        [*PAIR, "--top", "0"],
        [*PAIR, "--weight-column", "w"],
    ],
    ids=["no document", "unknown picture", "top of json", "no features", "weights of no fit"],
)
def test_bad_usage_ends_with_2(arguments, folder):
    done = glassrank("explain", "plain.json", "sim.csv", *arguments, folder=folder)
    assert (done.code, done.out) == (2, "")
    assert "Usage: glassrank explain" in done.err


@pytest.mark.parametrize(
    ("model", "data", "pair", "message"),
    [
        ("plain.json", "sim.csv", ["q99", "d027", "d025"], "There is no query q99"),
        ("plain.json", "sim.csv", ["q03", "d999", "d025"], "must have one document 'd999'"),
        ("plain.json", "sim.csv", ["q03", "d027", "d027"], "must differ"),
        ("nowhere.json", "sim.csv", ["q03", "d027", "d025"], "nowhere.json"),
        ("small.json", "sim.csv", ["q03", "d027", "d025"], "must contain the model"),
        ("small.json", "unnamed.csv", ["1", "first", "0"], "--document must be a position in the query's list"),
    ],
    ids=["query", "document", "same document", "no model", "other features", "no names"],
)
def test_bad_data_end_with_1_and_one_line(model, data, pair, message, folder):
    query, a, b = pair
    done = glassrank("explain", model, data, "--query", query, "--document", a, "--against", b, folder=folder)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("Error: ")
    assert done.err.count("\n") == 1
    assert message in done.err


def test_a_missing_value_in_another_query_does_not_matter(folder):
    (folder / "gap.csv").write_text("qid,label,x,y\n1,1,2.5,30\n1,0,1.5,10\n2,0,0.5,20\n2,1,,20\n")
    pair = ["--document", "0", "--against", "1"]
    found = glassrank("explain", "small.json", "gap.csv", "--query", "1", *pair, "--output", "gap.svg", folder=folder)
    expected = glassrank("explain", "small.json", "unnamed.csv", "--query", "1", *pair, "--json", folder=folder)
    again = glassrank("explain", "small.json", "gap.csv", "--query", "1", *pair, "--json", "-q", folder=folder)
    note = "gap.csv: 1 row has a missing value that the model cannot score; those of other queries are left out."
    assert (found.code, found.err) == (0, f"{note}\nWrote gap.svg.\n")
    assert (again.code, again.err) == (0, "")
    assert json.loads(again.out)["total"] == json.loads(expected.out)["total"]
    refused = glassrank("explain", "small.json", "gap.csv", "--query", "2", *pair, "-q", folder=folder)
    assert (refused.code, refused.out) == (1, "")
    assert "Feature 'x' has 1 missing value, the first in row 3, but had none in training." in refused.err


def test_features_that_move_together_are_added_up_unless_told_otherwise(folder):
    named = ["--group", "text=BM25 title", "--group", "text=BM25 body"]
    for options, expected in (([], None), (["--groups", "none"], []), (named, [("text", ["BM25 title", "BM25 body"])])):
        found = json.loads(glassrank("explain", "plain.json", "sim.csv", *PAIR, *options, "--json", folder=folder).out)
        groups = [(one["group"], one["members"]) for one in found["groups"]]
        assert groups == expected or (
            expected is None and ("URL length + URL depth", ["URL length", "URL depth"]) in groups
        )
        amounts = {one["feature"]: one["contribution"] for one in found["features"]}
        for one in found["groups"]:
            assert one["contribution"] == pytest.approx(sum(amounts[name] for name in one["members"]), abs=1e-12)


@pytest.mark.parametrize(
    ("group", "words"),
    [("text", "--group must be NAME=FEATURE"), ("text=BM25 title", "at least two features"), ("a=b", "no feature 'b'")],
)
def test_a_wrong_group_is_refused(folder, group, words):
    done = glassrank("explain", "plain.json", "sim.csv", *PAIR, "--group", group, folder=folder)
    assert done.code in (1, 2)
    assert words in done.err
    assert "Traceback" not in done.err


def test_groups_of_ones_own_exclude_the_search_for_groups(folder):
    both = ["--groups", "none", "--group", "text=BM25 title", "--group", "text=BM25 body"]
    done = glassrank("explain", "plain.json", "sim.csv", *PAIR, *both, folder=folder)
    assert done.code == 2
    assert "--group names groups of your own: leave out --groups." in done.err
