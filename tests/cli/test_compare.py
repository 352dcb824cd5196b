"""``glassrank compare`` gives the library's comparison for files."""

import json

import pytest

from glassrank.data.load_data import load_data
from glassrank.metrics.compare import compare
from glassrank.modelfile.load_model import load_model
from glassrank.nomograms.model_comparison.compare_models import compare_models
from glassrank.simulation.ranking import simulate_ranking
from tests.cli.commands import glassrank, typed

QRELS = "1 0 a 2\n1 0 b 0\n1 0 c 1\n2 0 a 1\n2 0 d 0\n3 0 a 1\n3 0 b 0\n"
OLD = "1 Q0 b 1 3 old\n1 Q0 a 2 2 old\n1 Q0 x 3 1 old\n2 Q0 d 1 5 old\n2 Q0 a 2 4 old\n9 Q0 a 1 1 old\n"
NEW = "1 Q0 a 1 3 new\n1 Q0 c 2 2 new\n2 Q0 a 1 5 new\n2 Q0 d 2 5 new\n3 Q0 y 1 2 new\n3 Q0 a 2 1 new\n"


@pytest.fixture(scope="module")
def simulated():
    return simulate_ranking(12, 20, random_state=0)


@pytest.fixture(scope="module")
def systems(simulated):
    return {"title": simulated.data.X[:, 1], "truth": simulated.true_utility()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory, systems):
    folder = tmp_path_factory.mktemp("compare")
    assert glassrank("data", "simulate", "sim.csv", "--queries", 12, "--documents", 20, folder=folder).code == 0
    for name, scores in systems.items():
        (folder / f"{name}.txt").write_text("".join(f"{score!r}\n" for score in scores.tolist()))
    for name, content in {"qrels.txt": QRELS, "old.run": OLD, "new.run": NEW}.items():
        (folder / name).write_text(content)
    return folder


def test_it_prints_the_librarys_comparison(folder, simulated, systems):
    data = simulated.data
    done = glassrank("compare", "sim.csv", "title=title.txt", "truth=truth.txt", folder=folder)
    expected = compare(systems, data.y, qid=data.qid, measure="ndcg@10", random_state=0)
    assert (done.code, done.err) == (0, "")
    assert done.out == f"{expected}\n"
    assert "convention standard" in done.out


def test_options_reach_the_library(folder, simulated, systems):
    data = simulated.data
    options = ["--measure", "map", "--measure", "p@5", "--baseline", "truth", "--convention", "letor", "--seed", 3]
    done = glassrank("compare", "sim.csv", "title=title.txt", "truth=truth.txt", *options, folder=folder)
    settings = {"qid": data.qid, "baseline": "truth", "convention": "letor", "random_state": 3}
    expected = [compare(systems, data.y, measure=measure, **settings) for measure in ("map", "p@5")]
    assert done.out == "{}\n\n{}\n".format(*expected)


def test_json_is_a_list_with_one_entry_per_measure(folder):
    measures = ["--measure", "ndcg@5", "--measure", "mrr"]
    done = glassrank("compare", "sim.csv", "title=title.txt", "truth=truth.txt", "--json", *measures, folder=folder)
    found = json.loads(done.out)
    assert [(entry["measure"], entry["convention"]) for entry in found] == [("ndcg@5", "standard"), ("mrr", "standard")]
    assert [system["name"] for system in found[0]["systems"]] == ["title", "truth"]
    assert found[0]["systems"][1]["difference"] > 0


def test_runs_are_measured_as_trec_eval_does(folder):
    """By hand: old has reciprocal ranks 1/2, 1/2, 0 (nothing for query 3), new 1, 1/2 (tie: d before a), 1/2."""
    done = glassrank(
        "compare", "qrels.txt", "old=old.run", "new=new.run", "--trec", "--measure", "mrr", "--json", folder=folder
    )
    (found,) = json.loads(done.out)
    assert found["convention"] == "trec"
    assert found["n_queries"] == 3
    assert [system["mean"] for system in found["systems"]] == pytest.approx([1 / 3, 2 / 3])
    assert (
        done.err == "old: left out 1 query without judgements.\nold: 1 judged query without a document in this run.\n"
    )


