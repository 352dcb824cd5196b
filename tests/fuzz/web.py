"""Pages: HTML in folders, WARC files against warcio, tar archives against tarfile."""

import gzip
import io
import random
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

from glassrank.core.progress import silent
from glassrank.data.reading_report import Reading, ReadingTally
from glassrank.data.web.build_collection import NoPagesError, build_collection
from glassrank.data.web.documents import Document
from glassrank.data.web.file_sources import may_be_html
from glassrank.data.web.find_source import find_source
from tests.fuzz.cases import Case, Packed, odd_files
from tests.fuzz.mutations import damage
from tests.fuzz.reader import Reader, damage_a_file, same

_WARC, _TAR = "crawl.warc.gz", "site.tar"
_LARGEST_COMPARED = 100_000
_BLOCK = 512
_TOKENS = (
    *(b"<", b">", b"</a>", b"<a href=", b"<base href=//[", b"<title>", b"<svg>", b"<template>", b"<h1>", b"&#x110000;"),
    *(
        b"<meta charset=utf-7>",
        b"<meta charset=utf-16>",
        b"<meta http-equiv=refresh content='0;url=b.html'>",
        b"<![CDATA[",
    ),
    *(
        b"<?php echo 1 ?>",
        b"<?xml version='1.0'?>",
        b"<!DOCTYPE",
        b"<plaintext>",
        b"<select>",
        b"<math><mi>",
        b"hidden",
    ),
)
_PAGE = (
    b"<!doctype html><title>Zen</title><h1>Zen</h1><p>See <a href='b.html#x' rel=nofollow>the other</a><img alt=a>.\n"
)


def _html_corpus() -> list[Case]:
    pages = {"a.html": _PAGE, "b.html": b"<title>B</title><p>Nothing more.<form><input></form>"}
    odd = {
        "processing instruction": b"<?php echo 1; ?><title>A</title><p>text<?php more ?> end",
        "instruction in the body": _PAGE + b"<div><?xml-stylesheet a='b'?><b>c</b></div>",
        "declaration": b"<!ELEMENT a><!DOCTYPE a [<!ENTITY b 'c'>]><p>&b;",
        "deep nesting": b"<div>" * 20_000,
        "links inside links": b"<a href=x><object>" * 500,
        "NULs and surrogates": b"<p>a\0b&#xd800;&#0;\xed\xa0\x80",
        "many attributes": b"<p " + b" ".join(b"a%d=1" % number for number in range(20_000)) + b">",
        "templates": b"<template><template><table><p></template></a><svg><title>x</svg>",
    }
    return [
        Case("two pages", pages),
        *(Case(name, {"a.html": content, "b.html": pages["b.html"]}) for name, content in odd.items()),
        *odd_files("a.html", beside={"b.html": pages["b.html"]}),
    ]


def _read_html(folder: Path, options: Mapping[str, Any]) -> None:
    """Build a collection; every file is a page, a redirect, or counted as skipped."""
    n_files = sum(1 for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    reading = _build(folder)
    leading_on = sum(found.count for kind, found in reading.noted.items() if kind.startswith("redirect"))
    same("pages and files skipped", reading.pages + reading.n_skipped + leading_on, n_files)


def _build(path: Path) -> Reading:
    found, tally = find_source(path), ReadingTally()
    try:
        collection = build_collection(found, tally, silent)
    except NoPagesError:
        return tally.report(str(path), found.kind, 0, 0)
    return tally.report(str(path), found.kind, len(collection.pages), len(collection.links))


def _documents(path: Path) -> tuple[list[Document], Reading]:
    """The documents of a small archive, and what was wrong with it."""
    tally = ReadingTally()
    found = find_source(path)
    documents = list(found.documents(tally, silent))
    return documents, tally.report(str(path), found.kind, len(documents), 0)


def _is_small(path: Path) -> bool:
    return path.is_file() and path.stat().st_size <= _LARGEST_COMPARED


def _record(address: str, body: bytes, *, kind: bytes = b"response", http: bytes = b"Content-Type: text/html") -> bytes:
    block = b"HTTP/1.1 200 OK\r\n" + http + b"\r\n\r\n" + body
    head = b"WARC/1.0\r\nWARC-Type: " + kind + b"\r\nWARC-Target-URI: " + address.encode() + b"\r\n"
    identity = b"WARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2024-05-01T12:00:00Z\r\n"
    return head + identity + b"Content-Length: %d\r\n\r\n" % len(block) + block + b"\r\n\r\n"


def _records() -> list[bytes]:
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(_PAGE), _PAGE)
    return [
        _record("http://a.org/", _PAGE),
        _record("http://a.org/info", b"", kind=b"warcinfo"),
        _record("http://a.org/b", chunked, http=b"Content-Type: text/html\r\nTransfer-Encoding: chunked"),
        _record("http://a.org/c", gzip.compress(_PAGE), http=b"Content-Type: text/html\r\nContent-Encoding: gzip"),
    ]


