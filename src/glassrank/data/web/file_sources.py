"""Folders and tar archives of HTML files."""

import bz2
import gzip
import lzma
import os
import posixpath
import stat
import tarfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from glassrank.core.checks import DataError
from glassrank.core.progress import Progress
from glassrank.data.reading_report import ReadingTally
from glassrank.data.web.addresses import FileAddresses, readable_name
from glassrank.data.web.documents import (
    HTML_SUFFIXES,
    MAX_PAGE_BYTES,
    Document,
    begins_like_html,
    fault_of_content,
)

_UNPACKERS: dict[bytes, Callable[[Any], Any]] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}
_TAR_SUFFIXES = (".tar", ".tgz", ".tbz", ".tbz2", ".txz")
_BLOCK = 512
_OTHER = "other file ({})"


class FolderSource:
    """HTML files of a folder and its subfolders, in the order of their names."""

    kind = "folder of HTML files"

    def __init__(self, path: Path, base_url: str | None) -> None:
        self.path = path
        self.addresses = FileAddresses(base_url)

    def documents(self, tally: ReadingTally, progress: Progress) -> Iterator[Document]:
        """Yield the pages; other files are counted."""
        files = list(walk_files(self.path, tally))
        for number, (name, entry) in enumerate(files):
            progress(number, len(files), "reading files")
            place = readable_name(name)
            try:
                raw = _read_start(entry, place)
            except OSError as error:
                tally.skip(f"unreadable file ({error.strerror})", place)
                continue
            document = _document(place, raw, self.addresses, tally)
            if document is not None:
                yield document
        progress(len(files), len(files), "reading files")


class TarSource:
    """HTML files of a tar archive, optionally compressed with gzip, bzip2 or xz; read once from front to back."""

    kind = "tar archive of HTML files"

    def __init__(self, path: Path, base_url: str | None) -> None:
        self.path = path
        self.addresses = FileAddresses(base_url)

    def documents(self, tally: ReadingTally, progress: Progress) -> Iterator[Document]:
        """Yield the pages; other members are counted, and a damaged archive raises an error."""
        size = self.path.stat().st_size
        with self.path.open("rb") as packed:
            try:
                with unpacking(packed) as unpacked:
                    remembered: Any = _Remembering(unpacked)
                    with tarfile.open(fileobj=remembered, mode="r|", errors="surrogateescape") as archive:
                        for member in archive:
                            progress(packed.tell(), size, "reading the archive")
                            document = self._document(archive, member, tally)
                            if document is not None:
                                yield document
                        self._check_end(remembered.at(archive.offset))
            except (tarfile.TarError, EOFError, lzma.LZMAError, zlib.error, OSError) as error:
                raise self._damage(str(error)) from error
        progress(size, size, "reading the archive")

    def _document(self, archive: tarfile.TarFile, member: tarfile.TarInfo, tally: ReadingTally) -> Document | None:
        place = readable_name(posixpath.normpath(member.name).lstrip("/"))
        if member.isdir():
            return None
        if not member.isfile():
            tally.skip("link or device in the archive", place)
            return None
        if place.startswith("../"):
            tally.skip("path outside the archive", place)
            return None
        file = archive.extractfile(member)
        raw = file.read(MAX_PAGE_BYTES + 1) if file is not None and may_be_html(place) else None
        return _document(place, raw, self.addresses, tally)

    def _check_end(self, block: bytes) -> None:
        """Raise an error if the archive stops before its end mark: Python silently treats a bad header as the end."""
        if len(block) < _BLOCK or block.strip(b"\0"):
            raise self._damage("it stops before its end mark")

    def _damage(self, fault: str) -> DataError:
        return DataError(
            f"{self.path}: the tar archive is damaged: {fault}.",
            remedy=(
                "Copy or download it again, or extract what is intact (tar --ignore-zeros -x) and open that folder."
            ),
        )


class _Remembering:
    """A stream that remembers its last blocks, so that the block at which tarfile stopped can be inspected."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._kept = b""
        self._end = 0

    def read(self, size: int) -> bytes:
        """Read the next bytes."""
        data = self._stream.read(size)
        self._kept = (self._kept + data)[-4 * tarfile.RECORDSIZE :]
        self._end += len(data)
        return data

    def at(self, offset: int) -> bytes:
        """Return the block at this offset, as far as it has been read."""
        start = offset - (self._end - len(self._kept))
        return self._kept[start : start + _BLOCK] if start >= 0 else b""


def unpacking(packed: IO[bytes]) -> Any:
    """Return a stream of the decompressed content; the first bytes give the compression."""
    beginning = packed.read(6)
    packed.seek(0)
    for magic, unpacker in _UNPACKERS.items():
        if beginning.startswith(magic):
            return unpacker(packed)
    return packed


def is_tar(path: Path) -> bool:
    """Return whether the file is a tar archive, compressed or not, by its first block or its name."""
    try:
        with path.open("rb") as packed, unpacking(packed) as unpacked:
            block = unpacked.read(_BLOCK)
        tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except (tarfile.TarError, EOFError, lzma.LZMAError, zlib.error, OSError):
        # A file named like a tar archive that does not begin like one is damaged; the reader reports that.
        return any(suffix.lower() in _TAR_SUFFIXES for suffix in path.suffixes)
    return True


def walk_files(folder: Path, tally: ReadingTally) -> Iterator[tuple[str, str]]:
    """Yield the path inside the folder and the path on disk of every file, without following links to folders."""
    waiting = [("", str(folder))]
    while waiting:
        inside, path = waiting.pop()
        try:
            entries = sorted(os.scandir(path), key=lambda entry: entry.name)
        except OSError as error:
            tally.skip(f"unreadable folder ({error.strerror})", readable_name(inside))
            continue
        for entry in entries:
            name = f"{inside}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                continue
            if entry.is_symlink() and _leads_to_folder(entry):
                tally.skip("link to a folder (not followed)", readable_name(name))
            else:
                yield name, entry.path
        folders = [entry for entry in entries if entry.is_dir(follow_symlinks=False)]
        waiting += [(f"{inside}{entry.name}/", entry.path) for entry in reversed(folders)]


def may_be_html(place: str) -> bool:
    """Return whether the file name has an HTML suffix or none.

    >>> may_be_html("a/index.html?page=2"), may_be_html("a/README"), may_be_html("style.css")
    (True, True, False)
    """
    suffix = _suffix(place)
    return suffix in HTML_SUFFIXES or suffix == ""


def _suffix(place: str) -> str:
    return posixpath.splitext(posixpath.basename(place.partition("?")[0]))[1].lower()


def _leads_to_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _read_start(path: str, place: str) -> bytes | None:
    """Return the content of a file that may be HTML; None for other files, which are not read."""
    # Reading a pipe or a device could block forever.
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise OSError(0, "not a regular file")
    if not may_be_html(place):
        return None
    with open(path, "rb") as file:
        return file.read(MAX_PAGE_BYTES + 1)


def _document(place: str, raw: bytes | None, addresses: FileAddresses, tally: ReadingTally) -> Document | None:
    suffix = _suffix(place)
    if raw is None:
        tally.skip(_OTHER.format(suffix), place)
        return None
    fault = fault_of_content(raw)
    if not fault and not suffix and not begins_like_html(raw):
        fault = "file without a suffix that does not look like HTML"
    if fault:
        tally.skip(fault, place)
        return None
    return Document(addresses.of_file(place), raw)
