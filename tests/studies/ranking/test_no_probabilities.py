"""A model whose held-out pairs would reverse the order: it is trained, stored and explained without probabilities."""

import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold

import glassrank as gr
from glassrank.studies.ranking.study import study
from glassrank.studies.ranking.trainers import train_model
from glassrank.studies.views.saved_study import SavedStudy
from tests.cli.commands import glassrank
from tests.quick_study import few_resamples_and_picks  # noqa: F401 - a fixture for all tests here
from tests.reference.pairs import comparable_pairs
from tests.reversing import reversing_data


@pytest.fixture(scope="module")
def data():
    return reversing_data()


@pytest.fixture(scope="module")
def made(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    systems = {"against": -data.y + 0.01 * data.X[:, 1], "with": data.y + 0.01 * data.X[:, 1]}
    return study(data, folder=folder, systems=systems, tune=0)


@pytest.fixture(scope="module")
def files(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    gr.save_data(data, folder / "shop.csv")
    return folder


def test_training_says_in_its_first_line_that_there_are_no_probabilities(data, files):
    done = glassrank("train", "shop.csv", "--output", "model.json", folder=files)
    assert done.code == 0
    first = done.out.splitlines()[0]
    right = []
    for train, held_out in GroupKFold(3).split(data.X, data.y, data.qid):
        scores = train_model(data.pick_rows(train), calibrate=False).estimator.predict(data.X[held_out])
        pairs = comparable_pairs(data.y[held_out], data.qid[held_out])
        right += [scores[i] > scores[j] for i, j in pairs]
    assert "without probabilities" in first
    assert f"{np.mean(right):.1%} of the 180 held-out pairs are in the right order" in first
    model = gr.load_model(files / "model.json")
    alone = train_model(data, calibrate=False).estimator
    np.testing.assert_array_equal(model.predict(data.table), alone.predict(data.table))
    assert not hasattr(model, "predict_pair_proba")


def test_the_json_of_a_training_has_the_reason_and_the_accuracy(files):
    done = glassrank("train", "shop.csv", "--output", "json.json", "--json", folder=files)
    found = json.loads(done.out)
    assert found["no_probabilities"].startswith("P(A above B) would reverse the order")
    assert found["held_out_accuracy"] < 0.1


def test_calibrating_by_pairs_that_reverse_the_order_is_an_error_whose_remedy_works(files):
    judged = gr.simulate_ranking(10, 8, random_state=0).data.pick_features([0, 1])
    gr.save_data(judged, files / "judged.csv")
    gr.save_data(replace(judged, y=judged.y.max() - judged.y), files / "against.csv")
    train = ["train", "judged.csv", "--output", "plain.json", "--no-calibrate", "--quiet", "--force"]
    assert glassrank(*train, folder=files).code == 0
    a, b = judged.doc_ids[judged.groups.rows(0)[:2]]
    explain = ["explain", "plain.json", "judged.csv", "--query", judged.qid[0], "--document", a, "--against", b]
    for labels, code in (("judged.csv", 0), ("against.csv", 1)):
        done = glassrank(*explain, "--calibrate", labels, folder=files)
        assert done.code == code
    assert "held-out pairs are in the right order" in done.err
    assert "or leave out --calibrate" in done.err
    assert glassrank(*explain, folder=files).code == 0


def test_a_study_says_so_first_and_stores_the_ranker(made, data):
    assert str(made).splitlines()[0].endswith(", without probabilities")
    assert made.lead().startswith("The model has no probabilities. P(A above B) would reverse the order")
    model = gr.load_model(made.folder / "model.json")
    assert not hasattr(model, "predict_pair_proba")
    shown = made.shown[made.model]
    np.testing.assert_allclose(model.predict(shown.table), made.explained[made.model].predict(shown.table))
    effects = json.loads((made.folder / "effects.json").read_text())
    assert effects["unit"] == made.elimination.unit == "score"


def test_probabilities_that_are_far_off_are_named_in_the_first_paragraph(tmp_path):
    """Documents differ by 1 and are always in order, or by 6 and nearly never: no sigmoid fits both."""
    rng = np.random.default_rng(0)
    wide = np.arange(20) % 3 == 0
    y = np.tile([1.0, 0.0], 20)
    gaps = np.where(wide, np.where(rng.random(20) < 0.6, 6.0, -6.0), 1.0)
    X = np.column_stack([np.column_stack([gaps, np.zeros(20)]).ravel(), rng.normal(size=40)])
    found = study(gr.RankingData(X, y, np.repeat(np.arange(20), 2)), folder=tmp_path, C=1.0, tune=0)
    assert found.no_probabilities == ""
    assert found.reliability.calibration_gap > 0.05
    assert f"Its probabilities are off by {found.reliability.calibration_gap:.2f} on average" in found.lead()


def test_systems_are_told_apart_by_whether_their_pairs_give_probabilities(made):
    assert "with" in made.reliabilities
    assert "against" not in made.reliabilities
    assert made.reliability is None
    numbers = json.loads(made.to_json())
    assert numbers["reliability"] is None
    page = (made.folder / "report.html").read_text()
    assert "The model has no probabilities." in page
    assert "none: the larger a difference of scores, the less often the order is right" in page


def test_a_resumed_study_is_the_same(made, data):
    said = []
    again = study(data, folder=made.folder, tune=0, progress=lambda *step: said.append(step[-1]))
    assert any("Resampling" in step and "reused" in step for step in said)
    assert again.no_probabilities == made.no_probabilities
    assert again.elimination == made.elimination
    saved = SavedStudy.open(made.folder)
    assert saved.effects_with(saved.elimination.n_kept)[0].unit == "score"
    assert len(saved.samples.replicates) == 4


def test_the_model_of_such_a_study_can_be_exported(made, files):
    model = str(made.folder / "model.json")
    done = glassrank("export", model, "--format", "python", "--output", "scores", folder=files)
    assert done.code == 0
    assert not any("SLOPE" in path.read_text() for path in (files / "scores").iterdir())
