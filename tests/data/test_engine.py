"""An engine scans, stores, drops and cleans up tables, and runs functions on them."""

import csv
import gzip
import io
import lzma
import os
from pathlib import Path

import duckdb
import narwhals as nw
import numpy as np
import pandas
import polars
import pyarrow
import pytest

from glassrank.core.checks import DataError
from glassrank.data.engine import open_engine
from glassrank.data.engines.duckdb_engine import DuckDBEngine


@pytest.fixture
def engine():
    with DuckDBEngine() as opened:
        yield opened


def totals(frame):
    return frame.group_by("host").agg(nw.col("n").sum().alias("n")).select("host", nw.col("n").cast(nw.Int64))


NUMBERS = {"host": ["a", "b", "a"], "n": [1, 2, 3]}


@pytest.mark.parametrize(
    "make",
    [polars.DataFrame, polars.LazyFrame, pandas.DataFrame, pyarrow.table],
    ids=["polars", "lazy", "pandas", "arrow"],
)
def test_a_table_of_any_library_is_stored(engine, make):
    taken = engine.take(make(NUMBERS), "numbers")
    assert sorted(engine.rows(engine.run(totals, taken, name="totals")), key=lambda row: row["host"]) == [
        {"host": "a", "n": 4},
        {"host": "b", "n": 2},
    ]


def test_a_relation_of_another_connection_is_stored(engine):
    with duckdb.connect() as elsewhere:
        taken = engine.take(elsewhere.sql("SELECT 'a' AS host, 7 AS n, [1, 2] AS left_out"), "numbers", ["host", "n"])
        assert engine.rows(totals(taken)) == [{"host": "a", "n": 7}]


def test_a_table_of_the_engine_itself_is_stored(engine):
    kept = engine.take(polars.DataFrame(NUMBERS), "numbers")
    again = engine.take(kept.filter(nw.col("host") == "b"), "those_of_b")
    assert engine.rows(totals(again)) == [{"host": "b", "n": 2}]


def test_a_text_column_can_begin_with_many_missing_values(engine):
    frame = polars.DataFrame({"host": [None] * 5000 + ["x"]})
    counted = engine.take(frame, "hosts").select(nw.col("host").count().alias("n"))
    assert engine.scalars(counted) == {"n": 1}


def test_nan_becomes_null_from_every_source(engine, tmp_path):
    frame = polars.DataFrame({"x": [1.0, float("nan"), None]})
    frame.write_parquet(tmp_path / "x.parquet")
    missing = nw.col("x").is_null().cast(nw.Int64).sum().alias("missing")
    for table in (engine.take(frame, "x"), engine.scan(tmp_path / "x.parquet")):
        assert engine.scalars(table.select(missing)) == {"missing": 2}


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.tsv", "a*[b]?.csv"])
def test_columns_of_csv_are_text_and_an_empty_field_is_null(engine, tmp_path, name):
    sep = "\t" if ".tsv" in name else ","
    content = f'k{sep}v\n007{sep}\n"a{sep}b"{sep}NULL\n'.encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    (tmp_path / "ab1.csv").write_text("k,v\nwrong,file\n")
    rows = engine.rows(engine.scan(tmp_path / name).sort("k"))
    assert rows == [{"k": "007", "v": None}, {"k": f"a{sep}b", "v": "NULL"}]


NOTHING_SNIFFED = {
    "comment signs": "# note,p\nhttp://a/#x,1\nhttp://a/#y,2\n#zen,3\n",
    "comment signs among numbers": "a,b\n1,2\n#zen,3\n",
    "lone quotes": 'query,p\n27" tv,1\n"say ""hi""",2\n19",3\n',
    "line breaks in quotes": 'query,p\n"two\nlines",1\n"a, b",2\n',
    "another delimiter": "a;b,p\n1;2,3\n4;5,6\n",
    "signs of escape": "a,p\n\\,1\n\\n,2\n'x',3\n",
    "no number": "1,2\n3,4\n",
    "carriage returns": "a,b\r\n1,2\r\n3,4\r\n",
    "byte order mark": "\ufeffa,b\n1,2\n",
    "spaces": "a,b\n 1 ,\t2\n",
}


@pytest.mark.parametrize("text", NOTHING_SNIFFED.values(), ids=NOTHING_SNIFFED)
def test_csv_is_scanned_as_python_reads_it_and_nothing_is_sniffed(engine, tmp_path, text):
    """Also under an address, where DuckDB itself finds the header."""
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    expected = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")))
    for place in (path, f"file://{path}"):
        scanned = engine.scan(place)
        assert scanned.collect_schema().names() == expected[0]
        assert sorted(list(row.values()) for row in engine.rows(scanned)) == sorted(expected[1:])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# note\na,b\n1,2\n", ":2: expected 1 fields as in the header, got 2"),
        ("a,b\n1,2\n3\n", ":3: expected 2 fields as in the header, got 1"),
        ("a,b\n1,2,\n", ":2: expected 2 fields as in the header, got 3"),
        ('a,b\n1,"2\n', ":2: a quoted field is not closed"),
        ('a,b\n1, "2"\n', ":2: there is a space before the opening quote"),
        ("a,A\n1,2\n", "different names"),
        ("", ":1: expected a header line"),
        ("a,b\n1,\0\n", "contains a zero byte"),
    ],
)
def test_csv_that_breaks_the_dialect_is_refused_before_anything_is_computed(engine, tmp_path, text, message):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(DataError, match=message):
        engine.scan(tmp_path / "t.csv")


