"""Positions in a pair nomogram, against hand arithmetic and the slow twin."""

import itertools
import json

import numpy as np
import pytest

from glassrank.core.additive.effects import AdditiveEffects, FeatureEffect, LinearCurve
from glassrank.core.checks import DataError
from glassrank.data.ranking_data import RankingData
from glassrank.nomograms.figure.nomogram import nomogram
from glassrank.nomograms.figure.rows import LINE_LEFT, LINE_RIGHT
from tests.nomograms.figure.examples import (
    model_of,
    random_data,
    random_picture,
    random_weights,
    read_number,
    small_picture,
)
from tests.reference.nomogram import chosen_rows, line_ends, mean_spreads, pixel, points, row_order


def layout_of(X, weights, *, a=0, b=1, names=None, **options):
    """Layout of a nomogram of one query."""
    data = RankingData(X, np.arange(len(X)) % 2, feature_names=names)
    return nomogram(model_of(weights), data, query=0, document=a, against=b, **options).layout


def test_dots_and_line_ends_by_hand():
    """240 to 740 is 500 pixels for M = 3. Clicks: A at 3/3, B at 0. Spam: A (value 1) at 1.5/3, B (value 4) at 0."""
    clicks, spam = small_picture().layout.rows
    assert (*clicks.dots, clicks.x_end) == pytest.approx((740, 240, 740))
    assert (*spam.dots, spam.x_end) == pytest.approx((490, 240, 490))


def test_ticks_by_hand():
    """A click is worth 0.3: 50 pixels. A point of spam −0.5: values fall from 4 at 240 to 1 at 490."""
    clicks, spam = small_picture().layout.rows
    assert [(tick.x, tick.label) for tick in clicks.ticks] == [
        (pytest.approx(240 + 50 * value), str(value)) for value in range(11)
    ]
    assert [(tick.x, tick.label) for tick in spam.ticks] == [
        (pytest.approx(240 + 500 * 0.5 * (4 - value) / 3), str(value)) for value in (4, 3, 2, 1)
    ]


def test_the_longest_line_ends_at_100_points():
    ticks = small_picture().layout.points
    assert [tick.label for tick in ticks] == [str(number) for number in range(0, 101, 10)]
    assert [tick.x for tick in ticks] == pytest.approx([240 + 5 * number for number in range(0, 101, 10)])


def test_the_axis_of_scores_is_the_axis_of_points_in_the_models_unit():
    """M = 3 is at 740."""
    for tick in small_picture().layout.scores:
        assert tick.x == pytest.approx(240 + 500 * read_number(tick.label) / 3)


def test_the_total_is_on_an_axis_around_zero():
    layout = small_picture().layout
    labelled = {read_number(tick.label): tick.x for tick in layout.totals}
    assert layout.total_x(0.0) == 490 == labelled[0]
    slope = (labelled[4] - 490) / 4
    assert all(x == pytest.approx(490 + slope * value) for value, x in labelled.items())
    assert layout.total_x(4.5) == pytest.approx(490 + 4.5 * slope)
    assert 490 < layout.total_x(4.5) < LINE_RIGHT


@pytest.mark.parametrize("seed", range(4))
def test_dots_equal_the_twins_points(seed):
    data, weights = random_data(8, seed=seed, offset=3.0), random_weights(8, seed)
    layout = nomogram(model_of(weights), data, query="q2", document=7, against=2, rows=8).layout
    a, b = data.X[31], data.X[26]
    ends = [line_ends(data.X[:, k], a[k], b[k]) for k in range(8)]
    longest = max(abs(weights[k]) * (ends[k][1] - ends[k][0]) for k in range(8))
    order = row_order(np.abs(weights * (a - b)))
    for row, k in zip(layout.rows, order, strict=True):
        expected = [points(weights[k], ends[k], value, longest) for value in (a[k], b[k])]
        assert list(row.dots) == pytest.approx([pixel(p, 240, 740) for p in expected], abs=1e-6)
        for tick in row.ticks:
            if tick.label:
                p = points(weights[k], ends[k], read_number(tick.label), longest)
                assert tick.x == pytest.approx(pixel(p, 240, 740), abs=1e-6)


