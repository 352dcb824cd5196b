"""Judgement lists as text: Quepid's CSV and LTR lines, TREC qrels with a file of queries, and plain tables."""

import csv
import io
import os
import re
from collections.abc import Iterator, Sequence
from typing import Any

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.data.delimited import DelimitedFile, check_delimiter
from glassrank.data.frame_columns import FrameColumns
from glassrank.data.judgements.grades import as_grade
from glassrank.data.judgements.judgements import JudgedRow
from glassrank.data.ranking_columns import listed
from glassrank.data.tables import read_table
from glassrank.data.trec import load_qrels
from glassrank.files.atomic_files import read_bytes

# Usual names of the columns of a table, in lower case.
COLUMNS = {
    "query": ("query",),
    "document": ("doc_id", "docid", "doc", "document"),
    "grade": ("grade", "rating", "label"),
}
NAMED = {
    "query": setting("query", python="query=..."),
    "document": setting("document", python="document=..."),
    "grade": setting("grade", python="grade=..."),
}
_QUERY_IDS = ("qid", "query_id", "topic")
_QUEPID_LINE = re.compile(r"(?P<grade>\S+)\s+qid:(?P<qid>\S+)\s+#\s*(?P<document>\S+)(?:\s+(?P<text>\S.*))?")
_OLD_DOCUMENT, _OLD_TEXT = re.compile(r"(.+);"), re.compile(r'"(.*)"')

Path = str | os.PathLike[str]


def read_quepid_csv(path: Path) -> Iterator[JudgedRow]:
    """Yield the rows of Quepid's CSV: query, docid (once doc_id) and rating; a row with a query alone is not rated.

    Such a row has no commas, which is why this is not a table like any other. A query that begins with -, =, + or @
    has a blank in front of it, which goes with the other blanks around a query.
    """
    reader = csv.reader(io.StringIO(decoded(path), newline=""), strict=True)
    try:
        header = next((row for row in reader if row), [])
        if not is_quepid_header(header):
            raise DataError(f"{path}:1: expected the columns query, docid and rating, got {', '.join(header)!r}.")
        for row in reader:
            place = f"{path}:{reader.line_num}"
            if len(row) not in (0, 1, 3):
                raise DataError(f"{place}: expected a query, a document and a rating, got {len(row)} fields.")
            if row:
                query, document, grade = [*row, "", ""][:3]
                yield JudgedRow(place, query, document or None, as_grade(grade, place))
    except csv.Error as error:
        raise DataError(f"{path}:{reader.line_num}: expected CSV: {error}.") from error


def is_quepid_header(names: Sequence[str]) -> bool:
    """Return whether a header line is that of Quepid's CSV.

    >>> is_quepid_header(["query", "docid", "rating"]), is_quepid_header(["query", "doc", "grade"])
    (True, False)
    """
    return tuple(name.strip().casefold() for name in names) in (
        ("query", "docid", "rating"),
        ("query", "doc_id", "rating"),
    )


def read_quepid_ltr(path: Path) -> Iterator[JudgedRow]:
    """Yield the lines ``3 qid:7 # doc text`` of Quepid, which have labels and no features.

    Older versions write ``3 qid:7 # doc; "text"``. A number of a query with two texts is an error.
    """
    texts: dict[str, str] = {}
    for number, line in enumerate(decoded(path).splitlines(), start=1):
        if not line.strip():
            continue
        place, found = f"{path}:{number}", _QUEPID_LINE.fullmatch(line.strip())
        if found is None or found["text"] is None:
            raise DataError(
                f"{place}: expected a grade, qid:NUMBER, #, a document and the text of the query, got {line[:60]!r}.",
                remedy="A file with features is LETOR text: read it with load_data.",
            )
        document, text = found["document"], found["text"]
        old = _OLD_DOCUMENT.fullmatch(document), _OLD_TEXT.fullmatch(text)
        if old[0] is not None and old[1] is not None:
            document, text = old[0][1], old[1][1]
        if texts.setdefault(found["qid"], text) != text:
            raise DataError(f"{place}: qid:{found['qid']} is {text!r}, but {texts[found['qid']]!r} in a line above.")
        yield JudgedRow(place, text, document, as_grade(found["grade"], place))


