"""The folds of a study: queries, one query at a time, documents of one query, or its pairs."""

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold

from glassrank.core.checks import DataError
from glassrank.data.ranking_data import RankingData
from glassrank.studies.ranking.measuring.measured_lists import MeasuredLists
from glassrank.studies.ranking.measuring.study_folds import FoldsOfQueries, StudyFolds, check_fold_unit


def listed(labels_by_query, weights=None):
    """One feature, and the labels of each query."""
    y = np.concatenate(labels_by_query).astype(float)
    qid = np.repeat(np.arange(len(labels_by_query)), [len(labels) for labels in labels_by_query])
    return RankingData(np.arange(len(y), dtype=float)[:, None], y, qid, weights=weights)


ONE = listed([[0] * 20 + [1] * 4 + [2] * 3])


@pytest.mark.parametrize(
    ("n_queries", "unit", "leave_one_out", "n_folds"),
    [(1, "document", False, 5), (2, "query", True, 2), (4, "query", True, 4), (5, "query", False, 5)],
)
def test_the_number_of_queries_decides_what_is_held_out(n_queries, unit, leave_one_out, n_folds):
    data = ONE if n_queries == 1 else listed([[0, 1, 2, 0]] * n_queries)
    folds = StudyFolds.of(None, data)
    assert (folds.unit, folds.leave_one_out, folds.n_measured(data)) == (unit, leave_one_out, n_folds)
    assert len(folds.measuring(data)) == n_folds


def test_five_queries_have_the_folds_of_scikit_learn():
    data = listed([[0, 1], [1, 0, 0], [2, 0], [0, 1], [0, 0, 1, 1], [1, 0]])
    expected = [own.tolist() for _, own in GroupKFold(5).split(data.X, data.y, data.groups.of_row)]
    assert [own.tolist() for _, own in StudyFolds.of(None, data).measuring(data)] == expected


def test_folds_of_documents_never_share_a_document_and_spread_rare_labels():
    folds = StudyFolds.of("document", ONE).measuring(ONE)
    assert sorted(np.concatenate([own for _, own in folds]).tolist()) == list(range(27))
    for rest, own in folds:
        assert not set(rest.tolist()) & set(own.tolist())
        assert len(rest) + len(own) == 27
    # Seven documents of the rarer labels in five folds: one or two in each.
    assert {int((ONE.y[own] > 0).sum()) for _, own in folds} == {1, 2}


def test_one_comparable_query_at_a_time_is_held_out_and_queries_of_equal_labels_stay_whole():
    data = listed([[1, 1], [0, 1], [0, 0, 0], [2, 1, 0]])
    folds = StudyFolds.of(None, data).measuring(data)
    assert [own.tolist() for _, own in folds] == [[0, 1, 2, 3], [4, 5, 6, 7, 8, 9]]


def test_a_query_that_is_comparable_only_by_rows_of_weight_0_is_not_left_out_alone():
    data = listed([[0, 1], [0, 1], [0, 1]], weights=[1, 1, 1, 1, 1, 0])
    folds = StudyFolds.of(None, data).measuring(data)
    assert [own.tolist() for _, own in folds] == [[0, 1, 4, 5], [2, 3]]


def test_within_one_training_query_its_documents_are_split():
    y, query = np.array([0.0, 0, 0, 1, 1, 1, 5, 5]), np.array([0, 0, 0, 0, 0, 0, 1, 1])
    folds = list(FoldsOfQueries(3, few=True).split(None, y, query))
    for rest, own in folds:
        held = [row for row in own.tolist() if row < 6]
        assert sorted(y[held].tolist()) == [0.0, 1.0]
        assert not set(rest.tolist()) & set(own.tolist())
    assert FoldsOfQueries(3, few=True).get_n_splits(None, y, query) == 3


def test_folds_of_pairs_hold_out_every_comparable_pair_once():
    measured = MeasuredLists.of(ONE, None, StudyFolds.of("pair", ONE))
    expected = {(i, j) for i in range(27) for j in range(27) if ONE.y[i] > ONE.y[j]}
    pairs = list(zip(measured.place[::2].tolist(), measured.place[1::2].tolist(), strict=True))
    assert set(pairs) == expected
    assert len(pairs) == len(expected) == 20 * 7 + 4 * 3
    held = np.concatenate([own for _, own in measured.split()])
    assert sorted(held.tolist()) == list(range(2 * len(pairs)))
    for _, own in measured.split():
        assert set((own // 2).tolist()) == set((own[::2] // 2).tolist())


def test_lists_of_document_folds_are_ranked_each_by_one_model():
    measured = MeasuredLists.of(ONE, None, StudyFolds.of(None, ONE))
    for number, (_, own) in enumerate(measured.split()):
        assert set(measured.lists.qid[own].tolist()) == {number}
    assert not measured.by_query
    assert "not other queries" in measured.words.folds


@pytest.mark.parametrize(
    ("unit", "data", "message"),
    [
        ("query", ONE, "needs at least 2 queries .*use folds='document'"),
        ("pair", listed([[0, 1], [0, 0]]), r"Folds of pairs are for a single query: got 2 queries, 1 of them"),
        ("document", listed([[0, 1]] * 5), r"train.pick_queries\('0'\)"),
        (None, listed([[0, 0, 0, 0, 0, 1, 1]]), "3 of them with another label .*got 7 and 2"),
        (None, listed([[0, 0], [1, 1]]), "got 0 among 2 queries"),
    ],
)
def test_folds_that_cannot_be_made_are_refused_with_the_remedy(unit, data, message):
    with pytest.raises(DataError, match=message):
        StudyFolds.of(unit, data)


@pytest.mark.parametrize(
    ("unit", "has_test", "message"),
    [("word", False, "folds must be one of 'query', 'document', 'pair'"), ("pair", True, "Leave out the test data")],
)
def test_units_without_meaning_are_refused(unit, has_test, message):
    with pytest.raises(DataError, match=message):
        check_fold_unit(unit, has_valid=False, has_test=has_test)


def test_with_test_data_folds_are_only_said_to_make_choices():
    said = "3 folds of the training queries, for the choices made in training"
    assert StudyFolds("query").words(has_test=True) == said
    assert StudyFolds("query").words().startswith("5 folds of queries")
