"""A Parquet file that a database writes, wholly or not at all."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from glassrank.core.checks import DataError

_SUFFIX = ".parquet"


def check_parquet_name(path: str | os.PathLike[str]) -> Path:
    """Return where a Parquet file is to stand; refuse a name that says otherwise, and a place where no file can be.

    >>> check_parquet_name("log.csv")
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: log.csv: expected a name that ends in .parquet. Rename the output.
    """
    if Path(path).suffix.lower() != _SUFFIX:
        raise DataError(f"{path}: expected a name that ends in {_SUFFIX}. Rename the output.")
    return check_place(path)


def check_place(path: str | os.PathLike[str]) -> Path:
    """Return where a file is to stand, past symbolic links; refuse a place where no file can be."""
    target = Path(os.path.realpath(path))
    if not os.path.isdir(target.parent):
        raise DataError(f"{path}: the folder {target.parent} does not exist. Create it first.")
    if os.path.exists(target) and not os.path.isfile(target):
        raise DataError(f"{path}: expected the name of a file, got a folder or a device. Choose another name.")
    return target


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[str]:
    """Hand out a temporary name in the same folder, and put what was written there in the place of the file.

    >>> with written_whole("a.parquet") as temporary:
    ...     _ = Path(temporary).write_bytes(b"PAR1")
    >>> Path("a.parquet").read_bytes()
    b'PAR1'
    """
    target = check_place(path)
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        yield str(temporary)
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}.") from error
    finally:
        temporary.unlink(missing_ok=True)
