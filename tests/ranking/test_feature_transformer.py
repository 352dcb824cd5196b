"""FeatureTransformer: each method by its formula, weights, missing values, kinds, and effects in original units."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import glassrank as gr
from glassrank import DataError, FeatureTransformer, RankingData, RankSVM
from glassrank.core.feature_kinds import PLAIN, FeatureKind, FeatureTable
from glassrank.ranking.feature_transformer import as_scratch
from tests.estimator_checks import assert_passes, assert_takes_odd_data
from tests.ranking.mixed_tables import simulated
from tests.reference import transforms as twin

METHODS = ("standard", "log", "quantile", "none")
every_method = pytest.mark.parametrize("method", METHODS)
VALUES = st.floats(-1e6, 1e6).map(lambda value: round(value, 4)) | st.sampled_from([0.0, 1e-3, 1.0])


def column(values):
    return np.array([np.nan if value is None else value for value in values], dtype=float)[:, None]


@st.composite
def columns(draw):
    values = draw(st.lists(st.none() | VALUES, min_size=2, max_size=15).filter(lambda some: any_known(some)))
    weights = draw(st.lists(st.integers(0, 3), min_size=len(values), max_size=len(values)))
    if not any(weight and value is not None for value, weight in zip(values, weights, strict=True)):
        weights = [1] * len(values)
    return values, weights


def any_known(values):
    return any(value is not None for value in values)


@every_method
@given(given_column=columns())
@settings(deadline=None)
def test_every_method_equals_its_formula_with_weights(method, given_column):
    values, weights = given_column
    new = [*values, -7.25, 0.0, 123.0, None]
    made = FeatureTransformer(method).fit(column(values), sample_weight=weights).transform(column(new))
    expected = twin.transform(method, values, weights, new)
    np.testing.assert_allclose(made[:, 0], expected, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("method", [*METHODS, "auto"])
@given(given_column=columns())
@settings(deadline=None)
def test_whole_weights_are_repeated_rows_and_weight_0_is_an_absent_row(method, given_column):
    values, weights = given_column
    repeated = [value for value, weight in zip(values, weights, strict=True) for _ in range(weight)]
    weighted = FeatureTransformer(method).fit(column(values), sample_weight=weights)
    listed = FeatureTransformer(method).fit(column(repeated))
    assert weighted.methods_ == listed.methods_
    places = column([*values, 3.0])
    np.testing.assert_allclose(weighted.transform(places), listed.transform(places), rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("method", [*METHODS, "auto"])
@given(values=st.lists(VALUES, min_size=2, max_size=20), places=st.lists(VALUES, min_size=2, max_size=20))
@settings(deadline=None)
def test_larger_values_never_become_smaller(method, values, places):
    made = FeatureTransformer(method).fit(column(values)).transform(column(sorted(places)))
    assert (np.diff(made[:, 0]) >= 0).all()


def test_standard_equals_scikit_learn_with_weights():
    rng = np.random.default_rng(0)
    X, weights = rng.normal(5.0, 3.0, (40, 3)), rng.random(40)
    X[rng.random(X.shape) < 0.2] = np.nan
    peer = StandardScaler().fit(X, sample_weight=weights)
    made = FeatureTransformer().fit(X, sample_weight=weights)
    np.testing.assert_allclose(made.transform(X), peer.transform(X), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("method", ["standard", "log", "quantile", "auto"])
@pytest.mark.parametrize("value", [0.0, 0.1, -1e6, 1e-300, 1e308])
def test_a_constant_becomes_0_and_new_values_stay_finite(method, value):
    made = FeatureTransformer(method).fit(np.full((11, 1), value)).transform([[value], [value + 1.0], [np.nan]])
    np.testing.assert_allclose(made[0, 0], 0.0, atol=1e-9)
    assert np.isfinite(made[1, 0])
    assert np.isnan(made[2, 0])


def test_auto_takes_the_logarithm_of_heavy_tails_only():
    rng = np.random.default_rng(1)
    clicks = np.round(rng.pareto(0.7, 400) * 3)
    X = np.column_stack([clicks, rng.normal(size=400), np.full(400, 2.0)])
    assert twin.has_heavy_tails(clicks.tolist(), [1] * 400)
    found = FeatureTransformer("auto").fit(X)
    assert found.methods_ == ("log", "standard", "standard")
    expected = np.array(twin.transform("log", clicks.tolist(), [1] * 400, clicks.tolist()))
    np.testing.assert_allclose(found.transform(X)[:, 0], expected, atol=1e-9)


def test_a_few_rows_of_large_weight_decide_about_the_tails():
    values, weights = np.append(np.linspace(1.0, 2.0, 99), 1e6), np.ones(100)
    assert FeatureTransformer("auto").fit(values[:, None], sample_weight=weights).methods_ == ("log",)
    weights[-1] = 0.0
    assert FeatureTransformer("auto").fit(values[:, None], sample_weight=weights).methods_ == ("standard",)


def test_methods_by_feature_name_win():
    data = RankingData([[1.0, 2.0], [3.0, 8.0]], [0, 1], feature_names=["age", "price"])
    found = FeatureTransformer("none", by_feature={"price": "log"}).fit(data)
    assert found.methods_ == ("none", "log")
    with pytest.raises(DataError, match="by_feature must name features of the data: got 'colour'"):
        FeatureTransformer(by_feature={"colour": "log"}).fit(data)
    with pytest.raises(DataError, match="'square'"):
        FeatureTransformer(by_feature={"price": "square"}).fit(data)
    with pytest.raises(DataError, match=r"method must be one of .*'auto'.*: got 'square'"):
        FeatureTransformer("square").fit(data)


@pytest.mark.parametrize("method", [*METHODS, "auto"])
def test_categories_stay_and_yes_or_no_is_standardised(method):
    data = simulated(seed=0).data
    found = FeatureTransformer(method).fit(data)
    made = found.transform(data)
    assert made.names == data.feature_names
    assert found.methods_[2:] == ("none" if method == "none" else "standard", "none", "none")
    np.testing.assert_array_equal(made.values[:, 3:], data.X[:, 3:])
    assert [kind.is_category for kind in made.kinds] == [False, False, False, True, True]


def test_levels_are_those_of_training_and_others_are_unseen():
    first = RankingData([[0.0], [1.0]], [0, 1], feature_names=["s"], kinds=[FeatureKind("category", ("news", "shop"))])
    second = RankingData([[0.0], [1.0]], [0, 1], feature_names=["s"], kinds=[FeatureKind("category", ("cars", "news"))])
    made = FeatureTransformer().fit(first).transform(second)
    assert made.values[:, 0].tolist() == [-1.0, 0.0]
    assert made.kinds[0].levels == ("news", "shop")


def test_a_column_without_any_value_stays_as_it_is():
    made = FeatureTransformer("log").fit([[np.nan], [np.nan]])
    assert made.methods_ == ("none",)
    np.testing.assert_array_equal(made.transform([[np.nan], [3.0]]), [[np.nan], [3.0]])


def test_weights_must_leave_a_row():
    with pytest.raises(DataError, match="sample_weight is zero for all rows"):
        FeatureTransformer().fit([[1.0], [2.0]], sample_weight=[0.0, 0.0])


@pytest.mark.parametrize("method", [*METHODS, "auto"])
@pytest.mark.parametrize("kernel", ["linear", "lrbf"])
def test_effects_are_differences_of_scores_in_original_units(method, kernel):
    table = simulated(seed=1, n_rows=60)
    table = replace(table, rows=[[None if r[0] is None else float(np.sinh(3 * r[0])), *r[1:]] for r in table.rows])
    data = table.data
    model = make_pipeline(FeatureTransformer(method), RankSVM(kernel=kernel, linear=0.5, min_count=6))
    model.fit(data.table, data.y, ranksvm__qid=data.qid)
    effects = gr.effects(model, data.table)
    for k, places in ((0, [-40.0, -1.0, 0.0, 0.3, 25.0, np.nan]), (1, [-3.0, 0.0, 7.0]), (2, [0.0, 1.0, np.nan])):
        X = np.tile(data.X[7], (len(places), 1))
        X[:, k] = places
        rows = replace(data.pick_rows([7] * len(places)), X=X)
        scores, made = model.predict(rows.table), effects.features[k](np.array(places))
        np.testing.assert_allclose(made - made[0], scores - scores[0], rtol=1e-9, atol=1e-9)
    if method == "standard" and kernel == "linear":
        assert [feature.linear for feature in effects.features[:3]] == [True, True, True]


def test_lines_have_their_zero_at_the_mean_of_the_known_original_values_without_missing_ones():
    data = simulated(seed=2, n_rows=60).data
    model = make_pipeline(FeatureTransformer(), RankSVM(min_count=6)).fit(data.table, data.y, ranksvm__qid=data.qid)
    age = gr.effects(model, data.table).features[1]
    np.testing.assert_allclose(age(np.array([data.X[:, 1].mean()])), 0.0, atol=1e-12)


def test_a_clone_has_the_same_parameters():
    found = clone(FeatureTransformer("auto", by_feature={"price": "log"}))
    assert (found.method, found.by_feature) == ("auto", {"price": "log"})


@parametrize_with_checks([FeatureTransformer(), FeatureTransformer("quantile")])
def test_the_transformer_passes_the_checks_of_scikit_learn(estimator, check):
    assert_passes(check, estimator)


@pytest.mark.parametrize("method", ["log", "none", "auto"])
def test_other_methods_take_odd_data(method):
    assert_takes_odd_data(FeatureTransformer(method))


def test_only_a_table_made_for_one_fit_of_a_pipeline_is_overwritten():
    X = np.array([[1.0, 2.0], [3.0, 2.0], [8.0, 5.0]])
    table = FeatureTable(X.copy(), (PLAIN, PLAIN), ("a", "b"))
    pipeline = make_pipeline(gr.FeatureTransformer(), gr.RankSVM())
    assert as_scratch(table, gr.RankSVM()) is table
    expected = gr.FeatureTransformer().fit(table).transform(table).values
    np.testing.assert_array_equal(table.values, X)
    own = as_scratch(table, pipeline)
    assert not own[[0, 1]].scratch
    made = gr.FeatureTransformer().fit(own).transform(own).values
    np.testing.assert_array_equal(made, expected)
    assert made is own.values
