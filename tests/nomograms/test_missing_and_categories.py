"""Explanations, intervals and pictures of documents with missing values, categories and levels not seen before."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import glassrank as gr
from glassrank import PairCalibrator, RankingData, RankSVM
from glassrank.core.feature_kinds import FeatureKind
from glassrank.nomograms.bootstrap_effects import bootstrap_effects
from tests.ranking.mixed_tables import MixedTable, simulated

KERNELS = pytest.mark.parametrize("kernel", ["linear", "lrbf"])
PRICE, AGE, STOCK, BRAND, SITE = range(5)
PAIR = [[None, 1.0, 1.0, "acme", None], [0.4, 3.0, None, "cog", "shop"]]
UNSEEN = [[None, 1.0, 1.0, "never seen", "shop"], [0.4, 3.0, 0.0, "acme", "also new"]]


def trained(kernel="linear", seed=0):
    table = simulated(seed=seed, n_rows=80, n_queries=5)
    return table, RankSVM(2.0, kernel=kernel, linear=0.5, min_count=6).fit(table.data)


def pair_data(rows):
    return MixedTable(rows, [1.0, 0.0], ["q", "q"]).data


def explained(model, rows, seed=0):
    """The pair among the training rows, which show the values that each feature takes."""
    others = simulated(seed=seed, n_rows=80, n_queries=5)
    qid = [*map(str, others.qid), "q", "q"]
    data = MixedTable([*others.rows, *rows], [*others.y, 1.0, 0.0], qid).data
    return gr.explain_pair(model, data, query="q", document=0, against=1)


def difference(model, rows):
    """Score of the first row minus that of the second, by the model itself."""
    scores = model.predict(pair_data(rows))
    return scores[0] - scores[1]


def changed(rows, document, k, value):
    rows = [list(row) for row in rows]
    rows[document][k] = value
    return rows


@KERNELS
@pytest.mark.parametrize("rows", [PAIR, UNSEEN], ids=["missing", "unseen"])
def test_contributions_add_up_to_the_difference_of_the_scores(kernel, rows):
    _, model = trained(kernel)
    found = explained(model, rows)
    np.testing.assert_allclose(found.total, difference(model, rows), rtol=1e-9)
    np.testing.assert_allclose(sum(feature.contribution for feature in found.features), found.total, rtol=1e-9)


@KERNELS
@pytest.mark.parametrize("rows", [PAIR, UNSEEN, PAIR[::-1]], ids=["missing", "unseen", "swapped"])
def test_a_flip_is_a_known_value_that_reverses_the_order(kernel, rows):
    table, model = trained(kernel)
    found = explained(model, rows)
    n_flips = 0
    for k, feature in enumerate(found.features):
        for document, flip in enumerate((feature.flip_a, feature.flip_b)):
            if flip is None:
                continue
            n_flips += 1
            assert np.isfinite(flip)
            value = feature.categories[int(flip)] if k in (BRAND, SITE) else flip
            assert k not in (BRAND, SITE) or value in {row[k] for row in table.rows}
            assert k != STOCK or value in (0.0, 1.0)
            after = difference(model, changed(rows, document, k, value))
            assert np.sign(after) != np.sign(found.total) or abs(after) < 1e-6 * max(1.0, abs(found.total))
    assert n_flips > 0


@KERNELS
@pytest.mark.parametrize("rows", [PAIR, UNSEEN], ids=["missing", "unseen"])
def test_without_a_flip_no_known_value_reverses_the_order(kernel, rows):
    table, model = trained(kernel)
    found = explained(model, rows)
    known = {k: sorted({row[k] for row in table.rows if row[k] is not None}) for k in (STOCK, BRAND, SITE)}
    for k in (PRICE, AGE):
        # Lines show the middle 99 % of the values.
        known[k] = np.linspace(*np.nanquantile(table.data.X[:, k], [0.01, 0.99]), 40).tolist()
    for k, feature in enumerate(found.features):
        for document, flip in enumerate((feature.flip_a, feature.flip_b)):
            if flip is None:
                after = [difference(model, changed(rows, document, k, value)) for value in known[k]]
                assert {np.sign(value) for value in after} == {np.sign(found.total)}, feature.name


@pytest.mark.parametrize("age", [1.0, 2.0, 3.0, 4.0])
def test_a_document_without_a_value_is_offered_a_known_one(age):
    _, model = trained()
    rows = changed(PAIR, 0, AGE, age)
    found = explained(model, rows)
    price = gr.effects(model).features[PRICE]
    flip = found.features[PRICE].flip_a
    low, high = np.nanquantile(trained()[0].data.X[:, PRICE], [0.02, 0.98])
    reached = price(np.array([low, high])) - price.missing_effect + found.total
    if flip is None:
        assert (np.sign(reached) == np.sign(found.total)).all()
        return
    # On a straight line there is one value at which the two tie, or the order is already reversed at the mean.
    after = difference(model, changed(rows, 0, PRICE, flip))
    at_mean = found.total - price.missing_effect
    expected = 0.0 if np.sign(at_mean) == np.sign(found.total) else at_mean
    np.testing.assert_allclose(after, expected, atol=1e-9)


def test_tables_and_json_name_levels_and_leave_missing_values_empty():
    _, model = trained()
    plain = json.loads(explained(model, PAIR).to_json(), parse_constant=lambda name: pytest.fail(name))
    of = {feature["feature"]: feature for feature in plain["features"]}
    assert (of["price"]["value_a"], of["price"]["value_b"]) == (None, 0.4)
    assert (of["in stock"]["value_a"], of["in stock"]["value_b"]) == ("yes", None)
    assert (of["brand"]["value_a"], of["brand"]["value_b"]) == ("acme", "cog")
    assert (of["site"]["value_a"], of["site"]["value_b"]) == (None, "shop")
    text = str(explained(model, PAIR))
    assert "missing" in text
    assert "nan" not in text.lower()
    plain = json.loads(explained(model, UNSEEN).to_json())
    of = {feature["feature"]: feature for feature in plain["features"]}
    assert of["brand"]["value_a"] == "not seen in training"
    assert "not seen in training" in str(explained(model, UNSEEN))


def test_a_calibrated_explanation_is_the_probability_of_the_calibrator():
    table = simulated(seed=1, n_rows=80, n_queries=5)
    model = PairCalibrator(RankSVM(min_count=6), cv=3).fit(table.data)
    data = pair_data(PAIR)
    found = gr.explain_pair(model, data, query="q", document=0, against=1)
    expected = model.predict_pair_proba(data.table[[0]], data.table[[1]])[0]
    np.testing.assert_allclose(found.probability, expected, rtol=1e-9)


def test_resamples_without_missing_values_give_them_the_effect_of_the_mean():
    table = simulated(seed=2, n_rows=80, n_queries=5, missing=0.0)
    # Only one query has missing prices, and about a third of the resamples lack it.
    rows = [
        [None if q == 1 and i % 2 else row[0], *row[1:]]
        for i, (row, q) in enumerate(zip(table.rows, table.qid, strict=True))
    ]
    data = replace(table, rows=rows).data
    model = RankSVM(min_count=6)
    samples = bootstrap_effects(model, data.table, data.y, data.qid, n_resamples=25, random_state=0)
    effects = np.array([float(one.features[PRICE](np.array(np.nan))) for one in samples.replicates])
    means = np.array([float(one.features[PRICE](np.array(np.nanmean(data.X[:, PRICE])))) for one in samples.replicates])
    assert np.isfinite(effects).all()
    lacking = np.abs(effects - means) < 0.05
    assert 0 < lacking.sum() < 25
    fitted = model.fit(data)
    absent = int(np.flatnonzero(np.isnan(data.X[:, PRICE]))[0])
    query = data.qid[absent]
    place = int(np.flatnonzero(np.flatnonzero(data.qid == query) == absent)[0])
    found = gr.explain_pair(fitted, data, query=query, document=place, against=place - 1, samples=samples)
    assert found.features[PRICE].error > 0
    low, high = found.interval
    assert low < found.total < high


def many_levels(n_levels=200):
    rng = np.random.default_rng(3)
    n_rows = 4 * n_levels
    codes = np.tile(np.arange(n_levels), 4).astype(float)
    price = rng.normal(size=n_rows)
    worth = 3 * rng.normal(size=n_levels)
    y = np.digitize(worth[codes.astype(int)] + price + rng.normal(size=n_rows), [-1.0, 1.0])
    price[rng.random(n_rows) < 0.25] = np.nan
    codes[rng.random(n_rows) < 0.1] = np.nan
    kinds = [FeatureKind(), FeatureKind("category", tuple(f"<{k}>" for k in range(n_levels)))]
    X = np.column_stack([price, codes])
    return RankingData(X, y, np.repeat(np.arange(40), n_rows // 40), feature_names=["price", "brand"], kinds=kinds)


def test_a_picture_of_200_levels_and_missing_values_has_their_marks_and_no_nan():
    data = many_levels()
    model = RankSVM(1000.0, min_count=2, kernel="lrbf", linear=0.5).fit(data)
    missing = np.isnan(data.X)
    row = next(r for r in range(data.n_rows) if missing[r].all())
    rows = np.flatnonzero(data.qid == data.qid[row])
    place = int(np.flatnonzero(rows == row)[0])
    against = next(p for p, r in enumerate(rows) if not missing[r].any())
    picture = gr.nomogram(model, data, query=data.qid[row], document=place, against=against)
    specification = picture.specification()
    json.dumps(specification, allow_nan=False)
    marks = {mark["label"] for part in specification["data"] if part["name"] == "missing" for mark in part["values"]}
    shares = missing.mean(axis=0)
    assert marks == {f"missing {100 * share:.0f} %" for share in shares}
    ticks = [tick["label"] for part in specification["data"] if part["name"] == "ticks" for tick in part["values"]]
    labelled = [label for label in ticks if label.startswith("<")]
    # At most 12 levels by importance; those of the two documents are written at their dots.
    assert 3 <= len(labelled) <= 12
    rare = picture.effects.features[1].rare
    assert f"{200 - 12 - len(rare)} more levels" in json.dumps(specification)
    scores = model.predict(data.pick_rows([row, rows[against]]))
    np.testing.assert_allclose(picture.pair.difference, scores[0] - scores[1], rtol=1e-9)
    svg = picture.page_svg
    assert "missing 2" in svg
    assert re.search(r"\bNaN\b", svg) is None


def test_a_picture_of_levels_not_seen_has_no_nan_and_adds_up():
    _, model = trained()
    picture = gr.nomogram(model, pair_data(UNSEEN), query="q", document=0, against=1)
    json.dumps(picture.specification(), allow_nan=False)
    np.testing.assert_allclose(picture.pair.difference, difference(model, UNSEEN), rtol=1e-9)
    assert "not seen in training" in json.dumps(picture.specification())


def test_another_pair_is_shown_as_plain_values_without_nan():
    table, model = trained()
    data = replace(table, rows=[*table.rows[:-2], *PAIR], qid=[*table.qid[:-2], "q", "q"]).data
    data = RankingData(data.X, data.y, [str(q) for q in data.qid], feature_names=data.feature_names, kinds=data.kinds)
    picture = gr.nomogram(model, data, query="0", document=0, against=1)
    shown = picture.pair_to_show(data, query="q", document=0, against=1)
    text = json.dumps(shown, allow_nan=False)
    assert json.loads(text)["dots"][0]["values"][PRICE] is None


KNOWN = [[0.1, 1.0, 1.0, "acme", "shop"], [0.4, 3.0, 0.0, "bolt", "news"]]


@KERNELS
@pytest.mark.parametrize(("value", "feature"), [(None, AGE), ("never seen", BRAND)], ids=["missing", "unseen"])
def test_unexpected_values_of_other_queries_do_not_matter(kernel, value, feature):
    """Neither age nor brand has missing values in training."""
    _, model = trained(kernel)
    data = MixedTable([*KNOWN, *changed(KNOWN, 1, feature, value)], [1.0, 0.0] * 2, ["q", "q", "r", "r"]).data
    expected, pair = difference(model, KNOWN), {"query": "q", "document": 0, "against": 1}
    assert gr.explain_pair(model, data, **pair).total == pytest.approx(expected, rel=1e-9)
    assert gr.nomogram(model, data, **pair).pair.difference == pytest.approx(expected, rel=1e-9)
    document = gr.explain_document(model, data, query="q", document=0)
    assert document.total in (0.0, pytest.approx(expected, rel=1e-9))
    assert document.nomogram().overlay.total == pytest.approx(document.total, abs=1e-9)
    if value is None:
        with pytest.raises(gr.DataError, match="Feature 'age' has 1 missing value, the first in row 3"):
            gr.explain_pair(model, data, **{**pair, "query": "r"})
