"""Interactions in nomograms: rows of their own, which add up to the trees' own predictions."""

import numpy as np
import pytest

from glassrank.nomograms.explanation import explain_pair
from glassrank.nomograms.figure.lines import TOGETHER
from glassrank.nomograms.figure.model_nomogram import model_nomogram
from glassrank.nomograms.figure.nomogram import nomogram
from tests.drawing.svg import says
from tests.nomograms.figure.tree_shop import tree_model, tree_picture, tree_rows, tree_shop
from tests.reference.nomogram import chosen_rows


def test_rows_and_the_rest_add_up_to_the_difference_of_the_predictions():
    picture = tree_picture()
    a, b = tree_model().predict(tree_rows("q3", 2, 7))
    assert picture.overlay.total == pytest.approx(a - b, abs=1e-9)
    assert sum(bar.contribution for bar in picture.layout.bars) == pytest.approx(a - b, abs=1e-9)
    assert any(row.kind == TOGETHER for row in picture.layout.rows)


def test_features_and_interactions_share_one_order():
    picture = tree_picture()
    why = explain_pair(tree_model(), tree_shop(), query="q3", document=2, against=7)
    contributions = [part.contribution for part in (*why.features, *why.interactions)]
    assert list(picture.layout.arrangement.shown) == chosen_rows(contributions, picture.layout.amounts.resolution)
    shown = [row.name for row in picture.layout.rows]
    assert shown == [part.name for part in why.by_size[: len(shown)]]


def test_the_line_of_an_interaction_spans_its_table_and_dots_are_its_entries():
    picture = tree_picture()
    for row in picture.layout.rows:
        if row.kind != TOGETHER:
            continue
        both = picture.effects.interactions[row.k - len(picture.effects.features)]
        own = both(tree_rows("q3", 2, 7))
        np.testing.assert_allclose(row.values, own)
        pixels = picture.layout.scale.pixels
        np.testing.assert_allclose(row.dots, 240 + pixels * (own - row.line.lowest))
        known = both.table[:-1, :-1]
        assert row.line.lowest <= known.min() + 1e-12
        assert {tick.label for tick in row.ticks} - {""} <= {label for _, label in row.line.marks}


def test_a_long_line_has_its_map_below_it():
    layout = tree_picture().layout
    for place, row in zip(layout.arrangement.places, layout.rows, strict=True):
        if row.kind == TOGETHER:
            assert (place.drop > 0) == (row.x_end > 344)


@pytest.mark.parametrize("suffix", [".svg"])
def test_the_picture_names_cells_and_refers_to_the_rows_of_the_features(tmp_path, suffix):
    picture = tree_picture()
    shown = says(picture.save(tmp_path / f"why{suffix}").read_text())
    numbers = {row.name: row.number for row in picture.layout.rows}
    together = next(row for row in picture.layout.rows if row.kind == TOGETHER)
    names = [picture.effects.names[k] for k in together.line.members]
    listed = [str(numbers[name]) for name in names if name in numbers]
    assert (f"see {', '.join(listed)}" if listed else "–") in shown
    assert "two together" in shown
    assert any(text.startswith("Grey field") for text in shown)
    assert all(label in shown for _, label in together.line.map.up.labels)


def test_one_document_and_a_model_alone_are_drawn_with_interactions(tmp_path):
    data = tree_shop()
    one = nomogram(tree_model(), data, query="q3", document=2)
    rows = np.flatnonzero(data.qid == "q3")
    scores = tree_model().predict(data.X[rows])
    median = rows[np.argsort(scores, kind="stable")[(len(rows) - 1) // 2]]
    expected = tree_model().predict(data.X[rows[[2]]])[0] - tree_model().predict(data.X[[median]])[0]
    assert one.overlay.total == pytest.approx(expected, abs=1e-9)
    one.save(tmp_path / "one.svg")
    model = model_nomogram(tree_model(), data)
    assert len(model.lengths) == len(model.effects.features) + len(model.effects.interactions)
    assert "interactions" in str(model)
    model.save(tmp_path / "model.svg")


def test_another_pair_to_show_contains_the_effects_of_interactions():
    picture = tree_picture()
    shown = picture.pair_to_show(tree_shop(), query="q5", document=0, against=4)
    lowest = np.array([line.lowest for line in picture.layout.lines])
    effects = [np.array(dot["effects"]) + lowest for dot in shown["dots"]]
    a, b = tree_model().predict(tree_rows("q5", 0, 4))
    assert (effects[0] - effects[1]).sum() == pytest.approx(a - b, abs=1e-7)
    assert len(shown["dots"][0]["values"]) == len(picture.effects.features)
