"""``glassrank nomogram``: pictures of a saved model without documents, and what it refuses."""

import json

import numpy as np
import pytest

from glassrank.cli.models import nomogram as command
from glassrank.data.load_data import load_data
from glassrank.drawing.theme import THEMES
from glassrank.modelfile.save_model import save_model
from glassrank.nomograms.figure.layout import ALIGNMENTS, TURNING
from glassrank.nomograms.figure.model_nomogram import MODEL_ORDERS, model_nomogram
from glassrank.ranking.additive_svc import AdditiveSVC
from glassrank.ranking.calibration import PairCalibrator
from glassrank.ranking.kernel_least_squares import KernelLeastSquaresRanker
from glassrank.ranking.rank_svm import RankSVM
from tests.cli.commands import glassrank


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nomogram")
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(40, 3)), np.full(40, 2.0)])
    y = (X[:, 0] - 0.5 * X[:, 1] > 0).astype(int)
    rows = "".join(f"{row // 10},{y[row]},{','.join(map(repr, X[row].tolist()))}\n" for row in range(40))
    (folder / "data.csv").write_text(f"qid,label,c,b,a,flat\n{rows}")
    data = load_data(folder / "data.csv")
    models = {
        "plain": RankSVM(),
        "sure": PairCalibrator(RankSVM(kernel="lrbf"), random_state=0),
        "pairs": RankSVM(kernel="lrbf", mode="difference"),
        "kernel": KernelLeastSquaresRanker(),
    }
    for name, model in models.items():
        save_model(model.fit(data), folder / f"{name}.json")
    save_model(AdditiveSVC(random_state=0).fit(data.X, y), folder / "class.json", feature_names=data.feature_names)
    return folder


@pytest.mark.parametrize("model", ["plain", "sure", "pairs", "class"])
def test_every_additive_model_is_drawn(model, folder):
    arguments = ["--output", f"{model}.svg", "--rows", "4"]
    done = glassrank("nomogram", f"{model}.json", "data.csv", *arguments, folder=folder)
    assert (done.code, done.err) == (0, f"Wrote {model}.svg.\n")
    picture = (folder / f"{model}.svg").read_text()
    assert all(f" {name}<" in picture for name in ("a", "b", "c", "flat"))
    assert ("P(A above B)" in picture) == (model == "sure")
    assert ("P(1)" in picture) == (model == "class")


def test_lengths_are_the_ranges_of_the_effects_within_a_query(folder):
    """By hand: a linear feature's line is |w| times the mean over queries of its range."""
    data = load_data(folder / "data.csv")
    weights = RankSVM().fit(data).coef_
    ranges = [np.ptp(data.X[data.qid == query], axis=0) for query in np.unique(data.qid)]
    expected = np.abs(weights) * np.mean(ranges, axis=0)
    done = glassrank("nomogram", "plain.json", "data.csv", "--output", "l.svg", "--json", "-q", folder=folder)
    found = {row["feature"]: row["length"] for row in json.loads(done.out)["features"]}
    assert [found[name] for name in data.feature_names] == pytest.approx(expected.tolist(), abs=1e-12)
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert found["flat"] == 0


def test_the_constant_of_a_classifier_completes_the_sum(folder):
    """The effects read from lines that start at the left, plus the constant, are the classifier's log-odds."""
    data = load_data(folder / "data.csv")
    model = AdditiveSVC(random_state=0).fit(data.X, data.y)
    picture = model_nomogram(model, data)
    read = sum(float(row.line.feature(data.X[3, row.k]) - row.line.lowest) for row in picture.layout.rows)
    constant = float(model.decision_function(data.X[[3]])[0]) - read
    texts = [mark["encode"]["update"]["text"] for mark in picture.specification()["marks"] if mark["type"] == "text"]
    words = " ".join(text["value"] for text in texts if "value" in text)
    assert f"Add up the effects and {'−' if constant < 0 else '+'}{abs(constant):.2f} for the total" in words


@pytest.mark.parametrize("suffix", [".html", ".svg", ".png", ".pdf"])
def test_all_formats_are_written(suffix, folder):
    done = glassrank("nomogram", "sure.json", "data.csv", "--output", f"m{suffix}", "-q", folder=folder)
    assert (done.code, done.err) == (0, "")
    assert (folder / f"m{suffix}").stat().st_size > 1000


def test_options_change_the_picture(folder):
    pictures = []
    for number, options in enumerate(
        [
            [],
            ["--rows", 1],
            ["--order", "name"],
            ["--lines", "folded"],
            ["--align", "zero"],
            ["--theme", "dark"],
            ["--title", "My model"],
        ]
    ):
        name = f"o{number}.svg"
        done = glassrank("nomogram", "sure.json", "data.csv", "--output", name, "-q", *options, folder=folder)
        assert done.code == 0, done.err
        pictures.append((folder / name).read_text())
    assert len(set(pictures)) == len(pictures)
    assert "3 features: no line is longer than" in pictures[1]
    assert "My model" in pictures[-1]


def test_labels_are_optional(folder):
    rows = [line.split(",") for line in (folder / "data.csv").read_text().splitlines()]
    (folder / "new.csv").write_text("\n".join(",".join([row[0], *row[2:]]) for row in rows) + "\n")
    done = glassrank("nomogram", "plain.json", "new.csv", "--output", "new.svg", folder=folder)
    assert done.code == 0, done.err


def test_a_file_is_only_overwritten_with_force(folder):
    arguments = ["nomogram", "plain.json", "data.csv", "--output", "again.svg", "-q"]
    assert glassrank(*arguments, folder=folder).code == 0
    done = glassrank(*arguments, folder=folder)
    assert (done.code, done.out, "overwrite it with --force" in done.err) == (1, "", True)
    assert glassrank(*arguments, "--force", folder=folder).code == 0


@pytest.mark.parametrize(
    "arguments",
    [[], ["--output", "m.docx"], ["--output", "page.html", "--theme", "dark"], ["--output", "m.svg", "--rows", 0]],
    ids=str,
)
def test_bad_usage_ends_with_2(arguments, folder):
    done = glassrank("nomogram", "plain.json", "data.csv", *arguments, folder=folder)
    assert (done.code, done.out) == (2, "")


def test_a_model_that_mixes_features_is_refused(folder):
    done = glassrank("nomogram", "kernel.json", "data.csv", "--output", "k.svg", folder=folder)
    assert (done.code, done.out) == (1, "")
    assert "its kernel mixes all features" in done.err
    assert not (folder / "k.svg").exists()


def test_lists_repeated_for_help_match_the_library():
    assert command.ORDERS == MODEL_ORDERS
    assert command.LINES == TURNING
    assert command.ALIGNMENTS == ALIGNMENTS
    assert tuple(THEMES) == command.THEMES
