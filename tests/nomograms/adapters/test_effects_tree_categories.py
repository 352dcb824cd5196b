"""Effects of boosted trees with native categories against the predictions of LightGBM and scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder, StandardScaler

from glassrank.core.additive.categories import MAX_CODES
from glassrank.core.checks import DataError
from glassrank.nomograms.adapters.effects_of_model import effects
from tests.nomograms.adapters.additive import assert_adds_up

lightgbm = pytest.importorskip("lightgbm", reason="LightGBM is not installed")
OPTIONS = {"verbose": -1, "n_jobs": 1, "n_estimators": 20, "min_child_samples": 1, "min_data_per_group": 1}
OPTIONS |= {"cat_smooth": 1, "interaction_constraints": [[0], [1]]}
STRANGE = [np.nan, -1.0, -2.0, -0.5, 0.0, 0.7, 1.0, 1.999, 5_000.0, 2.0**24, 2.0**31, 2.0**40, 1e300, -1e300]
"""Codes that a model was not trained on, among others."""


def made(n_levels, *, seed=0, gaps=0.1, n_rows=300):
    """Return rows of a code and a number, and a response to both."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_levels, n_rows)
    number = rng.normal(size=n_rows)
    response = rng.normal(size=n_levels)[codes] + number**2 + rng.normal(scale=0.1, size=n_rows)
    rows = np.column_stack([codes, number])
    return np.where(rng.random(rows.shape) < gaps, np.nan, rows), response


def strange_rows(n_levels):
    codes = np.concatenate([STRANGE, np.arange(n_levels + 3.0)])
    return np.column_stack([codes, np.linspace(-3, 3, len(codes))])


@pytest.mark.parametrize("n_levels", [1, 2, 5, 200])
@pytest.mark.parametrize("gaps", [0.0, 0.1], ids=["whole", "with gaps"])
def test_effects_of_codes_add_up_to_lightgbm_also_for_codes_it_has_never_seen(n_levels, gaps):
    rows, response = made(n_levels, gaps=gaps)
    weights = np.linspace(0.5, 2.0, len(rows))
    model = lightgbm.LGBMRegressor(**OPTIONS)
    model.fit(rows, response, categorical_feature=[0], sample_weight=weights)
    for seen in (rows, strange_rows(n_levels)):
        expected = model.predict(seen, raw_score=True)
        found = assert_adds_up(model, seen, expected)
        np.testing.assert_allclose(found.total(seen), expected, rtol=0, atol=1e-9 * max(1, abs(expected).max()))
    # LightGBM does not store rare categories, which may be the last ones.
    names = found.features[0].categories
    assert names == tuple(map(str, range(len(names))))
    assert 0.9 * n_levels <= len(names) <= n_levels


@given(seed=st.integers(0, 10_000), n_levels=st.integers(1, 40), used=st.sampled_from([True, False]))
@settings(deadline=None, max_examples=15)
def test_random_models_of_codes_add_up_to_lightgbm(seed, n_levels, used):
    rows, response = made(n_levels, seed=seed, n_rows=80)
    options = OPTIONS | {"n_estimators": 5, "use_missing": used}
    model = lightgbm.LGBMRegressor(**options).fit(rows * [3, 1], response, categorical_feature=[0])
    seen = strange_rows(3 * n_levels)
    assert_adds_up(model, seen, model.predict(seen))


def test_a_ranker_and_a_classifier_of_codes_add_up():
    rows, response = made(8)
    ranker = lightgbm.LGBMRanker(**OPTIONS)
    ranker.fit(rows, np.digitize(response, [0, 1, 2]), group=[100, 200], categorical_feature=[0])
    assert_adds_up(ranker.booster_, strange_rows(8), ranker.predict(strange_rows(8)))
    classifier = lightgbm.LGBMClassifier(**OPTIONS).fit(rows, response > 1, categorical_feature=[0])
    assert_adds_up(classifier, strange_rows(8), classifier.predict(strange_rows(8), raw_score=True))


NAMES = np.array(["cars", "news", "shop", "wiki", "travel"])


def frame_of(rows, names=NAMES):
    known = ~np.isnan(rows[:, 0])
    site = np.where(known, names[np.where(known, rows[:, 0], 0).astype(int)], None)
    return pd.DataFrame({"site": pd.Categorical(site), "bm25": rows[:, 1], "only": pd.Categorical(["one"] * len(rows))})


def test_categories_of_a_data_frame_keep_their_names_and_add_up():
    rows, response = made(5)
    model = lightgbm.LGBMRegressor(**OPTIONS | {"interaction_constraints": [[0], [1], [2]]})
    model.fit(frame_of(rows), response)
    other = frame_of(rows[:40], np.array(["cars", "zoo", "shop", "wiki", "bank"]))
    for frame in (frame_of(rows), other):
        found = assert_adds_up(model, frame, model.predict(frame))
    assert [feature.categories for feature in found.features] == [tuple(sorted(NAMES)), (), ("one",)]
    assert set(found.encode(other)[:, 0][other["site"].isin(["zoo", "bank"])]) == {-1.0}
    assert found.features[0].missing_share == pytest.approx(other["site"].isna().mean())


