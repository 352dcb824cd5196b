"""HTTP responses: status, headers and body, in web archives and at the top of saved files."""

import io
import re
import zlib
from email.message import Message

from glassrank.data.reading_report import ReadingTally
from glassrank.data.web.documents import MAX_PAGE_BYTES, Document, begins_like_html, fault_of_content

GZIP_MAGIC = b"\x1f\x8b\x08"
MAX_HEADER_BYTES = 1 << 20
_HTML_TYPES = ("text/html", "application/xhtml+xml")
# The size of a chunk in hexadecimal digits, and parameters that mean nothing to a reader.
_CHUNK_BEGINS = re.compile(rb"([0-9a-fA-F]{1,15})[ \t]*(?:;[^\r\n]*)?\r\n")
_NO_DECODING = ("", "identity", "none", "utf-8")
# Headers at the top of a saved file, up to an empty line; crawlers of the nineties often left out the status line.
_STORED = re.compile(rb"(?:HTTP/\d[^\r\n]{0,200}\r?\n)?(?:[A-Za-z][A-Za-z0-9-]{0,60}:[^\r\n]{0,8000}\r?\n){1,200}\r?\n")
_TELLING = re.compile(rb"^(?:content-type|content-length|server|mime-version|last-modified|location):", re.I | re.M)

Response = tuple[int, dict[str, str], bytes]
"""Status, headers and body."""


def document_of(address: str, response: Response, tally: ReadingTally) -> Document | None:
    """Turn a response into a page or a redirect; count it and return None if it is neither."""
    status, headers, body = response
    if 300 <= status < 400 and headers.get("location"):
        return Document(address, redirect=headers["location"])
    if not 200 <= status < 300:
        tally.skip(f"response with status {status}", address)
        return None
    return page_of(address, body, headers, tally)


def stored_response(raw: bytes) -> Response | None:
    """Split a file that begins with the headers of its HTTP response; None if it does not.

    Without a status line, the status is 302 if there is a Location, otherwise 200.

    >>> stored_response(b"Server: NCSA/1.5\\nContent-type: text/html\\n\\n<HTML>")
    (200, {'server': 'NCSA/1.5', 'content-type': 'text/html'}, b'<HTML>')
    >>> stored_response(b"<p>Server: none")
    """
    found = _STORED.match(raw)
    if found is None:
        return None
    if raw.startswith(b"HTTP/"):
        try:
            return split_response(raw)
        except ValueError:
            return None
    if not _TELLING.search(found[0]):
        return None
    status, headers, body = split_response(b"HTTP/1.0 200 OK\n" + raw)
    return (302 if headers.get("location") else status), headers, body


def page_of(address: str, body: bytes, headers: dict[str, str], tally: ReadingTally) -> Document | None:
    """Turn the body of a response into a page; count it and return None if it is not HTML."""
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


def split_response(block: bytes) -> Response:
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
