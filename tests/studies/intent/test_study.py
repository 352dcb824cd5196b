"""study_intent(): what it measures, what it leaves out and reports, and that an interruption loses nothing."""

import csv
import io
import json
import shutil
from math import isnan
from statistics import fmean

import duckdb
import numpy as np
import pytest
from sklearn.metrics import f1_score

from glassrank.core.checks import DataError
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.query_url_features import compute_features, query_url_features
from glassrank.simulation.log.simulate_log import simulate_log
from glassrank.simulation.web.simulate_web import simulate_web
from glassrank.studies.intent import features
from glassrank.studies.intent.features import make_features
from glassrank.studies.intent.intents import load_intents, match_intents
from glassrank.studies.intent.model import FeatureRow, IntentModel, rows_of_results, train_intent
from glassrank.studies.intent.simulated_intents import known_intents
from glassrank.studies.intent.study import study_intent

OPTIONS = {
    "n_features": 10,
    "cv": 3,
    "selectors": ["SVM weights"],
    "classifiers": ["maximum entropy"],
    "curve": (5, 20, "all"),
    "simulated": True,
}


@pytest.fixture(scope="module")
def log():
    web = simulate_web(4, 40, 400, random_state=0)
    return simulate_log(web, 60, 20, sessions_per_query=5, random_state=0)


@pytest.fixture(scope="module")
def tables(log):
    web = log.web.collection
    return log.results, log.log, web.links, web.pages


@pytest.fixture(scope="module")
def intents(log):
    return known_intents(log)


@pytest.fixture(scope="module")
def made(tables, intents, tmp_path_factory):
    return study_intent(IntentSources(*tables), intents, tmp_path_factory.mktemp("made"), **OPTIONS)


@pytest.fixture(scope="module")
def model(tables, intents):
    return train_intent(IntentSources(*tables), intents, coupling=("SVM weights", "maximum entropy", 10), cv=3)


def without_place(result):
    return {**result.to_dict(), "folder": None}


def test_it_writes_a_page_and_tables_that_agree_with_the_result(made):
    assert {path.name for path in made.folder.iterdir()} == {
        *("report.html", "result.json", "coupling.csv", "steps", "study.json"),
    }
    assert json.loads((made.folder / "result.json").read_text()) == json.loads(made.to_json())
    rows = list(csv.DictReader((made.folder / "coupling.csv").read_text().splitlines()))
    best = max(float(row["f1"]) for row in rows if row["table"] == "coupled")
    assert best == pytest.approx(made.coupling.best.f1)


def test_all_sources_give_all_features_except_those_of_engines_and_language(made):
    assert set(made.absent) == {"engine", "log_language"}
    assert made.facts["Features of results"].startswith("194: 29 click, 24 url, 63 anchor, 78 other")


def test_the_result_says_that_the_data_are_simulated(made):
    assert "Simulated data" in str(made)
    assert "not evidence about real users" in (made.folder / "report.html").read_text()


def test_every_query_is_held_out_once(made, intents):
    n_navigational = sum(intents.values())
    for one in made.coupling.coupled:
        assert one.pooled.true_positives + one.pooled.false_negatives == n_navigational
    assert (made.coupling.n_rows, made.coupling.n_positive) == (60, n_navigational)


def test_figure_2_shows_means_over_queries_at_each_rank(made, tables, intents):
    table = query_url_features(*tables)
    chart = next(one for one in made.profiles if one.feature == "urlmr")
    at_first = {0: [], 1: []}
    for query_id, rank, value in zip(table.results.query_id, table.results.rank, table["urlmr"], strict=True):
        if rank == 1 and not isnan(value):
            at_first[intents[query_id]].append(value)
    means = {name: mean[0] for name, _, mean, _, _ in chart.kinds}
    assert means["navigational"] == pytest.approx(fmean(at_first[1]))
    assert means["informational"] == pytest.approx(fmean(at_first[0]))


def test_an_interrupted_study_resumes_with_the_same_result(made, tables, intents, tmp_path, monkeypatch):
    def stop(done, total, what):
        if what.startswith("fold") and done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study_intent(IntentSources(*tables), intents, tmp_path, progress=stop, **OPTIONS)

    def not_again(*arguments, **options):
        raise AssertionError("features were stored")

    monkeypatch.setattr(features, "compute_features", not_again)
    assert without_place(study_intent(IntentSources(*tables), intents, tmp_path, **OPTIONS)) == without_place(made)


def test_stored_features_of_other_data_are_not_reused(tables, intents, tmp_path, monkeypatch):
    results, calls = tables[0], []
    real = compute_features
    monkeypatch.setattr(features, "compute_features", lambda *a, **o: calls.append(1) or real(*a, **o))
    fewer = results.pick_rows(np.flatnonzero(results.rank <= 15))
    for given in (fewer, results):
        study_intent(IntentSources(given), intents, tmp_path, overwrite=True, **OPTIONS | {"curve": ()})
    assert len(calls) == 2


