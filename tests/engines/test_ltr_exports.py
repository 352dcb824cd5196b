"""Exported expressions on Lucene itself and exported RankLib models on RankLib itself."""

import re

import numpy as np
import pytest

import glassrank as gr
from glassrank.export.formats.ltr.engine_columns import engine_columns
from glassrank.export.formats.ltr.lucene_expression import MAX_BYTES
from tests.export.hard_rows import hard_rows
from tests.export.ltr_exports import (
    ADDITIVE,
    LAYERS,
    bodies,
    documents,
    engine_scores,
    exported,
    single_rows,
    wide,
    wrongly_ordered,
)
from tests.reference import ranklib_model
from tests.reference.opensearch_ltr import feature_vectors

pytestmark = pytest.mark.engine
STEPS = 0.05


def evaluated_by(lucene):
    """A function that evaluates an expression on Lucene, and records how many bytes it was compiled to."""

    def evaluate(text, columns):
        size, *names = lucene.load(text)
        evaluate.sizes.append(int(size))
        n_rows = len(next(iter(columns.values())))
        return lucene.scores(np.column_stack([columns[name] for name in names]) if names else np.zeros((n_rows, 1)))

    evaluate.sizes = []
    return evaluate


@pytest.mark.parametrize("name", [*ADDITIVE, *LAYERS])
def test_expressions_keep_the_bound_and_the_order_on_lucene(lucene, name):
    made, (rows, expected) = exported(name, "opensearch"), single_rows(name)
    X, evaluate = np.vstack([rows, hard_rows(made.model)]), evaluated_by(lucene)
    scores = engine_scores(made.model, made.written, X, expression=evaluate)
    assert np.abs(scores - made.model.score(X)).max() <= made.written.rounding
    assert np.abs(scores[: len(rows)] - expected).max() <= made.bound
    assert wrongly_ordered(scores[: len(rows)], expected, made.bound) == 0
    assert max(evaluate.sizes) <= MAX_BYTES


@pytest.mark.parametrize(("name", "max_error"), [("linear", None), ("lrbf", 0.02), ("elm additive", 0.02)])
def test_a_score_in_one_expression_is_within_one_step_of_the_double_score(lucene, name, max_error):
    made = exported(name, "opensearch", None, max_error)
    X = np.vstack([single_rows(name)[0], hard_rows(made.model)])
    assert not any(column.startswith("gr_effect_") for column in feature_names(made))
    scores = engine_scores(made.model, made.written, X, expression=evaluated_by(lucene))
    assert_within_one_step(scores, made.model.score(X))


@pytest.mark.parametrize("name", ["lrbf", "elm additive"])
def test_each_effect_in_an_expression_is_within_one_step_of_the_double_effect(lucene, name):
    made = exported(name, "opensearch")
    X = np.vstack([single_rows(name)[0], hard_rows(made.model)])
    features = bodies(made.files)[0]["featureset"]["features"]
    vectors = feature_vectors(features, documents(made.model, X), {}, evaluated_by(lucene)).astype(float)
    for term in made.model.terms:
        own = re.compile(rf"gr_effect_(\d+_)?{made.model.name_of(term)}")
        columns = [place for place, column in enumerate(feature_names(made)) if own.fullmatch(column)]
        assert columns
        assert_within_one_step(vectors[:, columns].sum(axis=1), term(X[:, term.feature]))


@pytest.mark.parametrize("name", LAYERS)
def test_each_hidden_node_in_an_expression_is_within_one_step_of_the_double_node(lucene, name):
    made = exported(name, "opensearch")
    form, layer = made.model, made.model.layer
    X = np.vstack([single_rows(name)[0], hard_rows(form)])
    features = bodies(made.files)[0]["featureset"]["features"]
    vectors = feature_vectors(features, documents(form, X), {}, evaluated_by(lucene)).astype(float)
    columns = [place for place, column in enumerate(feature_names(made)) if column.startswith("gr_node_")]
    Z = np.where(np.isnan(X), layer.fill, X) * layer.scale + layer.shift
    if layer.activation == "gaussian":
        expected = np.exp(-layer.biases * ((Z[:, :, None] - layer.inputs) ** 2).sum(axis=1))
    else:
        expected = ACTIVATIONS[layer.activation](Z @ layer.inputs + layer.biases)
    assert len(columns) == len(layer.weights)
    assert_within_one_step(vectors[:, columns], expected)


