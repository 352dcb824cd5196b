"""Input files as streams: regular files only, decompressed by content, with a limit on the decompressed size."""

import bz2
import gzip
import io
import lzma
import os
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from glassrank.core.checks import DataError
from glassrank.core.limits import MAX_RECORD_BYTES, MAX_UNPACKED_BYTES, MAX_UNPACKED_RATIO, XZ_MEMORY
from glassrank.files.unfollowed_links import check_mode, check_unlinked, open_file

_CHUNK = 1 << 20
_MAX_MAGIC_BYTES = 10

Path = str | os.PathLike[str]


@contextmanager
def open_input(path: Path) -> Iterator[io.BufferedReader]:
    """Open a file for reading; gzip, bzip2 and xz are recognised by the first bytes, not by the name, and unpacked.

    Pipes, devices and sockets are rejected without being opened. A packed file is rejected as soon as it unpacks to
    more than ``unpacked_limit`` bytes; plain files have no limit. All errors while reading are DataErrors.

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
    """Return the content of a file as a stream, unpacked if it is packed; ``place`` names the file in messages.

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
    """Return the packing of a file, recognised by its first bytes: gzip, xz, bzip2 or an empty string."""
    with _open_regular(path) as file:
        return _packing(file.read(_MAX_MAGIC_BYTES))


def _packing(start: bytes) -> str:
    return next((packing for packing, magic in _MAGICS.items() if magic.match(start)), "")


def input_lines(stream: IO[bytes], place: Path, limit: int = MAX_RECORD_BYTES) -> Iterator[bytes]:
    """Yield the lines of a stream without line feeds; a line beyond the limit raises an error before it is complete.

    >>> list(input_lines(io.BytesIO(b"a\\n\\nb"), "a.txt"))
    [b'a', b'', b'b']
    """
    begun: list[bytes] = []
    size, number = 0, 1
    while piece := stream.read(_CHUNK):
        end, *others = piece.split(b"\n")
        begun.append(end)
        size += len(end)
        # Lines inside a piece are shorter than the limit, which is longer than a piece.
        if size > limit:
            raise DataError(
                f"{place}:{number}: the line is longer than {limit:,} bytes.",
                remedy="Check that this is the right file.",
            )
        if others:
            yield b"".join(begun)
            yield from others[:-1]
            begun, size, number = [others[-1]], len(others[-1]), number + len(others)
    if size:
        yield b"".join(begun)


def unpacked_limit(packed_size: int) -> int:
    """Return the number of bytes that packed data of this size may unpack to.

    >>> unpacked_limit(1_500_000), unpacked_limit(10)
    (150000000, 67108864)
    """
    return max(MAX_UNPACKED_BYTES, MAX_UNPACKED_RATIO * packed_size)


def check_unpacked_size(path: Path) -> None:
    """Raise an error for a packed file that unpacks to more than its limit.

    This extra pass is for slow readers, which would take a long time to reach the limit themselves.
    """
    if packing_of(path):
        with open_input(path) as stream:
            while stream.read(_CHUNK):
                pass


def check_regular(path: Path) -> None:
    """Raise an error for a path that is not a regular file: a pipe could block for ever, and a device may never end."""
    check_unlinked(path)
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
    check_mode(path, mode)


@contextmanager
def _open_regular(path: Path) -> Iterator[IO[bytes]]:
    check_regular(path)
    try:
        file = open(path, "rb", opener=open_file)  # noqa: SIM115 - closed below
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}.") from error
    with file:
        yield file


class _Plain(io.RawIOBase):
    """A file as it is; closing this stream does not close the file."""

    def __init__(self, file: Any, place: Path) -> None:
        self._file = file
        self._place = place

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        # A caller that allows for a large file must not make a small one unpack at once, beyond its limit.
        data = self._read(min(len(buffer), _CHUNK))
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
    """The content of packed data; more than ``limit`` bytes raise an error."""

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
    """Consecutive xz or bzip2 streams. Python's own readers silently drop garbage after the first one."""

    def __init__(self, file: IO[bytes], new_unpacker: Callable[[], Any], padding: bytes = b"") -> None:
        self._file = file
        self._new_unpacker = new_unpacker
        self._padding = padding
        self._unpacker = new_unpacker()
        self._waiting = b""

    def read(self, size: int) -> bytes:
        """Return at most this many bytes, and none at the end."""
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
        """Start the next stream after the format's own padding; return False if there is none."""
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


# name of a packing → pattern of its first bytes
_MAGICS = {
    "gzip": re.compile(rb"\x1f\x8b"),
    "xz": re.compile(rb"\xfd7zXZ\x00"),
    # The block size is followed by a block or the end mark. BZh alone could be the beginning of a table.
    "bzip2": re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),
}
# name of a packing → function that returns a reader of its consecutive streams
_MEMBERS: dict[str, Callable[[IO[bytes]], Any]] = {"gzip": _gzip_members, "xz": _xz_members, "bzip2": _bzip2_members}
