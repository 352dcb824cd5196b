"""Reading whole files and writing them atomically, with compression."""

import gzip
import lzma
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from glassrank.core.checks import DataError
from glassrank.files.input_files import open_input


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a file, unpacked when its first bytes say gzip, bzip2 or xz, whatever its name says."""
    with open_input(path) as stream:
        return stream.read()


def write_atomically(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file completely or not at all, compressed if its name ends in ``.gz`` or ``.xz``.

    The content goes to a temporary file in the same folder, which then replaces the old file, so that readers see
    either the old or the new content. Symbolic links are followed, and the permissions of the old file are kept.
    """
    packed = _pack(content, check_place(path).suffix.lower())
    with written_whole(path) as temporary, temporary.open("xb") as file:
        file.write(packed)


def make_folder(path: str | os.PathLike[str]) -> Path:
    """Create a folder and its parents if they do not exist.

    >>> make_folder("out/steps").is_dir()
    True
    """
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
    created = [folder for folder in (Path(path), *Path(path).parents) if not os.path.exists(folder)]
    make_folder(path)
    # A folder that is no longer empty is kept.
    with suppress(OSError):
        for folder in created:
            folder.rmdir()


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path in the same folder, and replace the file by what was written there.

    >>> with written_whole("a.parquet") as temporary:
    ...     _ = temporary.write_bytes(b"PAR1")
    >>> Path("a.parquet").read_bytes()
    b'PAR1'
    """
    target = check_place(path)
    temporary = target.with_name(f".{target.name[:200]}.{secrets.token_hex(8)}.tmp")
    try:
        yield temporary
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        if os.path.exists(target):
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}.") from error
    finally:
        temporary.unlink(missing_ok=True)


def check_place(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file to write, with symbolic links resolved; raise an error if it cannot be a file."""
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
