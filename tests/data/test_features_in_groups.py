"""Features of a large table are read a few at a time: the result does not depend on how many."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

from glassrank.core.checks import DataError
from glassrank.data import ranking_columns
from glassrank.data.load_data import load_data
from glassrank.data.ranking_data import RankingData

COLUMNS = {
    "qid": [1, 1, 2, 2],
    "label": [2, 0, 1, 0],
    "bm25": [3.5, None, 1.25, -7.0],
    'site "<b>"': ["news", None, "shop", "news"],
    "new": [True, False, None, True],
    "constant": [4, 4, 4, 4],
    "price": ["1", "", "2.5", "NA"],
    "weight": [1.0, 0.0, 2.0, 1.0],
    "set": ["train", "train", "test", "train"],
}
SOURCES = {
    "pandas": lambda folder: pd.DataFrame(COLUMNS),
    "polars": lambda folder: pl.DataFrame(COLUMNS),
    "polars lazy": lambda folder: pl.LazyFrame(COLUMNS),
    "duckdb": lambda folder: duckdb.from_df(pd.DataFrame(COLUMNS)),
    "csv": lambda folder: written(folder / "dirty.csv"),
    "parquet": lambda folder: written(folder / "dirty.parquet"),
}


def written(path):
    frame = pl.DataFrame(COLUMNS)
    frame.write_csv(path) if path.suffix == ".csv" else frame.write_parquet(path)
    return path


def read(source, **options):
    options |= {"missing_values": ["NA"], "split": "set"}
    loaded = load_data if hasattr(source, "suffix") else RankingData.from_frame
    return loaded(source, **options)


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("part", ["train", "test"])
def test_the_number_of_features_read_at_once_changes_nothing(tmp_path, monkeypatch, kind, part):
    whole = read(SOURCES[kind](tmp_path), part=part)
    for values in (1, 8):
        monkeypatch.setattr(ranking_columns, "VALUES_AT_ONCE", values)
        found = read(SOURCES[kind](tmp_path), part=part)
        assert (found.feature_names, found.kinds) == (whole.feature_names, whole.kinds)
        np.testing.assert_array_equal(found.X, whole.X)
        np.testing.assert_array_equal(found.y, whole.y)
    # Written by hand, from the columns above; levels are in alphabetical order.
    expected = {
        "train": [[3.5, 0, 1, 4, 1], [np.nan, np.nan, 0, 4, np.nan], [-7, 0, 1, 4, np.nan]],
        "test": [[1.25, 1, np.nan, 4, 2.5]],
    }
    np.testing.assert_array_equal(whole.X, expected[part])


@pytest.mark.parametrize("split", [None, "set"])
def test_a_table_without_rows_is_an_error(split):
    table = pl.DataFrame(schema={"qid": pl.Int64, "label": pl.Float64, "bm25": pl.Float64, "set": pl.String})
    options = {} if split is None else {"split": split, "part": "train"}
    with pytest.raises(DataError, match="The table has no rows"):
        RankingData.from_frame(table.drop("set") if split is None else table, **options)
