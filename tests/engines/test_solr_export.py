"""Exported models on a real Solr: scores, order, uploads and deletions, for 1,200 documents and the hardest rows."""

import json
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

import glassrank as gr
from glassrank.core.feature_kinds import PLAIN, FeatureKind, FeatureTable
from glassrank.export.export_model import ExportedModel
from glassrank.export.read_model import read_model
from tests.export.hard_rows import hard_rows, picked, with_neighbours
from tests.export.product_models import MODELS, ranked_by
from tests.export.solr_documents import definitions, documents
from tests.fuzz.exports import LEVELS
from tests.reference.solr_scores import solr_scores

pytestmark = pytest.mark.engine
TREES = {"kind": "trees", "max_error": 0.05}
CASES = {name: (name, {}) for name in MODELS} | {
    "linear as network": ("linear", {"kind": "network"}),
    "linear as trees": ("linear", TREES),
    "lrbf as trees": ("lrbf", TREES),
}
# Levels that no export takes.
REFUSED = ("7.0", "a\0b")
# Where exp or tanh is computed, the engine may be one step off per node.
WITH_EXP = {"elm sigmoid", "elm tanh"}


@dataclass(frozen=True)
class Case:
    """An export, with the rows to score: those of training, then the hard ones."""

    exported: ExportedModel
    features: list
    model: dict
    ids: list
    documents: list
    expected: np.ndarray


@cache
def case(name):
    ranker, X = ranked_by(CASES[name][0])
    options = CASES[name][1]
    form = read_model(ranker, feature_names=X.names, max_error=options.get("max_error"))
    exported = gr.export_model(ranker, "solr", feature_names=X.names, definitions=definitions(form), **options)
    features, model = (json.loads(exported.files[file]) for file in ("features.json", "model.json"))
    hard = hard_rows(form, thresholds_of(form, model))
    # Models of the same features share the documents of training.
    ids = [f"{len(X.names)} features/{row}" for row in range(len(X))] + [f"{name}/{row}" for row in range(len(hard))]
    constant = 0.0 if exported.written.constant_included else form.constant
    expected = np.concatenate([ranker.predict(X), form.score(hard)]) - constant
    return Case(exported, features, model, ids, documents(form, np.vstack([X.values, hard])), expected)


def thresholds_of(form, model):
    """Return the thresholds of a model's trees as values of each feature, with their neighbours."""
    found = {feature.name: [] for feature in form.features}
    factors = {
        one["name"]: float(one.get("norm", {"params": {"std": 1}})["params"]["std"]) for one in model["features"]
    }

    def visit(node):
        if node.get("feature") in found:
            found[node["feature"]].append(float(node["threshold"]) * factors[node["feature"]])
        for side in ("left", "right"):
            visit(node[side]) if side in node else None

    for tree in model["params"].get("trees", ()):
        visit(tree["root"])
    return [with_neighbours(picked(np.sort(values))) for values in found.values()]


@pytest.fixture(scope="module")
def shop(solr_node):
    """A Solr that contains the documents of all cases."""
    held = {one: document for name in CASES for one, document in zip(case(name).ids, case(name).documents, strict=True)}
    solr_node.index({"id": one, "set_s": one.split("/")[0]} | document for one, document in held.items())
    yield solr_node
    solr_node.clear()


@pytest.fixture
def uploaded(shop):
    """Upload the files of a case as a user does, byte for byte, and return the scores of its rows."""

    def upload(name, model=None):
        files = case(name).exported.files
        shop.accept("PUT", "schema/feature-store", files["features.json"])
        shop.accept("PUT", "schema/model-store", model or files["model.json"])
        return scores_of(shop, name)

    yield upload
    shop.clear_models()


def scores_of(solr, name):
    """Return the scores of a case's rows."""
    ids = case(name).ids
    found = solr.scores(
        case(name).exported.name, fq=f"{{!terms f=set_s}}{','.join({one.split('/')[0] for one in ids})}"
    )
    return np.array([found[one] for one in ids])


