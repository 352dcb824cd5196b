"""``glassrank rank``: scores of a saved model in every layout, and what it refuses."""

import gzip
import json

import numpy as np
import pandas as pd
import polars
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from glassrank.data.load_data import load_data
from glassrank.data.scores import load_scores
from glassrank.data.trec import load_run
from glassrank.modelfile.load_model import load_model
from glassrank.modelfile.save_model import save_model
from glassrank.ranking.additive_svc import AdditiveSVC
from glassrank.ranking.calibration import PairCalibrator
from glassrank.ranking.elm_rank import ELMRank
from glassrank.ranking.kernel_least_squares import KernelLeastSquaresRanker
from glassrank.ranking.pairwise import PairwiseRanker
from glassrank.ranking.rank_svm import RankSVM
from glassrank.ranking.rank_svm_cv import RankSVMCV
from glassrank.ranking.single_feature import BestSingleFeature
from glassrank.simulation.ranking import simulate_ranking
from tests.cli.commands import glassrank, python

SMALL = "qid,doc_id,label,bm25,age\n7,a,1,2.5,30\n7,b,0,1.5,10\n9,a,0,0.5,20\n9,c,1,1.5,20\n9,b,0,1.5,20\n"


@pytest.fixture(scope="module")
def data():
    return simulate_ranking(12, 20, random_state=2).data


@pytest.fixture(scope="module")
def model(data):
    model = make_pipeline(StandardScaler(), RankSVM(C=10.0))
    return model.fit(data.X, data.y, ranksvm__qid=data.qid)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, data, model):
    """Simulated documents as a table and as LETOR, and models of them; the model of small.csv ranks by bm25."""
    folder = tmp_path_factory.mktemp("rank")
    simulate = ["data", "simulate", "--queries", 12, "--documents", 20, "--seed", 2, "--quiet"]
    for name in ("sim.csv", "sim.txt"):
        assert glassrank(*simulate, name, folder=folder).code == 0
    save_model(model, folder / "m.json", feature_names=data.feature_names)
    save_model(model, folder / "unnamed.json")
    (folder / "small.csv").write_text(SMALL)
    small = load_data(folder / "small.csv")
    one = BestSingleFeature().fit(small.X, [1, 0, 0, 1, 0], qid=small.qid)
    assert (one.feature_, one.direction_) == (0, 1)
    save_model(one, folder / "small.json", feature_names=small.feature_names)
    return folder


@pytest.mark.parametrize("name", ["sim.csv", "sim.txt"])
def test_it_prints_one_score_per_row_in_full_precision(name, folder, data, model):
    done = glassrank("rank", "m.json", name, folder=folder)
    assert (done.code, done.err) == (0, "")
    assert list(map(float, done.out.splitlines())) == model.predict(data.X).tolist()


def test_compare_reads_what_it_prints(folder, data, model):
    assert glassrank("rank", "m.json", "sim.csv", "--output", "scores.txt", folder=folder).code == 0
    done = glassrank("compare", "sim.csv", "svm=scores.txt", "again=scores.txt", "--json", folder=folder)
    assert done.code == 0, done.err
    assert load_scores(folder / "scores.txt", data.n_rows).tolist() == model.predict(data.X).tolist()


def test_a_trec_run_lists_the_documents_in_ranked_order(folder):
    done = glassrank("rank", "small.json", "small.csv", "--format", "trec", folder=folder)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "7 Q0 a 1 2.5 glassrank",
        "7 Q0 b 2 1.5 glassrank",
        "9 Q0 c 1 1.5 glassrank",
        "9 Q0 b 2 1.5 glassrank",
        "9 Q0 a 3 0.5 glassrank",
    ]


def test_a_trec_run_is_cut_where_trec_eval_would_cut_it(folder):
    """trec_eval ranks c before b if their scores are equal, whatever their order in the data."""
    done = glassrank("rank", "small.json", "small.csv", "--format", "trec", "--top", 1, folder=folder)
    assert done.out.splitlines() == ["7 Q0 a 1 2.5 glassrank", "9 Q0 c 1 1.5 glassrank"]


