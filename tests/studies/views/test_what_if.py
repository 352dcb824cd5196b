"""Changes of values, as links spell them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassrank.core.checks import DataError
from glassrank.studies.views.what_if import Change


@given(st.text(), st.text(), st.text())
def test_a_change_survives_its_link_whatever_the_names_contain(document, feature, value):
    assert Change.parse(str(Change(document, feature, value))) == Change(document, feature, value)


def test_a_plain_change_is_written_plainly():
    assert str(Change("sku2", "click_rate", "6.4")) == "sku2:click_rate:6.4"
    assert str(Change("http://a.org", "rate %", "")) == "http%3A//a.org:rate %25:"


@pytest.mark.parametrize("text", ["", "sku2", "sku2:click_rate", "a:b:c:d"])
def test_a_link_with_other_than_three_parts_is_refused(text):
    with pytest.raises(DataError, match="document:feature:value"):
        Change.parse(text)
