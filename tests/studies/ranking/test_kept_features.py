"""How many features a study keeps: the guard, a given number, and one length of a line in all files and pages."""

import csv
import json

import pytest

import glassrank as gr
from glassrank.studies.ranking.study import study
from glassrank.studies.views.repeat_study import repeat_study
from glassrank.studies.views.saved_study import SavedStudy
from tests.guarded import N_TEST, guarded_data
from tests.quick_study import few_resamples_and_picks  # noqa: F401 - a fixture for all tests here

SETTINGS = {"measure": "pair_accuracy", "C": 1.0, "tune": 0}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    train, test = guarded_data()
    return study(train, test=test, folder=tmp_path_factory.mktemp("guarded"), **SETTINGS)


def test_all_features_are_kept_if_the_others_rank_significantly_worse(guarded):
    """Of 28 pairs, "steps" orders 16 and ties 12: 22/28; "detail" orders these, too. All 60 queries say the same."""
    said = "All 2 features are kept: 1 rank significantly worse (PAIR_ACCURACY 0.7857 against 1.0000, p = 0.0001)."
    assert guarded.elimination.n_kept == 2
    assert guarded.main[guarded.model].mean == 1.0
    assert guarded.main.n_queries == N_TEST
    assert said in guarded.lead()
    assert guarded.elimination.sentences()[0] == said
    assert gr.load_model(guarded.folder / "model.json").n_features_in_ == 2
    assert "full" not in guarded.scores
    assert guarded.n_kept == (2,)


def test_the_curve_and_the_files_show_the_model_that_is_shipped(guarded):
    with (guarded.folder / "selection.csv").open(newline="") as file:
        assert [(row["feature"], row["kept"]) for row in csv.DictReader(file)] == [("steps", "yes"), ("detail", "yes")]
    saved = SavedStudy.open(guarded.folder)
    assert saved.elimination == guarded.elimination
    assert saved.kept_features == ["steps", "detail"]
    assert "All 2 features are kept: 1 rank" in (guarded.folder / "report.html").read_text()


@pytest.mark.parametrize(("keep", "n_kept"), [(1, 1), ("literal", 1), (2, 2)])
def test_a_given_number_and_the_published_rule_are_obeyed(guarded, tmp_path, keep, n_kept):
    train, test = guarded_data()
    found = study(train, test=test, folder=tmp_path, keep=keep, **SETTINGS)
    assert found.elimination.n_kept == n_kept
    assert found.elimination.guard == ""
    assert f"the model with {n_kept} of 2 features" in found.lead()
    assert SavedStudy.open(tmp_path).recipe.keep == keep


def test_a_repeated_study_keeps_the_rule_and_forgets_a_number_that_was_for_other_features(tmp_path):
    train, test = guarded_data()
    study(train, test=test, folder=tmp_path / "one", keep=2, **SETTINGS)
    saved = SavedStudy.open(tmp_path / "one")
    assert "--keep=2" in repeat_study(saved, tmp_path / "two", "two")
    fewer = repeat_study(saved, tmp_path / "three", "three", features=["steps"])
    assert not any(word.startswith("--keep") for word in fewer)


@pytest.mark.parametrize(
    ("keep", "message"),
    [
        (3, "keep must be one of 2, 1 features: got 3"),
        (0, "keep must be 'best', 'one-se', 'literal' or a positive whole number: got 0"),
        ("most", "keep must be 'best', 'one-se', 'literal' or a positive whole number: got 'most'"),
    ],
)
def test_a_number_that_cannot_be_kept_is_refused_before_any_work(tmp_path, keep, message):
    train, test = guarded_data()
    steps = []
    with pytest.raises(gr.DataError, match=message):
        study(train, test=test, folder=tmp_path, keep=keep, progress=lambda *step: steps.append(step), **SETTINGS)
    assert not any("Choosing" in str(step) for step in steps)


@pytest.mark.parametrize("with_test", [False, True])
def test_the_length_of_a_line_is_the_same_in_every_file(tmp_path, with_test):
    """The mean over the training queries of the range of a feature's log-odds, by the saved model."""
    data = gr.simulate_ranking(40, 12, random_state=3).data
    train, test = data.split(0.5, random_state=0) if with_test else (data, None)
    found = study(train, test=test, folder=tmp_path, tune=0, keep=4)
    model = gr.load_model(tmp_path / "model.json")
    shown = train.pick_features(found.shown[found.model].feature_names)
    effects = gr.effects(model, shown.table)
    by_query = [effects.contributions(shown.X[shown.groups.rows(query)]) for query in range(shown.n_queries)]
    ranges = sum(own.max(axis=0) - own.min(axis=0) for own in by_query) / shown.n_queries
    expected = dict(zip(shown.feature_names, ranges.tolist(), strict=True))
    with (tmp_path / "selection.csv").open(newline="") as file:
        selection = {row["feature"]: float(row["line_length"]) for row in csv.DictReader(file) if row["kept"] == "yes"}
    written = json.loads((tmp_path / "effects.json").read_text())
    assert selection == pytest.approx(expected, rel=1e-9)
    assert {one["name"]: one["length"] for one in written["features"]} == pytest.approx(expected, rel=1e-9)
    assert written["length"] == "mean over the training queries of the range of effects"
    assert {line.feature: line.length for line in found.elimination.kept} == pytest.approx(expected, rel=1e-9)
    assert found.elimination.unit == written["unit"] == "log-odds"
    # The features that the elimination dropped are in the same unit: the last one was nearly as long as the next.
    last, shortest = found.elimination.dropped[-1].length, min(expected.values())
    assert 0.05 * shortest < last < 2.0 * shortest