@pytest.mark.parametrize("n_features", [1, 2, 5, 25, 136])
def test_lines_start_at_the_left_and_the_longest_ends_at_the_right(n_features):
    layout = random_picture(n_features).layout
    assert max(row.x_end for row in layout.rows) == pytest.approx(LINE_RIGHT)
    for row in layout.rows:
        inside = [*row.dots, *(tick.x for tick in row.ticks)]
        assert min(inside) >= LINE_LEFT - 1e-6
        assert max(inside) <= row.x_end + 1e-6


@pytest.mark.parametrize("n_features", [3, 12, 25, 136])
def test_the_rows_are_those_with_the_largest_contributions_largest_first(n_features):
    """The 10 largest, and up to 16 until they make up 75 % of the sum; the twin adds them up one by one."""
    data, weights = random_data(n_features), random_weights(n_features)
    layout = nomogram(model_of(weights), data, query="q0", document=0, against=1).layout
    contributions = weights * (data.X[0] - data.X[1])
    expected = chosen_rows(contributions, layout.amounts.resolution)
    assert [row.k for row in layout.rows] == expected
    assert [row.number for row in layout.rows] == list(range(1, len(expected) + 1))
    assert [row.contribution for row in layout.rows] == pytest.approx(contributions[expected])
    assert all(first.y < second.y for first, second in itertools.pairwise(layout.rows))
    shown = np.abs(contributions[expected]).sum() / np.abs(contributions).sum()
    assert layout.arrangement.share == pytest.approx(shown)


def test_the_thick_pieces_have_the_order_of_the_rows():
    rows = random_picture(136).layout.rows
    lengths = [abs(row.dots[0] - row.dots[1]) for row in rows]
    assert lengths == sorted(lengths, reverse=True)


def test_rows_can_be_sorted_by_length():
    data, weights = random_data(12), random_weights(12)
    options = {"query": "q0", "document": 0, "against": 1, "order": "length", "rows": 12}
    layout = nomogram(model_of(weights), data, **options).layout
    order = row_order(mean_spreads(weights, data.X, data.qid))
    assert [row.name for row in layout.rows] == [data.feature_names[k] for k in order]


def test_equal_contributions_are_sorted_by_index():
    column = np.array([3.0, 1.0, 0.0, 5.0])
    layout = layout_of(np.stack([0 * column, column, -column, 0 * column, column], axis=1), [1, 2, 2, 5, -2], rows=5)
    assert [row.name for row in layout.rows] == [f"feature {number}" for number in (2, 3, 5, 1, 4)]


def test_a_row_that_would_read_zero_is_part_of_the_rest():
    layout = layout_of([[1.0, 5.0, 1.001], [2.0, 5.0, 1.0], [4.0, 5.0, 9.0]], [1.0, 3.0, 1.0])
    assert [row.name for row in layout.rows] == ["feature 1"]
    assert layout.rest.columns == (1, 2)


@pytest.mark.parametrize(("scale", "offset"), [(1, 0), (1e-3, 0), (5e3, -2e4), (1e5, 1e6), (1e9, 0), (1, 1e5)])
def test_tick_labels_are_28_pixels_apart(scale, offset):
    for row in random_picture(15, scale=scale, offset=offset).layout.rows:
        places = [tick.x for tick in row.ticks if tick.label]
        assert all(second - first >= 28 - 1e-9 for first, second in itertools.pairwise(places))


@pytest.mark.parametrize(
    ("scale", "offset"),
    [(1, 0), (1e-3, 0), (1e-9, 0), (1e9, 0), (2e4, 1.7e9), (1, 1e6), (1e-4, -5)],
    ids=["normal", "small", "tiny", "huge", "seconds since 1970", "far from zero", "narrow"],
)
def test_labels_of_one_line_name_different_values(scale, offset):
    for row in random_picture(6, scale=scale, offset=offset).layout.rows:
        labels = [tick.label for tick in row.ticks if tick.label]
        assert len(set(labels)) == len(labels)


