"""Reads web archives: responses become pages, redirects are followed, damaged records are counted and skipped."""

import io
import re
import zlib
from collections.abc import Iterator, Sequence
from email.message import Message
from pathlib import Path
from typing import Any

from glassrank.core.progress import Progress
from glassrank.data.reading_report import ReadingTally
from glassrank.data.web.addresses import LINKED_BEGINNINGS, WebAddresses, join_address, readable_name
from glassrank.data.web.documents import MAX_PAGE_BYTES, Document, begins_like_html, fault_of_content
from glassrank.data.web.warc_records import GZIP_MAGIC, MAX_HEADER_BYTES, WarcRecord, read_records

_NAMES = (".warc", ".warc.gz")
_HTML_TYPES = ("text/html", "application/xhtml+xml")
_PAGE_TYPES = ("response", "resource")
# ISO 28500, section 6. A revisit refers to a page in an earlier record.
_OTHER_TYPES = ("warcinfo", "request", "metadata", "conversion", "continuation")
# The size of a chunk in hexadecimal digits, and parameters that mean nothing to a reader.
_CHUNK_BEGINS = re.compile(rb"([0-9a-fA-F]{1,15})[ \t]*(?:;[^\r\n]*)?\r\n")
_NO_DECODING = ("", "identity", "none", "utf-8")


class WarcSource:
    """Responses of one or more WARC files, compressed or not."""

    def __init__(self, path: Path, files: list[Path], beside: Sequence[Path] = ()) -> None:
        self.path = path
        self.files = files
        self._beside = beside
        self.kind = "WARC file" if files == [path] else "folder of WARC files"
        self.addresses = WebAddresses()

    def documents(self, tally: ReadingTally, progress: Progress) -> Iterator[Document]:
        """Yield pages and redirects; other responses and damaged records are counted."""
        for file in self._beside:
            tally.skip("other file beside the WARC files", readable_name(file.name))
        total = sum(file.stat().st_size for file in self.files)
        before = 0
        for file in self.files:
            yield from self._documents_of(file, tally, _shifted(progress, before, total))
            before += file.stat().st_size
        progress(total, total, "reading the archive")

    def _documents_of(self, file: Path, tally: ReadingTally, at: Any) -> Iterator[Document]:
        def wanted(headers: dict[str, str]) -> bool:
            return _is_read(headers, tally, readable_name(file.name))

        def damaged(what: str) -> None:
            tally.skip(f"damaged record ({what})", readable_name(file.name))

        for record in read_records(file, wanted, damaged, at):
            document = read_response(record, tally)
            if document is not None:
                yield document


def _is_read(headers: dict[str, str], tally: ReadingTally, file: str) -> bool:
    """Return whether a record may contain a page; other records are counted by type."""
    kind = headers.get("warc-type", "").lower()
    address = headers.get("warc-target-uri", "").strip("<>")
    if kind == "revisit":
        tally.skip("revisit record without content", address)
    elif kind == "":
        tally.skip("damaged record (no type)", file)
    elif kind not in _PAGE_TYPES:
        tally.note(f"record of {_named(kind)} (not read)", address or file)
    elif not address.startswith(LINKED_BEGINNINGS):
        tally.note("record without a web address (not read)", address or file)
    else:
        return True
    return False


def _named(kind: str) -> str:
    return f"type {kind}" if kind in _OTHER_TYPES else "an unknown type"


def is_warc_name(path: Path) -> bool:
    """Return whether a file has the name of a WARC file."""
    return path.name.lower().endswith(_NAMES)


def is_warc(path: Path) -> bool:
    """Return whether a file begins like a WARC file, compressed or not, or has the name of one."""
    with path.open("rb") as file:
        beginning = file.read(1 << 12)
    if beginning.startswith(GZIP_MAGIC):
        try:
            beginning = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(beginning, 16)
        except zlib.error:
            return is_warc_name(path)
    return beginning.startswith(b"WARC/") or is_warc_name(path)


def read_response(record: WarcRecord, tally: ReadingTally) -> Document | None:
    """Turn a record into a document; count it and return None if it is not a page."""
    uri = record.header("WARC-Target-URI").strip("<>")
    address = join_address(uri, "")
    if address is None:
        tally.skip("record without a valid address", uri)
        return None
    if record.header("WARC-Type").lower() == "resource":
        return _page(address, record.block, {"content-type": record.header("Content-Type")}, tally)
    try:
        status, headers, body = split_response(record.block)
    except ValueError as error:
        tally.skip(str(error), address)
        return None
    if 300 <= status < 400 and headers.get("location"):
        return Document(address, redirect=headers["location"])
    if not 200 <= status < 300:
        tally.skip(f"response with status {status}", address)
        return None
    return _page(address, body, headers, tally)


