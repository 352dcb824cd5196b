"""Files for Solr: what its arithmetic makes of them, what they contain, and what is refused."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import glassrank as gr
from glassrank.core.checks import DataError
from glassrank.core.feature_kinds import FeatureKind
from glassrank.export.export_form import (
    CurveTerm,
    ExportFeature,
    ExportModel,
    HiddenLayer,
    LevelTerm,
    LineTerm,
    StepTerm,
)
from glassrank.export.formats.contract import Request
from glassrank.export.formats.solr_ltr.solr import KINDS, write
from tests.export.hard_rows import hard_rows
from tests.export.product_models import ranked_by
from tests.export.solr_documents import definitions, documents
from tests.reference.solr_scores import solr_scores


def export(model, kind=None, **given_definitions):
    return write(Request(model, "shop_1a2b3c4d", kind, given_definitions or definitions(model)))


def contents(written):
    return (json.loads(written.files[name]) for name in ("features.json", "model.json"))


def largest_error(model, written, X):
    """Return how far the twin's scores are from the model's."""
    constant = 0.0 if written.constant_included else model.constant
    twin = solr_scores(*contents(written), documents(model, X)).astype(float)
    return np.abs(twin + constant - model.score(X)).max()


def random_model(seed, kinds_of_terms, scale):
    """A model of one to five features, of all orders of magnitude."""
    rng = np.random.default_rng(seed)
    features, terms = [], []
    for k in range(rng.integers(1, 6)):
        centre, width = rng.normal(0, 10.0 ** rng.uniform(-8, 4)), 10.0 ** rng.uniform(-8, 4)
        effect = scale * rng.normal(0, 10.0 ** rng.uniform(-1, 1))
        missing = None if rng.random() < 0.4 else float(rng.normal(0, abs(effect)))
        kind = rng.choice(kinds_of_terms)
        if kind == "levels":
            features.append(ExportFeature(f"f{k}", FeatureKind("category", ("a", "b ${c}", "d"))))
            unseen = None if rng.random() < 0.5 else float(rng.normal())
            terms.append(LevelTerm(k, missing, rng.normal(0, abs(effect), 3), unseen))
            continue
        features.append(ExportFeature(f"f{k}", low=centre - width, high=centre + width))
        low, high = features[-1].valid
        if kind == "line":
            terms.append(LineTerm(k, missing, effect, rng.uniform(low, high), width))
        elif kind == "steps":
            thresholds = np.unique(np.append(rng.uniform(low, high, rng.integers(1, 20)), rng.choice([0.0, centre])))
            terms.append(StepTerm(k, missing, thresholds, rng.normal(0, abs(effect), len(thresholds) + 1)))
        else:
            knots = np.unique(rng.uniform(low, high, rng.integers(2, 20)))
            values = rng.normal(0, abs(effect), len(knots))
            slopes = rng.normal(0, abs(effect) / width, 2).tolist()
            terms.append(CurveTerm(k, missing, knots, values, *slopes))
    return ExportModel(tuple(features), tuple(terms), float(rng.normal(0, scale)), tolerance=np.inf)


@pytest.mark.parametrize(
    ("kind", "terms"),
    [
        ("linear", ["line", "levels"]),
        ("network", ["line", "levels", "curve"]),
        ("trees", ["steps", "levels"]),
    ],
)
@settings(deadline=None)
@given(seed=st.integers(0, 2**32 - 1), scale=st.sampled_from([1e-3, 1.0, 100.0]))
def test_the_error_of_random_models_is_within_the_bound(kind, terms, seed, scale):
    model = random_model(seed, terms, scale)
    written = export(model, kind)
    X = hard_rows(model)
    assert largest_error(model, written, X) <= written.bound
    # A bound that is far too large would refuse useful models.
    assert written.bound <= 1e-3 * scale_of(model)


def scale_of(model):
    """Return how large intermediate results are: slopes times values, without any cancellation."""
    total = abs(model.constant)
    for term in model.terms:
        reach = max(map(abs, model.features[term.feature].valid))
        if isinstance(term, LineTerm):
            total += abs(term.weight) / term.scale * (reach + abs(term.mean)) + abs(term.missing or 0)
        elif isinstance(term, CurveTerm):
            total += np.abs(term.slopes).max() * 2 * reach + np.abs(term.values).max() + abs(term.missing or 0)
        else:
            table = term.effects if isinstance(term, LevelTerm) else term.levels
            total += np.abs(table).max() + abs(term.missing or 0) + abs(getattr(term, "unseen", 0) or 0)
    return total


@pytest.mark.parametrize("activation", ["sigmoid", "tanh", "relu", "linear"])
@settings(deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_error_of_random_hidden_layers_is_within_the_bound(activation, seed):
    rng = np.random.default_rng(seed)
    d, n = rng.integers(1, 6), rng.integers(1, 40)
    centre, width = rng.normal(0, 10.0 ** rng.uniform(-3, 3, d)), 10.0 ** rng.uniform(-3, 3, d)
    features = tuple(
        ExportFeature(f"f{k}", low=low, high=high, reach=0.0)
        for k, (low, high) in enumerate(zip(centre - 2 * width, centre + 2 * width, strict=True))
    )
    # A feature that was constant in training has scale 0.
    scale, shift = 1 / width, -centre / width
    scale[rng.random(d) < 0.1] = 0.0
    fill = centre if rng.random() < 0.5 else None
    weights = rng.normal(0, 10.0 ** rng.uniform(-2, 2), n)
    nodes = HiddenLayer(activation, rng.normal(size=(d, n)), rng.normal(size=n), weights, scale, shift, fill)
    model = ExportModel(features, (), float(rng.normal()), layer=nodes)
    if not scale.any():
        return
    written = export(model)
    assert largest_error(model, written, hard_rows(model)) <= written.bound


@pytest.mark.parametrize("threshold", [0.0, 1e-6, -1e-6, 1e-9, -1.0, -0.99999994, 16.0, -32.0, 1e30, -1e-30, 5.0])
def test_trees_split_exactly_at_their_thresholds(threshold):
    """Solr adds a millionth to thresholds; the next number above must still go right."""
    threshold = float(np.float32(threshold))
    span = max(abs(threshold), 1e-30)
    feature = ExportFeature("x", low=-span, high=span)
    model = ExportModel((feature,), (StepTerm(0, 5.0, np.array([threshold]), np.array([1.0, 2.0])),), 0.0)
    features, trees = contents(export(model))
    near = [threshold, *(float(np.nextafter(np.float32(threshold), np.float32(side))) for side in (-np.inf, np.inf))]
    scores = solr_scores(features, trees, [*({"x_f": x} for x in near), {}])
    assert scores.tolist() == [1.0, 1.0, 2.0, 5.0]


def test_a_large_tree_is_balanced():
    thresholds = np.linspace(1, 2, 1000)
    steps = StepTerm(0, None, thresholds, np.arange(1001.0))
    _, model = contents(export(ExportModel((ExportFeature("x", low=1.0, high=2.0),), (steps,), 0.0)))

    def depth(node):
        return 1 + max(depth(node["left"]), depth(node["right"])) if "feature" in node else 0

    assert depth(model["params"]["trees"][0]["root"]) == 10


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_without_effects_scores_all_documents_alike(kind):
    model = ExportModel((ExportFeature("x"),), (), 2.5)
    if kind != "linear":
        with pytest.raises(DataError, match=f"Solr's kind '{kind}' cannot hold this model: expected 'linear'"):
            export(model, kind)
        return
    written = export(model, kind)
    assert solr_scores(*contents(written), [{}, {"x_f": 1.0}]).tolist() == [0.0, 0.0]
    assert not written.constant_included


def test_definitions_are_fields_queries_or_objects():
    line = [LineTerm(k, None, 1.0) for k in range(4)]
    model = ExportModel(tuple(ExportFeature(name) for name in ("price", "bm25", "mobile", "age")), tuple(line), 0.0)
    mobile = {"class": "ValueFeature", "params": {"value": "${mobile}", "required": True}}
    written = export(model, price="price_f", bm25="{!edismax qf=title}${text}", mobile=mobile)
    features, _ = contents(written)
    kinds = [one["class"].rpartition(".")[2] for one in features]
    assert kinds == ["FieldValueFeature", "SolrFeature", "ValueFeature", "FieldValueFeature"]
    assert features[1]["params"]["q"] == "{!edismax qf=title}${text}"
    assert features[3]["params"]["field"] == "age"
    assert "efi.text=… efi.mobile=…}" in written.usage
    assert {one["store"] for one in features} == {"shop_1a2b3c4d"}


def test_a_default_of_the_definition_stays_as_it_is():
    """Who sets it has trained with it: no missing value is left."""
    model = ExportModel((ExportFeature("x"),), (LineTerm(0, 5.0, 2.0),), 0.0)
    chosen = {"class": "FieldValueFeature", "params": {"field": "x_f", "defaultValue": "0.25"}}
    for kind in KINDS:
        model = ExportModel(model.features, model.terms, 0.0, tolerance=0.1)
        written = export(model, kind, x=chosen)
        assert solr_scores(*contents(written), [{}])[0] == pytest.approx(0.5, abs=written.bound)


def test_a_default_that_is_not_a_number_means_missing():
    """Solr's log shows a missing value so; scores must not become NaN."""
    model = ExportModel((ExportFeature("x"),), (LineTerm(0, 5.0, 2.0),), 0.0, tolerance=0.1)
    logged = {"name": "x", "class": "FieldValueFeature", "params": {"field": "x_f", "defaultValue": "NaN"}}
    for kind in KINDS:
        written = export(model, kind, x=logged)
        assert solr_scores(*contents(written), [{}])[0] == pytest.approx(5.0, abs=written.bound)
    with pytest.raises(DataError, match="defaultValue must be a number in the definition of 'x': got 'none'"):
        export(model, x=logged | {"params": {"field": "x_f", "defaultValue": "none"}})


