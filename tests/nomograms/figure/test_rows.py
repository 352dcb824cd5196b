"""Boxes, folds, bands and axes in pixels, against arithmetic by hand."""

import itertools
import math
import re

import numpy as np
import pytest

from glassrank.data.ranking_data import RankingData
from glassrank.nomograms.figure.nomogram import nomogram
from glassrank.nomograms.figure.rows import LINE_LEFT, LINE_RIGHT
from glassrank.nomograms.figure.ticks import category_ticks, curve_ticks, whole_ticks
from tests.nomograms.figure.examples import curved_picture, curved_samples, model_of, read_number
from tests.nomograms.figure.shop import brand_effects, brand_names, brand_picture, shop_picture


def points(path):
    return np.array([[float(number) for number in pair.split(",")] for pair in re.findall(r"[-\d.]+,[-\d.]+", path)])


def row_of(picture, name):
    return next(row for row in picture.layout.rows if row.name == name)


def effect(value):
    """The example's "freshness", from its lowest value on."""
    return 1.5 * math.exp(-(((value - 4) / 2) ** 2)) - 1.5 * math.exp(-9.0)


def test_a_curve_box_has_the_effect_to_the_right_and_the_value_upwards():
    picture = curved_picture()
    row = row_of(picture, "freshness")
    pixels = picture.layout.scale.pixels
    bottom, top = row.y, row.top + 10
    for x, y in points(row.curve):
        value = 10 * (bottom - y) / (bottom - top)
        assert x == pytest.approx(LINE_LEFT + pixels * effect(value), abs=0.08 * pixels / 10 + 1.0)
    assert points(row.curve)[:, 0].max() == pytest.approx(row.x_end, abs=0.1)


def test_ticks_of_a_box_are_at_the_height_of_their_value():
    row = row_of(curved_picture(), "freshness")
    bottom, top = row.y, row.top + 10
    for tick in row.ticks:
        assert tick.y == pytest.approx(bottom - (bottom - top) * read_number(tick.label) / 10)


def test_a_folded_line_has_a_run_for_each_direction_and_ticks_on_their_run():
    picture = curved_picture(lines="folded")
    row = row_of(picture, "freshness")
    pixels = picture.layout.scale.pixels
    assert len(row.line.runs) == 2
    for tick in row.ticks:
        if tick.label:
            value = read_number(tick.label)
            assert tick.x == pytest.approx(LINE_LEFT + pixels * effect(value), abs=0.5)
            # The turning point itself belongs to both runs.
            assert tick.y in {row.run_y(run) for run in (0, 1) if value == 4 or run == (value > 4)}


def test_labels_of_all_runs_have_the_same_decimals():
    for row in curved_picture(lines="folded").layout.rows:
        decimals = {len(tick.label.partition(".")[2]) for tick in row.ticks if tick.label}
        assert len(decimals) <= 1


def test_the_band_is_cut_at_the_ends_of_its_line():
    picture = curved_picture(samples=curved_samples())
    row = row_of(picture, "freshness")
    band = points(row.band)
    assert band[:, 0].min() >= LINE_LEFT - 0.1
    assert band[:, 0].max() <= row.x_end + 0.1
    assert np.ptp(band[:, 0]) > 20


def test_probability_ticks_are_at_their_log_odds():
    layout = curved_picture().layout
    assert layout.half >= 4.6
    for tick in layout.probabilities:
        if tick.label:
            p = float(tick.label)
            assert tick.x == pytest.approx(490 + 250 * math.log(p / (1 - p)) / layout.half)
    assert "0.5" in [tick.label for tick in layout.probabilities]


def test_lines_aligned_at_zero_have_their_centre_in_one_place():
    picture = curved_picture(align="zero")
    layout = picture.layout
    for row in layout.rows:
        at_centre = float(row.line.feature(np.array(3.0)) - row.line.lowest)
        assert row.x_start + layout.scale.pixels * at_centre == pytest.approx(layout.scale.zero)
        assert LINE_LEFT - 1e-6 <= row.x_start <= row.x_end <= LINE_RIGHT + 1e-6
    zero = next(tick for tick in layout.points if tick.label == "0")
    assert zero.x == pytest.approx(layout.scale.zero)


@pytest.mark.parametrize(("order", "first"), [("name", "BM25 of the title"), ("model", "clicks")])
def test_rows_are_in_the_requested_order(order, first):
    names = [row.name for row in curved_picture(order=order).layout.rows]
    assert names[0] == first
    assert names == (sorted(names, key=str.casefold) if order == "name" else list(curved_picture().effects.names))


def test_a_curved_line_has_round_values_that_do_not_overlap():
    row = row_of(curved_picture(), "BM25 of the title")
    labelled = [(tick.x, read_number(tick.label)) for tick in row.ticks if tick.label]
    assert len(labelled) >= 4
    assert all(b[0] - a[0] >= 28 - 1e-9 for a, b in itertools.pairwise(labelled))
    assert all(value == pytest.approx(round(value, 1)) for _, value in labelled)


def test_a_curved_line_is_labelled_up_to_its_stretched_end():
    """An effect of x² from 0 to 27: the last 5 steps of 1 are the widest."""
    ticks = curve_ticks(0.0, 27.0, lambda value: 240 + 500 * value**2 / 729, 220, 0.0)
    values = [read_number(tick.label) for tick in ticks if tick.label]
    assert max(values) == 27
    assert {20, 25} <= set(values)


