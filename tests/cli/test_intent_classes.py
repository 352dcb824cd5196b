"""``glassrank intent`` with three known intents of a simulated log, from training to explanations."""

import json

import pytest
from sklearn.metrics import confusion_matrix, f1_score

from glassrank.navigational.statistics_folder import save_intent_statistics
from glassrank.studies.intent.simulated_intents import simulate_intents
from tests.cli.commands import glassrank

CLASSES = ["address", "informational", "navigational"]
QUICK = ["--n-features", 10, "--folds", 3, "--jobs", 1, "--selector", "SVM weights", "--classifier", "maximum entropy"]
RESULTS = ["--results", "results.csv"]
COLUMNS = [part for name in ("score", "snippet", "engine") for part in ("--result-column", f"{name}=")]


def known_classes(log):
    """What the simulated users want: a site by its address, a site by its name, or pages about a topic."""
    site = {True: "navigational", False: "informational"}
    return {
        query_id: "address" if spelling in ("domain", "host") else site[bool(intent)]
        for query_id, intent, spelling in zip(log.truth.ids, log.intents.tolist(), log.truth.spellings, strict=True)
    }


@pytest.fixture(scope="module")
def log():
    return simulate_intents("small")


@pytest.fixture(scope="module")
def folder(log, tmp_path_factory):
    """The files of a user, whose labels differ in case and white space."""
    folder = tmp_path_factory.mktemp("classes")
    log.results.to_frame("pandas").to_csv(folder / "results.csv", index=False)
    spelt = {"address": " Address ", "navigational": "1", "informational": "INFORMATIONAL"}
    lines = [f"{query_id},{spelt[name]}" for query_id, name in known_classes(log).items()]
    (folder / "intents.csv").write_text("\n".join(["query_id,label", *lines]) + "\n")
    save_intent_statistics(folder / "statistics", log.log)
    return folder


@pytest.fixture(scope="module")
def trained(folder):
    options = [*RESULTS, *COLUMNS, "--intents", "intents.csv", *QUICK, "--nested"]
    return glassrank("intent", "train", "model.json", *options, folder=folder)


@pytest.fixture(scope="module")
def predicted(trained, folder):
    return glassrank("intent", "predict", "model.json", *RESULTS, *COLUMNS, "--json", "-q", folder=folder)


def test_training_describes_the_model_of_each_class(trained):
    assert trained.code == 0, trained.err
    assert "3 classes: 8 address, 82 informational, 10 navigational." in trained.err
    heads = [line for line in trained.out.splitlines() if line.endswith("against all others:")]
    assert heads == [f"{name} against all others:" for name in CLASSES]
    assert trained.out.count("SVM weights with maximum entropy, 10 features") == 3
    assert "macro-F1 with the choice inside each fold: 0." in trained.out


def test_predictions_have_a_probability_for_each_class(predicted, log):
    rows = [json.loads(line) for line in predicted.out.splitlines()]
    truth = known_classes(log)
    assert [list(row["probabilities"]) for row in rows] == [CLASSES] * 100
    assert [sum(row["probabilities"].values()) for row in rows] == pytest.approx([1.0] * 100)
    right = [row["label"] == truth[row["query_id"]] for row in rows]
    # Predicting the most frequent class would be right for 82.
    assert sum(right) > 82
    assert {row["label"] for row in rows} == set(CLASSES)


def test_a_line_has_a_column_for_each_class(predicted, folder):
    found = glassrank("intent", "predict", "model.json", *RESULTS, *COLUMNS, folder=folder)
    assert "Columns: query_id, label, P(address), P(informational), P(navigational), query." in found.err
    first, expected = found.out.splitlines()[0].split("\t"), json.loads(predicted.out.splitlines()[0])
    shares = [f"{share:.4f}" for share in expected["probabilities"].values()]
    assert first == [expected["query_id"], expected["label"], *shares, expected["query"]]


