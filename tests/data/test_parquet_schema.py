"""Durations in Parquet files are durations, not numbers; too many columns are refused before they cost anything."""

import base64

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassrank import DataError, RankingData
from glassrank.core.limits import MAX_COLUMNS
from glassrank.data.engines.duckdb_engine import DuckDBEngine
from glassrank.data.logs.load_log import load_log
from glassrank.data.parquet_schema import duration_columns
from glassrank.data.tables import load_table

TABLE = {"qid": [1, 1], "label": [0, 1], "x": [1.0, 2.0], "age": [60_000, 90_000]}


def write_polars(path):
    polars.DataFrame(TABLE).cast({"age": polars.Duration("ms")}).write_parquet(path)


def write_pandas(path):
    pandas.DataFrame(TABLE | {"age": pandas.to_timedelta(TABLE["age"], unit="ms")}).to_parquet(path)


def write_arrow(path):
    table = pyarrow.table(TABLE | {"age": pyarrow.array(TABLE["age"], pyarrow.duration("ms"))})
    pyarrow.parquet.write_table(table, path)


def write_duckdb(path):
    duckdb.sql(f"COPY (SELECT 1 AS qid, 0 AS label, 1.0 AS x, INTERVAL 1 MINUTE AS age) TO '{path}' (FORMAT parquet)")


@pytest.mark.parametrize("write", [write_polars, write_pandas, write_arrow, write_duckdb])
def test_a_duration_is_no_feature_whoever_wrote_it(tmp_path, write):
    """As pandas' and Polars' own frames are refused."""
    write(tmp_path / "t.parquet")
    with pytest.raises(DataError, match=r"Features must contain numbers, booleans or text: got 'age' \(Duration"):
        load_table(tmp_path / "t.parquet")
    assert load_table(tmp_path / "t.parquet", features=["x"]).feature_names == ("x",)
    with pytest.raises(DataError, match=r"Features must contain numbers, booleans or text: got 'age' \(Duration"):
        RankingData.from_frame(polars.DataFrame(TABLE).cast({"age": polars.Duration("ms")}))


def test_a_duration_is_no_number_to_an_engine(tmp_path):
    write_polars(tmp_path / "t.parquet")
    with DuckDBEngine() as engine, pytest.raises(DataError, match="'age' must contain numbers: got Duration"):
        engine.columns(engine.scan(tmp_path / "t.parquet"))


def test_a_duration_in_a_log_is_reported(tmp_path):
    """Milliseconds would be taken for seconds."""
    frame = polars.DataFrame({"query": ["zen"], "action": ["click"], "url": ["http://a.org/"], "dwell": [1500]})
    frame.cast({"dwell": polars.Duration("ms")}).write_parquet(tmp_path / "log.parquet")
    log = load_log(tmp_path / "log.parquet")
    assert log.reading["invalid dwell time"] == 1
    assert log.dwell is None


def test_too_many_columns_of_parquet_are_refused(tmp_path):
    columns = {f"f{number}": [1.0] for number in range(MAX_COLUMNS + 1)}
    polars.DataFrame(columns).write_parquet(tmp_path / "wide.parquet")
    with pytest.raises(DataError, match=rf"{MAX_COLUMNS + 1:,} columns: expected at most {MAX_COLUMNS:,}"):
        load_table(tmp_path / "wide.parquet", qid=None, label=None)


@given(st.data())
def test_a_damaged_schema_is_refused_or_read(data):
    schema = bytearray(pyarrow.schema([("age", pyarrow.duration("ms")), ("x", pyarrow.float64())]).serialize())
    for _ in range(data.draw(st.integers(1, 5))):
        schema[data.draw(st.integers(0, len(schema) - 1))] = data.draw(st.integers(0, 255))
    cut = schema[: data.draw(st.integers(0, len(schema)))]
    try:
        names = duration_columns(base64.b64encode(cut), "t.parquet")
    except DataError:
        return
    assert all(isinstance(name, str) for name in names)


def test_the_schema_names_durations_and_nothing_else():
    fields = [("a", pyarrow.duration("s")), ("b", pyarrow.time64("us")), ("c", pyarrow.int64())]
    nested = ("d", pyarrow.struct([("e", pyarrow.duration("ns"))]))
    schema = pyarrow.schema([*fields, nested, ("ü", pyarrow.duration("ns"))])
    assert duration_columns(base64.b64encode(schema.serialize()), "t.parquet") == ["a", "ü"]
