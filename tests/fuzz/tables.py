"""Ranking data, links and ratings in CSV, compared with Python's csv, and in Parquet, compared with pyarrow."""

import csv
import io
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from glassrank.core.feature_kinds import FeatureKind
from glassrank.data.ranking_data import RankingData
from glassrank.data.ratings.rating_table import read_rating_columns
from glassrank.data.tables import load_table, read_table
from glassrank.distillation.tables.score_links import score_links
from tests.fuzz.cases import Case, odd_files, text_bombs
from tests.fuzz.reader import DifferenceError, Reader, damage_a_file, same

_CSV, _PARQUET, _LINKS, _RATINGS = "table.csv", "table.parquet", "links.csv", "ratings.csv"
_LARGEST_COMPARED = 50_000
_TOKENS = (b",", b'"', b'""', b"\n", b"\r\n", b"qid,label,bm25", b"#", b"1,1,0.5\n", b"007", b"1.0", b" ", b'"a,b"')
_HEADER = b"qid,doc_id,label,bm25\n"
_ROW = b"q1,d1,1,0.5\n"


def _csv_corpus() -> list[Case]:
    wide = b"qid,label," + b",".join(b"f%d" % number for number in range(100_000))
    return [
        Case("table", {_CSV: _HEADER + _ROW + b'q1,"d ""2""",0,\nq2,"a,b\nc",2,-1e-3\n'}),
        Case("whole numbers", {_CSV: b"qid,label,bm25\n1,1,0.5\n1,0,0.25\n2,1,7\n"}),
        Case("19-digit queries", {_CSV: _HEADER + b"9223372036854775808,1,1,1\n9223372036854775807,2,0,1\n"}),
        Case("quote inside a field", {_CSV: _HEADER + b'27" tv,d1,1,1\n' + _ROW * 60}),
        Case("comment in the first line", {_CSV: b"# note\n" + _HEADER + _ROW}),
        Case("sharp in queries", {_CSV: _HEADER + b"http://a/#x,d1,1,1\nhttp://a/#y,d2,0,1\n"}),
        Case("surrogates", {_CSV: _HEADER + b"q\xed\xa0\x80,d1,1,1\n"}),
        Case("NUL at the end of a query", {_CSV: _HEADER + b"a,d1,1,1\na\0,d2,0,1\n"}),
        Case("long id among many", {_CSV: _HEADER + b"x" * 50_000 + b",d1,1,1\n" + _ROW * 100_000}),
        Case("100,000 columns", {_CSV: wide + b"\n1,1" + b",1" * 100_000 + b"\n"}),
        *text_bombs(_CSV, _HEADER, _ROW),
        *odd_files(_CSV),
    ]


def _read_csv(folder: Path, options: Mapping[str, Any]) -> None:
    data = load_table(folder / _CSV, missing="keep")
    records = _records(folder / _CSV)
    if records is not None:
        _same_data(data, records[0], records[1:])


def _records(path: Path) -> list[list[str]] | None:
    """Return the records that Python's csv reads, without blank lines; None if the file is large or csv rejects it."""
    if path.stat().st_size > _LARGEST_COMPARED:
        return None
    try:
        text = path.read_bytes().decode("utf-8-sig")
        return [fields for fields in csv.reader(io.StringIO(text, newline=""), strict=True) if fields]
    except (UnicodeDecodeError, csv.Error):
        return None


def _same_data(data: RankingData, names: list[str], rows: list[list[str]]) -> None:
    """Identifiers and levels are read as they are written, numbers as Python reads them, empty fields as missing."""
    same("number of rows", len(data.y), len(rows))
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    same("queries", [str(query) for query in data.qid.tolist()], list(columns["qid"]))
    if data.doc_ids is not None:
        same("documents", [str(name) for name in data.doc_ids.tolist()], list(columns["doc_id"]))
    for number, name in enumerate(data.feature_names):
        _same_feature(name, data.kinds[number], data.X[:, number].tolist(), columns[name])
    same("labels", [repr(value) for value in data.y.tolist()], [_number(text) for text in columns["label"]])


def _same_feature(name: str, kind: FeatureKind, values: list[float], written: Sequence[Any]) -> None:
    """Compare a feature with its fields: texts, numbers, or None for a missing value."""
    texts = ["" if field is None else str(field) for field in written]
    if kind.is_category:
        same(name, ["" if math.isnan(code) else kind.level(code) for code in values], texts)
        return
    truth = {"true": "1.0", "false": "0.0", "": "nan"} if kind.levels else {}
    expected = [truth[text.casefold()] if truth else _number(text) for text in texts]
    same(name, [repr(value) for value in values], expected)


def _number(text: str) -> str:
    return repr(abs(value) if math.isnan(value := float(text or "nan")) else value)


