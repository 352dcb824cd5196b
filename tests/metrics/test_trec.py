"""The convention ``trec`` equals ir-measures, which runs trec_eval (and gdeval for ERR)."""

import shutil
import warnings

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.metrics.evaluation import evaluate

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # warnings of other libraries on import do not matter here
    import ir_measures

PEERS = {
    "ndcg": "nDCG",
    "ndcg@5": "nDCG@5",
    "ndcg@20": "nDCG@20",
    "map": "AP",
    "map@1": "AP@1",
    "map@5": "AP@5",
    "map@30": "AP@30",
    "recall@5": "R@5",
    "recall@30": "R@30",
    "p@5": "P@5",
    "p@30": "P@30",
    "mrr": "RR",
    "rprec": "Rprec",
    "bpref": "Bpref",
}


def random_run(seed, *, decimals):
    """Rows of 12 queries, judged or retrieved or both; 3 and 7 are not in the run, 5 has no relevant document."""
    rng = np.random.default_rng(seed)
    rows = []
    for query in range(12):
        for document in rng.permutation(25):
            judged, retrieved = rng.random(2) < (0.6, 0.7)
            if query in (3, 7):
                judged, retrieved = True, False
            grade = 0.0 if query == 5 else float(rng.choice([0, 0, 0, 1, 2, 3]))
            label = grade if judged else np.nan
            if judged or retrieved:
                score = np.round(rng.normal(), decimals) if retrieved else np.nan
                rows.append((f"{query}", f"d{document}", label, score))
    return rows


def columns(rows):
    qid, doc_ids, y, scores = zip(*rows, strict=True)
    return np.array(y), np.array(scores), np.array(qid), np.array(doc_ids)


def ask_peer(rows, measures):
    """Return the values of ir-measures by measure and query, and their means."""
    parsed = {name: ir_measures.parse_measure(text) for name, text in measures.items()}
    qrels = [ir_measures.Qrel(q, d, int(label)) for q, d, label, _ in rows if not np.isnan(label)]
    run = [ir_measures.ScoredDoc(q, d, float(score)) for q, d, _, score in rows if not np.isnan(score)]
    result = ir_measures.calc(list(parsed.values()), qrels, run)
    values = {name: {} for name in measures}
    for metric in result.per_query:
        name = next(name for name, measure in parsed.items() if measure == metric.measure)
        values[name][metric.query_id] = metric.value
    return values, {name: result.aggregated[measure] for name, measure in parsed.items()}


def assert_equal_to_peer(rows, measures, tolerance=1e-9):
    y, scores, qid, doc_ids = columns(rows)
    found = evaluate(y, scores, qid=qid, measures=list(measures), convention="trec", doc_ids=doc_ids)
    expected, means = ask_peer(rows, measures)
    for measure in measures:
        values = dict(zip(found.queries.tolist(), found.per_query[measure].tolist(), strict=True))
        assert values == pytest.approx(expected[measure], abs=tolerance), measure
        assert found[measure] == pytest.approx(means[measure], abs=tolerance), measure


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("decimals", [0, 1, 12])
def test_every_query_and_mean_equal_trec_eval(seed, decimals):
    assert_equal_to_peer(random_run(seed, decimals=decimals), PEERS)


@pytest.mark.parametrize("seed", range(3))
def test_judged_share_equals_ir_measures_without_ties(seed):
    rows = random_run(seed, decimals=12)
    assert_equal_to_peer(rows, {"judged@5": "Judged@5", "judged@30": "Judged@30", "judged": "Judged"})


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a Perl script, and perl is not installed")
@pytest.mark.parametrize("decimals", [0, 12])
def test_err_equals_gdeval_with_highest_grade_4(decimals):
    # gdeval prints five decimals.
    assert_equal_to_peer(random_run(1, decimals=decimals), {"err(4)@5": "ERR@5", "err(4)@20": "ERR@20"}, 6e-6)


def test_scores_equal_as_32_bit_numbers_are_tied():
    rows = [("1", "a", 1.0, 0.1 + 1e-12), ("1", "b", 0.0, 0.1), ("1", "c", 0.0, 0.0)]
    assert_equal_to_peer(rows, {"mrr": "RR"})
    y, scores, qid, doc_ids = columns(rows)
    assert evaluate(y, scores, qid=qid, measures="mrr", convention="trec", doc_ids=doc_ids)["mrr"] == 0.5


def test_numeric_document_ids_are_compared_as_text():
    rows = [("1", "10", 1.0, 0.5), ("1", "9", 0.0, 0.5)]
    assert_equal_to_peer(rows, {"mrr": "RR"})
    assert evaluate([1, 0], [0.5, 0.5], measures="mrr", convention="trec", doc_ids=[10, 9])["mrr"] == 0.5


def test_a_query_without_judgements_is_left_out_as_in_trec_eval():
    rows = [("1", "a", 1.0, 0.5), ("1", "b", 0.0, 0.7), ("2", "a", np.nan, 0.5)]
    y, scores, qid, doc_ids = columns(rows)
    found = evaluate(y, scores, qid=qid, measures=["map", "judged@5"], convention="trec", doc_ids=doc_ids)
    assert found["map"] == ask_peer(rows, {"map": "AP"})[1]["map"] == 0.5
    assert found.left_out == {"map": 1, "judged@5": 1}


def test_a_judged_query_missing_from_the_run_counts_zero():
    found = evaluate([1, 0, 1], [0.2, 0.1, np.nan], qid=[1, 1, 2], measures=["ndcg@10", "map"], convention="trec")
    assert dict(found) == {"ndcg@10": 0.5, "map": 0.5}


def test_negative_labels_have_the_gain_zero():
    found = evaluate([-2, 1, 0], [3, 2, 1], measures=["ndcg", "err(1)"], convention="trec")
    assert found["ndcg"] == pytest.approx(1 / np.log2(3))
    assert found["err(1)"] == 0.25


def test_ties_without_document_ids_are_rejected():
    message = (
        r"Convention 'trec' needs document ids to order equal scores: 2 groups of documents have equal scores "
        r"\(as 32-bit numbers\), the first in query b\. Give the document ids: doc_ids\."
    )
    with pytest.raises(DataError, match=message):
        evaluate([1, 0, 0, 1, 1], [2, 1, 1, 3, 3], qid=["a", "b", "b", "c", "c"], convention="trec")


def test_document_ids_are_not_needed_without_ties():
    assert evaluate([1, 0], [2, 1], measures="map", convention="trec")["map"] == 1.0


def test_repeated_document_ids_cannot_order_a_tie():
    with pytest.raises(DataError, match=r"doc_ids must be unique within a query: a appears twice with equal scores\."):
        evaluate([1, 0], [1, 1], convention="trec", doc_ids=["a", "a"])


def test_document_ids_must_match_the_labels():
    with pytest.raises(DataError, match=r"doc_ids must have one entry per label in y: expected 2, got 3\."):
        evaluate([1, 0], [1, 1], convention="trec", doc_ids=["a", "b", "c"])


def test_scores_too_large_for_32_bits_are_tied():
    found = evaluate([0, 1], [1e300, 1e301], measures="mrr", convention="trec", doc_ids=["b", "a"])
    assert found["mrr"] == 0.5
