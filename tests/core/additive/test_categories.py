"""Names and codes of categories."""

import numpy as np
import pytest

from glassrank.core.additive.categories import category_codes, category_name
from glassrank.core.checks import DataError


@pytest.mark.parametrize(
    ("value", "name"),
    [("shop", "shop"), (3, "3"), (3.0, "3"), (np.int64(3), "3"), (2.5, "2.5"), (True, "True"), (None, "missing")],
    ids=["word", "int", "float", "numpy", "fraction", "truth", "none"],
)
def test_a_category_is_named_by_its_shortest_text(value, name):
    assert category_name(value) == name
    assert category_name(np.nan) == "missing"


def test_codes_are_positions_among_the_categories():
    assert category_codes("kind", ["b", "a", None, "b"], ("a", "b", "missing")).tolist() == [1.0, 0.0, 2.0, 1.0]


def test_an_unknown_category_is_rejected_with_the_feature_and_the_known_ones():
    with pytest.raises(DataError, match=r"kind has 2 value.*such as 'x'.*expected 'a', 'b'"):
        category_codes("kind", ["a", "x", "y"], ("a", "b"))
