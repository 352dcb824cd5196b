"""RankingData is read from tables and written to tables."""

import datetime
import decimal
import gzip
import lzma
import subprocess
import sys

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse

from glassrank.core.checks import DataError
from glassrank.core.feature_kinds import FeatureKind
from glassrank.data.ranking_data import RankingData
from glassrank.data.tables import load_table, save_table

COLUMNS = {
    "qid": ["b", "a", "b"],
    "doc_id": ["d0", "d1", "d2"],
    "label": [2, 0, 1],
    "weight": [1.0, 2.0, 0.5],
    "bm25": [0.1, 0.2, 0.3],
    "age": [10, 20, 30],
    "fresh": [True, False, True],
}


def duckdb_relation(columns):
    table = pa.table(columns)
    return duckdb.connect().from_arrow(table)


FRAMES = {
    "pandas": pd.DataFrame,
    "pandas nullable": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pyarrow": pa.table,
    "duckdb": duckdb_relation,
}
frames = pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
suffixes = pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "csv.gz", "tsv.xz"])


def changed(**columns):
    return {name: values for name, values in (COLUMNS | columns).items() if values is not None}


def write(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def assert_same(data, other):
    assert other.feature_names == data.feature_names
    assert other.qid.tolist() == data.qid.tolist()
    for name in ("doc_ids", "weights"):
        one, two = getattr(data, name), getattr(other, name)
        assert (one is None) == (two is None)
        assert one is None or one.tolist() == two.tolist()
    assert other.y.tolist() == data.y.tolist()
    X = data.X.toarray() if sparse.issparse(data.X) else data.X
    # Bit for bit, -0.0 included; a missing value has one bit pattern in a table.
    assert np.where(np.isnan(X), np.nan, X).tobytes() == np.where(np.isnan(other.X), np.nan, other.X).tobytes()


@frames
def test_tables_of_every_library_give_the_same_data(make):
    data = RankingData.from_frame(make(COLUMNS))
    assert data.qid.tolist() == ["b", "a", "b"]
    assert data.doc_ids.tolist() == ["d0", "d1", "d2"]
    assert data.y.tolist() == [2.0, 0.0, 1.0]
    assert data.weights.tolist() == [1.0, 2.0, 0.5]
    assert data.feature_names == ("bm25", "age", "fresh")
    assert data.X.tolist() == [[0.1, 10.0, 1.0], [0.2, 20.0, 0.0], [0.3, 30.0, 1.0]]


@frames
def test_columns_can_have_other_names(make):
    columns = {"query": [1, 1], "rating": [3, 4], "id": [7, 8], "cost": [1.0, 2.0], "x": [0.5, 0.25]}
    data = RankingData.from_frame(make(columns), qid="query", label="rating", document="id", weight="cost")
    assert data.qid.dtype == np.int64
    assert data.doc_ids.tolist() == ["7", "8"]
    assert data.weights.tolist() == [1.0, 2.0]
    assert data.feature_names == ("x",)


@frames
def test_features_are_in_the_order_given(make):
    data = RankingData.from_frame(make(COLUMNS), features=["age", "bm25"])
    assert data.feature_names == ("age", "bm25")
    assert data.X[1].tolist() == [20.0, 0.2]


@frames
def test_a_text_column_is_a_category(make):
    data = RankingData.from_frame(make(changed(shop=["x", "z", "x"])))
    assert data.kinds[-1] == FeatureKind("category", ("x", "z"))
    assert data.X[:, -1].tolist() == [0.0, 1.0, 0.0]


def test_times_cannot_be_features():
    frame = pl.DataFrame(changed(seen=[datetime.date(2020, 1, 1)] * 3))
    with pytest.raises(DataError, match=r"numbers, booleans or text: got 'seen' \(Date\)\..*exclude=\['seen'\]"):
        RankingData.from_frame(frame)


@frames
def test_doc_id_and_weight_can_be_ignored(make):
    data = RankingData.from_frame(make(changed(doc_id=None)), weight=None)
    assert data.weights is None
    assert data.feature_names == ("weight", "bm25", "age", "fresh")
    assert RankingData.from_frame(make(changed(doc_id=[4, 5, 6])), document=None).feature_names[0] == "doc_id"


@frames
def test_without_a_query_column_all_rows_are_one_query(make):
    assert RankingData.from_frame(make(changed(qid=None)), qid=None).n_queries == 1


@frames
@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("qid", ["b", None, None]),
        ("qid", [1, None, None]),
        ("doc_id", ["d", None, None]),
        ("label", [1.0, None, None]),
        ("label", [1, None, None]),
        ("weight", [1.0, None, None]),
    ],
)
def test_missing_cells_of_query_label_document_and_weight_are_counted(make, name, values):
    with pytest.raises(DataError, match=f"^Column '{name}' has no value in 2 rows, the first at row 1"):
        RankingData.from_frame(make(changed(**{name: values})))