def edited(raw):
    """Return the file as NumPy writes it, with one value changed."""
    with np.load(io.BytesIO(raw)) as stored:
        arrays = dict(stored)
    arrays["X"] = arrays["X"] + (np.arange(arrays["X"].size).reshape(arrays["X"].shape) == 7)
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


@pytest.mark.parametrize(
    "damage",
    [lambda raw: b"PK nothing", lambda raw: raw[: len(raw) // 2], edited],
    ids=["other", "cut", "edited"],
)
def test_a_damaged_file_of_features_is_computed_again(tables, intents, tmp_path, damage):
    results = tables[0]
    first = study_intent(IntentSources(results), intents, tmp_path, **OPTIONS)
    kept = tmp_path / "steps" / "features.npz"
    kept.write_bytes(damage(kept.read_bytes()))
    said = []
    again = study_intent(
        IntentSources(results), intents, tmp_path, progress=lambda *step: said.append(step[-1]), **OPTIONS
    )
    assert again.to_dict() == first.to_dict()
    assert said[0] == f"{kept} is damaged: its step is computed again."


def test_a_study_that_only_reads_its_steps_equals_the_one_that_computed_them(made, tables, intents, tmp_path):
    shutil.copytree(made.folder / "steps", tmp_path / "steps")
    said = []
    again = study_intent(
        IntentSources(*tables), intents, tmp_path, progress=lambda *step: said.append(step[-1]), **OPTIONS
    )
    assert without_place(again) == without_place(made)
    assert said[0] == "Features of results and queries: reused from an earlier run."
    assert all("reused from an earlier run" in step for step in said[1:-1])
    assert said[-1] == "Writing the report"


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"n_features": 0}, "n_features"),
        ({"classifiers": ["tarot"]}, "classifier"),
        ({"selectors": ["tarot"]}, "selector"),
    ],
    ids=["n_features", "classifiers", "selectors"],
)
def test_a_refused_study_leaves_no_folder(tables, intents, tmp_path, options, what):
    with pytest.raises(DataError, match=what):
        study_intent(IntentSources(tables[0]), intents, tmp_path / "out", **OPTIONS | options)
    assert not (tmp_path / "out").exists()


def test_clicks_without_a_digest_are_refused(tables, intents, tmp_path):
    results, log, *_ = tables
    sources = IntentSources(results, log.to_frame("pandas"))
    with pytest.raises(DataError, match="must be a QueryLog or a file written by clean_log: got DataFrame"):
        study_intent(sources, intents, tmp_path / "out", **OPTIONS)


def test_a_figure_without_values_is_left_out_with_a_note(tables, intents):
    """A log with clicks on informational queries only has no values for the others."""
    results, log, *_ = tables
    of = dict(zip(results.query, results.query_id, strict=True))
    informational = np.array([intents.get(of.get(query), 0) == 0 for query in log.query])
    made = make_features(IntentSources(results, log.pick_rows(np.flatnonzero(informational))), intents)
    assert "clk_CR" not in [chart.feature for chart in made.profiles]
    assert any(note.startswith("Figure 2 omits clk_CR: ") for note in made.unusual)


def test_features_of_an_absent_source_are_left_out_with_a_note(tables, intents, tmp_path):
    found = study_intent(IntentSources(tables[0]), intents, tmp_path, **OPTIONS)
    assert "clicks" in found.absent
    assert "clk_CR" in found.absent["clicks"]
    assert found.coupling.by_category["SVM weights"].keys() <= {"url", "other"}


def test_queries_without_a_label_are_left_out_and_counted(tables, intents, tmp_path):
    some = {query_id: label for query_id, label in intents.items() if query_id != next(iter(intents))}
    found = study_intent(IntentSources(tables[0]), {**some, "elsewhere": 1}, tmp_path, **OPTIONS)
    assert found.coupling.n_rows == 59
    assert found.notes[0].startswith("1 of 60 queries has no label and is left out")
    assert found.notes[1].startswith("1 of 60 labelled queries has no results and is left out, such as elsewhere")
    with pytest.raises(DataError, match="Label exactly the queries of the results"):
        study_intent(IntentSources(tables[0]), some, tmp_path / "strict", strict=True, **OPTIONS)
    assert not (tmp_path / "strict").exists()


@pytest.mark.parametrize("labels", [{}, {"q1": 1}, {"q1": 0, "q2": 0}], ids=["none", "one", "one kind"])
def test_intents_of_both_kinds_are_needed(labels):
    with pytest.raises(DataError, match="needs queries of both kinds"):
        match_intents(["q1", "q2"], labels)


def test_other_labels_than_0_and_1_are_refused():
    with pytest.raises(DataError, match=r"must be 1 \(navigational\) or 0"):
        match_intents(["q1", "q2"], {"q1": 2, "q2": 0})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("query_id\nq1\n", "column 'label' is missing"),
        ("", "the file is empty"),
        ("query_id,label\nq1,perhaps\n", "intents.csv:2"),
        ("query_id,label\n,1\n", "intents.csv:2"),
        ("query_id,label\nq1,1\nq1,0\n", "intents.csv:3: 'q1' has two labels, navigational and informational"),
        ('query_id,label,note\nq1,1,"two\nlines"\nq2,perhaps,\n', "intents.csv:4"),
        ("query_id,label\nq1,1,2\n", "intents.csv:2 'q1,1,2': wrong number of fields"),
    ],
    ids=["column", "empty", "label", "identifier", "both", "line", "width"],
)
def test_a_bad_table_of_intents_is_refused_with_its_line(text, said, tmp_path):
    path = tmp_path / "intents.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=said):
        load_intents(path)


