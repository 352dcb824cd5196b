"""Checks of the names of Parquet files to write."""

import os
from pathlib import Path

from glassrank.core.checks import DataError
from glassrank.files.atomic_files import check_place

_SUFFIX = ".parquet"


def check_parquet_name(path: str | os.PathLike[str]) -> Path:
    """Return the path of a Parquet file to write, or raise an error if the suffix or the place is wrong.

    >>> check_parquet_name("log.csv")
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: log.csv: expected a name that ends in .parquet. Rename the output.
    """
    if Path(path).suffix.lower() != _SUFFIX:
        raise DataError(f"{path}: expected a name that ends in {_SUFFIX}.", remedy="Rename the output.")
    return check_place(path)
