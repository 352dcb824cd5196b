"""Precision and relative recall of systems judged on their pooled results."""

import json

import pytest

from glassrank.core.checks import DataError
from glassrank.metrics.pooling import pooled_precision_recall

RANKINGS = {"hits": ["a", "x", "b", "c"], "bm25": ["d", "a", "y", "z"], "in-degree": ["x"]}


@pytest.fixture
def pooled():
    return pooled_precision_recall(RANKINGS, {"a", "b", "c", "d", "never found"}, k=3)


def test_recall_is_relative_to_the_pool(pooled):
    # The first three ranks contain a and b, d and a, none: the pool is a, b, d; c ranks too low.
    assert pooled.pool_size == 3
    assert pooled.precision == pytest.approx({"hits": 2 / 3, "bm25": 2 / 3, "in-degree": 0.0})
    assert pooled.relative_recall == pytest.approx({"hits": 2 / 3, "bm25": 2 / 3, "in-degree": 0.0})


def test_short_lists_are_divided_by_k_too():
    found = pooled_precision_recall({"a": ["x"], "b": []}, ["x", "x"], k=4)
    assert (found.precision, found.relative_recall) == ({"a": 0.25, "b": 0.0}, {"a": 1.0, "b": 0.0})


def test_recall_is_undefined_for_an_empty_pool():
    found = pooled_precision_recall({"a": ["x"]}, {"y"}, k=1)
    assert found.relative_recall == {"a": None}
    assert str(found).splitlines()[1] == "a       0.0000  undefined"


def test_results_print_and_convert_to_frame_and_json(pooled):
    assert str(pooled).splitlines()[0] == "system     p@3     relative recall"
    assert str(pooled).splitlines()[-1] == "relevant documents in the pool: 3"
    assert pooled.to_frame("pandas")["found"].tolist() == [2, 2, 0]
    assert json.loads(pooled.to_json())["relative_recall"]["bm25"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("rankings", "k", "message"),
    [
        ({"a": ["x", "y", "x"]}, 3, r"The ranking of 'a' contains 'x' more than once in its first 3 ranks\."),
        ({"a": ["x"]}, 0, r"k must be at least 1: got 0\."),
        ({}, 1, r"rankings must map at least one system to its ranked documents: got none\."),
    ],
)
def test_invalid_rankings_are_rejected(rankings, k, message):
    with pytest.raises(DataError, match=message):
        pooled_precision_recall(rankings, {"x"}, k)