def test_the_class_to_explain_can_be_chosen(trained, predicted, folder):
    row = next(row for row in map(json.loads, predicted.out.splitlines()) if row["label"] == "address")
    options = ["explain", "model.json", *RESULTS, *COLUMNS, "--query", row["query_id"], "-q"]
    own = json.loads(glassrank("intent", *options, "--json", folder=folder).out)
    assert (own["called"], own["outcome"]) == ("address", "address")
    other = json.loads(glassrank("intent", *options, "--json", "--class", "Informational", folder=folder).out)
    assert (other["called"], other["outcome"]) == ("address", "informational")
    assert other["probability"] == pytest.approx(row["probabilities"]["informational"])
    assert "against all others" in glassrank("intent", *options, folder=folder).out
    refused = glassrank("intent", *options, "--class", "commercial", folder=folder)
    assert (refused.code, refused.out) == (1, "")
    assert refused.err == (
        "Error: --class must be one of the classes address, informational, navigational: got 'commercial'.\n"
    )


def test_the_service_answers_with_all_probabilities(trained, predicted, folder):
    from glassrank.navigational.statistics_folder import load_intent_statistics
    from glassrank.studies.intent.model import IntentModel
    from glassrank.studies.intent.service import IntentService

    service = IntentService(IntentModel.load(folder / "model.json"), load_intent_statistics(folder / "statistics"))
    (line,) = service.answer_lines([b'{"query": "zen.org", "results": ["http://zen.org/", "http://a.org/b"]}'])
    answer = json.loads(line)
    assert list(answer["probabilities"]) == CLASSES
    assert len(answer["features"]) == 3
    assert "probability" not in answer


@pytest.fixture(scope="module")
def merged(folder):
    options = [*RESULTS, *COLUMNS, "--intents", "intents.csv", "--label-map", "address=navigational", *QUICK]
    return glassrank("intent", "train", "two.json", *options, "--json", "-q", folder=folder)


def test_a_map_merges_three_classes_into_two(merged):
    found = json.loads(merged.out)
    assert "classes" not in found
    assert found["coupling"] == "SVM weights with maximum entropy, 10 features"


def test_a_model_of_three_classes_ranks_no_documents(trained, merged, folder):
    """The documents have all features of both models, and only the model of two classes scores them."""
    names = json.loads((folder / "model.json").read_text())["feature_names"]
    rows = [["qid", *names], ["1", *["0.5"] * len(names)], ["1", *["0.25"] * len(names)]]
    (folder / "documents.csv").write_text("".join(",".join(row) + "\n" for row in rows))
    ranked = glassrank("rank", "two.json", "documents.csv", folder=folder)
    assert (ranked.code, len(ranked.out.splitlines())) == (0, 2)
    refused = glassrank("rank", "model.json", "documents.csv", folder=folder)
    assert (refused.code, refused.out) == (1, "")
    assert refused.err.startswith("Error: documents.csv: The model has 3 classes and no single score: expected a model")


@pytest.mark.parametrize(
    ("labels", "options", "said"),
    [
        (
            {"1": "navigatonal"},
            [],
            "3 folds need 3 queries of each class: 'navigatonal' has 1. Correct the label if it is misspelt, merge the "
            "class with another with --label-map, or lower --folds",
        ),
        ({"1": "2"}, [], "expected 1 (navigational), 0 (informational) or the name of a class: got '2'"),
        ({"1": ""}, [], "labels.csv:2: expected a query_id and a label"),
        ({"1": "buy", "0": "buy"}, [], "labels.csv:2: expected navigational (1) and informational (0), or more than"),
        ({"1": "0"}, [], "needs queries of both kinds"),
        ({}, ["--label-map", "buy=2"], "--label-map must be labels mapped to the name of a class: got '2'"),
        ({}, ["--label-map", "buy=shop"], "there is no label 'buy' to map"),
        ({"1": "buy"}, ["--precision", "0.9"], "--precision is for two classes"),
    ],
    ids=["typo", "number", "missing", "two others", "one class", "map to a number", "no such label", "precision"],
)
def test_bad_labels_are_refused_with_the_remedy(labels, options, said, log, folder):
    """The first six labels are 1 and the others 0, changed as the case says: a typo only once."""
    names = ["1"] * 6 + ["0"] * 94
    changed = [labels.get(name, name) for name in names]
    if "navigatonal" in changed:
        changed[1:6] = ["1"] * 5
    if "--precision" in options:
        changed[6:12] = ["1"] * 6
    lines = [f"{query_id},{label}" for query_id, label in zip(log.truth.ids, changed, strict=True)]
    (folder / "labels.csv").write_text("\n".join(["query_id,label", *lines]) + "\n")
    found = glassrank(
        "intent", "train", "bad.json", *RESULTS, "--intents", "labels.csv", *QUICK, *options, folder=folder
    )
    assert (found.code, found.out) == (1, "")
    assert said in found.err


