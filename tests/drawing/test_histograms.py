"""Histograms inside pages: bars in proportion, tooltips, and texts that stay texts."""

from xml.etree import ElementTree

import pytest

from glassrank.drawing.histograms import count_columns, small_histogram


def heights(svg):
    return [float(one.get("height")) for one in ElementTree.fromstring(svg).iter("rect")]


def test_bars_are_in_proportion_and_rare_values_are_seen():
    tall, half, rare, none = heights(small_histogram(["a", "b", "c", "d"], [4000, 2000, 1, 0], "four values"))
    assert (half, rare, none) == (pytest.approx(tall / 2), 1.0, 0.0)
    tall, quarter, none = heights(count_columns([8, 2, 0], ["1", "2", "3"], "three counts"))
    assert (quarter, none) == (pytest.approx(tall / 4, abs=0.1), 0.0)


def test_every_bar_says_its_bin_and_count_and_names_stay_text():
    drawn = ElementTree.fromstring(small_histogram(["<b>\0", "0 to 1"], [1200, 3], 'says "x" & <y>'))
    assert [one.text for one in drawn.iter("title")] == ["<b>\ufffd: 1,200", "0 to 1: 3"]
    assert drawn.get("aria-label") == 'says "x" & <y>'


def test_limits_are_between_the_columns_and_names_below_them():
    for names, places in ((["a", "b"], [94.0, 282.0]), (["0", "10", "20"], [0.0, 188.0, 376.0])):
        drawn = ElementTree.fromstring(count_columns([3, 5], names, "two"))
        below = [one for one in drawn.iter("text") if one.text in names]
        assert [float(one.get("x")) for one in below] == places


def test_nothing_at_all_is_an_empty_picture():
    assert heights(count_columns([], [], "nothing")) == heights(small_histogram([], [], "nothing")) == []