@pytest.mark.parametrize("scale", [1e-3, 1, 2e3])
def test_a_line_of_80_pixels_or_more_names_two_values(scale):
    """One value alone gives no scale."""
    for row in random_picture(20, scale=scale).layout.rows:
        if row.x_end - LINE_LEFT >= 80:
            assert sum(bool(tick.label) for tick in row.ticks) >= 2, row


@pytest.mark.parametrize(
    ("scale", "offset"),
    [(1, 0), (1e-9, 0), (1e9, 0), (2e4, 1.7e9), (1, 1e6)],
    ids=["normal", "tiny", "huge", "seconds since 1970", "far from zero"],
)
def test_values_that_differ_by_a_tenth_of_a_line_are_shown_apart(scale, offset):
    for row in random_picture(6, scale=scale, offset=offset).layout.rows:
        if abs(row.dots[0] - row.dots[1]) > 0.1 * (row.x_end - LINE_LEFT):
            assert row.said(0) != row.said(1)


def test_both_values_of_a_feature_have_the_same_decimals():
    row = layout_of([[1.0], [0.25], *[[0.0], [1.0]] * 200], [1.0]).rows[0]
    assert (row.said(0), row.said(1)) == ("1.00", "0.25")


def test_whole_numbers_stay_whole():
    row = layout_of([[50.0], [1200.0], [0.0]], [0.01]).rows[0]
    assert (row.said(0), row.said(1)) == ("50", "1,200")


def test_a_constant_feature_stays_visible_as_a_point():
    layout = layout_of([[1.0, 5.0], [2.0, 5.0], [4.0, 5.0]], [1.0, 3.0], rows=2)
    still = layout.rows[1]
    assert still.name == "feature 2"
    assert still.constant
    assert still.dots[0] == still.dots[1] == still.x_end == LINE_LEFT
    assert still.contribution == 0
    assert not layout.rows[0].constant


def test_a_feature_of_weight_zero_is_a_point_too():
    row = layout_of([[1.0, 5.0], [2.0, 6.0], [4.0, 7.0]], [1.0, 0.0], rows=2).rows[1]
    assert row.constant
    assert row.dots[0] == row.dots[1] == row.x_end == LINE_LEFT


def test_a_point_that_represents_many_values_names_none_of_them():
    row = layout_of([[1.0, 5.0], [2.0, 6.0], [4.0, 7.0]], [1.0, 0.0], rows=2).rows[1]
    assert [tick.label for tick in row.ticks if tick.label] == []


def test_dots_outside_the_middle_99_percent_widen_the_line():
    """999 values from 0 to 1 and one of 5: the line reaches to 5 for that document, and only for it."""
    column = np.append(np.linspace(0, 1, 999), 5.0)
    wide = layout_of(column[:, None], [1.0], a=999, b=0).rows[0]
    assert (*wide.dots, wide.x_end) == pytest.approx((740, 240, 740))
    assert [tick.label for tick in wide.ticks if tick.label][-1] in ("5", "5.0")
    narrow = layout_of(column[:, None], [1.0], a=500, b=0).rows[0]
    assert max(read_number(tick.label) for tick in narrow.ticks if tick.label) <= 1


def test_a_rare_value_of_an_otherwise_constant_feature_makes_a_line():
    """One document of 1000 has the value 1: beside it the feature is no longer a point."""
    rare = np.zeros((1000, 2))
    rare[:, 1] = np.linspace(0, 1, 1000)
    rare[0, 0] = 1.0
    row = next(row for row in layout_of(rare, [2.0, 1.0], a=0, b=1).rows if row.name == "feature 1")
    assert row.x_end > LINE_LEFT
    assert row.dots[0] == pytest.approx(row.x_end)
    assert not row.constant


@pytest.mark.parametrize("n_features", [5, 25, 136])
def test_bars_have_the_order_of_the_rows_and_add_up_with_the_rest(n_features):
    data, weights = random_data(n_features), random_weights(n_features)
    layout = nomogram(model_of(weights), data, query="q0", document=0, against=1).layout
    contributions = weights * (data.X[0] - data.X[1])
    n_rows = len(layout.rows)
    assert [bar.contribution for bar in layout.bars[:n_rows]] == [row.contribution for row in layout.rows]
    assert sum(bar.contribution for bar in layout.bars) == pytest.approx(contributions.sum(), rel=1e-9)
    if layout.rest:
        assert layout.bars[-1].label == f"the rest, {n_features - n_rows} features"
        assert layout.rest.contribution == pytest.approx(contributions[list(layout.rest.columns)].sum(), rel=1e-9)


