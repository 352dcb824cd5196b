"""Far beyond the training values, exports follow the model's curves, or stay flat in trees; they say the ranges."""

import json
from functools import cache

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, PowerTransformer, QuantileTransformer

import glassrank as gr
from tests.export.evaluators import (
    duckdb_scores,
    node_scores,
    onnx_scores,
    postgresql_server,
    python_module,
    python_scores,
    values,
)
from tests.export.ltr_exports import engine_scores
from tests.export.solr_documents import definitions, documents
from tests.reference.ranklib_model import evaluate
from tests.reference.solr_scores import solr_scores

NAMES = ["price", "clicks", "change"]
N_ROWS = 200
FOLLOWED = 0.02  # of the change of an effect since the end of the valid range, beyond which no error is stated
MODELS = {
    **{
        f"lrbf {way}": (lambda way=way: with_transform(way, gr.RankSVM(kernel="lrbf")))
        for way in ("none", "log", "quantile")
    },
    **{f"linear {way}": (lambda way=way: with_transform(way, gr.RankSVM())) for way in ("log", "quantile", "standard")},
    "lrbf and lines": lambda: with_transform("standard", gr.RankSVM(kernel="lrbf", linear=1.0)),
    "lrbf and logarithms": lambda: with_transform("log", gr.RankSVM(kernel="lrbf", linear=1.0)),
    **{
        f"{name} nodes": (
            lambda name=name: with_transform("log", gr.ELMRank(40, name, nodes="additive", random_state=0))
        )
        for name in ("sigmoid", "tanh", "relu", "gaussian")
    },
    "powers": lambda: make_pipeline(PowerTransformer(), gr.RankSVM()),
    "quantiles of scikit-learn": lambda: make_pipeline(QuantileTransformer(n_quantiles=50), gr.RankSVM(kernel="lrbf")),
    "clipped": lambda: make_pipeline(MinMaxScaler(clip=True), gr.RankSVM(kernel="lrbf")),
}
FLAT = ("lrbf none", "lrbf log", "lrbf quantile", "linear quantile", "sigmoid nodes", "tanh nodes", "clipped")


def with_transform(way, ranker):
    return make_pipeline(gr.FeatureTransformer(way), ranker)


@cache
def drawn():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.gamma(2, 3, N_ROWS), np.exp(rng.normal(3, 1, N_ROWS)).round(), rng.normal(0, 1, N_ROWS)])
    return X, np.digitize(np.tanh(X[:, 0] / 5) + 0.3 * np.log1p(X[:, 1]) - np.abs(X[:, 2]) / 2, [0.5, 1.0])


