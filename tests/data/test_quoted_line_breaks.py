"""Long texts with line breaks in quotes, which DuckDB's parallel reader refuses, are read like any other table."""

import csv
import io
import random

import duckdb
import narwhals as nw
import pytest

import glassrank as gr
from glassrank.data.delimited import duckdb_options
from glassrank.data.engines.duckdb_engine import DuckDBEngine

PIECES = ["\n", ",", '"', "x", " ", "\r\n", "é", ";", "1,2\n3,4", "word ", '","', '"\n"']
N_ROWS, TIMES = 20_000, 17
NAMES = ("qid", "title", "label", "x")


@pytest.fixture(scope="module")
def long_table(tmp_path_factory):
    """A good CSV of 36 MB that DuckDB's parallel reader refuses: two of its parts of 32 MB meet inside a text."""
    rng = random.Random(2)
    rows = []
    for number in range(N_ROWS):
        title = "".join(rng.choice(PIECES) for _ in range(rng.randrange(0, 60)))
        rows.append([number, title, number % 3, f"{rng.random():.6g}"])
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    path = tmp_path_factory.mktemp("long") / "long.csv"
    path.write_bytes(f"{','.join(NAMES)}\n7,x,0,1\n".encode() + text.getvalue().encode() * TIMES)
    return path, [1.0, *(float(row[-1]) for row in rows)]


def test_a_long_table_with_quoted_line_breaks_is_read_whole_and_in_order(long_table):
    path, values = long_table
    data = gr.load_data(path, exclude=["title"])
    assert data.n_rows == 1 + N_ROWS * TIMES
    assert data.X[: len(values), 0].tolist() == values
    assert data.X[-N_ROWS:, 0].tolist() == values[1:]


def test_the_engine_of_logs_reads_it_too(long_table):
    path, _ = long_table
    with DuckDBEngine() as engine:
        assert engine.scan(path).select(nw.len()).collect().item() == 1 + N_ROWS * TIMES


def test_the_parallel_reader_refuses_it(long_table):
    path, _ = long_table
    with pytest.raises(duckdb.Error):
        duckdb.connect().read_csv(str(path), **duckdb_options(NAMES, ",")).aggregate("count(*)").fetchall()