@frames
def test_missing_features_are_rejected_or_kept(make):
    frame = make(changed(bm25=[0.1, None, 0.3], age=[None, 20, 30], fresh=None))
    with pytest.raises(DataError, match=r"2 missing values in 2 features, the first at row 0, feature 'age'"):
        RankingData.from_frame(frame, missing="refuse")
    kept = RankingData.from_frame(frame)
    assert np.isnan(kept.X).tolist() == [[False, True], [True, False], [False, False]]
    assert kept.X[1, 1] == 20.0


@frames
def test_a_fraction_cannot_be_a_query(make):
    with pytest.raises(DataError, match=r"Column 'qid' must contain whole numbers or strings: got 1.5 at position 1"):
        RankingData.from_frame(make(changed(qid=[1.0, 1.5, 2.0])))


@frames
def test_labels_must_be_numbers(make):
    with pytest.raises(DataError, match=r"Column 'label' must contain numbers: got String"):
        RankingData.from_frame(make(changed(label=["good", "bad", "bad"])))


def test_large_whole_numbers_keep_every_digit_in_identifiers():
    ids = [2**62 + 1, 2**62 + 2, 2**62 + 3]
    for make in FRAMES.values():
        data = RankingData.from_frame(make(changed(qid=ids, doc_id=ids)))
        assert data.qid.tolist() == ids
        assert data.doc_ids.tolist() == [str(value) for value in ids]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, duckdb_relation])
def test_identifiers_beyond_int64_become_text(make):
    hashes = np.array([2**64 - 1, 5, 2**63], dtype=np.uint64)
    assert RankingData.from_frame(make(changed(qid=hashes))).qid.tolist() == [str(2**64 - 1), "5", str(2**63)]


def test_decimals_and_small_types_are_numbers():
    columns = changed(
        bm25=pa.array([decimal.Decimal("1.5"), decimal.Decimal("2.25"), None], pa.decimal128(10, 2)),
        age=pa.array([1, 2, 3], pa.int8()),
        fresh=pa.array([0.1, 0.2, 0.3], pa.float32()),
    )
    for frame in (pa.table(columns), pl.from_arrow(pa.table(columns)), duckdb_relation(columns)):
        X = RankingData.from_frame(frame, missing="keep").X
        np.testing.assert_array_equal(X[:, 0], [1.5, 2.25, np.nan])
        np.testing.assert_array_equal(X[:, 1], [1, 2, 3])
        np.testing.assert_array_equal(X[:, 2], np.float32([0.1, 0.2, 0.3]))


def test_numbered_columns_of_pandas_become_names():
    frame = pd.DataFrame(np.arange(4.0).reshape(2, 2)).assign(qid=[1, 1], label=[0, 1])
    data = RankingData.from_frame(frame)
    assert data.feature_names == ("0", "1")
    assert data.X.tolist() == [[0.0, 1.0], [2.0, 3.0]]


