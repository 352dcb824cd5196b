"""Reading whole files and writing them atomically, with compression."""

import gzip
import lzma
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, cast

from glassrank.core.checks import DataError
from glassrank.files.input_files import open_input
from glassrank.files.locks import is_at, take_lock
from glassrank.files.unfollowed_links import check_unlinked

_TEMPORARY = re.compile(r"\.(.+)\.[0-9a-f]{16}\.tmp", re.DOTALL)


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a file; gzip, bzip2 and xz are recognised by the first bytes, not by the name."""
    with open_input(path) as stream:
        return stream.read()


def write_atomically(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file completely or not at all, compressed if its name ends in ``.gz`` or ``.xz``.

    The content goes to a temporary file in the same folder, which then replaces the old file, so that readers see
    either the old or the new content. The permissions of the old file are kept. Symbolic links are followed, except
    inside folders that a stranger may have made.
    """
    packed = _pack(content, check_place(path).suffix.lower())
    with written_whole(path) as temporary:
        temporary.write_bytes(packed)


def make_folder(path: str | os.PathLike[str]) -> Path:
    """Create a folder and its parents if they do not exist.

    >>> make_folder("out/steps").is_dir()
    True
    """
    check_name(path)
    check_unlinked(path)
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"{path}: the folder cannot be created: {error.strerror}. Choose another folder.") from error
    return Path(path)


def check_folder(path: str | os.PathLike[str]) -> None:
    """Raise an error if a folder cannot be created, before long work; the folder is not left behind.

    >>> check_folder("later/steps"), os.path.exists("later")
    (None, False)
    """
    with folder_in_use(path):
        pass


@contextmanager
def folder_in_use(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Create a folder for the block; remove it and the parents it created afterwards if nothing was stored in them.

    >>> with folder_in_use("later/steps") as folder:
    ...     print(folder.is_dir())
    True
    >>> os.path.exists("later")
    False
    """
    created = [folder for folder in (Path(path), *Path(path).parents) if not os.path.exists(folder)]
    folder = make_folder(path)
    try:
        yield folder
    finally:
        # A folder that is no longer empty is kept.
        with suppress(OSError):
            for one in created:
                one.rmdir()


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield an empty temporary file in the same folder, which replaces the file after the block.

    Write to this file and do not replace it, because it is locked. If the process is killed, the temporary file stays
    behind, and the next process that writes to the same path removes it.

    >>> with written_whole("a.parquet") as temporary:
    ...     _ = temporary.write_bytes(b"PAR1")
    >>> Path("a.parquet").read_bytes()
    b'PAR1'
    """
    target = check_place(path)
    try:
        remove_leftovers(target.parent, re.compile(re.escape(_short_name(target))))
        with _temporary_file(target) as temporary:
            yield temporary
            with temporary.open("rb") as file:
                os.fsync(file.fileno())
            if os.path.exists(target):
                shutil.copymode(target, temporary)
            os.replace(temporary, target)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}.") from error


@contextmanager
def packed_whole(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Yield a stream whose content becomes a file after the block, compressed if its name ends in ``.gz`` or ``.xz``.

    >>> with packed_whole("a.txt.gz") as stream:
    ...     _ = stream.write(b"first line")
    >>> gzip.decompress(Path("a.txt.gz").read_bytes())
    b'first line'
    """
    suffix = Path(path).suffix.lower()
    with written_whole(path) as temporary, ExitStack() as opened:
        file: IO[bytes] = opened.enter_context(temporary.open("wb"))
        if suffix == ".gz":
            packed = opened.enter_context(gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0))
            file = cast("IO[bytes]", packed)
        elif suffix == ".xz":
            file = opened.enter_context(lzma.open(file, "wb"))
        yield file


def remove_leftovers(folder: Path, names: re.Pattern[str]) -> None:
    """Remove the temporary files that killed processes left behind when they wrote files with these names."""
    with os.scandir(folder) as entries:
        found = [entry.path for entry in entries if _is_temporary(entry.name, names)]
    for path in found:
        # Another process may have removed the file already, and files of other users cannot be removed.
        with suppress(OSError):
            descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                if take_lock(descriptor, without_locks=False):
                    os.unlink(path)
            finally:
                os.close(descriptor)


def _is_temporary(name: str, names: re.Pattern[str]) -> bool:
    found = _TEMPORARY.fullmatch(name)
    return found is not None and names.fullmatch(found[1]) is not None


@contextmanager
def _temporary_file(target: Path) -> Iterator[Path]:
    """Create a temporary file and lock it until it is renamed or removed, so that others do not remove it."""
    while True:
        temporary = target.with_name(f".{_short_name(target)}.{secrets.token_hex(8)}.tmp")
        descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            # Before the file was locked, another process may have mistaken it for a leftover and removed it.
            if take_lock(descriptor) and is_at(descriptor, temporary):
                yield temporary
                return
        finally:
            temporary.unlink(missing_ok=True)
            os.close(descriptor)


def _short_name(target: Path) -> str:
    """Return the name of a file, shortened so that a suffix can be added."""
    return os.fsdecode(os.fsencode(target.name)[:200])


def check_name(path: str | os.PathLike[str]) -> None:
    """Raise an error for a name that no file or folder can have.

    >>> check_name("a\\0b")
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: 'a\\x00b' contains a null character: no file or folder can have this name.
    """
    if "\0" in os.fspath(path):
        raise DataError(f"{os.fspath(path)!r} contains a null character: no file or folder can have this name.")


def check_place(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file to write, with symbolic links resolved; raise an error if it cannot be a file."""
    check_name(path)
    check_unlinked(path)
    target = Path(os.path.realpath(path))
    if not os.path.isdir(target.parent):
        raise DataError(f"{path}: the folder {target.parent} does not exist.", remedy="Create it first.")
    # os.path, unlike Path, returns False for invalid names.
    if os.path.exists(target) and not os.path.isfile(target):
        raise DataError(
            f"{path}: expected the name of a file, got a folder or a device.", remedy="Choose another name."
        )
    return target


def _pack(content: bytes, suffix: str) -> bytes:
    if suffix == ".gz":
        # Without a time stamp, equal content gives equal bytes.
        return gzip.compress(content, mtime=0)
    if suffix == ".xz":
        return lzma.compress(content)
    return content
