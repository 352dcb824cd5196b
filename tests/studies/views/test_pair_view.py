"""The comparison of two documents of a list, against explain_pair()."""

from dataclasses import replace

import numpy as np
import pytest

import glassrank as gr
from glassrank.core.checks import DataError
from glassrank.studies.views.model_view import ModelView
from glassrank.studies.views.pair_view import pair_view
from glassrank.studies.views.ranked_list import ranked_list
from glassrank.studies.views.what_if import Change

QUERY, A, B = "q3", "d26", "d29"


def explained(view, data, samples=None):
    return gr.explain_pair(view.model, data, query=QUERY, document=A, against=B, samples=samples, groups="none")


def measured(view):
    return view.study.measured.pick_features(view.study.features_with(view.n_features))


def test_the_panel_shows_what_explain_pair_explains(view):
    pair, why = pair_view(ranked_list(view, QUERY), A, B), explained(view, measured(view))
    assert pair.total == pytest.approx(why.total)
    assert pair.probability == pytest.approx(why.probability)
    assert [row.found for row in pair.rows] == list(why.by_size)
    assert (pair.n_rest, pair.rest, pair.offset) == (0, 0.0, 0.0)


def test_weaker_features_are_summed_but_changed_ones_have_a_row(view):
    ranked = ranked_list(view, QUERY)
    short = pair_view(ranked, A, B, most_rows=1)
    why = explained(view, measured(view))
    assert short.n_rest == 2
    assert short.rest == pytest.approx(sum(one.contribution for one in why.by_size[1:]))
    weakest = why.by_size[-1].name
    text = {"wave: α": "0.5", "kind": "wiki", "price %": "3"}[weakest]
    changed = pair_view(ranked_list(view, QUERY, [Change(B, weakest, text)]), A, B, most_rows=1)
    assert weakest in [row.effect.name for row in changed.rows]
    assert sum(row.found.contribution for row in changed.rows) + changed.rest == pytest.approx(changed.total)


def test_a_changed_value_is_explained_as_if_it_were_recorded(view):
    data = measured(view)
    X = np.array(data.X)
    X[data.row_of(QUERY, B), 0] = 0.75
    why = explained(view, replace(data, X=X))
    pair = pair_view(ranked_list(view, QUERY, [Change(B, "wave: α", "0.75")]), A, B)
    assert pair.total == pytest.approx(why.total)
    assert pair.recorded_total == pytest.approx(explained(view, data).total)
    row = next(row for row in pair.rows if row.k == 0)
    assert row.changed == (False, True)
    assert row.recorded[1] == data.X[data.row_of(QUERY, B), 0]


def test_the_interval_is_that_of_the_resampled_models(curved):
    chosen = ModelView.of(curved)
    why = explained(chosen, measured(chosen), curved.samples)
    pair = pair_view(ranked_list(chosen, QUERY), A, B)
    assert pair.probability_interval == pytest.approx(why.probability_interval)
    other = next(n for n in curved.sizes if n != chosen.n_features)
    assert pair_view(ranked_list(ModelView.of(curved, other), QUERY), A, B).interval is None


def test_swapped_documents_have_the_opposite_total(view):
    ranked = ranked_list(view, QUERY)
    assert pair_view(ranked, A, B).total == pytest.approx(-pair_view(ranked, B, A).total)
    with pytest.raises(DataError, match="both are 'd26'"):
        pair_view(ranked, A, A)


def test_a_model_that_only_compares_has_no_lines_but_the_same_total(comparing):
    query = comparing.query_names[1]
    ranked = ranked_list(comparing, query)
    a, b = ranked.names[0], ranked.names[2]
    pair = pair_view(ranked, a, b)
    why = gr.explain_pair(comparing.model, measured(comparing), query=query, document=0, against=2, groups="none")
    assert pair.total == pytest.approx(why.total)
    assert [row.line for row in pair.rows] == [None] * len(pair.rows)
