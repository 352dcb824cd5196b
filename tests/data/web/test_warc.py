"""Web archives become collections; damaged records are counted and skipped."""

import gzip
import tracemalloc
import zlib
from functools import partial
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from glassrank.core.checks import DataError
from glassrank.data.reading_report import ReadingTally
from glassrank.data.web.documents import MAX_PAGE_BYTES
from glassrank.data.web.http_response import split_response
from glassrank.data.web.open_collection import open_collection
from glassrank.data.web.warc_records import WarcRecord, read_records
from glassrank.data.web.warc_source import read_response
from tests.data.web.sites import page, response, unpack
from tests.data.web.test_files import kinds, links_of
from tests.files.bombs import gzip_of_repeated

A, B, C = "http://a.org/", "http://b.org/x", "http://c.org/y"
RECORDS = [
    page(A, "<title>A</title><a href=http://b.org/old>to b</a><a href=//C.org:80/y#z>to c</a><a href=/loop>loop</a>"),
    response("http://b.org/old", status="301 Moved", Location="/older"),
    response("http://b.org/older", status="302 Found", Location="x"),
    response("http://a.org/loop", status="302 Found", Location="/loop2"),
    response("http://a.org/loop2", status="302 Found", Location="/loop"),
    page(B, b"<title>caf\xe9</title>", Last_Modified="Thu, 01 Jan 1970 00:01:00 GMT", Content_Language="fr, en"),
    page(C, "<title>C</title>", status="200 OK"),
    response("http://c.org/none", status="404 Not Found", body=b"<p>none", Content_Type="text/html"),
    response("http://c.org/pic", body=b"\x89PNG", Content_Type="image/png"),
    page(C, "<title>C again</title>"),
]
PAIRS = {(A, B, "to b"), (A, C, "to c"), (A, "http://a.org/loop", "loop")}


# Without a timestamp, so that test names are the same in every process.
packed = partial(gzip.compress, mtime=0)


def open_records(tmp_path, raw, name="crawl.warc.gz"):
    path = tmp_path / name
    path.write_bytes(raw)
    return open_collection(path, folder=tmp_path / "kept")


@pytest.mark.parametrize("packing", ["member per record", "one member", "plain"])
def test_pages_redirects_and_links_of_an_archive(tmp_path, packing):
    raw = b"".join(RECORDS)
    if packing != "member per record":
        raw = b"".join(map(unpack, RECORDS))
    if packing == "one member":
        raw = packed(raw)
    collection = open_records(tmp_path, raw)
    assert collection.pages.url.tolist() == [A, B, C]
    assert collection.pages.title.tolist() == ["A", "café", "C"]
    assert collection.pages.modified.tolist()[1] == 60.0
    assert collection.pages.language.tolist() == ["", "fr", ""]
    assert links_of(collection) == PAIRS
    assert kinds(collection.reading.skipped) == {
        "duplicate address": 1,
        "other content (image/png)": 1,
        "response with status 404": 1,
    }
    assert collection.reading.noted["redirect (links to it are followed)"].count == 4
    assert collection.reading.noted["redirect loop (links kept unchanged)"].examples == ("http://a.org/loop",)


def test_a_folder_of_archives_is_one_collection(tmp_path):
    (tmp_path / "crawl" / "two").mkdir(parents=True)
    (tmp_path / "crawl" / "1.warc.gz").write_bytes(b"".join(RECORDS[:5]))
    (tmp_path / "crawl" / "two" / "2.warc").write_bytes(b"".join(map(unpack, RECORDS[5:])))
    (tmp_path / "crawl" / "log.txt").write_text("words")
    collection = open_collection(tmp_path / "crawl", folder=tmp_path / "kept")
    assert links_of(collection) == PAIRS
    assert collection.reading.kind == "folder of WARC files"
    assert collection.reading.skipped["other file beside the WARC files"].examples == ("log.txt",)


