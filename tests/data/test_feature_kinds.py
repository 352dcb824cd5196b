"""Numbers, yes/no values and categories with missing values are the same data in every kind of table."""

import csv
import io
from contextlib import nullcontext
from dataclasses import dataclass

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import glassrank as gr
from glassrank import DataError, RankingData
from glassrank.core.feature_kinds import FeatureKind
from glassrank.data.join_data import join_data

ARROW = {"number": pa.float64(), "boolean": pa.bool_(), "category": pa.string()}


@dataclass(frozen=True)
class Table:
    """Columns of Python values, None if missing, with the kind of each feature."""

    columns: dict
    kinds: dict

    @property
    def arrow(self):
        types = {name: ARROW[kind] for name, kind in self.kinds.items()}
        return pa.table({name: pa.array(values, types.get(name)) for name, values in self.columns.items()})


def delimited(table, delimiter):
    """The table as Python's csv module writes it, with numbers as repr."""
    file = io.StringIO()
    # Python's writer does not quote a carriage return by itself.
    returns = any(isinstance(value, str) and "\r" in value for values in table.columns.values() for value in values)
    quoting = csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n", quoting=quoting)
    writer.writerow(table.columns)
    for row in zip(*table.columns.values(), strict=True):
        writer.writerow(["" if value is None else repr(value) if isinstance(value, float) else value for value in row])
    return file.getvalue().encode()


def load(content, suffix, folder, **options):
    path = folder / f"table.{suffix}"
    path.write_bytes(content)
    return gr.load_data(path, **options)


def parquet(table):
    file = io.BytesIO()
    pq.write_table(table.arrow, file)
    return file.getvalue()


def nullable(table):
    """The table with pandas' own types for missing values."""
    types = {"number": "Float64", "boolean": "boolean", "category": "string"}
    columns = table.columns.items()
    return pd.DataFrame({n: pd.array(v, types[table.kinds[n]]) if n in table.kinds else v for n, v in columns})


READERS = {
    "tsv": lambda table, folder, **o: load(delimited(table, "\t"), "tsv", folder, **o),
    "parquet": lambda table, folder, **o: load(parquet(table), "parquet", folder, **o),
    "pandas": lambda table, folder, **o: RankingData.from_frame(pd.DataFrame(table.columns), **o),
    "pandas nullable": lambda table, folder, **o: RankingData.from_frame(nullable(table), **o),
    "polars": lambda table, folder, **o: RankingData.from_frame(pl.from_arrow(table.arrow), **o),
    "polars lazy": lambda table, folder, **o: RankingData.from_frame(pl.from_arrow(table.arrow).lazy(), **o),
    "pyarrow": lambda table, folder, **o: RankingData.from_frame(table.arrow, **o),
    "duckdb": lambda table, folder, **o: RankingData.from_frame(duckdb.connect().from_arrow(table.arrow), **o),
}
every_reader = pytest.mark.parametrize("reader", ["csv", *READERS])


def read(reader, table, folder, **options):
    if reader == "csv":
        return load(delimited(table, ","), "csv", folder, **options)
    return READERS[reader](table, folder, **options)


def expected_data(table):
    """The data by the rules: sorted levels and their codes, 1 and 0 for yes and no, NaN for missing values."""
    codes, kinds = [], []
    for name, kind in table.kinds.items():
        values = [None if value == "" else value for value in table.columns[name]]
        levels = sorted({value for value in values if value is not None}) if kind == "category" else ()
        place = {level: float(code) for code, level in enumerate(levels)}
        codes.append([np.nan if value is None else place[value] if levels else float(value) for value in values])
        kinds.append((kind, tuple(levels) if kind == "category" else ("no", "yes") if kind == "boolean" else ()))
    return np.array(codes).T, kinds


def assert_as_expected(data, table):
    X, kinds = expected_data(table)
    assert np.ascontiguousarray(data.X).tobytes() == np.ascontiguousarray(X).tobytes()
    assert [(kind.name, kind.levels) for kind in data.kinds] == kinds
    assert data.feature_names == tuple(table.kinds)
    assert data.qid.tolist() == table.columns["qid"]
    assert data.y.tolist() == table.columns["label"]
    assert data.doc_ids.tolist() == table.columns["doc_id"]
    assert data.weights.tolist() == table.columns["weight"]


NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, -0.0, 5e-324, 1.7e308, 2.0**53, 0.1])
# Levels that are neither numbers nor booleans; two words keep them from looking like either, or like a unit.
ODD_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8) | st.sampled_from(
    [
        '"',
        'a "b"',
        ",",
        "a,b",
        "two\nlines",
        "a\r\nb",
        "\r",
        ' "',
        "\t",
        "  ",
        "NA",
        "null",
        "ß",
        "日本",
        "é",
        "#",
        "'",
        "\\",
    ]
)
LEVELS = ODD_TEXT.map(lambda text: f"{text}ö ö")