@frames
def test_a_table_without_labels_is_read_for_ranking(make):
    columns = changed()
    del columns["label"]
    data = RankingData.from_frame(make(columns), label=None)
    assert (data.y, data.is_judged) == (None, False)
    assert data.feature_names == RankingData.from_frame(make(changed())).feature_names
    assert data.X.tolist() == RankingData.from_frame(make(changed())).X.tolist()
    assert repr(RankingData.from_frame(make(columns), label="auto")) == repr(data)


@frames
def test_a_table_without_labels_is_not_read_by_accident(make):
    columns = changed()
    del columns["label"]
    with pytest.raises(
        DataError, match=r"no column 'label'.*labels can be ranked and explained: read them with label=N"
    ):
        RankingData.from_frame(make(columns))


def test_existing_labels_are_found_and_never_used_as_a_feature():
    frame = pl.DataFrame(changed())
    assert RankingData.from_frame(frame, label="auto").y.tolist() == RankingData.from_frame(frame).y.tolist()
    with pytest.raises(DataError, match=r"label=None means that there are no labels, so the column 'label' would be"):
        RankingData.from_frame(frame, label=None)
    assert RankingData.from_frame(frame, label=None, features=["bm25"]).feature_names == ("bm25",)
    missing = r"There is no column 'grade'"
    with pytest.raises(DataError, match=missing):
        RankingData.from_frame(frame, label="grade")


@pytest.mark.parametrize("name", ["new.csv", "new.tsv.gz", "new.parquet"])
def test_a_file_of_unjudged_documents_round_trips(name, tmp_path):
    data = RankingData.from_frame(pl.DataFrame(changed()).drop("label"), label=None, missing="keep")
    save_table(data, tmp_path / name)
    loaded = load_table(tmp_path / name, label=None, missing="keep")
    assert loaded.y is None
    np.testing.assert_array_equal(loaded.X, data.X)
    assert loaded.doc_ids.tolist() == data.doc_ids.tolist()
    assert "label" not in loaded.to_frame("polars").columns
    with pytest.raises(DataError, match="There is no column 'label'"):
        load_table(tmp_path / name)


def test_an_empty_table_without_labels_is_rejected(tmp_path):
    (tmp_path / "none.csv").write_text("qid,bm25\n")
    with pytest.raises(DataError, match="The table has no rows"):
        load_table(tmp_path / "none.csv", label=None)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"qid": "session"}, r"There is no column 'session': the columns are 'qid', 'doc_id'.*with qid, label"),
        ({"features": ["bm25", "pagerank"]}, "There is no column 'pagerank'"),
        ({"features": ["bm25", "label"]}, "Column 'label' is used 2 times"),
        ({"features": ["bm25", "bm25"]}, "Column 'bm25' is used 2 times"),
        ({"label": "qid"}, "Column 'qid' is used 2 times"),
        ({"features": []}, "There is no feature column"),
        ({"features": "bm25"}, r"features must be a list of columns: got the string 'bm25'. Use features=\['bm25'\]"),
        ({"missing": "drop"}, "missing must be one of 'refuse', 'keep'"),
    ],
)
def test_an_invalid_choice_of_columns_is_rejected(options, message):
    with pytest.raises(DataError, match=message):
        RankingData.from_frame(pl.DataFrame(COLUMNS), **options)


def test_many_columns_are_not_all_listed():
    frame = pl.DataFrame({f"x{number}": [1.0] for number in range(40)})
    with pytest.raises(DataError, match=r"'x11', … \(40 in total\)"):
        RankingData.from_frame(frame)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([[1, 2, 0, 1.0]], columns=["qid", "x", "label", "x"]),
        pa.table([pa.array([1])] * 4, names=["qid", "x", "label", "x"]),
        duckdb.sql("SELECT 1 AS qid, 2 AS x, 0 AS label, 1.0 AS x"),
        duckdb.sql("SELECT 1 AS qid, 2 AS x, 0 AS label, 1.0 AS X"),
    ],
    ids=["pandas", "pyarrow", "duckdb", "duckdb case"],
)
def test_duplicate_column_names_are_rejected(frame):
    with pytest.raises(DataError, match="must have different names"):
        RankingData.from_frame(frame)


