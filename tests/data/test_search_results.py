"""Lists of results."""

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


def test_results_say_what_they_hold():
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


def test_four_columns_are_enough_and_identifiers_may_be_numbers():
    results = SearchResults(query_id=[7], query=["zen"], rank=[1], url=["u"])
    assert repr(results) == "SearchResults(1 row: query_id, query, rank, url)"
    assert results.query_id.tolist() == ["7"]


def test_results_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        SearchResults(**RESULTS).rank[0] = 3


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"rank": [1, 1, 1, 1]}, "one result of a list: query_id '7' of engine 'x' has rank 1 at rows 0 and 1"),
        ({"engine": None}, r"query_id '7' has rank 1 at rows 0 and 2\. Drop one, or renumber the results"),
        ({"rank": [0, 2, 1, 1]}, "rank must hold whole numbers from 1.*row 0 holds 0.0"),
        ({"rank": [1, 1.5, 1, 1]}, "rank must hold whole numbers from 1.*row 1 holds 1.5"),
        ({"rank": [1, np.nan, 1, 1]}, "rank must hold whole numbers from 1, never missing: row 1 holds nan"),
        ({"query": ["zen", "Zen", "zen", ""]}, "query must be the same in all rows.*'7' has 'zen', and 'Zen'"),
        ({"url": ["a", "", "b", "c"]}, "url must hold text that is not empty: row 1 holds ''"),
        ({"query": ["zen", None, "zen", ""]}, "query must hold text, '' where there is none: row 1 holds None"),
        ({"score": [1, 2, np.inf, 3]}, "score must hold finite numbers, NaN where unknown: row 2 holds inf"),
        ({"snippet": ["a", 3, None, ""]}, "snippet must hold text, None where unknown: row 1 holds 3"),
        ({"engine": ["x", None, "y", "x"]}, "engine must hold text or whole numbers, never missing: row 1 holds None"),
        ({"snippet": ["a"]}, "snippet must have one entry per entry of query_id: expected 4, got 1"),
    ],
)  # fmt: skip
def test_what_no_list_can_hold_is_refused(columns, message):
    with pytest.raises(DataError, match=message):
        SearchResults(**changed(**columns))


@pytest.mark.parametrize(
    "make", [pd.DataFrame, pl.DataFrame, pa.table, "duckdb"], ids=["pandas", "polars", "arrow", "duckdb"]
)
def test_tables_of_any_library_become_results(make):
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


def test_results_survive_the_way_through_a_frame():
    results = SearchResults(**RESULTS)
    again = SearchResults.from_frame(results.to_frame("polars"))
    assert again.snippet.tolist() == results.snippet.tolist()
    assert again.rank.tolist() == results.rank.tolist()