def test_missing_values_of_a_query_need_trees_or_a_line():
    curve = CurveTerm(0, 1.0, np.array([0.0, 1.0]), np.array([0.0, 2.0]))
    model = ExportModel((ExportFeature("bm25"),), (curve,), 0.0, tolerance=0.5)
    query = {"bm25": "{!field f=title}${text}"}
    assert export(model, **query).kind == "trees"
    with pytest.raises(DataError, match="cannot find the documents without a value of 'bm25'"):
        export(model, "network", **query)


@pytest.mark.parametrize("wrong", [7, "", {"field": "x_f"}, {"class": "FieldValueFeature", "params": []}, None])
def test_a_wrong_definition_is_named(wrong):
    model = ExportModel((ExportFeature("x"),), (LineTerm(0, None, 2.0),), 0.0)
    with pytest.raises(DataError, match=r"definitions must give a field, a query, or an object .* for the feature 'x'"):
        export(model, x=wrong)


def test_a_definition_of_an_unknown_feature_is_refused():
    model = ExportModel((ExportFeature("x"),), (LineTerm(0, None, 2.0),), 0.0)
    with pytest.raises(DataError, match=r"definitions must name features of the model: got 'y'\. The features are 'x'"):
        export(model, y="y_f")


def test_a_query_cannot_have_negative_values():
    model = ExportModel((ExportFeature("change", low=-2.0),), (LineTerm(0, None, 2.0),), 0.0)
    with pytest.raises(DataError, match=r"'change' has negative values \(-2 in training\), and the score of a query"):
        export(model, change="{!func}change_f")