@pytest.mark.parametrize("frame", [{"qid": [1]}, [[1, 2]], np.eye(2), None, "data.csv"])
def test_objects_that_are_not_tables_are_rejected(frame):
    with pytest.raises(DataError, match="must be a pandas or Polars frame, an Arrow table or a DuckDB relation"):
        RankingData.from_frame(frame)


@frames
def test_a_table_without_rows_is_rejected(make):
    empty = pa.table(COLUMNS).slice(0, 0)
    with pytest.raises(DataError, match="The table has no rows"):
        RankingData.from_frame(
            make({name: empty[name].to_pylist() for name in empty.column_names}) if make is pd.DataFrame else empty
        )


def test_a_relation_of_a_closed_connection_is_rejected():
    with duckdb.connect() as connection:
        relation = connection.sql("SELECT 1 AS qid, 0 AS label, 1.0 AS x")
    with pytest.raises(DataError, match=r"DuckDB cannot read the relation: .*closed"):
        RankingData.from_frame(relation)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_table_round_trips(backend):
    data = RankingData.from_frame(pl.DataFrame(COLUMNS))
    assert_same(data, RankingData.from_frame(data.to_frame(backend)))


def test_only_columns_that_are_present_are_written():
    data = RankingData([[1.0]], y=[0], qid=[3])
    assert data.to_frame("polars").to_dict(as_series=False) == {"qid": [3], "label": [0.0], "feature 1": [1.0]}


def test_a_sparse_matrix_is_written_in_full():
    data = RankingData(sparse.csr_matrix([[0.0, 2.0], [3.0, 0.0]]), y=[0, 1])
    assert data.to_frame("polars").select("feature 1", "feature 2").rows() == [(0.0, 2.0), (3.0, 0.0)]


@pytest.mark.parametrize("name", ["qid", "doc_id", "label", "weight"])
def test_a_feature_with_a_reserved_name_is_rejected(name, tmp_path):
    data = RankingData([[1.0]], y=[0], feature_names=[name])
    with pytest.raises(DataError, match=f"Feature '{name}' has the name of a reserved column"):
        data.to_frame("polars")
    with pytest.raises(DataError, match="Rename it"):
        save_table(data, tmp_path / "x.csv")


@suffixes
def test_files_round_trip(tmp_path, suffix):
    data = RankingData.from_frame(pl.DataFrame(COLUMNS))
    path = tmp_path / f"data.{suffix}"
    save_table(data, path)
    assert_same(data, load_table(path))


WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8)
FLOATS = st.floats(allow_nan=True, allow_infinity=False)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
@given(
    rows=st.lists(st.tuples(WORDS, WORDS, FLOATS, FLOATS), min_size=1, max_size=8),
    names=st.lists(
        WORDS.filter(lambda name: name.casefold() not in {"qid", "label", "doc_id", "weight"}),
        min_size=2,
        max_size=2,
        unique_by=str.casefold,
    ),
    label=st.floats(allow_nan=False, allow_infinity=False),
)
@settings(deadline=None, max_examples=60)
def test_any_words_and_numbers_round_trip_bit_for_bit(tmp_path_factory, suffix, rows, names, label):
    assume(suffix == "parquet" or not any(sign in name for name in names for sign in "\r\n"))
    qid, doc_ids, one, two = (list(column) for column in zip(*rows, strict=True))
    if suffix != "parquet" and all(query.isdecimal() for query in qid):
        # Queries written as plain whole numbers come back as numbers.
        qid = [f"q{query}" for query in qid]
    data = RankingData(np.column_stack([one, two]), [label] * len(rows), qid, doc_ids, names, missing="keep")
    path = tmp_path_factory.mktemp("tables") / f"data.{suffix}"
    save_table(data, path)
    assert_same(data, load_table(path, missing="keep"))


