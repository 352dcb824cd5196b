"""The operators over lists equal their slow twin for all kinds of lists."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassrank.core.checks import DataError
from glassrank.core.integration_operators import OPERATORS, integrate_lists
from tests.reference.integration import NAMES, integrate_list

VALUES = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "skewed": lambda rng, n: rng.gamma(0.3, 1.0, n),
    "small whole numbers": lambda rng, n: rng.integers(-2, 3, n).astype(float),
    "clicks": lambda rng, n: np.where(rng.random(n) < 0.8, 0.0, rng.integers(1, 1000, n)),
    "one constant": lambda rng, n: np.full(n, 0.1),
    "a negative constant": lambda rng, n: np.full(n, -0.1),
    "zeros": lambda rng, n: np.zeros(n),
    "negative": lambda rng, n: -rng.random(n),
    "far from zero": lambda rng, n: 1e9 + rng.random(n),
    "falling": lambda rng, n: -np.sort(-rng.random(n)),
    "large": lambda rng, n: rng.choice([-1.7e308, 1.7e308, 1e308], n),
    "small": lambda rng, n: rng.random(n) * 1e-300,
}


def by_hand(X, rank, lists):
    """The twin over every list and column, as an array."""
    found = np.full((len(lists), X.shape[1], len(NAMES)), np.nan)
    for query, rows in enumerate(lists):
        for column in range(X.shape[1]):
            known = {int(rank[row]): None if np.isnan(X[row, column]) else float(X[row, column]) for row in rows}
            operators = integrate_list(known)
            found[query, column] = [np.nan if operators[name] is None else operators[name] for name in NAMES]
    return found


def starts_of(lists):
    return np.concatenate([[0], np.cumsum([len(rows) for rows in lists])]).astype(np.int64)


def integrated(X, rank, lists):
    order = np.concatenate([np.asarray(rows, dtype=np.int64) for rows in lists])
    return integrate_lists(X, np.asarray(rank), order, starts_of(lists))


def assert_same(found, expected, X):
    """Compare sums to 1e-13 of the largest value in the column (entropies and ratios: of 1), other values bitwise."""
    assert found.shape == expected.shape
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    picked = [NAMES.index(name) for name in ("max", "min", "p1", "p2", "p3", "p4", "p5")]
    np.testing.assert_array_equal(found[:, :, picked], expected[:, :, picked])
    for column in range(X.shape[1]):
        size = np.abs(X[:, column])[~np.isnan(X[:, column])].max(initial=1e-320)
        for place, name in enumerate(NAMES):
            unit = size if name in ("mean", "median", "std") else 1.0
            np.testing.assert_allclose(
                found[:, column, place] / unit, expected[:, column, place] / unit, rtol=0, atol=1e-13, err_msg=name
            )


def ragged_lists(seed, longest=30, n_queries=20):
    """Return rows in random order and lists of any length, including 0, with gaps in the ranks."""
    rng = np.random.default_rng(seed)
    ranks = [np.sort(rng.permutation(longest)[: rng.integers(0, longest + 1)] + 1) for _ in range(n_queries)]
    ranks[0], ranks[1], ranks[2] = np.array([1]), np.array([2]), np.arange(1, 101)
    rows = np.split(rng.permutation(sum(map(len, ranks))), np.cumsum([len(one) for one in ranks])[:-1])
    rank = np.empty(sum(map(len, ranks)), dtype=np.int64)
    rank[np.concatenate(rows)] = np.concatenate(ranks)
    return rank, rows


def test_the_operators_have_the_names_of_the_twin():
    assert list(OPERATORS) == NAMES


@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize("missing", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("kind", VALUES)
def test_ragged_lists_equal_the_twin(kind, missing, layout):
    rank, lists = ragged_lists(len(kind))
    rng = np.random.default_rng(1)
    X = np.array([VALUES[kind](rng, len(rank)) for _ in range(3)]).T
    X[rng.random(X.shape) < missing] = np.nan
    assert_same(integrated(np.array(X, order=layout), rank, lists), by_hand(X, rank, lists), X)


def test_many_rows_in_several_threads_equal_the_twin():
    rng = np.random.default_rng(0)
    lists = np.split(np.arange(60_000), 1_000)
    rank, X = np.tile(np.arange(1, 61), 1_000), rng.gamma(0.3, 1.0, (60_000, 1))
    assert_same(integrated(X, rank, lists), by_hand(X, rank, lists), X)


def test_one_thread_and_several_give_bitwise_equal_results(monkeypatch):
    rng = np.random.default_rng(0)
    X, rank, starts = rng.standard_normal((60_000, 2)), np.tile(np.arange(1, 61), 1_000), np.arange(1_001) * 60
    several = integrate_lists(X, rank, np.arange(60_000), starts)
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    np.testing.assert_array_equal(integrate_lists(X, rank, np.arange(60_000), starts), several)


def test_a_table_that_is_not_contiguous_equals_the_twin():
    wide = np.random.default_rng(0).standard_normal((8, 6))
    X, lists = wide[::2, ::2], [np.arange(4)]
    assert_same(integrated(X, np.arange(1, 5), lists), by_hand(X, np.arange(1, 5), lists), X)


numbers = st.floats(allow_nan=False, allow_infinity=False)
entries = st.lists(st.one_of(st.none(), numbers, st.sampled_from([0.0, -0.0, 1.0, 5e-324])), min_size=1, max_size=25)


@given(entries)
def test_any_finite_list_equals_the_twin(values):
    X = np.array([np.nan if value is None else value for value in values])[:, None]
    rank, lists = np.arange(1, len(values) + 1), [np.arange(len(values))]
    assert_same(integrated(X, rank, lists), by_hand(X, rank, lists), X)


@given(st.lists(numbers, min_size=1, max_size=25))
def test_invariants_hold_for_any_list(values):
    found = integrated(np.array(values)[:, None], np.arange(1, len(values) + 1), [np.arange(len(values))])
    got = dict(zip(OPERATORS, found[0, 0], strict=True))
    assert got["min"] <= got["mean"] <= got["max"]
    assert got["min"] <= got["median"] <= got["max"]
    assert 0.0 <= got["entropy"] <= np.log(len(values)) + 1e-12
    assert 0.0 <= got["std"] <= np.finfo(float).max
    assert all(np.isnan(got[name]) or 0.0 <= got[name] <= 1.0 for name in ("r2", "r5", "r10", "r20"))


def test_equal_values_have_no_spread_at_all():
    """0.1 added ten times is not 1, so a mean computed by summing would differ from the values."""
    found = integrated(np.full((10, 1), 0.1), np.arange(1, 11), [np.arange(10)])
    got = dict(zip(OPERATORS, found[0, 0], strict=True))
    assert (got["mean"], got["std"], got["r2"], got["r10"]) == (0.1, 0.0, 0.0, 0.0)


def test_rounding_keeps_the_mean_within_the_range_of_its_values():
    values = np.array([0.1] * 9 + [np.nextafter(0.1, 1.0)])
    assert sum(values.tolist()) / 10 < 0.1
    found = integrated(values[:, None], np.arange(1, 11), [np.arange(10)])
    assert found[0, 0, OPERATORS.index("mean")] == 0.1


@pytest.mark.parametrize("bad", [np.inf, -np.inf])
@pytest.mark.parametrize("row", [0, 5, 39_999])
def test_an_infinite_value_is_rejected_with_its_position(bad, row):
    X = np.ones((40_000, 2))
    X[row, 1] = bad
    rank, starts = np.tile(np.arange(1, 101), 400), np.arange(401) * 100
    with pytest.raises(DataError, match=rf"got {bad} at row {row}, column 1\. Correct it, or set it to NaN\."):
        integrate_lists(X, rank, np.arange(40_000), starts)
    with pytest.raises(DataError, match="feature 'clk_n'"):
        integrate_lists(X, rank, np.arange(40_000), starts, ["clk_CR", "clk_n"])


def test_a_rank_is_needed_for_every_row():
    with pytest.raises(DataError, match="rank must have one entry per row of X: expected 3, got 2"):
        integrate_lists(np.ones((3, 1)), np.array([1, 2]), np.arange(3), np.array([0, 3]))


def test_no_query_and_no_column_give_empty_tables():
    nothing = np.zeros(0, dtype=np.int64)
    assert integrate_lists(np.ones((0, 2)), nothing, nothing, np.array([0])).shape == (0, 2, 15)
    assert integrate_lists(np.ones((2, 0)), np.array([1, 2]), np.arange(2), np.array([0, 2])).shape == (1, 0, 15)
