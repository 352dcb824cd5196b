"""``glassrank intent``: its lists, its files, its output, and what it refuses."""

import csv
import json
import shlex
import subprocess
from pathlib import Path

import pytest

from glassrank.cli.queries import intent_labels
from glassrank.cli.queries.intent_sources import CLASSIFIERS, SIZES, URLMR
from glassrank.cli.queries.log_options import ACTIONS, SCHEMAS, TIME_FORMATS
from glassrank.data import query_log
from glassrank.data.judgements import url_judgements
from glassrank.data.logs import time_formats
from glassrank.data.logs.schemas import LOG_SCHEMAS
from glassrank.modelfile.load_model import load_model, load_scorer
from glassrank.modelfile.save_model import save_model
from glassrank.navigational import feature_settings
from glassrank.navigational.coupling import classifiers
from glassrank.navigational.feature import CATEGORIES
from glassrank.navigational.integrate import integrate
from glassrank.navigational.preparation import MARK
from glassrank.navigational.query_url_features import query_url_features
from glassrank.studies.intent.intents import load_intents
from glassrank.studies.intent.simulated_intents import SIZES as SIMULATED
from glassrank.studies.intent.simulated_intents import known_intents, simulate_intents
from tests.cli.commands import glassrank
from tests.house.repository import BIN, clean_environment

