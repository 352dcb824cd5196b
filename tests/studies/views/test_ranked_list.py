"""The ranked list of a query, against the model itself and against evaluate()."""

from dataclasses import replace

import numpy as np
import pytest

import glassrank as gr
from glassrank.core.checks import DataError
from glassrank.core.feature_kinds import FeatureTable
from glassrank.studies.views.model_view import ModelView
from glassrank.studies.views.ranked_list import ranked_list
from glassrank.studies.views.what_if import Change

QUERY = "q3"


@pytest.fixture(scope="module")
def ranked(view):
    return ranked_list(view, QUERY)


def rows_of(view, query=QUERY):
    measured = view.study.measured.pick_features(view.study.features_with(view.n_features))
    return measured.pick_rows(np.flatnonzero(measured.qid == query))


def changed_rows(view, place, k, value):
    rows = rows_of(view)
    X = np.array(rows.X)
    X[place, k] = value
    return replace(rows, X=X)


def differences(view, rows):
    """Log-odds that each document is above the first, by the model's own probabilities."""
    n = rows.n_rows
    first = FeatureTable(rows.X[np.zeros(n, dtype=int)], rows.table.kinds, rows.table.names)
    p = view.model.predict_pair_proba(rows.table, first)
    return np.log(p / (1.0 - p))


def test_scores_differ_by_the_log_odds_of_the_model(view, ranked):
    assert ranked.now.scores - ranked.now.scores[0] == pytest.approx(differences(view, rows_of(view)), abs=1e-8)


def test_documents_rank_as_the_model_predicts(view, ranked):
    predicted = view.model.predict(rows_of(view).table)
    assert ranked.now.order.tolist() == np.argsort(-predicted, kind="stable").tolist()
    assert ranked.now.ranks[ranked.now.order].tolist() == list(range(1, 9))


def test_bars_add_up_to_the_score_and_average_zero_over_the_first_ten(ranked):
    assert ranked.now.contributions.sum(axis=1) == pytest.approx(ranked.now.scores)
    # The query has eight documents, so the first ten are all of them.
    assert ranked.now.contributions.mean(axis=0) == pytest.approx(np.zeros(3), abs=1e-12)


def test_the_measure_of_the_query_is_that_of_evaluate(view, ranked):
    rows = rows_of(view)
    found = gr.evaluate(rows.y, view.model.predict(rows.table), measures=["ndcg@10"])
    assert ranked.recorded.measure == pytest.approx(found["ndcg@10"])


def test_queries_are_ordered_and_placed_by_their_measure(view):
    measured = view.study.measured.pick_features(view.study.features_with(3))
    scores = view.model.predict(measured.table)
    values = gr.evaluate(measured.y, scores, qid=measured.qid, measures=["ndcg@10"]).per_query["ndcg@10"]
    worst = view.query_order("worst")
    assert values[worst].tolist() == sorted(values.tolist())
    assert [view.query_places[number] for number in worst[::-1]] == [
        1 + sum(other > values[number] for other in values) for number in worst[::-1]
    ]
    assert view.query_order("data").tolist() == list(range(15))


@pytest.mark.parametrize(
    ("feature", "text", "value"),
    [("wave: α", "1.25", 1.25), ("kind", "shop: sale", 1.0), ("price %", "7", 7.0), ("price %", "", np.nan)],
)
def test_a_changed_value_gives_the_scores_of_the_model_for_the_changed_row(view, feature, text, value):
    place, k = 2, view.effects.names.index(feature)
    change = Change.parse(str(Change(rows_of(view).doc_ids[place], feature, text)))
    found = ranked_list(view, QUERY, [change])
    rows = changed_rows(view, place, k, value)
    assert found.now.scores - found.now.scores[0] == pytest.approx(differences(view, rows), abs=1e-8)
    expected = gr.evaluate(rows.y, view.model.predict(rows.table), measures=["ndcg@10"])["ndcg@10"]
    assert found.now.measure == pytest.approx(expected)
    assert found.recorded.scores == pytest.approx(ranked_list(view, QUERY).now.scores)


