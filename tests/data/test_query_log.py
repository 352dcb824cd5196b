"""Query logs."""

import datetime

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from glassrank.core.checks import DataError
from glassrank.data.logs.load_log import load_log
from glassrank.data.query_log import NUMBERS, REQUIRED, QueryLog
from glassrank.navigational.features.log_source import read_log_facts

LOG = {
    "query": ["zen", "zen", "zen", "zen", "cars"],
    "action": ["search", "impression", "impression", "click", "search"],
    "url": ["", "http://zen.org/", "http://b.org/", "http://b.org/", ""],
    "time": [1000.0, 1000.0, 1000.0, 1012.5, 2000.0],
    "user": ["u1", "u1", "u1", "u1", "u2"],
    "session": ["s1", "s1", "s1", "s1", "s2"],
    "search": ["1", "1", "1", "1", "2"],
    "position": [np.nan, 1, 2, 2, np.nan],
    "dwell": [np.nan, np.nan, np.nan, 45.0, np.nan],
}


def changed(**columns):
    return {name: values for name, values in (LOG | columns).items() if values is not None}


def test_events_are_counted():
    description = QueryLog(**LOG).describe()
    assert str(description).splitlines()[0] == "QueryLog: 5 rows, 2 searches, 2 impressions, 1 click"
    assert description.columns["time"] == "1970-01-01 00:16:40 to 1970-01-01 00:33:20"
    assert description.columns["position"] == "1 to 2, 2 unknown"
    assert description.columns["query"] == "2 different"


def test_a_log_can_consist_of_clicks_only():
    log = QueryLog(query=["zen"], action=["click"], url=["http://zen.org/"])
    assert repr(log) == "QueryLog(1 row: query, action, url)"


def test_numeric_identifiers_become_text():
    log = QueryLog(**changed(user=[1, 1, 1, 1, 2], session=np.array([7, 7, 7, 7, 8])))
    assert log.user.tolist() == ["1", "1", "1", "1", "2"]
    assert log.session.tolist() == ["7", "7", "7", "7", "8"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"action": ["search", "view", "impression", "click", "search"]}, "add_to_cart, purchase: got 'view' at row 1"),
        ({"query": ["zen", "zen", "zen", "zen", ""]}, "query must contain non-empty text: got '' at row 4"),
        ({"url": ["", "", "b", "b", ""]}, "url must contain '' for a search and an address otherwise: got '' at row 1"),
        ({"url": ["", "a", "b", "b", "c"]}, "url must contain '' for a search .* otherwise: got 'c' at row 4"),
        ({"position": [np.nan, 0, 2, 2, np.nan]}, "position must contain whole numbers from 1.*got 0.0 at row 1"),
        ({"position": [np.nan, 1.5, 2, 2, np.nan]}, "position must contain whole numbers from 1.*got 1.5 at row 1"),
        ({"position": [1, 1, 2, 2, np.nan]}, "position must contain NaN for a search: got 1.0 at row 0"),
        ({"time": [1000, 1000, 1000, np.nan, 2000]}, "time must contain seconds since 1970.*got nan at row 3"),
        ({"time": [1000, 1000, 1000, np.inf, 2000]}, "time must contain seconds since 1970.*got inf at row 3"),
        ({"time": [1.7e12] * 5}, r"divide milliseconds by 1000\): got 1700000000000.0 at row 0 \(5 rows are wrong\)"),
        ({"dwell": [np.nan, np.nan, np.nan, -1, np.nan]}, "seconds from 0 to 1e9, .*: got -1.0 at row 3"),
        ({"dwell": [np.nan, 3, np.nan, 1, np.nan]}, "dwell must contain NaN for events other than clicks: got 3.0"),
        ({"user": ["u1", "", "u1", "u1", "u2"]}, "user must contain text .* numbers, never missing: got '' at row 1"),
        ({"user": ["u1", None, "u1", "u1", "u2"]}, "user must contain text or whole numbers.*got None at row 1"),
        ({"user": [True] * 5}, "user must contain text or whole numbers, never missing: got True at row 0"),
        ({"query": ["zen", "zen", "cars", "zen", "cars"]}, "same in all events.*has 'zen', and 'cars' at row 2"),
        ({"user": ["u1", "u1", "u1", "u2", "u2"]}, "user must be the same in all events of a search: search '1'"),
        ({"session": ["s1", "s2", "s1", "s1", "s2"]}, "session must be the same in all events of a search"),
        ({"session": ["s1"]}, "session must have one entry per entry of query: expected 5, got 1"),
    ],
)  # fmt: skip
def test_invalid_values_are_rejected(columns, message):
    with pytest.raises(DataError, match=message):
        QueryLog(**changed(**columns))


