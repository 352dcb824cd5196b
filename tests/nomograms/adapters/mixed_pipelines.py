"""Pipelines of scikit-learn's per-column steps, and a small dirty table with gaps, text and Booleans."""

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.feature_selection import SelectKBest, VarianceThreshold, f_regression
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    SplineTransformer,
    StandardScaler,
)

N_ROWS = 60
_rng = np.random.default_rng(2)


def _rows(n_rows, brands, sizes):
    """Rows with gaps in every kind of column, a constant, a duplicate and a column that is often 0."""
    price = np.exp(_rng.normal(3.0, 1.0, n_rows)).round(1)
    frame = pd.DataFrame(
        {
            "price": np.where(_rng.random(n_rows) < 0.2, np.nan, price),
            "clicks": np.where(_rng.random(n_rows) < 0.5, 0.0, _rng.gamma(2.0, size=n_rows)),
            "constant": np.full(n_rows, 3.5),
            "price again": price,
            "brand": _rng.choice(np.array(brands, dtype=object), n_rows),
            "size": _rng.choice(sizes, n_rows).astype(float),
            "sold": _rng.random(n_rows) < 0.5,
        }
    )
    frame.loc[_rng.random(n_rows) < 0.2, "brand"] = np.nan
    return frame


TABLE = _rows(N_ROWS, ["Oska", "Tarn", "Tarn", "Tarn", "Veltra"], [3, 7, 7, 11])
VALUE = np.log(TABLE["price again"].to_numpy()) + (TABLE["brand"] == "Tarn") + _rng.normal(0.0, 0.3, N_ROWS)
UNSEEN = _rows(25, ["Oska", "Tarn", "Nordvik", "<script>"], [3, 7, 99])
"""Rows with brands and sizes that the table does not have."""
NUMBERS, KNOWN = ["price", "clicks"], ["clicks", "constant", "price again"]


def columns(*transformers, **settings):
    return ColumnTransformer(list(transformers), **settings)


def _whole(encoder):
    """Every kind of column, with this encoder for the categories."""
    return columns(
        ("numbers", make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler()), NUMBERS),
        ("words", encoder, ["brand", "size"]),
        remainder="drop",
    )


# Name -> the steps, and whether they take unseen categories.
STEPS = {
    "mean": (columns(("fill", SimpleImputer(), NUMBERS)), True),
    "constant": (columns(("fill", SimpleImputer(strategy="constant", fill_value=-1.0), NUMBERS)), True),
    "most frequent": (columns(("fill", SimpleImputer(strategy="most_frequent", add_indicator=True), NUMBERS)), True),
    "quantiles": (
        columns(
            ("q", make_pipeline(SimpleImputer(), QuantileTransformer(n_quantiles=9)), NUMBERS),
            ("r", StandardScaler(), KNOWN),
        ),
        True,
    ),
    "normal scores": (
        columns(("q", QuantileTransformer(n_quantiles=7, output_distribution="normal"), KNOWN)),
        True,
    ),
    "powers": (columns(("p", PowerTransformer(), KNOWN), remainder="drop"), True),
    "box-cox": (columns(("p", PowerTransformer("box-cox", standardize=False), ["price again"])), True),
    "splines": (columns(("s", SplineTransformer(n_knots=3, extrapolation="linear"), ["clicks", "price again"])), True),
    "logarithm": (
        columns(
            ("l", FunctionTransformer(np.log1p, np.expm1), slice("clicks", "price again")), ("n", "passthrough", [1])
        ),
        True,
    ),
    "words": (_whole(OneHotEncoder(handle_unknown="ignore")), True),
    "words, dense": (_whole(OneHotEncoder(handle_unknown="ignore", sparse_output=False)), True),
    "words, first dropped": (_whole(OneHotEncoder(handle_unknown="ignore", drop="first")), True),
    "words, some dropped": (_whole(OneHotEncoder(drop=["Tarn", 7.0])), False),
    "words, rare together": (_whole(OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=12)), True),
    "words, few": (
        _whole(OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=2, drop="if_binary")),
        True,
    ),
    "words, known": (_whole(OneHotEncoder()), False),
    "words, given": (
        _whole(OneHotEncoder(categories=[["Veltra", "Tarn", "Oska", np.nan], [3.0, 7.0, 11.0]])),
        False,
    ),
    "codes": (
        columns(
            (
                "codes",
                OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2),
                ["brand", "size"],
            )
        ),
        True,
    ),
    "codes, rare together": (
        columns(("codes", OrdinalEncoder(min_frequency=12, encoded_missing_value=-2), ["brand", "size", "sold"])),
        False,
    ),
    "words filled": (
        columns(
            (
                "words",
                make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")),
                ["brand", "size"],
            ),
            remainder=SimpleImputer(),
        ),
        True,
    ),
    "words filled, indicated": (
        columns(
            (
                "words",
                make_pipeline(
                    SimpleImputer(strategy="constant", fill_value="none", add_indicator=True),
                    OneHotEncoder(handle_unknown="ignore"),
                ),
                ["brand"],
            ),
        ),
        True,
    ),
    "by kind": (
        columns(
            ("words", OneHotEncoder(), make_column_selector(dtype_include=[object, "str"])),
            ("flags", "passthrough", make_column_selector(dtype_include=bool)),
            ("none", "drop", ["constant"]),
            remainder=make_pipeline(SimpleImputer(), "passthrough", StandardScaler()),
        ),
        False,
    ),
    "by mask": (
        columns(
            ("some", SimpleImputer(), [True, False, False, True, False, False, False]),
            ("last", OneHotEncoder(drop="if_binary"), [-1]),
            ("none", StandardScaler(), []),
        ),
        True,
    ),
    "twice": (
        columns(
            ("words", OneHotEncoder(handle_unknown="ignore"), ["brand"]),
            ("gaps", MissingIndicator(), ["brand", "price"]),
            (
                "codes",
                OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2),
                ["brand"],
            ),
            ("numbers", SimpleImputer(), ["price"]),
            transformer_weights={"words": 0.5, "numbers": -3.0},
        ),
        True,
    ),
    "number and category": (
        columns(("words", OneHotEncoder(), ["size"]), ("number", "passthrough", ["size"])),
        False,
    ),
    "selected": (
        make_pipeline(
            columns(("n", SimpleImputer(), NUMBERS), ("k", "passthrough", KNOWN)),
            VarianceThreshold(),
            SelectKBest(f_regression, k=3),
        ),
        True,
    ),
    "weighted": (columns(("r", StandardScaler(), KNOWN), transformer_weights={"r": 2.5}), True),
}


def pipeline(name, last=None):
    """Return the unfitted Pipeline of these steps and a last model."""
    return make_pipeline(STEPS[name][0], Ridge() if last is None else last)


def stumps():
    return HistGradientBoostingRegressor(max_depth=1, max_iter=5, min_samples_leaf=5)
