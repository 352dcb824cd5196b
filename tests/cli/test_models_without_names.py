"""A model saved without feature names: LETOR files number their features, but a table has an order of its own."""

import numpy as np
import pytest

import glassrank as gr
from tests.cli.commands import glassrank

NAMES = ["bm25", "clicks", "age"]
COMMANDS = {
    "rank": ["rank", "nameless.json", "DATA"],
    "explain": ["explain", "nameless.json", "DATA", "--query", "1", "--document", "0", "--against", "1"],
    "nomogram": ["nomogram", "nameless.json", "DATA", "--output", "lines.svg", "--force"],
    "compare": ["compare", "DATA", "--model", "nameless.json", "--model", "named.json"],
    "export": [
        "export",
        "nameless.json",
        "--format",
        "python",
        "--output",
        "out",
        "--force",
        "--rename",
        "auto",
        "--data",
        "DATA",
    ],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model with and without names, and its training data: as a table, with the columns reversed, and as LETOR."""
    folder = tmp_path_factory.mktemp("nameless")
    X = np.random.default_rng(0).normal(size=(40, 3)).round(2)
    qid = np.repeat([1, 2, 3, 4], 10)
    data = gr.RankingData(X, (X @ [3.0, 1.0, -1.0] > 0).astype(float), qid, feature_names=NAMES)
    gr.save_data(data, folder / "train.csv")
    gr.save_data(data.pick_features(NAMES[::-1]), folder / "reversed.csv")
    gr.save_letor(gr.RankingData(X, data.y, qid), folder / "train.txt")
    (folder / "names.txt").write_text("\n".join(NAMES))
    gr.save_model(gr.RankSVM().fit(data), folder / "named.json")
    gr.save_model(gr.RankSVM().fit(data.X, data.y, qid=data.qid), folder / "nameless.json")
    return folder


def run(command, data, *options, folder):
    return glassrank(*(data if word == "DATA" else word for word in COMMANDS[command]), *options, folder=folder)


def scores(done):
    assert done.code == 0, done.err
    return [float(line) for line in done.out.splitlines()]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_table_is_refused_until_its_order_is_vouched_for(command, folder):
    done = run(command, "reversed.csv", "--quiet", folder=folder)
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        "Error: reversed.csv: The model has no feature names, so nothing shows which of its features are the columns "
        "'age', 'clicks', 'bm25'. Fit the model to data with feature names, save it with the names of its features, or "
        "add --by-position if the columns have the order of the training data.\n"
    )
    done = run(command, "train.csv", "--by-position", "--quiet", folder=folder)
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_letor_file_numbers_its_features_so_that_their_order_is_known(command, folder):
    numbered = {"compare": ["compare", "train.txt", "--model", "nameless.json", "--model", "nameless.json"]}
    done = (
        glassrank(*numbered[command], folder=folder)
        if command in numbered
        else run(command, "train.txt", folder=folder)
    )
    assert done.code == 0, done.err


def test_by_position_the_scores_are_those_of_the_model_with_names(folder):
    expected = scores(glassrank("rank", "named.json", "reversed.csv", folder=folder))
    assert scores(run("rank", "train.csv", "--by-position", folder=folder)) == expected
    assert scores(run("rank", "train.txt", folder=folder)) == expected


def test_names_given_to_a_letor_file_are_names(folder):
    done = run("rank", "train.txt", "--feature-names", "names.txt", folder=folder)
    assert (done.code, "add --by-position" in done.err) == (1, True)


def test_a_folder_of_blocks_is_refused_like_the_table_that_it_was_made_of(folder):
    assert glassrank("data", "partition", "reversed.csv", "--output", "blocks", folder=folder).code == 0
    done = run("rank", "blocks", folder=folder)
    assert (done.code, "add --by-position" in done.err) == (1, True)
    assert len(scores(run("rank", "blocks", "--by-position", folder=folder))) == 40


@pytest.mark.parametrize(
    "arguments",
    [
        ["rank", "named.json", "train.csv"],
        ["explain", "named.json", "train.csv", "--query", "1", "--document", "0"],
        ["nomogram", "named.json", "train.csv", "--output", "n.svg"],
        ["compare", "train.csv", "--model", "named.json", "--model", "named.json"],
        ["compare", "train.csv", "a=scores.txt"],
        ["export", "named.json", "--format", "python", "--output", "e", "--data", "train.csv"],
        ["export", "nameless.json", "--format", "python", "--output", "e"],
    ],
    ids=" ".join,
)
def test_by_position_without_effect_is_bad_usage(arguments, folder):
    done = glassrank(*arguments, "--by-position", folder=folder)
    assert (done.code, done.out) == (2, "")
    assert "--by-position is for a table and a model without feature names: leave it out." in done.err


def test_saving_a_model_without_names_warns_and_the_remedies_keep_it_silent(folder, tmp_path, recwarn):
    data = gr.load_data(folder / "train.csv")
    model = gr.RankSVM().fit(data.X, data.y, qid=data.qid)
    with pytest.warns(UserWarning, match="saved without feature names: .* Fit it to data with feature names, or give"):
        gr.save_model(model, tmp_path / "m.json")
    recwarn.clear()
    gr.save_model(gr.RankSVM().fit(data), tmp_path / "m.json")
    gr.save_model(model, tmp_path / "m.json", feature_names=data.feature_names)
    assert not recwarn.list


@pytest.mark.parametrize("name", ["named", "nameless"])
def test_in_python_data_with_another_order_of_features_are_refused(name, folder):
    """A plain matrix has no names, and is taken by position."""
    data, other = (gr.load_data(folder / f"{which}.csv") for which in ("train", "reversed"))
    model, scorer = gr.load_model(folder / f"{name}.json"), gr.load_scorer(folder / f"{name}.json")
    frame = other.to_frame("pandas")[NAMES[::-1]]
    given = [(model.predict, other), (scorer.predict, other), (scorer.predict, frame)]
    for predict, rows in given:
        with pytest.raises(gr.DataError, match=r"in the same order: expected .*, got 'age'\. ") as error:
            predict(rows)
        remedy = "pick_features" if name == "named" else "Fit the model to data with feature names, or pass their"
        assert remedy in error.value.remedy
    assert scorer.predict(data.X).tolist() == model.predict(data.X).tolist()
    if name == "named":
        assert scorer.predict(other.pick_features(NAMES)).tolist() == scorer.predict(data.X).tolist()
        assert scorer.predict(frame[NAMES]).tolist() == scorer.predict(data.X).tolist()