@pytest.mark.parametrize(("first", "last"), [(0.0, 1e15), (-1.7e308, 1.7e308), (1e300, 1e300)])
def test_whole_numbers_of_a_huge_range_are_not_listed(first, last):
    assert whole_ticks(first, last, lambda value: 0.0, 0.0, 0.0) is None


def test_whole_numbers_have_a_tick_and_a_stem_each_while_there_is_room():
    """Seven values on 500 pixels: 0 at 240, then every 500/6; the most frequent value has the tallest stem."""
    X = np.repeat(np.arange(7.0), [1, 1, 9, 1, 1, 1, 2])[:, None]
    data = RankingData(X, np.arange(16) % 2)
    row = nomogram(model_of([0.5]), data, query=0, document=0, against=15).layout.rows[0]
    places = [240 + 500 * value / 6 for value in range(7)]
    assert [tick.x for tick in row.ticks] == pytest.approx(places)
    assert [tick.label for tick in row.ticks] == list("0123456")
    assert [stem.x for stem in row.stems] == pytest.approx(places)
    assert [stem.height for stem in row.stems] == pytest.approx([9 * math.sqrt(n / 9) for n in (1, 1, 9, 1, 1, 1, 2)])
    assert row.hills == ""
    many = RankingData(np.arange(900.0)[:, None], np.arange(900) % 2)
    row = nomogram(model_of([0.5]), many, query=0, document=0, against=899).layout.rows[0]
    assert row.stems == ()
    assert row.hills


def test_tags_name_scale_and_direction():
    rows = {
        row["name"]: row for part in shop_specification()["data"] if part["name"] == "lines" for row in part["values"]
    }
    assert rows["Price"]["tag"] == "log · only falls"
    assert rows["Clicks, 30 d"]["tag"] == "log · only rises"
    assert rows["Sizes in stock, %"]["tag"] == "quantiles"
    assert rows["Brand"]["tag"] == "200 levels"
    assert rows["In stock"]["tag"] == ""
    assert rows["Returns, %"]["tag"] in ("only rises", "held at 0")


def test_an_arrow_points_to_the_larger_values_of_a_line_that_is_held_to_one_direction():
    picture, specification = shop_picture(rows=136), shop_specification()
    arrows = {row["k"]: row for part in specification["data"] if part["name"] == "arrows" for row in part["values"]}
    names = picture.effects.names
    # The effect of the price falls: the larger prices are at the left end of its line.
    assert arrows[names.index("Price")]["way"] == -1
    assert arrows[names.index("Price")]["dx"] == 0
    clicks = next(row for row in picture.layout.rows if row.name == "Clicks, 30 d")
    assert arrows[clicks.k]["way"] == 1
    assert arrows[clicks.k]["dx"] == pytest.approx(clicks.x_end - clicks.x_start)
    assert set(arrows) <= {names.index(name) for name in ("Price", "Clicks, 30 d", "Rating", "Returns, %")}


def shop_specification():
    return shop_picture(rows=136).specification()


def test_at_most_12_of_many_levels_are_named_in_two_lanes_that_do_not_touch():
    """By |effect| × frequency; the 50 rare levels share an effect and a label."""
    picture = brand_picture()
    row = row_of(picture, "Brand")
    labels = [tick.label for tick in row.ticks if tick.label]
    assert "50 rare" in labels
    assert len(row.ticks) == 13
    codes = picture.layout.plots.observed[:, 0].astype(int)
    weight = np.abs(brand_effects().features[0].curve.levels) * np.bincount(codes, minlength=200)
    strongest = sorted(range(150), key=lambda code: -weight[code])[:12]
    assert set(labels) - {"50 rare"} <= {brand_names()[code] for code in strongest}
    assert row.more == "138 more levels"
    for lane in (0, 1):
        inside = [tick for tick in row.ticks if tick.label and tick.lane == lane]
        for first, second in itertools.pairwise(inside):
            assert second.x - first.x >= 5 * (len(first.label) + len(second.label)) / 2
    assert {tick.lane for tick in row.ticks} == {0, 1}


def test_stems_of_categories_grow_with_the_root_of_their_frequency():
    picture = brand_picture()
    row = row_of(picture, "Brand")
    counts = np.bincount(picture.layout.plots.observed[:, 0].astype(int), minlength=200)
    heights = sorted(stem.height for stem in row.stems)
    assert heights == pytest.approx(sorted(9 * math.sqrt(count / counts.max()) for count in counts if count))


def test_hills_are_highest_where_values_are_most_frequent():
    picture = curved_picture()
    row = row_of(picture, "clicks")
    hill = points(row.hills)
    assert hill[:, 1].min() == pytest.approx(row.y - 9, abs=0.1)
    assert hill[:, 1].max() == pytest.approx(row.y, abs=0.1)


@pytest.mark.parametrize(("x", "lane"), [(100.0, None), (112.0, None), (140.0, 0), (300.0, 0)])
def test_a_level_keeps_clear_of_the_mark_of_missing_values_and_its_words(x, lane):
    """The words are from 60 to 140 in the second lane; a line leads to them at 100."""
    (tick,) = category_ticks([(x, "Brand")], 0.0, 0.0, (60.0, 140.0))
    assert (tick.lane if tick.label else None) == lane
