"""Reads a folder with two tables, pages and links."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from glassrank.core.checks import DataError, within
from glassrank.data.collection import Collection, Links, Pages
from glassrank.data.column_table import KINDS, Column, ColumnTable, Texts
from glassrank.data.csv_dialect import DELIMITERS
from glassrank.data.delimited import DelimitedFile, check_delimiter
from glassrank.data.frame_columns import quote_name
from glassrank.data.hosts import comparable_address, rename_host
from glassrank.data.parquet_schema import open_parquet
from glassrank.data.reading_report import ReadingTally
from glassrank.data.tables import TABLE_FORMATS
from glassrank.data.web.url_patterns import left_out_test
from glassrank.files.atomic_files import read_bytes
from glassrank.files.work_folder import work_folder

_COMPRESSION_SUFFIXES = ("", ".gz", ".xz")
_FLAGS = {"true": True, "false": False, "1": True, "0": False, "1.0": True, "0.0": False}


class TableSource:
    """Pages and links that were already extracted from their HTML; pages keep their addresses as written."""

    kind = "tables of pages and links"

    def __init__(self, path: Path, pages: Path, links: Path) -> None:
        self.path = path
        self._pages = pages
        self._links = links

    def read(
        self, tally: ReadingTally, leave_out: Sequence[str] = (), aliases: Mapping[str, str] | None = None
    ) -> Collection:
        """Read both tables, without excluded pages and their links."""
        pages, links = join_addresses(
            read_table(Pages, self._pages), read_table(Links, self._links), aliases or {}, tally
        )
        if not leave_out:
            return Collection(pages, links, aliases=dict(aliases or {}))
        is_left_out = left_out_test(leave_out)
        excluded = {url for url in {*pages.url, *links.source, *links.target} if is_left_out(url)}
        for url in pages.url:
            if url in excluded:
                tally.skip("excluded by leave_out", url)
        kept = np.array(
            [a not in excluded and b not in excluded for a, b in zip(links.source, links.target, strict=True)], bool
        )
        if not kept.all():
            tally.note("link from or to an excluded page (dropped)", "", int((~kept).sum()))
        included = pages.pick_rows(np.array([url not in excluded for url in pages.url], dtype=bool))
        return Collection(included, links.pick_rows(kept), aliases=dict(aliases or {}))


def join_addresses(pages: Pages, links: Links, aliases: Mapping[str, str], tally: ReadingTally) -> tuple[Pages, Links]:
    """Write the ends of links as their pages are written, and count what that joins; of equivalent pages keep one."""
    first: dict[str, str] = {}
    kept, urls = [], []
    for row, url in enumerate(pages.url):
        address = rename_host(comparable_address(url), aliases)
        if address in first:
            tally.skip("duplicate address", url)
            continue
        # Only a renamed host changes how a page is written.
        is_renamed = address != comparable_address(url)
        if is_renamed:
            tally.note("page of an alias host (renamed)", url)
        first[address] = address if is_renamed else url
        kept.append(row)
        urls.append(first[address])
    written = {url: rename_host(comparable_address(url), aliases) for url in {*links.source, *links.target}}
    known = set(urls)
    joined = {url: first.get(address, url) for url, address in written.items() if url not in known}
    for url in (*links.source, *links.target):
        if joined.get(url, url) != url:
            tally.note("end of a link that is written in another way than its page (joined)", url)
    ends = {name: [joined.get(url, url) for url in getattr(links, name)] for name in ("source", "target")}
    return replace(pages.pick_rows(np.array(kept, dtype=np.int64)), url=urls), replace(links, **ends)


def find_tables(folder: Path) -> TableSource | None:
    """Return the tables of a folder; None if there are none, an error if one is missing or ambiguous."""
    found = {name: _candidates(folder, name) for name in ("pages", "links")}
    if not any(found.values()):
        return None
    for name, files in found.items():
        if len(files) != 1:
            got = " and ".join(file.name for file in files) or "none"
            raise DataError(
                f"{folder}: expected one table {name}.parquet, {name}.csv or {name}.tsv beside the other table, got "
                f"{got}.",
                remedy="Add or remove a file.",
            )
    return TableSource(folder, found["pages"][0], found["links"][0])


def read_table(container: type[ColumnTable], path: Path) -> Any:
    """Read a file into a container; empty text fields become empty strings. The first fault raises an error.

    >>> _ = Path("links.csv").write_text("source,target,anchor,nofollow\\na,b,see b,True\\n")
    >>> read_table(Links, Path("links.csv")).nofollow.tolist()
    [True]
    """
    suffix = Path(path.name.removesuffix(".gz").removesuffix(".xz")).suffix.lower().removeprefix(".")
    try:
        with within(path):
            if suffix in DELIMITERS:
                return _read_delimited(container, path, DELIMITERS[suffix])
            return _read_parquet(container, path)
    except duckdb.Error as error:
        raise DataError(f"{path}: cannot be read as a table. DuckDB reports: {str(error).splitlines()[0]}") from error


def _candidates(folder: Path, name: str) -> list[Path]:
    names = [f"{name}.{suffix}{packed}" for suffix in TABLE_FORMATS for packed in _COMPRESSION_SUFFIXES]
    return [folder / candidate for candidate in names if (folder / candidate).is_file()]


def _read_delimited(container: type[ColumnTable], path: Path, delimiter: str) -> Any:
    file = DelimitedFile(path, delimiter)
    check_delimiter(path, file.names)
    declared = _check_columns(container, file.names)
    kinds = {name: column.kind for name, column in declared.items() if name in file.names}
    is_number = {name: kind != "flag" and not isinstance(KINDS[kind], Texts) for name, kind in kinds.items()}
    arrays = file.fetch({name: "number" if number else "identifier" for name, number in is_number.items()})
    columns = {}
    for name, values in arrays.items():
        # A column of whole numbers is read as numbers; here it is text.
        columns[name] = values if is_number[name] else _texts(values)
        if kinds[name] == "flag":
            columns[name] = _flags(name, columns[name], file)
    return container(**columns)


def _flags(name: str, texts: Any, file: DelimitedFile) -> Any:
    """Read true and false in any case, as written by pandas, Polars and R, and 1 and 0."""
    flags = [_FLAGS.get(text.strip().casefold()) for text in texts]
    if None in flags:
        row = flags.index(None)
        raise DataError(
            f"{file.path}, {file.place(row)}: column {name!r} must contain true or false (or 1 or 0): "
            f"got {texts[row]!r}.",
            remedy="Correct the field, or remove the column.",
        )
    return np.array(flags, dtype=bool)


def _read_parquet(container: type[ColumnTable], path: Path) -> Any:
    content = read_bytes(path)
    with work_folder() as folder, duckdb.connect() as connection:
        # A copy with a plain name, because DuckDB would treat characters such as * in the file name as a pattern.
        copy = Path(folder, "table.parquet")
        copy.write_bytes(content)
        relation = open_parquet(connection, str(copy), path)
        declared = _check_columns(container, relation.columns)
        # A missing text becomes empty, as in delimited files; addresses are required.
        fields = [
            f"coalesce({quote_name(name)}, '') AS {quote_name(name)}"
            if declared[name].kind == "text"
            else quote_name(name)
            for name in relation.columns
        ]
        return container.from_frame(relation.project(", ".join(fields)))


def _check_columns(container: type[ColumnTable], names: Sequence[str]) -> dict[str, Column]:
    declared = container.declared()
    unknown = [name for name in names if name not in declared]
    if unknown:
        raise DataError(
            f"{container.__name__} has no column {unknown[0]!r}: its columns are {', '.join(declared)}.",
            remedy="Rename or drop it.",
        )
    missing = [name for name in container.required() if name not in names]
    if missing:
        raise DataError(
            f"the column {missing[0]!r} is missing: got {', '.join(names)}.", remedy="Add or rename a column."
        )
    return declared


def _texts(values: Any) -> Any:
    return np.array(["" if value is None else str(value) for value in values], dtype=object)
