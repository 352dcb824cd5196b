"""Comparison by given values: the same statistics as compare, and invalid input."""

from itertools import product

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.metrics.compare import compare
from glassrank.metrics.compare_values import compare_values
from glassrank.metrics.evaluation import evaluate


@pytest.fixture(scope="module")
def values():
    return np.random.default_rng(0).random((9, 3))


def test_the_p_value_is_the_share_of_sign_patterns_as_extreme(values):
    found = compare_values({"old": values[:, 0], "new": values[:, 1]}, measure="relative recall")
    differences = values[:, 1] - values[:, 0]
    sums = [abs(np.dot(signs, differences)) for signs in product((-1, 1), repeat=9)]
    assert found["new"].p_value == pytest.approx(np.mean(np.array(sums) >= abs(differences.sum()) - 1e-12))
    assert found["new"].difference == pytest.approx(differences.mean())


def test_results_equal_those_of_compare():
    rng = np.random.default_rng(1)
    y, qid = rng.integers(0, 2, 120), np.repeat(np.arange(12), 10)
    scores = {"a": rng.random(120), "b": rng.random(120), "c": rng.random(120)}
    per_query = {name: evaluate(y, one, qid=qid, measures=["p@5"]).per_query["p@5"] for name, one in scores.items()}
    arguments = {"measure": "p@5", "baseline": "b", "random_state": 3}
    assert compare_values(per_query, **arguments) == compare(scores, y, qid=qid, **arguments)


def test_a_query_without_a_value_is_left_out_for_all_systems():
    found = compare_values({"old": [0.5, np.nan, 0.25], "new": [0.5, 1.0, 0.75]}, measure="recall")
    assert (found.n_queries, found.left_out) == (2, 1)
    assert found["new"].mean == pytest.approx(0.625)


def test_lower_values_can_be_better():
    found = compare_values({"old": [1.0] * 9, "new": [0.5] * 9}, measure="risk", higher_is_better=False)
    assert found["new"].verdict == "better"


@pytest.mark.parametrize(
    ("systems", "changed", "said"),
    [
        ({}, {}, "at least one name"),
        ({"a": [0.5, 1.0], "b": [0.5]}, {}, "values of 'b' must have one entry per query: expected 2, got 1"),
        ({"a": [0.5, 1.0]}, {"baseline": "z"}, "baseline must be one of 'a'"),
        ({"a": [0.5, np.nan]}, {}, "at least 2 queries with a value of m for every system: got 1 of 2"),
        ({"a": [0.5, 1.0]}, {"n_resamples": 10}, "n_resamples must be a whole number, at least 100"),
        ({"a": [0.5, 1.0]}, {"confidence": 1.5}, "confidence must be at least 0.5 and below 1"),
    ],
    ids=["none", "length", "baseline", "few", "resamples", "confidence"],
)
def test_invalid_values_are_rejected(systems, changed, said):
    with pytest.raises(DataError, match=said):
        compare_values(systems, measure="m", **changed)
