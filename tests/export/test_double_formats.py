"""Exports that calculate in double precision, on the programs that people run them with."""

import json
from dataclasses import replace

import numpy as np
import pytest

import glassrank as gr
from glassrank.export.check_rows import UNSEEN_LEVEL
from glassrank.export.formats.contract import Request
from glassrank.export.formats.sql import write_duckdb
from tests.export import small_models
from tests.export.evaluators import (
    duckdb_scores,
    node_scores,
    onnx_scores,
    postgresql_server,
    python_module,
    python_scores,
    values,
)
from tests.export.small_models import HOSTILE, MODELS, NAMES, drawn, exported, model, options, predicted, rows

FORMATS = ("python", "javascript", "duckdb", "postgresql", "onnx")
LAYERED = ("filled", "500 nodes", *(f"{name} nodes" for name in small_models.ACTIVATIONS))
# Models of which some feature must not be missing, and the place of such a feature.
STRICT = {"strict": 0, "linear": 1, "relu nodes": 2, "sigmoid nodes": 3, "gaussian nodes": 0}


@pytest.fixture(scope="module")
def postgresql():
    with postgresql_server() as server:
        yield server


@pytest.fixture
def scores(request):
    """Evaluate an export of any format on rows of numbers, levels as codes."""

    def evaluate(export, X):
        form, taken = export.model, values(export.model, X)
        if export.format == "onnx":
            return onnx_scores(export, form, X)
        if export.format == "duckdb":
            return duckdb_scores(export, form, taken)
        if export.format == "postgresql":
            return request.getfixturevalue("postgresql").scores(export, form, taken)
        return {"python": python_scores, "javascript": node_scores}[export.format](export, taken)

    return evaluate


def all_rows(name, form):
    X = drawn()[1] if name in small_models.ON_ALL else drawn()[0][:, :5]
    return rows(form, X[:: 4 if name in LAYERED else 1])


def far(X, form):
    """Which rows have a value outside of the valid ranges, for which no error is stated."""
    ends = np.array([one.valid for one in form.features])
    numbers = np.array([not one.kind.levels for one in form.features])
    return ((ends[:, 0] > X) | (ends[:, 1] < X))[:, numbers].any(axis=1)


@pytest.mark.parametrize("format_name", FORMATS)
@pytest.mark.parametrize("name", MODELS)
def test_scores_are_those_of_the_tables_and_within_the_bound_of_the_model(name, format_name, scores):
    export = exported(name, format_name)
    X = all_rows(name, export.model)
    found, tables = scores(export, X), export.model.score(X)
    size = np.abs(tables).max()
    assert np.isfinite(found).all()
    if name in LAYERED:  # the weights of nodes cancel
        size += np.abs(export.model.layer.weights).sum()
    assert np.abs(found - tables).max() <= 1e-12 * size
    known = ~far(X, export.model) & ~(X == -1.0).any(axis=1)
    assert np.abs(found - predicted(name, X))[known].max() <= export.bound
    assert export.bound <= export.model.tolerance


@pytest.mark.parametrize("format_name", FORMATS)
def test_a_model_of_136_features_is_exported(format_name, scores):
    rng = np.random.default_rng(1)
    X = rng.normal(1, 2, (120, 136))
    wide = gr.RankSVM().fit(X, np.digitize(X @ rng.normal(size=136), [-1, 2]), qid=np.repeat(np.arange(12), 10))
    export = gr.export_model(wide, format_name, feature_names=[f"f{k}" for k in range(136)])
    np.testing.assert_allclose(scores(export, X), wide.predict(X), rtol=1e-12, atol=1e-12)
    if format_name == "postgresql":
        scores(export, X[:1])  # defined again


@pytest.mark.parametrize("format_name", FORMATS)
@pytest.mark.parametrize("name", ["lrbf", "steps", "filled"])
def test_the_check_rows_have_the_scores_that_the_file_says(name, format_name, scores):
    export = exported(name, format_name)
    checks = [json.loads(line) for line in export.files["check.jsonl"].decode().splitlines()]
    assert len(checks) >= 50
    X = np.array([[code(feature, row["features"]) for feature in export.model.features] for row in checks])
    if name != "filled":
        assert np.isnan(X).any()
    np.testing.assert_allclose(scores(export, X), [row["score"] for row in checks], rtol=1e-12, atol=1e-12)


def code(feature, row):
    value = row.get(feature.name)
    if not feature.kind.is_category or value is None:
        return np.nan if value is None else value
    return -1.0 if value == UNSEEN_LEVEL else float(feature.kind.levels.index(value))


@pytest.mark.parametrize("format_name", FORMATS)
def test_levels_with_hostile_names_have_their_own_effects(format_name, scores):
    export = exported("linear", format_name)
    X = np.tile(drawn()[0][:1], (len(HOSTILE), 1))
    X[:, 5] = np.arange(len(HOSTILE))
    found = scores(export, X)
    assert len(set(found.round(9).tolist())) == len(HOSTILE)
    np.testing.assert_allclose(found, predicted("linear", X), rtol=1e-9)


@pytest.mark.parametrize("name", STRICT)
@pytest.mark.parametrize("format_name", ["duckdb", "postgresql", "onnx"])
def test_a_missing_value_that_the_model_refuses_has_no_score(name, format_name, scores):
    export = exported(name, format_name)
    assert np.isnan(scores(export, with_gap(name))).tolist() == [False, True]
    said = "NaN if one is NaN" if format_name == "onnx" else "NULL if one is NULL"
    (note,) = (one for one in export.written.notes if one.endswith(f"The score is {said}."))
    assert NAMES[STRICT[name]] in note


