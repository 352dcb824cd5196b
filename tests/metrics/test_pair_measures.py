"""Kendall's tau, pair accuracy and the least-squares ranking risk."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from glassrank.metrics.evaluation import evaluate

PAIR_MEASURES = ["tau_b", "tau", "pair_accuracy", "misranking", "risk"]


@pytest.mark.parametrize("seed", range(5))
def test_tau_b_equals_scipy(seed):
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(8), rng.integers(2, 40, 8))
    y, scores = rng.integers(0, 4, len(qid)) * 1.0, np.round(rng.normal(size=len(qid)), seed % 3)
    found = evaluate(y, scores, qid=qid, measures="tau_b").per_query["tau_b"]
    expected = [kendalltau(y[qid == query], scores[qid == query], variant="b").statistic for query in range(8)]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_the_two_taus_differ_when_labels_are_tied():
    # All four pairs with different labels are concordant; the two pairs tied in label reduce tau b.
    found = evaluate([1, 1, 0, 0], [4, 3, 2, 1], measures=["tau", "tau_b"])
    assert dict(found) == pytest.approx({"tau": 1.0, "tau_b": 4 / np.sqrt(4 * 6)})


def test_pair_accuracy_and_misranking_by_hand():
    # The pairs (2, 1), (2, 0), (1, 0) are concordant, tied and discordant.
    found = evaluate([2, 1, 0], [5, 3, 5], measures=["pair_accuracy", "misranking", "tau"])
    assert dict(found) == pytest.approx({"pair_accuracy": 0.5, "misranking": 0.5, "tau": 0.0})


def test_pair_accuracy_is_the_mean_over_queries_with_a_comparable_pair():
    found = evaluate([1, 0, 1, 0, 1, 1], [2, 1, 1, 2, 1, 2], qid=[1, 1, 2, 2, 3, 3], measures="pair_accuracy")
    assert found["pair_accuracy"] == 0.5
    assert found.left_out == {"pair_accuracy": 1}
    assert np.isnan(found.per_query["pair_accuracy"][2])


def test_risk_by_hand():
    # y − f is 1, 0, 2: squared differences of the three pairs are 1, 1, 4.
    assert evaluate([3, 2, 1], [2, 2, -1], measures="risk")["risk"] == pytest.approx(2 / (3 * 2) * 6)


def test_a_large_common_offset_of_scores_does_not_change_the_risk():
    y, scores = np.array([3.0, 2.0, 1.0]), np.array([2.0, 2.0, -1.0])
    assert evaluate(y, scores + 2.0**40, measures="risk")["risk"] == pytest.approx(2.0)


@pytest.mark.parametrize("convention", ["letor", "trec", "xgboost"])
def test_pair_measures_do_not_depend_on_the_convention(convention):
    y, scores = [2, 0, 1, 0], [1.0, 1.0 + 1e-12, 0.5, 3.0]
    doc_ids = ["a", "b", "c", "d"]
    found = evaluate(y, scores, measures=PAIR_MEASURES, convention=convention, doc_ids=doc_ids)
    assert dict(found) == dict(evaluate(y, scores, measures=PAIR_MEASURES, convention="standard"))


def test_pair_measures_accept_negative_labels():
    found = evaluate([-1, -3, 2], [2, 1, 3], measures=["pair_accuracy", "tau_b"])
    assert dict(found) == pytest.approx({"pair_accuracy": 1.0, "tau_b": 1.0})