@pytest.mark.parametrize("name", ["\r", "bm25\n", "of\r\ntitle"])
@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_a_name_with_a_line_break_is_rejected_in_text_and_kept_in_parquet(tmp_path, name, suffix):
    data = RankingData([[1.0]], y=[0], feature_names=[name])
    with pytest.raises(DataError, match="contains a line break: rename it, or save as Parquet"):
        save_table(data, tmp_path / f"x.{suffix}")
    save_table(data, tmp_path / "x.parquet")
    assert load_table(tmp_path / "x.parquet").feature_names == (name,)
    path = tmp_path / "made.csv"
    path.write_bytes(f'qid,label,"{name}"\n1,0,2\n'.encode())
    with pytest.raises(DataError, match="of column 3 contains a line break"):
        load_table(path)


def test_random_bit_patterns_round_trip_bit_for_bit(tmp_path):
    bits = np.random.default_rng(0).integers(0, 2**64, 20_000, dtype=np.uint64)
    values = bits.view(np.float64)
    values = values[np.isfinite(values)][:, None]
    data = RankingData(values, np.zeros(len(values)))
    for suffix in ("csv", "parquet"):
        save_table(data, tmp_path / f"data.{suffix}")
        assert load_table(tmp_path / f"data.{suffix}").X.tobytes() == values.tobytes()


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (["7", "8"], [7, 8]),
        (["-3", "0"], [-3, 0]),
        (["007", "8"], ["007", "8"]),
        (["7.0", "8"], ["7.0", "8"]),
        (["+7", "8"], ["+7", "8"]),
        (["-0", "8"], ["-0", "8"]),
        (["1_000", "8"], ["1_000", "8"]),
        ([" 7", "8"], [" 7", "8"]),
        (["9" * 19, "8"], ["9" * 19, "8"]),
        (["nan", "NULL"], ["nan", "NULL"]),
        (["true", "2020-01-01"], ["true", "2020-01-01"]),
    ],
)
def test_queries_of_a_csv_file_are_read_as_written(tmp_path, written, expected):
    path = write(tmp_path / "x.csv", f"qid,label,x\n{written[0]},1,2\n{written[1]},0,3\n")
    assert load_table(path).qid.tolist() == expected


@pytest.mark.parametrize(
    "text",
    [
        "qid,label,x\r\n1,0,2.5\r\n1,1,3\r\n",
        "qid,label,x\r1,0,2.5\r1,1,3\r",
        "qid,label,x\n1,0,2.5\n1,1,3",
        "\ufeffqid,label,x\n1,0,2.5\n1,1,3\n",
        "qid,label,x\n\n1,0,2.5\n\n\n1,1,3\n\n",
        '"qid","label","x"\n"1","0","2.5"\n"1","1","3"\n',
        "label,x,qid\n0,2.5,1\n1,+3.0e0,1\n",
        "qid,label,x\n1, 0 ,2.5\n1,1,3.\n",
    ],
    ids=["crlf", "cr", "no last newline", "byte order mark", "blank lines", "quoted", "other order", "spaces"],
)
def test_equivalent_csv_texts_are_read_the_same(tmp_path, text):
    data = load_table(write(tmp_path / "x.csv", text))
    assert data.qid.tolist() == [1, 1]
    assert data.y.tolist() == [0.0, 1.0]
    assert data.X.tolist() == [[2.5], [3.0]]


def test_quotes_delimiters_and_line_ends_inside_quotes_are_text(tmp_path):
    text = 'qid,label,x,doc_id\n"a,b",0,1,"say ""hi"""\n"line\nbreak",1,2,"mixed\r\nends"\nplain,0,3,5" disk\n'
    data = load_table(write(tmp_path / "x.csv", text))
    assert data.qid.tolist() == ["a,b", "line\nbreak", "plain"]
    assert data.doc_ids.tolist() == ['say "hi"', "mixed\r\nends", '5" disk']