def _make_csv(generator: random.Random) -> Case:
    text = io.StringIO(newline="")
    end = generator.choice(["\n", "\r\n"])
    quoting = generator.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    writer = csv.writer(text, lineterminator=end, quoting=quoting)
    writer.writerow(["qid", "doc_id", "label", "bm25", "age"])
    for _ in range(generator.randint(1, 5)):
        ids = [generator.choice(_IDS), generator.choice(_IDS)]
        writer.writerow([*ids, generator.randint(0, 3), generator.gauss(0, 1), generator.choice(["", "1e5", "-0"])])
    return Case("table", {_CSV: text.getvalue().encode()})


_IDS = (
    "1",
    "007",
    "q 1",
    'a"b',
    "a,b",
    "a\nb",
    "#x",
    "é",
    "9223372036854775807",
    "1.0",
    "'",
    "\u2028",
    "\x1b[31m",
    "-",
)


def _links_corpus() -> list[Case]:
    return [
        Case("links", {_LINKS: b"source,target\na,b\nb,c\na,b\n"}),
        Case(
            "comment in the first line", {_LINKS: b"# note\nsource,target\nhttp://a/#x,p1\nhttp://a/#y,p2\n#zen,p3\n"}
        ),
        Case("sharp in addresses", {_LINKS: b"source,target\nhttp://a/#x,p1\nhttp://a/#y,p2\n#zen,p3\n"}),
        Case("numbers and text", {_LINKS: b"source,target\n1,007\n2,a\n"}),
        Case("quotes", {_LINKS: b'source,target\n"a,1",b\n27" tv,c\n'}),
        Case("quote without end", {_LINKS: b'source,target\n"a,b\n' + b"c,d\n" * 60}),
        *odd_files(_LINKS),
    ]


def _read_links(folder: Path, options: Mapping[str, Any]) -> None:
    """If a table is accepted, its first record names the columns, and every other record is a link."""
    scores = score_links(folder / _LINKS, "in-degree", "duckdb", folder=folder)
    records = _records(folder / _LINKS)
    if records is not None:
        same("columns", sorted(records[0]), ["source", "target"])
        same("number of links", scores.n_rows, len(records) - 1)
        same("pages", sorted(map(str, scores.columns["page"])), sorted({page for row in records[1:] for page in row}))


def _ratings_corpus() -> list[Case]:
    return [
        Case("ratings", {_RATINGS: b"user,item,rating\n1,a,0.5\n1,b,-2\n2,a,1e3\n"}),
        Case("weights and times", {_RATINGS: b"user,item,rating,weight,time\nu,a,1,2,x\nu,b,2,0,y\n"}),
        Case("the same rating twice", {_RATINGS: b"user,item,rating\n1,a,0.5\n1,a,0.5\n"}),
        Case("numbers and text", {_RATINGS: b"user,item,rating\n1,007,1\nx,7,2\n"}),
        *odd_files(_RATINGS),
    ]


def _read_ratings(folder: Path, options: Mapping[str, Any]) -> None:
    """If ratings are accepted, they are those of the file, and no user rates an item twice."""
    make = partial(read_rating_columns, user="user", item="item", rating="rating", weight="auto")
    table = read_table(folder / _RATINGS, None, make)
    records = _records(folder / _RATINGS)
    if records is None:
        return
    columns = dict(zip(records[0], zip(*records[1:], strict=True), strict=True))
    same("users", table.users.tolist(), list(columns["user"]))
    same("items", table.items.tolist(), list(columns["item"]))
    same("ratings", [repr(rating) for rating in table.ratings.tolist()], [_number(text) for text in columns["rating"]])
    pairs = list(zip(columns["user"], columns["item"], strict=True))
    same("ratings of each user and item", len(set(pairs)), len(pairs))


def _parquet_corpus() -> list[Case]:
    text = pa.array(["a", "a\0", "b"])
    label, bm25 = pa.array([1.0, 0.0, 2.0]), pa.array([0.5, None, 1e300])
    columns = {
        "text": text,
        "whole numbers": pa.array([1, 1, 2]),
        "19-digit numbers": pa.array([2**63 - 1, 2**63 - 2, 1]),
        "unsigned numbers": pa.array([2**64 - 1, 2**64 - 2, 1], pa.uint64()),
        "float32 above 2**24": pa.array([2.0**24, 2.0**24 + 2, 1.0], pa.float32()),
        "float64 above 2**53": pa.array([2.0**53, 2.0**53 + 2, 1.0]),
        "durations": pa.array([1, 2, 3], pa.duration("us")),
        "times with NaT": pa.array([1, None, 3], pa.timestamp("us")),
        "missing whole numbers": pa.array([1, None, 2]),
        "decimals": pa.array([1, 2, 3]).cast(pa.decimal128(30, 2)),
        "dictionary": text.dictionary_encode(),
        "lists": pa.array([[1], [2], [3]]),
        "binary": pa.array([b"a", b"\xff", b"\0"]),
        "booleans": pa.array([True, False, True]),
    }
    cases = [_parquet(name, {"qid": values, "label": label, "bm25": bm25}) for name, values in columns.items()]
    durations = pa.array([1, 2, 3], pa.duration("ms"))
    wide = {"qid": pa.array([1]), "label": pa.array([1])} | {f"f{n}": pa.array([1.0]) for n in range(16_000)}
    many = {"qid": pa.array(["x" * 50_000] + ["a"] * 100_000), "label": pa.array([1.0] * 100_001)}
    return [
        *cases,
        _parquet("a feature of durations", {"qid": text, "label": label, "bm25": durations}),
        _parquet("16,000 columns", wide),
        replace(_parquet("long id among many", many | {"bm25": many["label"]}), is_base=False),
        *odd_files(_PARQUET),
    ]


