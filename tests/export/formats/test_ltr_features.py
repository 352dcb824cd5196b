"""Definitions of features for the LTR plugins, and what cannot be exported to them."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import glassrank as gr
from glassrank.core.feature_kinds import FeatureKind
from glassrank.export.export_form import CurveTerm, ExportFeature, ExportModel, HiddenLayer, LevelTerm, LineTerm
from glassrank.export.formats.contract import Request
from glassrank.export.formats.ltr import ranklib
from glassrank.export.formats.ltr.opensearch import KINDS, write_opensearch
from tests.export.ltr_exports import bodies, ranked, wide
from tests.reference import opensearch_ltr

PRICE, TITLE = ExportFeature("price", low=-1.0, high=9.0), ExportFeature("title", low=0.0, high=9.0)
BRAND = ExportFeature("brand", FeatureKind("category", ("acme", "zenith")))


def written(features, terms, kind=None, layer=None, **definitions):
    model = ExportModel(tuple(features), tuple(terms), 0.25, layer=layer, tolerance=1.0)
    return write_opensearch(Request(model, "shop_1a2b3c4d", kind, definitions))


def scores(made, documents, **parameters):
    return opensearch_ltr.rescore(*bodies(made.files), documents, parameters)


def test_a_query_is_a_feature_whose_parameters_the_search_supplies():
    line = LineTerm(0, None, 2.0)
    made = written([TITLE], [line], title={"match": {"name": "{{words}}"}})
    documents = [{"name": "blue jeans"}, {"name": "jeans"}, {"name": "hat"}]
    np.testing.assert_array_equal(scores(made, documents, words="blue jeans"), [4.25, 2.25, 0.25])
    assert bodies(made.files)[0]["featureset"]["features"][0]["params"] == ["words"]


@pytest.mark.parametrize(
    "template", [{"match": {"name": "{{words}}"}}, '{"match": {"name": "{{words}}"}}'], ids=["object", "text"]
)
@pytest.mark.parametrize("kind", KINDS)
def test_a_document_that_a_query_does_not_match_has_the_effect_of_a_missing_value(template, kind):
    line = LineTerm(0, -3.0, 2.0)
    made = written([TITLE], [line], kind, title={"template": template, "params": ["words"]})
    found = scores(made, [{"name": "jeans"}, {"name": "hat"}], words="jeans")
    constant = 0.0 if made.constant_included else 0.25
    np.testing.assert_allclose(found + constant, [2.25, -2.75], atol=made.bound)


@pytest.mark.parametrize("kind", KINDS)
def test_a_field_below_zero_is_two_features_whose_difference_is_the_value(kind):
    made = written([PRICE], [LineTerm(0, None, 2.0)], kind, price="cost")
    found = scores(made, [{"cost": -1.0}, {"cost": 4.0}, {"cost": 0.0}, {"cost": -0.0}])
    constant = 0.0 if made.constant_included else 0.25
    np.testing.assert_allclose(found + constant, [-1.75, 8.25, 0.25, 0.25], atol=made.bound)


@pytest.mark.parametrize("kind", KINDS)
def test_levels_unknown_levels_and_no_level_have_their_own_effects(kind):
    made = written([BRAND], [LevelTerm(0, 4.0, np.array([1.0, 2.0]), unseen=3.0)], kind, brand={"field": "maker"})
    found = scores(made, [{"maker": "acme"}, {"maker": "zenith"}, {"maker": "other"}, {}])
    constant = 0.0 if made.constant_included else 0.25
    np.testing.assert_array_equal(found + constant, [1.25, 2.25, 3.25, 4.25])


def test_values_that_training_did_not_have_are_noted():
    made = written([TITLE, BRAND], [LineTerm(0, None, 2.0), LevelTerm(1, 1.0, np.array([1.0, 2.0]))])
    assert made.notes == (
        "Training had no missing values of title. The engine takes one as 0, and of a category as no effect.",
        "Training had all levels of brand. In the engine, another level has no effect.",
    )


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        ({}, "must be a field, or a query"),
        (7, "must be a field, or a query"),
        ("", "must be a field, or a query"),
        ("a{{b}}", "must be a field, or a query"),
        ({"field": "price", "missing": 0}, "must be a field, or a query"),
        ({"match": {"name": "{{price}}"}}, "'price' has values below 0 \\(from -1\\).*by the field"),
    ],
)
def test_definitions_that_the_plugin_cannot_use_are_refused(definition, message):
    with pytest.raises(gr.DataError, match=message):
        written([PRICE], [LineTerm(0, None, 2.0)], price=definition)


def test_a_category_defined_by_a_query_is_refused():
    with pytest.raises(gr.DataError, match=r"'brand' is a category.*by the field"):
        written([BRAND], [LevelTerm(0, 4.0, np.array([1.0, 2.0]))], brand={"match_all": {}})


def test_a_definition_of_an_unknown_feature_is_refused_with_the_known_ones():
    with pytest.raises(gr.DataError, match=r"got 'prize'\. The features are 'price'"):
        written([PRICE], [LineTerm(0, None, 2.0)], prize="cost")


def test_a_parameter_with_the_name_of_a_feature_is_refused_because_expressions_would_use_it():
    with pytest.raises(gr.DataError, match=r"parameter 'title'.*Choose another name"):
        written([TITLE], [LineTerm(0, None, 2.0)], title={"match": {"name": "{{title}}"}})


def test_a_level_that_looks_like_a_parameter_is_refused():
    feature = ExportFeature("brand", FeatureKind("category", ("{{x}}", "zenith")))
    with pytest.raises(gr.DataError, match=r"level '\{\{x\}\}' of 'brand'.*Rename the level"):
        written([feature], [LevelTerm(0, 4.0, np.array([1.0, 2.0]))])


def test_a_category_of_many_levels_goes_into_expressions_but_not_into_trees():
    names = tuple(f"level {i}" for i in range(1200))
    feature, effects = ExportFeature("brand", FeatureKind("category", names)), np.linspace(-1, 1, 1200)
    term = LevelTerm(0, None, effects)
    found = scores(written([feature], [term]), [{"brand": names[0]}, {"brand": names[-1]}, {"brand": names[700]}])
    np.testing.assert_allclose(found, 0.25 + effects[[0, -1, 700]], rtol=1e-6)
    for kind in ("ranklib", "xgboost"):
        with pytest.raises(gr.DataError, match=r"1,200 levels.*kind='derived_expression'"):
            written([feature], [term], kind)


def test_too_many_features_for_a_set_are_refused():
    features = [ExportFeature(f"f{k}") for k in range(10_001)]
    with pytest.raises(gr.DataError, match=r"would have 20,0\d\d features: the plugin takes at most 10,000.*fewer"):
        written(features, [LineTerm(k, None, 1.0) for k in range(10_001)])


def test_a_hidden_node_of_too_many_features_is_refused_with_its_size():
    n = 900
    layer = HiddenLayer("tanh", np.ones((n, 20)), np.zeros(20), np.ones(20), np.ones(n), np.zeros(n))
    with pytest.raises(gr.DataError, match=r"'hidden node 1' takes 11,\d+ bytes.*at most 8,000.*fewer features"):
        written([ExportFeature(f"f{k}") for k in range(n)], [], layer=layer)


@pytest.mark.parametrize("kind", ["linear", "ranklib", "xgboost"])
def test_hidden_nodes_are_refused_as_weights_and_trees(kind):
    ranker, X = ranked("elm gaussian")
    with pytest.raises(gr.DataError, match=r"hidden nodes.*kind='derived_expression'"):
        gr.export_model(ranker, "opensearch", kind=kind, feature_names=X.names)


@pytest.mark.parametrize("kind", [None, "linear", "trees"])
def test_hidden_nodes_are_refused_by_ranklib(kind):
    ranker, X = ranked("elm gaussian")
    with pytest.raises(gr.DataError, match=r"hidden nodes.*Use a format that has expressions"):
        gr.export_model(ranker, "ranklib", kind=kind, feature_names=X.names)


def test_curves_are_refused_as_weights_with_the_kind_that_takes_them():
    curve = CurveTerm(0, None, np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    with pytest.raises(gr.DataError, match=r"effect of 'title' is a curve.*kind='derived_expression'"):
        written([TITLE], [curve], "linear")
    with pytest.raises(gr.DataError, match=r"effect of 'title' is a curve.*kind='trees'"):
        ranklib.write(Request(ExportModel((TITLE,), (curve,), 0.0, tolerance=1.0), "shop", "linear"))


def test_a_scale_that_single_precision_loses_is_refused():
    with pytest.raises(gr.DataError, match=r"scale of 'title', 1e-50.*kind='derived_expression'"):
        written([TITLE], [LineTerm(0, None, 1e-50, scale=1e-50)], "linear")


@pytest.mark.parametrize(("name", "kind"), [("opensearch", "linear"), ("opensearch", None), ("ranklib", None)])
def test_times_in_milliseconds_are_refused_with_the_feature_that_costs_most(name, kind):
    times = 1.7e12 + 1e7 * np.random.default_rng(0).normal(0, 1, 60)
    X = np.column_stack([times, np.arange(60) % 7])
    model = make_pipeline(StandardScaler(), gr.RankSVM()).fit(X, np.arange(60) // 20, ranksvm__qid=np.zeros(60))
    with pytest.raises(gr.DataError, match=r"feature 'published' alone costs.*Raise max_error.*double precision"):
        gr.export_model(model, name, kind=kind, feature_names=["published", "clicks"])


@pytest.mark.parametrize("name", ["opensearch", "elasticsearch", "ranklib"])
def test_models_without_a_score_of_one_document_and_unusable_names_are_refused(name):
    X, y, qid = wide(2)[1], np.arange(120) % 3, np.repeat(np.arange(12), 10)
    difference = gr.RankSVM(kernel="lrbf", mode="difference", random_state=0).fit(X, y, qid=qid)
    with pytest.raises(gr.DataError, match=r"compares two documents.*mode='utility'"):
        gr.export_model(difference, name)
    with pytest.raises(gr.DataError, match=r"scaled within each query.*transform='standard'"):
        gr.export_model(make_pipeline(gr.QueryScaler("minmax"), gr.RankSVM()).fit(X, y), name)
    linear = gr.RankSVM().fit(X, y, qid=qid)
    with pytest.raises(gr.DataError, match="Rename them automatically with rename='auto'"):
        gr.export_model(linear, name, feature_names=["click rate", "age"])


def test_the_columns_of_a_ranklib_model_are_listed_with_their_content():
    model = ExportModel((TITLE, BRAND), (LineTerm(0, 1.0, 2.0), LevelTerm(1, None, np.array([1.0, 2.0]), 3.0)), 0.5)
    made = ranklib.write(Request(model, "shop_1a2b3c4d"))
    assert made.files["columns.csv"].decode().splitlines() == [
        "number,column,feature,content",
        '1,title,title,"its value, 0 if it is missing"',
        '2,gr_no_title,title,"1 if it is missing, otherwise 0"',
        "3,gr_is_brand_0,brand,\"1 if it is 'acme', otherwise 0\"",
        "4,gr_is_brand_1,brand,\"1 if it is 'zenith', otherwise 0\"",
        '5,gr_other_brand,brand,"1 if it is none of these levels, otherwise 0"',
    ]
    assert made.files["model.txt"].decode().splitlines() == [
        "## Linear Regression",
        "## Ranges of the features in training, and the ranges over which the error in glassrank.json is stated:",
        "##   title: 0 to 9, 0 to 99",
        "0:0.5 1:2.0 2:1.0 3:1.0 4:2.0 5:3.0",
    ]


def test_a_model_without_features_gives_every_document_the_constant():
    for kind in ("derived_expression", "ranklib", "xgboost"):
        np.testing.assert_array_equal(scores(written([TITLE], [], kind), [{}, {"title": 3.0}]), [0.25, 0.25])
