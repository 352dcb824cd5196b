"""The twin of Solr's arithmetic is right: hand-written models score the same in both, bit for bit."""

import numpy as np
import pytest

from tests.reference.solr_scores import solr_scores

pytestmark = pytest.mark.engine
F = np.float32
NAMES = ("title", "price", "age", "tiny", "big")


def field_features(names, **defaults):
    return [
        {
            "store": "hand",
            "name": name,
            "class": "org.apache.solr.ltr.feature.FieldValueFeature",
            "params": {"field": f"{name}_f", "defaultValue": str(defaults.get(name, 0.0))},
        }
        for name in names
    ]


def hand_model(kind, params, names=NAMES, norms=()):
    norms = dict(norms)
    used = [{"name": name} | ({"norm": norms[name]} if name in norms else {}) for name in names]
    return {
        "store": "hand",
        "name": "m",
        "class": f"org.apache.solr.ltr.model.{kind}",
        "features": used,
        "params": params,
    }


def standard(average, deviation):
    return {
        "class": "org.apache.solr.ltr.norm.StandardNormalizer",
        "params": {"avg": str(average), "std": str(deviation)},
    }


def fields(rows, names=NAMES):
    return [{f"{name}_f": x for name, x in zip(names, row, strict=True) if x == x} for row in rows.tolist()]


def ulps(found, expected):
    """Return the largest distance in float32 steps."""
    a, b = (np.asarray(x, F).view(np.int32).astype(np.int64) for x in (found, expected))
    a, b = (np.where(x < 0, -(x & 0x7FFFFFFF), x) for x in (a, b))
    return int(np.abs(a - b)[~(np.isnan(found) & np.isnan(expected))].max())


@pytest.fixture(scope="module")
def rows():
    """Ordinary rows, special numbers in every feature, and absent fields, all float32."""
    rng = np.random.default_rng(0)
    ordinary = rng.normal([5, 20, 0, 0, 1e6], [3, 10, 1, 1e-6, 1e5], size=(300, 5))
    ordinary[rng.random(ordinary.shape) < 0.1] = np.nan
    special = [0.0, -0.0, 1e-30, -1e-30, 1e-6, 2e-6, -1e-6, 1.0, -1.0, 9.5, 1e30, -1e30, 1e-45, 3e38, np.nan]
    special += [np.nextafter(F(9.5), F(side)) for side in (-np.inf, np.inf)]
    return np.vstack([ordinary, np.repeat(special, 5).reshape(-1, 5), np.diag([2.5] * 5), [[np.nan] * 5]]).astype(F)


@pytest.fixture(scope="module")
def indexed(solr_node, rows):
    solr_node.index_rows(rows, NAMES)
    yield solr_node
    solr_node.clear()


@pytest.fixture
def both(indexed, rows):
    """Return the scores of the engine and of the twin for a model on the rows."""

    def scored(model, **defaults):
        features = field_features(NAMES, **defaults)
        indexed.accept("PUT", "schema/feature-store", features)
        indexed.accept("PUT", "schema/model-store", model)
        return indexed.row_scores(model["name"], len(rows)), solr_scores(features, model, fields(rows))

    yield scored
    indexed.clear_models()


def test_a_linear_model_of_standardised_features(both):
    weights = {"title": 0.7, "price": -0.123456789, "age": 3, "tiny": 1000.5, "big": -1e-3}
    norms = {"title": standard(5.1, 2.9), "price": standard("20.0", "0.3"), "big": standard(1000000.1, 123456.7)}
    norms["age"] = {"class": "org.apache.solr.ltr.norm.MinMaxNormalizer", "params": {"min": "-3.0", "max": "4.1"}}
    engine, twin = both(hand_model("LinearModel", {"weights": weights}, norms=norms), title=4.25, price=-17.3)
    assert ulps(engine, twin) == 0


def test_trees_compare_with_the_threshold_plus_a_millionth(both, rows):
    def split(feature, threshold, left, right):
        return {"feature": feature, "threshold": str(threshold), "left": left, "right": right}

    def value(number):
        return {"value": str(number)}

    deep = split(
        "price", 9.5, split("price", -1.0, value(0.1), value(0.2)), split("title", "1.0E-6", value(7), value(-3))
    )
    roots = [deep, split("tiny", 0.0, value(0.3), value(0.7)), split("tiny", -1e-6, value(1e-3), value(2e-3)), value(5)]
    roots += [split("big", 1e30, value(1 / 3), value(-1 / 3)), split("absent", 1, value(9), value(8))]
    trees = [{"weight": str(weight), "root": root} for weight, root in zip([1, 0.1, -3, 1, 2, 1], roots, strict=True)]
    engine, twin = both(hand_model("MultipleAdditiveTreesModel", {"trees": trees}), price="-3.0E38")
    assert ulps(engine, twin) == 0
    # The slack matters: with thresholds as written, the twin would be wrong.
    assert (np.nan_to_num(rows[:, 3]) <= F(1e-6)).sum() > (np.nan_to_num(rows[:, 3]) <= 0).sum()


def test_a_default_that_is_not_a_number_goes_right_in_a_tree(both):
    root = {"feature": "age", "threshold": "0.0", "left": {"value": "1"}, "right": {"value": "2"}}
    model = hand_model("MultipleAdditiveTreesModel", {"trees": [{"weight": "1", "root": root}]})
    engine, twin = both(model, age="NaN")
    assert engine[-1] == 2
    assert ulps(engine, twin) == 0