def test_names_that_differ_in_case_are_different_in_csv(tmp_path):
    data = load_table(write(tmp_path / "x.csv", "qid,label,x,X\n1,0,1,2\n"))
    assert data.feature_names == ("x", "X")
    assert data.X.tolist() == [[1.0, 2.0]]


def test_text_columns_are_ignored_if_the_features_are_listed(tmp_path):
    data = load_table(write(tmp_path / "x.csv", "qid,label,title,x\n1,0,some words,2\n"), features=["x"])
    assert data.X.tolist() == [[2.0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ":1: expected a header line with the column names, got an empty file"),
        ("\nqid,label,x\n1,0,1\n", ":1: expected a header line with the column names, got a blank line"),
        ("qid,label,x\n", ": The table has no rows"),
        ("1,0,0.5\n1,1,0.25\n", ": There are no columns 'qid', 'label': the columns are '1', '0', '0.5'.*header line"),
        ("qid,label,x,x\n1,0,1,2\n", ":1: columns 3 and 4 are both named 'x'"),
        (",qid,label,x\n0,1,0,1\n", r":1: column 1 has no name.*to_csv\(index=False\)"),
        ("qid,label,x\n1,0,1\n1,0\n", ":3: expected 3 fields as in the header, got 2"),
        ("qid,label,x\n1,0,1\n1,0,1,7\n", ":3: expected 3 fields as in the header, got 4"),
        ("qid,label,x\n1,0,1\n1,0,1,\n", ":3: expected 3 fields as in the header, got 4"),
        ('qid,label,x\n"1",0,1\n\n1,0,1,\n', ":4: expected 3 fields as in the header, got 4"),
        ("qid,label,x\n1,0,1\n1,0,high\n", ":3: column 'x' contains numbers and text, such as '1' and 'high'"),
        ("qid,label,x\n1,0,1\n1,?,2\n", ":3: column 'label' must contain numbers: got '\\?'"),
        ("qid,label,x\n1,0,1_000\n1,0,7\n", ":2: column 'x' contains numbers in another notation, such as '1_000'"),
        ("qid,label,x\n1,0,0x10\n1,0,7\n", ":2: column 'x' contains numbers and text, such as '7' and '0x10'"),
        ("qid,label,x\n1,0,NULL\n1,0,7\n", ":2: column 'x' contains numbers and text, such as '7' and 'NULL'"),
        ("qid,label,x\n1,0,true\n1,0,7\n", ":2: column 'x' contains numbers and text, such as '7' and 'true'"),
        ("qid,label,x\n1,0, \n1,0,7\n", ":2: column 'x' contains numbers and text, such as '7' and ' '"),
        ("qid,label,x\n1,0,nan\n1,0,7\n", r":2: column 'x' contains numbers.*missing_values=\['nan'\], if the column"),
        ('qid,label,x\n1,0,"1,5"\n1,0,7\n', ":2: column 'x' contains numbers in another notation, such as '1,5'"),
        ('qid,label,x\n\n"a\nb",0,1\n1,0,high\n', ":5: column 'x' contains numbers and text, such as '1' and 'high'"),
        ("qid,label,x\n#1,0,1\n# a comment\n", ":3: expected 3 fields as in the header, got 1"),
        ("qid,label,x\n1,0,1\n,0,1\n,1,1\n", ": Column 'qid' has no value in 2 rows, the first at line 3"),
        ('qid,label,x\n\n1,"",1\n', ": Column 'label' has no value in 1 row, the first at line 3"),
        ("qid,label,x\n1,0,1e999\n", ": The data have 1 infinite value.*the first at row 0, feature 'x'"),
        ('qid,label,x\n"1,0,1\n1,0,1\n', ":2: a quoted field is not closed"),
        ('qid,label,x\n"1"2,0,1\n1,0,1\n', ":2: ',' expected after '\"'"),
        ('qid,label,x\n "1",0,1\n', ":2: there is a space before the opening quote of a field"),
        ("qid,label,x\n1,0,1\r\n1,0,1\n", r": some lines end in \\r\\n and others in \\n"),
        (b"qid,label,x\n1,0,1\nq\xe9,0,1\n", ":3: expected UTF-8 text, got the byte 0xe9"),
        ("qid,label,x\n1,0,1\n".encode("utf-16"), ": contains a zero byte: expected UTF-8 text"),
        ('qid;label;x\n"1, a";0;1\n', ":1: the delimiter looks like ';': the header is the one column 'qid;label;x'"),
        ('"qid";"label"\n"1";0\n', ":1: the delimiter looks like ';'"),
        ('my qid\n"1" 2\n', ":2: .*Close each quoted field"),
        ("qid;label;x\n1;0;1\n", ":1: the delimiter looks like ';': the header is the one column 'qid;label;x'"),
    ],
)
def test_a_faulty_file_is_rejected_with_its_name_and_line(tmp_path, text, message):
    path = write(tmp_path / "x.csv", text)
    with pytest.raises(DataError, match=message) as error:
        load_table(path)
    assert str(error.value).startswith(f"{path}:")
    assert str(error.value).count(str(path)) == 1