def test_the_charset_of_the_header_overrides_that_of_the_page(tmp_path):
    raw = response(
        A, "<meta charset=utf-8><title>щ</title>".encode("koi8-r"), Content_Type="text/html; charset='KOI8-R'"
    )
    assert open_records(tmp_path, raw).pages.title.tolist() == ["щ"]


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({"Content_Encoding": "gzip"}, packed(b"<p>words")),
        ({"Content_Encoding": "gzip"}, b"<p>words"),
        ({"Content_Encoding": "deflate"}, zlib.compress(b"<p>words")),
        ({"Content_Encoding": "deflate"}, zlib.compress(b"<p>words")[2:-4]),
        ({"Transfer_Encoding": "chunked"}, b"3\r\n<p>\r\n5;x=y\r\nwords\r\n0\r\n\r\n"),
        ({"Transfer_Encoding": "chunked"}, b"<p>words"),
    ],
    ids=["gzip", "gzip undone", "deflate", "raw deflate", "chunked", "chunks joined"],
)
def test_content_and_transfer_encodings_are_decoded(tmp_path, headers, body):
    assert open_records(tmp_path, page(A, body, **headers)).pages.text.tolist() == ["words"]


@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        (
            page("http://x.org/", packed(b"<p>words" * 99)[:-9], Content_Encoding="gzip"),
            "damaged response (truncated compressed content)",
        ),
        (page("http://x.org/", b"<p>", Content_Encoding="br"), "unsupported content encoding br"),
        (page("http://x.org/", b""), "empty file"),
        (
            page("http://x.org/", b"3\r\n<p>\r\nzz", Transfer_Encoding="chunked"),
            "damaged response (truncated chunks)",
        ),
        (response("http://x.org/", status="302 Found", Location="mailto:x@y.org"), "redirect without a valid target"),
        (response("http://x.org/", b"words"), "response without a content type that does not look like HTML"),
        (page("http://x.org/", "<p>long" * 200)[:-90], "damaged record (damaged gzip data)"),
        (b"\x1f\x8b\x08\x00 no gzip at all", None),
        (
            packed(b"WARC/1.0\r\nWARC-Type: response\r\n\r\n\r\n"),
            "damaged record (no content length)",
        ),
        (packed(b"WARC/1.0\r\nno colon\r\n\r\n"), "damaged record (malformed header)"),
        (packed(b"something else\r\n\r\n"), "damaged record (text between records)"),
        (
            packed(b"WARC/1.0\r\nContent-Length: 99\r\n\r\nx"),
            "damaged record (truncated record)",
        ),
    ],
)
def test_an_unusable_record_is_counted_and_the_next_one_is_read(tmp_path, bad, kind):
    collection = open_records(tmp_path, RECORDS[0] + bad + RECORDS[5])
    assert collection.pages.url.tolist() == [A, B]
    assert sum(kinds(collection.reading.skipped).values()) >= 1
    if kind is not None:
        assert kind in kinds(collection.reading.skipped)


def test_damage_in_an_uncompressed_archive_is_skipped(tmp_path):
    first, second = unpack(RECORDS[0]), unpack(RECORDS[5])
    collection = open_records(tmp_path, first[:-100] + b"\r\n\r\n" + second + unpack(RECORDS[6]), "crawl.warc")
    assert C in collection.pages.url
    assert collection.reading.n_skipped >= 1


