"""Result lists."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from glassrank.core.checks import DataError
from glassrank.data.search_results import SearchResults

RESULTS = {
    "query_id": ["7", "7", "7", "8"],
    "query": ["zen", "zen", "zen", ""],
    "rank": [1, 2, 1, 1],
    "url": ["http://zen.org/", "b", "b", "http://["],
    "score": [2.5, np.nan, -1.0, 0.0],
    "engine": ["x", "x", "y", "x"],
    "snippet": ["Zen", "", None, "z"],
}


def changed(**columns):
    return {name: values for name, values in (RESULTS | columns).items() if values is not None}


def test_results_are_described():
    assert str(SearchResults(**RESULTS).describe()).splitlines() == [
        "SearchResults: 4 rows, 2 queries, 2 engines",
        "  query_id  2 different",
        "  query     2 different, 1 empty",
        "  rank      1 to 2",
        "  url       3 different",
        "  score     -1 to 2.5, 1 unknown",
        "  engine    2 different",
        "  snippet   3 different, 1 empty, 1 unknown",
    ]


def test_four_columns_are_enough_and_identifiers_can_be_numbers():
    results = SearchResults(query_id=[7], query=["zen"], rank=[1], url=["u"])
    assert repr(results) == "SearchResults(1 row: query_id, query, rank, url)"
    assert results.query_id.tolist() == ["7"]


def test_results_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        SearchResults(**RESULTS).rank[0] = 3


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"rank": [1, 1, 1, 1]}, "unique in a list: query_id '7' of engine 'x' has rank 1 at rows 0 and 1"),
        ({"engine": None}, r"query_id '7' has rank 1 at rows 0 and 2\. Drop one, or renumber the results"),
        ({"rank": [0, 2, 1, 1]}, "rank must contain whole numbers from 1.*got 0.0 at row 0"),
        ({"rank": [1, 1.5, 1, 1]}, "rank must contain whole numbers from 1.*got 1.5 at row 1"),
        ({"rank": [1, np.nan, 1, 1]}, "rank must contain whole numbers from 1, never missing: got nan at row 1"),
        ({"query": ["zen", "Zen", "zen", ""]}, "query must be the same in all rows.*'7' has 'zen', and 'Zen'"),
        ({"url": ["a", "", "b", "c"]}, "url must contain non-empty text: got '' at row 1"),
        ({"query": ["zen", None, "zen", ""]}, "query must contain text, '' if there is none: got None at row 1"),
        ({"score": [1, 2, np.inf, 3]}, "score must contain finite numbers, NaN if unknown: got inf at row 2"),
        ({"snippet": ["a", 3, None, ""]}, "snippet must contain text, None if unknown: got 3 at row 1"),
        ({"engine": ["x", None, "y", "x"]}, "engine must contain text .* numbers, never missing: got None at row 1"),
        ({"snippet": ["a"]}, "snippet must have one entry per entry of query_id: expected 4, got 1"),
    ],
)  # fmt: skip
def test_invalid_values_are_rejected(columns, message):
    with pytest.raises(DataError, match=message):
        SearchResults(**changed(**columns))


@pytest.mark.parametrize(
    "make", [pd.DataFrame, pl.DataFrame, pa.table, "duckdb"], ids=["pandas", "polars", "arrow", "duckdb"]
)
def test_results_can_be_made_from_tables_of_any_library(make):
    columns = changed(query_id=[7, 7, 7, 8], score=[2.5, None, -1.0, 0.0])
    if make == "duckdb":
        with duckdb.connect() as connection:
            taken = pd.DataFrame(columns)
            connection.register("taken", taken)
            results = SearchResults.from_frame(connection.table("taken"))
    else:
        results = SearchResults.from_frame(make(columns))
    assert results.query_id.tolist() == ["7", "7", "7", "8"]
    assert np.isnan(results.score).tolist() == [False, True, False, False]
    assert results.snippet.tolist() == ["Zen", "", None, "z"]


def test_results_round_trip_through_a_frame():
    results = SearchResults(**RESULTS)
    again = SearchResults.from_frame(results.to_frame("polars"))
    assert again.snippet.tolist() == results.snippet.tolist()
    assert again.rank.tolist() == results.rank.tolist()