def test_runs_support_other_conventions(folder):
    done = glassrank(
        "compare", "qrels.txt", "old=old.run", "new=new.run", "--trec", "--measure", "mrr", "--convention", "standard",
        "--json", "--quiet", folder=folder,
    )  # fmt: skip
    (found,) = json.loads(done.out)
    assert (found["convention"], done.err) == ("standard", "")
    # The tie in query 2 has the average value, (1 + 1/2)/2.
    assert found["systems"][1]["mean"] == pytest.approx((1 + 0.75 + 0.5) / 3)


def test_conventions_that_need_a_file_order_are_refused_for_runs(folder):
    done = glassrank("compare", "qrels.txt", "old=old.run", "--trec", "--convention", "letor", folder=folder)
    assert done.code == 2
    assert "With --trec use standard, trec, sklearn." in done.err


def test_column_options_are_refused_for_trec_files(folder):
    done = glassrank("compare", "qrels.txt", "old=old.run", "--trec", "--query-column", "q", folder=folder)
    assert done.code == 2
    assert "leave out --from and the options of columns and names" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["title.txt"], "expected NAME=FILE, such as bm25=bm25.txt, got 'title.txt'."),
        (["=title.txt"], "expected NAME=FILE"),
        (["a="], "expected NAME=FILE"),
        (["a=title.txt", "a=truth.txt"], "the name 'a' appears twice."),
        (["a=title.txt", "--baseline", "b"], "--baseline must be one of a: got 'b'."),
        (["a=title.txt", "--measure", "ndgc"], "measure must be one of ndcg"),
        (["a=title.txt", "--convention", "trek"], "'trek' is not one of"),
        (["a=title.txt", "--weight-column", "w"], "No such option '--weight-column'"),
    ],
)
def test_bad_usage_is_refused_with_2(folder, arguments, message):
    done = glassrank("compare", "sim.csv", *arguments, folder=folder)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("0.5\nhigh\n", "bad.txt:2: expected one finite number, got 'high'."),
        ("0.5\n1 2\n", "bad.txt:2: expected one finite number, got '1 2'."),
        ("0.5\n0.25\n", "bad.txt: expected one score per row of the data, {n} in total, got 2 lines."),
        ("", "bad.txt: expected one score per row of the data, {n} in total, got 0 lines."),
    ],
)
def test_bad_scores_are_refused_with_file_and_line(folder, simulated, content, message):
    (folder / "bad.txt").write_text(content)
    done = glassrank("compare", "sim.csv", "title=title.txt", "bad=bad.txt", folder=folder)
    assert (done.code, done.out) == (1, "")
    assert done.err == f"Error: {message.format(n=simulated.data.n_rows)}\n"


def test_a_run_about_other_queries_is_refused_by_name(folder):
    (folder / "other.run").write_text("77 Q0 a 1 1 other\n")
    done = glassrank("compare", "qrels.txt", "old=old.run", "other=other.run", "--trec", folder=folder)
    assert done.code == 1
    assert done.err.startswith("Error: other: The run and the judgements share no query")


def test_a_comparison_does_not_depend_on_the_file_format(tmp_path):
    """CSV, LETOR and Parquet give the same comparison; the scores are columns cut out of the table."""
    for line in (
        "glassrank data simulate sim.csv --queries 15 --seed 2 --quiet",
        "glassrank data convert sim.csv sim.txt --number-queries --quiet",
        "glassrank data convert sim.txt sim.parquet --quiet",
        "tail -n +2 sim.csv | cut -d, -f5 > title.txt",
        "tail -n +2 sim.csv | cut -d, -f4 > clicks.txt",
    ):
        assert typed(line, tmp_path).code == 0
    described = [glassrank("data", "info", f"sim.{suffix}", folder=tmp_path).out for suffix in ("txt", "parquet")]
    assert described[0].split("\n", 1)[1] == described[1].split("\n", 1)[1]
    printed = [
        glassrank("compare", f"sim.{suffix}", "title=title.txt", "clicks=clicks.txt", folder=tmp_path)
        for suffix in ("csv", "txt", "parquet")
    ]
    data = simulate_ranking(15, random_state=2).data
    expected = compare({"title": data.X[:, 1], "clicks": data.X[:, 0]}, data.y, qid=data.qid, random_state=0)
    assert [done.out for done in printed] == [f"{expected}\n"] * 3