@pytest.mark.parametrize("name", CASES)
def test_scores_and_order_are_those_of_the_model_within_the_bound_and_of_the_twin_bit_for_bit(uploaded, name):
    found, scores = case(name), uploaded(name)
    twin = solr_scores(found.features, found.model, found.documents)
    if name in WITH_EXP:
        weights = np.abs(np.array(found.model["params"]["layers"][1]["matrix"])).sum()
        assert np.abs(scores - twin).max() <= 4 * 2.0**-24 * weights
    else:
        np.testing.assert_array_equal(scores, twin)
    assert len(scores) > 1200
    bound = found.exported.bound
    assert np.abs(scores - found.expected).max() <= bound
    above = found.expected[:, None] - found.expected > 2 * bound
    assert (scores[:, None] > scores)[above].all()
    if "trees" not in name:  # whose steps are coarse here
        undecided = np.triu(~above & ~above.T, 1).sum() / (len(scores) * (len(scores) - 1) / 2)
        assert undecided < 0.005, f"{undecided:.2%} of the pairs are closer than twice the bound"


def test_a_corrupted_model_is_found_by_its_scores(uploaded, shop):
    found = case("linear")
    weights = found.model["params"]["weights"]

    def is_wrong(**change):
        model = found.model | change
        wrong = np.abs(uploaded("linear", model=model) - found.expected).max() > found.exported.bound
        shop.clear_models()
        return wrong

    assert not is_wrong()
    names = [one for one in weights if one in ("price", "year")]
    assert is_wrong(params={"weights": weights | {"price": weights["price"] * 1.001}})
    assert is_wrong(params={"weights": weights | dict(zip(names, [weights[one] for one in names[::-1]], strict=True))})
    assert is_wrong(features=[one for one in found.model["features"] if one["name"] != "price"])


def test_a_second_upload_is_refused_and_deletion_leaves_nothing(uploaded, shop):
    found = case("linear")
    before = uploaded("linear")
    answer = shop.send("PUT", "schema/model-store", found.exported.files["model.json"])
    assert "already exists" in answer["error"]["msg"]
    answer = shop.send("PUT", "schema/feature-store", found.exported.files["features.json"])
    assert "already contained in the store" in answer["error"]["msg"]
    # A refused upload changes nothing.
    np.testing.assert_array_equal(scores_of(shop, "linear"), before)
    name = found.exported.name
    assert f'DELETE "$SOLR/schema/model-store/{name}"' in found.exported.usage
    shop.accept("DELETE", f"schema/model-store/{name}")
    shop.accept("DELETE", f"schema/feature-store/{name}")
    assert shop.models() == []
    assert set(shop.stores()) <= {"_DEFAULT_"}


def test_the_check_reads_the_default_of_trees_as_a_missing_value(uploaded, shop, tmp_path):
    ranker, X = ranked_by("lrbf")
    assert np.isnan(X.values).any()
    uploaded("lrbf as trees")
    gr.save_model(ranker, tmp_path / "model.json", feature_names=X.names)
    ship = case("lrbf as trees").exported.save(tmp_path / "ship")
    query = f'set_s:"{len(X.names)} features"'
    found = gr.check_export(gr.load_scorer(tmp_path / "model.json"), ship, shop.url, query, rows=len(X))
    assert found.passed, str(found)
    assert (found.n_documents, found.n_beyond) == (len(X), 0)


def test_documents_of_numeric_and_odd_levels_have_the_scores_of_the_model(solr):
    levels = tuple(sorted(level for level in LEVELS if level not in REFUSED))
    codes = np.tile(np.arange(len(levels), dtype=float), 20)
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=len(codes)), codes])
    rows = FeatureTable(X, (PLAIN, FeatureKind("category", levels)), ("price", "shop"))
    y = np.digitize(X[:, 0] + 2 * rng.normal(size=len(levels))[codes.astype(int)], [0.0, 1.0])
    model = gr.RankSVM().fit(rows, y, qid=np.zeros(len(y)))
    exported = gr.export_model(model, "solr", definitions={"price": "price_f", "shop": "shop_s"})
    solr.accept("PUT", "schema/feature-store", exported.files["features.json"])
    solr.accept("PUT", "schema/model-store", exported.files["model.json"])
    once = rows.values[: len(levels)]
    solr.index({"id": str(k), "price_f": once[k, 0], "shop_s": level} for k, level in enumerate(levels))
    expected = model.predict(FeatureTable(once, rows.kinds, rows.names))
    constant = 0.0 if exported.written.constant_included else exported.model.constant
    assert solr.row_scores(exported.name, len(levels)) == pytest.approx(expected - constant, abs=exported.bound)
