"""Records of a WARC file: one after the other, past the damaged ones."""

import io
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from glassrank.data.web.documents import LARGEST_PAGE

GZIP_MAGIC = b"\x1f\x8b\x08"
_RECORD_BEGINS = b"WARC/"
_CHUNK = 1 << 16
_LONGEST_LINE = 1 << 16
_LONGEST_NUMBER = 20
MAX_HEADER_BYTES = 1 << 20
# The largest page that is read, and room for the headers of its response.
MAX_BLOCK_BYTES = LARGEST_PAGE + MAX_HEADER_BYTES


@dataclass(frozen=True)
class WarcRecord:
    """Headers of a record, and its block once it has been read."""

    headers: dict[str, str]
    block: bytes

    def header(self, name: str) -> str:
        """Value of a header of the record, '' where it is absent."""
        return self.headers.get(name.lower(), "")


class DamagedRecordError(ValueError):
    """A record that cannot be read to its end."""


def read_records(
    path: Path, wanted: Callable[[dict[str, str]], bool], damaged: Callable[[str], None], at: Callable[[int], None]
) -> Iterator[WarcRecord]:
    """Yield the wanted records; ``damaged`` is told of each stretch that cannot be read, ``at`` of the position."""
    with path.open("rb") as file:
        packed = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        file.seek(0)
        for stream in _members(file, damaged) if packed else [file]:
            held = None
            for record in _records_of(stream, wanted, damaged):
                at(file.tell())
                if held is not None:
                    yield held
                held = record
            # A cut member may run on into the next one's bytes: its last record counts only if the member ends well.
            if held is not None and not getattr(getattr(stream, "raw", None), "fault", ""):
                yield held


class _Member(io.RawIOBase):
    """Content of one gzip member, unpacked as it is read."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._rest = b""
        self.fault = ""

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; at damage the content ends, and ``fault`` says why."""
        while not self._unpacker.eof and not self.fault:
            data = self._rest or self._file.read(_CHUNK)
            if not data:
                self.fault = "gzip data that end too early"
                break
            try:
                unpacked = self._unpacker.decompress(data, len(buffer))
            except zlib.error:
                self.fault = "damaged gzip data"
                break
            self._rest = self._unpacker.unconsumed_tail
            if unpacked:
                buffer[: len(unpacked)] = unpacked
                return len(unpacked)
        return 0

    def end(self) -> int:
        """Position in the file of what follows the member."""
        return self._file.tell() - len(self._unpacker.unused_data)


def _members(file: IO[bytes], damaged: Callable[[str], None]) -> Iterator[IO[bytes]]:
    """Yield the content of one gzip member after the other; after damage, go on at the next beginning of one."""
    start: int | None = 0
    told = False
    while start is not None:
        file.seek(start)
        member = _Member(file)
        stream = io.BufferedReader(member, _CHUNK)
        yield stream
        stream.read()
        if member.fault:
            # Bytes inside a damaged member may look like the beginning of another one: tell of it once.
            if not told:
                damaged(member.fault)
            told = True
            start = _find(file, GZIP_MAGIC, start + 1)
        else:
            end = member.end()
            told = _is_more_than_padding(file, end)
            if told:
                damaged("bytes between gzip members")
            start = _find(file, GZIP_MAGIC, end)


def _is_more_than_padding(file: IO[bytes], start: int) -> bool:
    """Whether something other than a gzip member, zeros or the end of the file follows."""
    file.seek(start)
    following = file.read(len(GZIP_MAGIC))
    if following != GZIP_MAGIC:
        following = (following + file.read(_CHUNK)).lstrip(b"\0")
    return following != b"" and not following.startswith(GZIP_MAGIC)


def _find(file: IO[bytes], sign: bytes, start: int) -> int | None:
    """Position of the next sign in a file, None where there is none."""
    file.seek(start)
    kept = b""
    while data := file.read(_CHUNK):
        window = kept + data
        place = window.find(sign)
        if place >= 0:
            return file.tell() - len(window) + place
        kept = window[-len(sign) + 1 :]
    return None


def _records_of(
    stream: IO[bytes], wanted: Callable[[dict[str, str]], bool], damaged: Callable[[str], None]
) -> Iterator[WarcRecord]:
    told = False
    while True:
        line = stream.readline(_LONGEST_LINE)
        if not line:
            return
        if not line.strip():
            continue
        if not line.startswith(_RECORD_BEGINS):
            if not told:
                damaged("text between records")
            told = True
            continue
        told = False
        try:
            headers = _read_headers(stream)
            block = _read_block(stream, headers, wanted(headers))
        except DamagedRecordError as error:
            damaged(str(error))
            told = True
            continue
        if block is not None:
            yield WarcRecord(headers, block)


def _read_headers(stream: IO[bytes]) -> dict[str, str]:
    headers: dict[str, str] = {}
    name = ""
    left = MAX_HEADER_BYTES
    while (line := stream.readline(_LONGEST_LINE)).strip():
        left -= len(line)
        if left < 0:
            raise DamagedRecordError("record with more than 1 MB of headers")
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if text[:1] in " \t" and name:
            headers[name] += " " + text.strip()
            continue
        name, colon, value = text.partition(":")
        name = name.strip().lower()
        if not colon:
            raise DamagedRecordError("record with a broken header")
        headers.setdefault(name, value.strip())
    if not line:
        raise DamagedRecordError("record that ends too early")
    return headers


def _read_block(stream: IO[bytes], headers: dict[str, str], is_wanted: bool) -> bytes | None:
    """Read the block of a record to its end, and keep it if it is wanted: of a very long one, the beginning."""
    length = headers.get("content-length", "")
    if not (length.isascii() and length.isdigit() and len(length) < _LONGEST_NUMBER):
        raise DamagedRecordError("record without a length")
    left = int(length)
    # The next record begins where this one ends, so that the rest is read as well.
    kept = stream.read(min(left, MAX_BLOCK_BYTES)) if is_wanted else b""
    left -= len(kept)
    while left:
        data = stream.read(min(left, _CHUNK))
        if not data:
            raise DamagedRecordError("record that ends too early")
        left -= len(data)
    return kept if is_wanted else None
