"""Parquet values without a JSON type are read correctly."""

from decimal import Decimal

import duckdb
import pytest

from glassrank.data.logs.load_log import load_log
from glassrank.data.logs.load_results import load_results
from glassrank.data.logs.record_values import as_list, as_text


def parquet(folder, query):
    path = str(folder / "rows.parquet")
    duckdb.sql(query).write_parquet(path)
    return path


def test_decimals_of_a_log_are_numbers(tmp_path):
    path = parquet(
        tmp_path,
        "SELECT 'zen' AS query, 'click' AS action, 'http://a.org/' AS url, 1714564809.50::DECIMAL(18, 2) AS \"time\", "
        "3.000::DECIMAL(9, 3) AS position, 1.50::DECIMAL(9, 2) AS dwell, 7::DECIMAL(38, 0) AS search",
    )
    log = load_log(path, strict=True)
    assert (log.time.tolist(), log.position.tolist(), log.dwell.tolist()) == ([1714564809.5], [3], [1.5])
    assert log.search.tolist() == ["7"]


def test_decimals_of_a_table_of_results_are_numbers(tmp_path):
    path = parquet(
        tmp_path,
        "SELECT 1 AS query_id, 'zen' AS query, unnest([1.0, 2.0])::DECIMAL(4, 1) AS rank, "
        "unnest(['http://a.org/', 'http://b.org/']) AS url, "
        "unnest([-0.25, 0.00000001])::DECIMAL(18, 8) AS score",
    )
    results = load_results(path, strict=True)
    assert (results.rank.tolist(), results.score.tolist()) == ([1, 2], [-0.25, 1e-8])


def test_a_fractional_decimal_is_an_invalid_position(tmp_path):
    path = parquet(
        tmp_path, "SELECT 'zen' AS query, 'click' AS action, 'http://a.org/' AS url, 2.5::DECIMAL(4, 1) AS position"
    )
    reading = load_log(path).reading
    assert reading["invalid position"] == 1
    assert reading.kept["invalid position"].examples[0].endswith("row 0 '2.5'")


def test_uuid_identifiers_have_no_quotes(tmp_path):
    name = "6f9619ff-8b86-d011-b42d-00cf4fc964ff"
    path = parquet(
        tmp_path,
        f"SELECT 'zen' AS query, 'click' AS action, 'http://a.org/' AS url, '{name}'::UUID AS \"user\"",
    )
    assert load_log(path, strict=True).user.tolist() == [name]


@pytest.mark.parametrize(
    ("value", "text"),
    [(Decimal("1.50"), "1.50"), (Decimal("0E-8"), "0.00000000"), (Decimal("1E+3"), "1000"), (Decimal("-7"), "-7")],
    ids=["places", "zero", "exponent", "negative"],
)
def test_a_decimal_is_written_without_an_exponent(value, text):
    assert as_text(value) == text
    assert as_list([value]) == [text]