@cache
def fitted(name):
    model, (X, y) = MODELS[name](), drawn()
    return model.fit(X, y, **{f"{model.steps[-1][0]}__qid": np.repeat(np.arange(10), N_ROWS // 10)})


@cache
def exported(name, format_name, kind=None, max_error=0.02):
    data = None if "scikit" not in name and name != "clipped" else drawn()[0]
    given = definitions_of(name) if format_name == "solr" else None
    return gr.export_model(
        fitted(name), format_name, kind=kind, feature_names=NAMES, data=data, max_error=max_error, definitions=given
    )


def definitions_of(name):
    return definitions(exported(name, "python").model)


def far_rows(widths=(0.5, 9.0, 12.0, 100.0, 1e4, 1e6, 1e9)):
    """Rows with one value this many widths of the training range beyond either end."""
    X, rows = drawn()[0], []
    for k in range(X.shape[1]):
        low, high = X[:, k].min(), X[:, k].max()
        for width in widths:
            for value in (low - width * (high - low), high + width * (high - low)):
                rows.append(np.median(X, axis=0))
                rows[-1][k] = value
    return np.array(rows)


def assert_follows(name, X, scores, bound, followed=FOLLOWED):
    """The scores differ from the model's by the bound, or a small share of the change since the valid range."""
    ends = np.array([feature.valid for feature in exported(name, "python").model.features])
    expected, at_the_end = fitted(name).predict(X), fitted(name).predict(np.clip(X, *ends.T))
    # Twice the share: between two points of the tables, and in the sums of 32-bit formats.
    allowed = 2.0 * np.maximum(bound, followed * np.abs(expected - at_the_end))
    worst = int(np.argmax(np.abs(scores - expected) - allowed))
    assert abs(scores[worst] - expected[worst]) <= allowed[worst], (X[worst], scores[worst], expected[worst])


@pytest.fixture(scope="module")
def postgresql():
    with postgresql_server() as server:
        yield server


@pytest.mark.parametrize("name", MODELS)
def test_far_values_are_scored_as_by_the_model(name):
    export, X = exported(name, "python"), far_rows()
    scores = python_scores(export, values(export.model, X))
    assert_follows(name, X, scores, export.bound)
    for format_name, found in {
        "javascript": node_scores(exported(name, "javascript"), values(export.model, X)),
        "duckdb": duckdb_scores(exported(name, "duckdb"), export.model, values(export.model, X)),
        "onnx": onnx_scores(exported(name, "onnx"), export.model, X),
    }.items():
        np.testing.assert_allclose(np.asarray(found, float), scores, rtol=1e-9, atol=1e-9, err_msg=format_name)


@pytest.mark.parametrize("name", ["lrbf log", "linear log", "lrbf and lines"])
def test_far_values_are_scored_as_by_the_model_in_postgresql(name, postgresql):
    export, X = exported(name, "postgresql"), far_rows()
    scores = postgresql.scores(export, export.model, values(export.model, X))
    np.testing.assert_allclose(scores, export.model.score(X), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", MODELS)
def test_far_values_are_scored_as_by_the_model_in_single_precision(name):
    X = far_rows((0.5, 9.0, 12.0, 100.0, 1e4)).astype(np.float32).astype(float)
    export = exported(name, "onnx", "single")
    assert_follows(name, X, onnx_scores(export, export.model, X), export.bound)
    X = X[(X[:, :2] >= 0.0).all(axis=1)]  # the engine has no values below 0 of a feature without any in training
    export = exported(name, "opensearch", "derived_expression")
    assert_follows(name, X, engine_scores(export.model, export.written, X), export.bound)


@pytest.mark.parametrize("name", FLAT)
def test_trees_follow_curves_that_have_a_limit(name):
    X = far_rows().astype(np.float32).astype(float)
    export = exported(name, "ranklib", "trees", 0.05)
    assert_follows(name, X, evaluate(export.files["model.txt"].decode(), X), export.bound)
    export = exported(name, "solr", "trees", 0.05)
    assert_follows(name, X, solr(export, X), export.bound)


@pytest.mark.parametrize("name", ["linear log", "linear standard", "relu nodes", "powers"])
def test_trees_stay_flat_where_curves_have_no_limit(name):
    export = exported(name, "ranklib", "trees", 0.05)
    ends = np.array([feature.valid for feature in export.model.features])
    X = far_rows()
    scores = evaluate(export.files["model.txt"].decode(), X)
    np.testing.assert_allclose(scores, fitted(name).predict(np.clip(X, *ends.T)), atol=2 * export.bound)


@pytest.mark.parametrize("name", FLAT)
def test_a_network_of_solr_stays_near_the_limit_of_curves(name):
    X = far_rows((0.5, 9.0, 12.0, 100.0)).astype(np.float32).astype(float)
    export = exported(name, "solr", "network", 0.05)
    assert_follows(name, X, solr(export, X), export.bound)


def solr(export, X):
    files = [json.loads(export.files[name]) for name in ("features.json", "model.json")]
    return solr_scores(*files, documents(export.model, X)).astype(float)


@pytest.mark.parametrize("name", MODELS)
def test_the_largest_and_smallest_numbers_have_finite_scores(name):
    export = exported(name, "python")
    row = dict(zip(NAMES, np.median(drawn()[0], axis=0).tolist(), strict=True))
    rows = [{**row, feature: x} for feature in NAMES for x in (5e-324, -5e-324, 1e30, -1e30, 1e200, -1e200, 1.7e308)]
    assert np.isfinite(python_scores(export, rows)).all()
    in_node = node_scores(exported(name, "javascript"), rows).astype(float)
    np.testing.assert_allclose(in_node, python_scores(export, rows), rtol=1e-9)
    for infinite in (float("inf"), float("-inf")):
        with pytest.raises(ValueError, match=r"price must be a number: got -?inf"):
            python_module(export).score({**row, "price": infinite})


@pytest.mark.parametrize(
    ("format_name", "file"),
    [
        ("python", "model.py"),
        ("javascript", "model.mjs"),
        ("duckdb", "model.sql"),
        ("postgresql", "model.sql"),
        ("ranklib", "model.txt"),
    ],
)
def test_the_file_says_the_ranges(format_name, file):
    text = exported("linear standard", format_name).files[file].decode()
    assert_says_the_ranges(text)


def test_the_graph_says_the_ranges():
    onnx = pytest.importorskip("onnx")
    made = onnx.load_from_string(exported("linear standard", "onnx").files["model.onnx"])
    assert_says_the_ranges({one.key: one.value for one in made.metadata_props}["ranges"])


def assert_says_the_ranges(text):
    X = drawn()[0]
    for k, name in enumerate(NAMES):
        low, high = X[:, k].min(), X[:, k].max()
        assert f"{name}: {low:.6g} to {high:.6g}" in text
