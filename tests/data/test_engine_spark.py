"""Spark scans CSV files as Python reads them."""

import csv
import io

import pytest

from glassrank.core.checks import DataError
from tests.data.test_engine import NOTHING_SNIFFED

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("text", NOTHING_SNIFFED.values(), ids=NOTHING_SNIFFED)
def test_spark_scans_csv_as_python_reads_it(spark_engine, tmp_path, text):
    (tmp_path / "t.csv").write_bytes(text.encode())
    expected = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")))
    scanned = spark_engine.scan(tmp_path / "t.csv")
    assert scanned.collect_schema().names() == expected[0]
    assert sorted(list(row.values()) for row in spark_engine.rows(scanned)) == sorted(expected[1:])


def test_spark_refuses_line_breaks_that_it_would_change(spark_engine, tmp_path):
    (tmp_path / "t.csv").write_bytes(b'a,b\r\n"1\r\n2",3\r\n')
    with pytest.raises(DataError, match="Spark would change the line breaks inside quotes"):
        spark_engine.scan(tmp_path / "t.csv")
