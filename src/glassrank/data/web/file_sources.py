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
from glassrank.data.web.documents import MAX_PAGE_BYTES, Document, fault_of_content, is_html
from glassrank.data.web.http_response import document_of, stored_response
from glassrank.data.web.tar_members import BLOCK, DamagedTarError, TarMember, follows_end, read_members

_UNPACKERS: dict[bytes, Callable[[Any], Any]] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}
_TAR_SUFFIXES = (".tar", ".tgz", ".tbz", ".tbz2", ".txz")
_DAMAGE = (EOFError, lzma.LZMAError, zlib.error, OSError)
_OTHER = "other file ({})"
# Enough for the headers that some crawlers store, and the beginning of the page.
_BEGINNING = 1 << 14


class FolderSource:
    """HTML files of a folder and its subfolders, in the order of their names."""

    kind = "folder of HTML files"

    def __init__(self, path: Path, addresses: FileAddresses) -> None:
        self.path = path
        self.addresses = addresses

    def documents(self, tally: ReadingTally, progress: Progress) -> Iterator[Document]:
        """Yield the pages; other files are counted."""
        files = list(walk_files(self.path, tally))
        for number, (name, entry) in enumerate(files):
            progress(number, len(files), "reading files")
            place = readable_name(name)
            try:
                raw = _read_page(entry, place)
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

    def __init__(self, path: Path, addresses: FileAddresses) -> None:
        self.path = path
        self.addresses = addresses

    def documents(self, tally: ReadingTally, progress: Progress) -> Iterator[Document]:
        """Yield the pages; other members are counted, and a damaged archive raises an error."""
        size = self.path.stat().st_size
        with self.path.open("rb") as packed:
            try:
                with unpacking(packed) as stream:
                    for member in read_members(stream):
                        progress(packed.tell(), size, "reading the archive")
                        document = self._document(member, tally)
                        if document is not None:
                            yield document
                    self._check_rest(stream, tally)
            except (DamagedTarError, *_DAMAGE) as error:
                raise self._damage(str(error)) from error
        progress(size, size, "reading the archive")

    def _document(self, member: TarMember, tally: ReadingTally) -> Document | None:
        place = readable_name(posixpath.normpath(member.name).lstrip("/"))
        if member.is_folder:
            return None
        if not member.is_file:
            tally.skip("sparse file in the archive" if member.is_sparse else "link or device in the archive", place)
            return None
        if place.startswith("../"):
            tally.skip("path outside the archive", place)
            return None
        return _document(place, _read_if_html(member.read, place), self.addresses, tally)

    def _check_rest(self, stream: IO[bytes], tally: ReadingTally) -> None:
        """Count data after the end mark: a second archive, the part after a zeroed block, or garbage."""
        try:
            rest = follows_end(stream)
        except _DAMAGE:
            rest = True
        if rest:
            tally.skip("data after the end of the archive", readable_name(self.path.name))

    def _damage(self, fault: str) -> DataError:
        return DataError(
            f"{self.path}: the tar archive is damaged: {fault}.",
            remedy=(
                "Copy or download it again, or extract what is intact (tar --ignore-zeros -x) and open that folder."
            ),
        )


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
            block = unpacked.read(BLOCK)
        tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except (tarfile.TarError, *_DAMAGE):
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


def _suffix(place: str) -> str:
    """Return the suffix of a file name, or of the path of the address that the name spells."""
    name = place.replace("^", "/") if "^" in place else place
    return posixpath.splitext(posixpath.basename(name.partition("?")[0]))[1].lower()


def _leads_to_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _read_page(path: str, place: str) -> bytes | None:
    """Return the content of a file that is HTML; None for other files, of which only the beginning is read."""
    # Reading a pipe or a device could block forever.
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise OSError(0, "not a regular file")
    with open(path, "rb") as file:
        return _read_if_html(file.read, place)


def _read_if_html(read: Callable[[int], bytes], place: str) -> bytes | None:
    beginning = read(_BEGINNING)
    response = stored_response(beginning)
    if response is None and not is_html(beginning, _suffix(place)):
        return None
    return beginning + read(MAX_PAGE_BYTES + 1 - len(beginning))


def _document(place: str, raw: bytes | None, addresses: FileAddresses, tally: ReadingTally) -> Document | None:
    if raw is None:
        suffix = _suffix(place)
        tally.skip(_OTHER.format(suffix) if suffix else "file without a suffix that does not look like HTML", place)
        return None
    address = addresses.of_file(place)
    if addresses.lacks_address(address):
        tally.note("file name without an address (its path is used)", place)
    elif not addresses.is_named and addresses.is_of_web(address):
        tally.note("file name that spells an address (used)", place)
    response = stored_response(raw)
    if response is not None and len(raw) <= MAX_PAGE_BYTES:
        tally.note("HTTP headers stored in the file (used and removed)", place)
        return document_of(address, response, tally)
    if fault := fault_of_content(raw):
        tally.skip(fault, place)
        return None
    return Document(address, raw)
