"""Comparison on one query: documents are resampled, and copies of a document form no pair."""

import numpy as np
import pytest

from glassrank.core.groups import group_rows
from glassrank.metrics.compare import compare
from glassrank.metrics.compare_documents import compare_on_one_query, compare_on_pairs
from glassrank.metrics.document_resampling import draw_documents, resampled_list_means, resampled_pair_means
from glassrank.metrics.measures import parse_measure


def slow_accuracy(rows, y, scores):
    """Share of comparable pairs in the right order among documents with repetitions, ties half."""
    right = [
        1.0 if scores[i] > scores[j] else 0.5 if scores[i] == scores[j] else 0.0
        for i in rows
        for j in rows
        if y[i] > y[j]
    ]
    return np.mean(right) if right else np.nan


@pytest.fixture(scope="module")
def query():
    rng = np.random.default_rng(3)
    y = np.repeat([0.0, 1.0, 2.0], [9, 5, 2])
    return y, y + rng.normal(size=16), np.round(y + 3.0 * rng.normal(size=16))


def test_the_mean_over_resampled_pairs_counts_copies_of_documents(query):
    y, good, bad = query
    first, second = np.nonzero(y[:, None] > y[None, :])
    values = np.column_stack([(s[first] > s[second]) + 0.5 * (s[first] == s[second]) for s in (good, bad)])
    counts = draw_documents(16, 40, np.random.default_rng(0))
    found = resampled_pair_means(counts, first, second, values)
    for count, means in zip(counts, found, strict=True):
        rows = np.repeat(np.arange(16), count)
        np.testing.assert_allclose(means, [slow_accuracy(rows, y, good), slow_accuracy(rows, y, bad)])


def test_lists_are_resampled_each_for_itself_and_alike_for_all_systems(query):
    y, good, bad = query
    groups = group_rows(np.arange(16) % 2, 16)
    scores = np.column_stack([good, bad, good])
    found = resampled_list_means(parse_measure("map"), "standard", y, scores, groups, 300, np.random.default_rng(0))
    assert (found[:, 0] == found[:, 2]).all()
    assert not (found[:, 0] == found[:, 1]).all()


def test_a_better_order_of_one_query_is_found_and_an_equal_one_is_not(query):
    y, good, bad = query
    systems = {"good": good, "bad": bad, "same": 2.0 * good}
    found = compare_on_one_query(systems, y, group_rows(None, 16), measure="pair_accuracy", baseline="good")
    for name, scores in systems.items():
        assert found[name].mean == pytest.approx(slow_accuracy(range(16), y, scores))
    assert (found["same"].difference, found["same"].p_value) == (0.0, 1.0)
    assert found["bad"].difference_interval[1] < 0.05
    assert (found.n_queries, found.n_documents) == (1, 16)
    assert "1 query with 16 documents" in str(found)
    assert found.test.startswith("bootstrap over the 16 documents")


def test_pairs_are_compared_by_drawing_documents(query):
    y, good, bad = query
    pairs = np.nonzero(y[:, None] > y[None, :])
    right = {name: (s[pairs[0]] > s[pairs[1]]).astype(float) for name, s in {"good": good, "bad": bad}.items()}
    found = compare_on_pairs(right, pairs, n_documents=16, baseline="good")
    assert found["bad"].mean == pytest.approx(right["bad"].mean())
    # Pairs share documents: the interval is wider than that of as many independent pairs.
    low, high = found["bad"].interval
    independent = 2 * 1.96 * np.sqrt(right["bad"].var() / len(pairs[0]))
    assert high - low > independent


@pytest.mark.parametrize(("n_queries", "smallest"), [(2, 0.5), (3, 0.25), (4, 0.125)])
def test_no_verdict_is_printed_for_queries_that_are_too_few(n_queries, smallest):
    y, qid = [1, 0, 0] * n_queries, np.repeat(range(n_queries), 3)
    found = compare({"old": [1, 2, 3] * n_queries, "new": [3, 2, 1] * n_queries}, y, qid=qid, measure="mrr")
    assert (found["new"].p_value, found["new"].verdict) == (smallest, "too few queries")
    said = (
        f"No difference can be significant with {n_queries} queries: the smallest possible p value is 2/2^{n_queries}"
    )
    assert found.notes == (f"{said} = {smallest:.3g}.",)
