"""Lists of names and long texts in messages: shortened only if needed, and never longer than allowed."""

import numpy as np
import pytest

from glassrank.core.wording import listed, shortened


@pytest.mark.parametrize(
    ("count", "expected"),
    [(0, ""), (1, "0"), (2, "0, 1"), (3, "0, 1 and 1 more"), (1502, "0, 1 and 1,500 more")],
)
def test_names_beyond_the_first_are_counted(count, expected):
    assert listed(range(count), most=2) == expected


def test_five_names_are_listed_unless_told_otherwise():
    assert listed("abcde") == "a, b, c, d, e"
    assert listed("abcdef") == "a, b, c, d, e and 1 more"


@pytest.mark.parametrize("names", [np.array(["a", "b", "c"]), np.array(["a", "b", "c"], dtype=object), iter("abc")])
def test_names_may_be_an_array_or_an_iterator(names):
    assert listed(names, most=2) == "a, b and 1 more"


def test_numbers_of_an_array_are_listed_as_plain_numbers():
    assert listed(np.array([7, 8])) == "7, 8"
    assert listed(np.array([0.5, 2.0])) == "0.5, 2.0"


@pytest.mark.parametrize(
    ("text", "expected"), [("", ""), ("abcd", "abcd"), ("abcde", "abc…"), ("a" * 10**6, "aaa…"), ("äöüßé", "äöü…")]
)
def test_a_text_longer_than_allowed_ends_with_an_ellipsis(text, expected):
    assert shortened(text, 4) == expected
