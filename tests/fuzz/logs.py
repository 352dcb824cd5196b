"""Logs and result lists of every schema: counts add up, and there are as many rows as Python's csv finds."""

import csv
import io
import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from glassrank.data.logs.load_log import load_log
from glassrank.data.logs.load_results import load_results
from glassrank.data.logs.log_reading import LogReading
from tests.fuzz.cases import Case, Long, odd_files, text_bombs
from tests.fuzz.reader import Reader, same

_LARGEST_COMPARED = 50_000
_TOKENS = (b"\t", b",", b'"', b"\n", b"zen", b"click", b"search", b"2024-05-01T12:00:00+99:99", b"http://a.org/", b"-1")
_AOL = b"AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"
_AOL_ROW = b"7\tzen\t2006-03-01 07:17:12\t1\thttp://zen.org\n"
_PLAIN = b"query\taction\turl\tposition\n"
_RESULTS = b"query_id\tquery\trank\turl\n"
_ORCAS_ROW = b"7\tzen\tD2\thttp://zen.org/\n"
_QUERY = b'{"query_id": "q1", "user_query": "zen", "query_response_hit_ids": ["http://a.org/", "http://b.org/"]}\n'
_EVENT = (
    b'{"action_name": "click", "query_id": "q1", "timestamp": "2024-05-01T12:00:09Z", "event_attributes": '
    b'{"object": {"object_id": "http://b.org/"}, "position": {"ordinal": 2}}}\n'
)
_LOG, _EVENTS = "log.tsv", "events.ndjson"


def _plain_corpus() -> list[Case]:
    quoted = [b'27" tv' if number in (9, 40) else b"zen %d" % number for number in range(60)]
    rows = [b"%s\tclick\thttp://a.org/%d\t1\n" % (query, number) for number, query in enumerate(quoted)]
    opening = [row.replace(b'27" tv', b'"27 tv') for row in rows]
    return [
        Case("lone quotes inside queries", {_LOG: _PLAIN + b"".join(rows)}),
        Case("lone quotes before queries", {_LOG: _PLAIN + b"".join(opening)}, expected={"rows": 60}, is_base=False),
        Case("plain log", {_LOG: _PLAIN + b"zen\tsearch\t\t\nzen\tclick\thttp://b.org/\t2\n"}),
        Case("columns of Parquet", {_LOG: _parquet_log()}),
        Case(
            "NUL and escapes in queries", {_LOG: _PLAIN + b"a\0\tclick\thttp://a/\t1\na\x1b[31m\tclick\thttp://a/\t1\n"}
        ),
        Case("brackets without end", {_LOG: b'{"query": ' + b"[" * 100_000 + b"\n"}),
        Case("many columns", {_LOG: b"query\taction\turl" + b"".join(b"\tc%d" % n for n in range(16_000)) + b"\n"}),
        Case("quote without end", {_LOG: Long(((_PLAIN, 1), (b'"', 1), (b"zen\tclick\thttp://a/\t1\n", 20_000)))}),
        *text_bombs(_LOG, _PLAIN, b"zen\tclick\thttp://a.org/\t1\n"),
        *odd_files(_LOG),
    ]


def _parquet_log() -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table({"query": ["zen", "a\0"], "action": ["click"] * 2, "url": ["http://a/"] * 2}), buffer)
    return buffer.getvalue()


def _results_corpus() -> list[Case]:
    rows = [b'%d\t27" tv %d\t1\thttp://a.org/%d\n' % (number, number, number) for number in range(2)]
    more = [b"%d\tzen %d\t1\thttp://a.org/%d\n" % (number, number, number) for number in range(2, 60)]
    return [
        Case("lone quotes inside queries", {_LOG: _RESULTS + rows[0] + b"".join(more[:30]) + rows[1] + b"".join(more)}),
        Case("results", {_LOG: _RESULTS + b"1\tzen\t1\thttp://a.org/\n1\tzen\t2\thttp://b.org/\n"}),
        *odd_files(_LOG),
    ]


def _schema_corpus(sound: bytes, *more: Case) -> list[Case]:
    return [Case("log", {_LOG: sound}), Case("empty file", {_LOG: b""}), *more]


def _aol_corpus() -> list[Case]:
    quotes = Case("quotes in queries", {_LOG: _AOL + _AOL_ROW.replace(b"zen\t", b'27" tv\t') + _AOL_ROW * 2})
    return _schema_corpus(_AOL + _AOL_ROW + b"7\tzen\t2006-03-01 07:19:00\t\t\n", quotes)


