"""Changes of values, as links spell them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassrank.core.additive.effects import FeatureEffect, LinearCurve
from glassrank.core.checks import DataError
from glassrank.studies.views.what_if import Change, value_of

PRICE = FeatureEffect("price", LinearCurve(1.0), 0, 1, 0)


@given(st.text(), st.text(), st.text())
def test_a_change_survives_its_link_whatever_the_names_contain(document, feature, value):
    assert Change.parse(str(Change(document, feature, value))) == Change(document, feature, value)


def test_a_plain_change_is_written_plainly():
    assert str(Change("sku2", "click_rate", "6.4")) == "sku2:click_rate:6.4"
    assert str(Change("http://a.org", "rate %", "")) == "http%3A//a.org:rate %25:"


@pytest.mark.parametrize(
    ("text", "value"), [("1,234.5", 1234.5), ("−12,000", -12000.0), ("1e3", 1000.0), (" .5 ", 0.5), ("1234", 1234.0)]
)
def test_a_number_is_read_as_the_pages_write_it(text, value):
    assert value_of(PRICE, text) == value


@pytest.mark.parametrize("text", ["0,5", "1,23", "12,34,567", "1_000", "nan", "inf", "1e999", "1.5,000", "a"])
def test_a_text_that_only_resembles_a_number_is_refused(text):
    with pytest.raises(DataError, match="must be a number"):
        value_of(PRICE, text)


@pytest.mark.parametrize("text", ["", "sku2", "sku2:click_rate", "a:b:c:d"])
def test_a_link_with_other_than_three_parts_is_refused(text):
    with pytest.raises(DataError, match="document:feature:value"):
        Change.parse(text)
