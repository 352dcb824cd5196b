"""Folds by query: no query is both trained on and held out."""

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, GroupShuffleSplit, KFold, LeaveOneGroupOut

from glassrank.core.checks import DataError
from glassrank.core.groups import group_rows
from glassrank.ranking.query_folds import check_folds, query_folds
from tests.reference.pairs import random_problem


@pytest.fixture
def problem():
    return random_problem(5, n_rows=100, n_queries=12)


def folds_of(problem, cv, qid="own"):
    qid = problem.qid if isinstance(qid, str) else qid
    return query_folds(cv, problem.X, problem.y, group_rows(qid, len(problem.y)))


@pytest.mark.parametrize("cv", [2, 3, 5, GroupKFold(4), GroupShuffleSplit(3, random_state=0), LeaveOneGroupOut()])
def test_a_query_is_trained_on_or_held_out_never_both(problem, cv):
    folds = folds_of(problem, cv)
    assert len(folds) > 1
    for train, held_out in folds:
        assert len(train)
        assert len(held_out)
        assert set(problem.qid[train].tolist()) & set(problem.qid[held_out].tolist()) == set()


@pytest.mark.parametrize("n_folds", [2, 3, 12])
def test_every_row_is_held_out_once(problem, n_folds):
    folds = folds_of(problem, n_folds)
    assert len(folds) == n_folds
    assert sorted(np.concatenate([held_out for _, held_out in folds]).tolist()) == list(range(100))
    for train, held_out in folds:
        assert sorted([*train.tolist(), *held_out.tolist()]) == list(range(100))


def test_the_names_of_the_queries_do_not_matter(problem):
    names = np.array([f"query {99 - number}" for number in range(12)])
    for one, other in zip(folds_of(problem, 3), folds_of(problem, 3, names[problem.qid]), strict=True):
        np.testing.assert_array_equal(one[1], other[1])


def test_a_single_query_is_stratified_by_label(problem):
    y = np.repeat([0.0, 1.0, 2.0], [60, 30, 10])
    folds = query_folds(5, problem.X, y, group_rows(None, 100))
    assert [np.bincount(y[held_out].astype(int)).tolist() for _, held_out in folds] == [[12, 6, 2]] * 5
    assert sorted(np.concatenate([held_out for _, held_out in folds]).tolist()) == list(range(100))


def test_a_splitter_of_rows_works_for_a_single_query(problem):
    folds = folds_of(problem, KFold(4), qid=None)
    assert [held_out.tolist() for _, held_out in folds] == np.arange(100).reshape(4, 25).tolist()


def test_splits_may_be_listed(problem):
    queries = problem.qid
    listed = [(np.flatnonzero(queries % 2 == 0), np.flatnonzero(queries % 2 == 1))]
    ((train, held_out),) = folds_of(problem, listed)
    np.testing.assert_array_equal(train, listed[0][0])
    np.testing.assert_array_equal(held_out, listed[0][1])


def test_a_splitter_that_splits_a_query_is_refused(problem):
    with pytest.raises(
        DataError, match=r"keep each query whole: in fold 0 query \d+ has training rows.*Use GroupKFold"
    ):
        folds_of(problem, KFold(3))


def test_more_folds_than_queries_are_refused(problem):
    with pytest.raises(DataError, match=r"13 folds need at least 13 queries: got 12\. Add queries, or lower cv"):
        folds_of(problem, 13)
    with pytest.raises(DataError, match="101 folds need at least 101 documents of the one query: got 100"):
        folds_of(problem, 101, qid=None)


@pytest.mark.parametrize("cv", [0, 1, -3, True, "3", None, 2.5])
def test_an_invalid_cv_is_refused(cv):
    with pytest.raises(DataError, match="cv must be a number of folds from 2, a splitter or an iterable of splits"):
        check_folds(cv)
