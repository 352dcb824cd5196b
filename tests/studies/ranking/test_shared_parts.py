"""Tables of shared parts: nothing is lost, and equal parts are stored once."""

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassrank.studies.ranking.shared_parts import share_parts

SCALARS = st.none() | st.booleans() | st.integers(-1000, 1000) | st.text(max_size=12) | st.floats(-1e9, 1e9)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
)


def read(table, place):
    """The slow reading of a table, as the page does it."""
    entry = table[place]
    if isinstance(entry, list):
        return [read(table, one[0]) if isinstance(one, list) else one for one in entry]
    if isinstance(entry, dict):
        values = [read(table, one[0]) if isinstance(one, list) else one for one in entry["v"]]
        return dict(zip(read(table, entry["k"]), values, strict=True))
    return entry


def same(a, b):
    """Equal in kind and, for numbers, to six digits."""
    if isinstance(a, bool) or isinstance(b, bool) or a is None or isinstance(a, str):
        return type(a) is type(b) and a == b
    if isinstance(a, (int, float)):
        return isinstance(b, (int, float)) and math.isclose(a, b, rel_tol=1e-5)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return list(a) == list(b) and all(same(a[key], b[key]) for key in a)


@settings(deadline=None)
@given(VALUES)
def test_a_value_is_read_back(value):
    table = json.loads(json.dumps(share_parts([value])))
    assert same([value], read(table, len(table) - 1))


def test_equal_lists_are_stored_once():
    table = share_parts([{"dot": [0.25, 0.5]}, {"dot": [0.25, 0.5]}, [0.25, 0.5]])
    assert sum(entry == [0.25, 0.5] for entry in table) == 1


@pytest.mark.parametrize("pair", [([1, 0], [True, False]), ([1.0], [True]), ([None], [0])])
def test_parts_that_are_only_equal_in_python_stay_apart(pair):
    table = share_parts(list(pair))
    assert read(table, len(table) - 1) == list(pair)
    assert [type(one[0]) for one in read(table, len(table) - 1)] == [
        type(pair[0][0]) if pair[0][0] != 1.0 else int,
        type(pair[1][0]),
    ]