def read_qrels(path: Path, queries: Path | None) -> Iterator[JudgedRow]:
    """Yield TREC judgements; their queries are identifiers unless a file gives the texts."""
    found = load_qrels(path)
    texts = None if queries is None else read_query_texts(queries)
    for qid, document, label in zip(found.qid.tolist(), found.doc_ids.tolist(), found.labels.tolist(), strict=True):
        if texts is not None and qid not in texts:
            raise DataError(
                f"{queries}: there is no query {qid!r}, which {path} has judgements of.",
                remedy="Add its text, or remove its judgements.",
            )
        place = f"{path}, document {document!r} of query {qid!r}"
        yield JudgedRow(place, qid if texts is None else texts[qid], document, as_grade(label, place))


def read_query_texts(path: Path) -> dict[str, str]:
    """Return id → text of queries: from a CSV or TSV table with a column query, or lines of an id and a text.

    The column with the identifier is called qid, query_id or topic.

    >>> import pathlib
    >>> _ = pathlib.Path("queries.txt").write_text("301 blue jeans\\n302\\tred dress\\n")
    >>> read_query_texts("queries.txt")
    {'301': 'blue jeans', '302': 'red dress'}
    """
    lines = decoded(path).splitlines()
    delimiter = "\t" if lines and "\t" in lines[0] else ","
    names = [name.strip().casefold() for name in (lines[0].split(delimiter) if lines else [])]
    if "query" in names and set(names) & set(_QUERY_IDS):
        table = DelimitedFile(path, delimiter)
        qid, query = (next(name for name in table.names if name.casefold() in one) for one in (_QUERY_IDS, ("query",)))
        columns = table.fetch({qid: "text", query: "text"})
        pairs = list(zip(table.places(), columns[qid], columns[query], strict=True))
    else:
        pairs = [
            (f"{path}:{number}", line.split()[0], " ".join(line.split(None, 1)[1:]))
            for number, line in enumerate(lines, start=1)
            if line.strip()
        ]
    texts: dict[str, str] = {}
    for place, own, text in pairs:
        if not own or not text or not text.strip():
            raise DataError(f"{place}: expected an identifier and the text of a query, got {own!r} and {text!r}.")
        if texts.setdefault(own, text.strip()) != text.strip():
            raise DataError(f"{place}: query {own!r} has two texts.", remedy="Keep one of them.")
    return texts


def read_table_of_grades(path: Path, format: str, names: dict[str, str]) -> Iterator[JudgedRow]:  # noqa: A002
    """Yield the rows of a CSV, TSV or Parquet table; ``names`` are its columns, ``"auto"`` the usual ones."""

    def rows(source: FrameColumns | DelimitedFile) -> list[JudgedRow]:
        query, document, grade = (_column(source, parameter, names[parameter]) for parameter in COLUMNS)
        arrays = source.fetch({query: "identifier", document: "identifier", grade: "number"})
        columns = [arrays[name].tolist() for name in (query, document, grade)]
        if isinstance(source, DelimitedFile):
            places = source.places()
        else:
            places = [f"{path}, row {row}" for row in range(len(columns[0]))]
        return [
            JudgedRow(place, _text(own), _text(doc) or None, None if value != value else as_grade(value, place))
            for place, own, doc, value in zip(places, *columns, strict=True)
        ]

    yield from read_table(path, format, rows)


def _column(source: FrameColumns | DelimitedFile, parameter: str, name: str) -> str:
    if name == "auto":
        usual = [one for one in source.names if one.strip().casefold() in COLUMNS[parameter]]
        if len(usual) == 1:
            return usual[0]
        got, expected = (f"{len(usual)} such columns" if usual else "none"), " or ".join(map(repr, COLUMNS[parameter]))
    else:
        if name in source.names:
            return name
        got, expected = "none", repr(name)
    if isinstance(source, DelimitedFile):
        check_delimiter(source.path, source.names)
    raise DataError(
        f"The judgements need one column {expected}: got {got} among {listed(source.names)}.",
        parameter=parameter,
        got=name,
        remedy=f"Name it: {NAMED[parameter]}.",
    )


def _text(value: Any) -> str:
    """Return an identifier as text; '' for a missing one."""
    if value is None or value != value:
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def decoded(path: Path) -> str:
    """Return the text of a file without a byte order mark; anything but UTF-8 is an error with its line."""
    content = read_bytes(path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise DataError(
            f"{path}:{line}: expected UTF-8 text, got the byte 0x{content[error.start]:02x}.",
            remedy="Save it as UTF-8.",
        ) from error
    if not text.strip():
        raise DataError(f"{path}: the file is empty: expected judgements.")
    return text