def test_a_fault_far_down_is_found(tmp_path):
    rows = [f"{row // 10},{row % 3},{row / 7}" for row in range(200_000)]
    rows[150_000] = "15000,1,oops"
    path = write(tmp_path / "x.csv", "\n".join(["qid,label,x", *rows, ""]))
    with pytest.raises(
        DataError, match=r"x.csv:150002: column 'x' contains numbers and text, such as '0.0' and 'oops'"
    ):
        load_table(path)


def test_rows_keep_the_order_of_the_file(tmp_path):
    rows = [f"{row // 10},0,{row}" for row in range(300_000)]
    data = load_table(write(tmp_path / "x.csv", "\n".join(["qid,label,x", *rows, ""])))
    assert (data.X[:, 0] == np.arange(300_000)).all()


@pytest.mark.parametrize("name", ["a*b.csv", "x[1].csv", "what?.csv", "it's.csv", "lang=en/x.csv", "{a,b}.csv"])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_file_name_with_pattern_characters_is_read_literally(tmp_path, name, suffix):
    (tmp_path / "lang=en").mkdir()
    path = (tmp_path / name).with_suffix(f".{suffix}")
    data = RankingData([[1.0]], y=[0], feature_names=["x"])
    for other in ("aXb", "x1", "whatX", "a", "b"):
        save_table(RankingData([[2.0], [3.0]], y=[0, 1], feature_names=["x"]), tmp_path / f"{other}.{suffix}")
    save_table(data, path)
    assert_same(data, load_table(path))


@pytest.mark.parametrize("format_", ["csv", "tsv", "parquet"])
def test_the_format_can_be_given(tmp_path, format_):
    data = RankingData([[1.5]], y=[0], qid=["a"], feature_names=["x"])
    save_table(data, tmp_path / "table", format=format_)
    assert_same(data, load_table(tmp_path / "table", format=format_))


def test_an_unknown_suffix_lists_the_formats(tmp_path):
    for call in (load_table, lambda path: save_table(RankingData([[1.0]], y=[0]), path)):
        with pytest.raises(DataError, match="must be one of 'csv', 'tsv', 'parquet': got 'xlsx'"):
            call(tmp_path / "x.xlsx")


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_missing_file_is_rejected(tmp_path, suffix):
    with pytest.raises(DataError, match="there is no such file"):
        load_table(tmp_path / f"x.{suffix}")