def test_a_trec_run_can_be_loaded(folder, data, model):
    assert glassrank("rank", "m.json", "sim.csv", "--format", "trec", "--output", "a.run", folder=folder).code == 0
    run = load_run(folder / "a.run")
    scores = dict(zip(zip(data.qid, data.doc_ids, strict=True), model.predict(data.X).tolist(), strict=True))
    assert dict(zip(zip(run.qid, run.doc_ids, strict=True), run.scores.tolist(), strict=True)) == scores


def test_a_table_is_aligned(folder):
    done = glassrank("rank", "small.json", "small.csv", "--format", "table", "--top", 2, folder=folder)
    assert done.out.splitlines() == [
        "query  rank  row  score  document",
        "7      1     0    2.5    a",
        "7      2     1    1.5    b",
        "9      1     3    1.5    c",
        "9      2     4    1.5    b",
    ]


def test_json_has_the_documents_of_each_query(folder):
    done = glassrank("rank", "small.json", "small.csv", "--json", "--top", 1, folder=folder)
    assert json.loads(done.out) == [
        {"query": 7, "documents": [{"rank": 1, "row": 0, "score": 2.5, "document": "a"}]},
        {"query": 9, "documents": [{"rank": 1, "row": 3, "score": 1.5, "document": "c"}]},
    ]


def test_queries_with_scattered_rows_are_ranked_as_a_whole(folder, tmp_path):
    rows = SMALL.splitlines()
    (tmp_path / "mixed.csv").write_text("\n".join(rows[line] for line in (0, 3, 1, 4, 2, 5)) + "\n")
    done = glassrank("rank", folder / "small.json", "mixed.csv", "--json", folder=tmp_path)
    ranked = {entry["query"]: [document["row"] for document in entry["documents"]] for entry in json.loads(done.out)}
    assert ranked == {9: [2, 4, 0], 7: [1, 3]}


def test_documents_without_identifiers_are_shown_by_row(folder, tmp_path):
    (tmp_path / "a.csv").write_text("qid,label,age,bm25\nq,0,1,0.5\nq,0,1,2.5\n")
    done = glassrank("rank", folder / "small.json", "a.csv", "--format", "table", folder=tmp_path)
    assert done.out.splitlines() == ["query  rank  row  score", "q      1     1    2.5", "q      2     0    0.5"]
    done = glassrank("rank", folder / "small.json", "a.csv", "--json", folder=tmp_path)
    assert json.loads(done.out)[0]["documents"][0] == {"rank": 1, "row": 1, "score": 2.5}
    done = glassrank("rank", folder / "small.json", "a.csv", "--format", "trec", folder=tmp_path)
    assert done.code == 1
    assert "A TREC run needs document identifiers" in done.err
    assert "--document-column" in done.err


def test_an_output_file_is_written_and_reported(folder, data, model, tmp_path):
    done = glassrank("rank", folder / "m.json", folder / "sim.csv", "--output", "s.txt.gz", folder=tmp_path)
    assert (done.code, done.out) == (0, "")
    assert done.err == f"Wrote s.txt.gz: {data.n_rows} rows, 12 queries ranked.\n"
    scores = gzip.decompress((tmp_path / "s.txt.gz").read_bytes()).split()
    assert list(map(float, scores)) == model.predict(data.X).tolist()
    assert [path.name for path in tmp_path.iterdir()] == ["s.txt.gz"]


def test_nothing_is_overwritten_without_force(folder, tmp_path):
    (tmp_path / "s.txt").write_text("precious\n")
    command = ["rank", folder / "small.json", folder / "small.csv", "--output", "s.txt"]
    done = glassrank(*command, folder=tmp_path)
    assert (done.code, done.out) == (1, "")
    assert done.err == "Error: s.txt already exists. Choose another name, or overwrite it with --force.\n"
    assert (tmp_path / "s.txt").read_text() == "precious\n"
    done = glassrank(*command, "--force", "--quiet", folder=tmp_path)
    assert (done.code, done.out, done.err) == (0, "", "")
    assert (tmp_path / "s.txt").read_text() == "2.5\n1.5\n0.5\n1.5\n1.5\n"


