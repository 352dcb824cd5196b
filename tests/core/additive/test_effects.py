"""AdditiveEffects against hand arithmetic and plain loops."""

import numpy as np
import pytest
from scipy import sparse

from glassrank.core.additive.effects import AdditiveEffects, FeatureEffect, LinearCurve, linear_effects
from glassrank.core.additive.observed_features import ObservedValues
from glassrank.core.checks import DataError
from glassrank.core.groups import group_rows

NAMES = ("bm25", "age", "clicks")
SLOPES = np.array([2.0, -0.5, 0.0])


@pytest.fixture(name="X")
def training_rows():
    return np.random.default_rng(0).normal(size=(30, 3)) * [1.0, 100.0, 3.0]


@pytest.fixture
def effects(X):
    return linear_effects(NAMES, SLOPES, ObservedValues.of(X), "score")


def square(values):
    return np.asarray(values) ** 2


def test_contributions_and_intercept_add_up_to_the_linear_model(X, effects):
    np.testing.assert_allclose(effects.total(X), X @ SLOPES, rtol=0, atol=1e-11)
    np.testing.assert_allclose(effects.intercept + effects.contributions(X).sum(axis=1), X @ SLOPES, rtol=0, atol=1e-11)


def test_contributions_of_new_rows_add_up(effects):
    rows = np.random.default_rng(1).normal(size=(10, 3)) * 1000
    np.testing.assert_allclose(effects.total(rows), rows @ SLOPES, rtol=0, atol=1e-9)


def test_effects_of_the_training_rows_have_mean_zero(X, effects):
    np.testing.assert_allclose(effects.contributions(X).mean(axis=0), 0, atol=1e-12)
    for k, feature in enumerate(effects.features):
        assert feature(np.array([X[:, k].mean()]))[0] == pytest.approx(0, abs=1e-12)


def test_a_feature_has_its_name_and_observed_range(X, effects):
    assert effects.names == NAMES
    assert effects.unit == "score"
    for k, feature in enumerate(effects.features):
        assert (feature.low, feature.high) == (X[:, k].min(), X[:, k].max())
        assert feature.centre == pytest.approx(X[:, k].mean(), rel=1e-12)


def test_two_features_by_hand():
    """2·(4 − 1) = 6 and 3² − 2² = 5; with the intercept 10 the total is 21."""
    effects = AdditiveEffects(
        (FeatureEffect("a", LinearCurve(2.0), 0.0, 5.0, 1.0), FeatureEffect("b", square, -3.0, 3.0, 2.0)),
        10.0,
        "log-odds",
    )
    assert effects.contributions(np.array([[4.0, 3.0], [1.0, 2.0]])).tolist() == [[6.0, 5.0], [0.0, 0.0]]
    assert effects.total(np.array([[4.0, 3.0], [1.0, 2.0]])).tolist() == [21.0, 10.0]


def test_sparse_rows_have_the_effects_of_dense_rows(X):
    thin = np.where(np.random.default_rng(2).random(X.shape) < 0.7, 0.0, X)
    rows = sparse.csr_matrix(thin)
    dense = linear_effects(NAMES, SLOPES, ObservedValues.of(thin), "score")
    compressed = linear_effects(NAMES, SLOPES, ObservedValues.of(rows), "score")
    np.testing.assert_allclose(compressed.contributions(rows), dense.contributions(thin), rtol=0, atol=1e-12)
    for a, b in zip(compressed.features, dense.features, strict=True):
        assert (a.low, a.high) == (b.low, b.high)
        assert a.centre == pytest.approx(b.centre, rel=1e-12)


def test_length_is_the_mean_over_queries_of_the_spread_of_effects(X, effects):
    qid = np.random.default_rng(3).integers(6, size=30)
    spreads = [np.ptp(X[qid == query] * SLOPES, axis=0) for query in np.unique(qid)]
    lengths = effects.lengths(X, group_rows(qid, 30))
    np.testing.assert_allclose(lengths, np.mean(spreads, axis=0), rtol=1e-12)
    assert lengths[2] == 0.0


