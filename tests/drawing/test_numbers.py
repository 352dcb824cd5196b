"""Round ticks and numbers as text."""

import itertools

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from glassrank.drawing.numbers import Notation, notation_for, round_ticks
from glassrank.drawing.text_width import fitted, text_width
from tests.reference.round_numbers import exact, finest_ticks, is_round_step

places = st.floats(-1e12, 1e12)
widths = st.floats(-12, 12).map(lambda power: 10.0**power)
counts = st.integers(1, 12)


@given(places, widths, counts)
@example(1e12, 1.0, 6)
@example(1.7e9, 1e-3, 6)
@example(123456.1234561, 8e-7, 5)
def test_ticks_increase_stay_in_the_range_and_respect_the_maximum(low, width, most):
    high = low + width
    assume(high > low)
    ticks = round_ticks(low, high, most)
    assert len(ticks) <= most
    assert all(first < second for first, second in itertools.pairwise(ticks))
    slack = 1e-9 * (high - low)
    assert all(low - slack <= tick <= high + slack for tick in ticks)


@given(places, widths, counts)
def test_ticks_are_multiples_of_one_round_step(low, width, most):
    high = low + width
    assume(high - low >= 1e-9 * max(abs(low), abs(high)))
    ticks = [exact(tick) for tick in round_ticks(low, high, most)]
    steps = {second - first for first, second in itertools.pairwise(ticks)}
    assert len(steps) <= 1
    assert all(is_round_step(step) for step in steps)
    assert all((tick / step).denominator == 1 for tick in ticks for step in steps)


@given(st.integers(-10_000, 10_000), st.integers(1, 10_000), st.integers(2, 12))
@example(51, 42, 2)
def test_no_smaller_round_step_is_possible(low, width, most):
    low, high = low / 10, (low + width) / 10
    assert [exact(tick) for tick in round_ticks(low, high, most)] == finest_ticks(low, high, most)


@pytest.mark.parametrize(
    ("low", "high", "most", "ticks"),
    [
        (0.0, 1.0, 6, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (0.0, 30.0, 4, [0.0, 10.0, 20.0, 30.0]),
        (-3.0, 4.0, 8, [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0]),
        (-0.35, -0.1, 5, [-0.35, -0.3, -0.25, -0.2, -0.15, -0.1][1::2]),
        (0.0, 1e-12, 3, [0.0, 5e-13, 1e-12]),
        (0.0, 7e11, 4, [0.0, 2e11, 4e11, 6e11]),
    ],
)
def test_ticks_by_hand(low, high, most, ticks):
    assert round_ticks(low, high, most) == ticks


@pytest.mark.parametrize(("low", "high", "most"), [(2.0, 2.0, 5), (3.0, 2.0, 5), (0.0, 1.0, 0)])
def test_an_empty_range_has_no_ticks(low, high, most):
    assert round_ticks(low, high, most) == []


@pytest.mark.parametrize(("low", "high"), [(0.0, 5e-324), (1e-320, 3e-320), (-1e308, 1e308)])
def test_the_ends_of_the_float_range_do_not_crash(low, high):
    assert all(low <= tick <= high for tick in round_ticks(low, high, 5))


@pytest.mark.parametrize(
    ("value", "decimals", "shown"),
    [
        (-1234.5, 1, "−1,234.5"),
        (1234567.891, 2, "1,234,567.89"),
        (999.5, 0, "1,000"),
        (-0.5, 2, "−0.50"),
        (0.0, 3, "0.000"),
        (12.0, 0, "12"),
    ],
)
def test_numbers_have_a_true_minus_and_thousands_separators(value, decimals, shown):
    assert Notation(decimals)(value) == shown


@pytest.mark.parametrize("value", [-0.0, 0.0, -0.004, 0.004])
@pytest.mark.parametrize("sign", [True, False])
def test_values_that_round_to_zero_have_no_sign(value, sign):
    assert Notation(2)(value, sign=sign) == "0.00"


def test_a_requested_sign_is_shown_for_both_directions():
    assert [Notation(1)(value, sign=True) for value in (2.0, -2.0)] == ["+2.0", "−2.0"]


@given(st.floats(-1e12, 1e12), st.integers(0, 6), st.booleans())
def test_no_number_has_a_hyphen_or_a_signed_zero(value, decimals, sign):
    shown = Notation(decimals)(value, sign=sign)
    assert "-" not in shown
    if not any(digit in shown for digit in "123456789"):
        assert shown[0] == "0"


@given(st.floats(-9e6, 9e6), st.integers(0, 6))
def test_a_formatted_number_is_accurate_to_half_its_last_digit(value, decimals):
    read = float(Notation(decimals)(value).replace(",", "").replace("−", "-"))
    assert abs(read - value) <= 0.5 * 10.0**-decimals * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize(
    ("largest", "step", "value", "shown"),
    [
        (30.0, 5.0, 25.0, "25"),
        (1.0, 0.05, 0.35, "0.35"),
        (4_247_269.0, 1.0, 4_247_269.0, "4,247,269"),
        (1.7002e9, 1e5, 1.7002e9, "1.7002e9"),
        (4e-9, 1e-9, -3e-9, "−3e−9"),
        (2e7, 5e6, 1.5e7, "15,000,000"),
        (2e7, 5e6, 0.0, "0"),
    ],
)
def test_notation_suits_the_whole_axis(largest, step, value, shown):
    assert notation_for(largest, step)(value) == shown


@pytest.mark.parametrize("step", [0.0, float("inf"), float("nan")])
def test_without_a_step_two_decimals_are_shown(step):
    assert notation_for(1.0, step) == Notation(2)


@given(st.floats(-12, 12).map(lambda power: 10.0**power), st.integers(1, 9), st.integers(4, 12))
@example(2e-9, 1, 10)
def test_values_one_step_apart_are_formatted_differently(step, count, max_characters):
    shown = notation_for((count + 1) * step, step, max_characters)
    assert shown(count * step) != shown((count + 1) * step)


@given(st.text(max_size=50), st.floats(20, 400))
def test_a_fitted_name_fits_and_shows_truncation(name, width):
    short = fitted(name, width, 12.0)
    assert text_width(short, 12.0) <= width
    if text_width(name, 12.0) <= width:
        assert short == name
    else:
        assert short.endswith("…")
        assert name.startswith(short[:-1])


def test_a_name_is_not_truncated_after_a_space():
    assert fitted("BM25 of the title", 50.0, 12.0) == "BM25…"
