"""DuckDB relations and lazy frames are queries: each run may return the rows in another order."""

import duckdb
import numpy as np
import polars as pl
import pytest

from glassrank.data.ranking_data import RankingData

N_ROWS, N_FEATURES = 150_000, 20


@pytest.fixture
def connection():
    with duckdb.connect(config={"threads": 4}) as connection:
        yield connection


@pytest.mark.parametrize("keeps_order", ["true", "false"])
def test_labels_and_features_of_a_grouped_relation_are_of_the_same_row(connection, keeps_order):
    """Feature k of query q is q + k, and its label q mod 3; 20 columns are read in two parts."""
    connection.execute(f"SET preserve_insertion_order = {keeps_order}")
    features = ", ".join(f"max(q) + {k}.0 AS f{k}" for k in range(N_FEATURES))
    source = f"SELECT (range * 7919) % {N_ROWS} AS q FROM range({2 * N_ROWS})"
    data = RankingData.from_frame(
        connection.sql(f"SELECT q AS qid, q % 3 AS label, {features} FROM ({source}) GROUP BY q")
    )
    assert data.n_queries == N_ROWS
    np.testing.assert_array_equal(data.y, data.qid % 3)
    for k in range(N_FEATURES):
        np.testing.assert_array_equal(data.X[:, k], data.qid + k)


def test_reading_a_relation_leaves_nothing_in_its_database(connection):
    RankingData.from_frame(connection.sql("SELECT 1 AS qid, range AS label, range * 2.0 AS bm25 FROM range(3)"))
    assert connection.sql("SELECT table_name FROM duckdb_tables()").fetchall() == []
    assert connection.sql("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall() == []


def test_labels_and_features_of_a_lazy_frame_are_of_the_same_row():
    """Polars groups in another order whenever a query runs; the label of a row is its query mod 3, as above."""
    rows = pl.LazyFrame({"qid": np.arange(N_ROWS) * 7919 % N_ROWS})
    lazy = rows.group_by("qid").agg(label=pl.col("qid").max() % 3, double=pl.col("qid").max() * 2.0)
    data = RankingData.from_frame(lazy)
    assert data.n_queries == N_ROWS
    np.testing.assert_array_equal(data.y, data.qid % 3)
    np.testing.assert_array_equal(data.X[:, 0], data.qid * 2.0)
