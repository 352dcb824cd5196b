"""Answers for queries equal the classifier's own in every format, and a bad line costs only itself."""

import json
from pathlib import Path

import numpy as np
import pytest

from glassrank.app.folder_parts import FolderParts
from glassrank.core.checks import DataError
from glassrank.metrics.classification import PrecisionRecall
from glassrank.modelfile.load_model import load_model
from glassrank.studies.intent.model import rows_of_results
from glassrank.studies.views import query_views
from glassrank.studies.views.intent_study_view import SavedIntentStudy, has_intent_study
from glassrank.studies.views.query_views import answer_queries
from tests.app.web_folder import MODEL, STATISTICS, STUDY, results_table


@pytest.fixture(scope="module")
def parts(web_folder):
    return FolderParts(web_folder[0])


@pytest.fixture(scope="module")
def service(parts):
    return parts.service(MODEL, STATISTICS)


@pytest.fixture(scope="module")
def first(web_folder):
    """The results of the first three queries, and P(navigational) of each by the saved classifier itself."""
    folder, sources = web_folder
    ids = list(dict.fromkeys(sources.results.query_id))[:3]
    classifier = load_model(folder / MODEL)
    rows = list(rows_of_results(sources, only=ids))
    X = np.array([list(row.values.values()) for row in rows])
    results = sources.results.pick_rows(np.isin(sources.results.query_id.astype(str), ids))
    return results, rows, classifier.predict_proba(X)[:, 1]


def test_a_table_of_results_gets_the_probabilities_of_the_classifier(service, first):
    results, rows, expected = first
    found = answer_queries(service, results_table(results), "results.csv")
    assert found.kind == "table of results"
    assert [one.query_id for one in found.answers] == [row.query_id for row in rows]
    assert [one.probability for one in found.answers] == pytest.approx(expected.tolist(), abs=1e-12)
    assert found.notes[0] == "results.csv: results, 30 rows → 3 queries, 30 results"
    assert found.answers[0].features == tuple(service.model.explain(rows[0]).strongest(5))


def test_a_table_of_features_gets_them_too_and_a_bad_number_costs_one_line(service, first):
    _, rows, expected = first
    needed = service.model.needed
    lines = [",".join(["query_id", *needed])]
    lines += [",".join([row.query_id, *(_text(row.values[name]) for name in needed)]) for row in rows]
    lines.insert(2, ",".join(["bad", "much", *["0"] * (len(needed) - 1)]))
    found = answer_queries(service, "\n".join(lines).encode(), "features.csv")
    assert [one.line for one in found.answers] == [2, 3, 4, 5]
    assert found.answers[1].error.startswith(f"features.csv:3: {needed[0]} must be a finite number")
    good = [one.probability for one in found.answers if not one.error]
    assert good == pytest.approx(expected.tolist(), abs=1e-12)


def test_lines_keep_their_numbers_and_bad_ones_are_named(service, first):
    results, _, expected = first
    own = results.query_id == results.query_id[0]
    asked = json.dumps({"query": results.query[0], "results": results.url[own].tolist()})
    found = answer_queries(service, f"\n{asked}\n{{\n  \nnobody asked this\n".encode() + b"\xff")
    assert [(one.line, bool(one.error)) for one in found.answers] == [(2, False), (3, True), (5, True), (6, True)]
    assert found.answers[0].probability == pytest.approx(expected[0], abs=1e-12)
    assert found.n_errors == 3
    assert [word in one.error for one, word in zip(found.answers[1:], ("JSON", "no results", "UTF-8"), strict=True)]


def test_without_statistics_a_query_alone_has_no_results(parts):
    (found,) = answer_queries(parts.service(MODEL), b"zen").answers
    assert (
        found.error == "There are no statistics, and no results for the query 'zen'. Give its results with the query."
    )


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "there is no query"),
        (b" \n\n", "there is no query"),
        (b"query_id,url\n1,a\n", "its columns match no schema"),
        (b"query_id,query,rank,url\n1,zen,first,a\n", "no valid result was found"),
        (b"query_id,urlmr|max\n1,2\n", "is missing, which the model needs"),
        (b"query_id,query,rank,url\n1,zen\n", "text:2"),
        (b"PAR1 and no more", "expected a Parquet file"),
    ],
)
def test_unreadable_input_is_named_without_the_place_of_a_temporary_file(service, content, problem):
    with pytest.raises(DataError, match=problem) as error:
        answer_queries(service, content)
    assert "/tmp" not in str(error.value)


def test_too_many_queries_are_refused_before_any_is_answered(service, monkeypatch):
    monkeypatch.setattr(query_views, "MAX_QUERIES", 2)
    for content in (b"a\nb\nc", b"query_id,a|b\n1,0\n2,0\n3,0\n"):
        with pytest.raises(DataError, match="At most 2 queries"):
            answer_queries(service, content)


def test_the_matrix_of_a_study_is_the_mean_f1_over_its_folds(web_folder):
    found = SavedIntentStudy.open(web_folder[0] / STUDY)
    plain = json.loads((web_folder[0] / STUDY / "result.json").read_text())["coupling"]["coupled"]
    expected = {
        (one["selector"], one["classifier"]): np.mean([PrecisionRecall(**fold).f1 or 0 for fold in one["folds"]])
        for one in plain
    }
    cells = [cell for row in found.matrix.rows.values() for cell in row]
    assert {(cell.selector, cell.classifier): cell.f1 for cell in cells} == pytest.approx(expected)
    assert found.matrix.selectors == ("information gain", None)
    highest = max(expected.values())
    assert {cell.best for cell in cells if cell.f1 == highest} == {True}
    assert {cell.share for cell in cells if cell.f1 == highest} == {1.0}
    assert len(found.assessment.held_out) == 40
    assert found.classes is None


def test_a_study_of_several_classes_has_systems_confusion_and_errors(tmp_path):
    queries = [
        {"query_id": "1", "query": "zen", "label": "a", "predicted": "b", "probabilities": [0.3, 0.6, 0.1]},
        {"query_id": "2", "query": "car", "label": "b", "predicted": "b", "probabilities": [0.1, 0.8, 0.1]},
        {"query_id": "3", "query": "tax", "label": "c", "predicted": "a", "probabilities": [0.7, 0.1, 0.2]},
    ]
    own = {"name": "own", "macro_f1": 0.2, "interval": [0.1, 0.3], "accuracy": 1 / 3}
    own["confusion"] = [[0, 1, 0], [0, 1, 0], [1, 0, 0]]
    plain = {"title": "Classes", "classes": ["a", "b", "c"], "systems": [own], "queries": queries}
    _write_study(tmp_path, plain)
    found = SavedIntentStudy.open(tmp_path)
    assert found.matrix is None
    assert found.classes.confusion == ((0, 1, 0), (0, 1, 0), (1, 0, 0))
    assert [(one.query, one.probability) for one in found.classes.errors] == [("tax", 0.2), ("zen", 0.3)]


@pytest.mark.parametrize("plain", [[], {}, {"title": 3}, {"title": "x", "coupling": {"selectors": []}}])
def test_damaged_numbers_of_a_study_are_an_error(tmp_path, plain):
    _write_study(tmp_path, plain)
    assert has_intent_study(tmp_path)
    with pytest.raises(DataError, match="not the numbers of an intent study"):
        _ = SavedIntentStudy.open(tmp_path).matrix


def _write_study(folder: Path, plain):
    (folder / "classes.csv").write_text("")
    (folder / "result.json").write_text(json.dumps(plain))


def _text(value):
    return "" if value != value else repr(value)