def test_intents_in_another_encoding_are_refused_with_their_line(tmp_path):
    path = tmp_path / "intents.csv"
    path.write_bytes(b"query_id,label\nq1,1\nq\xe9,0\n")
    with pytest.raises(DataError, match=r"intents\.csv:3 .*encoding error.* save the file as UTF-8"):
        load_intents(path)


def test_intents_may_be_a_parquet_file_or_separated_by_tabs(tmp_path):
    expected = {"7": 1, "8": 0}
    (tmp_path / "intents.tsv").write_text("label\tquery_id\n1\t7\n0\t8\n")
    assert load_intents(tmp_path / "intents.tsv") == expected
    duckdb.sql("SELECT * FROM (VALUES (7, 1), (8, 0)) AS t(query_id, label)").write_parquet(
        str(tmp_path / "intents.parquet")
    )
    assert load_intents(tmp_path / "intents.parquet") == expected


def test_labels_may_be_words_or_numbers(tmp_path):
    path = tmp_path / "intents.csv"
    path.write_text("\N{BYTE ORDER MARK}query_id,label,note\na,Navigational,x\nb,0,\n", encoding="utf-8")
    assert load_intents(path) == {"a": 1, "b": 0}


def test_a_model_does_twice_as_well_as_calling_every_query_navigational(model, tables, intents):
    found = model.predict(list(rows_of_results(IntentSources(*tables))))
    truth = [intents[one.query_id] for one in found]
    called = [one.label == "navigational" for one in found]
    assert f1_score(truth, called) > 2 * f1_score(truth, [1] * len(truth))


def test_contributions_of_a_sum_add_up_to_the_log_odds(model, tables):
    row = next(rows_of_results(IntentSources(*tables)))
    found = model.explain(row)
    log_odds = found.usual_log_odds + sum(one.contribution for one in found.contributions)
    assert found.exact
    assert log_odds == pytest.approx(np.log(found.probability / (1 - found.probability)))
    assert {one.feature for one in found.contributions} == set(model.needed)
    assert found.called == model.predict([row])[0].label


def test_only_the_features_that_the_model_uses_are_needed(model, tables):
    row = next(rows_of_results(IntentSources(*tables)))
    few = FeatureRow(row.query_id, row.query, {name: row.values[name] for name in model.needed})
    assert model.predict([few]) == model.predict([row])
    with pytest.raises(DataError, match="lacks features that the model needs"):
        model.predict([FeatureRow("q", "", {})])


def test_a_saved_model_predicts_the_same(model, tables, tmp_path):
    model.save(tmp_path / "model.json")
    loaded = IntentModel.load(tmp_path / "model.json")
    rows = list(rows_of_results(IntentSources(*tables)))[:5]
    assert loaded.predict(rows) == model.predict(rows)
    assert loaded.explain(rows[0]) == model.explain(rows[0])


def test_labels_are_mapped_to_the_two_classes_whatever_their_case(tmp_path):
    path = tmp_path / "intents.csv"
    path.write_text("query_id,label\nq1,Navigational\nq2,transactional\nq3,INFO=x\n")
    assert load_intents(path, label_map={"Transactional": "0", "info=x": "informational"}) == {
        "q1": 1,
        "q2": 0,
        "q3": 0,
    }


def test_a_map_may_redefine_a_label_of_the_two_classes(tmp_path):
    (tmp_path / "intents.csv").write_text("query_id,label\nq1,1\nq2,0\n")
    assert load_intents(tmp_path / "intents.csv", label_map={"1": "0", "0": "1"}) == {"q1": 0, "q2": 1}


def test_more_than_two_classes_keep_their_names(tmp_path):
    path = tmp_path / "intents.csv"
    path.write_text("query_id,label\nq1,Navigational\nq2,  how   TO \nq3,0\nq4,Buy\n")
    named = {"q1": "navigational", "q2": "how to", "q3": "informational", "q4": "buy"}
    assert load_intents(path) == named
    assert load_intents(path, label_map={"BUY": "transactional", "how to": "0"}) == named | {
        "q2": "informational",
        "q4": "transactional",
    }


def test_classes_without_results_leave_the_two_that_are_known():
    intents = {"a": "navigational", "b": "informational", "c": "buy"}
    found = match_intents(["a", "b"], intents)
    assert (found.classes, found.y.tolist()) == (("informational", "navigational"), [1, 0])
    with pytest.raises(DataError, match="than two classes: got 1 navigational and 0 informational and 1 buy"):
        match_intents(["a", "c"], intents)
