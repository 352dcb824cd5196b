"""The names of Parquet files that a database writes."""

import os
from pathlib import Path

from glassrank.core.checks import DataError
from glassrank.files.atomic_files import check_place

_SUFFIX = ".parquet"


def check_parquet_name(path: str | os.PathLike[str]) -> Path:
    """Return where a Parquet file is to stand; refuse a name that says otherwise, and a place where no file can be.

    >>> check_parquet_name("log.csv")
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: log.csv: expected a name that ends in .parquet. Rename the output.
    """
    if Path(path).suffix.lower() != _SUFFIX:
        raise DataError(f"{path}: expected a name that ends in {_SUFFIX}.", remedy="Rename the output.")
    return check_place(path)