FAULTS = {
    "action": (3, "view"),
    "query": (3, ""),
    "url of a search": (0, "http://zen.org/"),
    "no url": (3, ""),
    "position of a search": (0, 1.0),
    "position 0": (3, 0.0),
    "position 1.5": (3, 1.5),
    "infinite position": (3, np.inf),
    "dwell of an impression": (1, 3.0),
    "negative dwell": (3, -1.0),
    "infinite dwell": (3, np.inf),
    "time in milliseconds": (3, 1.7e12),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_memory_engine_and_files_have_the_same_rules(fault, tmp_path):
    """A value that ``QueryLog`` rejects is rejected by an engine, and dropped or emptied by the file reader."""
    column = next(name for name in (*NUMBERS, *REQUIRED) if name in fault)
    row, value = FAULTS[fault]
    values = [*LOG[column][:row], value, *LOG[column][row + 1 :]]
    wrong = LOG | {column: values}
    with pytest.raises(DataError, match=f"{column} must (hold|contain)"):
        QueryLog(**wrong)
    with pytest.raises(DataError, match=f"{column} must (hold|contain)"):
        read_log_facts(pd.DataFrame(wrong), "duckdb")
    pd.DataFrame(wrong).to_csv(tmp_path / "log.csv", index=False)
    read = load_log(tmp_path / "log.csv")
    assert read.reading.dropped or read.reading.kept
    pd.DataFrame(LOG).to_csv(tmp_path / "right.csv", index=False)
    right = load_log(tmp_path / "right.csv").reading
    assert not right.dropped
    assert not right.kept


def test_without_search_ids_queries_of_a_user_can_differ():
    assert len(QueryLog(**changed(search=None, query=["zen", "cars", "zen", "zen", "cars"]))) == 5


@pytest.mark.parametrize(
    "make",
    [
        pd.DataFrame,
        pl.DataFrame,
        pl.LazyFrame,
        pa.table,
        lambda columns: duckdb.connect().from_arrow(pa.table(columns)),
    ],
    ids=["pandas", "polars", "polars lazy", "pyarrow", "duckdb"],
)
def test_a_log_can_be_made_from_every_library(make):
    at = [datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds) for seconds in LOG["time"]]
    columns = changed(time=None, user=[1, 1, 1, 1, 2], stamp=at, position=[None, 1, 2, 2, None])
    log = QueryLog.from_frame(make(columns), time="stamp")
    assert log.time.tolist() == LOG["time"]
    assert log.user.tolist() == ["1", "1", "1", "1", "2"]
    np.testing.assert_array_equal(log.position, LOG["position"])
    assert log.action.tolist() == LOG["action"]


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_log_round_trips_through_frames(backend):
    log = QueryLog(**LOG)
    back = QueryLog.from_frame(log.to_frame(backend))
    for name, values in LOG.items():
        if isinstance(values[0], str):
            assert getattr(back, name).tolist() == values
        else:
            np.testing.assert_array_equal(getattr(back, name), values)


def test_rows_are_picked():
    log = QueryLog(**LOG)
    clicks = log.pick_rows(log.action == "click")
    assert clicks.url.tolist() == ["http://b.org/"]
    assert clicks.dwell.tolist() == [45.0]
