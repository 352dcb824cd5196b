"""``glassrank study``: its files, its output, and what it refuses."""

import json
import shlex
from pathlib import Path

import numpy as np
import pytest

import glassrank as gr
from glassrank.ranking.feature_columns import KERNELS as KNOWN
from glassrank.studies.ranking.measuring.study_folds import FOLD_UNITS
from glassrank.studies.ranking.recipe import MODES as KNOWN_MODES
from glassrank.studies.ranking.recipe import Recipe
from glassrank.studies.study_options import FOLDS, KERNELS, MODES
from tests.cli.commands import glassrank
from tests.quick_study import few_resamples_and_picks  # noqa: F401 - a fixture for all tests here

FEATURES = ["--feature", "BM25 title", "--feature", "Click ratio", "--feature", "Noise 1"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    for name, queries, seed in (("one.csv", 14, 1), ("few.csv", 3, 2)):
        simulate = ["data", "simulate", "--queries", queries, "--documents", 9, "--seed", seed, "--quiet", name]
        assert glassrank(*simulate, folder=folder).code == 0
    lines = (folder / "one.csv").read_text().splitlines()
    queries = list(dict.fromkeys(line.split(",")[0] for line in lines[1:]))
    for name, kept in (("a.csv", queries[:7]), ("b.csv", queries[7:])):
        (folder / name).write_text("\n".join([lines[0], *(x for x in lines[1:] if x.split(",")[0] in kept)]) + "\n")
    rows = [line.split(",") for line in lines[1:]]
    with_weights = [",".join([*row, "100" if number % 4 else "1e-6"]) for number, row in enumerate(rows)]
    (folder / "weighted.csv").write_text("\n".join([f"{lines[0]},w", *with_weights]) + "\n")
    (folder / "holes.csv").write_text("qid,label,x\n1,1,2.5\n1,0,\n")
    (folder / "unjudged.csv").write_text("qid,x\n1,2.5\n1,3\n")
    return folder


@pytest.fixture(scope="module")
def done(folder):
    return glassrank("study", "a.csv", "b.csv", *FEATURES, "--seed", 3, "--folder", "out", folder=folder)


def test_kernels_repeated_for_help_match_the_library():
    assert set(KERNELS) == set(KNOWN)


def test_it_writes_its_files_and_prints_the_result(done, folder):
    assert done.code == 0
    assert {path.name for path in (folder / "out").iterdir()} == {
        *("report.html", "model.json", "effects.json", "selection.csv", "times.csv", "steps"),
        *("study.json", "result.json", "documents", "held-out-scores.npz"),
    }
    assert "On 14 held-out queries (5 folds), the model with" in done.out
    assert done.out.rstrip().endswith(f"Report: {Path('out', 'report.html')}")
    assert done.err.splitlines()[0].endswith(": Choosing C on held-out queries …")
    assert done.err.splitlines()[-2].endswith(": Writing the report …")
    assert done.err.splitlines()[-1].startswith("LightGBM lambdarank, tuned: best of 20 settings on the same folds")


def test_several_files_are_joined_and_json_contains_the_numbers(done, folder):
    again = glassrank("study", "one.csv", *FEATURES, "--seed", 3, "--folder", "again", "--json", "-q", folder=folder)
    assert (again.code, again.err) == (0, "")
    found = json.loads(again.out)
    assert f"reaches NDCG@10 {found['comparisons'][0]['systems'][0]['mean']:.3f}." in done.out
    assert (folder / "again" / "model.json").read_bytes() == (folder / "out" / "model.json").read_bytes()


def test_the_command_in_the_report_reproduces_the_study(done, folder):
    page = (folder / "out" / "report.html").read_text(encoding="utf-8")
    shown = page.split("<pre>$ ")[1].split("</pre>")[0].replace("&#x27;", "'").replace("&quot;", '"')
    words = shlex.split(shown)
    assert words[:4] == ["glassrank", "study", "a.csv", "b.csv"]
    assert words.count("--feature") == 3
    before = (folder / "out" / "model.json").read_bytes()
    (folder / "out" / "model.json").unlink()
    assert glassrank(*words[1:], folder=folder).code == 0
    assert (folder / "out" / "model.json").read_bytes() == before


def test_the_command_in_the_report_states_a_zero_that_is_not_the_default(folder):
    given = ["study", "a.csv", "b.csv", *FEATURES, "--tune", "0", "--folder", "untuned"]
    assert glassrank(*given, folder=folder).code == 0
    assert "--tune 0" in json.loads((folder / "untuned" / "study.json").read_text())["command"]


def test_rank_gives_the_scores_of_the_studys_model(done, folder):
    ranked = glassrank("rank", Path("out", "model.json"), "one.csv", "-q", folder=folder)
    assert ranked.code == 0
    model = gr.load_model(folder / "out" / "model.json")
    names = [feature["name"] for feature in json.loads((folder / "out" / "effects.json").read_text())["features"]]
    rows = gr.load_data(folder / "one.csv").pick_features(names).X
    assert np.array(ranked.out.split(), dtype=float) == pytest.approx(model.predict(rows), rel=1e-12)


def test_a_weight_column_changes_the_model(done, folder):
    study = ["study", "weighted.csv", *FEATURES, "--seed", 3, "-q"]
    without = glassrank(*study, "--folder", "unweighted", folder=folder)
    weighted = glassrank(*study, "--weight-column", "w", "--folder", "weighted", folder=folder)
    assert (without.code, weighted.code) == (0, 0)
    models = {name: (folder / name / "model.json").read_bytes() for name in ("out", "unweighted", "weighted")}
    assert models["unweighted"] == models["out"] != models["weighted"]
    page = (folder / "weighted" / "report.html").read_text(encoding="utf-8")
    assert "0 rows of weight 0 left out. Measures are unweighted and keep all rows" in page


def test_sparse_letor_files_give_the_same_study_as_the_table(folder):
    """Some parts end before the last feature, and one does not contain the first."""
    rng = np.random.default_rng(0)
    X = np.where(rng.random((120, 12)) < 0.2, rng.normal(size=(120, 12)), 0.0)
    y = (X[:, 2] + X[:, 7] + 0.1 * rng.normal(size=120) > 0.1).astype(int)
    X[:60, 11], X[60:, 0] = 0.0, 0.0
    X[60:, 11] = rng.normal(size=60)
    pairs = [[f"{k + 1}:{float(row[k])!r}" for k in np.flatnonzero(row)] for row in X]
    text = [" ".join([str(y[row]), f"qid:{row // 10}", *pairs[row]]) for row in range(120)]
    for name, rows in (("one.letor", text[:60]), ("two.letor", text[60:80]), ("three.letor", text[80:])):
        (folder / name).write_text("\n".join(rows) + "\n")
    assert gr.load_data(folder / "one.letor").n_features < 12
    header = ",".join(["qid", "label", *(f"feature {k + 1}" for k in range(12))])
    lines = [",".join([str(row // 10), str(y[row]), *map(repr, X[row].tolist())]) for row in range(120)]
    for name, rows in (("dense.csv", lines[:80]), ("dense_test.csv", lines[80:])):
        (folder / name).write_text("\n".join([header, *rows]) + "\n")
    found = [
        glassrank("study", *train, "--test", test, "--folder", out, "-q", folder=folder)
        for train, test, out in (
            (["one.letor", "two.letor"], "three.letor", "letor"),
            (["dense.csv"], "dense_test.csv", "table"),
        )
    ]
    assert [one.code for one in found] == [0, 0]
    files = ["model.json", "effects.json", "selection.csv"]
    assert [(folder / "letor" / name).read_bytes() for name in files] == [
        (folder / "table" / name).read_bytes() for name in files
    ]


def test_own_scores_and_models_are_systems_of_the_study(folder):
    data = gr.load_data(folder / "one.csv")
    rows = zip(data.qid, data.doc_ids, data.y, strict=True)
    lines = [f"{query},{document},{label}" for query, document, label in rows]
    (folder / "prod.csv").write_text("\n".join(["qid,doc_id,score", *lines[::-1]]) + "\n")
    gr.save_model(gr.RankSVM().fit(data.pick_features(["BM25 title"])), folder / "titles.json")
    arguments = [*FEATURES, "--system", "prod <b>=prod.csv", "--model", "titles.json", "--tune", 0]
    done = glassrank("study", "one.csv", *arguments, "--folder", "own", "--json", folder=folder)
    assert done.code == 0, done.err
    found = json.loads(done.out)
    systems = {one["name"]: one["mean"] for one in found["comparisons"][0]["systems"]}
    assert systems["prod <b>"] == 1.0
    assert "titles" in systems
    assert found["reliabilities"]["prod <b>"]["accuracy"] == 1.0
    assert "prod <b>: scores, measured as they are. If it was trained on some of these queries" in done.err
    page = (folder / "own" / "report.html").read_text()
    assert "prod &lt;b&gt;" in page
    assert "--system &#x27;prod &lt;b&gt;=prod.csv&#x27; --model titles.json" in page


SYSTEMS_REFUSED = {
    "no name": (["--system", "prod.csv"], 2, "expected NAME=FILE"),
    "twice": (["--system", "a=one.csv", "--model", "a=b.json"], 2, "the name 'a' appears twice"),
    "reserved": (["--system", "full=keyed.csv"], 1, "systems must not be named 'full'"),
    "no file": (["--model", "nowhere.txt"], 1, "nowhere.txt: there is no such file"),
    "no model": (["--model", "one.csv"], 1, "one.csv: expected a LightGBM text model, an XGBoost model"),
    "no score": (["--system", "a=one.csv"], 1, "one.csv: "),
    "infinite": (["--system", "a=infinite.csv"], 1, "infinite.csv: The data have 1 infinite value"),
    "missing": (["--system", "a=missing.csv"], 1, "missing.csv: The data have 1 missing value"),
    "repeated": (["--system", "a=repeated.csv"], 1, "document 'd' appears in query 'q' already"),
    "text": (["--system", "a=text.csv"], 1, "text.csv: column 'score' must contain numbers: got 'high'"),
    "unmatched": (["--system", "a=keyed.csv"], 1, "system 'a': 1 of 1 row of the scores are not in the data"),
    "tune": (["--tune", "-1"], 2, "--tune"),
}


@pytest.mark.parametrize("case", SYSTEMS_REFUSED)
def test_systems_that_cannot_be_used_are_refused(case, folder):
    contents = {
        "keyed": "q,d,1",
        "infinite": "q,d,inf",
        "missing": "q,d,",
        "text": "q,d,high",
        "repeated": "q,d,1\nq,d,2",
    }
    for name, rows in contents.items():
        (folder / f"{name}.csv").write_text(f"qid,doc_id,score\n{rows}\n")
    options, code, said = SYSTEMS_REFUSED[case]
    done = glassrank("study", "one.csv", *options, "--folder", "refused", "-q", folder=folder)
    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert not (folder / "refused").exists()


def test_ctrl_c_ends_with_130_and_keeps_finished_steps(folder, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(Recipe, "eliminate", stopped)
    done = glassrank("study", "one.csv", *FEATURES, "--folder", "stopped", folder=folder)
    assert done.code == 130
    assert done.err.endswith("Interrupted.\n")
    assert [path.name for path in (folder / "stopped" / "steps").iterdir()] == ["C.json"]


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["one.csv", "--kernel", "rbf"],
        ["one.csv", "--convention", "nist"],
        ["one.csv", "--seed", "-1"],
        ["one.csv", "--folder", "one.csv"],
    ],
    ids=["no data", "kernel", "convention", "seed", "folder"],
)
def test_bad_usage_ends_with_2(arguments, folder):
    done = glassrank("study", *arguments, folder=folder)
    assert (done.code, done.out) == (2, "")
    assert "Usage: glassrank study" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.csv"], "nowhere.csv"),
        (["unjudged.csv"], "label"),
        (["few.csv", "--folds", "document"], "Study one query: --query q1, add judged queries, or use --folds query."),
        (["one.csv", "--test", "a.csv"], "share 7 queries with the training data"),
        (["one.csv", "--valid", "a.csv"], "share 7 queries with the training data"),
        (["one.csv", "a.csv"], "is in two parts"),
        (["one.csv", "--measure", "ndgc"], "measure must be one of"),
    ],
    ids=["no file", "unjudged", "few", "test", "valid", "twice", "measure"],
)
def test_bad_data_end_with_1_and_one_line(arguments, message, folder):
    done = glassrank("study", *arguments, "--folder", "refused", "-q", folder=folder)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("Error: ")
    assert done.err.count("\n") == 1
    assert message in done.err
    assert not (folder / "refused").exists()


def test_one_query_of_a_file_is_studied_by_the_models_options(folder):
    data = gr.load_data(folder / "one.csv")
    # A query needs documents of several labels in every fold.
    others = {query: np.unique(data.y[data.qid == query], return_counts=True)[1] for query in data.groups.ids}
    query = max(others, key=lambda one: others[one].sum() - others[one].max())
    given = ["--query", query, "--mode", "difference", "--loss", "hinge", "--C", 1, "--C-unit", "pair", "--tune", 0]
    done = glassrank("study", "one.csv", *FEATURES[:4], *given, "--folder", "single", "--json", folder=folder)
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["facts"]["Training"].startswith("1 query, ")
    assert found["facts"]["Model"] == "RankSVM, linear of differences, hinge loss, C = 1 per pair"
    assert found["comparisons"][0]["n_documents"] == int(found["facts"]["Training"].split()[2])


def test_choices_repeated_for_help_match_the_library():
    assert tuple(KNOWN_MODES) == MODES
    assert FOLDS == FOLD_UNITS
