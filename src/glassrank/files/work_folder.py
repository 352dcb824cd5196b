"""A temporary folder for copies of data that a library wants to read or write by name."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from glassrank.core.checks import DataError


@contextmanager
def work_folder() -> Iterator[str]:
    """Hand out a temporary folder that is gone after the block; if it cannot be written, the error says so.

    >>> import os
    >>> with work_folder() as folder:
    ...     print(os.path.isdir(folder))
    True
    >>> os.path.exists(folder)
    False
    """
    try:
        with tempfile.TemporaryDirectory(prefix="glassrank-") as folder:
            yield folder
    except OSError as error:
        raise cannot_work(error) from error


def cannot_work(error: OSError) -> DataError:
    """The error for a temporary folder that cannot be created or written."""
    place = "" if tempfile.tempdir is None else f" in {tempfile.tempdir}"
    return DataError(
        f"Temporary files cannot be written{place}: {error.strerror}.",
        remedy="Make room there, or name another folder in the environment variable TMPDIR.",
    )