def _orcas_corpus() -> list[Case]:
    return _schema_corpus(
        _ORCAS_ROW + b"8\ttao\tD3\thttp://tao.org/\n", Case("quotes", {_LOG: b'1\t27" tv\tD1\thttp://a/\n'})
    )


def _ubi_corpus() -> list[Case]:
    deep = json.dumps({"query_id": "q2", "user_query": "a"})[:-1].encode() + b', "x": ' + b"[" * 50_000 + b"\n"
    half = b'{"query_id": "\\ud800", "user_query": "zen"}\n'
    return [
        Case("queries and events", {_LOG: _QUERY, _EVENTS: _EVENT}),
        Case("deep nesting and half a surrogate", {_LOG: _QUERY + deep + half, _EVENTS: _EVENT}),
        *odd_files(_EVENTS, beside={_LOG: _QUERY}),
    ]


def _read_log(schema: str, folder: Path, options: Mapping[str, Any]) -> None:
    """Load a log; if each row is one event or one fault, events and faults add up to the rows."""
    paths = [folder / _LOG, folder / _EVENTS] if schema == "ubi" else folder / _LOG
    reading = load_log(paths).reading
    if reading.schema in ("plain", "orcas"):
        same("rows kept and dropped", sum(reading.made.values()) + _dropped(reading), reading.rows)
    _same_number_of_rows(folder / _LOG, reading, options)


def _read_results(folder: Path, options: Mapping[str, Any]) -> None:
    reading = load_results(folder / _LOG).reading
    if reading.schema == "results":
        same("rows kept and dropped", reading.made["result"] + _dropped(reading), reading.rows)
    _same_number_of_rows(folder / _LOG, reading, options)


def _dropped(reading: LogReading) -> int:
    return sum(found.count for found in reading.dropped.values())


def _same_number_of_rows(path: Path, reading: LogReading, options: Mapping[str, Any]) -> None:
    """There are as many rows as the case expects, or as there are lines that are not blank.

    Not compared: UBI, which has several files; packed files, JSON and Parquet; and texts in which quoted fields contain
    line breaks or are not closed.
    """
    if "rows" in options:
        same("rows", reading.rows, options["rows"])
    elif reading.schema != "ubi" and path.stat().st_size <= _LARGEST_COMPARED:
        content = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
        if not content.lstrip().startswith(_NOT_DELIMITED):
            lines = content.decode("utf-8", "replace").split("\n")
            first = next(place for place, line in enumerate(lines) if line.strip(" \t\r"))
            # Before the header, blank lines are skipped; after it, only empty lines are.
            lines = [line for line in lines[first:] if line.rstrip("\r")]
            delimiter = "\t" if "\t" in lines[0] else ","
            has_header = "query" in [name.strip(' "\r').casefold() for name in lines[0].split(delimiter)]
            if reading.schema in ("aol", "orcas") or _is_a_record_per_line(lines, delimiter):
                same("rows", reading.rows, len(lines) - has_header)


_NOT_DELIMITED = (b"PAR1", b"\x1f\x8b", b"\xfd7zXZ\x00", b"{")


def _is_a_record_per_line(lines: Sequence[str], delimiter: str) -> bool:
    """Return whether no field begins with a quote, or csv finds as many records as lines."""
    if not any(field.startswith('"') for line in lines for field in line.split(delimiter)):
        return True
    try:
        return sum(1 for _ in csv.reader(lines, delimiter=delimiter, strict=True)) == len(lines)
    except csv.Error:
        return False


def _make_plain(generator: random.Random) -> Case:
    queries = ("zen", 'a"b', "a,b", "é", "#x", "zen tao", "'")
    rows = [
        f"{generator.choice(queries)}\t{generator.choice(['click', 'search', 'impression'])}\thttp://a.org/{number}\t1"
        for number in range(generator.randint(1, 8))
    ]
    return Case("plain log", {_LOG: _PLAIN + "\n".join(rows).encode() + b"\n"})


def _reader(schema: str, corpus: Any, **more: Any) -> Reader:
    def read(folder: Path, options: Mapping[str, Any]) -> None:
        _read_log(schema, folder, options)

    return Reader(f"{schema} log", corpus, read, share=1, short=8, tokens=_TOKENS, **more)


PLAIN = _reader("plain", _plain_corpus, make=_make_plain)
AOL = _reader("aol", _aol_corpus)
ORCAS = _reader("orcas", _orcas_corpus)
UBI = _reader("ubi", _ubi_corpus)
RESULTS = Reader("results", _results_corpus, _read_results, share=1, short=8, tokens=_TOKENS)
