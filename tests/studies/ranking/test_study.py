"""gr.study(): its results and files, and that an interruption loses nothing."""

import csv
import json
from dataclasses import replace

import lightgbm
import numpy as np
import pytest
from scipy import sparse
from scipy.special import logit
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import glassrank as gr
from glassrank.core.checks import DataError
from glassrank.data.ranking_data import RankingData
from glassrank.nomograms.elimination.eliminated import EliminationResult
from glassrank.studies.ranking import resampled_models
from glassrank.studies.ranking.recipe import Recipe
from glassrank.studies.ranking.study import study
from glassrank.studies.ranking.systems import HeldOutScores
from tests.quick_study import few_resamples_and_picks  # noqa: F401 - a fixture for all tests here
from tests.report_pages import without_times

STEPS = [
    "C",
    "elimination",
    *(f"{step}-{number}" for number in range(1, 6) for step in ("fold", "lightgbm")),
    "resamples",
]
FILES = ["effects.json", "model.json", "selection.csv"]


@pytest.fixture(scope="module")
def data():
    return gr.simulate_ranking(30, 12, random_state=0).data.pick_features([0, 1, 2, 9, 10, 14, 15, 16, 17])


@pytest.fixture(scope="module")
def made(data, tmp_path_factory):
    """One study that the tests below share; none of them changes its folder."""
    return study(data, folder=tmp_path_factory.mktemp("made"))


def kept_step(folder, name):
    return json.loads((folder / "steps" / f"{name}.json").read_text())["result"]


def copy_steps(made, folder):
    """Put the finished steps of one study into the folder of another."""
    (folder / "steps").mkdir()
    for name in STEPS:
        (folder / "steps" / f"{name}.json").write_bytes((made / "steps" / f"{name}.json").read_bytes())


def stop_at(beginning):
    """Return a progress function that raises KeyboardInterrupt when a step begins."""

    def progress(done, total, what):
        if what.startswith(beginning):
            raise KeyboardInterrupt

    return progress


def found_by(result):
    """All numbers of a study."""
    found = result.to_dict()
    del found["folder"], found["times"]
    return found, [(query.query, query.value) for query in result.hardest]


def with_labels(data, y):
    return RankingData(data.X, y, data.qid, data.doc_ids, data.feature_names)


def renamed(data, letter):
    """The same documents under other queries."""
    return RankingData(data.X, data.y, np.char.add(letter, data.qid.astype(str)), data.doc_ids, data.feature_names)


def test_an_interrupted_study_resumes_with_the_same_result(data, made, tmp_path, monkeypatch):
    with pytest.raises(KeyboardInterrupt):
        study(data, folder=tmp_path, progress=stop_at("Measuring on held-out queries, fold 3"))
    assert {path.stem for path in (tmp_path / "steps").iterdir()} == set(STEPS[:6])
    assert not (tmp_path / "report.html").exists()
    done = {name: (tmp_path / "steps" / f"{name}.json").stat().st_mtime_ns for name in STEPS[:6]}
    measured = []
    whole = Recipe.held_out_scores
    monkeypatch.setattr(Recipe, "held_out_scores", lambda *args: measured.append(1) or whole(*args))
    again = study(data, folder=tmp_path)
    assert len(measured) == 3
    assert {name: (tmp_path / "steps" / f"{name}.json").stat().st_mtime_ns for name in done} == done
    assert found_by(again) == found_by(made)
    assert [(tmp_path / name).read_bytes() for name in FILES] == [(made.folder / name).read_bytes() for name in FILES]


def test_a_study_stopped_after_resampling_does_not_train_the_resamples_again(data, made, tmp_path, monkeypatch):
    copy_steps(made.folder, tmp_path)
    monkeypatch.setattr(resampled_models, "fit_resamples", lambda *_, **__: pytest.fail("trained again"))
    assert found_by(study(data, folder=tmp_path)) == found_by(made)
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (made.folder / name).read_bytes()
    pages = [(folder / "report.html").read_text(encoding="utf-8") for folder in (tmp_path, made.folder)]
    assert without_times(pages[0]) == without_times(pages[1])