def test_a_category_must_be_a_field():
    feature = ExportFeature("brand", FeatureKind("category", ("a", "b")))
    model = ExportModel((feature,), (LevelTerm(0, None, np.array([1.0, 2.0])),), 0.0)
    with pytest.raises(DataError, match="The category 'brand' must be a field that Solr can search"):
        export(model, brand="{!func}brand")


def test_gaussian_nodes_of_all_features_are_refused():
    X = np.random.default_rng(0).normal(size=(40, 3))
    model = gr.ELMRank(n_nodes=5, activation="gaussian", random_state=0).fit(X, np.arange(40) % 3)
    with pytest.raises(DataError, match="Solr's networks have no gaussian nodes"):
        gr.export_model(model, "solr", feature_names=["a", "b", "c"])


def test_times_in_milliseconds_do_not_fit_into_single_precision():
    rng = np.random.default_rng(0)
    X = np.column_stack([1.7e12 + 1e6 * rng.random(60), rng.random(60)])
    model = gr.RankSVM().fit(
        (X - X.mean(axis=0)) / X.std(axis=0), np.digitize(X[:, 1] + (X[:, 0] - 1.7e12) / 1e6, [0.7, 1.3])
    )
    coefficients = LineTerm(0, None, model.coef_[0], X[:, 0].mean(), X[:, 0].std())
    form = ExportModel((ExportFeature("time", low=X[:, 0].min(), high=X[:, 0].max()),), (coefficients,), 0.0)
    assert export(form).bound > 0.1 * abs(model.coef_[0])


def test_an_export_that_is_too_inexact_names_the_worst_feature():
    ranker, X = ranked_by("lrbf")
    with pytest.raises(DataError, match=r"Solr would change scores by up to .* The feature '\w+' alone costs"):
        gr.export_model(ranker, "solr", feature_names=X.names, max_error=1e-5)


def test_a_level_that_looks_like_a_parameter_is_escaped():
    feature = ExportFeature("brand", FeatureKind("category", ("it's ${x} \\ y", "b")))
    model = ExportModel((feature,), (LevelTerm(0, 3.0, np.array([1.0, 2.0])),), 0.0)
    features, _ = contents(export(model))
    assert features[0]["params"]["fq"] == ["{!term f=brand_s v='it\\'s \\u0024{x} \\\\ y'}"]
    assert largest_error(model, export(model), np.array([[0.0], [1.0], [np.nan]])) == 0.0


def test_a_heavy_tail_costs_precision_only_where_its_curve_is_steep():
    knots = np.geomspace(0.01, 1e9, 400)
    curve = CurveTerm(0, None, knots, np.log(knots), left_slope=100.0)
    model = ExportModel((ExportFeature("price", low=0.0, high=1e9),), (curve,), 0.0, tolerance=0.05)
    written = export(model)
    assert written.kind == "trees"
    assert written.bound <= 0.05
    prices = np.concatenate([[0.0, 0.005, 2.0, 1e9, 1e10], np.random.default_rng(0).lognormal(4, 4, 500)])
    assert largest_error(model, written, prices[:, None]) <= written.bound


def test_thresholds_next_to_zero_separate_zeros_as_lightgbm_does():
    steps = StepTerm(0, None, np.array([-1e-35, 1e-35, 3.0]), np.array([-1.0, 0.0, 1.0, 2.0]))
    model = ExportModel((ExportFeature("clicks", low=-2.0, high=9.0),), (steps,), 0.0)
    features, trees = contents(export(model))
    values = [-2.0, -1e-6, 0.0, 1e-6, 3.0, 4.0]
    scores = solr_scores(features, trees, [{"clicks_f": x} for x in values])
    assert scores.tolist() == [-1.0, -1.0, 0.0, 1.0, 1.0, 2.0]
