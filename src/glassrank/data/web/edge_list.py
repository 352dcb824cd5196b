"""Reads text files of links: a source and a target per line, or a page followed by all pages that it links to."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.files.input_files import check_regular, check_unpacked_size, input_lines, open_input

# Lines that begin with these are comments, as in the files of SNAP, KONECT and Matrix Market.
_COMMENTS = (b"#", b"%")
_BATCH = 500_000
# Whole numbers without leading zeros: 007 stays text.
_PLAIN = "^(0|-?[1-9][0-9]{0,17})$"
_ENDS = ("source", "target")


def read_edges(
    path: str | os.PathLike[str], *, adjacency: bool = False, names: tuple[str, str] = _ENDS
) -> Iterator[tuple[str, str]]:
    """Yield the links of a text file; blank lines, comments and a first line with the ``names`` are skipped.

    The fields of a line are separated by tabs, otherwise by blanks, otherwise by commas. With ``adjacency``, a line
    has any number of targets.

    >>> _ = Path("edges.txt").write_text("# a web\\na b\\na c\\n")
    >>> list(read_edges("edges.txt"))
    [('a', 'b'), ('a', 'c')]
    >>> _ = Path("lists.txt").write_text("a b c\\nb\\n")
    >>> list(read_edges("lists.txt", adjacency=True))
    [('a', 'b'), ('a', 'c')]
    """
    check_regular(Path(path))
    check_unpacked_size(Path(path))
    is_first = True
    with open_input(Path(path)) as stream:
        for number, line in enumerate(input_lines(stream, Path(path)), start=1):
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
            if not line.strip() or line.startswith(_COMMENTS):
                continue
            fields = _fields(line, f"{path}:{number}")
            if not adjacency and len(fields) != len(_ENDS):
                raise _wrong_number(f"{path}:{number}", len(fields))
            if not is_first or fields != list(names):
                for target in fields[1:]:
                    yield fields[0], target
            is_first = False


def _fields(line: bytes, place: str) -> list[str]:
    try:
        text = line.decode("utf-8").strip("\r\n ")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{place}: expected text in UTF-8, got an invalid byte at {error.start}.", remedy="Save it as UTF-8."
        ) from error
    if "\0" in text:
        raise DataError(f"{place}: expected text, got a zero byte.", remedy="Check that this is the right file.")
    # A comma beside a blank separates fields; an address may contain commas.
    if "\t" in text or ", " in text or " ," in text or " " not in text:
        fields = [field.strip() for field in text.split("\t" if "\t" in text else ",")]
    else:
        fields = text.split()
    if "" in fields:
        raise DataError(f"{place}: a field is empty: expected the names of pages.", remedy="Correct or drop the line.")
    return fields


def _wrong_number(place: str, n_fields: int) -> DataError:
    return DataError(
        f"{place}: expected 2 fields, the source and the target of a link, got {n_fields}.",
        remedy=(
            "Drop the other fields",
            f"read lists of targets with {setting('adjacency', True)}",
            "save it as a table (.csv, .tsv or .parquet) with a header line",
        ),
    )


def convert_edges(
    path: str | os.PathLike[str],
    folder: str,
    *,
    adjacency: bool = False,
    names: tuple[str, str] = _ENDS,
) -> str:
    """Write the links of a text file to a Parquet file with the columns source and target, in bounded memory."""
    parquet = os.path.join(folder, "edges.parquet")
    with duckdb.connect(os.path.join(folder, "edges.duckdb")) as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute("CREATE TABLE edges (source VARCHAR, target VARCHAR)")
        batch: list[tuple[str, str]] = []
        for edge in read_edges(path, adjacency=adjacency, names=names):
            batch.append(edge)
            if len(batch) == _BATCH:
                _insert(connection, batch)
                batch = []
        _insert(connection, batch)
        found = connection.sql(
            f"SELECT count(*), bool_and(regexp_matches(source, '{_PLAIN}') AND regexp_matches(target, '{_PLAIN}')) "
            "FROM edges"
        ).fetchone()
        n_edges, is_whole = found or (0, False)
        if not n_edges:
            raise DataError(f"{path}: the file contains no links: expected a source and a target per line.")
        kind = "BIGINT" if is_whole else "VARCHAR"
        fields = ", ".join(f"CAST({end} AS {kind}) AS {end}" for end in _ENDS)
        connection.sql(f"SELECT {fields} FROM edges").write_parquet(parquet)
    return parquet


def _insert(connection: Any, batch: list[tuple[str, str]]) -> None:
    if not batch:
        return
    sources, targets = zip(*batch, strict=True)
    columns = {"s": np.array(sources, dtype=object), "t": np.array(targets, dtype=object)}
    connection.register("batch", columns)
    connection.execute("INSERT INTO edges SELECT CAST(s AS VARCHAR), CAST(t AS VARCHAR) FROM batch")
    connection.unregister("batch")