def test_a_reused_step_keeps_the_time_of_the_run_that_computed_it(data, made, tmp_path):
    copy_steps(made.folder, tmp_path)
    again = study(data, folder=tmp_path).times
    stored = {label: seconds for label, seconds in made.times.items() if seconds == again[label]}
    assert len(stored) == len(STEPS)
    assert min(stored.values()) > 0.0


def test_the_report_shows_the_time_of_every_step_and_a_file_also_its_own(made):
    with (made.folder / "times.csv").open(newline="") as file:
        rows = {row["step"]: float(row["cpu_seconds"]) for row in csv.DictReader(file)}
    assert list(rows) == [*made.times, "Writing the report"]
    assert rows["Eliminating features, nested estimate included"] > 0.0
    page = (made.folder / "report.html").read_text(encoding="utf-8")
    times = page.partition("Computing time</h2>")[2].partition("</table>")[0]
    assert "<td>Measuring on held-out queries (5 folds)</td>" in times
    assert f'<td>total</td><td class="number">{sum(made.times.values()):,.1f}</td>' in times


def test_only_a_damaged_step_is_computed_again(data, made, tmp_path, monkeypatch):
    copy_steps(made.folder, tmp_path)
    damaged = tmp_path / "steps" / "fold-2.json"
    damaged.write_bytes(damaged.read_bytes()[:50])
    measured = []
    whole = Recipe.held_out_scores
    monkeypatch.setattr(Recipe, "held_out_scores", lambda *args: measured.append(1) or whole(*args))
    assert found_by(study(data, folder=tmp_path)) == found_by(made)
    assert len(measured) == 1
    assert kept_step(tmp_path, "fold-2") == kept_step(made.folder, "fold-2")


@pytest.mark.parametrize("change", ["label", "option"])
def test_changed_data_or_options_start_from_scratch(change, data, tmp_path):
    """A stored step with an impossible result would be noticed if it were reused."""
    with pytest.raises(KeyboardInterrupt):
        study(data, folder=tmp_path, progress=stop_at("Eliminating"))
    path = tmp_path / "steps" / "C.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"result": {"C": -1.0, "gamma": "scale", "tried": []}}))
    y = data.y.copy()
    y[0] = 4 - y[0]
    other, options = (with_labels(data, y), {}) if change == "label" else (data, {"measure": "map"})
    with pytest.raises(KeyboardInterrupt):
        study(other, folder=tmp_path, progress=stop_at("Eliminating"), **options)
    assert kept_step(tmp_path, "C")["C"] > 0


def test_a_fold_is_measured_by_the_whole_recipe_on_the_other_folds(data, made):
    train, held_out = next(GroupKFold(5).split(data.X, data.y, data.groups.of_row))
    X, y, qid = data.X[train], data.y[train], data.qid[train]
    search = gr.RankSVMCV((0.01, 0.1, 1.0, 10.0, 100.0), 3, "ndcg@10")
    C = search.fit(StandardScaler().fit_transform(X), y, qid=qid).C_
    ranker = make_pipeline(StandardScaler(), gr.RankSVM(C, C_unit="mean", tol=1e-7))
    rfe = gr.NomogramRFE(ranker, cv=3, scoring="ndcg@10", random_state=0).fit(X, y, qid=qid)
    found = kept_step(made.folder, "fold-1")
    assert (found["C"], found["n_kept"]) == (C, rfe.n_features_)
    assert found["kept"] == pytest.approx(rfe.predict(data.X[held_out]), abs=1e-9)


def test_scores_of_a_fold_do_not_depend_on_its_own_labels(data, made, tmp_path):
    _, held_out = next(GroupKFold(5).split(data.X, data.y, data.groups.of_row))
    y = data.y.copy()
    y[held_out] = np.random.default_rng(0).permutation(y[held_out])
    with pytest.raises(KeyboardInterrupt):
        study(with_labels(data, y), folder=tmp_path, progress=stop_at("Measuring on held-out queries, fold 2"))
    assert kept_step(tmp_path, "fold-1") == kept_step(made.folder, "fold-1")


