"""Members of a tar stream, with headers of bounded size.

Python's ``tarfile`` reads a member's extended headers completely and recursively, so a small archive can fill the
memory or cause a RecursionError. It also treats a broken header as the end of the archive. Here, ``tarfile`` only
parses header blocks; the loop around it is our own.
"""

import re
import tarfile
from collections.abc import Iterator
from typing import IO

BLOCK = tarfile.BLOCKSIZE
# Names are a few hundred bytes long. GNU tar and libarchive have limits of the same order.
MAX_HEADER_BYTES = 1 << 20
# After the end mark, archives are padded with a few kilobytes of zeros.
MAX_PADDING_BYTES = 1 << 26
_CHUNK = 1 << 16
_LONG_NAME, _LONG_LINK = tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK
_PAX, _PAX_GLOBAL, _PAX_SOLARIS = tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE
_EXTENDING = frozenset((_LONG_NAME, _LONG_LINK, _PAX, _PAX_GLOBAL, _PAX_SOLARIS))
_SPARSE = "GNU.sparse"
# Position of the byte that says whether the map of a sparse file continues, in its header and in the blocks after it.
_MAP_GOES_ON, _MAP_STILL_GOES_ON = 482, 504
_PAX_RECORD = re.compile(rb"(\d{1,20}) ([^=]+)=")


class DamagedTarError(ValueError):
    """The archive is damaged, and the rest of it cannot be read."""


class TarMember:
    """A member: its header, and its content, which can be read once, before the next member is requested."""

    def __init__(self, info: tarfile.TarInfo, stream: IO[bytes]) -> None:
        self.name = info.name
        self.size = info.size
        self.is_folder = info.isdir()
        # A sparse file is stored in pieces, with a map of where they belong.
        self.is_sparse = info.type == tarfile.GNUTYPE_SPARSE
        self.is_file = info.isreg() and not self.is_sparse
        self._stream = stream
        self._left = info.size if info.isreg() or info.type not in tarfile.SUPPORTED_TYPES else 0
        self._padding = -self._left % BLOCK

    def read(self, size: int) -> bytes:
        """Read at most this many bytes of the content."""
        data = self._stream.read(min(size, self._left))
        self._left -= len(data)
        return data

    def pass_by(self) -> None:
        """Skip the rest of the content."""
        for part in ("_left", "_padding"):
            while (left := getattr(self, part)) > 0:
                data = self._stream.read(min(left, _CHUNK))
                if not data:
                    raise DamagedTarError("it ends inside a member")
                setattr(self, part, left - len(data))


def read_members(stream: IO[bytes]) -> Iterator[TarMember]:
    """Yield the members up to the end mark, in the order of the archive.

    >>> import io
    >>> archive = io.BytesIO()
    >>> with tarfile.open(fileobj=archive, mode="w") as tar:
    ...     tar.addfile(tarfile.TarInfo("a.html"))
    >>> [member.name for member in read_members(io.BytesIO(archive.getvalue()))]
    ['a.html']
    """
    for_all: dict[str, str] = {}
    extended: dict[str, str] = {}
    while (info := _next_header(stream)) is not None:
        if info.type in _EXTENDING:
            found = _read_extension(info, stream)
            (for_all if info.type == _PAX_GLOBAL else extended).update(found)
            continue
        member = TarMember(_apply(info, for_all | extended), stream)
        extended = {}
        yield member
        member.pass_by()


def follows_end(stream: IO[bytes]) -> bool:
    """Return whether anything other than zeros follows the end mark, such as a second archive or garbage."""
    for _ in range(MAX_PADDING_BYTES // _CHUNK):
        data = stream.read(_CHUNK)
        if not data:
            return False
        if data.strip(b"\0"):
            return True
    return False


def _next_header(stream: IO[bytes]) -> tarfile.TarInfo | None:
    block = stream.read(BLOCK)
    if block == bytes(BLOCK):
        return None
    try:
        info = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except tarfile.HeaderError as error:
        if len(block) < BLOCK:
            raise DamagedTarError("it stops before its end mark") from error
        raise DamagedTarError(str(error)) from error
    place = _MAP_GOES_ON
    while info.type == tarfile.GNUTYPE_SPARSE and block[place : place + 1].strip(b"\0"):
        block, place = stream.read(BLOCK), _MAP_STILL_GOES_ON
    return info


def _read_extension(info: tarfile.TarInfo, stream: IO[bytes]) -> dict[str, str]:
    """Read an extended header: a long name or named values for the next member, or for all that follow."""
    if not 0 <= info.size <= MAX_HEADER_BYTES:
        raise DamagedTarError(f"a header of {info.size:,} bytes; at most {MAX_HEADER_BYTES:,} are read")
    stored = info.size + -info.size % BLOCK
    content = stream.read(stored)
    if len(content) < stored:
        raise DamagedTarError("it ends inside a header")
    content = content[: info.size]
    if info.type == _LONG_LINK:
        return {}
    if info.type == _LONG_NAME:
        return {"path": content.partition(b"\0")[0].decode("utf-8", "surrogateescape")}
    return _pax_values(content)


def _pax_values(content: bytes) -> dict[str, str]:
    """Return values by keyword; each record consists of its own length, a keyword and a value."""
    values: dict[str, str] = {}
    place = 0
    while place < len(content) and content[place : place + 1] != b"\0":
        found = _PAX_RECORD.match(content, place)
        end = place + int(found[1]) if found else 0
        if found is None or not found.end() < end <= len(content) or content[end - 1 : end] != b"\n":
            raise DamagedTarError("a header that cannot be read")
        keyword = found[2].decode("utf-8", "replace")
        if keyword in ("path", "size"):
            values[keyword] = content[found.end() : end - 1].decode("utf-8", "surrogateescape")
        elif keyword.startswith("GNU.sparse."):
            values[_SPARSE] = ""
        place = end
    return values


def _apply(info: tarfile.TarInfo, extended: dict[str, str]) -> tarfile.TarInfo:
    if "path" in extended:
        info.name = extended["path"]
    if "size" in extended:
        if not extended["size"].isascii() or not extended["size"].isdigit():
            raise DamagedTarError("a header that cannot be read")
        info.size = int(extended["size"])
    if info.size < 0:
        raise DamagedTarError("a member of negative size")
    if _SPARSE in extended:
        info.type = tarfile.GNUTYPE_SPARSE
    return info