def test_an_archive_without_readable_records_raises_an_error(tmp_path):
    with pytest.raises(DataError, match=r"crawl.warc.gz: no page was found"):
        open_records(tmp_path, b"\x1f\x8b\x08rubbish")
    with pytest.raises(DataError, match="base_url is for files"):
        open_collection(tmp_path / "crawl.warc.gz", base_url="http://a.org/")


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_any_damage_costs_only_the_records_it_touches_and_is_reported(tmp_path_factory, data):
    """The first three bytes stay intact, because they mark the archive as compressed."""
    archive = b"".join(RECORDS)
    places = data.draw(st.lists(st.integers(3, len(archive) - 1), min_size=1, max_size=4))
    end = data.draw(st.integers(3, len(archive)))
    raw = bytearray(archive)
    for place in places:
        raw[place] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("warc") / "x.warc.gz"
    path.write_bytes(raw[:end])
    faults = []
    read = [record.block for record in read_records(path, lambda headers: True, faults.append, lambda position: None)]
    ends = list(accumulate(map(len, RECORDS)))
    begun = [blocks(record) for record, stop in zip(RECORDS, ends, strict=True) if stop - len(record) < end]
    whole = [
        blocks(record)
        for record, stop in zip(RECORDS, ends, strict=True)
        if stop <= end and not any(stop - len(record) <= place < stop for place in places)
    ]
    assert is_part(whole, read)
    assert is_part(read, begun)
    assert faults or read == begun


def blocks(record):
    """Return what follows the headers of a compressed record, without the final blank lines."""
    return unpack(record).partition(b"\r\n\r\n")[2].removesuffix(b"\r\n\r\n")


def is_part(some, of):
    """Return whether all entries occur in the other list, in this order."""
    rest = iter(of)
    return all(entry in rest for entry in some)


def test_a_compressed_record_with_a_damaged_start_is_counted(tmp_path):
    collection = open_records(tmp_path, RECORDS[0] + b"\x1e" + RECORDS[5][1:] + RECORDS[6])
    assert collection.pages.url.tolist() == [A, C]
    assert kinds(collection.reading.skipped)["damaged record (bytes between gzip members)"] == 1


@pytest.mark.parametrize("padding", [b"", b"\0", bytes(512)])
def test_zeros_between_records_are_padding(tmp_path, padding):
    collection = open_records(tmp_path, RECORDS[0] + padding + RECORDS[5] + padding)
    assert collection.pages.url.tolist() == [A, B]
    assert collection.reading.n_skipped == 0


@given(st.binary(max_size=200), st.sampled_from(["response", "resource", "revisit"]), st.text(max_size=20))
def test_any_block_is_a_document_or_counted(block, kind, uri):
    headers = {"warc-type": kind, "warc-target-uri": uri or A, "content-type": "text/html"}
    for record in (
        WarcRecord(headers, block),
        WarcRecord({"warc-type": kind, "warc-target-uri": A}, b"HTTP/1.1 200 OK\r\n" + block),
    ):
        tally = ReadingTally()
        document = read_response(record, tally)
        skipped = tally.report("x.warc", "WARC file", pages=0, links=0).n_skipped
        assert skipped == (1 if document is None else 0)


def test_a_truncated_archive_is_reported(tmp_path):
    collection = open_records(tmp_path, RECORDS[0] + RECORDS[5][:-30])
    assert collection.pages.url.tolist() == [A]
    assert any("truncated" in kind for kind in collection.reading.skipped)


def test_records_equal_those_read_by_warcio(tmp_path):
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(b"".join(RECORDS))
    faults = []
    ours = [
        (record.header("WARC-Target-URI"), split_response(record.block)[0], split_response(record.block)[2])
        for record in read_records(path, lambda headers: True, faults.append, lambda position: None)
    ]
    with path.open("rb") as file:
        theirs = [
            (record.rec_headers["WARC-Target-URI"], int(record.http_headers.get_statuscode()), record.raw_stream.read())
            for record in ArchiveIterator(file)
        ]
    assert ours == theirs
    assert faults == []