@pytest.mark.parametrize(("name", "pack"), [("t.csv", gzip.compress), ("t.csv.gz", bytes), ("t.csv", lzma.compress)])
def test_a_packing_that_the_name_does_not_say_is_refused(engine, tmp_path, name, pack):
    (tmp_path / name).write_bytes(pack(b"a,b\n1,2\n"))
    with pytest.raises(DataError, match=r"plain text, or text packed by gzip whose name ends in \.gz"):
        engine.scan(tmp_path / name)


def test_a_pipe_is_not_scanned(engine, tmp_path):
    for name in ("t.csv", "t.parquet"):
        os.mkfifo(tmp_path / name)
        with pytest.raises(DataError, match="expected a regular file, got a pipe"):
            engine.scan(tmp_path / name)


def test_a_folder_of_parquet_files_is_one_table(engine, tmp_path):
    folder = tmp_path / "part[s]"
    folder.mkdir()
    for number in range(3):
        polars.DataFrame({"n": [number]}).write_parquet(folder / f"{number}.parquet")
    assert engine.scalars(engine.scan(folder).select(nw.col("n").sum().cast(nw.Int64))) == {"n": 3}


def test_row_numbers_are_unique(engine):
    taken = engine.take(polars.DataFrame({"key": [f"k{i}" for i in range(20_000)]}), "keys")
    columns = engine.columns(engine.materialise(engine.number(taken, "number"), "numbered"))
    assert len(set(columns["number"])) == len(set(columns["key"])) == 20_000
    assert columns["number"].dtype == np.int64


def test_the_name_of_a_dropped_table_can_be_reused(engine):
    taken = engine.take(polars.DataFrame(NUMBERS), "numbers")
    first = engine.materialise(totals(taken), "totals")
    engine.drop("totals")
    assert engine.names == ("numbers",)
    with pytest.raises(DataError, match="totals"):
        engine.rows(first)
    engine.materialise(totals(taken), "totals")
    assert repr(engine) == "DuckDBEngine(numbers, totals)"


def test_tables_are_on_disk_and_closing_removes_them(tmp_path):
    with DuckDBEngine(tmp_path) as engine:
        taken = engine.take(polars.DataFrame({"n": np.arange(200_000)}), "numbers")
        engine.materialise(taken.with_columns((nw.col("n") * nw.col("n")).alias("square")), "squares")
        assert sum(file.stat().st_size for file in tmp_path.rglob("*") if file.is_file()) > 500_000
    assert list(tmp_path.iterdir()) == []


def test_an_error_removes_all_files(tmp_path):
    with pytest.raises(ZeroDivisionError), DuckDBEngine(tmp_path):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_more_than_the_memory_limit_is_spilled_to_disk(tmp_path):
    """4 million groups of two numbers take over 100 MB as a hash table."""
    with DuckDBEngine(tmp_path, memory_limit="60MB", threads=1) as engine:
        numbers = nw.from_native(engine._connection.sql("SELECT range AS n FROM range(4000000)"))
        kept = engine.materialise(numbers.group_by("n").agg(nw.len().alias("times")), "groups")
        assert engine.scalars(kept.select(nw.len().alias("n"))) == {"n": 4_000_000}


def test_a_written_file_replaces_the_old_one_and_keeps_the_order(engine, tmp_path):
    path = tmp_path / "out.parquet"
    path.write_text("old")
    taken = engine.take(polars.DataFrame({"n": [3, 1, 2]}), "numbers")
    engine.write(taken.sort("n"), path)
    assert polars.read_parquet(path)["n"].to_list() == [1, 2, 3]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda engine: engine.scan("nowhere.parquet"), "nowhere.parquet: there is no such file or folder"),
        (
            lambda engine: engine.scan("table.xlsx"),
            r"table.xlsx: an engine scans files that end in .parquet, .csv, .tsv",
        ),
        (lambda engine: engine.scan("rubbish.parquet"), "rubbish.parquet: DuckDB cannot read or store the table"),
        (lambda engine: engine.take([1, 2], "t"), "A table must be a pandas or Polars frame"),
        (lambda engine: engine.take(polars.DataFrame(NUMBERS), "t", ["m"]), "must have a column 'm': got 'host', 'n'"),
        (lambda engine: engine.take(polars.DataFrame(NUMBERS), "a b"), "letters, digits and underscores: got 'a b'"),
        (lambda engine: engine.drop("t"), "The engine has no table 't'. It has: none"),
        (lambda engine: engine.scalars(engine.take(polars.DataFrame(NUMBERS), "t")), "must have 1 row: got more"),
        (lambda engine: engine.write(None, "no/such/file"), "does not exist. Create it first"),
        (lambda engine: DuckDBEngine("nowhere"), "folder must be a folder that exists: got 'nowhere'"),
        (lambda engine: DuckDBEngine(memory_limit="much"), "DuckDB cannot be opened"),
        (lambda engine: DuckDBEngine(threads=0), "threads must be a positive whole number: got 0"),
        (lambda engine: open_engine("dask"), "engine must be one of 'duckdb', 'spark': got 'dask'"),
    ],
)
def test_invalid_requests_raise_one_sentence_errors(engine, tmp_path, monkeypatch, act, message):
    monkeypatch.chdir(tmp_path)
    Path("table.xlsx").write_text("")
    Path("rubbish.parquet").write_text("rubbish")
    with pytest.raises(DataError, match=message):
        act(engine)
    assert not [name for name in os.listdir(tmp_path) if name.startswith("glassrank-")]


def test_table_names_are_unique(engine):
    engine.take(polars.DataFrame(NUMBERS), "numbers")
    with pytest.raises(DataError, match=r"already has a table 'numbers'\. Drop it first"):
        engine.take(polars.DataFrame(NUMBERS), "numbers")


def test_no_progress_bar_is_drawn_on_stdout(engine):
    assert engine._connection.execute("SELECT current_setting('enable_progress_bar')").fetchone() == (False,)
