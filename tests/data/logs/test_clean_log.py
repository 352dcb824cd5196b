"""A log written to a file equals the log in memory: the same rows, in the same order, with the same report."""

import gzip
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pytest

from glassrank.core.checks import DataError
from glassrank.data.logs.load_log import clean_log, load_log
from glassrank.data.logs.log_reading import LogTally
from glassrank.data.logs.staging import Staging
from glassrank.data.query_log import QueryLog
from tests.data.logs import test_log_faults as faults
from tests.data.logs.files import PLAIN_HEADER, aol, plain, ubi, ubi_event, ubi_query, write

SEARCH, CLICK = faults.SEARCH, faults.CLICK
AOL_ROWS = (
    "7\tzen\t2006-03-01 07:17:12\t3\thttp://b.org",
    "7\tzen\t2006-03-01 07:17:12\t1\thttp://a.org",
    "8\ttea\t2006-03-01 08:00:00\t\t",
    "7\t-\t2006-03-01 09:00:00\t\t",
)


def packed(folder):
    path = folder / "log.csv.gz"
    path.write_bytes(gzip.compress("\n".join((PLAIN_HEADER, CLICK, SEARCH)).encode(), mtime=0))
    return path


def parquet(folder):
    path = folder / "log.parquet"
    columns = {"query": ["zen", ""], "action": ["click", "click"], "url": ["http://a.org/", "x"], "dwell": [None, 3.5]}
    pl.DataFrame(columns).write_parquet(path)
    return path


SOURCES = {
    "aol": lambda folder: aol(folder, *AOL_ROWS),
    "two files of aol": lambda folder: [aol(folder, *AOL_ROWS[:2]), aol(folder, *AOL_ROWS[1:], name="2.txt")],
    "orcas": lambda folder: write(folder, "o.tsv", "7\tzen\tD1\thttp://zen.org/", "7\tzen\tD2\thttp://[", "7\t\tD1\tx"),
    "plain": lambda folder: plain(folder, CLICK, SEARCH, CLICK, "zen,view,,,,,,,"),
    "plain without users": lambda folder: plain(folder, "zen,click,a,,,,,2,", "zen,click,a,,,,,,"),
    "packed": packed,
    "parquet": parquet,
    "ubi": lambda folder: ubi(folder, [ubi_query(), ubi_query(query_id="q2")], [ubi_event(), ubi_event("x", 0)]),
}


def read_back(path):
    with duckdb.connect() as connection:
        return QueryLog.from_frame(connection.read_parquet(str(path)))


def assert_same(log, other):
    assert set(log._columns()) == set(other._columns())
    for name, values in log._columns().items():
        np.testing.assert_array_equal(values, getattr(other, name))


@pytest.mark.parametrize("source", SOURCES)
def test_a_written_log_equals_the_loaded_one(tmp_path, source):
    paths = SOURCES[source](tmp_path)
    log = load_log(paths)
    reading = clean_log(paths, tmp_path / "clean.parquet")
    assert reading == log.reading
    assert_same(log, read_back(tmp_path / "clean.parquet"))


LOG_CASES = [case for case, name in zip(faults.CASES, faults.IDS, strict=True) if "results" not in case[1].__qualname__]
LOG_IDS = [name for case, name in zip(faults.CASES, faults.IDS, strict=True) if "results" not in case[1].__qualname__]


@pytest.mark.parametrize("load", [case[1] for case in LOG_CASES], ids=LOG_IDS)
def test_bad_rows_have_the_same_fate_in_a_written_log(tmp_path, monkeypatch, load):
    log = load(tmp_path)
    out = tmp_path / "clean.parquet"
    monkeypatch.setattr(faults, "load_log", lambda paths, *schema, **options: clean_log(paths, out, *schema, **options))
    assert load(tmp_path) == log.reading
    assert_same(log, read_back(out))


def test_the_same_log_gives_the_same_bytes(tmp_path):
    paths = aol(
        tmp_path,
        *(f"{row % 7}\tq{row % 40}\t2006-03-01 07:{row % 60:02}:00\t1\thttp://{row}.org" for row in range(5000)),
    )
    for name in ("a.parquet", "b.parquet"):
        clean_log(paths, tmp_path / name)
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def test_rows_are_staged_on_disk_with_bounded_memory():
    with Staging(LogTally()) as staging:
        ((limit, threads, spill),) = staging.fetch(
            "SELECT current_setting('memory_limit'), current_setting('threads'), current_setting('temp_directory')"
        )
        assert (limit, 1 <= threads <= 4) == ("953.6 MiB", True)
        assert [path for (path,) in staging.fetch("SELECT path FROM duckdb_databases() WHERE NOT internal")] == [
            str(Path(spill).with_name("rows.duckdb"))
        ]
        assert Path(spill).parent.is_dir()
    assert not Path(spill).parent.exists()


def test_the_order_of_the_files_is_kept_across_groups_of_rows(tmp_path):
    paths = write(tmp_path, "orcas.tsv", *(f"1\tq{row}\tD1\thttp://{row % 7}.org" for row in range(70_000)))
    clean_log(paths, tmp_path / "clean.parquet")
    with duckdb.connect() as connection:
        written = connection.execute("SELECT query FROM read_parquet(?)", [str(tmp_path / "clean.parquet")]).fetchall()
    assert written == [(f"q{row}",) for row in range(70_000)]


def test_a_rejected_log_leaves_the_old_file_untouched(tmp_path):
    paths = plain(tmp_path, SEARCH, CLICK.replace("zen", ""))
    out = tmp_path / "out" / "clean.parquet"
    out.parent.mkdir()
    out.write_bytes(b"old")
    with pytest.raises(DataError, match=r"log.csv:3: empty query"):
        clean_log(paths, out, strict=True)
    with pytest.raises(DataError, match="no valid event was found"):
        clean_log(plain(tmp_path, CLICK.replace("zen", "")), out)
    assert [path.name for path in out.parent.iterdir()] == ["clean.parquet"]
    assert out.read_bytes() == b"old"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("clean.csv", r"clean.csv: expected a name that ends in .parquet"),
        ("none/clean.parquet", r"the folder .*none does not exist"),
        ("folder.parquet", "expected the name of a file, got a folder"),
    ],
    ids=["csv", "no folder", "a folder"],
)
def test_an_invalid_output_path_is_rejected_before_reading(tmp_path, name, message):
    (tmp_path / "folder.parquet").mkdir()
    with pytest.raises(DataError, match=message):
        clean_log(tmp_path / "absent.csv", tmp_path / name)


def test_column_names_actions_and_query_lengths_work_as_in_load_log(tmp_path):
    path = plain(tmp_path, "zen,view,a.org", "zazen,view,a.org", header="q,what,url")
    options = {"query": "q", "action": "what", "actions": {"view": "impression"}, "longest_query": 3}
    reading = clean_log(path, tmp_path / "it's.parquet", "plain", **options)
    assert reading["query too long"] == 1
    assert read_back(tmp_path / "it's.parquet").action.tolist() == ["impression"]
