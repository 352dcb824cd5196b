"""Identifiers are kept exactly or refused, whatever they come in."""

import uuid

import numpy as np
import pandas as pd
import polars as pl
import pytest

from glassrank import DataError
from glassrank.core.identifiers import as_identifiers, text_array
from glassrank.core.limits import MAX_ID_LENGTH, MAX_PADDED

LARGE = 2**63 - 1


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([LARGE, -(2**63)], [LARGE, -(2**63)]),
        ([LARGE + 1, 7], [str(LARGE + 1), "7"]),
        ([2**63, -1], [str(2**63), "-1"]),
        ([2**70, 7], [str(2**70), "7"]),
        (np.array([2**64 - 1, 7], dtype=np.uint64), [str(2**64 - 1), "7"]),
        (np.array([7, 8], dtype=np.uint64), [7, 8]),
        (np.array([7, 8], dtype=object), [7, 8]),
        (np.array([7.0, 8], dtype=object), [7, 8]),
        (pd.Series([7, 8], dtype="Int64"), [7, 8]),
        (pl.Series([7, 8], dtype=pl.UInt64), [7, 8]),
        (np.array([2**24 - 1], dtype=np.float32), [2**24 - 1]),
        ([2.0**53 - 1], [2**53 - 1]),
        (["7", "007"], ["7", "007"]),
        ([7, "a"], ["7", "a"]),
        (np.array(["é", "𝄞"]), ["é", "𝄞"]),
        (np.array(["b", "a"], dtype=">U3"), ["b", "a"]),
        ([], []),
    ],
)
def test_what_can_be_kept_exactly_is(values, expected):
    assert as_identifiers("qid", values).tolist() == expected


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["a", "a\0"], r"without NUL: got 'a\\x00' at position 1"),
        (np.array(["a", "a\0"], dtype=object), "without NUL"),
        (np.array(["a", "a\0b"]), "without NUL"),
        (pd.Series(["a", "a\0"]), "without NUL"),
        (pl.Series(["a", "a\0"]), "without NUL"),
        (["a", "a\ud800"], r"can be written as UTF-8: got 'a\\ud800' at position 1"),
        (np.array(["a", "a\udfff"]), "can be written as UTF-8"),
        (np.array([2**24], dtype=np.float32), "whole numbers or strings: got 16777216.0"),
        (pl.Series([2.0**24], dtype=pl.Float32), "whole numbers or strings: got 16777216.0"),
        (pd.Series([2.0**24], dtype="float32"), "whole numbers or strings: got 16777216.0"),
        (np.array([2**11], dtype=np.float16), "whole numbers or strings: got 2048.0"),
        ([2.0**53], "whole numbers or strings"),
        ([2.0**53, "a"], "whole numbers or strings"),
        ([1.5, "a"], "got 1.5 at position 0"),
        (np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"), r"got datetime64\[D\]"),
        (np.array([1, 2], dtype="timedelta64[s]"), r"got timedelta64\[s\]"),
        ([pd.Timestamp(0), pd.NaT], "missing at 1 positions, the first at 1"),
        ([pd.NA, "a"], "missing at 1 positions, the first at 0"),
        ([uuid.UUID(int=1)], "got UUID at position 0. Convert the identifiers to text"),
        ([b"a", b"b"], "got bytes at position 0"),
        (np.array([b"a"]), r"got \|S1"),
        ([1 + 0j], "got complex128"),
    ],
)
def test_what_cannot_be_kept_exactly_is_refused(values, message):
    with pytest.raises(DataError, match=message):
        as_identifiers("qid", values)


def test_one_long_identifier_is_refused_before_it_widens_all_rows():
    short = [str(number) for number in range(100_000)]
    for values in ([*short, "x" * 50_000], pl.Series([*short, "x" * 50_000]), pd.Series([*short, "x" * 50_000])):
        with pytest.raises(DataError, match=rf"at most {MAX_ID_LENGTH:,} characters: got 50,000 at position 100000"):
            as_identifiers("qid", values)


def test_identifiers_of_very_different_lengths_are_refused_only_if_they_are_many():
    assert text_array("qid", ["a"] * 1000 + ["x" * MAX_ID_LENGTH]).dtype == f"<U{MAX_ID_LENGTH}"
    many = ["a"] * (MAX_PADDED // MAX_ID_LENGTH)
    with pytest.raises(DataError, match=r"strings of similar length.*at position 65536 has 4,096"):
        text_array("qid", [*many, "x" * MAX_ID_LENGTH])