def test_the_last_of_several_changes_of_a_value_counts(view, ranked):
    name = ranked.names[2]
    twice = ranked_list(view, QUERY, [Change(name, "price %", "1"), Change(name, "price %", "9")])
    once = ranked_list(view, QUERY, [Change(name, "price %", "9")])
    assert twice.now.scores.tolist() == once.now.scores.tolist()
    assert len(twice.changed) == 1


def test_documents_with_the_same_id_get_different_names(view):
    names = ranked_list(view, "q0").names
    assert names[:3] == ("d0 (1)", "d0 (2)", "d2")
    assert len(set(names)) == len(names)


def test_a_document_is_too_high_if_better_ones_are_below_it(view, ranked):
    labels = ranked.labels[ranked.now.order]
    expected = {}
    for place, document in enumerate(ranked.now.order.tolist()):
        better = [label for label in labels[place + 1 : 10] if label >= labels[place] + 2]
        if better:
            expected[document] = len(better)
    assert ranked.failing() == expected
    worst = view.query_names[int(view.query_order("worst")[0])]
    assert ranked_list(view, worst).failing()


def test_the_longest_features_come_first_and_changed_ones_get_a_column(view, ranked):
    contributions = view.effects.contributions(view.data.X)
    spreads = [np.ptp(contributions[view.data.qid == query], axis=0) for query in view.query_names]
    lengths = np.median(spreads, axis=0)
    assert ranked.longest(3) == np.argsort(-lengths).tolist()
    last = ranked.longest(3)[-1]
    change = Change(ranked.names[0], view.effects.names[last], ("0.5", "wiki", "3")[last])
    assert ranked_list(view, QUERY, [change]).longest(1) == [ranked.longest(1)[0], last]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (Change("d999", "kind", "wiki"), "There is no document 'd999'"),
        (Change("d24", "colour", "red"), "There is no feature 'colour'"),
        (Change("d24", "kind", "blog"), "a level that the model knows"),
        (Change("d24", "price %", "cheap"), "must be a number"),
        (Change("d24", "price %", "nan"), "must be a number"),
        (Change("d24", "price %", "1e999"), "must be a number"),
    ],
)
def test_a_change_that_cannot_be_made_says_why(view, change, said):
    with pytest.raises(DataError, match=said):
        ranked_list(view, QUERY, [change])


def test_every_query_of_dirty_data_is_listed(saved):
    view = ModelView.of(saved, max(saved.sizes))
    predicted = view.model.predict(saved.measured.pick_features(saved.features_with(view.n_features)).table)
    for number, query in enumerate(view.query_names):
        found, rows = ranked_list(view, query), view.data.groups.rows(number)
        # Documents without ids are named by their positions, and rows of weight 0 are ranked like others.
        assert found.names == tuple(f"document {place}" for place in range(len(rows)))
        assert predicted[rows][found.now.order].tolist() == sorted(predicted[rows], reverse=True)
    assert ranked_list(view, "0").failing() == {}
    huge = [Change("document 0", name, "1.7e308") for name in ("bm25", "clicks")]
    with pytest.raises(DataError, match=r"(not|be) a number"):
        ranked_list(view, "1", huge)


def test_an_unknown_query_or_size_is_named(view):
    with pytest.raises(DataError, match="There is no query 'q99'"):
        ranked_list(view, "q99")
    with pytest.raises(DataError, match="one of 3, 2, 1"):
        type(view).of(view.study, 7)


def test_a_model_that_only_compares_ranks_by_wins_and_takes_no_changes(comparing):
    query = comparing.query_names[0]
    found = ranked_list(comparing, query)
    measured = comparing.study.measured.pick_features(comparing.study.features_with(comparing.n_features))
    X = measured.X[measured.qid == query]
    wins = [
        sum(np.sign(comparing.model.predict_pair_proba(X[[i]], X[[j]])[0] - 0.5) for j in range(len(X)) if j != i)
        for i in range(len(X))
    ]
    assert [wins[place] for place in found.now.order] == sorted(wins, reverse=True)
    assert found.now.contributions.shape[1] == 0
    with pytest.raises(DataError, match="compares documents two at a time"):
        ranked_list(comparing, query, [Change(found.names[0], comparing.effects.names[0], "1")])
