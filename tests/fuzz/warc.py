"""WARC files, packed or not, compared with warcio."""

import gzip
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

from tests.fuzz.cases import Case, Packed, odd_files
from tests.fuzz.mutations import damage
from tests.fuzz.pages import FAULTY, PAGE, TOKENS, build, check_faults, documents_of, is_small
from tests.fuzz.reader import Reader, damage_a_file, same

_WARC = "crawl.warc.gz"


def _record(address: str, body: bytes, *, kind: bytes = b"response", http: bytes = b"Content-Type: text/html") -> bytes:
    block = b"HTTP/1.1 200 OK\r\n" + http + b"\r\n\r\n" + body
    head = b"WARC/1.0\r\nWARC-Type: " + kind + b"\r\nWARC-Target-URI: " + address.encode() + b"\r\n"
    identity = b"WARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2024-05-01T12:00:00Z\r\n"
    return head + identity + b"Content-Length: %d\r\n\r\n" % len(block) + block + b"\r\n\r\n"


def _records() -> list[bytes]:
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(PAGE), PAGE)
    return [
        _record("http://a.org/", PAGE),
        _record("http://a.org/info", b"", kind=b"warcinfo"),
        _record("http://a.org/b", chunked, http=b"Content-Type: text/html\r\nTransfer-Encoding: chunked"),
        _record("http://a.org/c", gzip.compress(PAGE), http=b"Content-Type: text/html\r\nContent-Encoding: gzip"),
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
        Case("cut archive", {_WARC: packed[:-30]}, expected=FAULTY),
        Case("rubbish after the end", {_WARC: packed + b"rubbish" * 100}, expected=FAULTY),
        Case("zeros between members", {_WARC: gzip.compress(records[0]) + bytes(2000) + gzip.compress(records[2])}),
        Case("gzip bomb of a record", {_WARC: Packed(((endless, 1), (bytes(1 << 20), 1500)))}),
        Case("gzip bomb of a header", {_WARC: Packed(((head + b"X: ", 1), (b"a" * (1 << 20), 1500)))}),
        Case("gzip bomb of headers", {_WARC: Packed(((head, 1), (b"a: b\r\n" * 100_000, 1500)))}),
        Case("gzip bomb of a body", {_WARC: gzip.compress(bomb)}, is_base=False),
        Case("length without end", {_WARC: endless}),
        *odd_files(_WARC),
    ]


def _read_warc(folder: Path, options: Mapping[str, Any]) -> None:
    """If no fault is reported and warcio reads everything, the HTML responses have the same bodies."""
    if is_small(folder / _WARC):
        documents, reading = documents_of(folder / _WARC)
        check_faults(reading, options)
        theirs = _by_warcio(folder / _WARC)
        # warcio strips stray characters from types and addresses, which glassrank treats as unknown.
        unread = {"record of an unknown type (not read)", "record without a web address (not read)"}
        if not reading.skipped and not unread & set(reading.noted) and theirs is not None:
            ours = [document.raw for document in documents if document.redirect is None]
            same("bodies of pages", ours, theirs)
    build(folder / _WARC)


def _by_warcio(path: Path) -> list[bytes] | None:
    """Return the bodies of the HTML responses; None if warcio finds a fault, or a response of another kind.

    Also None if warcio is known to differ: it only accepts types in lower case, and returns the last chunk of damaged
    ones, or one whose size is followed by blanks, as content.
    """
    bodies = []
    try:
        with path.open("rb") as file:
            for record in ArchiveIterator(file, arc2warc=False):
                if record.rec_type != record.rec_type.lower():
                    return None
                uri = (record.rec_headers.get_header("WARC-Target-URI") or "").strip("<>")
                if record.rec_type != "response" or not uri.startswith(("http://", "https://")):
                    continue
                status, kind = record.http_headers.get_statuscode(), record.http_headers.get_header("Content-Type")
                if status != "200" or kind != "text/html":
                    return None
                bodies.append(record.content_stream().read())
                if record.http_headers.get_header("Transfer-Encoding") and bodies[-1].rstrip(b" \t\r\n")[-1:] == b"0":
                    return None
    # warcio is not made for hostile archives. If it raises an exception, there is nothing to compare with.
    except (ArchiveLoadFailed, ArithmeticError, ValueError, AttributeError, TypeError, LookupError, EOFError, OSError):
        return None
    return bodies


def _mutate_warc(generator: random.Random, case: Case, others: Sequence[Case]) -> Case:
    """Damage a record before it is packed, or the packed file."""
    if generator.random() < 0.3:
        return damage_a_file(generator, case, others, TOKENS)
    records = [generator.choice(_RECORDS) for _ in range(generator.randint(1, 4))]
    at = generator.randrange(len(records))
    records[at] = damage(generator, records[at], records, (*_HEADERS, *TOKENS))
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


WARC = Reader("WARC", _warc_corpus, _read_warc, share=12, mutate=_mutate_warc)