@pytest.mark.parametrize("name", STRICT)
def test_a_missing_value_that_the_model_refuses_is_an_error_of_the_function(name):
    message = f"does not accept missing values of {NAMES[STRICT[name]]}"
    taken = values(exported(name, "python").model, with_gap(name))
    module = python_module(exported(name, "python"))
    with pytest.raises(ValueError, match=message):
        module.score(taken[1])
    with pytest.raises(ValueError, match=message):
        module.score(taken[1] | {NAMES[STRICT[name]]: float("nan")})
    assert message in node_scores(exported(name, "javascript"), taken)[1]


@pytest.mark.parametrize("name", STRICT)
def test_an_absent_feature_and_a_text_are_errors_of_the_function(name):
    export = exported(name, "python")
    values_by_name, score = values(export.model, with_gap(name))[0], python_module(export).score
    absent = NAMES[export.model.used[0]]
    with pytest.raises(ValueError, match=f"has no feature {absent}. If its value is missing, pass None"):
        score({feature: value for feature, value in values_by_name.items() if feature != absent})
    with pytest.raises(ValueError, match=f"{absent} must be a number: got '3'"):
        score(values_by_name | {absent: "3"})


def with_gap(name):
    X = drawn()[0][:2].copy() if name in small_models.ON_ALL else drawn()[0][:2, :5].copy()
    X[1, STRICT[name]] = np.nan
    return X


@pytest.mark.parametrize("name", ["lrbf", "steps", "filled", "relu nodes"])
def test_nan_in_a_database_is_a_missing_value(name, postgresql):
    for format_name, run in (("duckdb", duckdb_scores), ("postgresql", postgresql.scores)):
        export = exported(name, format_name)
        taken = values(export.model, all_rows(name, export.model)[:1])
        pair = [taken[0] | {"year": None}, taken[0] | {"year": float("nan")}]
        absent, nan = run(export, export.model, pair)
        assert absent == nan or (np.isnan(absent) and np.isnan(nan))


def test_documents_without_a_score_come_last_in_a_database(postgresql):
    for name in ("postgresql", "duckdb"):
        assert exported("strict", name).usage.endswith("ORDER BY score DESC NULLS LAST")


def test_exponentials_that_underflow_are_no_error_in_postgresql(postgresql):
    for name in ("gaussian nodes", "sigmoid nodes", "tanh nodes"):
        export = exported(name, "postgresql")
        X = drawn()[0][:3, :5].copy()
        X[:, 0] = [1e6, -1e6, 1e9]
        with np.errstate(over="ignore"):
            np.testing.assert_allclose(
                postgresql.scores(export, export.model, values(export.model, X)), export.model.score(X), atol=1e-9
            )


@pytest.mark.parametrize("name", ["lrbf", "linear", "filled", "gaussian nodes"])
def test_a_graph_in_single_precision_keeps_its_bound(name):
    export = gr.export_model(model(name), "onnx", kind="single", **options(name) | {"max_error": 1.0})
    X = all_rows(name, export.model).astype(np.float32).astype(float)
    inside = ~far(X, export.model)
    found = onnx_scores(export, export.model, X)
    assert 0 < np.abs(found - export.model.score(X))[inside].max() <= export.written.rounding


def test_a_changed_weight_changes_the_scores(scores):
    for format_name, file in (("python", "model.py"), ("javascript", "model.mjs"), ("duckdb", "model.sql")):
        export = exported("linear", format_name)
        X = drawn()[0]
        weight = repr(max(abs(term.weight) for term in export.model.terms if hasattr(term, "weight")))
        assert export.written.files[file].decode().count(weight) == 1
        changed = export.written.files[file].replace(weight.encode(), f"1{weight}".encode())
        damaged = type(export)(format_name, export.name, export.model, with_file(export.written, file, changed))
        assert np.abs(scores(damaged, X) - export.model.score(X)).max() > 1.0


def with_file(written, file, content):
    return type(written)(**{**vars(written), "files": {**written.files, file: content}})


def test_the_javascript_module_refuses_texts_and_ignores_what_objects_inherit():
    X = drawn()[0][:40, :2]
    named = gr.RankSVM().fit(X, drawn()[2][:40])
    export = gr.export_model(named, "javascript", feature_names=["toString", "__proto__"])
    a, b = node_scores(export, [{"toString": 1.0}, {"toString": "1.0", "__proto__": 2.0}])
    assert "missing values of __proto__" in b or "toString must be a number" in b
    assert "missing values of __proto__" in a


def test_the_order_of_documents_in_a_database_is_that_of_the_model(postgresql):
    export = exported("calibrated", "postgresql")
    X = drawn()[0][:, :5]
    found = postgresql.scores(export, export.model, values(export.model, X))
    expected = predicted("calibrated", X)
    apart = expected[:, None] - expected[None, :] > 2 * export.bound
    assert not (apart & (found[:, None] <= found[None, :])).any()
    assert apart.sum() > 0.99 * len(X) * (len(X) - 1) / 2


def test_too_many_nodes_for_sql_are_refused():
    small = exported("relu nodes", "duckdb").model
    layer = replace(small.layer, inputs=np.ones((5, 2001)), biases=np.ones(2001), weights=np.ones(2001))
    with pytest.raises(gr.DataError, match="2,001 nodes is too long for one SQL expression"):
        write_duckdb(Request(replace(small, layer=layer), "m"))
