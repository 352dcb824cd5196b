"""Bars made of characters: their length, their side and their width."""

from hypothesis import given
from hypothesis import strategies as st

from glassrank.drawing.text_bars import signed_bar, text_bar

VALUES = st.floats(-10, 10)


def halves(bar):
    return 2 * bar.count("█") + bar.count("▌") + bar.count("▐")


@given(value=VALUES)
def test_a_signed_bar_is_on_the_side_of_its_sign(value):
    left, right = signed_bar(value, 10.0, width=6).split("│")
    assert (len(left), len(right)) == (6, 6)
    assert (halves(left) > 0, halves(right) > 0) == (value < 0, value > 0)


@given(value=st.floats(0.01, 10))
def test_the_length_of_a_bar_is_accurate_to_half_a_character(value):
    assert abs(halves(text_bar(value, 10.0, width=8)) - 16 * value / 10) <= 1


def test_only_values_other_than_zero_show_a_bar():
    assert text_bar(1e-9, 1.0) == "▌"
    assert text_bar(0.0, 1.0) == ""
    assert text_bar(0.0, 0.0) == ""
    assert signed_bar(0.0, 0.0, width=2) == "  │  "
