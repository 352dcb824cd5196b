"""Times of logs: formats that are read on request, compared with Python's own calendar."""

from datetime import UTC, datetime

import pytest

from glassrank.core.checks import DataError
from glassrank.data.logs.load_log import load_log
from tests.data.logs.files import aol, plain


def seconds(*moment):
    return datetime(*moment, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("time_format", "written", "expected"),
    [
        ("seconds", "1142000000.5", 1142000000.5),
        ("milliseconds", "1142000000500", 1142000000.5),
        ("day-first", "03/04/2006 07:17:12", seconds(2006, 4, 3, 7, 17, 12)),
        ("day-first", "31.12.2006 7:05", seconds(2006, 12, 31, 7, 5)),
        ("day-first", "31-12-2006", seconds(2006, 12, 31)),
        ("day-first", "3/4/2006 07:17:12.250", seconds(2006, 4, 3, 7, 17, 12, 250_000)),
        ("month-first", "03/04/2006 07:17:12", seconds(2006, 3, 4, 7, 17, 12)),
        ("day-first", "2006-03-04T07:17:12+01:00", seconds(2006, 3, 4, 6, 17, 12)),
        ("milliseconds", "2006-03-04 07:17:12", seconds(2006, 3, 4, 7, 17, 12)),
    ],
)
def test_a_time_is_read_in_its_format(tmp_path, time_format, written, expected):
    path = aol(tmp_path, f"7\tzen\t{written}\t1\thttp://zen.org")
    assert load_log(path, time_format=time_format, strict=True).time.tolist() == [expected, expected]


@pytest.mark.parametrize(
    ("time_format", "written"),
    [
        (None, "03/04/2006 07:17:12"),
        (None, "1142000000500"),
        ("day-first", "12/31/2006"),
        ("month-first", "1142000000"),
    ],
)
def test_a_time_in_another_format_is_dropped_and_the_error_names_the_setting(tmp_path, time_format, written):
    path = aol(tmp_path, f"7\tzen\t{written}\t1\thttp://zen.org")
    with pytest.raises(DataError, match="dropped  invalid time: 2") as caught:
        load_log(path, time_format=time_format)
    assert caught.value.remedy == (
        "Set the format of the times: time_format='day-first', or ignore the column: time=None."
    )


def test_an_unknown_format_is_refused(tmp_path):
    with pytest.raises(DataError, match="time_format must be one of 'seconds', 'milliseconds', 'day-first'"):
        load_log(plain(tmp_path), time_format="excel")