def _parquet(name: str, columns: Mapping[str, Any], **options: Any) -> Case:
    buffer = io.BytesIO()
    pq.write_table(pa.table(dict(columns)), buffer, **options)
    return Case(name, {_PARQUET: buffer.getvalue()})


def _make_parquet(generator: random.Random) -> Case:
    n_rows = generator.randint(1, 4)
    drawn = {
        "qid": [generator.choice(_IDS) for _ in range(n_rows)],
        "doc_id": [generator.choice([-(2**63), 2**63 - 1, 2**53 + 1, 0, 7]) for _ in range(n_rows)],
        "label": [generator.randint(0, 3) for _ in range(n_rows)],
        "bm25": [generator.choice([None, -0.0, 1e308, 5e-324, generator.gauss(0, 1)]) for _ in range(n_rows)],
    }
    packed = generator.choice(["none", "snappy", "zstd", "gzip"])
    with_pages = {"data_page_version": generator.choice(["1.0", "2.0"]), "write_page_checksum": True}
    return _parquet("table", drawn, compression=packed, use_dictionary=generator.random() < 0.5, **with_pages)


def _mutate_parquet(generator: random.Random, case: Case, others: Sequence[Case]) -> Case:
    """Leave many files intact: hostile values test more than pages that no reader accepts."""
    return case if generator.random() < 0.4 else damage_a_file(generator, case, others)


def _read_parquet(folder: Path, options: Mapping[str, Any]) -> None:
    """If both readers accept a file, they read the same values.

    Two readers may interpret a damaged page differently, so values are only compared if pyarrow finds all checksums
    correct.
    """
    data = load_table(folder / _PARQUET, missing="keep")
    try:
        table = pq.read_table(folder / _PARQUET, page_checksum_verification=True)
        _check_types(table)
        if not _is_plain(table):
            return
        columns = {name: column.to_pylist() for name, column in zip(table.column_names, table.columns, strict=True)}
    except (pa.ArrowException, OSError, UnicodeDecodeError, ValueError):
        return
    same("number of rows", len(data.y), table.num_rows)
    same("queries", [str(query) for query in data.qid.tolist()], [_as_identifier(query) for query in columns["qid"]])
    if data.doc_ids is not None:
        same("documents", [str(name) for name in data.doc_ids.tolist()], [str(name) for name in columns["doc_id"]])
    for number, name in enumerate(data.feature_names[:5]):
        _same_feature(name, data.kinds[number], data.X[:, number].tolist(), columns[name])


def _check_types(table: pa.Table) -> None:
    """Raise an error for durations read as numbers, and for identifiers that their floats cannot store exactly."""
    for name, kind in zip(table.column_names, table.schema.types, strict=True):
        if pa.types.is_duration(kind):
            raise DifferenceError(f"column {name!r} of durations is accepted as numbers")
    for name in {"qid", "doc_id"} & set(table.column_names):
        most = _COUNTED_SINGLY.get(str(table.schema.field(name).type), math.inf)
        if any(value is not None and abs(value) > most for value in table[name].to_pylist() if most < math.inf):
            raise DifferenceError(f"column {name!r} of floats has identifiers above {most}")


_COUNTED_SINGLY = {"halffloat": 2**11, "float": 2**24, "double": 2**53}


def _is_plain(table: pa.Table) -> bool:
    """Return whether the table is small and its columns contain only integers, floats and text."""
    return table.num_rows <= 1000 and all(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_string(kind)
        for kind in table.schema.types
    )


def _as_identifier(value: Any) -> str:
    """Return a query as text; a whole number may be stored as a float."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


CSV = Reader("CSV", _csv_corpus, _read_csv, share=4, short=60, make=_make_csv, tokens=_TOKENS)
LINKS = Reader(
    "links CSV", _links_corpus, _read_links, share=1, short=6, tokens=(b"source,target\n", b"a,b\n", *_TOKENS)
)
RATINGS = Reader(
    "ratings CSV",
    _ratings_corpus,
    _read_ratings,
    share=1,
    short=20,
    tokens=(b"user,item,rating\n", b"1,a,2\n", *_TOKENS),
)
PARQUET = Reader(
    "Parquet", _parquet_corpus, _read_parquet, share=3, short=40, make=_make_parquet, mutate=_mutate_parquet
)
