"""Effects through a Pipeline of per-column steps, in original units, against the Pipeline's own output."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.feature_selection import SelectKBest, VarianceThreshold, f_regression
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
)

from glassrank.core.checks import DataError
from glassrank.nomograms.adapters.effects_of_model import effects
from tests.nomograms.adapters.additive import CLASS, GAPS, OTHER, VALUE, X, assert_adds_up


def square_root(values):
    return np.sqrt(values)


STEPS = {
    "standard": StandardScaler(),
    "without mean": StandardScaler(with_mean=False),
    "without spread": StandardScaler(with_std=False),
    "minmax": MinMaxScaler((-1, 2)),
    "minmax cut": MinMaxScaler(clip=True),
    "robust": RobustScaler(),
    "robust without centre": RobustScaler(with_centering=False),
    "maxabs": MaxAbsScaler(),
    "logarithm": FunctionTransformer(np.log1p),
    "own function": FunctionTransformer(square_root),
    "identity": FunctionTransformer(),
    "passthrough": "passthrough",
    "yeo-johnson": PowerTransformer(),
    "box-cox": PowerTransformer("box-cox", standardize=False),
    "quantiles": QuantileTransformer(n_quantiles=50),
    "as many quantiles as features": QuantileTransformer(n_quantiles=4, output_distribution="normal"),
    "splines": SplineTransformer(n_knots=4, extrapolation="linear"),
    "splines without bias": SplineTransformer(n_knots=3, include_bias=False),
    "selected": SelectKBest(f_regression, k=2),
    "variance": VarianceThreshold(0.5),
    "nested": make_pipeline(FunctionTransformer(np.log1p), StandardScaler()),
    "some columns": ColumnTransformer([("log", FunctionTransformer(np.log1p), [3, 1])]),
    "a column twice": ColumnTransformer(
        [("log", FunctionTransformer(np.log1p), [0, 1]), ("scale", StandardScaler(), [1])], remainder="passthrough"
    ),
    "frames inside": StandardScaler().set_output(transform="pandas"),
}


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize(
    "last", [Ridge(), HistGradientBoostingRegressor(max_depth=1, max_iter=8)], ids=["line", "steps"]
)
def test_effects_after_a_step_add_up_in_original_units(name, last):
    model = make_pipeline(STEPS[name], last).fit(X, VALUE)
    found = assert_adds_up(model, X, model.predict(X))
    assert_adds_up(model, OTHER, model.predict(OTHER))
    assert len(found.features) == 4
    assert [feature.low for feature in found.features] == pytest.approx(np.quantile(X, 0.005, axis=0).tolist())


@pytest.mark.parametrize("name", STEPS)
def test_names_are_those_of_the_original_columns(name):
    frame = pd.DataFrame(X, columns=["bm25", "age", "clicks", "depth"])
    model = make_pipeline(STEPS[name], Ridge()).fit(frame, VALUE)
    if name not in ("own function", "identity", "logarithm", "passthrough", "nested"):
        assert effects(model, frame).names == tuple(frame.columns)
    assert_adds_up(model, frame, model.predict(frame))


def test_a_straight_line_stays_straight_after_scalers():
    model = make_pipeline(StandardScaler(), MinMaxScaler(), LinearRegression()).fit(X, VALUE)
    found = effects(model, X)
    assert all(feature.linear for feature in found.features)
    slopes = LinearRegression().fit(X, VALUE).coef_
    assert [feature.curve.slope for feature in found.features] == pytest.approx(slopes.tolist(), rel=1e-9)


def test_a_feature_that_a_selector_drops_is_a_point():
    model = make_pipeline(StandardScaler(), SelectKBest(f_regression, k=2), Ridge()).fit(X, VALUE)
    lengths = effects(model, X).lengths(X, kind="global")
    assert (lengths > 0).tolist() == model[1].get_support().tolist()


@pytest.mark.parametrize("strategy", ["mean", "median", "constant"])
def test_a_missing_value_has_the_effect_of_the_imputed_value(strategy):
    model = make_pipeline(SimpleImputer(strategy=strategy), StandardScaler(), Ridge()).fit(GAPS, VALUE)
    found = assert_adds_up(model, GAPS, model.predict(GAPS))
    filled = found.features[0](np.array([np.nan, model[0].statistics_[0]]))
    assert filled[0] == filled[1]


def test_an_imputer_of_another_missing_value_than_nan_adds_up():
    marked = np.where(np.isnan(GAPS), -1.0, GAPS)
    model = make_pipeline(SimpleImputer(missing_values=-1), Ridge()).fit(marked, VALUE)
    assert_adds_up(model, marked, model.predict(marked))


@pytest.fixture(scope="module", name="table")
def mixed_table():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["kind"] = rng.choice(["news", "shop", "wiki"], len(X), p=[0.2, 0.5, 0.3])
    frame["size"] = rng.choice([11, 3, 7], len(X))
    frame["flag"] = rng.random(len(X)) < 0.5
    return frame


ENCODERS = {
    "one-hot": OneHotEncoder(),
    "dense": OneHotEncoder(sparse_output=False),
    "first dropped": OneHotEncoder(drop="first"),
    "binary dropped": OneHotEncoder(drop="if_binary"),
    "rare together": OneHotEncoder(min_frequency=60),
    "ordinal": OrdinalEncoder(),
    "ordinal in a given order": OrdinalEncoder(categories=[["wiki", "shop", "news"], [3, 7, 11], [False, True]]),
}


@pytest.mark.parametrize("name", ENCODERS)
def test_categories_are_one_feature_and_add_up(name, table):
    columns = ColumnTransformer([("codes", ENCODERS[name], ["kind", "size", "flag"])], remainder=StandardScaler())
    model = make_pipeline(columns, LogisticRegression()).fit(table, CLASS)
    found = assert_adds_up(model, table, model.decision_function(table))
    assert found.names == tuple(table.columns)
    kind = found.features[4]
    assert sorted(kind.categories) == ["news", "shop", "wiki"]
    assert sorted(found.features[5].categories) == ["11", "3", "7"]
    assert (kind.low, kind.high, kind.categories[int(kind.centre)]) == (0.0, 2.0, "shop")


def test_the_effect_of_a_category_is_the_weight_of_its_column(table):
    model = make_pipeline(OneHotEncoder(), Ridge()).fit(table[["kind"]], VALUE)
    news, shop, wiki = model[-1].coef_
    kind = effects(model, table[["kind"]]).features[0]
    assert kind(np.arange(3.0)).tolist() == pytest.approx([news - shop, 0.0, wiki - shop])


def test_ordinal_codes_work_with_categorical_naive_bayes_and_stumps(table):
    bayes = make_pipeline(OrdinalEncoder(), CategoricalNB()).fit(table[["kind", "size"]], CLASS)
    found = assert_adds_up(
        bayes, table[["kind", "size"]], np.diff(bayes.predict_log_proba(table[["kind", "size"]]))[:, 0]
    )
    assert found.features[0].categories == ("news", "shop", "wiki")
    trees = make_pipeline(OrdinalEncoder(), HistGradientBoostingRegressor(max_depth=1, max_iter=8))
    trees.fit(table[["kind", "size"]], VALUE)
    assert_adds_up(trees, table[["kind", "size"]], trees.predict(table[["kind", "size"]]))


def test_a_missing_category_has_an_effect_of_its_own(table):
    holes = table[["kind", "size"]].astype(object)
    holes.loc[::7, "kind"] = np.nan
    encoded = make_pipeline(OneHotEncoder(), Ridge()).fit(holes, VALUE)
    kind = assert_adds_up(encoded, holes, encoded.predict(holes)).features[0]
    assert kind.categories == ("news", "shop", "wiki")
    weights = encoded[-1].coef_[:4]
    assert kind.missing_effect == pytest.approx(weights[3] - weights[1])
    assert kind.missing_share == pytest.approx(holes["kind"].isna().mean())
    imputed = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(), Ridge()).fit(holes, VALUE)
    kind = assert_adds_up(imputed, holes, imputed.predict(holes)).features[0]
    assert kind.missing_effect == kind(np.array([1.0]))[0]


def test_arrays_of_words_work_without_a_frame(table):
    rows = table[["kind", "size"]].to_numpy(dtype=object)
    model = make_pipeline(OneHotEncoder(), Ridge()).fit(rows, VALUE)
    assert_adds_up(model, rows, model.predict(rows))


def test_a_category_that_the_encoder_refuses_is_refused_by_name(table):
    model = make_pipeline(OneHotEncoder(), Ridge()).fit(table[["kind"]], VALUE)
    with pytest.raises(DataError, match=r"kind.*'blog'.*'news', 'shop', 'wiki'"):
        effects(model, pd.DataFrame({"kind": ["shop", "blog"]}))