@st.composite
def tables(draw):
    n_rows = draw(st.integers(1, 12))

    def column(values, gaps=True):
        elements = st.none() | values if gaps else values
        return draw(st.lists(elements, min_size=n_rows, max_size=n_rows))

    levels = st.sampled_from([*draw(st.lists(LEVELS, min_size=1, max_size=4, unique=True)), ""])
    kinds = {"number": NUMBERS, "boolean": st.booleans(), "category": levels}
    features = draw(st.lists(st.sampled_from(sorted(kinds)), min_size=1, max_size=4))
    columns = {
        "qid": column(st.sampled_from(["a", "b c", "é"]), gaps=False),
        "doc_id": [f"d{row}" for row in range(n_rows)],
        "label": column(st.sampled_from([0.0, 1.0, 2.5]), gaps=False),
        "weight": column(st.sampled_from([0.5, 1.0, 3.0]), gaps=False),
    }
    named = {}
    for number, kind in enumerate(features):
        values = column(kinds[kind])
        known = {value for value in values if value not in (None, "")}
        # A column without any value is one of numbers: nothing says that it is anything else.
        named[f"f {number}"] = kind if known or kind == "boolean" else "number"
        columns[f"f {number}"] = values if known else [None] * n_rows
    return Table(columns, named)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(table=tables())
