"""Random bytes end in a log or in a DataError, never in anything else."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassrank.core.checks import DataError
from glassrank.data.logs.load_log import load_log
from glassrank.data.logs.load_results import load_results
from glassrank.data.logs.log_records import split_lines
from glassrank.data.logs.text_lines import TextLine
from tests.data.logs.files import AOL_HEADER, PLAIN_HEADER, ubi_event, ubi_query

PIECES = st.one_of(
    st.binary(max_size=12),
    st.sampled_from(
        [b"\n", b"\t", b",", b'"', b"{", b"}", b"[", b":", b"\\ud800", b"\0", b"http://[", b"1e999", b"null"]
    ),
    st.sampled_from([b"zen", b"click", b"search", b"2024-05-01T12:00:00+99:99", b"0", b"-1", b'{"query_id": "q1"}']),
    st.sampled_from(["\u3000", "é", "\ufeff"]).map(str.encode),
)
STARTS = {
    "nothing": b"",
    "plain": PLAIN_HEADER.encode() + b"\nzen,click,http://b.org/,7,u,s,1,2,30\n",
    "aol": AOL_HEADER.encode() + b"\n7\tzen\t2006-03-01 07:17:12\t1\thttp://zen.org\n",
    "orcas": b"7\tzen\tD2\thttp://zen.org/\n",
    "ubi": ubi_query().encode() + b"\n",
    "results": b"query_id,query,rank,url\n1,zen,1,http://a.org/\n",
    "gzip": b"\x1f\x8b",
    "xz": b"\xfd7zXZ\x00",
    "parquet": b"PAR1",
    "utf-16": b"\xff\xfe",
}


@pytest.mark.parametrize("start", STARTS)
@settings(max_examples=12, deadline=None)
@given(pieces=st.lists(PIECES, max_size=30))
def test_random_bytes_raise_nothing_but_data_errors(start, pieces):
    load = load_results if start == "results" else load_log
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "log")
        path.write_bytes(STARTS[start] + b"".join(pieces))
        try:
            table = load(path)
        except DataError:
            return
        assert table.reading.rows > 0
        assert sum(table.reading.made.values()) >= len(table)


@settings(max_examples=12, deadline=None)
@given(pieces=st.lists(PIECES, max_size=20))
def test_random_events_of_ubi_raise_nothing_but_data_errors(pieces):
    with tempfile.TemporaryDirectory() as folder:
        queries, events = Path(folder, "queries"), Path(folder, "events")
        queries.write_text(ubi_query() + "\n")
        events.write_bytes(ubi_event().encode() + b"\n" + b"".join(pieces))
        log = load_log([queries, events])
        assert log.reading.made["search"] == 1


@given(
    rows=st.lists(st.lists(st.text("ab, \"'é", max_size=6), min_size=2, max_size=4), min_size=1, max_size=8),
)
def test_records_written_with_quotes_come_back(rows):
    lines = [",".join('"' + field.replace('"', '""') + '"' for field in row) for row in rows]
    numbered = (TextLine(number, text) for number, text in enumerate(lines, 1))
    records = split_lines(numbered, ",", quoted=True, width=2)
    assert [record.values for record in records] == rows


@given(texts=st.lists(st.text('a,"', min_size=1, max_size=8), max_size=300))
def test_a_quote_never_swallows_lines_without_a_trace(texts):
    numbered = (TextLine(number, text) for number, text in enumerate(texts, 1))
    records = list(split_lines(numbered, ",", quoted=True, width=2))
    assert sum(record.line.text.count("\n") + 1 for record in records) == len(texts)
    assert sum(record.n_lines for record in records) == len(texts)