def test_the_rest_does_not_enter_the_scale_of_the_lines():
    """Two documents alike in the feature with the longest line: 100 points are the longest line that is shown."""
    layout = layout_of([[1.0, 5.0], [2.0, 5.0], [4.0, 90.0]], [1.0, 1.0])
    assert [row.x_end for row in layout.rows] == [pytest.approx(LINE_RIGHT)]
    assert layout.points[-1].x == pytest.approx(LINE_RIGHT)


def test_a_document_at_the_end_of_a_line_can_be_drawn():
    """Positions become parts of expressions, in which only plain numbers can be read."""
    made = AdditiveEffects((FeatureEffect("x", LinearCurve(1.0), 0.0, 1.0, 0.5),), 0.2, "log-odds", "class", "yes")
    picture = nomogram(made, [[0.1], [7.0]], document=1)
    assert type(picture.layout.scale.pixels) is float
    assert "np." not in json.dumps(picture.specification())


def test_alike_documents_have_no_row_and_one_rest():
    layout = layout_of([[1.0, 5.0], [1.0, 5.0], [4.0, 90.0]], [1.0, 1.0])
    assert layout.rows == ()
    assert layout.rest.columns == (0, 1)


@pytest.mark.parametrize("rows", [0, -1, 2.5])
def test_the_number_of_rows_must_be_a_positive_whole_number(rows):
    with pytest.raises(DataError, match="rows"):
        random_picture(6, rows=rows)


def test_the_old_name_of_rows_works_with_a_warning():
    with pytest.warns(FutureWarning, match="most_rows is called rows now"):
        layout = layout_of([[1.0, 5.0], [2.0, 6.0], [4.0, 7.0]], [1.0, 1.0], most_rows=1)
    assert len(layout.rows) == 1


@pytest.mark.parametrize("weight", [1e-3, 1.0, 1e3])
def test_bars_are_a_half_a_quarter_or_an_eighth_of_the_pieces(weight):
    """Bars reach at most 86 pixels; the piece of the first row of the small picture is 500 pixels, 8 times 62.5."""
    assert small_picture().layout.arrangement.bars == 1 / 8
    layout = random_picture(136, weights=weight * random_weights(136)).layout
    longest = layout.scale.pixels * max(abs(bar.contribution) for bar in layout.bars)
    assert layout.arrangement.bars in (1 / 2, 1 / 4, 1 / 8, 1 / 16)
    assert layout.arrangement.bars * longest <= 86
    assert layout.arrangement.bars == 1 / 2 or 2 * layout.arrangement.bars * longest > 86


@pytest.mark.parametrize("weight", [1e-9, 1e-5, 1.0, 1e6, 1e12])
def test_the_total_and_the_largest_contribution_show_two_digits_at_any_scale(weight):
    picture = random_picture(5, weights=weight * random_weights(5))
    total = str(picture).splitlines()[0].split(" = ")[1].split()[0]
    assert read_number(total) == pytest.approx(picture.pair.difference, rel=0.05)
    amounts = [read_number(line.split()[0]) for line in str(picture).splitlines()[1:]]
    largest = max(picture.pair.contributions, key=abs)
    assert max(amounts, key=abs) == pytest.approx(largest, rel=0.05)


@pytest.mark.parametrize("weight", [1e-9, 1e-5, 1.0, 1e6, 1e12])
def test_the_dot_of_the_total_is_at_its_value_at_any_scale(weight):
    picture = random_picture(5, weights=weight * random_weights(5))
    labelled = [(read_number(tick.label), tick.x) for tick in picture.layout.totals]
    (first, left), (last, right) = labelled[0], labelled[-1]
    slope = (right - left) / (last - first)
    assert picture.layout.total_x(picture.pair.difference) == pytest.approx(
        left + slope * (picture.pair.difference - first), abs=0.5
    )
