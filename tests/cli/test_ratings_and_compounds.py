"""The two applications of ELMRank from the command line: items for users, and compounds by their activity."""

import json

import numpy as np
import pytest

import glassrank as gr
from tests.cli.commands import glassrank
from tests.quick_study import few_resamples_and_picks  # noqa: F401 - a fixture for all tests here
from tests.reference.pairs import pair_accuracy

COMPOUNDS = ["--one-query", "--label-column", "activity", "--document-column", "name", "--split-column", "set"]
MODEL = ["--model", "elm-rank-cv", "--n-nodes", 20]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Ratings by 24 users of 12 items, and 60 compounds, 36 of them to train with; both simulated."""
    folder = tmp_path_factory.mktemp("applications")
    rng = np.random.default_rng(0)
    taste, item = rng.normal([1.5, 0.0], size=(24, 2)), rng.normal(size=(12, 2))
    rated = [(u, i) for u in range(24) for i in range(12) if rng.random() < 0.8]
    lines = [f"u{u},i{i},{taste[u] @ item[i] + 0.2 * rng.normal():.2f}" for u, i in rated]
    (folder / "ratings.csv").write_text("\n".join(["user,item,rating", *lines]) + "\n")
    X = rng.normal(size=(60, 3))
    activity = X[:, 0] - 0.5 * X[:, 1] ** 2 + 0.1 * rng.normal(size=60)
    part = np.repeat(["train", "test", "left"], [36, 20, 4])
    rows = [
        f"c{k}\t{activity[k]:.4f}\t{part[k]}\t{-activity[k]:.4f}\t" + "\t".join(f"{value:.4f}" for value in X[k])
        for k in range(60)
    ]
    (folder / "compounds.tsv").write_text("\n".join(["name\tactivity\tset\tIC50\tS_a\tS_b\tMW", *rows]) + "\n")
    return folder


@pytest.fixture(scope="module")
def tasks(folder):
    arguments = ["ratings.csv", "tasks.parquet", "--reference-users", 6, "--unrated", "new.parquet"]
    done = glassrank("data", "ratings", *arguments, folder=folder)
    assert done.code == 0, done.err
    return done


def test_ratings_become_tasks_and_unrated_items(tasks, folder):
    assert "18 users, 12 items, 6 features" in tasks.err
    expected = gr.load_ratings(folder / "ratings.csv", reference_users=6, random_state=0)
    for name, data in (("tasks.parquet", expected.data), ("new.parquet", expected.unrated())):
        label = {} if data.is_judged else {"label": None}
        found = gr.load_data(folder / name, **label)
        np.testing.assert_array_equal(found.X, data.X)
        assert (found.qid.tolist(), found.doc_ids.tolist()) == (data.qid.tolist(), data.doc_ids.tolist())


def test_named_reference_users_and_selected_users(folder):
    done = glassrank(
        *["data", "ratings", "ratings.csv", "one.csv", "--reference-user", "u1", "--reference-user", "u2"],
        *["--for-user", "u5", "--fill", "keep"],
        folder=folder,
    )
    assert done.code == 0, done.err
    found = gr.load_data(folder / "one.csv")
    assert (found.feature_names, set(found.qid)) == (("user u1", "user u2"), {"u5"})
    both = glassrank(
        "data", "ratings", "ratings.csv", "x.csv", "--reference-user", "u1", "--reference-users", 2, folder=folder
    )
    assert (both.code, "leave out one of them" in both.err) == (2, True)


def test_unrated_items_are_ranked_by_a_model_of_the_ratings(tasks, folder):
    done = glassrank("train", "tasks.parquet", *MODEL, "--output", "items.json", folder=folder)
    assert done.code == 0, done.err
    ranked = glassrank("rank", "items.json", "new.parquet", "--json", folder=folder)
    assert ranked.code == 0, ranked.err
    new = gr.load_data(folder / "new.parquet", label=None)
    scores = gr.load_model(folder / "items.json").predict(new)
    listed = {
        (one["query"], item["document"]): item["score"] for one in json.loads(ranked.out) for item in one["documents"]
    }
    assert listed == pytest.approx(
        {(query, document): score for query, document, score in zip(new.qid, new.doc_ids, scores, strict=True)}
    )


def test_a_study_fits_further_models_in_its_folds(tasks, folder):
    also = ["--also", "elm-rank-cv:n-nodes=20", "--also", "elm-rank:nodes=additive,n_nodes=20,alpha=0.1"]
    done = glassrank("study", "tasks.parquet", "--measure", "pair_accuracy", *also, "--json", folder=folder)
    assert done.code == 0, done.err
    assert "elm-rank-cv:n-nodes=20: compared, but not explained" in done.err
    assert "NDCG and MAP are left out" in done.err
    assert "elm-rank:nodes=additive" not in next(line for line in done.err.splitlines() if "not explained" in line)
    found = json.loads(done.out)
    assert [one["measure"] for one in found["comparisons"]] == ["pair_accuracy"]
    assert {"elm-rank-cv:n-nodes=20", "elm-rank:nodes=additive,n_nodes=20,alpha=0.1"} <= {
        row["name"] for row in found["comparisons"][0]["systems"]
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("elm", "--also must name one of rank-svm"),
        ("additive-svc", "--also must name one of rank-svm"),
        ("elm-rank:C=1", "C is not an option of elm-rank"),
        ("elm-rank:alpha=x", "not a positive number"),
        ("elm-rank:n-nodes", "expected options of glassrank train as option=value"),
    ],
)
def test_further_models_are_checked_before_any_work(text, expected, folder):
    done = glassrank("study", "absent.csv", "--also", text, folder=folder)
    assert (done.code, expected in done.err) == (2, True), done.err


def test_compounds_are_trained_on_one_part_and_ranked_on_another(folder):
    features = ["--feature", "S_*", "--feature", "MW"]
    done = glassrank("train", "compounds.tsv", *COMPOUNDS, *features, *MODEL, "--output", "c.json", folder=folder)
    assert done.code == 0, done.err
    assert (
        "compounds.tsv: left out 24 of 60 rows: 4 with 'left' in column 'set', 20 with 'test' in column 'set'."
        in done.err
    )
    assert "1 query, 36 documents, 3 features" in done.out
    ranked = glassrank("rank", "c.json", "compounds.tsv", *COMPOUNDS, "--part", "test", folder=folder)
    assert ranked.code == 0, ranked.err
    scores = np.array([float(line) for line in ranked.out.splitlines()])
    test = gr.load_data(folder / "compounds.tsv", qid=None, label="activity", document="name", split="set", part="test")
    assert test.feature_names == ("IC50", "S_a", "S_b", "MW")
    assert pair_accuracy(scores, test.y) > 0.8


def test_one_compound_is_explained_by_an_additive_model(folder):
    features = ["--feature", "S_a..MW"]
    model = ["--model", "elm-rank", "--nodes", "additive", "--n-nodes", 20, "--output", "additive.json"]
    assert glassrank("train", "compounds.tsv", *COMPOUNDS, *features, *model, folder=folder).code == 0
    part = ["--part", "test", "--query", "test", "--document", "c40"]
    done = glassrank("explain", "additive.json", "compounds.tsv", *COMPOUNDS, *part, folder=folder)
    assert done.code == 0, done.err
    assert "query test: the document against the median document" in done.out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["data", "info", "compounds.tsv", "--one-query", "--query-column", "set"], "exclude each other"),
        (["data", "info", "compounds.txt", "--one-query"], "--one-query is for tables"),
        (["data", "info", "compounds.txt", "--split-column", "set"], "give its format with --from"),
        (["study", "compounds.tsv", "--test-part", "test"], "need --split-column"),
        (["study", "compounds.tsv", "--split-column", "set", "--test", "x.csv"], "leave out --valid and --test"),
    ],
)
def test_options_that_contradict_each_other_are_bad_usage(arguments, expected, folder):
    done = glassrank(*arguments, folder=folder)
    assert (done.code, expected in done.err) == (2, True), done.err


def test_a_study_is_divided_by_a_column_like_by_files(tasks, folder):
    data = gr.load_data(folder / "tasks.parquet")
    frame = data.to_frame("polars")
    parts = dict(zip(data.groups.ids.tolist(), ["train"] * 10 + ["valid"] * 4 + ["test"] * 4, strict=True))
    divided = frame.with_columns(set=frame["qid"].replace_strict(parts))
    divided.write_parquet(folder / "divided.parquet")
    for part in ("train", "valid", "test"):
        divided.filter(divided["set"] == part).drop("set").write_parquet(folder / f"{part}.parquet")
    common = ["--measure", "pair_accuracy", "--tune", 0, "--json", "--quiet"]
    files = ["study", "train.parquet", "--valid", "valid.parquet", "--test", "test.parquet", "--folder", "files"]
    column = ["study", "divided.parquet", "--split-column", "set", "--folder", "column"]
    by_files, by_column = (glassrank(*arguments, *common, folder=folder) for arguments in (files, column))
    assert by_files.code == by_column.code == 0, by_column.err
    one, two = (json.loads(done.out)["comparisons"] for done in (by_files, by_column))
    assert one == two


def test_a_file_with_tabs_and_real_activities_is_read_as_it_is_published(real_data, tmp_path):
    text = (real_data / "qsar" / "dhfr_25d_desc.txt").read_text()
    (tmp_path / "dhfr.txt").write_text(f'"compound"{text}')
    columns = ["--from", "tsv", "--one-query", "--label-column", "Activity", "--document-column", "compound"]
    done = glassrank(
        *[
            "data",
            "info",
            "dhfr.txt",
            *columns,
            "--feature",
            "S_sCH3..",
            "--split-column",
            "set",
            "--part",
            "1",
            "--json",
        ],
        folder=tmp_path,
    )
    assert done.code == 0, done.err
    found = json.loads(done.out)[0]
    assert (found["n_rows"], found["n_queries"], found["n_features"]) == (237, 1, 70)
    assert "left out 160 of 397 rows: 124 with '2' in column 'set', 36 with '3' in column 'set'." in done.err
