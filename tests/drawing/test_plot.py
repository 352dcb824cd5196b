"""Axes: values to pixels, ticks and labels."""

import math
from itertools import pairwise

import pytest

from glassrank.drawing.plot import LABEL_GAP, ROOM, Axis, Canvas, Plot
from glassrank.drawing.theme import LIGHT


def test_positions_are_proportional_to_values():
    axis = Axis(10.0, 30.0, 100.0, 500.0)
    assert [axis(value) for value in (10.0, 15.0, 30.0)] == [100.0, 200.0, 500.0]


def test_an_axis_can_point_upwards():
    assert Axis(0.0, 1.0, 300.0, 100.0)(0.25) == 250.0


def test_equal_factors_are_equally_far_apart_on_a_logarithmic_axis():
    axis = Axis(1.0, 1000.0, 0.0, 300.0, logarithmic=True)
    assert [axis(value) for value in (1.0, 10.0, 100.0, 1000.0)] == [0.0, 100.0, 200.0, 300.0]


@pytest.mark.parametrize("values", [[0.5, 0.5], [7.0], [], [0.0]])
def test_equal_values_are_drawn_in_the_middle(values):
    assert Axis.around(values or [0.5], 0.0, 100.0)(0.5) == 50.0
    roomy = Axis.around(values, 0.0, 100.0, room=ROOM)
    assert roomy.low < roomy.high
    assert all(math.isfinite(roomy(value)) for value in values)


def test_labels_do_not_touch_and_the_first_ones_are_kept():
    axis = Axis(0.0, 100.0, 0.0, 100.0)
    labels = axis.labels([99.0, 100.0, 0.0, 50.0, 60.0], "{:g}".format)
    assert [row["label"] for row in labels] == ["0", "50", "99"]
    assert all(b["at"] - a["at"] >= LABEL_GAP for a, b in pairwise(labels))


def test_the_numbers_of_an_axis_have_the_same_decimals():
    labels = [row["label"] for row in Axis(0.0, 0.3, 0.0, 400.0).labels()]
    assert {len(label.partition(".")[2]) for label in labels} == {1}


def test_axes_draw_a_hairline_at_each_number_and_name_both_axes():
    on = Canvas(400, 300)
    Plot(Axis(0.0, 10.0, 48.0, 390.0), Axis(0.0, 1.0, 250.0, 30.0)).draw_axes(on, LIGHT, x_name="rank", y_name="F1")
    texts = [mark["encode"]["update"]["text"].get("value") for mark in on.marks if mark["type"] == "text"]
    assert {"rank", "F1"} <= set(texts)
    assert [row["label"] for row in on.data["y labels"]] == ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