def test_features_are_found_by_name_in_any_order(folder, tmp_path):
    (tmp_path / "other.csv").write_text("age,price,qid,label,bm25,size\n30,9,7,0,2.5,1\n10,8,7,0,1.5,1\n")
    done = glassrank("rank", folder / "small.json", "other.csv", folder=tmp_path)
    assert done.out == "2.5\n1.5\n"
    assert done.err == "Left out 2 features that the model does not use: price, size.\n"
    assert glassrank("rank", folder / "small.json", "other.csv", "--quiet", folder=tmp_path).err == ""


def test_a_missing_feature_is_refused_by_name(folder, tmp_path):
    (tmp_path / "other.csv").write_text("qid,label,bm25,ages\n7,0,2.5,1\n")
    done = glassrank("rank", folder / "small.json", "other.csv", folder=tmp_path)
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        "Error: other.csv: The data must contain the model's features: 1 of 2 are missing, 'age'. The data have "
        "'bm25', 'ages'. Name the columns as in the training data.\n"
    )


def test_a_model_without_names_uses_the_features_in_order_if_asked(folder, data, model):
    done = glassrank("rank", "unnamed.json", "sim.csv", "--by-position", folder=folder)
    assert done.err == "The model has no feature names: features are used in the order of the data.\n"
    assert list(map(float, done.out.splitlines())) == model.predict(data.X).tolist()
    done = glassrank("rank", "unnamed.json", "small.csv", folder=folder)
    assert done.code == 1
    assert "The model has 18 features without names, but the data have 2." in done.err


def test_features_that_letor_leaves_out_are_zero(tmp_path):
    """By hand: the model's scores are 2·x1 + 3·x3, and the second file mentions feature 1 only."""
    (tmp_path / "train.txt").write_text("1 qid:1 1:1 2:1 3:1\n0 qid:1 1:0 2:1 3:0\n")
    train = load_data(tmp_path / "train.txt")
    model = RankSVM().fit(train.X, train.y)
    model.coef_ = np.array([2.0, 0.0, 3.0])
    save_model(model, tmp_path / "m.json", feature_names=train.feature_names)
    (tmp_path / "test.txt").write_text("0 qid:2 1:5\n0 qid:2 1:0.25\n")
    done = glassrank("rank", "m.json", "test.txt", folder=tmp_path)
    assert done.out == "10.0\n0.5\n"
    assert done.err == "Not in test.txt, and set to 0: feature 2, feature 3.\n"
    (tmp_path / "test.csv").write_text("qid,label,feature 1\n2,0,5\n")
    assert glassrank("rank", "m.json", "test.csv", folder=tmp_path).code == 1


def test_missing_values_in_features_of_the_model_are_refused(folder, tmp_path):
    (tmp_path / "holes.csv").write_text("qid,label,bm25,age,price\n7,0,2.5,1,\n7,0,,1,\n7,0,1.5,1,3\n")
    done = glassrank("rank", folder / "small.json", "holes.csv", folder=tmp_path)
    assert done.code == 1
    assert done.err.splitlines()[-1] == (
        "Error: holes.csv: The model cannot use missing values: feature 'bm25' has 1, the first in row 1. Fill them as "
        "in the training data."
    )
    (tmp_path / "fine.csv").write_text("qid,label,bm25,age,price\n7,0,2.5,1,\n")
    assert glassrank("rank", folder / "small.json", "fine.csv", folder=tmp_path).out == "2.5\n"


