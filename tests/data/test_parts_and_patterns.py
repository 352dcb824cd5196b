"""Tables of one list: columns by pattern or range, rows by a column of parts, no column of queries."""

import numpy as np
import polars
import pytest

from glassrank.core.checks import DataError
from glassrank.data.load_data import load_data
from glassrank.data.ranking_columns import pick_columns
from glassrank.data.ranking_data import RankingData

NAMES = ["id", "Activity", "set", "S_1", "S_2", "N_1", "MW", "a[b]", "x..y"]


def compounds(**more):
    columns = {
        "id": ["c1", "c2", "c3", "c4"],
        "Activity": [-4.5, 6.25, 7.0, None],
        "set": [1, 2, 1, 3],
        "S_1": [0.5, 1.5, 2.5, 3.5],
        "S_2": [1, 2, 3, 4],
        "family": ["A", "B", "A", "C"],
    }
    return polars.DataFrame(columns | more)


COLUMNS = {"qid": None, "label": "Activity", "document": "id", "split": "set"}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["S_*"], ["S_1", "S_2"]),
        (["?_1"], ["S_1", "N_1"]),
        (["S_2.."], ["S_2", "N_1", "MW", "a[b]", "x..y"]),
        (["S_2..MW"], ["S_2", "N_1", "MW"]),
        (["..S_1"], ["set", "S_1"]),
        (["*_1", "S_*"], ["S_1", "N_1", "S_2"]),
        (["a[b]", "x..y"], ["a[b]", "x..y"]),
        (["absent"], ["absent"]),  # reported by the reader, together with the columns that it needs
    ],
)
def test_columns_are_named_by_themselves_by_pattern_or_by_range(given, expected):
    assert pick_columns("features", given, NAMES, taken=["id", "Activity"]) == expected


@pytest.mark.parametrize(
    ("given", "message"),
    [("T_*", "no column for 'T_.'"), ("S_1..Z", "no column 'Z', an end of"), ("MW..S_1", "no column for 'MW..S_1'")],
)
def test_patterns_and_ranges_without_a_column_are_refused(given, message):
    with pytest.raises(DataError, match=message):
        pick_columns("features", [given], NAMES)


def test_a_part_is_one_list_of_its_own():
    data = RankingData.from_frame(compounds(), part="1", features=["S_*"], **COLUMNS)
    assert (data.qid.tolist(), data.doc_ids.tolist(), data.y.tolist()) == (["1", "1"], ["c1", "c3"], [-4.5, 7.0])
    assert (data.feature_names, data.X.tolist()) == (("S_1", "S_2"), [[0.5, 1], [2.5, 3]])


def test_labels_may_be_missing_in_other_parts_only():
    assert RankingData.from_frame(compounds(), part="2", **COLUMNS).y.tolist() == [6.25]
    with pytest.raises(DataError, match="Column 'Activity' has no value in 1 row, the first at row 3"):
        RankingData.from_frame(compounds(), part="3", **COLUMNS)


def test_parts_share_the_levels_of_the_whole_table():
    train, test = (RankingData.from_frame(compounds(), part=part, **COLUMNS) for part in ("1", "2"))
    assert train.kinds == test.kinds
    assert train.kinds[-1].levels == ("A", "B", "C")
    assert (train.X[:, -1].tolist(), test.X[:, -1].tolist()) == ([0, 0], [1])


def test_the_column_of_parts_is_no_feature():
    assert "set" not in RankingData.from_frame(compounds(), part="1", **COLUMNS).feature_names


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
def test_files_are_divided_like_frames(suffix, tmp_path):
    frame = compounds()
    path = tmp_path / f"c.{suffix}"
    if suffix == "parquet":
        frame.write_parquet(path)
    else:
        frame.write_csv(path, separator="," if suffix == "csv" else "\t")
    read = load_data(path, part="1", exclude=["f*"], **COLUMNS)
    expected = RankingData.from_frame(frame, part="1", exclude=["f*"], **COLUMNS)
    np.testing.assert_array_equal(read.X, expected.X)
    assert read.feature_names == expected.feature_names == ("S_1", "S_2")
    assert read.qid.tolist() == ["1", "1"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"part": "train"}, r"part must be a value of the column 'set', one of '1', '2', '3': got 'train'"),
        ({}, "got None"),
        ({"split": "fold", "part": "1"}, "no column 'fold'"),
        ({"split": None, "part": "1"}, "part '1' has no effect without a column to split by"),
        ({"split": "S_1", "part": "0.5", "features": ["S_1"]}, "Column 'S_1' is used 2 times"),
    ],
)
def test_unknown_parts_are_refused(options, message):
    with pytest.raises(DataError, match=message):
        RankingData.from_frame(compounds(), **COLUMNS | options)


def test_every_row_must_be_in_a_part():
    with pytest.raises(DataError, match="Column 'set' has no value in 1 row, the first at row 1"):
        RankingData.from_frame(compounds(set=["train", None, "train", "test"]), part="train", **COLUMNS)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("id\tlabel\n1\t2\n", "tsv"),
        ("id,label\n1,2\n", "csv"),
        ("id label\n1 2\n", "commas or tabs between its columns"),
    ],
)
def test_a_table_named_like_letor_text_is_recognised_in_the_message(line, message, tmp_path):
    (tmp_path / "t.txt").write_text(line)
    with pytest.raises(DataError, match=message):
        load_data(tmp_path / "t.txt")