@pytest.mark.parametrize("activation", ["relu", "leakyrelu", "identity"])
def test_a_network_starts_from_the_bias_and_adds_in_column_order(both, activation):
    rng = np.random.default_rng(1)
    hidden = {"matrix": rng.normal(size=(7, 5)).tolist(), "bias": rng.normal(size=7).tolist(), "activation": activation}
    last = {"matrix": rng.normal(size=(1, 7)).tolist(), "bias": [-0.25], "activation": "identity"}
    norms = {"big": standard(1e6, 1e5), "title": standard(5, 3)}
    engine, twin = both(hand_model("NeuralNetworkModel", {"layers": [hidden, last]}, norms=norms))
    assert ulps(engine, twin) == 0


@pytest.mark.parametrize("activation", ["sigmoid", "tanh"])
def test_exp_and_tanh_differ_by_one_step_at_most(both, activation):
    layer = {"matrix": [[0.3, -0.1, 1.7, 12.0, 0.9]], "bias": [-0.4], "activation": activation}
    norms = {"big": standard(1e6, 1e5)}
    engine, twin = both(hand_model("NeuralNetworkModel", {"layers": [layer]}, norms=norms))
    assert ulps(engine, twin) <= 1
    assert np.unique(engine).size > 250


def test_a_model_of_136_features(solr):
    rng = np.random.default_rng(2)
    names = [f"f{number}" for number in range(136)]
    X = rng.lognormal(0, 3, size=(40, 136)).astype(F)
    X[rng.random(X.shape) < 0.2] = np.nan
    norms = {
        name: standard(F(mean), F(deviation))
        for name, mean, deviation in zip(names, np.nanmean(X, axis=0), np.nanstd(X, axis=0), strict=True)
    }
    weights = dict(zip(names, rng.normal(size=136).tolist(), strict=True))
    features = field_features(names)
    model = hand_model("LinearModel", {"weights": weights}, names, norms)
    solr.index_rows(X, names)
    solr.accept("PUT", "schema/feature-store", features)
    solr.accept("PUT", "schema/model-store", model)
    assert ulps(solr.row_scores("m", 40), solr_scores(features, model, fields(X, names))) == 0


def test_categories_and_absent_fields_are_filters_that_score_one_or_nothing(solr):
    documents = [{"shop_s": "a b"}, {"shop_s": ""}, {"shop_s": "é,=\"'{}$\\"}, {}, {"shop_s": "a"}, {"shop_s": "${x}"}]
    levels = ["a b", "", "é,=\"'{}$\\", "b"]
    queries = [f"{{!term f=shop_s}}{level}" for level in levels] + ["-shop_s:[* TO *]"]
    names = [f"level{number}" for number in range(len(queries))]
    features = [
        {"store": "hand", "name": name, "class": "org.apache.solr.ltr.feature.SolrFeature", "params": {"fq": [query]}}
        for name, query in zip(names, queries, strict=True)
    ]
    model = hand_model("LinearModel", {"weights": {name: 10.0**number for number, name in enumerate(names)}}, names)
    solr.index({"id": str(number)} | document for number, document in enumerate(documents))
    solr.accept("PUT", "schema/feature-store", features)
    solr.accept("PUT", "schema/model-store", model)
    engine = solr.row_scores("m", len(documents))
    assert engine.tolist() == [1, 10, 100, 10000, 0, 0]
    assert ulps(engine, solr_scores(features, model, documents)) == 0


def test_values_of_the_request_and_constants(solr):
    values = {"mobile": "${mobile}", "one": "1.0"}
    features = [
        {"store": "hand", "name": name, "class": "org.apache.solr.ltr.feature.ValueFeature", "params": {"value": value}}
        for name, value in values.items()
    ]
    model = hand_model("LinearModel", {"weights": {"mobile": 0.1, "one": -7.3}}, [*values])
    solr.index([{"id": "0"}])
    solr.accept("PUT", "schema/feature-store", features)
    solr.accept("PUT", "schema/model-store", model)
    assert solr.scores("m", external="efi.mobile=2.5")["0"] == solr_scores(features, model, [{}], {"mobile": 2.5})
    assert solr.scores("m")["0"] == solr_scores(features, model, [{}])


def test_stored_numbers_and_doc_values_are_read_alike(solr):
    """Solr reads a stored number from the stored document, and only one that is not stored from the doc values."""
    numbers = [0.1, -3e38, 1e-45, 16777217.0]
    solr.index({"id": str(row), "x_f": x, "x_kept": x} for row, x in enumerate([*numbers, 0.5]))
    solr.index([{"id": "5"}])
    names = {"x_f": 1.0, "x_kept": -1.0}
    features = [
        field | {"name": name, "params": {"field": name, "defaultValue": "0.3"}}
        for field, name in zip(field_features(names), names, strict=True)
    ]
    solr.accept("PUT", "schema/feature-store", features)
    solr.accept("PUT", "schema/model-store", hand_model("LinearModel", {"weights": names}, [*names]))
    assert solr.row_scores("m", 6).tolist() == [0.0] * 6
    logged = solr.rerank("m", fields="id,[features]")
    assert {one["id"]: one["[features]"] for one in logged}["5"] == "x_f=0.3,x_kept=0.3"


def test_the_score_of_a_query_is_never_negative(solr):
    query = {"class": "org.apache.solr.ltr.feature.SolrFeature", "params": {"q": "{!func}x_f"}}
    solr.index([{"id": "0", "x_f": -2.0}, {"id": "1", "x_f": 2.0}])
    solr.accept("PUT", "schema/feature-store", [{"store": "hand", "name": "x"} | query])
    solr.accept("PUT", "schema/model-store", hand_model("LinearModel", {"weights": {"x": 1.0}}, ["x"]))
    assert solr.row_scores("m", 2).tolist() == [0.0, 2.0]
