"""Reading the records of a WARC file; damaged records are skipped."""

import io
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from glassrank.data.web.documents import MAX_PAGE_BYTES
from glassrank.data.web.http_response import GZIP_MAGIC, MAX_HEADER_BYTES
from glassrank.files.input_files import unpacked_limit

_RECORD_BEGINS = b"WARC/"
_CHUNK = 1 << 16
_MAX_LINE_BYTES = 1 << 16
_MAX_DIGITS = 20
# The largest page that is read, plus the headers of its response.
MAX_BLOCK_BYTES = MAX_PAGE_BYTES + MAX_HEADER_BYTES


@dataclass(frozen=True)
class WarcRecord:
    """Headers and block of a record."""

    headers: dict[str, str]
    block: bytes

    def header(self, name: str) -> str:
        """Return the value of a header, '' if it is absent."""
        return self.headers.get(name.lower(), "")


class DamagedRecordError(ValueError):
    """A record that cannot be read completely."""


def read_records(
    path: Path, wanted: Callable[[dict[str, str]], bool], damaged: Callable[[str], None], at: Callable[[int], None]
) -> Iterator[WarcRecord]:
    """Yield the wanted records; call ``damaged`` for each damaged stretch and ``at`` with the file position."""
    with path.open("rb") as file:
        packed = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        file.seek(0)
        for stream in _members(file, damaged) if packed else [file]:
            pending = None
            for record in _records_of(stream, wanted, damaged):
                at(file.tell())
                if pending is not None:
                    yield pending
                pending = record
            # A truncated member may run into the bytes of the next one, so its last record counts only if the member
            # is intact.
            if pending is not None and not getattr(getattr(stream, "raw", None), "fault", ""):
                yield pending


class _Member(io.RawIOBase):
    """Content of one gzip member, decompressed while reading."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._rest = b""
        self._packed_size = self._size = 0
        self.fault = ""

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; damage ends the content and sets ``fault``."""
        while not self._unpacker.eof and not self.fault:
            data = self._rest
            if not data:
                data = self._file.read(_CHUNK)
                self._packed_size += len(data)
            if not data:
                self.fault = "truncated gzip data"
                break
            try:
                unpacked = self._unpacker.decompress(data, len(buffer))
            except zlib.error:
                self.fault = "damaged gzip data"
                break
            self._rest = self._unpacker.unconsumed_tail
            self._size += len(unpacked)
            if self._size > unpacked_limit(self._packed_size):
                self.fault = "gzip data that unpack to more than 100 times their size"
                break
            if unpacked:
                buffer[: len(unpacked)] = unpacked
                return len(unpacked)
        return 0

    def end(self) -> int:
        """Return the file position after the member."""
        return self._file.tell() - len(self._unpacker.unused_data)


def _members(file: IO[bytes], damaged: Callable[[str], None]) -> Iterator[Any]:
    """Yield the content of each gzip member; after damage, continue at the next start of a member."""
    start: int | None = 0
    is_reported = False
    while start is not None:
        file.seek(start)
        member = _Member(file)
        stream = io.BufferedReader(member, _CHUNK)
        yield stream
        stream.read()
        if member.fault:
            # Bytes inside a damaged member may look like the start of another one, so report the damage once.
            if not is_reported:
                damaged(member.fault)
            is_reported = True
            start = _find(file, GZIP_MAGIC, start + 1)
        else:
            end = member.end()
            is_reported = _is_more_than_padding(file, end)
            if is_reported:
                damaged("bytes between gzip members")
            start = _find(file, GZIP_MAGIC, end)


def _is_more_than_padding(file: IO[bytes], start: int) -> bool:
    """Return whether something other than a gzip member, zeros or the end of the file follows."""
    file.seek(start)
    following = file.read(len(GZIP_MAGIC))
    if following != GZIP_MAGIC:
        following = (following + file.read(_CHUNK)).lstrip(b"\0")
    return following != b"" and not following.startswith(GZIP_MAGIC)


def _find(file: IO[bytes], magic: bytes, start: int) -> int | None:
    """Return the next position of a byte sequence in a file; None if there is none."""
    file.seek(start)
    kept = b""
    while data := file.read(_CHUNK):
        window = kept + data
        place = window.find(magic)
        if place >= 0:
            return file.tell() - len(window) + place
        kept = window[-len(magic) + 1 :]
    return None


def _records_of(
    stream: Any, wanted: Callable[[dict[str, str]], bool], damaged: Callable[[str], None]
) -> Iterator[WarcRecord]:
    is_reported = False
    while True:
        found, is_text = _skip_to_record(stream)
        if is_text and not is_reported:
            damaged("text between records")
        if not found:
            return
        is_reported = False
        try:
            headers = _read_headers(stream)
            block = _read_block(stream, headers, wanted(headers))
        except DamagedRecordError as error:
            damaged(str(error))
            is_reported = True
            continue
        if block is not None:
            yield WarcRecord(headers, block)


def _skip_to_record(stream: Any) -> tuple[bool, bool]:
    """Read past the next line that begins a record; return whether there is one, and whether text precedes it."""
    is_text = False
    while line := stream.readline(_MAX_LINE_BYTES):
        if line.startswith(_RECORD_BEGINS):
            return True, is_text
        is_text = is_text or bool(line.strip())
        # Skip all lines in the buffer at once: millions of lines one by one would take minutes.
        buffered = stream.peek()
        start = (line[-1:] + buffered).find(b"\n" + _RECORD_BEGINS)
        passed = stream.read(start if start >= 0 else buffered.rfind(b"\n") + 1)
        is_text = is_text or bool(passed.strip())
    return False, is_text


def _read_headers(stream: IO[bytes]) -> dict[str, str]:
    headers: dict[str, str] = {}
    name = ""
    left = MAX_HEADER_BYTES
    while (line := stream.readline(_MAX_LINE_BYTES)).strip():
        left -= len(line)
        if left < 0:
            raise DamagedRecordError("more than 1 MB of headers")
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if text[:1] in " \t" and name:
            headers[name] += " " + text.strip()
            continue
        name, colon, value = text.partition(":")
        name = name.strip().lower()
        if not colon:
            raise DamagedRecordError("malformed header")
        headers.setdefault(name, value.strip())
    if not line:
        raise DamagedRecordError("truncated record")
    return headers


def _read_block(stream: IO[bytes], headers: dict[str, str], is_wanted: bool) -> bytes | None:
    """Read the block of a record to its end; return it if it is wanted, or its beginning if it is very long."""
    length = headers.get("content-length", "")
    if not (length.isascii() and length.isdigit() and len(length) < _MAX_DIGITS):
        raise DamagedRecordError("no content length")
    left = int(length)
    # The next record begins where this one ends, so the rest must be read too.
    kept = stream.read(min(left, MAX_BLOCK_BYTES)) if is_wanted else b""
    left -= len(kept)
    while left:
        data = stream.read(min(left, _CHUNK))
        if not data:
            raise DamagedRecordError("truncated record")
        left -= len(data)
    return kept if is_wanted else None