def test_length_by_hand():
    """Effects 2·x: query a spreads by 6, query b by 0, query c by 3; the mean is 3."""
    effects = linear_effects(("a",), np.array([2.0]), ObservedValues.of(np.arange(6.0)[:, None]), "score")
    rows = np.array([[0.0], [5.0], [3.0], [1.0], [7.0], [8.5]])
    assert effects.lengths(rows, group_rows(["a", "b", "a", "a", "c", "c"], 6)).tolist() == [3.0]


def test_a_feature_that_acts_in_one_query_of_many_has_a_length():
    """Effects 2·x of a feature that differs within 1 of 50 queries, by 5: the mean is 10/50; the median would be 0."""
    effects = linear_effects(("a",), np.array([2.0]), ObservedValues.of(np.arange(6.0)[:, None]), "score")
    rows = np.zeros((100, 1))
    rows[7] = 5.0
    assert effects.lengths(rows, group_rows(np.repeat(np.arange(50), 2), 100)).tolist() == pytest.approx([0.2])


def test_one_query_without_identifiers_has_the_full_spread(X, effects):
    np.testing.assert_allclose(effects.lengths(X, group_rows(None, 30)), np.ptp(X * SLOPES, axis=0), rtol=1e-12)


def test_rows_with_a_wrong_number_of_columns_are_rejected(effects):
    with pytest.raises(DataError, match=r"one column per effect: expected 3, got 2"):
        effects.contributions(np.zeros((5, 2)))


QUERIES = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2])
VALUES = np.array([3.0, -1.0, 0.5, 0.5, 2.0, 2.5, -4.0, 1.0, 0.0, 6.0, -2.0, 0.25])


def effects_of(curve, subject, *, low=-5.0, high=5.0, centre=0.0):
    return AdditiveEffects((FeatureEffect("a", curve, low, high, centre),), 0.0, "score", subject)


def cube(values):
    return np.asarray(values) ** 3


def within_query_differences(curve):
    """Return the effects of the differences of all pairs of a query, in both orders and with themselves, per query."""
    lists = []
    for query in range(3):
        own = [float(value) for value in VALUES[query == QUERIES]]
        lists.append([float(curve(np.array(a - b))) for a in own for b in own])
    return lists


def test_lengths_of_utilities_by_plain_loops():
    effects = effects_of(square, "utility")
    own = [[value**2 for value in VALUES[query == QUERIES]] for query in range(3)]
    spreads = [max(values) - min(values) for values in own]
    pairs = [a - b for values in own for a in values for b in values]
    groups, rows = group_rows(QUERIES, 12), VALUES[:, None]
    expected = {
        "query": sum(spreads) / 3,
        "global": max(map(max, own)) - min(map(min, own)),
        "pair-difference": max(pairs) - min(pairs),
        "central": np.quantile(VALUES**2, 0.995) - np.quantile(VALUES**2, 0.005),
    }
    for kind, length in expected.items():
        assert effects.lengths(rows, groups, kind).tolist() == pytest.approx([length], rel=1e-12), kind
    assert effects.lengths(rows, groups) == effects.lengths(rows, groups, "query")


def test_lengths_of_differences_by_plain_loops():
    effects = effects_of(cube, "difference")
    lists = within_query_differences(cube)
    together = [effect for own in lists for effect in own]
    groups, rows = group_rows(QUERIES, 12), VALUES[:, None]
    reach = max(together) - min(together)
    assert effects.lengths(rows, groups).tolist() == pytest.approx([sum(max(o) - min(o) for o in lists) / 3])
    assert effects.lengths(rows, groups, "global").tolist() == pytest.approx([reach])
    assert effects.lengths(rows, groups, "pair-difference").tolist() == pytest.approx([reach])
    apart = [
        cube(a - b) for q, a in enumerate(VALUES) for p, b in enumerate(VALUES) if q != p and QUERIES[q] == QUERIES[p]
    ]
    low, high = np.quantile(apart, [0.005, 0.995])
    assert effects.lengths(rows, groups, "central").tolist() == pytest.approx([high - low])


