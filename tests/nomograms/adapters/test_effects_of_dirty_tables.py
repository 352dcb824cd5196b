"""Effects through imputers and encoders: contributions add up for missing values and unseen categories."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from glassrank.core.checks import DataError
from glassrank.data.ranking_data import RankingData
from glassrank.nomograms.adapters.effects_of_model import effects
from glassrank.nomograms.adapters.effects_on_data import effects_on
from tests.nomograms.adapters.additive import assert_adds_up
from tests.nomograms.adapters.mixed_pipelines import STEPS, TABLE, UNSEEN, VALUE, columns, pipeline, stumps


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("last", [Ridge(), stumps()], ids=["line", "steps"])
@pytest.mark.filterwarnings("ignore:Found unknown categories")
def test_contributions_add_up_for_every_row(name, last):
    model = pipeline(name, last).fit(TABLE, VALUE)
    found = assert_adds_up(model, TABLE, model.predict(TABLE))
    assert found.names == tuple(TABLE.columns)
    if STEPS[name][1]:
        totals = found.total(found.encode(UNSEEN))
        np.testing.assert_allclose(totals, model.predict(UNSEEN), rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", [name for name, (_, takes_unseen) in STEPS.items() if not takes_unseen])
def test_categories_that_the_encoder_refuses_are_refused(name):
    model = pipeline(name).fit(TABLE, VALUE)
    found = effects(model, TABLE)
    with pytest.raises(ValueError, match="unknown categories"):
        model.predict(UNSEEN)
    with pytest.raises(DataError, match="not among its categories"):
        found.encode(UNSEEN)


def ranking(table, **given_kinds):
    return RankingData.from_frame(table.assign(qid=0, label=0), **given_kinds)


@pytest.mark.parametrize("name", ["words", "words, rare together", "codes", "words filled", "twice", "by mask"])
def test_ranking_data_give_the_same_effects_as_the_table(name):
    """The brands are levels with codes of their own, the sizes numbers, and the flag is yes or no."""
    model = pipeline(name).fit(TABLE, VALUE)
    for table in (TABLE, UNSEEN):
        made, coded = effects_on(model, ranking(table))
        np.testing.assert_allclose(made.total(coded.X), model.predict(table), rtol=0, atol=1e-9)


def test_a_level_that_the_encoder_refuses_is_refused_by_name_in_ranking_data():
    model = pipeline("words, known").fit(TABLE, VALUE)
    with pytest.raises(DataError, match=r"brand.*'<script>'.*'Oska', 'Tarn', 'Veltra'"):
        effects_on(model, ranking(UNSEEN.assign(size=3.0)))


def test_a_missing_value_has_the_effect_of_the_filled_value_plus_that_of_its_indicator():
    model = make_pipeline(SimpleImputer(add_indicator=True), Ridge()).fit(TABLE[["price", "clicks"]], VALUE)
    price = effects(model, TABLE[["price", "clicks"]]).features[0]
    slope, _, step = model[-1].coef_
    filled = slope * (model[0].statistics_[0] - price.centre)
    assert price.missing_effect == pytest.approx(filled + step, abs=1e-12)
    assert price.missing_share == pytest.approx(TABLE["price"].isna().mean())


def test_an_unseen_category_has_none_of_the_weights():
    model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), Ridge()).fit(TABLE[["brand"]], VALUE)
    brand = effects(model, TABLE[["brand"]]).features[0]
    assert brand.categories == ("Oska", "Tarn", "Veltra")
    assert brand(np.array([-1.0]))[0] == pytest.approx(-model[-1].coef_[1])


def test_a_category_named_missing_is_not_a_missing_value():
    rows = pd.DataFrame({"kind": ["missing", "shop", None, "shop", "missing", None, "shop"]})
    model = make_pipeline(OneHotEncoder(), Ridge()).fit(rows, np.arange(7.0))
    found = assert_adds_up(model, rows, model.predict(rows))
    assert found.features[0].categories == ("missing", "shop")


def test_a_text_that_means_missing_becomes_a_category_with_the_effect_of_its_replacement():
    rows = pd.DataFrame({"kind": np.array(["?", "shop", "news", "shop", "?", "news", "shop"], dtype=object)})
    filler = SimpleImputer(missing_values="?", strategy="most_frequent", add_indicator=True)
    model = make_pipeline(filler, OneHotEncoder(), Ridge()).fit(rows, np.arange(7.0))
    kind = assert_adds_up(model, rows, model.predict(rows)).features[0]
    assert kind.categories == ("news", "shop", "?")


def test_a_number_that_takes_unknown_categories_too_is_refused():
    both = columns(("words", OneHotEncoder(handle_unknown="ignore"), ["size"]), ("number", "passthrough", ["size"]))
    with pytest.raises(DataError, match=r"both as numbers and as categories.*handle_unknown='error'"):
        effects(make_pipeline(both, Ridge()).fit(TABLE, VALUE), TABLE)


CELLS = {
    "words": st.sampled_from(["a", "b", "missing", "nan", "", "<script>", None]),
    "numbers": st.sampled_from([0.0, 1.0, -2.5, np.nan]),
}


@settings(max_examples=25, deadline=None)
@given(
    rows=st.lists(st.tuples(CELLS["words"], CELLS["numbers"], CELLS["numbers"]), min_size=3, max_size=12),
    indicator=st.booleans(),
    strategy=st.sampled_from(["mean", "median", "most_frequent", "constant"]),
    unknown=st.sampled_from(["ignore", "infrequent_if_exist", "error"]),
    rare=st.sampled_from([None, 2]),
)
def test_small_tables_of_gaps_constants_and_duplicates_add_up(rows, indicator, strategy, unknown, rare):
    table = pd.DataFrame(rows, columns=["word", "code", "number"])
    table["word"] = table["word"].astype(object)
    steps = columns(
        ("words", OneHotEncoder(handle_unknown=unknown, min_frequency=rare), ["word", "code"]),
        ("numbers", SimpleImputer(strategy=strategy, add_indicator=indicator, keep_empty_features=True), ["number"]),
    )
    model = make_pipeline(steps, Ridge()).fit(table, np.arange(float(len(table))))
    assert_adds_up(model, table, model.predict(table))