ACTIVATIONS = {
    "sigmoid": lambda z: 1.0 / (1.0 + np.exp(-z)),
    "tanh": np.tanh,
    "relu": lambda z: np.maximum(z, 0.0),
}


def feature_names(made):
    return [feature["name"] for feature in bodies(made.files)[0]["featureset"]["features"]]


def assert_within_one_step(found, expected):
    """Differences of one step of single precision; double precision itself loses up to 1e-12 where effects cancel."""
    assert (np.abs(found - expected) <= np.spacing(np.abs(expected).astype(np.float32)).astype(float) + 1e-12).all()


@pytest.mark.parametrize(
    ("n_features", "kernel", "max_error"), [(1, "lrbf", None), (136, "linear", None), (136, "lrbf", 1.0)]
)
def test_one_and_136_features_keep_the_bound_on_lucene(lucene, n_features, kernel, max_error):
    model, X, names = wide(n_features, kernel)
    made = gr.export_model(model, "opensearch", feature_names=names, max_error=max_error)
    evaluate = evaluated_by(lucene)
    scores = engine_scores(made.model, made.written, X, expression=evaluate)
    assert np.abs(scores - model.predict(X)).max() <= made.bound
    assert max(evaluate.sizes) <= MAX_BYTES


def ranklib_columns(form, X):
    """The columns that ``columns.csv`` lists, from rows."""
    return np.column_stack([column.values(X) for column in engine_columns(form)]).astype(np.float32)


def test_a_linear_model_scores_on_ranklib_like_the_model_to_twelve_digits(rank_lib):
    made, (rows, expected) = exported("linear", "ranklib"), single_rows("linear")
    assert rank_lib.load(made.files["model.txt"].decode()) == ["Linear", "Regression"]
    scores = rank_lib.scores(ranklib_columns(made.model, rows))
    np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=1e-12)
    hard = hard_rows(made.model)
    found = rank_lib.scores(ranklib_columns(made.model, hard))
    assert np.abs(found - made.model.score(hard)).max() <= made.bound


@pytest.mark.parametrize("name", ADDITIVE)
def test_trees_score_on_ranklib_like_the_twin_bit_for_bit_and_within_the_bound(rank_lib, name):
    made, (rows, expected) = exported(name, "ranklib", "trees", STEPS), single_rows(name)
    text = made.files["model.txt"].decode()
    assert rank_lib.load(text) == ["LambdaMART"]
    X = ranklib_columns(made.model, np.vstack([rows, hard_rows(made.model)]))
    scores = rank_lib.scores(X)
    np.testing.assert_array_equal(scores, ranklib_model.evaluate(text, X).astype(float))
    assert np.abs(scores[: len(rows)] - expected).max() <= made.bound
    assert wrongly_ordered(scores[: len(rows)], expected, made.bound) == 0


@pytest.mark.parametrize(("name", "kind", "max_error"), [("linear", "linear", None), ("lrbf", "trees", STEPS)])
def test_a_changed_ranklib_model_is_found_out(rank_lib, name, kind, max_error):
    made, (rows, expected) = exported(name, "ranklib", kind, max_error), single_rows(name)
    text = made.files["model.txt"].decode()
    changed = text.replace(" 1:", " 2:", 1) if kind == "linear" else text.replace("<feature> 1 ", "<feature> 2 ", 1)
    rank_lib.load(changed)
    scores = rank_lib.scores(ranklib_columns(made.model, rows))
    assert np.abs(scores - expected).max() > made.bound