def test_the_default_length_of_a_class_effect_is_its_range():
    effects = effects_of(square, "class")
    assert effects.lengths(VALUES[:, None]).tolist() == [36.0]
    assert effects.lengths(VALUES[:, None], group_rows(QUERIES, 12)).tolist() == [36.0]


def test_an_unknown_kind_of_length_is_rejected_with_the_known_ones(X, effects):
    with pytest.raises(DataError, match=r"'query', 'global', 'pair-difference', 'central': got 'longest'"):
        effects.lengths(X, kind="longest")


def test_effects_of_a_difference_are_those_of_a_minus_b():
    """2³ = 8 of A − B = 2 for cubes, not 5³ − 3³."""
    effects = effects_of(cube, "difference")
    assert effects.differences(np.array([[5.0]]), np.array([[3.0]])).tolist() == [[8.0]]
    assert effects_of(cube, "utility").differences(np.array([[5.0]]), np.array([[3.0]])).tolist() == [[98.0]]


def test_probabilities_of_both_orders_add_up_to_one():
    effects = AdditiveEffects((), 0.0, "log-odds")
    totals = np.linspace(-40, 40, 401)
    assert (effects.probability(totals) + effects.probability(-totals) == 1.0).all()
    np.testing.assert_allclose(effects.probability(totals), 1 / (1 + np.exp(-totals)), rtol=1e-14)


def test_a_score_has_no_probability_and_the_error_gives_a_remedy(effects):
    with pytest.raises(DataError, match=r"log-odds: got the unit 'score'.*PairCalibrator"):
        effects.probability(np.array([1.0]))


@pytest.mark.parametrize("wrong", [{"unit": "points"}, {"subject": "document"}], ids=["unit", "subject"])
def test_an_unknown_unit_or_subject_is_rejected(wrong):
    with pytest.raises(DataError, match=r"must be one of"):
        AdditiveEffects((), 0.0, **({"unit": "score"} | wrong))


@pytest.fixture
def mixed():
    kinds = FeatureEffect("kind", LinearCurve(1.0), 0.0, 2.0, 0.0, categories=("news", "shop", "7"))
    return AdditiveEffects((FeatureEffect("age", LinearCurve(2.0), 0.0, 5.0, 1.0), kinds), 0.0, "score")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_categories_of_a_frame_become_codes_and_columns_are_found_by_name(mixed, library):
    frame = pytest.importorskip(library).DataFrame(
        {"kind": ["shop", "7", "news"], "spare": [1, 2, 3], "age": [1, 2, 3]}
    )
    assert mixed.encode(frame).tolist() == [[1.0, 1.0], [2.0, 2.0], [3.0, 0.0]]


def test_categories_of_an_array_become_codes_and_whole_numbers_match(mixed):
    rows = np.array([[0.5, "news"], [1.5, 7.0]], dtype=object)
    assert mixed.encode(rows).tolist() == [[0.5, 0.0], [1.5, 2.0]]


def test_an_unknown_category_is_rejected_by_name(mixed):
    with pytest.raises(DataError, match=r"kind.*'wiki'.*'news', 'shop', '7'"):
        mixed.encode([[1.0, "wiki"]])


def test_a_numeric_matrix_is_not_changed_by_encoding(effects, X):
    assert effects.encode(X) is X or np.array_equal(effects.encode(X), X)
    assert sparse.issparse(effects.encode(sparse.csr_matrix(X)))


def test_a_feature_with_slope_zero_has_no_effect_if_its_value_is_missing():
    assert LinearCurve(0.0)(np.array([np.nan, 1.0])).tolist() == [0.0, 0.0]
