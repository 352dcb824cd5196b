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


@pytest.mark.parametrize("zone", ["Z", "+14:00", "-12:00", "+0545", "-03", " UTC", ""])
def test_a_time_with_a_real_zone_is_read(tmp_path, zone):
    path = plain(tmp_path, f"zen,search,,2024-05-01T14:00:09{zone}", header="query,action,url,time")
    fixed = zone.replace("Z", "").replace(" UTC", "") or "+00:00"
    assert load_log(path, strict=True).time.tolist() == [
        datetime.fromisoformat(f"2024-05-01T14:00:09{fixed}").timestamp()
    ]


@pytest.mark.parametrize(
    "zone", ["+02:00:30", "+99:00", "-15:00", "+14:30", "+02:60", "+0299", "+02:", "+2:00", "+02:00Z"]
)
@pytest.mark.parametrize("time_format", [None, "milliseconds", "day-first"])
def test_a_time_whose_zone_does_not_exist_is_a_fault(tmp_path, zone, time_format):
    rows = ["zen,search,,2024-05-01T14:00:09Z", f"zen,search,,2024-05-01T14:00:09{zone}"]
    log = load_log(plain(tmp_path, *rows, header="query,action,url,time"), time_format=time_format)
    assert (len(log), log.reading["invalid time"]) == (1, 1)


@pytest.mark.parametrize("written", ["epoch", "infinity", "2024-05-01 (BC) 14:00:09"])
def test_a_word_is_no_time(tmp_path, written):
    rows = ["zen,search,,2024-05-01T14:00:09Z", f"zen,search,,{written}"]
    assert load_log(plain(tmp_path, *rows, header="query,action,url,time")).reading["invalid time"] == 1


def test_an_unknown_format_is_refused(tmp_path):
    with pytest.raises(DataError, match="time_format must be one of 'seconds', 'milliseconds', 'day-first'"):
        load_log(plain(tmp_path), time_format="excel")
