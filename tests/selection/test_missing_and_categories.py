"""Selectors on missing values, yes/no values and categories: by hand, against slow twins, and on planted features."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingRegressor

from glassrank.core.feature_kinds import PLAIN, FeatureKind, FeatureTable
from glassrank.core.groups import group_rows
from glassrank.data.ranking_data import RankingData
from glassrank.navigational.coupling.selectors import NomogramLengthSelector
from glassrank.selection.boosting_engines import LIGHTGBM, boosted_classifier, boosted_ranker
from glassrank.selection.boosting_influence import BoostingInfluenceSelector
from glassrank.selection.combined import CombinedSelector
from glassrank.selection.entropy import order_information, share_won
from glassrank.selection.information_gain import InformationGainSelector
from glassrank.selection.rank_features import rank_features
from glassrank.selection.selector_names import DEFAULT_SELECTORS
from glassrank.selection.svm_weight import SVMWeightSelector
from tests.drawing.svg import says
from tests.reference import information as slow

NAMES = ["signal", "gaps", "brand", "flag", "noise", "shade"]
PLANTED = ["signal", "gaps", "brand", "flag"]
BRANDS = FeatureKind("category", ("Oska", "Tarn", "Veltra", "Nordvik"))
SHADES = FeatureKind("category", tuple(f"shade {k:02}" for k in range(30)))
FEW_TREES = {"n_estimators": 20, "random_state": 0}
SELECTORS = {
    "information gain": InformationGainSelector(4),
    "svm": SVMWeightSelector(4),
    "boosting": BoostingInfluenceSelector(4, **FEW_TREES),
    "lightgbm": BoostingInfluenceSelector(4, engine="lightgbm", **FEW_TREES),
    "combined": CombinedSelector(4, selectors=[SVMWeightSelector(), BoostingInfluenceSelector(**FEW_TREES)]),
}
every_selector = pytest.mark.parametrize("name", SELECTORS)


@pytest.fixture(scope="module")
def shop():
    """Four features decide: one by its values, one only by being missing, a category and a yes/no value."""
    rng = np.random.default_rng(0)
    n = 900
    signal, gaps, noise = rng.normal(size=(3, n))
    brand, shade = rng.integers(0, 4, n), rng.integers(0, 30, n)
    flag, missing = rng.random(n) < 0.5, rng.random(n) < 0.4
    utility = 1.2 * signal - 1.5 * missing + np.array([1.0, -1.0, 0.5, -0.5])[brand] + 1.2 * flag
    X = np.column_stack([signal, np.where(missing, np.nan, gaps), brand, flag, noise, shade]).astype(float)
    X[rng.random(n) < 0.1, 2] = np.nan
    y = np.digitize(utility + 0.5 * rng.normal(size=n), [-1.0, 0.5, 2.0])
    kinds = [PLAIN, PLAIN, BRANDS, FeatureKind("boolean"), PLAIN, SHADES]
    return RankingData(X, y, np.repeat(np.arange(60), 15), feature_names=NAMES, kinds=kinds)


@every_selector
def test_planted_features_of_every_kind_are_found_in_rankings(name, shop):
    fitted = clone(SELECTORS[name]).fit(shop)
    assert [NAMES[k] for k in np.flatnonzero(fitted.support_)] == PLANTED


@pytest.mark.parametrize("name", [*SELECTORS, "nomogram length"])
def test_planted_features_of_every_kind_are_found_for_classes(name, shop):
    selector = NomogramLengthSelector(4) if name == "nomogram length" else SELECTORS[name]
    fitted = clone(selector).fit(shop.table, shop.y >= 2)
    # A line also spans the levels of a category without effect, so the longest need not be the four planted ones.
    found = {NAMES[k] for k in np.flatnonzero(fitted.support_)}
    assert "noise" not in found if name == "nomogram length" else found == set(PLANTED)


@every_selector
@pytest.mark.parametrize("ranked", [True, False])
def test_a_row_of_weight_zero_is_absent(name, ranked, shop):
    weights = np.random.default_rng(1).choice([0.0, 0.5, 3.0], size=shop.n_rows)
    kept = np.flatnonzero(weights)
    y = shop.y if ranked else shop.y >= 2
    some = {"qid": shop.qid} if ranked else {}
    fewer = {"qid": shop.qid[kept]} if ranked else {}
    with_zeros = clone(SELECTORS[name]).fit(shop.table, y, sample_weight=weights, **some)
    without = clone(SELECTORS[name]).fit(shop.table[kept], y[kept], sample_weight=weights[kept], **fewer)
    np.testing.assert_array_equal(with_zeros.scores_, without.scores_)


@pytest.mark.parametrize("name", ["information gain", "svm"])
@pytest.mark.parametrize("ranked", [True, False])
def test_whole_weights_mean_repeated_rows(name, ranked, shop):
    """Levels with fewer than ten rows share a bin, so every level has at least ten rows here."""
    table = shop.table[:, [0, 1, 2, 3]]
    times = np.random.default_rng(2).integers(1, 3, shop.n_rows)
    rows = np.repeat(np.arange(shop.n_rows), times)
    y = shop.y if ranked else shop.y >= 2
    qids = (shop.qid, shop.qid[rows]) if ranked else (None, None)
    weighted = clone(SELECTORS[name]).fit(table, y, qid=qids[0], sample_weight=times)
    repeated = clone(SELECTORS[name]).fit(table[rows], y[rows], qid=qids[1])
    np.testing.assert_allclose(weighted.scores_, repeated.scores_, rtol=2e-3)


def test_order_information_of_a_missing_value_by_hand():
    """Six pairs of labels 3 > 2 > 1 > 0 with the values 5, 1, ?, 7: 5 > 1 is right and 5 < 7, 1 < 7 are wrong, so
    u = 3/6 and p = 1/3. Of the three pairs with the missing value, its document loses two: u′ = 3/6, p′ = 2/3."""
    found = order_information(np.array([5.0, 1.0, np.nan, 7.0]), np.array([3.0, 2.0, 1.0, 0.0]), group_rows(None, 4))
    h = -(np.log2(1 / 3) / 3 + 2 * np.log2(2 / 3) / 3)
    assert found == pytest.approx(1 - h, rel=1e-12)


CELLS = st.tuples(st.sampled_from([None, 0, 1, 2]), st.integers(0, 3), st.integers(0, 3))


@given(rows=st.lists(CELLS, min_size=2, max_size=30))
def test_order_information_with_missing_values_equals_that_of_listed_pairs(rows):
    values, labels, queries = map(list, zip(*rows, strict=True))
    groups = group_rows(queries, len(rows))
    found = order_information(np.array(values, float), np.array(labels, float), groups)
    differ = any(q == r and y != z for _, y, q in rows for _, z, r in rows)
    expected = slow.order_gain(values, labels, queries) if differ else 0.0
    assert found == pytest.approx(expected, abs=1e-12)


@given(rows=st.lists(CELLS.filter(lambda cell: cell[0] is not None), min_size=1, max_size=30))
def test_shares_of_won_pairs_equal_those_of_listed_pairs(rows):
    bins, labels, queries = map(list, zip(*rows, strict=True))
    found = share_won(np.array(bins), np.array(labels, float), group_rows(queries, len(rows)))
    np.testing.assert_allclose(found, [float(one) for one in slow.shares_won(bins, labels, queries)], atol=1e-12)


@pytest.mark.parametrize("ranked", [True, False])
def test_the_information_of_every_kind_equals_the_slow_twin(ranked, shop):
    rng = np.random.default_rng(3)
    rows = rng.choice(shop.n_rows, 120, replace=False)
    data = shop.pick_rows(rows)
    y, qid = data.y.tolist(), (data.qid // 10).tolist()
    expected = []
    for k, kind in enumerate(data.kinds):
        values = [None if value != value else value for value in data.X[:, k].tolist()]
        if kind.is_category:
            values = slow.bins_of_levels(values, 10)
            values = slow.shares_won(values, y, qid) if ranked else values
        elif not ranked:
            known = [(value, one) for value, one in zip(values, y, strict=True) if value is not None]
            cuts = slow.fayyad_irani(*map(list, zip(*known, strict=True)))
            values = [None if value is None else sum(value > cut for cut in cuts) for value in values]
        expected.append(slow.order_gain(values, y, qid) if ranked else slow.gain(values, y))
    found = InformationGainSelector().fit(data.table, data.y, qid=qid if ranked else None).scores_
    np.testing.assert_allclose(found, expected, atol=1e-10)


def test_presence_keeps_missing_values_apart():
    X = np.array([[0.0], [2.0], [np.nan], [np.nan]])
    selector = InformationGainSelector(discretisation="presence")
    assert selector.fit(X, [0, 1, 2, 2]).scores_.tolist() == pytest.approx([1.5])
    # Labels 0 < 1 < 2: presence decides one of five pairs, and the missing value the other four, all rightly.
    assert selector.fit(X, [0, 1, 2, 2], qid=[1, 1, 1, 1]).scores_.tolist() == pytest.approx([1.0])


def test_many_levels_without_effect_gain_little(shop):
    """Thirty levels of thirty rows each; comparing single levels instead would need 435 numbers."""
    for name in ("information gain", "svm"):
        scores = dict(zip(NAMES, clone(SELECTORS[name]).fit(shop).scores_, strict=True))
        assert scores["shade"] < 0.5 * min(scores[feature] for feature in PLANTED)


def test_the_svm_score_of_a_category_is_the_spread_of_its_contribution(shop):
    """The twin lists the pairs, minimises the objective with SciPy and measures the spread within queries."""
    data = shop.pick_rows(np.arange(90)).pick_features(["signal", "gaps", "brand"])
    y, qid = data.y, data.qid
    signal, gaps, brand = data.X.T

    def spread(values):
        known = ~np.isnan(values)
        squares = [
            (part[k] - part[k].mean()) ** 2 for part, k in ((values[qid == q], known[qid == q]) for q in set(qid))
        ]
        return np.sqrt(np.concatenate(squares).mean())

    gone = np.isnan(gaps)
    known = np.where(gone, 0.0, gaps - gaps[~gone].mean()) / spread(gaps)
    levels = [
        np.where(np.isnan(brand), 0.0, (brand == level) - (brand[~np.isnan(brand)] == level).mean())
        for level in range(4)
    ]
    blocks = [[signal / spread(signal)], [known, gone], [*levels, np.isnan(brand)]]
    phi = np.column_stack([column for block in blocks for column in block]).astype(float)
    better, worse = np.array([(i, j) for i in range(90) for j in range(90) if qid[i] == qid[j] and y[i] > y[j]]).T

    def objective(w):
        slack = np.maximum(0.0, 1.0 - (phi[better] - phi[worse]) @ w)
        gradient = w - 2 * 90 / len(better) * (phi[better] - phi[worse]).T @ slack
        return 0.5 * w @ w + 90 / len(better) * slack @ slack, gradient

    w = minimize(objective, np.zeros(phi.shape[1]), jac=True, method="BFGS", options={"gtol": 1e-7}).x
    ends = np.cumsum([0, 1, 2, 5])
    expected = [spread(phi[:, a:b] @ w[a:b]) for a, b in pairwise(ends)]
    np.testing.assert_allclose(SVMWeightSelector().fit(data).scores_, expected, rtol=2e-3)


def test_the_influence_of_scikit_learns_trees_adds_up_over_the_columns_of_a_feature(shop):
    data = shop.pick_features(["signal", "gaps", "brand"])
    signal, gaps, brand = data.X.T
    known = np.where(np.isnan(gaps), 0.0, gaps - np.nanmean(gaps))
    columns = [signal, known, np.isnan(gaps), *[brand == level for level in range(4)], np.isnan(brand)]
    means = np.bincount(data.qid, data.y) / np.bincount(data.qid)
    trees = GradientBoostingRegressor(subsample=0.5, n_estimators=20, random_state=0)
    gains = trees.fit(np.column_stack(columns).astype(float), data.y - means[data.qid]).feature_importances_
    expected = [gains[0], gains[1:3].sum(), gains[3:].sum()]
    # A tree may choose another one of two equally good columns.
    np.testing.assert_allclose(BoostingInfluenceSelector(**FEW_TREES).fit(data).scores_, expected, atol=0.02)


@pytest.mark.parametrize("ranked", [True, False])
def test_lightgbms_trees_get_categories_and_missing_values_as_they_are(ranked, shop):
    """LightGBM takes the categories of a pandas frame as such by itself."""
    frame = pd.DataFrame(shop.X, columns=NAMES)
    for name, kind in (("brand", BRANDS), ("shade", SHADES)):
        codes = frame[name].fillna(-1).astype(int)
        frame[name] = pd.Categorical.from_codes(codes, [str(level) for level in kind.levels])
    trees = (
        boosted_ranker(label_gain=[0, 1, 2, 3], **FEW_TREES) if ranked else boosted_classifier(LIGHTGBM, **FEW_TREES)
    )
    gains = trees.fit(frame, shop.y, **({"group": [15] * 60} if ranked else {})).feature_importances_
    selector = BoostingInfluenceSelector(engine=LIGHTGBM, **FEW_TREES)
    found = selector.fit(shop.table, shop.y, qid=shop.qid if ranked else None).scores_
    np.testing.assert_allclose(found, gains / gains.sum(), rtol=1e-6)


@pytest.fixture(scope="module")
def found(shop):
    return rank_features(shop, n_features=4, random_state=0)


def test_all_methods_rank_such_data_side_by_side(found):
    assert [one.method for one in found.rankings] == list(DEFAULT_SELECTORS)
    for one in found.rankings:
        assert [NAMES[k] for k in np.flatnonzero(one.chosen)] == PLANTED, one.method


def test_the_picture_shows_every_feature(found):
    assert {*NAMES, *DEFAULT_SELECTORS} <= set(says(found.chart()._repr_svg_()))


@pytest.mark.parametrize("name", SELECTORS)
def test_features_without_any_known_or_different_value_score_0(name):
    rng = np.random.default_rng(0)
    kinds = (PLAIN, PLAIN, FeatureKind("category", ("only",)), FeatureKind("category", ()), FeatureKind("boolean"))
    signal = rng.normal(size=80)
    X = np.column_stack([signal, np.full(80, np.nan), np.zeros(80), np.full(80, np.nan), np.ones(80)])
    table = FeatureTable(X, kinds, ("signal", "empty", "only", "no level", "always"))
    y = np.digitize(signal, [-0.5, 0.5])
    for qid in (np.repeat(np.arange(8), 10), None):
        selector = clone(SELECTORS[name]).set_params(n_features_to_select=1).fit(table, y, qid=qid)
        assert selector.ranking_[0] == 1
        if name != "combined":
            assert selector.scores_[1:].tolist() == [0.0] * 4