def _warc_corpus() -> list[Case]:
    records = _records()
    packed = b"".join(map(gzip.compress, records))
    long = 1500 << 20
    head = records[0].partition(b"Content-Length")[0]
    endless = head + b"Content-Length: %d\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" % long
    packed_body = gzip.compress(b"<p>" + bytes(100 << 20), mtime=0)
    bomb = _record("http://a.org/", packed_body, http=b"Content-Type: text/html\r\nContent-Encoding: gzip")
    return [
        Case("packed records", {_WARC: packed}),
        Case("plain records", {_WARC: b"".join(records)}),
        Case("cut archive", {_WARC: packed[:-30]}),
        Case("rubbish after the end", {_WARC: packed + b"rubbish" * 100}),
        Case("zeros between members", {_WARC: gzip.compress(records[0]) + bytes(2000) + gzip.compress(records[2])}),
        Case("gzip bomb of a record", {_WARC: Packed(((endless, 1), (bytes(1 << 20), 1500)))}),
        Case("gzip bomb of a header", {_WARC: Packed(((head + b"X: ", 1), (b"a" * (1 << 20), 1500)))}),
        Case("gzip bomb of headers", {_WARC: Packed(((head, 1), (b"a: b\r\n" * 100_000, 1500)))}),
        Case("gzip bomb of a body", {_WARC: gzip.compress(bomb)}, is_base=False),
        Case("length without end", {_WARC: endless}),
        *odd_files(_WARC),
    ]


def _read_warc(folder: Path, options: Mapping[str, Any]) -> None:
    """Where nothing is reported and warcio reads all, the HTML responses have the same addresses and bodies."""
    if _is_small(folder / _WARC):
        documents, reading = _documents(folder / _WARC)
        theirs = _by_warcio(folder / _WARC)
        if not reading.skipped and theirs is not None:
            ours = [document.raw for document in documents if document.redirect is None]
            same("bodies of pages", ours, theirs)
    _build(folder / _WARC)


def _by_warcio(path: Path) -> list[bytes] | None:
    """Bodies of the HTML responses; None where warcio finds a fault, or a response of another kind."""
    bodies = []
    try:
        with path.open("rb") as file:
            for record in ArchiveIterator(file, arc2warc=False):
                uri = (record.rec_headers.get_header("WARC-Target-URI") or "").strip("<>")
                if record.rec_type != "response" or not uri.startswith(("http://", "https://")):
                    continue
                status, kind = record.http_headers.get_statuscode(), record.http_headers.get_header("Content-Type")
                if status != "200" or kind != "text/html":
                    return None
                bodies.append(record.content_stream().read())
    # warcio is not written for hostile archives: whatever it raises, there is nothing to compare with.
    except (ArchiveLoadFailed, ValueError, AttributeError, TypeError, KeyError, EOFError, OSError, IndexError):
        return None
    return bodies


def _mutate_warc(generator: random.Random, case: Case, others: Sequence[Case]) -> Case:
    """Damage a record before it is packed, or the packed file."""
    if generator.random() < 0.3:
        return damage_a_file(generator, case, others, _TOKENS)
    records = [generator.choice(_RECORDS) for _ in range(generator.randint(1, 4))]
    at = generator.randrange(len(records))
    records[at] = damage(generator, records[at], records, (*_HEADERS, *_TOKENS))
    packed = map(gzip.compress, records) if generator.random() < 0.5 else records
    return replace(case, files={_WARC: b"".join(packed)})


_RECORDS = _records()
_HEADERS = (
    *(
        b"\r\n\r\n",
        b"WARC/1.0\r\n",
        b"Content-Length: 0\r\n",
        b"Content-Length: -1\r\n",
        b"Content-Length: 10000000000\r\n",
    ),
    *(
        b"WARC-Type: revisit\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"Content-Encoding: br\r\n",
        b"HTTP/1.1 301 Moved\r\n",
    ),
    *(b"Location: //[\r\n", b"Content-Type: text/html; charset=\xff\r\n", b"ffffffffffff\r\n", b"0\r\n\r\n"),
)