def test_records_without_a_page_are_counted_by_type(tmp_path):
    def record(kind, uri=f"WARC-Target-URI: {A}\r\n"):
        return packed(f"WARC/1.0\r\nWARC-Type: {kind}\r\n{uri}Content-Length: 2\r\n\r\nxy\r\n\r\n".encode())

    types = ["warcinfo", "request", "Request", "metadata", "conversion", "continuation", "revisit", "poem", "novel"]
    dns = record("response", "WARC-Target-URI: dns:a.org\r\n")
    raw = b"".join([page(A, "<p>a"), *map(record, types), record("warcinfo", ""), dns])
    reading = open_records(tmp_path, raw).reading
    assert kinds(reading.skipped) == {"revisit record without content": 1}
    assert kinds(reading.noted) == {
        "record of type request (not read)": 2,
        "record of type warcinfo (not read)": 2,
        "record of an unknown type (not read)": 2,
        "record of type conversion (not read)": 1,
        "record of type continuation (not read)": 1,
        "record of type metadata (not read)": 1,
        "record without a web address (not read)": 1,
    }
    assert reading.noted["record of type warcinfo (not read)"].examples == (A, "crawl.warc.gz")
    assert reading.noted["record without a web address (not read)"].examples == ("dns:a.org",)
    assert reading.n_faults == 0


def test_a_record_of_hundreds_of_megabytes_takes_the_memory_of_one_page(tmp_path):
    """Half a gigabyte of zeros packs into half a megabyte; the damage is counted, and the next record is read."""
    length = 1 << 29
    header = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    fields = f"WARC-Type: response\r\nWARC-Target-URI: {B}\r\nContent-Length: {length + len(header)}\r\n\r\n"
    bomb = gzip_of_repeated(bytes(1 << 20), length >> 20, head=b"WARC/1.0\r\n" + fields.encode() + header)
    path = tmp_path / "bomb.warc.gz"
    path.write_bytes(bomb + page(A, "<title>A</title>"))
    tracemalloc.start()
    collection = open_collection(path, folder=tmp_path / "kept")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * MAX_PAGE_BYTES
    assert collection.pages.url.tolist() == [A]
    assert kinds(collection.reading.skipped) == {
        "damaged record (gzip data that unpack to more than 100 times their size)": 1,
        "damaged record (truncated record)": 1,
    }


def test_a_page_beyond_the_limit_is_counted_and_the_next_record_read(tmp_path):
    body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + bytes(MAX_PAGE_BYTES + (1 << 22))
    fields = f"WARC-Type: response\r\nWARC-Target-URI: {B}\r\nContent-Length: {len(body)}\r\n\r\n"
    path = tmp_path / "large.warc"
    path.write_bytes(b"WARC/1.0\r\n" + fields.encode() + body + b"\r\n\r\n" + unpack(page(A, "<title>A</title>")))
    collection = open_collection(path, folder=tmp_path / "kept")
    assert collection.pages.url.tolist() == [A]
    assert kinds(collection.reading.skipped) == {"page larger than 64 MB": 1}


@pytest.mark.parametrize("text", [b"\n" * 10_000_000, b"X: y\r\n" * 3_000_000, b"x" * 20_000_000], ids=len)
def test_text_between_records_is_passed_by_and_counted_once(tmp_path, text):
    path = tmp_path / "text.warc"
    path.write_bytes(unpack(page(A, "<title>A</title>")) + text + b"\n" + unpack(page(B, "<title>B</title>")))
    collection = open_collection(path, folder=tmp_path / "kept")
    assert collection.pages.url.tolist() == [A, B]
    expected = {"damaged record (text between records)": 1} if text.strip() else {}
    assert kinds(collection.reading.skipped) == expected


def test_headers_without_end_are_a_damaged_record(tmp_path):
    fields = "".join(f"X-{number}: {'x' * 1000}\r\n" for number in range(2000))
    path = tmp_path / "headers.warc"
    path.write_bytes(f"WARC/1.0\r\nWARC-Type: response\r\n{fields}\r\n".encode() + unpack(page(A, "<title>A</title>")))
    collection = open_collection(path, folder=tmp_path / "kept")
    assert collection.pages.url.tolist() == [A]
    assert kinds(collection.reading.skipped) == {"damaged record (more than 1 MB of headers)": 1}


def test_a_response_with_headers_without_end_is_damaged():
    block = b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200_000 + b"\r\n<p>"
    with pytest.raises(ValueError, match="more than 1 MB of headers"):
        split_response(block)