QUICK = ["--n-features", 10, "--folds", 3, "--jobs", 1, "--selector", "SVM weights", "--classifier", "maximum entropy"]
FILES = ["--results", "results.csv", "--clicks", "log.csv", "--links", "links.csv", "--pages", "pages.csv"]
LABELLED = [*FILES, "--intents", "intents.csv", "--language", "en"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files of a user."""
    folder = tmp_path_factory.mktemp("intent")
    log = simulate_intents("small")
    web = log.web.collection
    tables = {"results": log.results, "log": log.log, "links": web.links, "pages": web.pages}
    for name, table in tables.items():
        frame = table.to_frame("pandas")
        flags = dict.fromkeys(frame.select_dtypes("bool"), int)
        frame.astype(flags).to_csv(folder / f"{name}.csv", index=False)
    lines = [f"{query_id},{label}" for query_id, label in known_intents(log).items()]
    (folder / "intents.csv").write_text("\n".join(["query_id,label", *lines]) + "\n")
    log.judgements().to_frame("pandas").to_csv(folder / "judgements.csv", index=False)
    three = [f"{line},".replace(",0,", ",transactional,").rstrip(",") for line in lines]
    (folder / "three.csv").write_text("\n".join(["query_id,label", *three]) + "\n")
    (folder / "bad.csv").write_text("query_id,label\nq1,perhaps\n")
    integrate(query_url_features(log.results)).to_frame("pandas").to_csv(folder / "features.csv", index=False)
    return folder


@pytest.fixture(scope="module")
def done(folder):
    return glassrank("intent", "study", *LABELLED, *QUICK, "--no-curve", "--folder", "out", folder=folder)


@pytest.fixture(scope="module")
def trained(folder):
    return glassrank("intent", "train", "model.json", *LABELLED, *QUICK, folder=folder)


@pytest.fixture(scope="module")
def small_model(folder):
    """A model that uses only addresses and queries."""
    options = ["--results", "results.csv", "--intents", "intents.csv", *QUICK]
    return glassrank("intent", "train", "small.json", *options, "--json", folder=folder)


@pytest.fixture(scope="module")
def plain_model(folder):
    """A model without scores, trained on labels of another name."""
    labels = ["--intents", "three.csv", "--label-map", "transactional=informational"]
    return glassrank(
        *("intent", "train", "plain.json", "--results", "results.csv", "--result-column", "score=", *labels, *QUICK),
        *("--result-column", "snippet=", "--result-column", "engine="),
        folder=folder,
    )


@pytest.fixture(scope="module")
def predicted(trained, folder):
    return glassrank("intent", "predict", "model.json", *FILES, folder=folder)


@pytest.fixture(scope="module")
def statistics(folder):
    options = ["--links", "links.csv", "--pages", "pages.csv", "-o", "statistics"]
    return glassrank("intent", "statistics", "log.csv", *options, folder=folder)


@pytest.fixture(scope="module")
def small_predictions(small_model, folder):
    return glassrank("intent", "predict", "small.json", "--results", "results.csv", "--json", "-q", folder=folder)


def test_choices_match_the_library():
    assert set(SCHEMAS) == set(LOG_SCHEMAS)
    assert (TIME_FORMATS, ACTIONS) == (time_formats.TIME_FORMATS, query_log.ACTIONS)
    assert list(CLASSIFIERS) == list(classifiers.CLASSIFIERS)
    assert list(SIZES) == list(SIMULATED)
    assert tuple(url_judgements.SITES) == intent_labels.SITES
    assert intent_labels.CONFLICTS == url_judgements.RULES
    assert URLMR == feature_settings.URLMR


def test_features_lists_all_197_in_four_categories(folder):
    found = glassrank("intent", "features", "--json", folder=folder)
    listed = json.loads(found.out)
    counts = [sum(one["category"] == category for one in listed) for category in CATEGORIES]
    assert counts == [29, 24, 63, 81]  # the counts of the paper's table of sources
    assert all(one["formula"] and one["needs"] for one in listed)
    assert len({one["name"] for one in listed}) == 197


def test_features_of_one_category_are_listed_in_a_table(folder):
    lines = glassrank("intent", "features", "--category", "url", folder=folder).out.splitlines()
    assert lines[0].split() == ["name", "category", "needs", "formula"]
    assert len(lines) == 25
    assert lines[1].startswith("urlmr ")


def test_a_study_of_files_writes_its_report_and_prints_the_tables(done, folder):
    assert done.code == 0
    assert {path.name for path in (folder / "out").iterdir()} == {
        *("report.html", "result.json", "coupling.csv", "steps", "study.json"),
    }
    for table in ("Table 1", "Table 2", "Table 3", "Table 4"):
        assert table in done.out
    assert done.out.rstrip().endswith(f"Report: {Path('out', 'report.html')}")
    assert "results.csv: results, 6,000 rows → 100 queries, 6,000 results" in done.err
    assert "imulated" not in done.out


def test_the_command_in_the_report_reproduces_the_study(done, folder):
    page = (folder / "out" / "report.html").read_text(encoding="utf-8")
    words = shlex.split(page.split("<pre>$ ")[1].split("</pre>")[0].replace("&#x27;", "'"))
    assert words[:3] == ["glassrank", "intent", "study"]
    before = json.loads((folder / "out" / "result.json").read_text())
    again = glassrank(*words[1:], "--json", "-q", folder=folder)
    assert (again.code, again.err) == (0, "")
    assert json.loads(again.out)["coupling"] == before["coupling"]


def test_a_simulated_log_needs_no_data_and_is_labelled_simulated(done, folder):
    found = glassrank(
        "intent", "study", "--size", "small", *QUICK, "--no-curve", "--folder", "demo", "--json", folder=folder
    )
    assert found.code == 0
    assert "Simulated search log (seed 0), not measured on any search engine" in found.err
    result = json.loads(found.out)
    assert result["simulated"]
    # The files contain the same log.
    before = json.loads((folder / "out" / "result.json").read_text())["coupling"]
    assert result["coupling"]["coupled"][0]["f1"] == pytest.approx(before["coupled"][0]["f1"])


def test_training_writes_a_model_and_describes_it(trained, folder):
    assert trained.code == 0
    assert trained.out.startswith("SVM weights with maximum entropy, 10 features\ntuned: C = ")
    assert "Wrote model.json." in trained.err
    assert json.loads((folder / "model.json").read_text())["format"] == "glassrank model"
    refused = glassrank("intent", "train", "model.json", *LABELLED, *QUICK, folder=folder)
    assert (refused.code, refused.out) == (1, "")
    assert "model.json already exists" in refused.err


def test_predictions_from_statistics_are_those_from_the_log(predicted, statistics, folder):
    assert (statistics.code, statistics.err.splitlines()[-1]) == (0, "Wrote statistics.")
    options = ["--results", "results.csv", "--statistics", "statistics"]
    found = glassrank("intent", "predict", "model.json", *options, folder=folder)
    assert (found.code, found.out) == (0, predicted.out)
    assert "Warning" not in found.err


def test_a_log_of_another_size_and_period_causes_a_warning_even_if_quiet(trained, folder):
    lines = (folder / "log.csv").read_text().splitlines(keepends=True)
    (folder / "short.csv").write_text("".join(lines[: len(lines) // 3]))
    files = [name.replace("log.csv", "short.csv") for name in FILES]
    found = glassrank("intent", "predict", "model.json", *files, "-q", folder=folder)
    assert found.code == 0
    assert found.err.startswith("Warning: the model was trained with a log of ")
    assert "factor of more than 2" in found.err
    assert "train the model again" in found.err


def test_serve_answers_each_line_and_ends_with_the_input(plain_model, statistics, folder):
    """The answer for results in a line is the prediction for the same results in a table."""
    (folder / "one.csv").write_text("query_id,query,rank,url\nzen,zen,1,http://zen.org/\n")
    table = glassrank("intent", "predict", "plain.json", "--results", "one.csv", "--json", "-q", folder=folder)
    lines = b'nobody asked this\n{"query": "zen", "results": ["http://zen.org/"]}\n{'
    done = subprocess.run(
        [BIN / "glassrank", "intent", "serve", "plain.json", "--statistics", "statistics", "-q"],
        input=lines,
        cwd=folder,
        env=clean_environment(),
        capture_output=True,
        check=False,
    )
    unknown, answer, broken = map(json.loads, done.stdout.splitlines())
    assert (done.returncode, done.stderr) == (0, b"")
    assert [unknown["line"], answer["line"], broken["line"]] == [1, 2, 3]
    assert {name: answer[name] for name in ("query_id", "query", "label", "probability")} == json.loads(table.out)
    assert len(answer["features"]) == 3
    assert "no results for the query 'nobody asked this'" in unknown["error"]
    assert "no JSON" in broken["error"]


def test_predictions_have_one_line_per_query(predicted, folder):
    assert predicted.code == 0
    rows = [line.split("\t") for line in predicted.out.splitlines()]
    truth = {row["query_id"]: row["label"] for row in csv.DictReader((folder / "intents.csv").read_text().splitlines())}
    assert [row[0] for row in rows] == list(truth)
    navigational = {query_id for query_id, label in truth.items() if label == "1"}
    right = sum((label == "navigational") == (query_id in navigational) for query_id, label, _, _ in rows)
    # Predicting none as navigational would be right for all the others.
    assert right > len(truth) - len(navigational)


@pytest.mark.parametrize("batch", [1, 40])
def test_predictions_are_the_same_in_every_batch(batch, small_predictions, folder):
    options = ["predict", "small.json", "--results", "results.csv", "--json", "-q"]
    parts = glassrank("intent", *options, "--batch", batch, folder=folder)
    assert parts == small_predictions
    assert (parts.code, parts.out.count("\n")) == (0, 100)


def test_white_space_in_a_query_does_not_break_the_line(small_model, folder, tmp_path):
    with open(folder / "results.csv", newline="") as given, open(tmp_path / "odd.csv", "w", newline="") as written:
        rows = list(csv.reader(given))
        place = rows[0].index("query")
        rows[1:] = [[*row[:place], f"{row[place]}\t1\nq", *row[place + 1 :]] for row in rows[1:]]
        csv.writer(written).writerows(rows)
    found = glassrank("intent", "predict", "small.json", "--results", tmp_path / "odd.csv", "-q", folder=folder)
    assert (found.code, found.out.count("\n"), found.out.count("\t")) == (0, 100, 300)


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "expected a header line"), ("a,b\n", "column 'query_id' is missing, which the model needs")],
    ids=["empty", "other columns"],
)
def test_features_without_the_columns_of_the_model_are_refused(text, message, small_model, folder, tmp_path):
    (tmp_path / "features.csv").write_text(text)
    found = glassrank("intent", "predict", "small.json", "--features", tmp_path / "features.csv", folder=folder)
    assert (found.code, found.out) == (1, "")
    assert message in found.err


def test_predict_reports_how_well_the_sources_match_the_results(predicted):
    for words in (
        "clicks for these queries are on a result of their query",
        "results are linked to",
        "results are among the pages",
    ):
        assert words in predicted.err


def test_predict_reports_missing_sources_unless_quiet(small_predictions, folder):
    options = ["predict", "small.json", "--results", "results.csv"]
    assert "No clicks: without clk_n and " in glassrank("intent", *options, folder=folder).err
    assert (small_predictions.code, small_predictions.err) == (0, "")


def test_settings_that_differ_from_training_are_refused(small_model, folder):
    options = ["predict", "small.json", "--results", "results.csv", "--trusted-host", "x.org"]
    refused = glassrank("intent", *options, folder=folder)
    assert (refused.code, refused.out) == (1, "")
    assert "The model was trained without --trusted-host: got x.org. Leave --trusted-host out" in refused.err


def test_the_papers_selector_classifier_and_urlmr_can_be_trained_and_predicted(folder):
    named = ["--selector", "presence information gain", "--classifier", "categorical naive Bayes", "--n-features", 10]
    options = ["--results", "results.csv", "--intents", "intents.csv", "--urlmr", "literal", "--folds", 2, "--jobs", 1]
    trained = glassrank("intent", "train", "paper.json", *options, *named, folder=folder)
    assert trained.out.startswith("presence information gain with categorical naive Bayes, 10 features\n")
    predicted = glassrank("intent", "predict", "paper.json", "--results", "results.csv", folder=folder)
    assert (predicted.code, predicted.out.count("\n")) == (0, 100)
    refused = glassrank("intent", "predict", "paper.json", *options[:2], "--urlmr", "bare", folder=folder)
    assert "The model was trained with --urlmr literal: got bare. Leave --urlmr out" in refused.err


def test_labels_of_judgements_are_the_intents_of_the_study(folder):
    options = ["judgements.csv", "--perfect", 4, "--results", "results.csv"]
    found = glassrank("intent", "labels", *options, folder=folder)
    assert found.code == 0
    assert "100 queries: 17 navigational, 83 informational" in found.err
    (folder / "labels.csv").write_text(found.out, encoding="utf-8")
    assert load_intents(folder / "labels.csv") == load_intents(folder / "intents.csv")
    by_domain = json.loads(glassrank("intent", "labels", *options, "--site", "domain", "--json", folder=folder).out)
    assert by_domain["labels"][0].keys() >= {"query_id", "label", "reason"}
    assert (by_domain["site"], by_domain["unjudged"], by_domain["conflicts"]) == ("domain", [], [])


def test_a_profile_shows_a_feature_of_two_queries_over_the_ranks(folder):
    options = ["--query", "q001", "--query", "q002", "--results", "results.csv", "--urlmr", "literal", "--ranks", 20]
    found = glassrank("intent", "profile", *options, "--output", "figure-2.svg", folder=folder)
    assert (found.code, "Wrote figure-2.svg." in found.err) == (0, True)
    rows = list(csv.DictReader(found.out.splitlines()))
    assert [row["rank"] for row in rows] == [str(rank) for rank in range(1, 21)] * 2
    refused = glassrank("intent", "profile", "--query", "q9", *options[4:6], "-q", folder=folder)
    assert (refused.code, refused.err) == (1, "Error: The results have no query 'q9'. Check its query_id.\n")


def test_labels_need_judgements_and_a_bar(folder):
    refused = glassrank("intent", "labels", "judgements.csv", folder=folder)
    assert (refused.code, "Missing option '--perfect'" in refused.err) == (2, True)
    refused = glassrank("intent", "labels", "intents.csv", "--perfect", 4, folder=folder)
    assert refused.code == 1
    assert refused.err.startswith("Error: intents.csv: UrlJudgements has no column 'label'")


def test_a_model_without_settings_still_loads_with_a_note(small_model, folder):
    """Such a file was saved before language and trusted hosts were stored."""
    model = load_model(folder / "small.json")
    del model.feature_settings_
    save_model(model, folder / "older.json", feature_names=load_scorer(folder / "small.json").feature_names)
    older, newer = (
        glassrank("intent", "predict", name, "--results", "results.csv", folder=folder)
        for name in ("older.json", "small.json")
    )
    assert older.out == newer.out
    assert "has no language and trusted hosts" in older.err
    assert "has no language" not in newer.err


def test_strict_reaches_the_collection(small_model, folder):
    """A page that links to an address that cannot be read."""
    site = folder / "site"
    site.mkdir(exist_ok=True)
    (site / "a.html").write_text("<title>A</title><p>See <a href='http://[broken'>that</a>.")
    options = ["predict", "small.json", "--results", "results.csv", "--collection", "site"]
    assert glassrank("intent", *options, folder=folder).code == 0
    refused = glassrank("intent", *options, "--strict", folder=folder)
    assert (refused.code, refused.out) == (1, "")
    assert "a.html" in refused.err


def test_explaining_one_query_equals_explaining_all(small_model, folder):
    options = ["explain", "small.json", "--results", "results.csv", "--json", "-q"]
    every = glassrank("intent", *options, folder=folder).out.splitlines()
    query_id = json.loads(every[4])["query_id"]
    assert glassrank("intent", *options, "--query", query_id, folder=folder).out.splitlines() == [every[4]]
    missing = glassrank("intent", *options, "--query", "nowhere", folder=folder)
    assert (missing.code, missing.out) == (1, "")
    assert "The input has no query 'nowhere'" in missing.err


def test_a_nested_precision_keeps_the_model(folder):
    """The model is written even if few folds can reach the precision."""
    options = ["--results", "results.csv", "--intents", "intents.csv", *QUICK, "--precision", 0.95, "--nested"]
    found = glassrank("intent", "train", "precise.json", *options, "--json", "-q", folder=folder)
    assert found.code == 0, found.err
    facts = json.loads(found.out)
    assert len(facts["nested_folds"]) == 3
    assert (folder / "precise.json").exists()


def test_a_table_of_features_gives_the_same_as_the_results(small_predictions, folder):
    by_features = glassrank("intent", "predict", "small.json", "--features", "features.csv", "--json", folder=folder)
    first, second = ([json.loads(line) for line in one.out.splitlines()] for one in (small_predictions, by_features))
    assert len(first) == 100
    assert [one["label"] for one in first] == [one["label"] for one in second]
    assert [one["probability"] for one in first] == pytest.approx([one["probability"] for one in second])


def test_a_line_is_written_before_the_next_one_is_read(small_model, folder):
    """With an open pipe, the first row is answered before the second is written."""
    lines = (folder / "features.csv").read_text().splitlines(keepends=True)
    command = [str(BIN / "glassrank"), "intent", "predict", "small.json", "--features", "-"]
    with subprocess.Popen(
        command, cwd=folder, env=clean_environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        for line in lines[:2]:
            running.stdin.write(line)
        running.stdin.flush()
        assert running.stdout.readline().split("\t")[0] == lines[1].split(",")[0]
        rest, _ = running.communicate(lines[2])
    assert rest.split("\t")[0] == lines[2].split(",")[0]
    assert running.returncode == 0


def test_explain_lists_the_contributions_of_features(small_model, folder):
    query_id = (folder / "features.csv").read_text().splitlines()[1].split(",")[0]
    options = ["--features", "features.csv", "--query", query_id]
    text = glassrank("intent", "explain", "small.json", *options, folder=folder)
    assert text.code == 0
    assert text.out.startswith(f"{query_id}  ")
    assert "they add up to the log-odds exactly" in text.out
    found = json.loads(glassrank("intent", "explain", "small.json", *options, "--json", folder=folder).out)
    assert (found["query_id"], found["outcome"]) == (query_id, "navigational")
    selected = {name.removesuffix(MARK) for name in json.loads(small_model.out)["selected"]}
    assert {one["feature"] for one in found["contributions"]} == selected


def test_explaining_an_unknown_query_ends_with_1(small_model, folder):
    options = ["--features", "features.csv", "--query", "nowhere"]
    found = glassrank("intent", "explain", "small.json", *options, folder=folder)
    assert (found.code, found.out) == (1, "")
    assert "The input has no query 'nowhere'" in found.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["study"], "Missing option '--results'. Without data of your own, try --demo."),
        (["study", "--results", "results.csv"], "Missing option '--intents'"),
        (["study", "--demo", "--results", "results.csv"], "give no files"),
        (["study", "--size", "huge"], "--size"),
        (["study", *LABELLED, "--collection", "web"], "--collection contains pages and links"),
        (["study", "--results", "results.csv", "--intents", "intents.csv", "--schema", "aol"], "--schema"),
        (["train", "m.json", "--demo", "--selector", "boosting influence"], "give both or neither"),
        (["train"], "MODEL"),
        (["predict", "small.json"], "Missing option '--results'"),
        (["predict", "small.json", "--features", "f.csv", "--results", "results.csv"], "one or the other"),
    ],
    ids=["nothing", "intents", "both", "size", "web", "schema", "coupling", "model", "queries", "two inputs"],
)
def test_bad_usage_ends_with_2(arguments, said, folder):
    found = glassrank("intent", *arguments, folder=folder)
    assert (found.code, found.out) == (2, "")
    assert said in found.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["study", "--results", "nowhere.csv", "--intents", "intents.csv"], "nowhere.csv"),
        (
            ["study", "--results", "results.csv", "--intents", "bad.csv"],
            "bad.csv:2: expected navigational (1) and informational (0), or",
        ),
        (["predict", "small.json", "--results", "results.csv", "--statistics", "nowhere"], "there are no statistics"),
        (["statistics", "log.csv", "-o", "statistics"], "statistics: the folder already contains statistics"),
        (["study", "--results", "intents.csv", "--intents", "intents.csv"], "intents.csv"),
        (["predict", "nowhere.json", "--results", "results.csv"], "nowhere.json"),
        (["predict", "small.json", "--features", "intents.csv"], "intents.csv: column"),
    ],
    ids=[
        "no results",
        "bad intents",
        "no statistics",
        "statistics exist",
        "no table of results",
        "no model",
        "no features",
    ],
)
def test_bad_data_end_with_1_and_one_line(arguments, said, small_model, statistics, folder):
    found = glassrank(
        "intent", *arguments, "-q", *(["--folder", "refused"] if arguments[0] == "study" else []), folder=folder
    )
    assert (found.code, found.out) == (1, "")
    assert found.err.startswith("Error: ")
    assert found.err.count("\n") == 1
    assert said in found.err
    assert not (folder / "refused").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("train", "m.json", "--size", "small", "--n-features", 10), "give --selector too"),
        (("predict", "m.json", "--features", "f.csv", "--batch", 3), "leave them out with --features"),
        (("explain", "m.json", "--features", "f.csv", "--strict"), "leave them out with --features"),
        (("predict", "m.json", "--features", "f.csv", "--urlmr", "bare"), "--features replaces --results"),
        (("train", "m.json", "--size", "small", *QUICK, "--quick"), "leave it out with --selector"),
        (("study", "--results", "r.csv", "--intents", "i.csv", "--languages", 2), "use it with --demo or --size"),
        (("profile", "--results", "r.csv", "--query", "q1", "--languages", 2), "use it with --demo or --size"),
        (("study", "--demo", "--label-map", "a=0"), "give --intents too"),
        (("profile", "--results", "r.csv", "--query", "q1", "--label-map", "a=0"), "give --intents too"),
        (("train", "m.json", *LABELLED, "--label-map", "a"), "--label-map must be NAME=VALUE: got 'a'"),
        (("train", "m.json", *LABELLED, "--label-map", "a=0", "--label-map", "a=1"), "names 'a' twice"),
        (("predict", "m.json", *FILES, "--statistics", "s"), "--statistics replace the log, links and pages"),
        (("predict", "m.json", "--features", "f.csv", "--statistics", "s"), "--features replaces --results"),
    ],
    ids=[
        *("n-features", "batch", "strict", "urlmr", "quick", "languages", "languages of a profile", "map", "map alone"),
        *("no map", "two maps", "statistics", "two inputs"),
    ],
)
def test_an_option_without_effect_is_refused(arguments, message, tmp_path):
    refused = glassrank("intent", *arguments, folder=tmp_path)
    assert refused.code == 2
    assert message in refused.err
