"""Input files as streams: only regular files, unpacked by content, and never more than a packed file may unpack to."""

import bz2
import gzip
import io
import lzma
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from glassrank.core.checks import DataError
from glassrank.core.limits import MAX_RECORD_BYTES, MAX_UNPACKED_BYTES, MAX_UNPACKED_RATIO, XZ_MEMORY

_CHUNK = 1 << 20
_MAX_MAGIC_BYTES = 10

Path = str | os.PathLike[str]


@contextmanager
def open_input(path: Path) -> Iterator[io.BufferedReader]:
    """Open a file for reading, unpacked if its first bytes say gzip, bzip2 or xz, whatever its name says.

    Pipes, devices and sockets are refused without being opened. A packed file is refused as soon as more than
    ``unpacked_limit`` comes out of it; plain files have no limit. Whatever goes wrong while reading is a DataError.

    >>> import gzip
    >>> with open("a.txt", "wb") as file:
    ...     _ = file.write(gzip.compress(b"first line\\n"))
    >>> with open_input("a.txt") as stream:
    ...     stream.read()
    b'first line\\n'
    """
    with _open_regular(path) as file, unpacked(file, os.fstat(file.fileno()).st_size, path) as stream:
        yield stream


def unpacked(file: IO[bytes], packed_size: int, place: Path) -> io.BufferedReader:
    """Return a stream of what a file contains, unpacked by its first bytes; ``place`` names it in messages.

    >>> unpacked(io.BytesIO(bz2.compress(b"first line\\n")), 50, "a.bz2").readline()
    b'first line\\n'
    """
    packing = _packing(file.read(_MAX_MAGIC_BYTES))
    file.seek(0)
    if not packing:
        return io.BufferedReader(_Plain(file, place), _CHUNK)
    members = _MEMBERS[packing](file)
    return io.BufferedReader(_Unpacked(members, packing, unpacked_limit(packed_size), place), _CHUNK)


def packing_of(path: Path) -> str:
    """Name of the packing of a file, by its first bytes: gzip, xz, bzip2, or nothing."""
    with _open_regular(path) as file:
        return _packing(file.read(_MAX_MAGIC_BYTES))


def _packing(start: bytes) -> str:
    return next((packing for packing, magic in _MAGICS.items() if magic.match(start)), "")


def input_lines(stream: IO[bytes], place: Path) -> Iterator[bytes]:
    """Yield the lines of a stream without their line feeds; a line beyond the limit is refused before it is whole.

    >>> list(input_lines(io.BytesIO(b"a\\n\\nb"), "a.txt"))
    [b'a', b'', b'b']
    """
    begun, number = b"", 0
    while piece := stream.read(_CHUNK):
        *lines, begun = (begun + piece).split(b"\n")
        if len(begun) > MAX_RECORD_BYTES or (lines and len(lines[0]) > MAX_RECORD_BYTES):
            number += 1 if lines and len(lines[0]) > MAX_RECORD_BYTES else len(lines) + 1
            raise DataError(
                f"{place}:{number}: the line is longer than {MAX_RECORD_BYTES:,} bytes.",
                remedy="Check that this is the right file.",
            )
        number += len(lines)
        yield from lines
    if begun:
        yield begun


def unpacked_limit(packed_size: int) -> int:
    """Bytes that packed data of this size may unpack to.

    >>> unpacked_limit(1_500_000), unpacked_limit(10)
    (150000000, 67108864)
    """
    return max(MAX_UNPACKED_BYTES, MAX_UNPACKED_RATIO * packed_size)


def check_unpacked_size(path: Path) -> None:
    """Refuse a packed file that unpacks to more than its limit, in a pass that is quick beside what follows.

    For readers so slow that much time would pass before they come to the limit themselves.
    """
    if packing_of(path):
        with open_input(path) as stream:
            while stream.read(_CHUNK):
                pass


