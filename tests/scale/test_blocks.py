"""The contract of blocks: one function over all blocks in one pass, whose results are added in order."""

import pickle
from itertools import pairwise

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.core.groups import group_rows
from glassrank.core.pairs.compared_rows import ComparedRows
from glassrank.core.pairs.doubled_sums import doubled_totals
from glassrank.core.pairs.newton import minimise
from glassrank.core.pairs.objectives import LogisticPairs, SquaredHingePairs
from glassrank.data.partitions.data_block import DataBlock
from glassrank.scale.block_contract import Blocks, add_blocks
from glassrank.scale.blockwise_pairs import MAX_FREE_COLUMNS, BlockwiseLogistic, BlockwiseSquaredHinge
from glassrank.scale.compared_blocks import ComparedBlocks, PairRule
from glassrank.scale.parquet_blocks import ParquetBlocks
from tests.scale.partitioned import in_blocks, plain_data, weighted_data


class SentBlocks(Blocks):
    """Blocks in memory; functions, arguments and results are sent as to another process."""

    def __init__(self, blocks):
        self.blocks = blocks

    def _add_up(self, function, arguments):
        function, arguments = pickle.loads(pickle.dumps((function, arguments)))
        return pickle.loads(pickle.dumps(add_blocks(self.blocks, function, arguments)))


def queries_of_block(block):
    return block.queries.tolist()


def simulated(n_queries, length, n_features, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_queries * length, n_features))
    y = np.searchsorted([0.0, 1.0], X[:, :2].sum(axis=1) + rng.normal(size=len(X))).astype(float)
    return X, y, np.repeat(np.arange(n_queries), length)


def in_two_ways(n_queries, length, n_features, n_blocks):
    """The same rows as data of a pair loss in memory and in blocks."""
    X, y, qid = simulated(n_queries, length, n_features)
    edges = np.linspace(0, n_queries, n_blocks + 1).astype(int) * length
    parts = []
    for first, end in pairwise(edges):
        rows = slice(first, end)
        parts.append(DataBlock(X[rows], y[rows], group_rows(qid[rows], end - first), None))
    blocks = SentBlocks(parts)
    rule = PairRule(None, "uniform", False, n_features)
    in_memory = ComparedRows.of(X, y, group_rows(qid, len(y)))
    return in_memory, ComparedBlocks(blocks, rule, len(y), np.arange(n_queries))


@pytest.mark.parametrize(
    ("kind", "blockwise"), [(SquaredHingePairs, BlockwiseSquaredHinge), (LogisticPairs, BlockwiseLogistic)]
)
def test_value_gradient_and_hessian_are_sums_over_blocks(kind, blockwise):
    rows, blocks = in_two_ways(20, 6, 4, n_blocks=3)
    w, v = np.random.default_rng(1).normal(size=(2, 4))
    expected, found = kind(rows, 0.3).at(w), blockwise(blocks, 0.3).at(w)
    assert found.value == pytest.approx(expected.value, rel=1e-13)
    np.testing.assert_allclose(found.gradient, expected.gradient, rtol=1e-11)
    np.testing.assert_allclose(found.hessian(), expected.hessian(), rtol=1e-11)
    np.testing.assert_allclose(found.hessian_product(v), expected.hessian_product(v), rtol=1e-11)


@pytest.mark.parametrize("margins", [((1.0, 1.0), (0.5, -1.0)), ()])
def test_doubled_totals_are_exact_sums_over_blocks(margins):
    """As many digits agree as doubled numbers have; a certificate at a large C needs them."""
    rows, blocks = in_two_ways(20, 6, 4, n_blocks=3)
    w = np.random.default_rng(1).normal(size=4)
    expected = doubled_totals(rows, w, margins)
    found = BlockwiseSquaredHinge(blocks, 1.0).doubled_totals(w, margins)
    for one, other in zip((*found.pulled, *found.sums[0]), (*expected.pulled, *expected.sums[0]), strict=True):
        assert abs(one - other) <= abs(other) / 10**26


def test_the_hessian_of_few_columns_needs_no_pass_of_its_own():
    for n_features, passes in [(4, 0), (MAX_FREE_COLUMNS + 1, 1)]:
        _, blocks = in_two_ways(5, 6, n_features, n_blocks=2)
        point = BlockwiseSquaredHinge(blocks, 1.0).at(np.zeros(n_features))
        before = blocks.blocks.n_passes
        point.hessian()
        point.hessian()
        assert blocks.blocks.n_passes - before == passes


@pytest.mark.parametrize("n_features", [3, MAX_FREE_COLUMNS + 2])
def test_large_data_start_from_a_sample_and_need_few_passes(n_features):
    """One pass for the sizes and the sample, and one for each evaluation; the optimum is that in memory."""
    rows, blocks = in_two_ways(6_000, 20, n_features, n_blocks=4)
    expected = minimise(SquaredHingePairs(rows, 1e-3), np.zeros(n_features), tol=1e-12, max_iter=50)
    found = minimise(BlockwiseSquaredHinge(blocks, 1e-3), np.zeros(n_features), tol=1e-12, max_iter=50)
    assert found.converged
    assert blocks.blocks.n_passes <= (9 if n_features < MAX_FREE_COLUMNS else 14)
    np.testing.assert_allclose(found.w, expected.w, rtol=1e-5, atol=1e-6)


def test_blocks_are_read_in_order_and_rows_of_weight_0_are_left_out(tmp_path):
    data = weighted_data()
    blocks = ParquetBlocks(in_blocks(data, tmp_path / "blocks"))
    queries = blocks.add_up(queries_of_block)
    without = np.flatnonzero(data.groups.ids == 3)[0]
    assert queries == [query for query in range(data.n_queries) if query != without]


@pytest.mark.parametrize("kept_bytes", [0, 10_000, 10**9])
def test_the_memory_for_blocks_changes_nothing(tmp_path, kept_bytes):
    blocks = ParquetBlocks(in_blocks(plain_data(), tmp_path / "blocks"), kept_bytes=kept_bytes)
    first, again = blocks.add_up(queries_of_block), blocks.add_up(queries_of_block)
    assert first == again == list(range(41))
    assert blocks.n_passes == 2


def test_rows_without_weight_are_an_error(tmp_path):
    data = plain_data(weights=np.zeros(plain_data().n_rows))
    with pytest.raises(DataError, match="no row has a positive weight"):
        ParquetBlocks(in_blocks(data, tmp_path / "blocks")).add_up(queries_of_block)


def test_an_error_in_a_block_reaches_the_caller(tmp_path):
    blocks = in_blocks(plain_data(), tmp_path / "blocks")
    last = blocks.manifest.blocks[-1]
    (tmp_path / "blocks" / last.name).write_bytes(b"PAR1")
    with pytest.raises(DataError, match=last.name):
        ParquetBlocks(blocks).add_up(queries_of_block)