def test_measures_are_named_in_any_case(folder):
    pair = ["compare", "sim.csv", "title=title.txt", "truth=truth.txt"]
    found = glassrank(*pair, "--measure", "NDCG@5", "--measure", "Recall@5", "--measure", "ndcg@5", folder=folder)
    assert found.out == glassrank(*pair, "--measure", "ndcg@5", "--measure", "recall@5", folder=folder).out


def test_lists_too_short_for_letor4_are_reported(folder):
    pair = ["compare", "sim.csv", "title=title.txt", "truth=truth.txt", "--convention", "letor4"]
    done = glassrank(*pair, "--measure", "ndcg@20", folder=folder)
    assert "lists have fewer than 20 documents: letor4 counts their ndcg@20 as 0, whatever the order." in done.out


@pytest.fixture(scope="module")
def models(folder):
    """Two saved models, the second without the first feature."""
    names = (folder / "sim.csv").read_text(encoding="utf-8").splitlines()[0].split(",")[4:]
    fewer = [f"--feature={name}" for name in names]
    for name, options in (("full", []), ("fewer", fewer)):
        done = glassrank("train", "sim.csv", "--output", f"{name}.json", "--quiet", *options, folder=folder)
        assert done.code == 0
    return ["--model", "full.json", "--model", "fewer.json"]


def test_two_models_are_compared_as_the_library_compares_them(folder, models):
    done = glassrank("compare", "sim.csv", *models, "--output", "c.html", "--seed", 4, folder=folder)
    data = load_data(folder / "sim.csv")
    both = [load_model(folder / f"{name}.json") for name in ("full", "fewer")]
    expected = compare_models(*both, data, names=("full", "fewer"), random_state=4)
    assert (done.code, done.out) == (0, f"{expected}\n")
    assert "Wrote c.html." in done.err
    assert "fewer instead of full" in (folder / "c.html").read_text(encoding="utf-8")
    as_json = glassrank("compare", "sim.csv", *models, "--json", "--seed", 4, "-q", folder=folder)
    assert json.loads(as_json.out) == [json.loads(expected.to_json())]


def test_models_in_folders_are_told_apart_by_their_paths(folder, models):
    (folder / "old").mkdir(exist_ok=True)
    (folder / "old/full.json").write_bytes((folder / "fewer.json").read_bytes())
    done = glassrank("compare", "sim.csv", "--model", "full.json", "--model", "old/full.json", "-q", folder=folder)
    assert "Compared with full.json, old/full.json: " in done.out


MODEL_MISUSE = {
    "one model": (["--model", "full.json"], "--model must be given twice: got 1 model."),
    "scores too": (["title=title.txt", "--model", "full.json", "--model", "fewer.json"], "leave out NAME=SCORES"),
    "nothing": ([], "name the rankings, or give two models: --model"),
    "a page of scores": (["title=title.txt", "--output", "c.svg"], "--output needs two models"),
    "a page of two measures": (
        ["--model", "full.json", "--model", "fewer.json", "--output", "d.svg", "--measure", "map", "--measure", "mrr"],
        "--output shows one measure",
    ),
}


@pytest.mark.parametrize("case", MODEL_MISUSE)
def test_options_that_do_not_go_together_are_bad_usage(folder, models, case):
    arguments, message = MODEL_MISUSE[case]
    done = glassrank("compare", "sim.csv", *arguments, folder=folder)
    assert done.code == 2
    assert message in done.err