def _tar(files: Mapping[str, bytes], **options: Any) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", **options) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def _tar_corpus() -> list[Case]:
    archive = _tar({"a.html": _PAGE, "b.html": b"<p>B"})
    long_names = _tar({f"{'a' * 300}/{number}.html": _PAGE for number in range(3)}, format=tarfile.GNU_FORMAT)
    pax = _tar({f"{'é' * 300}/{number}.html": _PAGE for number in range(3)}, format=tarfile.PAX_FORMAT)
    second = 2 * _BLOCK
    return [
        Case("tar", {_TAR: archive}),
        Case("packed tar", {_TAR: gzip.compress(archive)}),
        Case("long names", {_TAR: long_names}),
        Case("pax headers", {_TAR: pax}),
        Case("a second tar after the first", {_TAR: archive + _tar({"c.html": _PAGE})}),
        Case("zeroed block", {_TAR: archive[:second] + bytes(_BLOCK) + archive[second + _BLOCK :]}),
        Case("rubbish after the end", {_TAR: archive + b"rubbish" * 300}),
        Case("cut archive", {_TAR: archive[: second + 100]}),
        Case("long pax header", {_TAR: _pax_header(20 << 20)}),
        Case("many pax records", {_TAR: _pax_header(0, records=400_000)}),
        Case("chained long names", {_TAR: _chained_names(5000)}),
        Case("gzip bomb of a page", {_TAR: _packed_member("a.html", 1500 << 20)}),
        Case("gzip bomb of a picture", {_TAR: _packed_member("a.png", 1500 << 20)}),
        *odd_files(_TAR),
    ]


def _header(name: str, size: int, kind: bytes) -> bytes:
    member = tarfile.TarInfo(name)
    member.size, member.type = size, kind
    return member.tobuf(tarfile.GNU_FORMAT)


def _padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % _BLOCK)


def _pax_header(length: int, records: int = 1) -> bytes:
    body = b"".join(_pax_record(b"comment%d" % number, b"x" * length) for number in range(records))
    return _header("pax", len(body), tarfile.XHDTYPE) + _padded(body) + _tar({"a.html": _PAGE})


def _pax_record(name: bytes, value: bytes) -> bytes:
    """A record begins with its own length, which counts its digits too."""
    bare = len(name) + len(value) + 3
    size = bare + len(str(bare))
    size = bare + len(str(size))
    return b"%d %s=%s\n" % (size, name, value)


def _chained_names(times: int) -> bytes:
    return (_header("././@LongLink", 2, tarfile.GNUTYPE_LONGNAME) + _padded(b"a\0")) * times + _tar({"a.html": _PAGE})


def _packed_member(name: str, size: int) -> Packed:
    return Packed(((_header(name, size, tarfile.REGTYPE), 1), (bytes(1 << 20), size >> 20), (bytes(1024), 1)))


def _read_tar(folder: Path, options: Mapping[str, Any]) -> None:
    """Where nothing is reported, the files are all that tarfile finds in the archive, also after its end mark."""
    if _is_small(folder / _TAR):
        documents, reading = _documents(folder / _TAR)
        theirs = _by_tarfile(folder / _TAR)
        if not reading.skipped and theirs is not None:
            same("contents of files", [document.raw for document in documents], theirs)
    _build(folder / _TAR)


def _by_tarfile(path: Path) -> list[bytes] | None:
    """Contents of the HTML files; None where tarfile finds a fault."""
    try:
        with tarfile.open(path, ignore_zeros=True, errors="surrogateescape") as archive:
            members = [member for member in archive if member.isfile() and may_be_html(member.name)]
            return [archive.extractfile(member).read() for member in members]
    except (tarfile.TarError, OSError, EOFError, ValueError, RecursionError):
        return None


def _mutate_tar(generator: random.Random, case: Case, others: Sequence[Case]) -> Case:
    """Damage a header and correct its checksum, or damage any bytes."""
    content = case.files[_TAR]
    headers = [at for at in range(0, len(content) - _BLOCK, _BLOCK) if content[at + 257 : at + 262] == b"ustar"]
    if not headers or generator.random() < 0.4:
        return damage_a_file(generator, case, others, _TOKENS)
    at = generator.choice(headers)
    fields = bytearray(content[at : at + _BLOCK])
    for _ in range(generator.randint(1, 3)):
        fields[generator.randrange(_BLOCK)] = generator.choice(b"\x00\xff\x800179xLKgSV./ ")
    fields[148:156] = b" " * 8
    fields[148:156] = b"%06o\0 " % sum(fields)
    return replace(case, files={_TAR: content[:at] + bytes(fields) + content[at + _BLOCK :]})


HTML = Reader("HTML", _html_corpus, _read_html, share=12, tokens=_TOKENS)
WARC = Reader("WARC", _warc_corpus, _read_warc, share=12, mutate=_mutate_warc)
TAR = Reader("tar", _tar_corpus, _read_tar, share=10, mutate=_mutate_tar)
