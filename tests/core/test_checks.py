"""Input checks and their messages."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from glassrank.core.checks import (
    DataError,
    as_matrix,
    as_vector,
    check_choice,
    check_finite,
    check_length,
    read_only,
)


def test_a_length_says_expected_and_got():
    with pytest.raises(DataError, match=r"^y must have one entry per row of X: expected 120, got 118\.$"):
        check_length("y", range(118), 120)
    with pytest.raises(DataError, match="one entry per column of X: expected 2, got 3"):
        check_length("feature_names", ["a", "b", "c"], 2, per="column of X")


def test_the_right_length_passes():
    assert check_length("y", [1, 2], 2) is None


def test_a_choice_lists_the_keys():
    with pytest.raises(DataError, match=r"^method must be one of 'minmax', 'zscore': got 'minmaks'\.$"):
        check_choice("method", "minmaks", {"minmax": 1, "zscore": 2})
    assert check_choice("method", "minmax", iter(["minmax"])) is None


def test_data_errors_are_value_errors():
    assert issubclass(DataError, ValueError)


@pytest.mark.parametrize("values", [[1, 2], (1.0, 2.0), np.array([1, 2], dtype=np.int8), pd.Series([1, 2])])
def test_a_vector_is_contiguous_float64(values):
    vector = as_vector("y", values)
    assert vector.dtype == np.float64
    assert vector.flags.c_contiguous
    assert vector.tolist() == [1.0, 2.0]


def test_a_strided_vector_becomes_contiguous():
    assert as_vector("y", np.arange(6.0)[::2]).flags.c_contiguous


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["high", "low"], "y must contain numbers: could not convert string to float"),
        ([[1.0, 2.0]], r"y must be one-dimensional: got shape \(1, 2\)"),
        ([1.0, np.nan, np.inf], r"y has 2 values that are not finite, the first \(nan\) at position 1"),
        ([1.0, None], r"y has 1 value that is not finite, the first \(nan\) at position 1"),
        ([object()], "y must contain numbers"),
    ],
)
def test_an_invalid_vector_is_rejected(values, message):
    with pytest.raises(DataError, match=message):
        as_vector("y", values)


def test_a_vector_can_contain_nan_on_request():
    assert np.isnan(as_vector("scores", [np.nan], finite=False)).all()


@pytest.mark.parametrize("values", [np.array(["2020-01-01"], dtype="datetime64[D]"), np.array([1 + 2j])])
def test_values_that_lose_their_meaning_as_floats_are_rejected(values):
    with pytest.raises(DataError, match="y must contain numbers"):
        as_vector("y", values)
    with pytest.raises(DataError, match="X must contain numbers"):
        as_matrix(values.reshape(1, 1))


def test_a_single_number_is_not_a_vector():
    with pytest.raises(DataError, match=r"one-dimensional: got shape \(\)"):
        as_vector("y", 5.0)


def test_a_matrix_is_contiguous_float64():
    for X in ([[1, 2], [3, 4]], np.asfortranarray([[1, 2], [3, 4]]), pd.DataFrame([[1, 2], [3, 4]])):
        matrix = as_matrix(X)
        assert matrix.dtype == np.float64
        assert matrix.flags.c_contiguous
        assert matrix.tolist() == [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize("container", [sparse.csc_matrix, sparse.coo_array, sparse.csr_array, sparse.lil_matrix])
def test_a_sparse_matrix_becomes_csr_of_float64(container):
    matrix = as_matrix(container(np.array([[0, 2], [3, 0]])))
    assert sparse.isspmatrix_csr(matrix)
    assert matrix.dtype == np.float64
    assert matrix.toarray().tolist() == [[0.0, 2.0], [3.0, 0.0]]


def test_repeated_entries_of_a_sparse_matrix_are_summed():
    repeated = sparse.coo_matrix(([1.0, 2.0, 4.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    matrix = as_matrix(repeated)
    assert matrix.nnz == 2
    assert matrix.toarray().tolist() == [[0.0, 3.0], [4.0, 0.0]]


def test_the_callers_sparse_matrix_is_not_changed():
    own = sparse.csr_matrix((np.array([1.0, 2.0, 3.0]), np.array([2, 0, 2]), np.array([0, 3])), shape=(1, 3))
    as_matrix(own)
    assert own.data.tolist() == [1.0, 2.0, 3.0]
    assert own.indices.tolist() == [2, 0, 2]


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([1.0, 2.0], r"X must have two dimensions \(rows × features\): got shape \(2,\)"),
        (np.zeros((1, 1, 1)), r"got shape \(1, 1, 1\)"),
        ([["a"]], "X must contain numbers"),
        ([[1.0], [1.0, 2.0]], "X must contain numbers"),
    ],
)
def test_an_invalid_matrix_is_rejected(X, message):
    with pytest.raises(DataError, match=message):
        as_matrix(X)


@given(
    hnp.arrays(
        np.float64,
        st.tuples(st.integers(1, 6), st.integers(1, 6)),
        elements=st.sampled_from([0.0, 1.0, np.nan, np.inf]),
    )
)
@settings(deadline=None)
def test_dense_and_sparse_errors_give_the_same_position(X):
    bad = [(row, column) for row, column in np.ndindex(X.shape) if not np.isfinite(X[row, column])]
    if not bad:
        assert check_finite("X", X) is None
        return
    place = f"at row {bad[0][0]}, column {bad[0][1]}."
    for matrix in (X, sparse.csr_matrix(X)):
        with pytest.raises(DataError) as error:
            check_finite("X", matrix)
        assert place in str(error.value)
        assert str(error.value).startswith(f"X has {len(bad)} value")


def test_empty_rows_do_not_shift_the_position():
    X = sparse.csr_matrix(np.array([[0.0, 0.0], [0.0, 0.0], [0.0, np.nan], [1.0, 0.0]]))
    with pytest.raises(DataError, match=r"the first \(nan\) at row 2, column 1"):
        check_finite("X", X)


def test_the_remedy_can_be_given():
    with pytest.raises(DataError, match=r"at position 0\. Drop the row\.$"):
        check_finite("y", np.array([np.nan]), "Drop the row.")


def test_a_read_only_view_leaves_the_original_writeable():
    original = np.zeros(2)
    view = read_only(original)
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1.0
    original[0] = 1.0
    assert original[0] == 1.0