def test_systems_and_sentences_agree_with_compare(data, made):
    scores = {name: np.empty(data.n_rows) for name in ("kept", "full", "single", "lightgbm")}
    for number, (_, rows) in enumerate(GroupKFold(5).split(data.X, data.y, data.groups.of_row), start=1):
        found = kept_step(made.folder, f"fold-{number}")
        found["lightgbm"] = kept_step(made.folder, f"lightgbm-{number}")["scores"]
        for name, column in scores.items():
            column[rows] = found[name]
    expected = gr.compare(scores, data.y, qid=data.qid, baseline="kept", asked=[], random_state=0)
    assert made.main.systems == tuple(sorted(expected.systems, key=lambda one: -one.mean))
    assert [one.measure for one in made.comparisons] == ["ndcg@10", "ndcg@1", "ndcg@5", "map"]
    lead = made.lead()
    assert f"{made.elimination.n_kept} of 9 features reaches NDCG@10 {expected['kept'].mean:.3f}" in lead
    for one in expected.others:
        assert f"Compared with {made.main.label('kept')}, {made.main.label(one.name)}: {one.verdict}, " in lead


def test_report_and_json_state_the_version_of_the_lightgbm_that_was_compared(made):
    assert made.to_dict()["versions"]["LightGBM"] == lightgbm.__version__
    reproduce = (made.folder / "report.html").read_text().partition("Reproduce</h2>")[2]
    assert f"<dt>LightGBM</dt><dd>{lightgbm.__version__}</dd>" in reproduce


def test_a_model_is_not_compared_with_itself(data, tmp_path):
    """All three features are kept, so that the model with all features is the study's own."""
    found = study(data.pick_features([0, 1, 2]), folder=tmp_path, tune=0)
    assert found.elimination.n_kept == 3
    assert {system.name for system in found.main.systems} == {"kept", "single", "lightgbm"}
    assert "with all 3 features" not in found.lead()
    assert len(found.n_kept) == 5
    kept = ", ".join(map(str, found.n_kept))
    assert f"Features kept in each measured fold: {kept}." in (tmp_path / "report.html").read_text()


def test_with_test_data_the_saved_model_is_the_one_that_is_measured(data, tmp_path):
    parts = [data.pick_queries(data.groups.ids[start : start + 10]) for start in (0, 10, 20)]
    train, valid, test = parts[0], renamed(parts[1], "v"), renamed(parts[2], "t")
    found = study(train, valid, test, tmp_path)
    model = gr.load_model(tmp_path / "model.json")
    kept = test.pick_features(
        [line["name"] for line in json.loads((tmp_path / "effects.json").read_text())["features"]]
    )
    expected = gr.evaluate(test.y, model.predict(kept.X), qid=test.qid, measures=["ndcg@10"])["ndcg@10"]
    assert found.main[found.model].mean == pytest.approx(expected, abs=1e-12)
    assert (model.n_queries_, found.evaluation, found.facts["Test"]) == (
        20,
        "test queries",
        f"10 queries, {test.n_rows} documents",
    )


def test_effects_on_file_add_up_to_the_log_odds_of_the_saved_model(data, made):
    content = json.loads((made.folder / "effects.json").read_text())
    features = content["features"]
    rows = data.pick_features([one["name"] for one in features]).X
    model = gr.load_model(made.folder / "model.json")
    # Curves cover the range of their lines; rare values lie outside.
    inside = rows[np.all([(one["low"] <= x) & (x <= one["high"]) for one, x in zip(features, rows.T, strict=True)], 0)]
    A, B = inside[:100], inside[100:200]
    curves = [
        np.interp(A[:, k], one["values"], one["effects"]) - np.interp(B[:, k], one["values"], one["effects"])
        for k, one in enumerate(features)
    ]
    assert content["unit"] == "log-odds"
    assert np.sum(curves, axis=0) == pytest.approx(logit(model.predict_pair_proba(A, B)), abs=1e-9)
    assert all(min(one["standard_errors"]) >= 0 < max(one["standard_errors"]) for one in features)


