"""Choices of a large study are made on a sample of its queries, and its models are trained on all of them."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import glassrank as gr
from glassrank.studies.ranking import query_sample
from glassrank.studies.ranking.measuring.fold_rows import FoldRows
from glassrank.studies.ranking.query_sample import draw_sample, sample_in_words, sample_of_queries, sampled_rows
from glassrank.studies.ranking.recipe import Recipe


@pytest.fixture(scope="module")
def data():
    return gr.simulate_ranking(24, 10, random_state=0).data.pick_features([0, 1, 2, 9, 14])


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(query_sample, "MOST_ROWS", 125)
    monkeypatch.setattr(query_sample, "FEWEST_QUERIES", 5)


def test_the_sample_has_whole_queries_up_to_the_number_of_rows(data, small):
    rows = sampled_rows(data, seed=0)
    drawn = np.unique(data.qid[rows])
    assert len(drawn) == 12
    assert 105 < len(rows) <= 125
    assert set(rows.tolist()) == set(np.flatnonzero(np.isin(data.qid, drawn)).tolist())
    assert sampled_rows(data, seed=1).tolist() != rows.tolist()
    assert sample_in_words(data, 0).startswith(f"a random sample of 12 of 24 queries ({len(rows)} documents)")


def test_few_rows_or_few_long_queries_are_not_sampled(data, monkeypatch):
    assert sample_of_queries(data, seed=0) is data
    monkeypatch.setattr(query_sample, "MOST_ROWS", 125)
    assert sample_of_queries(data, seed=0) is data
    assert sample_in_words(data, 0) == ""


def test_choices_use_the_sample_and_scores_come_from_a_model_of_all_rows(data, small):
    recipe, sample = Recipe(), sample_of_queries(data, seed=0)
    choice = recipe.choose(data)
    assert choice == recipe.choose(sample)
    kept = recipe.eliminate(sample, choice, nested=False).support_
    found = recipe.held_out_scores(FoldRows.of(data, data))
    assert found.n_kept == kept.sum()
    whole = make_pipeline(StandardScaler(), gr.RankSVM(choice.C, tol=1e-10))
    expected = whole.fit(data.X[:, kept], data.y, ranksvm__qid=data.qid).predict(data.X[:, kept])
    np.testing.assert_allclose(
        found.by_system["kept"], expected - (expected - found.by_system["kept"]).mean(), atol=1e-3
    )


def test_few_validation_queries_are_all_in_the_sample(data, small):
    """A sample of 12 of 24 queries would have one or two of three validation queries, or none."""
    for seed in range(5):
        valid = np.flatnonzero(data.groups.of_row >= 21)
        rows = sampled_rows(data, seed, valid)
        assert set(valid.tolist()) <= set(rows.tolist())
        assert len(rows) <= 125
        assert len(np.unique(data.qid[rows])) >= 3 + 5


def test_rows_of_weight_0_do_not_change_the_sample(data, small):
    """With as many rows more of weight 0, in the same queries and in another."""
    twice = np.concatenate([data.X, data.X])
    qid = np.concatenate([data.qid, np.where(np.arange(data.n_rows) < 120, data.qid, "another")])
    weights = np.repeat([1.0, 0.0], data.n_rows)
    more = gr.RankingData(twice, np.tile(data.y, 2), qid, feature_names=data.feature_names, weights=weights)
    assert sampled_rows(more, seed=0).tolist() == sampled_rows(data, seed=0).tolist()
    assert sample_in_words(more, 0) == sample_in_words(data, 0)


def test_validation_rows_stay_validation_rows_in_the_sample(data, small):
    valid = np.flatnonzero(data.groups.of_row % 3 == 0)
    rows = sampled_rows(data, 0, valid)
    own = np.flatnonzero(data.groups.of_row[rows] % 3 == 0)
    assert Recipe().choose(data, valid) == Recipe().choose(data.pick_rows(rows), own)


def test_a_fold_copies_only_the_rows_of_its_sample(data, small, monkeypatch):
    """The sample of its training rows, which are then not copied as a whole."""
    weights = np.where(data.groups.of_row == 4, 0.0, 1.0)
    weighted = gr.RankingData(data.X, data.y, data.qid, None, data.feature_names, weights)
    rows = np.flatnonzero(data.groups.of_row >= 2)[::-1]
    valid = np.flatnonzero(data.groups.of_row[rows] >= 21)
    fold = FoldRows(weighted, rows, weighted, np.flatnonzero(data.groups.of_row < 2), valid)
    expected, expected_valid = draw_sample(fold.train, 0, valid)
    copied = []
    pick = gr.RankingData.pick_rows
    monkeypatch.setattr(gr.RankingData, "pick_rows", lambda self, some: copied.append(len(some)) or pick(self, some))
    found, found_valid = fold.sample(seed=0)
    assert copied == [expected.n_rows]
    for name in ("X", "y", "qid", "weights"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    np.testing.assert_array_equal(found_valid, expected_valid)
