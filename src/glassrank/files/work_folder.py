"""A temporary folder for copies of data that a library wants to read or write by name."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from glassrank.core.checks import DataError


@contextmanager
def work_folder() -> Iterator[str]:
    """Hand out a temporary folder that is gone after the block; if it cannot be written, the error says so.

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
    """Make a temporary folder that is gone when it is cleaned up, in another one or where the system wants it."""
    try:
        return tempfile.TemporaryDirectory(prefix="glassrank-", dir=within)
    except OSError as error:
        raise _cannot_work("no place for temporary files" if within is None else within, error) from error


def _cannot_work(place: str | os.PathLike[str], error: OSError) -> DataError:
    return DataError(
        f"{place}: temporary files cannot be written: {error.strerror}.",
        remedy="Make room there, or name another folder in the environment variable TMPDIR.",
    )