def test_lengths_on_file_are_mean_ranges_within_queries(data, made):
    features = json.loads((made.folder / "effects.json").read_text())["features"]
    for one in features:
        # A straight line, also beyond the listed values.
        slope = (one["effects"][-1] - one["effects"][0]) / (one["values"][-1] - one["values"][0])
        values = slope * data.pick_features([one["name"]]).X[:, 0]
        ranges = [np.ptp(values[data.qid == query]) for query in data.groups.ids]
        assert one["length"] == pytest.approx(np.mean(ranges), abs=1e-9)


def test_the_selection_on_file_matches_the_elimination(data, made):
    with (made.folder / "selection.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["feature"] for row in rows} == set(data.feature_names)
    kept = [row for row in rows if row["kept"] == "yes"]
    assert [(row["feature"], float(row["line_length"])) for row in kept] == [
        (line.feature, line.length) for line in made.elimination.kept
    ]
    dropped = [row for row in reversed(rows) if row["kept"] == "no"]
    assert len(dropped) > 1
    assert [row["feature"] for row in dropped] == [line.feature for line in made.elimination.dropped]
    assert [int(row["dropped_at_n_features"]) for row in dropped] == list(range(9, made.elimination.n_kept, -1))
    for row, one in zip(dropped, made.elimination.rounds, strict=False):
        assert float(row["ndcg@10_before_drop"]) == one.mean


def test_hardest_queries_are_the_worst_by_held_out_scores(data, made):
    scores = np.empty(data.n_rows)
    for number, (_, rows) in enumerate(GroupKFold(5).split(data.X, data.y, data.groups.of_row), start=1):
        scores[rows] = kept_step(made.folder, f"fold-{number}")["kept"]
    values = gr.evaluate(data.y, scores, qid=data.qid, measures=["ndcg@10"]).per_query["ndcg@10"]
    judged = np.array([np.ptp(data.y[data.qid == query]) > 0 for query in data.groups.ids])
    assert [query.value for query in made.hardest] == sorted(values[judged])[:6]
    for query in made.hardest:
        rows = np.flatnonzero(data.qid.astype(str) == query.query)
        labels = data.y[rows[np.argsort(-scores[rows], kind="stable")]]
        assert query.labels == tuple(labels)
        assert query.first_best == 1 + np.flatnonzero(labels == labels.max())[0]
        assert query.pair.above.label < query.pair.below.label
        assert labels[query.pair.above.rank - 1] == query.pair.above.label
        assert labels[query.pair.below.rank - 1] == query.pair.below.label
        assert query.pair.above.rank < query.pair.below.rank


def test_a_resumed_study_reports_the_steps_it_reuses(data, made, tmp_path):
    said = []
    copy_steps(made.folder, tmp_path)
    assert found_by(study(data, folder=tmp_path, progress=lambda *step: said.append(step[-1]))) == found_by(made)
    assert said[0] == "Choosing C on held-out queries: reused from an earlier run."
    assert sum(step.endswith(": reused from an earlier run.") for step in said) == len(STEPS)
    assert sum("fold" in step for step in said) == 10
    assert said[-1] == "Writing the report"


def test_a_first_run_reads_none_of_its_steps_back(data, made, tmp_path, monkeypatch):
    def not_read(plain):
        raise AssertionError("a first run has nothing to read")

    for kind in (EliminationResult, HeldOutScores):
        monkeypatch.setattr(kind, "from_dict", not_read)
    assert found_by(study(data, folder=tmp_path)) == found_by(made)


HOSTILE = ["kept", "the best single feature", "RankSVM (linear) with 9 features", "single", "feature 2", "feature 1"]


def test_features_named_like_systems_or_like_each_other_change_no_number(data, made, tmp_path):
    names = [*HOSTILE, *("a" * 200 + letter for letter in "xyz")]
    hostile = study(RankingData(data.X, data.y, data.qid, data.doc_ids, names), folder=tmp_path)
    assert hostile.main.systems == made.main.systems
    renamed_to = dict(zip(data.feature_names, names, strict=True))
    assert [line.feature for line in hostile.elimination.kept] == [
        renamed_to[line.feature] for line in made.elimination.kept
    ]
    assert (hostile.nomogram.pair.a.name, hostile.nomogram.pair.b.name) == (
        made.nomogram.pair.a.name,
        made.nomogram.pair.b.name,
    )


def test_systems_with_the_same_label_stay_apart(made):
    alike = replace(made.main, labels=dict.fromkeys(made.main.labels, "the same"))
    assert [alike[one.name] for one in alike.systems] == list(made.main.systems)
    assert str(alike).count("the same ") == len(made.main.systems)


def test_the_picker_opens_with_the_pair_that_is_shown_whatever_documents_are_called(data, made, tmp_path):
    """The name of one document starts like the picker text of another."""
    queries = made.picker_queries
    opened = queries[queries.place_opened]
    a, b = (opened.documents[place].name for place in opened.opens)
    assert (a, b) == (made.nomogram.pair.a.name, made.nomogram.pair.b.name)
    names = np.array(data.doc_ids, dtype=object)
    names[(names == a) & (data.qid == opened.query)] = f"{b}, judged 4"
    hostile = study(RankingData(data.X, data.y, data.qid, names, data.feature_names), folder=tmp_path)
    (again,) = (one for one in hostile.picker_queries if one.opens is not None)
    assert again.documents[again.opens[0]].name == f"{b}, judged 4"
    assert (again.query, again.opens) == (opened.query, opened.opens)


REFUSED = {
    "unjudged": (lambda d: (with_labels(d, None),), {}, "Training data needs labels"),
    "wide": (
        lambda d: (RankingData(sparse.csr_matrix((d.n_rows, 1_400_000)), d.y, d.qid),),
        {},
        "373 rows × 1,400,000 features take 4.2 GB. Keep fewer",
    ),
    "no weight": (lambda d: (replace(d, weights=np.zeros(d.n_rows)),), {}, "weights of all 373 rows are zero"),
    "little weight": (
        lambda d: (replace(d, weights=(d.groups.of_row < 1).astype(float)),),
        {},
        "for a single query: got 30 queries, 1 of them",
    ),
    "unjudged test": (lambda d: (d, None, with_labels(renamed(d, "t"), None)), {}, "Test data needs labels"),
    "shared with valid": (lambda d: (d, d), {}, "validation data share 30 queries with the training data"),
    "shared with test": (lambda d: (d, None, d), {}, "test data share 30 queries"),
    "valid in test": (lambda d: (d, renamed(d, "v"), renamed(d, "v")), {}, "test data share 30 queries"),
    "other features": (
        lambda d: (d, None, renamed(d, "t").pick_features([0, 1, 3, 2, 4, 5, 6, 7, 8])),
        {},
        "as feature 3, got",
    ),
    "fewer features": (lambda d: (d, renamed(d, "v").pick_features([0, 1])), {}, "expected 9 features, got 2"),
    "equal labels": (lambda d: (with_labels(d, np.ones(d.n_rows)),), {}, "at least 1 query .*got 0 among 30 queries"),
    "one query as queries": (
        lambda d: (d.pick_queries(d.groups.ids[:1]),),
        {"folds": "query"},
        "folds='query' needs at least 2 queries .*got 1.* use folds='document'",
    ),
    "documents of several": (lambda d: (d,), {"folds": "document"}, "for a single query: got 30 queries"),
    "flat queries": (
        lambda d: (with_labels(d, np.where(d.groups.of_row < 1, d.y, 0)),),
        {},
        "got 30 queries, 1 of them",
    ),
    "single documents": (
        lambda d: (d, None, renamed(d.pick_rows(d.groups.order[d.groups.starts[:-1]]), "t")),
        {},
        "Test data must have at least 1 query",
    ),
    "kernel": (lambda d: (d,), {"kernel": "rbf"}, "kernel"),
    "measure": (lambda d: (d,), {"measure": "ndgc"}, "measure must be one of"),
    "convention": (lambda d: (d,), {"convention": "nist"}, "convention"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_unusable_data_are_refused_before_anything_is_written(case, data, tmp_path):
    parts, options, said = REFUSED[case]
    with pytest.raises(DataError, match=said):
        study(*parts(data), folder=tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()
