"""Additive ELMRank with missing values and categories against its formula on listed pairs."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline

import glassrank as gr
from glassrank import DataError, ELMRank, ELMRankCV, FeatureTransformer, NomogramRFE, PairCalibrator
from glassrank.core.feature_kinds import CATEGORY, NUMBER
from tests.modelfile.models import rewrite
from tests.ranking.mixed_tables import NEW_ROWS, MixedTable, simulated
from tests.reference.least_squares import fit_by_pairs, pair_objective
from tests.reference.node_columns import NodeLayer
from tests.reference.pairs import pair_accuracy

MIN_COUNT = 6
PRICE, AGE, STOCK, BRAND, SITE = range(5)


def elm(kind=ELMRank, **given):
    return kind(**{"n_nodes": 20, "nodes": "additive", "min_count": MIN_COUNT, "random_state": 0} | given)


def unjudged(table, rows):
    """The rows as data of their own, with only the levels that occur in them."""
    return replace(table, rows=rows, y=[0.0] * len(rows), qid=[0] * len(rows), weights=None).data


def slow_layer(model, table):
    nodes = model.hidden_nodes_
    listed = list(zip(nodes.feature.tolist(), nodes.inputs.tolist(), nodes.biases.tolist(), strict=True))
    weights = [1.0] * len(table.rows) if table.weights is None else table.weights
    return NodeLayer(table.rows, table.categories, weights, listed, model.activation, model.min_count)


def slow_fit(model, table, alpha):
    """The hidden layer as a function of rows, and the weights of its columns."""
    layer = slow_layer(model, table)
    H, _ = layer(table.rows)
    weights = None if table.weights is None else np.array(table.weights)
    return layer, fit_by_pairs(H, np.array(table.y), table.qid, alpha, model.weighting, weights)


def assert_adds_up(effects, data, scores):
    total = effects.total(effects.encode(data.table))
    np.testing.assert_allclose(total, scores, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
@pytest.mark.parametrize(
    ("activation", "weighting"),
    [("sigmoid", "pairs"), ("gaussian", "query"), ("tanh", "different-labels"), ("relu", "pairs"), ("linear", "query")],
)
def test_the_model_minimises_over_listed_pairs_on_the_columns_of_the_formula(activation, weighting, weighted):
    table = simulated(seed=1, weighted=weighted)
    model = elm(activation=activation, weighting=weighting, alpha=1e-2).fit(table.data)
    layer, coef = slow_fit(model, table, 1e-2)
    np.testing.assert_allclose(model.coef_, coef, rtol=0, atol=1e-9)
    weights = None if table.weights is None else np.array(table.weights)
    value = pair_objective(layer(table.rows)[0], np.array(table.y), table.qid, coef, 1e-2, weighting, weights)
    assert model.objective_ == pytest.approx(value, rel=1e-9)
    for rows in (table.rows, NEW_ROWS):
        H, feature = layer(rows)
        data = unjudged(table, rows)
        np.testing.assert_allclose(model.hidden_layer(data), H, rtol=0, atol=1e-12)
        np.testing.assert_allclose(model.predict(data), H @ coef, rtol=0, atol=1e-9)
        effects = gr.effects(model)
        made = effects.contributions(effects.encode(data.table))
        for k in (PRICE, STOCK, BRAND, SITE):  # age is 0 at its mean, which the formula does not know
            np.testing.assert_allclose(made[:, k], H[:, feature == k] @ coef[feature == k], rtol=0, atol=1e-9)
        assert_adds_up(effects, data, model.predict(data))


def test_a_missing_value_has_its_indicators_weight_and_levels_have_the_weighted_mean_0():
    table = simulated(seed=2, n_rows=60, weighted=True)
    model = elm().fit(table.data)
    effects = gr.effects(model)
    price = effects.features[PRICE]
    nodes_of_price = int((model.hidden_nodes_.feature == PRICE).sum())
    assert price.missing_effect == model.coef_[nodes_of_price]
    known = [(row[PRICE], w) for row, w in zip(table.rows, table.weights, strict=True) if row[PRICE] is not None]
    mean = np.average([v for v, _ in known], weights=[w for _, w in known])
    np.testing.assert_allclose(price(np.array([mean])), 0.0, atol=1e-12)
    codes = table.data.X[:, BRAND]
    np.testing.assert_allclose(np.average(effects.features[BRAND](codes), weights=table.weights), 0.0, atol=1e-12)


def test_the_nodes_are_divided_among_the_features_that_are_no_categories():
    model = elm(n_nodes=7).fit(simulated(seed=3, n_rows=60).data)
    assert model.hidden_nodes_.feature.tolist() == [0, 0, 0, 1, 1, 2, 2]
    with pytest.raises(DataError, match=r"n_nodes must be at least the number of features .* expected 3, got 2"):
        elm(n_nodes=2).fit(simulated(seed=3, n_rows=60).data)


@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
def test_a_search_measures_folds_with_the_columns_of_their_training_rows(weighted):
    table = simulated(seed=4, n_rows=60, n_queries=4, weighted=weighted)
    queries = np.array(table.qid)
    folds = [(np.flatnonzero(queries % 2 != part), np.flatnonzero(queries % 2 == part)) for part in range(2)]
    alphas = [1e-2, 1.0]
    search = elm(ELMRankCV, alphas=alphas, cv=folds).fit(table.data)
    for k, alpha in enumerate(alphas):
        for number, (train, test) in enumerate(folds):
            layer, coef = slow_fit(search, table.pick(train), alpha)
            held_out = table.pick(test)
            expected = pair_accuracy(layer(held_out.rows)[0] @ coef, held_out.y, held_out.qid)
            assert search.cv_results_[f"split{number}_test_score"][k] == pytest.approx(expected, abs=1e-12)
    alone = elm(alpha=search.alpha_).fit(table.data)
    assert search.predict(table.data).tobytes() == alone.predict(table.data).tobytes()


def test_leaving_a_query_out_keeps_the_columns_of_all_queries():
    table = simulated(seed=5, n_rows=50, n_queries=4)
    search = elm(ELMRankCV, alphas=[0.1], cv="leave-query-out").fit(table.data)
    layer, _ = slow_fit(search, table, 0.1)
    H, y, qid = layer(table.rows)[0], np.array(table.y), np.array(table.qid)
    total = sum((qid == q).sum() ** 2 for q in range(4))
    accuracies = []
    for q in range(4):
        rest, own = qid != q, qid == q
        coef = fit_by_pairs(H[rest], y[rest], qid[rest], 0.1, normaliser=total)
        accuracies.append(pair_accuracy(H[own] @ coef, y[own], qid[own]))
    assert search.best_score_ == pytest.approx(np.mean(accuracies), abs=1e-12)


@pytest.mark.parametrize("kind", [ELMRank, ELMRankCV])
def test_rows_of_weight_0_are_absent_bit_for_bit(kind):
    table = simulated(seed=6, n_rows=60, weighted=True)
    for row in (0, 20):  # the only missing ages, and the only rows of a level
        table.rows[row] = [50.0, None, 1.0, "only here", None]
    weights = list(table.weights)
    for row in (0, 5, 20, 41):
        weights[row] = 0.0
    table = replace(table, weights=weights)
    kept = [row for row in range(60) if weights[row] > 0]
    given = {"alphas": [0.01, 1.0], "cv": 2} if kind is ELMRankCV else {}
    with_zeros, without = (elm(kind, **given).fit(some.data) for some in (table, table.pick(kept)))
    assert with_zeros.coef_.tobytes() == without.coef_.tobytes()
    data = table.pick(kept).data
    assert with_zeros.predict(data).tobytes() == without.predict(data).tobytes()


def test_whole_weights_equal_repeated_rows():
    table = simulated(seed=7, n_rows=40)
    weights = [float(1 + row % 3) for row in range(40)]
    repeated = table.pick([row for row in range(40) for _ in range(int(weights[row]))])
    first, second = elm(min_count=1).fit(replace(table, weights=weights).data), elm(min_count=1).fit(repeated.data)
    np.testing.assert_allclose(first.predict(table.data), second.predict(table.data), rtol=0, atol=1e-9)


SAVED = {
    "float64": lambda: elm(activation="gaussian"),
    "float32": lambda: elm(dtype="float32", alpha=0.1),
    "mean": lambda: elm(missing="mean"),
    "search": lambda: elm(ELMRankCV, alphas=[0.01, 1.0], cv=2),
    "pipeline": lambda: make_pipeline(FeatureTransformer("auto"), elm(missing="mean")),
}


@pytest.mark.parametrize("kind", SAVED)
def test_a_loaded_model_and_scorer_predict_bit_for_bit(kind, tmp_path):
    table = simulated(seed=8, n_rows=60)
    data, new = table.data, unjudged(table, NEW_ROWS)
    model = SAVED[kind]()
    model = PairCalibrator(model, cv=2, random_state=0).fit(data) if kind == "pipeline" else model.fit(data)
    path = tmp_path / "model.json"
    gr.save_model(model, path, feature_names=data.feature_names)
    loaded, scorer = gr.load_model(path), gr.load_scorer(path)
    for rows in (data, new):
        expected = model.predict(rows)
        assert loaded.predict(rows).tobytes() == expected.tobytes()
        assert scorer.predict(rows).tobytes() == expected.tobytes()
    effects = gr.effects(loaded, data.table)
    assert effects.features[SITE].categories == ("news", "shop", "wiki")
    factor = -model.slope_ if kind == "pipeline" else 1.0
    assert_adds_up(effects, new, factor * model.predict(new))
    gr.save_model(loaded, tmp_path / "again.json", feature_names=data.feature_names)
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()


def test_a_file_whose_nodes_contradict_its_features_is_refused(tmp_path):
    model = elm().fit(simulated(seed=8, n_rows=60).data)
    path = tmp_path / "model.json"
    gr.save_model(model, path)
    for change, message in (
        (lambda one: one["nodes"].update(feature=[3] * 20), "nodes.feature must not contain categories"),
        (lambda one: one["coefficients"].pop(), "coefficients must have one entry per column"),
        (lambda one: one["features"]["kinds"].pop(), "features.kinds must have one entry per feature"),
    ):
        gr.save_model(model, path)
        rewrite(path, lambda content, change=change: change(content["model"]))
        with pytest.raises(DataError, match=message):
            gr.load_model(path)


def test_a_file_of_an_earlier_release_without_the_new_fields_is_loaded(tmp_path):
    table = simulated(seed=8, n_rows=60, missing=0.0).features([PRICE, AGE])
    model = elm().fit(table.data)
    path = tmp_path / "model.json"
    gr.save_model(model, path)

    def drop_new_fields(content):
        del content["model"]["features"]
        del content["model"]["parameters"]["min_count"], content["model"]["parameters"]["missing"]

    rewrite(path, drop_new_fields)
    assert gr.load_model(path).predict(table.data).tobytes() == model.predict(table.data).tobytes()


def test_categories_with_one_level_and_features_without_known_values_have_the_effect_0(tmp_path):
    rows = [["one", None, float(k)] for k in range(6)]
    names, kinds = ("site", "gone", "bm25"), (CATEGORY, NUMBER, NUMBER)
    table = MixedTable(rows, [float(k % 3) for k in range(6)], [0] * 6, names=names, kinds=kinds)
    model = elm().fit(table.data)
    made = gr.effects(model, table.data.table)
    data = unjudged(table, [["one", 3.0, 1.0], ["two", None, 2.0]])
    np.testing.assert_allclose(made.contributions(made.encode(data.table))[:, :2], 0.0, atol=1e-15)
    gr.save_model(model, tmp_path / "model.json")
    assert gr.load_scorer(tmp_path / "model.json").predict(data).tobytes() == model.predict(data).tobytes()
    for some in (table.features([0]), table.features([0, 1])):
        some = replace(some, qid=[0, 0, 0, 1, 1, 1])
        for made in (elm(), *(elm(ELMRankCV, alphas=[0.1], cv=cv) for cv in (2, "leave-query-out"))):
            np.testing.assert_allclose(made.fit(some.data).predict(some.data), 0.0, atol=1e-15)


def test_a_model_of_categories_alone_has_no_nodes_and_is_saved(tmp_path):
    table = simulated(seed=9, n_rows=60).features([BRAND, SITE])
    model = elm().fit(table.data)
    assert model.hidden_nodes_.n_columns == 0
    layer, coef = slow_fit(model, table, 1e-3)
    np.testing.assert_allclose(model.predict(table.data), layer(table.rows)[0] @ coef, rtol=0, atol=1e-9)
    gr.save_model(model, tmp_path / "model.json")
    assert gr.load_model(tmp_path / "model.json").predict(table.data).tobytes() == model.predict(table.data).tobytes()


def test_an_unexpected_missing_value_is_refused_or_has_the_effect_of_the_mean():
    table = simulated(seed=10, n_rows=60)
    rows = [
        [0.1, float(np.mean([row[AGE] for row in table.rows])), 1.0, "acme", "shop"],
        [0.1, None, 1.0, "acme", "shop"],
    ]
    data = unjudged(table, rows)
    with pytest.raises(DataError, match=r"'age' has 1 missing value, the first in row 1, but had none"):
        elm().fit(table.data).predict(data)
    model = elm(missing="mean").fit(table.data)
    first, second = model.predict(data)
    assert first == pytest.approx(second, rel=1e-12)
    assert_adds_up(gr.effects(model, data.table), data, [first, second])


def test_full_nodes_refuse_missing_values_and_categories_by_name_with_the_remedy():
    table = simulated(seed=11, n_rows=60)
    for kind in (ELMRank, ELMRankCV):
        with pytest.raises(DataError, match=r"needs numbers: feature 'brand' is a category.*nodes='additive'"):
            kind(random_state=0).fit(table.features([AGE, BRAND]).data)
        with pytest.raises(DataError, match=r"feature 'price' has \d+ missing values \(NaN\).*nodes='additive'"):
            kind(random_state=0).fit(table.features([PRICE, AGE]).data)
    known = simulated(seed=11, n_rows=60, missing=0.0).features([PRICE, AGE])
    later = unjudged(known, [[None, 1.0], [0.0, 1.0]])
    with pytest.raises(DataError, match=r"feature 'price' has 1 missing value \(NaN\).*nodes='additive'"):
        ELMRank(n_nodes=5, random_state=0).fit(known.data).predict(later)
    model = ELMRank(n_nodes=5, missing="mean", random_state=0).fit(known.data)
    mean = float(np.mean([row[0] for row in known.rows]))
    assert model.predict(later)[0] == model.predict(unjudged(known, [[mean, 1.0], [0.0, 1.0]]))[0]


def test_parts_of_the_data_must_be_known_numbers():
    table = simulated(seed=12, n_rows=60)
    with pytest.raises(DataError, match=r"partial_fit needs known numbers: feature 'price' has missing values"):
        elm().partial_fit(table.features([AGE, PRICE]).data)
    with pytest.raises(DataError, match=r"partial_fit needs known numbers: feature 'brand' is a category.*fit"):
        elm().partial_fit(table.features([AGE, BRAND]).data)
    whole = elm().fit(table.data)
    with pytest.raises(DataError, match="partial_fit needs known numbers"):
        whole.partial_fit(np.zeros((2, 5)), [0, 1], qid=["new", "new"])
    numbers = simulated(seed=12, n_rows=60, missing=0.0).features([PRICE, AGE, STOCK])
    parts = elm(weighting="query")
    for some in ([0, 1], [2, 3]):
        parts.partial_fit(numbers.pick([row for row in range(60) if numbers.qid[row] in some]).data)
    at_once = elm(weighting="query").fit(numbers.data)
    np.testing.assert_allclose(parts.predict(numbers.data), at_once.predict(numbers.data), rtol=0, atol=1e-9)
    assert parts.feature_kinds_ == at_once.feature_kinds_


def test_a_sparse_matrix_without_missing_values_is_scored_by_a_model_that_learned_them():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    y = rng.integers(3, size=30)
    gappy = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    model = elm().fit(gappy, y)
    np.testing.assert_allclose(model.predict(sparse.csr_matrix(X)), model.predict(X), rtol=1e-12)
    with pytest.raises(DataError, match="not sparse"):
        elm().fit(sparse.csr_matrix(gappy), y)


@pytest.mark.parametrize("rows", [NEW_ROWS[1:3], NEW_ROWS[2:4]], ids=["missing", "unseen"])
def test_a_pair_is_explained_and_drawn_exactly(rows):
    table = simulated(seed=13, n_rows=80, n_queries=5)
    model = PairCalibrator(elm(alpha=0.1), cv=2, random_state=0).fit(table.data)
    qid = [*map(str, table.qid), "q", "q"]
    data = MixedTable([*table.rows, *rows], [*table.y, 1.0, 0.0], qid).data
    why = gr.explain_pair(model, data, query="q", document=0, against=1)
    pair = unjudged(table, rows)
    log_odds = -model.slope_ * np.subtract(*model.predict(pair))
    assert why.total == pytest.approx(log_odds, rel=1e-9)
    assert sum(feature.contribution for feature in why.features) == pytest.approx(log_odds, rel=1e-9)
    probability = model.predict_pair_proba(pair.table[:1], pair.table[1:])
    np.testing.assert_allclose(probability, 1 / (1 + np.exp(-log_odds)), rtol=1e-9)
    picture = gr.nomogram(model, data, query="q", document=0, against=1)
    assert picture.pair.difference == pytest.approx(log_odds, rel=1e-9)
    for k, feature in enumerate(why.features):
        if feature.flip_a is not None:
            changed = [list(row) for row in rows]
            changed[0][k] = feature.categories[int(feature.flip_a)] if k in (BRAND, SITE) else feature.flip_a
            after = np.subtract(*model.predict(unjudged(table, changed))) * -model.slope_
            assert np.sign(after) != np.sign(log_odds) or abs(after) < 1e-6


def test_a_feature_is_eliminated_with_all_its_columns():
    table = simulated(seed=14, n_rows=60, n_queries=4)
    rfe = NomogramRFE(elm(alpha=0.1), cv=2).fit(table.data)
    left = list(range(5))
    for dropped in rfe.elimination_order_:
        some = table.features(left)
        model = elm(alpha=0.1).fit(some.data)
        layer, coef = slow_fit(model, some, 0.1)
        H, feature = layer(some.rows)
        effects = np.column_stack([H[:, feature == k] @ coef[feature == k] for k in range(len(left))])
        qid = np.array(table.qid)
        ranges = [[np.ptp(effects[qid == q, k]) for q in np.unique(qid)] for k in range(len(left))]
        assert left.pop(int(np.argmin(np.median(ranges, axis=1)))) == dropped


def test_hostile_names_and_odd_columns_are_taken():
    rng = np.random.default_rng(0)
    names = ("<script>alert(1)</script>", 'quote"\n', "🙂" * 100, "عربي", "constant")
    levels = ['a"b', "<b>", "🙂", "x" * 300]
    rows = [[rng.standard_cauchy() ** 3, None, rng.choice(levels), rng.choice(["yes", "no"]), 1.0] for _ in range(40)]
    kinds = (NUMBER, NUMBER, CATEGORY, CATEGORY, NUMBER)
    table = MixedTable(
        rows, rng.integers(3, size=40).astype(float).tolist(), [*range(5), *([9] * 35)], names=names, kinds=kinds
    )
    model = make_pipeline(FeatureTransformer("quantile"), elm(min_count=3))
    model.fit(table.data.table, table.y, elmrank__qid=table.qid)
    assert_adds_up(gr.effects(model, table.data.table), table.data, model.predict(table.data.table))