def test_numbers_in_place_of_names_are_refused():
    rows, response = made(5)
    model = lightgbm.LGBMRegressor(**OPTIONS | {"interaction_constraints": [[0], [1], [2]]})
    model.fit(frame_of(rows), response)
    with pytest.raises(DataError, match=r"site has .* not among its categories, such as '0': expected 'cars'"):
        effects(model, np.column_stack([rows, rows[:, 0]]))


def test_the_effect_is_0_at_the_most_frequent_category():
    rows, response = made(5, gaps=0.0)
    rows[:120, 0] = 3.0
    model = lightgbm.LGBMRegressor(**OPTIONS).fit(rows, response, categorical_feature=[0])
    assert effects(model, rows).features[0](np.array([3.0])) == 0.0


def test_an_ordinal_encoder_before_native_categories_gives_their_names():
    rows, response = made(5, gaps=0.0)
    table = frame_of(rows)[["site"]].astype(object)
    model = make_pipeline(OrdinalEncoder(), lightgbm.LGBMRegressor(**OPTIONS | {"interaction_constraints": ""}))
    model.fit(table, response, lgbmregressor__categorical_feature=[0])
    found = assert_adds_up(model, table, model.predict(table))
    assert found.features[0].categories == tuple(sorted(NAMES))


@pytest.mark.parametrize("options", [{"max_depth": 1}, {"interaction_cst": "no_interactions"}], ids=["stumps", "deep"])
def test_histogram_boosting_with_categories_adds_up(options):
    rows, response = made(6)
    turned = rows[:, ::-1]
    model = HistGradientBoostingRegressor(max_iter=20, categorical_features=[1], min_samples_leaf=2, **options)
    model.fit(turned, response)
    for seen in (turned, strange_rows(6)[:, ::-1]):
        found = assert_adds_up(model, seen, model.predict(seen))
        np.testing.assert_allclose(found.total(seen), model.predict(seen), rtol=0, atol=1e-9)
    assert found.features[1].categories == tuple(map(str, range(6)))


def test_histogram_boosting_of_a_data_frame_keeps_the_names_of_categories():
    rows, response = made(5)
    model = HistGradientBoostingClassifier(max_iter=20, max_depth=1, categorical_features="from_dtype")
    model.fit(frame_of(rows), response > 1)
    other = frame_of(rows[:40], np.array(["cars", "zoo", "shop", "wiki", "bank"]))
    for frame in (frame_of(rows), other):
        found = assert_adds_up(model, frame, model.decision_function(frame))
    assert found.features[0].categories == tuple(sorted(NAMES))


def test_categories_that_are_not_whole_numbers_add_up_and_keep_their_names():
    rows, response = made(4, gaps=0.0)
    values = np.column_stack([np.array([-1.5, 2.0, 7.25, 8.0])[rows[:, 0].astype(int)], rows[:, 1]])
    model = HistGradientBoostingRegressor(max_iter=10, max_depth=1, categorical_features=[0]).fit(values, response)
    seen = np.column_stack([[-1.5, 2.0, 3.0, np.nan, 8.0], np.zeros(5)])
    found = assert_adds_up(model, seen, model.predict(seen))
    assert found.features[0].categories == ("-1.5", "2", "7.25", "8")


def continued():
    rows, response = made(5, gaps=0.0)
    first = lightgbm.LGBMRegressor(**OPTIONS).fit(rows, rows[:, 0])
    return lightgbm.LGBMRegressor(**OPTIONS).fit(rows, response, categorical_feature=[0], init_model=first.booster_)


def ordered():
    rows, response = made(5, gaps=0.0)
    frame = frame_of(rows)[["site", "bm25"]]
    frame["site"] = frame["site"].cat.as_ordered()
    return lightgbm.LGBMRegressor(**OPTIONS).fit(frame, response)


REFUSED = {
    "number and category": (continued, r"feature 0 .* is a number in some trees and a category in others"),
    "ordered categories": (ordered, r"1 columns of categories and treats 0 as such.*numbers before training"),
    "huge code": (
        lambda: lightgbm.LGBMRegressor(**OPTIONS).fit(
            made(5, gaps=0.0)[0] * [MAX_CODES, 1], made(5)[1], categorical_feature=[0]
        ),
        r"category code 262144: expected codes below 65536.*from 0 without gaps",
    ),
    "scaled codes": (
        lambda: make_pipeline(StandardScaler(), lightgbm.LGBMRegressor(**OPTIONS)).fit(
            *made(5, gaps=0.0), lgbmregressor__categorical_feature=[0]
        ),
        r"StandardScaler transforms the codes of categories",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.filterwarnings("ignore")
def test_category_trees_that_are_not_additive_are_refused_with_the_remedy(name):
    train, message = REFUSED[name]
    model = train()
    with pytest.raises(DataError, match=message):
        effects(model, made(5)[0])
