"""Every measure under every convention equals its definition, averaged over all orders of tied documents."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassrank.metrics.conventions import CONVENTIONS
from glassrank.metrics.evaluation import evaluate
from glassrank.metrics.measures import MEASURES
from tests.reference import measures as twin

# Name of the measure: name and settings in the slow twin.
WRITTEN = {
    "ndcg": ("ndcg", {}),
    "ndcg@1": ("ndcg", {"k": 1}),
    "ndcg@3": ("ndcg", {"k": 3}),
    "dcg": ("dcg", {}),
    "dcg@2": ("dcg", {"k": 2}),
    "ndcg(gains={0:0,0.5:1,1:4,2:3,3:0})@2": ("ndcg", {"k": 2, "gains": {0: 0, 0.5: 1, 1: 4, 2: 3, 3: 0}}),
    "map": ("map", {}),
    "map(rel=2)": ("map", {"rel": 2}),
    "map@1": ("map", {"k": 1}),
    "map@3": ("map", {"k": 3}),
    "recall@1": ("recall", {"k": 1}),
    "recall@4": ("recall", {"k": 4}),
    "p(rel=0.5)@2": ("p", {"k": 2, "rel": 0.5}),
    "p@1": ("p", {"k": 1}),
    "p@4": ("p", {"k": 4}),
    "success@1": ("success", {"k": 1}),
    "success@3": ("success", {"k": 3}),
    "rbp": ("rbp", {"p": 0.8}),
    "rbp(p=0.3,rel=2)@3": ("rbp", {"p": 0.3, "rel": 2, "k": 3}),
    "mrr": ("mrr", {}),
    "mrr@2": ("mrr", {"k": 2}),
    "err": ("err", {}),
    "err(4)@3": ("err", {"k": 3, "grade": 4}),
    "rprec": ("rprec", {}),
    "bpref": ("bpref", {}),
    "bpref(rel=2)": ("bpref", {"rel": 2}),
    "judged": ("judged", {}),
    "judged@2": ("judged", {"k": 2}),
    "tau_b": ("tau_b", {}),
    "tau": ("tau", {}),
    "pair_accuracy": ("pair_accuracy", {}),
    "misranking": ("misranking", {}),
    "risk": ("risk", {}),
}

missing = st.just(math.nan)
document = st.tuples(
    st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.0]) | missing,
    st.sampled_from([-1.0, 0.0, 0.5, 2.0]) | missing,
)


@st.composite
def collections(draw):
    """Rows (query, label, score) of up to four queries, shuffled; six tied documents have 720 orders to list."""
    queries = draw(st.lists(st.lists(document, min_size=1, max_size=6), min_size=1, max_size=4))
    rows = [(query, label, score) for query, documents in enumerate(queries) for label, score in documents]
    return draw(st.permutations(rows))


def assert_equal_to_twin(y, scores, qid, convention):
    doc_ids = [f"d{row * 7 % 29}" for row in range(len(y))]
    found = evaluate(y, scores, qid=qid, measures=list(WRITTEN), convention=convention, doc_ids=doc_ids)
    for measure, (name, options) in WRITTEN.items():
        expected = twin.per_query(name, y, scores, qid, convention, doc_ids, **options)
        values = [np.nan if value is None else value for value in expected.values()]
        assert found.queries.tolist() == list(expected)
        assert found.per_query[measure].tolist() == pytest.approx(values, abs=1e-12, nan_ok=True), measure
        assert found.left_out[measure] == sum(value is None for value in expected.values())
        counted = [value for value in values if not math.isnan(value)]
        mean = sum(counted) / len(counted) if counted else np.nan
        assert found[measure] == pytest.approx(mean, abs=1e-12, nan_ok=True)


def test_the_twin_covers_every_measure_and_convention():
    assert {name for name, _ in WRITTEN.values()} == set(MEASURES)
    assert set(twin.CONVENTIONS) == set(CONVENTIONS)


@pytest.mark.parametrize("convention", twin.CONVENTIONS)
@settings(deadline=None)
@given(collections())
def test_every_measure_equals_its_definition(convention, drawn):
    qid, y, scores = map(list, zip(*drawn, strict=True))
    assert_equal_to_twin(y, scores, qid, convention)


@pytest.mark.parametrize("convention", twin.CONVENTIONS)
@pytest.mark.parametrize(
    ("y", "scores"),
    [
        ([1.0], [0.3]),
        ([0.0], [0.3]),
        ([2.0, 2.0, 2.0], [1.0, 3.0, 2.0]),
        ([0.0, 0.0, 0.0], [1.0, 3.0, 2.0]),
        ([3.0, 0.0, 1.0, 0.0, 2.0], [1.0, 1.0, 1.0, 1.0, 1.0]),
        ([math.nan, math.nan], [1.0, 2.0]),
        ([1.0, 0.0], [math.nan, math.nan]),
        ([math.nan, 1.0, math.nan, 0.0], [2.0, 1.0, math.nan, math.nan]),
    ],
)
def test_edge_cases_equal_their_definition(convention, y, scores):
    assert_equal_to_twin(y, scores, ["q"] * len(y), convention)


@pytest.mark.parametrize("convention", twin.CONVENTIONS)
def test_rows_of_a_query_need_not_be_adjacent(convention):
    rng = np.random.default_rng(8)
    qid = rng.permutation(np.repeat(["a", "b", "c", "d"], 5)).tolist()
    y, scores = rng.integers(0, 4, 20).astype(float).tolist(), rng.integers(0, 8, 20).astype(float).tolist()
    assert_equal_to_twin(y, scores, qid, convention)


def test_each_convention_by_hand():
    """Query 1 is ranked 1, 0, 2 (ideally 2, 1, 0); query 2 has no relevant document."""
    y, scores, qid = [2, 0, 1, 0, 0], [1, 2, 3, 2, 1], [1, 1, 1, 2, 2]
    letor = (1 + 3 / math.log2(3)) / (3 + 1)
    exponential = (1 + 3 / 2) / (3 + 1 / math.log2(3))
    linear = (1 + 2 / 2) / (2 + 1 / math.log2(3))
    by_hand = {
        "letor": letor / 2,
        "letor4": 0.0,
        "standard": exponential,
        "trec": linear / 2,
        "xgboost": (exponential + 1) / 2,
        "lightgbm": (exponential + 1) / 2,
        "sklearn": linear / 2,
    }
    found = {name: evaluate(y, scores, qid=qid, convention=name)["ndcg@10"] for name in CONVENTIONS}
    assert found == pytest.approx(by_hand)


@pytest.mark.parametrize(("k", "value"), [(1, 0.0), (2, 1 / 4), (3, (1 + 3 / math.log2(3)) / 4), (4, 0.0)])
def test_letor4_gives_zero_at_cutoffs_beyond_the_list(k, value):
    found = evaluate([2, 0, 1], [1, 3, 2], measures=f"ndcg@{k}", convention="letor4")
    assert found[f"ndcg@{k}"] == pytest.approx(value)


def test_letor4_ndcg_of_the_whole_list_is_not_cut():
    assert evaluate([2, 0, 1], [3, 1, 2], measures="ndcg", convention="letor4")["ndcg"] == 1.0


def test_measures_by_hand():
    """The ranking is relevant, unjudged, non-relevant, relevant; one more relevant document was not retrieved."""
    y, scores = [1, math.nan, 0, 2, 1], [9, 8, 7, 6, math.nan]
    found = evaluate(y, scores, measures=["map", "p@5", "mrr", "rprec", "bpref", "judged@3", "err(2)"])
    by_hand = {
        "map": (1 + 2 / 4) / 3,
        "p@5": 2 / 5,
        "mrr": 1.0,
        "rprec": 1 / 3,
        "bpref": (1 + (1 - 1 / 1)) / 3,
        "judged@3": 2 / 3,
        "err(2)": 1 / 4 + 3 / 4 * 3 / 4 / 4,
    }
    assert dict(found) == pytest.approx(by_hand)


def test_err_takes_the_highest_label_of_the_collection_as_highest_grade():
    # Query 1 has only the label 1; the collection's highest is 2, so that its stopping probability is (2 − 1)/4.
    found = evaluate([1, 2], [1, 1], qid=[1, 2], measures=["err", "err(3)"])
    assert found.per_query["err"].tolist() == [1 / 4, 3 / 4]
    assert found.per_query["err(3)"].tolist() == [1 / 8, 3 / 8]


def test_tied_documents_count_with_their_expected_rank():
    """One relevant document is tied with two others, so that the three ranks are equally likely."""
    found = evaluate([0, 1, 0], [5, 5, 5], measures=["mrr", "map", "p@1", "rprec"])
    assert dict(found) == pytest.approx({"mrr": 11 / 18, "map": 11 / 18, "p@1": 1 / 3, "rprec": 1 / 3})


def test_a_long_tie_has_the_expected_reciprocal_rank():
    n = 2000
    y = np.zeros(n)
    y[-1] = 1.0
    harmonic = sum(1 / rank for rank in range(1, n + 1)) / n
    found = evaluate(y, np.ones(n), measures=["mrr", "err(1)", "map"])
    assert dict(found) == pytest.approx({"mrr": harmonic, "err(1)": harmonic / 2, "map": harmonic})