def _page(address: str, body: bytes, headers: dict[str, str], tally: ReadingTally) -> Document | None:
    message = Message()
    message["content-type"] = headers.get("content-type", "")
    declared = headers.get("content-type", "").partition(";")[0].strip().lower()
    if declared and declared not in _HTML_TYPES:
        tally.skip(f"other content ({declared[:60]})", address)
        return None
    try:
        body = decode_body(body, headers)
        fault = fault_of_content(body)
    except ValueError as error:
        fault = str(error)
    if not fault and not declared and not begins_like_html(body):
        fault = "response without a content type that does not look like HTML"
    if fault:
        tally.skip(fault, address)
        return None
    charset = message.get_param("charset")
    return Document(
        address,
        body,
        charset if isinstance(charset, str) else None,
        headers.get("content-language", "").split(",")[0].strip(),
        headers.get("last-modified", ""),
    )


def split_response(block: bytes) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and body of an HTTP response.

    >>> split_response(b"HTTP/1.1 200 OK\\r\\nContent-Type: text/html\\r\\n\\r\\n<p>")
    (200, {'content-type': 'text/html'}, b'<p>')
    """
    stream = io.BytesIO(block)
    parts = stream.readline().split(None, 2)
    if len(parts) < 2 or not parts[0].startswith(b"HTTP/") or not parts[1].isdigit():
        raise ValueError("not an HTTP response")
    headers: dict[str, str] = {}
    while (line := stream.readline()).strip():
        if stream.tell() > MAX_HEADER_BYTES:
            raise ValueError("damaged response (more than 1 MB of headers)")
        name, _, value = line.decode("latin-1").partition(":")
        headers.setdefault(name.strip().lower(), value.strip())
    # Headers may contain UTF-8 against the standard, which would be garbled as latin-1.
    return int(parts[1]), {name: _reread(value) for name, value in headers.items()}, stream.read()


def decode_body(body: bytes, headers: dict[str, str]) -> bytes:
    """Decode the transfer encoding and the content encoding.

    >>> decode_body(b"3\\r\\n<p>\\r\\n0\\r\\n\\r\\n", {"transfer-encoding": "chunked"})
    b'<p>'
    """
    # Of a longer block only the beginning was kept.
    if len(body) > MAX_PAGE_BYTES:
        return body
    if headers.get("transfer-encoding", "").lower() == "chunked":
        body = _join_chunks(body)
    encoding = headers.get("content-encoding", "").strip().lower()
    if encoding in _NO_DECODING:
        return body
    if encoding in ("gzip", "x-gzip"):
        # Some crawlers decompress the body but keep the header.
        return _unpack(body, zlib.MAX_WBITS | 16) if body.startswith(GZIP_MAGIC) else body
    if encoding == "deflate":
        return _unpack(body, zlib.MAX_WBITS if body[:1] == b"\x78" else -zlib.MAX_WBITS)
    raise ValueError(f"unsupported content encoding {encoding[:20]}")


def _join_chunks(body: bytes) -> bytes:
    parts: list[bytes] = []
    place = 0
    while True:
        begin = _CHUNK_BEGINS.match(body, place)
        if begin is None:
            # Some crawlers join the chunks but keep the header.
            if place == 0:
                return body
            raise ValueError("damaged response (truncated chunks)")
        size, end = int(begin[1], 16), begin.end() - 2
        if size == 0:
            return b"".join(parts)
        place = end + 2 + size + 2
        if body[place - 2 : place] != b"\r\n":
            raise ValueError("damaged response (chunk of another length)")
        parts.append(body[end + 2 : place - 2])


def _unpack(body: bytes, window: int) -> bytes:
    unpacker = zlib.decompressobj(window)
    try:
        content = unpacker.decompress(body, MAX_PAGE_BYTES + 1)
    except zlib.error as error:
        raise ValueError("damaged response (compressed content)") from error
    if not unpacker.eof and len(content) <= MAX_PAGE_BYTES:
        raise ValueError("damaged response (truncated compressed content)")
    return content


def _reread(value: str) -> str:
    try:
        return value.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return value


def _shifted(progress: Progress, before: int, total: int) -> Any:
    return lambda position: progress(before + position, total, "reading the archive")