def check_regular(path: Path) -> None:
    """Refuse a path that is no regular file: a pipe would wait for ever, and a device may never end."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError as error:
        raise DataError(
            f"{path}: there is no such file.", remedy=f"Check the name; relative names start at {os.getcwd()}."
        ) from error
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise DataError(f"{str(path)!r} cannot be the name of a file: {error}.") from error
    if stat.S_ISDIR(mode):
        raise DataError(f"{path}: expected a file, got a folder.", remedy="Name a file inside it.")
    if not stat.S_ISREG(mode):
        raise DataError(
            f"{path}: expected a regular file, got a pipe, a socket or a device.",
            remedy="Save what comes out of it as a file first.",
        )


@contextmanager
def _open_regular(path: Path) -> Iterator[IO[bytes]]:
    check_regular(path)
    try:
        file = open(path, "rb")  # noqa: SIM115 - closed below
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}.") from error
    with file:
        yield file


class _Plain(io.RawIOBase):
    """A file as it is; closing the stream leaves the file to its owner."""

    def __init__(self, file: Any, place: Path) -> None:
        self._file = file
        self._place = place

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def readall(self) -> bytes:
        return self._read(-1)

    def _read(self, size: int) -> bytes:
        try:
            data: bytes = self._file.read(size)
        except OSError as error:
            raise DataError(f"{self._place}: cannot be read: {error.strerror or error}.") from error
        return data


class _Unpacked(_Plain):
    """What comes out of packed data, refused as soon as it is more than ``limit`` bytes."""

    def __init__(self, members: Any, packing: str, limit: int, place: Path) -> None:
        super().__init__(members, place)
        self._packing = packing
        self._limit = limit
        self._size = 0

    def readall(self) -> bytes:
        return b"".join(iter(lambda: self._read(_CHUNK), b""))

    def _read(self, size: int) -> bytes:
        try:
            data: bytes = self._file.read(size)
        except EOFError as error:
            raise DataError(
                f"{self._place}: the {self._packing} data are truncated: expected a complete {self._packing} file.",
                remedy="Copy or download it again.",
            ) from error
        except (OSError, zlib.error, lzma.LZMAError) as error:
            raise DataError(
                f"{self._place}: the {self._packing} data are damaged: {error}.",
                remedy="Copy or download the file again.",
            ) from error
        self._size += len(data)
        if self._size > self._limit:
            raise DataError(
                f"{self._place}: the {self._packing} data unpack to more than {self._limit:,} bytes: expected at most "
                f"{MAX_UNPACKED_RATIO} times the size of the file, or {MAX_UNPACKED_BYTES:,} bytes.",
                remedy="If you trust the file, unpack it first.",
            )
        return data


class _Members:
    """Streams of xz or bzip2 one after the other; Python's own readers drop rubbish after the first one silently."""

    def __init__(self, file: IO[bytes], new_unpacker: Callable[[], Any], padding: bytes = b"") -> None:
        self._file = file
        self._new_unpacker = new_unpacker
        self._padding = padding
        self._unpacker = new_unpacker()
        self._waiting = b""

    def read(self, size: int) -> bytes:
        """Return at most this many bytes; none at the end."""
        while True:
            if self._unpacker.eof and not self._begin_next():
                return b""
            if self._unpacker.needs_input and not self._waiting:
                self._waiting = self._file.read(_CHUNK)
                if not self._waiting:
                    raise EOFError
            data: bytes = self._unpacker.decompress(self._waiting, size)
            self._waiting = b""
            if data:
                return data

    def _begin_next(self) -> bool:
        """Start the next stream, past the format's own padding; False if there is none."""
        rest = self._unpacker.unused_data.lstrip(self._padding) if self._padding else self._unpacker.unused_data
        while not rest:
            chunk = self._file.read(_CHUNK)
            if not chunk:
                return False
            rest = chunk.lstrip(self._padding) if self._padding else chunk
        self._unpacker, self._waiting = self._new_unpacker(), rest
        return True


def _xz_members(file: IO[bytes]) -> Any:
    return _Members(file, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY), padding=b"\0")


def _bzip2_members(file: IO[bytes]) -> Any:
    return _Members(file, bz2.BZ2Decompressor)


def _gzip_members(file: IO[bytes]) -> Any:
    return gzip.GzipFile(fileobj=file, mode="rb")


# name of a packing -> its first bytes
_MAGICS = {
    "gzip": re.compile(rb"\x1f\x8b"),
    "xz": re.compile(rb"\xfd7zXZ\x00"),
    # A block or the end follows the size of the blocks: a table may well begin with BZh.
    "bzip2": re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),
}
# name of a packing -> what reads its streams one after the other
_MEMBERS: dict[str, Callable[[IO[bytes]], Any]] = {"gzip": _gzip_members, "xz": _xz_members, "bzip2": _bzip2_members}
