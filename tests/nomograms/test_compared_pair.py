"""Two documents of one query, compared feature by feature."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from glassrank.core.checks import DataError
from glassrank.data.ranking_data import RankingData
from glassrank.nomograms.figure.nomogram import nomogram
from glassrank.ranking.rank_svm import RankSVM
from tests.nomograms.figure.examples import model_of, random_data, random_weights, small_picture


@pytest.fixture(scope="module")
def data():
    return random_data(6, doc_ids=[f"d{row}" for row in range(120)], offset=2.0)


@pytest.fixture(scope="module")
def model(data):
    return RankSVM(C=100.0).fit(data.X, data.y, qid=data.qid)


def test_contributions_by_hand():
    """0.3 · (10 − 0) = 3 and −0.5 · (1 − 4) = 1.5: together 4.5."""
    pair = small_picture().pair
    assert pair.contributions.tolist() == pytest.approx([3.0, 1.5], rel=1e-12)
    assert pair.difference == pytest.approx(4.5, rel=1e-12)


def test_contributions_are_weights_times_differences_and_sum_to_the_difference_of_scores(data, model):
    for a, b in [(24, 35), (35, 24), (30, 26)]:
        pair = nomogram(model, data, query="q2", document=f"d{a}", against=f"d{b}").pair
        np.testing.assert_allclose(pair.contributions, model.coef_ * (data.X[a] - data.X[b]), rtol=1e-9, atol=1e-12)
        decided = model.decide_pairs(data.X[[a]], data.X[[b]])[0]
        assert pair.contributions.sum() == pytest.approx(decided, rel=1e-9, abs=1e-12)
        assert pair.difference == pytest.approx(decided, rel=1e-9, abs=1e-12)


def test_exchanging_the_documents_exchanges_the_signs(data, model):
    forth = nomogram(model, data, query="q2", document=0, against=1).pair
    back = nomogram(model, data, query="q2", document=1, against=0).pair
    np.testing.assert_allclose(forth.contributions, -back.contributions, rtol=1e-12)
    assert (forth.a.name, forth.b.name) == (back.b.name, back.a.name)


def test_rank_score_and_judgement_are_those_of_the_query(data, model):
    pair = nomogram(model, data, query="q3", document="d40", against="d47").pair
    scores = data.X[36:48] @ model.coef_
    for document, row in [(pair.a, 40), (pair.b, 47)]:
        assert document.name == f"d{row}"
        assert document.score == pytest.approx(scores[row - 36], rel=1e-9)
        assert document.rank == 1 + sorted(scores, reverse=True).index(scores[row - 36])
        assert document.n_documents == 12
        assert document.label == row % 4
        assert document.values.tolist() == data.X[row].tolist()


def test_equal_scores_share_the_better_rank():
    data = RankingData([[3.0], [1.0], [1.0], [0.0]], [2, 1, 0, 0])
    pair = nomogram(model_of([1.0]), data, query=0, document=2, against=3).pair
    assert (pair.a.rank, pair.b.rank) == (2, 4)


def test_a_document_is_named_by_id_or_by_position_in_the_query(data, model):
    by_id = nomogram(model, data, query="q4", document="d50", against="d48").pair
    by_place = nomogram(model, data, query="q4", document=2, against=0).pair
    assert (by_id.a.name, by_id.b.name) == (by_place.a.name, by_place.b.name) == ("d50", "d48")
    assert by_id.contributions.tolist() == by_place.contributions.tolist()


def test_rows_of_a_query_need_not_be_adjacent(data, model):
    shuffled = data.pick_rows(np.random.default_rng(0).permutation(120))
    here = nomogram(model, data, query="q5", document="d61", against="d70").pair
    there = nomogram(model, shuffled, query="q5", document="d61", against="d70").pair
    np.testing.assert_allclose(there.contributions, here.contributions, rtol=1e-12)
    assert (there.a.rank, there.b.rank) == (here.a.rank, here.b.rank)


def test_a_query_may_be_a_number():
    data = RankingData([[1.0], [2.0], [3.0], [5.0]], [0, 1, 0, 1], [7, 7, 9, 9])
    pair = nomogram(model_of([2.0]), data, query=9, document=1, against=0).pair
    assert pair.query == "9"
    assert pair.difference == pytest.approx(4.0)


def test_sparse_data_give_the_same_comparison_as_dense_data():
    dense = random_data(6, seed=4)
    X = np.where(np.random.default_rng(1).random(dense.X.shape) < 0.5, 0.0, dense.X)
    pictures = [
        nomogram(model_of(random_weights(6)), RankingData(rows, dense.y, dense.qid), query="q1", document=3, against=5)
        for rows in (X, sparse.csr_matrix(X))
    ]
    assert str(pictures[0]) == str(pictures[1])
    assert pictures[0].specification() == pictures[1].specification()


@pytest.mark.parametrize(
    ("query", "document", "against", "message"),
    [
        ("q99", 0, 1, r"no query q99.*q0"),
        ("q1", "d99", "d12", r"one document 'd99'.*got 0"),
        ("q1", "d12", 12, r"documents 0 to 11: got 12"),
        ("q1", -1, 0, r"documents 0 to 11: got -1"),
        ("q1", "d12", "d12", r"must differ"),
        ("q1", "d12", 0, r"must differ"),
    ],
)
def test_an_unknown_query_or_document_and_the_same_document_twice_are_refused(
    data, model, query, document, against, message
):
    with pytest.raises(DataError, match=message):
        nomogram(model, data, query=query, document=document, against=against)


def test_names_need_document_ids():
    with pytest.raises(DataError, match=r"no document ids.*position"):
        nomogram(model_of([1.0, 2.0]), random_data(2), query="q0", document="d1", against="d2")


def test_a_duplicate_document_id_is_refused():
    data = RankingData([[1.0], [2.0], [3.0]], [0, 1, 2], doc_ids=["x", "x", "y"])
    with pytest.raises(DataError, match=r"got 2"):
        nomogram(model_of([1.0]), data, query=0, document="x", against="y")


def test_data_with_another_number_of_features_are_refused():
    with pytest.raises(DataError, match=r"expected 2, got 3"):
        nomogram(model_of([1.0, 2.0]), random_data(3), query="q0", document=0, against=1)


def test_features_in_another_order_than_in_training_are_refused():
    data = random_data(3, names=["age", "bm25", "clicks"])
    frame = pd.DataFrame(data.X, columns=["bm25", "age", "clicks"])
    model = RankSVM().fit(frame, data.y, qid=data.qid)
    with pytest.raises(DataError, match="bm25"):
        nomogram(model, data, query="q0", document=0, against=1)


def test_missing_values_are_refused():
    rows = np.array([[1.0, np.nan], [2.0, 0.0], [0.0, 1.0]])
    data = RankingData(rows, [0, 1, 2], missing="keep")
    with pytest.raises(DataError, match=r"missing|not finite"):
        nomogram(model_of([1.0, 2.0]), data, query=0, document=0, against=1)