def test_the_same_table_is_the_same_data_in_every_format_and_library(table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    for reader in ("csv", *READERS):
        data = read(reader, table, folder)
        booleans = [name for name, kind in table.kinds.items() if kind == "boolean" and not any_known(table, name)]
        # Text and plain pandas cannot say that a column without any value is one of booleans.
        if booleans and reader in ("csv", "tsv", "pandas", "pandas nullable"):
            continue
        assert_as_expected(data, table)


def any_known(table, name):
    return any(value is not None for value in table.columns[name])


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(table=tables(), suffix=st.sampled_from(["csv", "tsv", "parquet"]))
def test_saved_data_load_as_they_were(table, suffix, tmp_path_factory):
    data = read("pyarrow", table, None)
    path = tmp_path_factory.mktemp("saved") / f"data.{suffix}"
    kinds = [(kind.name, kind.levels) for kind in data.kinds]
    empty = np.isnan(data.X).all(axis=0) & (suffix != "parquet")
    lost = any(gone and name != "number" for (name, _), gone in zip(kinds, empty, strict=True))
    with pytest.warns(UserWarning, match="which has no value, is a yes/no feature") if lost else nullcontext():
        gr.save_data(data, path)
    loaded = gr.load_data(path)
    kinds = [("number", ()) if gone else kind for kind, gone in zip(kinds, empty, strict=True)]
    assert loaded.X.tobytes() == np.ascontiguousarray(data.X).tobytes()
    assert [(kind.name, kind.levels) for kind in loaded.kinds] == kinds
    assert loaded.feature_names == data.feature_names
    for name in ("qid", "y", "doc_ids", "weights"):
        assert getattr(loaded, name).tolist() == getattr(data, name).tolist()


NUMBER_LIKE = {
    "numbers": ("-3e2", "1", "2.5"),
    "booleans": ("FALSE", "true"),
    "mixed": ("7", "seven"),
    "names": tuple(f"row {k:02}" for k in range(24)),
    "none": (),
}


def as_category(levels):
    """Data with one category of these levels, one of them missing, and a number."""
    codes = [*range(len(levels)), np.nan]
    X = np.column_stack([codes, np.arange(len(codes))])
    kinds = [FeatureKind("category", levels), FeatureKind()]
    return RankingData(X, X[:, 1] % 2, ["q"] * len(codes), feature_names=['it\'s a "size"', "x"], kinds=kinds)


@pytest.mark.parametrize("levels", NUMBER_LIKE.values(), ids=NUMBER_LIKE)
@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
def test_a_category_whose_levels_look_like_something_else_is_never_lost_silently(suffix, levels, tmp_path):
    data, path = as_category(levels), tmp_path / f"data.{suffix}"
    name = data.feature_names[0]
    warned = pytest.warns(UserWarning, match="Save it as Parquet, which stores the kinds, or load it with categorical=")
    with nullcontext() if suffix == "parquet" else warned:
        gr.save_data(data, path)
    loaded = gr.load_data(path) if suffix == "parquet" else gr.load_data(path, categorical=[name])
    assert loaded.kinds == data.kinds
    assert loaded.X.tobytes() == data.X.tobytes()


@pytest.mark.parametrize(("level", "read"), [("", "a missing value"), ("5.0", "'5'")])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_level_that_no_table_can_store_is_refused(suffix, level, read, tmp_path):
    with pytest.raises(DataError, match=f"Level '{level}' of .* would be read back as {read}. Rename the level"):
        gr.save_data(as_category((level, "a")), tmp_path / f"data.{suffix}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("write", ["polars", "pandas", "pyarrow"])
def test_the_categories_of_other_writers_are_levels_in_parquet_too(write, tmp_path):
    path = tmp_path / "a.parquet"
    columns = {"f": ["10", None, "9"], "g": ["1", "2", "3"]}
    if write == "polars":
        frame = pl.DataFrame(columns).cast({"f": pl.Categorical})
        frame.write_parquet(path)
    elif write == "pandas":
        frame = pd.DataFrame(columns).astype({"f": "category"})
        frame.to_parquet(path)
    else:
        frame = pa.table({**columns, "f": pa.array(columns["f"]).dictionary_encode()})
        pq.write_table(frame, path)
    for data in (gr.load_data(path, qid=None, label=None), RankingData.from_frame(frame, qid=None, label=None)):
        assert [(kind.name, kind.levels) for kind in data.kinds] == [("category", ("10", "9")), ("number", ())]
        np.testing.assert_array_equal(data.X[:, 0], [0.0, np.nan, 1.0])


@pytest.mark.parametrize("content", ["[1]", "{}", "["])
def test_a_damaged_list_of_categories_is_refused(content, tmp_path):
    schema = pa.schema([("f", pa.string())], metadata={"glassrank:categories": content})
    pq.write_table(pa.table({"f": ["a"]}, schema=schema), tmp_path / "a.parquet")
    with pytest.raises(DataError, match="the list of categories in the file is damaged"):
        gr.load_data(tmp_path / "a.parquet", qid=None, label=None)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_data_frames_round_trip(backend):
    kinds = [FeatureKind("boolean"), FeatureKind("category", ("news", "shop")), FeatureKind()]
    X = np.array([[1.0, 0.0, 0.1], [np.nan, np.nan, np.nan], [0.0, 1.0, -2.0]])
    data = RankingData(X, [0, 1, 2], ["q"] * 3, feature_names=["new", "site", "price"], kinds=kinds)
    back = RankingData.from_frame(data.to_frame(backend))
    assert back.X.tobytes() == X.tobytes()
    assert back.kinds == data.kinds


def small(values, kind="category", **others):
    n_rows = len(values)
    columns = {"qid": ["q"] * n_rows, "label": [float(row % 2) for row in range(n_rows)], "f": values, **others}
    return Table(columns, {"f": kind})


@every_reader
def test_a_word_among_numbers_is_an_error_with_line_column_and_remedies(reader, tmp_path):
    table = small(["1.5", "2", "NA", "3"])
    with pytest.raises(DataError) as caught:
        read(reader, table, tmp_path)
    message = str(caught.value)
    place = {"csv": "table.csv:4: ", "tsv": "table.tsv:4: "}.get(reader, "row 2: ")
    assert f"{place}column 'f' contains numbers and text" in message
    for remedy in ("missing_values=['NA']", "categorical=['f']", "exclude=['f']"):
        assert remedy in message


@every_reader
def test_a_word_means_a_missing_number_only_if_told(reader, tmp_path):
    table = small(["1.5", "NA", "", "null", "3"])
    data = read(reader, table, tmp_path, missing_values=["NA", "null"])
    np.testing.assert_array_equal(data.X[:, 0], [1.5, np.nan, np.nan, np.nan, 3.0])
    assert data.kinds[0].name == "number"
    with pytest.raises(DataError, match="'null'"):
        read(reader, table, tmp_path, missing_values=["NA"])


@every_reader
def test_a_word_for_missing_numbers_is_a_level_among_other_words(reader, tmp_path):
    table = small(["NA", "shop", "", "NA"])
    for told in ([], ["NA"]):
        data = read(reader, table, tmp_path, missing_values=told)
        assert data.kinds[0].levels == ("NA", "shop")
        np.testing.assert_array_equal(data.X[:, 0], [0.0, 1.0, np.nan, 0.0])


@every_reader
@pytest.mark.parametrize("word", ["nan", "NaN", "null", "N/A", "-", "None"])
def test_no_word_is_a_missing_number_by_itself(reader, word, tmp_path):
    if reader.startswith("pandas") and word in ("nan", "NaN"):
        word = "n.a."
    with pytest.raises(DataError, match="numbers and text"):
        read(reader, small(["1", word, "2"]), tmp_path)


@every_reader
def test_infinite_numbers_are_refused_also_as_text(reader, tmp_path):
    for values in (["1", "inf"], ["-inf", "Infinity"], ["1e999", "2"]):
        with pytest.raises(DataError, match="infinite value"):
            read(reader, small(values), tmp_path)


@every_reader
def test_empty_text_is_a_missing_level(reader, tmp_path):
    data = read(reader, small(["b", "", None, "a"]), tmp_path)
    np.testing.assert_array_equal(data.X[:, 0], [1.0, np.nan, np.nan, 0.0])


@every_reader
def test_text_of_numbers_is_a_column_of_numbers(reader, tmp_path):
    data = read(reader, small([" 5", "5.", ".5e1", "-0", ""]), tmp_path)
    assert data.kinds[0].name == "number"
    assert data.X[:, 0].tobytes() == np.array([5.0, 5.0, 5.0, -0.0, np.nan]).tobytes()


@every_reader
def test_text_of_true_and_false_is_a_yes_or_no(reader, tmp_path):
    data = read(reader, small(["TRUE", "False", "true", ""]), tmp_path)
    assert data.kinds[0] == FeatureKind("boolean")
    np.testing.assert_array_equal(data.X[:, 0], [1.0, 0.0, 1.0, np.nan])
    assert read(reader, small(["true", "false", "maybe"]), tmp_path).kinds[0].levels == ("false", "maybe", "true")


@every_reader
@pytest.mark.parametrize("values", [[501, 7, None, 501], [501.0, 7.0, None, 501.0], ["501.0", "7", "", "501"]])
def test_whole_numbers_are_levels_without_decimals(reader, values, tmp_path):
    kind = "category" if isinstance(values[0], str) else "number"
    data = read(reader, small(values, kind), tmp_path, categorical=["f"])
    assert data.kinds[0] == FeatureKind("category", ("501", "7"))
    np.testing.assert_array_equal(data.X[:, 0], [0.0, 1.0, np.nan, 0.0])


@every_reader
def test_fractions_and_missing_numbers_of_a_category_have_one_spelling(reader, tmp_path):
    values = [0.1, 2.5, None, -3.0] if reader in ("csv", "tsv") else [0.1, 2.5, float("nan"), -3.0]
    data = read(reader, small(values, "number"), tmp_path, categorical=["f"])
    assert data.kinds[0].levels == ("-3", "0.1", "2.5")
    np.testing.assert_array_equal(data.X[:, 0], [1.0, 2.0, np.nan, 0.0])


@pytest.mark.parametrize("reader", [name for name in READERS if name != "tsv"])
def test_booleans_can_be_levels(reader, tmp_path):
    data = read(reader, small([True, None, False, True], "boolean"), tmp_path, categorical=["f"])
    assert data.kinds[0] == FeatureKind("category", ("false", "true"))


def test_single_precision_numbers_are_levels_as_they_are_written():
    values = np.array([0.1, 2.0], dtype=np.float32)
    for frame in (pd.DataFrame({"f": values}), pl.DataFrame({"f": values}), pa.table({"f": values})):
        data = RankingData.from_frame(frame, qid=None, label=None, categorical=["f"])
        assert data.kinds[0].levels == ("0.1", "2")


@pytest.mark.parametrize(
    "frame", [pl.DataFrame({"f": [None, None], "g": [1.0, 2.0]}), pa.table({"f": pa.nulls(2), "g": [1.0, 2.0]})]
)
def test_a_column_of_nulls_is_one_of_missing_numbers(frame):
    for some in (frame, duckdb.connect().from_arrow(frame.to_arrow() if hasattr(frame, "to_arrow") else frame)):
        data = RankingData.from_frame(some, qid=None, label=None)
        assert np.isnan(data.X[:, 0]).all()
        assert data.kinds[0].name == "number"


def test_other_objects_of_pandas_are_still_refused():
    frame = pd.DataFrame({"f": [[1], {2}]})
    with pytest.raises(DataError, match=r"numbers, booleans or text: got 'f' \(Object\)"):
        RankingData.from_frame(frame, qid=None, label=None)


@every_reader
def test_a_text_column_of_names_is_refused_with_remedies(reader, tmp_path):
    titles = [f"title {row}" for row in range(30)]
    with pytest.raises(DataError, match=r"'f' looks like a name or a text") as caught:
        read(reader, small(titles), tmp_path)
    assert "30 of its 30 values are different" in str(caught.value)
    assert "categorical=['f']" in str(caught.value)
    assert len(read(reader, small(titles), tmp_path, categorical=["f"]).kinds[0].levels) == 30
    # Half of the values may be different, and so may all of a few.
    assert len(read(reader, small(titles[:15] * 2), tmp_path).kinds[0].levels) == 15
    assert len(read(reader, small(titles[:19]), tmp_path).kinds[0].levels) == 19


def test_categorical_must_name_features():
    frame = small(["a", "b"]).arrow
    with pytest.raises(DataError, match="categorical must name feature columns: got 'colour'"):
        RankingData.from_frame(frame, categorical=["colour"])
    with pytest.raises(DataError, match=r"categorical must be a list: got the string 'f'"):
        RankingData.from_frame(frame, categorical="f")


def test_pandas_and_polars_categories_are_levels():
    for values in (pd.Categorical(["b", "a", None]), pl.Series(["b", "a", None], dtype=pl.Categorical)):
        frame = (pd if isinstance(values, pd.Categorical) else pl).DataFrame({"f": values})
        data = RankingData.from_frame(frame, qid=None, label=None)
        assert data.kinds[0] == FeatureKind("category", ("a", "b"))
        np.testing.assert_array_equal(data.X[:, 0], [1.0, 0.0, np.nan])


def categorised(levels, codes, qid):
    kinds = [FeatureKind("category", tuple(levels))]
    X = np.array(codes, dtype=float)[:, None]
    return RankingData(X, np.arange(len(codes)), [qid] * len(codes), feature_names=["site"], kinds=kinds)


def test_letor_text_refuses_a_category_by_name(tmp_path):
    with pytest.raises(DataError, match="cannot store categories: feature 'site'"):
        gr.save_data(categorised(["news", "shop"], [0, 1], 1), tmp_path / "data.txt")


def test_letor_text_keeps_missing_values(tmp_path):
    data = RankingData([[1.0, np.nan], [np.nan, 2.0]], [0, 1], [1, 1])
    gr.save_data(data, tmp_path / "data.txt")
    assert gr.load_data(tmp_path / "data.txt").X.tobytes() == data.X.tobytes()


def test_joined_data_have_the_levels_of_all_parts():
    joined = join_data([categorised(["news", "wiki"], [0, 1, np.nan], "a"), categorised(["cars", "wiki"], [1, 0], "b")])
    assert joined.kinds == (FeatureKind("category", ("cars", "news", "wiki")),)
    np.testing.assert_array_equal(joined.X[:, 0], [1.0, 2.0, np.nan, 2.0, 0.0])


def test_parts_of_different_kinds_are_not_joined():
    number = RankingData([[1.0]], [0], ["b"], feature_names=["site"])
    with pytest.raises(DataError, match="'site' is a category in one part and a number in another"):
        join_data([categorised(["news"], [0], "a"), number])


@pytest.mark.parametrize(
    ("kind", "codes"),
    [
        (FeatureKind("category", ("a", "b")), [0.0, 2.0]),
        (FeatureKind("category", ("a", "b")), [0.0, -1.0]),
        (FeatureKind("category", ("a", "b")), [0.5, 1.0]),
        (FeatureKind("boolean"), [1.0, 2.0]),
    ],
)
def test_codes_must_be_those_of_levels(kind, codes):
    with pytest.raises(DataError, match=r"'f' is a .* with 2 levels: expected whole numbers from 0 to 1"):
        RankingData(np.array(codes)[:, None], [0, 1], feature_names=["f"], kinds=[kind])


def test_picked_rows_and_features_keep_their_kinds():
    kinds = [FeatureKind(), FeatureKind("boolean"), FeatureKind("category", ("a", "b"))]
    data = RankingData([[1.0, 0.0, 1.0], [2.0, 1.0, np.nan]], [0, 1], feature_names=["x", "y", "z"], kinds=kinds)
    assert data.pick_rows([1]).kinds == tuple(kinds)
    assert data.pick_features(["z", "x"]).kinds == (kinds[2], kinds[0])
    assert data.table[[1], 1:].names == ("y", "z")


def test_scaling_within_queries_leaves_categories_and_missing_values_alone():
    kinds = [FeatureKind(), FeatureKind("category", ("a", "b", "c"))]
    X = np.array([[1.0, 2.0], [np.nan, 0.0], [3.0, np.nan]])
    scaled = RankingData(X, [0, 1, 2], kinds=kinds).scaled("minmax")
    np.testing.assert_array_equal(scaled.X, [[0.0, 2.0], [np.nan, 0.0], [1.0, np.nan]])
    assert scaled.kinds == tuple(kinds)