def test_tables_with_other_columns_are_read(folder, tmp_path):
    (tmp_path / "shop.csv").write_text("q,url,rel,bm25,age,words\nzen,u1,0,1.5,3,some\nzen,u2,1,4.5,3,more\n")
    columns = ["--query-column", "q", "--label-column", "rel", "--document-column", "url"]
    features = ["--feature", "bm25", "--feature", "age"]
    done = glassrank(
        "rank", folder / "small.json", "shop.csv", "--format", "trec", *columns, *features, folder=tmp_path
    )
    assert done.out.splitlines() == ["zen Q0 u2 1 4.5 glassrank", "zen Q0 u1 2 1.5 glassrank"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--top", "3"], "--top needs --format trec, --format table or --json"),
        (["--format", "scores", "--top", "3"], "--top needs --format trec"),
        (["--format", "table", "--top", "0"], "0 is not in the range"),
        (["--format", "run"], "'run' is not one of 'scores', 'trec', 'table'"),
        (["--json", "--format", "trec"], "--json replaces --format: leave out one of them."),
        (["--weight-column", "w"], "No such option '--weight-column'"),
    ],
)
def test_bad_usage_ends_with_2(options, message, folder):
    done = glassrank("rank", "small.json", "small.csv", *options, folder=folder)
    assert (done.code, done.out) == (2, "")
    assert "Usage: glassrank rank" in done.err
    assert message in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.json", "small.csv"], "nowhere.json: there is no such file"),
        (["small.json", "nowhere.csv"], "nowhere.csv: there is no such file"),
        (
            ["small.csv", "small.json"],
            "small.csv: expected a LightGBM text model, an XGBoost model (JSON or UBJ), a RankLib",
        ),
        (["small.json", "small.csv", "--output", "none/a.txt"], "none does not exist. Create it first"),
        ([".", "small.csv"], ".: expected a file, got a folder"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_data_end_with_1_and_one_line_on_stderr(arguments, message, folder):
    done = glassrank("rank", *arguments, folder=folder)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("Error: ")
    assert done.err.count("\n") == 1
    assert message in done.err


def test_a_damaged_model_is_refused(folder, tmp_path):
    (tmp_path / "m.json").write_text((folder / "m.json").read_text().replace("0.01", "0.02"))
    done = glassrank("rank", "m.json", folder / "sim.csv", folder=tmp_path)
    assert done.code == 1
    assert "the content does not match its checksum" in done.err


def test_scikit_learn_is_never_imported(folder):
    source = """
import sys
from glassrank.cli.main import main
for layout in (["--format", "trec"], ["--json"], ["--format", "table"], []):
    for data in ("sim.csv", "sim.txt"):
        main(["rank", "m.json", data, "--quiet", *layout], standalone_mode=False)
print(*{name.split(".")[0] for name in sys.modules}, file=sys.stderr)
"""
    done = python(source, folder)
    assert done.code == 0, done.err
    loaded = set(done.err.split())
    assert {"glassrank", "numpy", "pydantic"} <= loaded
    assert {"sklearn", "joblib"} & loaded == set()


@pytest.mark.parametrize("layout", [[], ["--format", "trec"], ["--format", "table"], ["--json"]], ids=str)
def test_a_table_needs_no_labels(layout, folder):
    judged = glassrank("rank", "small.json", "small.csv", *layout, folder=folder)
    rows = [line.split(",") for line in SMALL.splitlines()]
    (folder / "new.csv").write_text("".join(",".join([*row[:2], *row[3:]]) + "\n" for row in rows))
    done = glassrank("rank", "small.json", "new.csv", *layout, folder=folder)
    assert (done.code, done.err, done.out) == (0, "", judged.out)


def test_labels_are_not_a_feature_whatever_their_column_is_called(folder):
    """A model without names uses the features in their order, and the labels must not be among them."""
    small = load_data(folder / "small.csv")
    save_model(BestSingleFeature().fit(small.X, [1, 0, 0, 1, 0], qid=small.qid), folder / "bare.json")
    (folder / "graded.csv").write_text(SMALL.replace("label", "grade"))
    done = glassrank(
        "rank", "bare.json", "graded.csv", "--label-column", "grade", "--by-position", "--quiet", folder=folder
    )
    assert (done.code, done.out.splitlines()) == (0, ["2.5", "1.5", "0.5", "1.5", "1.5"])
    done = glassrank("rank", "bare.json", "graded.csv", folder=folder)
    assert (done.code, done.out) == (1, "")
    assert "The model has 2 features without names, but the data have 3" in done.err
    done = glassrank("rank", "bare.json", "small.csv", "--label-column", "grade", folder=folder)
    assert (done.code, done.out) == (1, "")
    assert "There is no column 'grade'" in done.err


@pytest.mark.parametrize("command", [("data", "info"), ("compare",)], ids=" ".join)
def test_other_commands_need_labels_and_say_so(command, folder):
    (folder / "unjudged.csv").write_text("qid,bm25\n1,0.5\n1,0.25\n")
    (folder / "two.txt").write_text("1\n2\n")
    systems = ["a=two.txt", "b=two.txt"] if command == ("compare",) else []
    done = glassrank(*command, "unjudged.csv", *systems, folder=folder)
    assert (done.code, done.out) == (1, "")
    assert "There is no column 'label'" in done.err
    assert "Documents without labels can be ranked and explained: use glassrank rank, explain or nomogram." in done.err


KINDS = {
    "nodes": lambda: make_pipeline(StandardScaler(), ELMRank(20, random_state=0)),
    "kernel": lambda: make_pipeline(StandardScaler(), KernelLeastSquaresRanker()),
    "search": lambda: RankSVMCV([1e-3, 0.1], cv=2),
    "calibrated": lambda: PairCalibrator(RankSVM(), random_state=0),
    "pairs": lambda: PairwiseRanker(Ridge()),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_ranker_ranks(kind, folder, data):
    model = KINDS[kind]()
    step = f"{model.steps[-1][0]}__" if hasattr(model, "steps") else ""
    model.fit(data.X, data.y, **{f"{step}qid": data.qid})
    save_model(model, folder / f"{kind}.json", feature_names=data.feature_names)
    done = glassrank("rank", f"{kind}.json", "sim.csv", folder=folder)
    assert (done.code, done.err) == (0, "")
    assert list(map(float, done.out.splitlines())) == model.predict(data.X).tolist()


def test_a_classifier_ranks_by_its_decision(folder, data):
    model = AdditiveSVC(C=1e-3, random_state=0).fit(data.X, data.y > 1)
    save_model(model, folder / "classes.json", feature_names=data.feature_names)
    done = glassrank("rank", "classes.json", "sim.csv", folder=folder)
    assert (done.code, done.err) == (0, "")
    assert list(map(float, done.out.splitlines())) == model.decision_function(data.X).tolist()


def test_a_model_that_only_compares_two_documents_ranks_by_wins(folder, data):
    one = data.pick_features(range(3)).pick_queries(data.groups.ids[:3])
    model = RankSVM(C=10.0, kernel="lrbf", mode="difference").fit(one.X, one.y, qid=one.qid)
    save_model(model, folder / "pairs-only.json", feature_names=one.feature_names)
    done = glassrank("rank", "pairs-only.json", "sim.csv", folder=folder)
    assert done.code == 0, done.err
    assert "a score is the number of documents of the query that rank below" in done.err
    sizes = data.groups.sizes[data.groups.of_row]
    expected = sizes - model.rank(data.X[:, :3], qid=data.qid)
    assert list(map(float, done.out.splitlines())) == expected.tolist()


def test_help_loads_only_click(tmp_path):
    source = """
import sys
from glassrank.cli.main import main
main(["rank", "--help"], standalone_mode=False)
print(*{name.split(".")[0] for name in sys.modules}, file=sys.stderr)
"""
    done = python(source, tmp_path)
    assert done.out.startswith("Usage: ")
    assert {"numpy", "scipy", "pydantic", "rich", "numba", "sklearn", "duckdb"} & set(done.err.split()) == set()


@pytest.mark.parametrize("options", [[], ["--feature", "size", "--feature", "bm25"]], ids=["all", "named"])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_category_of_the_model_is_read_as_one_without_being_told(options, suffix, tmp_path):
    lines = [f"{row // 6},{row % 3},{38 + 2 * (row % 3)},{row % 5}" for row in range(60)]
    (tmp_path / "train.csv").write_text("\n".join(["qid,label,size,bm25", *lines]) + "\n")
    made = glassrank("train", "train.csv", "--categorical", "size", "--output", "m.json", "-q", folder=tmp_path)
    assert made.code == 0, made.err
    frame = pd.read_csv(tmp_path / "train.csv").assign(extra=1.0)
    frame.to_csv(tmp_path / "new.csv", index=False)
    frame.to_parquet(tmp_path / "new.parquet")
    expected = load_model(tmp_path / "m.json").predict(load_data(tmp_path / "train.csv", categorical=["size"]))
    done = glassrank("rank", "m.json", f"new.{suffix}", "-q", *options, folder=tmp_path)
    assert (done.code, done.err) == (0, "")
    np.testing.assert_allclose([float(line) for line in done.out.split()], expected, rtol=1e-9)
    pair = ["--query", "0", "--document", "0", "--against", "1"]
    for command in (["explain", "m.json", f"new.{suffix}", *pair], ["nomogram", "m.json", f"new.{suffix}"]):
        done = glassrank(*command, "-q", *options, "--output", f"{command[0]}.svg", folder=tmp_path)
        assert done.code == 0, done.err


@pytest.fixture(scope="module")
def cluttered(folder, tmp_path_factory):
    """The data as Parquet, with labels and weights that are incomplete, and columns that cannot be features."""
    frame = polars.read_csv(folder / "sim.csv")
    rows = range(len(frame))
    clutter = {
        "label": [None if row % 3 else "?" for row in rows],
        "weight": [None if row % 2 else -1.0 for row in rows],
        "mixed": ["7" if row % 2 else f"<b>{row}" for row in rows],
        'title, with "quotes"\nand a break': [f"title {row}" for row in rows],
        "infinite": [np.inf for _ in rows],
        "list": [[row] for row in rows],
        "bytes": [b"\xff" for _ in rows],
    }
    path = tmp_path_factory.mktemp("clutter") / "cluttered.parquet"
    frame.with_columns(**{name: polars.Series(values) for name, values in clutter.items()}).write_parquet(path)
    return path


def test_only_the_columns_of_the_model_are_read(cluttered, folder):
    expected = glassrank("rank", "m.json", "sim.csv", folder=folder)
    found = glassrank("rank", "m.json", cluttered, folder=folder)
    assert (found.code, found.out) == (0, expected.out), found.err
    assert "Left out 5 features that the model does not use: mixed, " in found.err


def test_a_model_without_names_ranks_a_table_whose_other_columns_are_excluded(cluttered, folder, data):
    names = [name for name in polars.read_parquet_schema(cluttered) if name not in (*data.feature_names, "qid")]
    left_out = [part for name in names if name != "doc_id" for part in ("--exclude", name)]
    found = glassrank("rank", "unnamed.json", cluttered, "--by-position", *left_out, folder=folder)
    assert (found.code, found.out) == (0, glassrank("rank", "m.json", "sim.csv", folder=folder).out), found.err


def test_a_feature_of_the_model_cannot_be_excluded(folder, data):
    done = glassrank("rank", "m.json", "sim.csv", "--exclude", data.feature_names[0], folder=folder)
    assert (done.code, done.out) == (1, "")
    assert f"Column {data.feature_names[0]!r} is excluded, and also used as" in done.err


@pytest.mark.parametrize(
    "command",
    [
        ["rank", "small.json"],
        ["explain", "small.json", "--query", "9", "--document", "a", "--against", "c"],
        ["nomogram", "small.json", "--output", "a.svg", "--force"],
    ],
    ids=lambda words: words[0],
)
def test_a_broken_column_that_the_model_does_not_use_stops_no_command(command, folder):
    header, *rows = SMALL.splitlines()
    broken = ["12,<b>", "large,", "7,x", 'inf,"a,b"', "?,y"]
    lines = [f"{header},size,title", *(f"{row},{more}" for row, more in zip(rows, broken, strict=True))]
    (folder / "broken.csv").write_text("\n".join(lines) + "\n")
    expected = glassrank(*command[:2], "small.csv", *command[2:], folder=folder)
    found = glassrank(*command[:2], "broken.csv", *command[2:], folder=folder)
    assert (found.code, found.out) == (expected.code, expected.out) == (0, found.out), found.err
    assert "Left out 2 features that the model does not use: size, title." in found.err