def test_a_truncated_compressed_file_is_rejected(tmp_path):
    # Cut inside the packed data: a reader that takes what it gets would see whole lines.
    text = "qid,label,x\n" + "1,0,2.5\n" * 50_000
    path = write(tmp_path / "x.csv.gz", gzip.compress(text.encode())[:-200])
    with pytest.raises(DataError, match="the gzip data are truncated"):
        load_table(path)


def test_compressed_files_with_a_plain_name_are_decompressed(tmp_path):
    path = write(tmp_path / "x.csv", lzma.compress(b"qid,label,x\n1,0,2.5\n"))
    assert load_table(path).X.tolist() == [[2.5]]


def test_a_file_that_is_not_parquet_is_rejected(tmp_path):
    path = write(tmp_path / "x.parquet", "qid,label,x\n1,0,2.5\n")
    with pytest.raises(DataError, match=r"x.parquet: expected a Parquet file"):
        load_table(path)


@pytest.mark.parametrize("names", [["qid", "label", "x", "X"], ["qid", "label", "x", "x"]])
def test_duplicate_parquet_columns_are_rejected(tmp_path, names):
    pq.write_table(pa.table([pa.array([1])] * 4, names=names), tmp_path / "x.parquet")
    with pytest.raises(DataError, match=r"x.parquet: two columns have the same name \(case is ignored\)"):
        load_table(tmp_path / "x.parquet")


def test_parquet_of_another_writer_is_read(tmp_path):
    pq.write_table(pa.table(COLUMNS), tmp_path / "x.parquet")
    assert_same(RankingData.from_frame(pa.table(COLUMNS)), load_table(tmp_path / "x.parquet"))


def test_other_readers_can_read_written_files(tmp_path):
    data = RankingData.from_frame(pl.DataFrame(COLUMNS))
    save_table(data, tmp_path / "x.parquet")
    save_table(data, tmp_path / "x.csv")
    for frame in (
        pq.read_table(tmp_path / "x.parquet"),
        pl.read_parquet(tmp_path / "x.parquet"),
        pd.read_csv(tmp_path / "x.csv"),
    ):
        assert_same(data, RankingData.from_frame(frame))


def test_features_that_differ_only_in_case_are_not_written(tmp_path):
    data = RankingData([[1.0, 2.0]], y=[0], feature_names=["x", "X"])
    for name in ("x.csv", "x.parquet"):
        with pytest.raises(DataError, match=r"must have different names \(DuckDB ignores case\): got 'x' and 'X'"):
            save_table(data, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_save_leaves_the_old_file(tmp_path):
    path = write(tmp_path / "x.csv", "old")
    with pytest.raises(DataError, match="reserve"):
        save_table(RankingData([[1.0]], y=[0], feature_names=["label"]), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_duckdb_and_its_files_need_neither_pandas_nor_pyarrow(tmp_path):
    script = """
import sys
for name in ("pandas", "pyarrow", "polars"):
    sys.modules[name] = None
import duckdb
from glassrank.data.tables import load_table, save_table
from glassrank.data.ranking_data import RankingData
data = RankingData.from_frame(duckdb.sql("SELECT 'q' AS qid, 'd' AS doc_id, 1 AS label, 0.1::DOUBLE AS x"))
for name in ("x.csv", "x.parquet"):
    save_table(data, name)
    print(load_table(name).X.tolist(), load_table(name).qid.tolist(), load_table(name).doc_ids.tolist())
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout == "[[0.1]] ['q'] ['d']\n" * 2


def test_identifiers_of_19_digits_are_numbers_if_they_fit_into_64_bits(tmp_path):
    """Like those of 18 digits: the kind of an identifier does not change with one more digit."""
    for largest, expected in ((10**17 + 1, 10**17 + 1), (2**63 - 1, 2**63 - 1), (2**63, str(2**63))):
        path = write(tmp_path / "t.csv", f"qid,label,x\n{largest},0,1\n{largest},1,2\n")
        assert load_table(path).qid.tolist() == [expected] * 2
