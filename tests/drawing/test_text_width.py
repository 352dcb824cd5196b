"""Texts are cut to the width that there is, in time that does not depend on their length."""

import hypothesis.strategies as st
from hypothesis import given

from glassrank.drawing.text_width import ELLIPSIS, fitted, text_width

LETTERS = st.text(st.sampled_from("iWm a漢é.\t…"), max_size=40)


def longest_that_fits(text, width, size, bold):
    """Letter by letter from the end, as a reader would."""
    if not text or text_width(text, size, bold=bold) <= width:
        return text
    for kept in range(len(text) - 1, 0, -1):
        cut = text[:kept].rstrip() + ELLIPSIS
        if text_width(cut, size, bold=bold) <= width:
            return cut
    return ELLIPSIS


@given(text=LETTERS, width=st.floats(-5, 400), size=st.sampled_from([9.0, 12.0, 13.5]), bold=st.booleans())
def test_as_much_of_a_text_is_kept_as_fits(text, width, size, bold):
    assert fitted(text, width, size, bold=bold) == longest_that_fits(text, width, size, bold)


def test_of_a_very_long_name_only_the_beginning_is_looked_at():
    """Quadratic time would be hours."""
    assert fitted("x" * 20_000_000, 60.0, 12.0) == fitted("x" * 100, 60.0, 12.0)
    assert len({fitted(f"{' ' * 500_000}{n}", 60.0, 12.0) for n in range(20)}) == 1
