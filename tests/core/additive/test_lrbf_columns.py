"""The LRBF kernel as columns of a linear machine, against the sum of Gaussians."""

import re

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from glassrank.core.checks import DataError
from glassrank.core.feature_kinds import PLAIN
from glassrank.core.groups import group_rows
from glassrank.ranking.feature_columns import ColumnOptions, TrainingColumns, missing_columns
from tests.core.additive.gaussian_maps import gaussian_map
from tests.reference.lrbf import kernel

NAMES = ("bm25", "age", "clicks")


@pytest.fixture(autouse=True, scope="module")
def one_blas_thread():
    """Use one BLAS thread: the products are small, and waiting for a second thread is slow on a busy machine."""
    with threadpool_limits(1, user_api="blas"):
        yield


@pytest.fixture
def documents():
    return np.random.default_rng(0).normal(size=(300, 3)) * [1.0, 30.0, 0.01] + [0.0, 100.0, 5.0]


def map_of(X, gammas):
    return gaussian_map(gammas, X)


def map_of_model(X, gamma, names):
    rows = TrainingColumns(X, (PLAIN,) * len(names), names, group_rows(None, len(X)), None, missing_columns(X))
    return ColumnOptions("lrbf", gamma, 0.0, 10).feature_map(rows)


@pytest.mark.parametrize("gammas", [[0.5, 1e-3, 1e4], [5.0, 1e-6, 100.0]])
def test_products_of_rows_equal_the_sum_of_gaussians(documents, gammas):
    columns = map_of(documents, gammas)(documents)
    assert np.abs(columns @ columns.T - kernel(documents, documents, gammas)).max() <= 3e-10


def test_each_feature_has_its_block_of_columns(documents):
    gammas = [0.5, 1e-3, 1e4]
    made = map_of(documents, gammas)
    columns = made(documents)
    assert made.ends[-1] == made.n_columns == columns.shape[1]
    for k, block in enumerate(np.split(columns, made.ends[:-1], axis=1)):
        alone = kernel(documents[:, [k]], documents[:, [k]], gammas[k : k + 1])
        assert np.abs(block @ block.T - alone).max() <= 1e-10


@pytest.mark.parametrize("left_out", [0, 1, 2])
def test_a_precision_of_zero_excludes_a_feature(documents, left_out):
    gammas = np.array([0.5, 1e-3, 1e4])
    gammas[left_out] = 0.0
    made = map_of(documents, gammas)
    assert made.blocks[left_out] is None
    assert np.diff(made.ends, prepend=0)[left_out] == 0
    columns = made(documents)
    assert np.abs(columns @ columns.T - kernel(documents, documents, gammas)).max() <= 3e-10


def test_a_constant_feature_has_no_columns(documents):
    documents[:, 1] = 7.0
    made = map_of(documents, [0.5, 1.0, 1e4])
    assert made.blocks[1] is None
    assert made.n_columns == made.blocks[0].n_columns + made.blocks[2].n_columns


def test_without_features_rows_have_no_columns(documents):
    made = map_of(documents, [0.0, 0.0, 0.0])
    assert made.n_columns == 0
    assert made(documents).shape == (300, 0)


def test_rows_in_several_chunks_are_mapped_like_few_rows():
    X = np.random.default_rng(1).random((20_000, 2))
    made = map_of(X, [3.0, 10.0])
    columns = made(X)
    picked = np.array([0, 8191, 8192, 16_383, 16_384, 19_999])
    # Products of matrices of different shapes may round differently.
    np.testing.assert_allclose(columns[picked], made(X[picked]), rtol=0, atol=1e-10)
    assert np.abs(columns[picked] @ columns[picked].T - kernel(X[picked], X[picked], [3.0, 10.0])).max() <= 2e-10


def test_too_many_columns_are_rejected_with_the_name_of_the_widest_feature():
    """64 features have about 67 columns each, and one has about 100."""
    X = np.array([[0.0], [1.0]]) * np.where(np.arange(65) == 17, np.sqrt(2.5), 1.0)
    with pytest.raises(DataError) as error:
        map_of_model(X, 400.0, tuple(f"f{k}" for k in range(65)))
    message = re.fullmatch(
        r"The model needs (\d+) columns, but at most 4096 are supported; 'f17' alone needs (\d+)\. "
        r"Clip or transform wide features \(FeatureTransformer\('log'\)\), use a smaller gamma, or raise min_count, so "
        r"that more levels share a column\.",
        str(error.value),
    )
    assert int(message[1]) > 4096
    assert 95 <= int(message[2]) <= 110


def test_a_gaussian_too_narrow_for_its_range_is_rejected_with_the_name_of_the_feature():
    with pytest.raises(DataError, match=r"Feature 'age': .*smaller gamma"):
        map_of_model(np.array([[0.0, 0.0], [1.0, 1e5]]), 1.0, ("bm25", "age"))
