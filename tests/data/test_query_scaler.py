"""Scaling within queries."""

import numpy as np
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from glassrank.core.checks import DataError
from glassrank.core.groups import group_rows
from glassrank.core.within_query_scaling import METHODS, scale_within_queries
from glassrank.data.query_scaler import QueryScaler
from tests.estimator_checks import assert_passes
from tests.reference import query_scaling

VALUES = st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: round(value, 3)) | st.sampled_from([0.0, 1.0, np.nan])


@st.composite
def queries(draw):
    n_rows, n_features = draw(st.integers(1, 12)), draw(st.integers(1, 3))
    X = draw(hnp.arrays(np.float64, (n_rows, n_features), elements=VALUES))
    return X, draw(st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows))


@pytest.mark.parametrize("method", METHODS)
@given(data=queries())
@settings(deadline=None)
def test_scaling_equals_the_slow_twin(method, data):
    X, qid = data
    scaled = scale_within_queries(X, group_rows(qid, len(X)), method)
    expected = np.array(query_scaling.scale_within_queries(X.tolist(), qid, method))
    np.testing.assert_allclose(scaled, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "values", [[0.0, 1e-200], [0.0, 1e-308, 3e-308], [0.0, 1e200], [-1e308, 1e308], [5e-324, 0.0, 1e-323]]
)
def test_very_small_and_very_large_values_scale_like_others(method, values):
    X = np.array(values)[:, None]
    scaled = scale_within_queries(X, group_rows(None, len(X)), method)
    np.testing.assert_allclose(scaled[:, 0], query_scaling.scale_column(values, method), rtol=1e-12)


def test_unsorted_rows_are_scaled_with_their_own_query():
    X = np.array([[1.0], [10.0], [3.0], [30.0], [2.0]])
    scaled = QueryScaler("minmax").fit_transform(X, qid=["a", "b", "a", "b", "a"])
    assert scaled.ravel().tolist() == [0.0, 0.0, 1.0, 1.0, 0.5]


@pytest.mark.parametrize(("method", "peer"), [("minmax", MinMaxScaler()), ("zscore", StandardScaler())])
def test_one_query_is_scaled_as_by_scikit_learn(method, peer):
    X = np.random.default_rng(0).normal(3, 5, (40, 4))
    np.testing.assert_allclose(QueryScaler(method).fit_transform(X), peer.fit_transform(X), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_a_constant_column_becomes_0_whatever_its_value(method):
    # Adding 0.1 eleven times does not give 1.1, so the computed standard deviation of this column is above 0.
    X = np.full((11, 1), 0.1)
    assert QueryScaler(method).fit_transform(X).ravel().tolist() == [0.0] * 11


@pytest.mark.parametrize("method", METHODS)
def test_missing_values_stay_missing_and_are_ignored(method):
    X = np.array([[1.0, np.nan], [np.nan, np.nan], [3.0, np.nan]])
    scaled = QueryScaler(method).fit_transform(X)
    assert np.isnan(scaled).tolist() == [[False, True], [True, True], [False, True]]
    assert scaled[2, 0] - scaled[0, 0] == {"minmax": 1.0, "zscore": 2.0}[method]


def test_the_method_is_checked_in_fit():
    with pytest.raises(DataError, match="method must be one of 'minmax', 'zscore': got 'robust'"):
        QueryScaler("robust").fit([[1.0]])


def test_a_sparse_matrix_is_rejected_with_the_reason():
    with pytest.raises(DataError, match="shifts zeros, so it needs dense X"):
        scale_within_queries(sparse.csr_matrix(np.eye(2)), group_rows(None, 2), "minmax")
    with pytest.raises(TypeError, match=r"(?i)sparse"):
        QueryScaler().fit(sparse.csr_matrix(np.eye(2)))


@pytest.mark.parametrize("call", ["fit", "fit_transform", "transform"])
def test_a_qid_of_the_wrong_length_is_rejected(call):
    scaler = QueryScaler().fit([[1.0], [2.0]])
    with pytest.raises(DataError, match="qid must have one entry per row of X: expected 2, got 1"):
        getattr(scaler, call)([[1.0], [2.0]], qid=[1])


def test_feature_names_pass_through():
    names = QueryScaler().fit([[1.0, 2.0]]).get_feature_names_out(["bm25", "age"])
    assert names.tolist() == ["bm25", "age"]


def test_a_clone_has_the_same_method():
    assert clone(QueryScaler("zscore")).method == "zscore"


def test_a_pipeline_routes_qid_to_the_scaler():
    X = np.array([[1.0], [10.0], [3.0], [30.0]])
    y, qid = np.array([0.0, 0.0, 1.0, 1.0]), ["a", "b", "a", "b"]
    with sklearn.config_context(enable_metadata_routing=True):
        scaler = QueryScaler().set_fit_request(qid=True).set_transform_request(qid=True)
        model = make_pipeline(scaler, Ridge(alpha=1e-9)).fit(X, y, qid=qid)
        # Within its query each row is 0 or 1, like its label.
        np.testing.assert_allclose(model.predict(X, qid=qid), y, atol=1e-6)


WHY = "each query is scaled by its own rows, so a row's values depend on the rows beside it"


@parametrize_with_checks(
    [QueryScaler(method) for method in METHODS],
    expected_failed_checks=lambda scaler: {"check_methods_subset_invariance": WHY},
)
def test_the_scaler_passes_the_checks_of_scikit_learn(estimator, check):
    assert_passes(check, estimator)
