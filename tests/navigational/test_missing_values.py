"""Missing values get the training median and an indicator; columns that do not vary are dropped and counted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from glassrank.core.checks import DataError
from glassrank.navigational.missing_values import MissingValueFiller
from tests.estimator_checks import assert_passes

NAN = np.nan


@parametrize_with_checks([MissingValueFiller()])
def test_it_is_a_scikit_learn_transformer(estimator, check):
    assert_passes(check, estimator)


def test_missing_values_get_the_median_of_the_training_rows():
    filler = MissingValueFiller().fit([[1.0], [2.0], [NAN], [9.0]])
    assert filler.transform([[NAN], [100.0]]).tolist() == [[2.0, 1.0], [100.0, 0.0]]


@given(
    arrays(np.float64, array_shapes(min_dims=2, max_dims=2, min_side=2), elements=st.sampled_from([NAN, 0.0, 1.5, 4.0]))
)
def test_filled_columns_and_indicators_equal_scikit_learn(X):
    some = ~np.isnan(X).all(axis=0)
    filled = SimpleImputer(strategy="median").fit_transform(X[:, some]) if some.any() else X[:, some]
    varies = np.ptp(filled, axis=0) > 0 if filled.size else np.zeros(filled.shape[1], dtype=bool)
    marks = np.isnan(X)[:, some & np.isnan(X).any(axis=0)].astype(float)
    # Columns that are missing in the same rows share the indicator of the first.
    marks = marks[:, [k for k in range(marks.shape[1]) if not (marks[:, :k] == marks[:, [k]]).all(axis=0).any()]]
    expected = np.hstack([filled[:, varies], marks])
    if expected.shape[1] == 0:
        with pytest.raises(DataError, match="No feature of X varies"):
            MissingValueFiller().fit(X)
    else:
        filler = MissingValueFiller()
        np.testing.assert_array_equal(filler.fit_transform(X), expected)
        assert filler.n_constant_ == X.shape[1] - varies.sum()
        assert len(filler.get_feature_names_out()) == expected.shape[1]


def test_names_distinguish_filled_columns_and_indicators():
    X = np.array([[1.0, NAN, 5.0, NAN], [2.0, 3.0, 5.0, NAN], [3.0, 3.0, 5.0, NAN]])
    filler = MissingValueFiller().fit(X)
    names = ["clk_CR|mean", "clk_CR|p2", "q_len|max", "clk_CR|r20"]
    assert filler.get_feature_names_out(names).tolist() == ["clk_CR|mean", "clk_CR|p2|missing"]
    assert filler.n_constant_ == 3


def test_a_data_frame_keeps_its_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a|p1": [1.0, NAN, 2.0], "b|p1": [0.0, 0.0, 0.0]})
    filled = MissingValueFiller().set_output(transform="pandas").fit_transform(frame)
    assert list(filled.columns) == ["a|p1", "a|p1|missing"]


def test_a_column_that_was_complete_in_training_has_no_indicator():
    filler = MissingValueFiller().fit([[1.0], [2.0], [6.0]])
    assert filler.transform([[NAN]]).tolist() == [[2.0]]


def test_the_input_is_not_modified():
    X = np.array([[1.0, NAN], [2.0, 3.0]])
    MissingValueFiller().fit_transform(X)
    np.testing.assert_array_equal(X, [[1.0, NAN], [2.0, 3.0]])


@pytest.mark.parametrize("bad", [np.inf, -np.inf])
def test_infinity_is_refused(bad):
    with pytest.raises(ValueError, match="infinity"):
        MissingValueFiller().fit([[1.0], [bad]])


def test_rows_that_do_not_vary_are_refused_with_their_number():
    with pytest.raises(DataError, match="all 2 are constant or missing over 3 samples"):
        MissingValueFiller().fit([[1.0, NAN]] * 3)


def test_medians_come_from_the_training_fold_only():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 2)), np.arange(60) % 2
    X[rng.random(X.shape) < 0.2] = NAN
    model = make_pipeline(MissingValueFiller(), LogisticRegression())
    folds = cross_validate(model, X, y, cv=5, return_estimator=True, return_indices=True, error_score="raise")
    for fitted, train in zip(folds["estimator"], folds["indices"]["train"], strict=True):
        np.testing.assert_array_equal(fitted[0].preparation_.fills[:2], np.nanmedian(X[train], axis=0))