@pytest.fixture(scope="module")
def studied(folder):
    return glassrank("intent", "study", *RESULTS, "--intents", "intents.csv", *QUICK, "--folder", "out", folder=folder)


def test_a_study_of_three_classes_reports_macro_f1_beside_baselines(studied, folder, log):
    assert studied.code == 0, studied.err
    assert {path.name for path in (folder / "out").iterdir()} == {
        *("report.html", "result.json", "classes.csv", "steps", "study.json"),
    }
    assert "with every choice made without them. The best baseline, " in studied.out
    result = json.loads((folder / "out" / "result.json").read_text())
    truth = known_classes(log)
    assert {one["query_id"]: one["label"] for one in result["queries"]} == truth
    labels, predicted = zip(*((one["label"], one["predicted"]) for one in result["queries"]), strict=True)
    own, *baselines = result["systems"]
    assert own["macro_f1"] == pytest.approx(f1_score(labels, predicted, average="macro"))
    assert own["confusion"] == confusion_matrix(labels, predicted).tolist()
    assert [one["name"] for one in baselines][:2] == ["most frequent class", "best single column"]
    # Always informational: F1 = 2 · 82/(100 + 82) for one of three classes.
    assert baselines[0]["macro_f1"] == pytest.approx(2 * 82 / 182 / 3)
    page = (folder / "out" / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 2
    assert "81" in page or "82" in page


def test_an_interrupted_study_of_three_classes_resumes(studied, folder):
    (folder / "out" / "steps" / "classes-fold-3.json").unlink()
    options = [*RESULTS, "--intents", "intents.csv", *QUICK, "--folder", "out"]
    again = glassrank("intent", "study", *options, folder=folder)
    assert again.out == studied.out
    assert again.err.count("reused from an earlier run") == 3
    with open(folder / "out" / "classes.csv") as file:
        assert file.readline() == "system,class,precision,recall,f1\n"


@pytest.mark.parametrize("option", ["--time-split", "--no-curve"])
def test_options_of_the_coupling_are_for_two_classes(option, folder):
    options = [*RESULTS, "--intents", "intents.csv", *QUICK, option, "--folder", "coupled"]
    refused = glassrank("intent", "study", *options, "-q", folder=folder)
    assert (refused.code, refused.out) == (1, "")
    assert f"{option} is for two classes: got address, informational, navigational." in refused.err
    assert "--label-map" in refused.err
    assert not (folder / "coupled").exists()


def test_a_study_needs_six_queries_of_each_class(folder, log):
    lines = [f"{query_id},{('a', 'b', 'c')[k % 3] if k < 9 else 'a'}" for k, query_id in enumerate(log.truth.ids)]
    (folder / "rare.csv").write_text("\n".join(["query_id,label", *lines]) + "\n")
    refused = glassrank("intent", "study", *RESULTS, "--intents", "rare.csv", *QUICK, "-q", folder=folder)
    assert (refused.code, refused.out) == (1, "")
    assert "3 folds need 6 queries of each class: 'b' has 3." in refused.err
