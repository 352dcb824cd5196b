"""A temporary folder for copies of data, for libraries that read or write files by name."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from glassrank.core.checks import DataError


@contextmanager
def work_folder() -> Iterator[str]:
    """Yield a temporary folder that is removed after the block; errors while writing to it become DataErrors.

    >>> with work_folder() as folder:
    ...     print(os.path.isdir(folder))
    True
    >>> os.path.exists(folder)
    False
    """
    folder = open_work_folder()
    try:
        with folder:
            yield folder.name
    except OSError as error:
        raise _cannot_work(folder.name, error) from error


def open_work_folder(within: str | os.PathLike[str] | None = None) -> tempfile.TemporaryDirectory[str]:
    """Create a temporary folder, inside another one or in the system's default place; the caller cleans it up."""
    try:
        return tempfile.TemporaryDirectory(prefix="glassrank-", dir=within)
    except OSError as error:
        raise _cannot_work("no place for temporary files" if within is None else within, error) from error


def _cannot_work(place: str | os.PathLike[str], error: OSError) -> DataError:
    return DataError(
        f"{place}: temporary files cannot be written: {error.strerror}.",
        remedy="Free some disk space, or set the environment variable TMPDIR to another folder.",
    )
