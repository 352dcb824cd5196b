"""Links and pages in an engine: checked once, every pair of pages once, pages under whole numbers."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw

from glassrank.core.checks import DataError
from glassrank.core.wording import counted
from glassrank.data.csv_dialect import DELIMITERS
from glassrank.data.engine import Engine, scanned_format
from glassrank.distillation.tables.half_steps import Table

ENDS = ("source", "target")
HOSTS = ("source_host", "target_host")
# What the text of a CSV file must look like to be a whole number: 007 stays text.
_PLAIN = r"^(0|-?[1-9][0-9]{0,17})$"
_PASSING = ("given_links", "given_pages", "keyed_links", "listed_pages", "page_hosts")


@dataclass(frozen=True, eq=False)
class LinkTables:
    """``links`` (source, target) and ``pages`` (page, key, and host and relevance where known) in an engine."""

    links: Table
    pages: Table
    n_rows: int
    """Links as they were given; a pair of pages counts once."""
    n_links: int
    n_pages: int


@dataclass(frozen=True, eq=False)
class _Checked:
    """A kept table whose columns of keys hold text or int64."""

    table: Table
    keys: Sequence[str]
    n_rows: int
    from_text: bool
    """Whether it was read from CSV or TSV, where a whole number is text that looks like one."""


def prepare_links(engine: Engine, links: Any, pages: Any, *, with_hosts: bool) -> LinkTables:
    """Check the tables and keep them in the engine as ``numbered_links`` and ``numbered_pages``."""
    listed = None if pages is None else _check_pages(engine, pages, with_hosts)
    hosts_listed = listed is not None and "host" in listed.table.collect_schema().names()
    hosts = HOSTS if with_hosts and not hosts_listed else ()
    keyed = _check_links(engine, links, hosts)
    pairs, given_pages = _same_keys(engine, keyed, listed)
    kept = engine.materialise(_numbered(engine, _all_pages(engine, pairs, given_pages, hosts)), "numbered_pages")
    numbered = engine.run(_number_links, pairs, kept, name="numbered_links")
    n_pairs, n_links = count_rows(engine, pairs), count_rows(engine, numbered)
    if n_links < n_pairs:
        raise DataError(
            f"{counted(n_pairs - n_links, 'link has', 'links have')} an end that is not among the pages: expected "
            "every page of the links in the table of pages.",
            remedy="Add those pages, or leave out their links.",
        )
    engine.drop(*(name for name in _PASSING if name in engine.names))
    return LinkTables(numbered, kept, keyed.n_rows, n_links, count_rows(engine, kept))


def count_rows(engine: Engine, table: Table) -> int:
    """Return the number of rows."""
    return int(engine.scalars(table.select(nw.len().cast(nw.Int64).alias("rows")))["rows"])


def _check_links(engine: Engine, links: Any, hosts: Sequence[str]) -> _Checked:
    """Refuse links without an end; keep each pair of pages once."""
    given = _open(engine, links, "given_links", (*ENDS, *hosts))
    typed = given.select(_key(given, column, "links") for column in (*ENDS, *hosts))
    # One pass over what may be a large file: everything that follows reads the kept table.
    pairs = typed.group_by(*ENDS, *hosts).agg(nw.len().cast(nw.Int64).alias("n"))
    kept = engine.materialise(pairs, "keyed_links")
    total = nw.col("n").sum().cast(nw.Int64).alias("rows")
    said = engine.scalars(kept.select(total, *(_lacking(kept, column) for column in (*ENDS, *hosts))))
    n_rows = said.pop("rows") or 0
    if n_rows == 0:
        raise DataError("The table of links has no rows: expected one for each link.")
    for column, lacking in said.items():
        if lacking:
            raise DataError(
                f"{counted(lacking, 'link has', 'links have')} no {column.replace('_', ' ')} (of {n_rows:,}): "
                "expected text or a whole number in every row.",
                remedy="Leave those rows out.",
            )
    if hosts and count_rows(engine, kept.group_by(*ENDS).agg(nw.len().alias("n"))) < count_rows(engine, kept):
        raise DataError(_TWO_HOSTS)
    return _Checked(kept.drop("n"), ENDS, n_rows, _is_text_file(links))


_TWO_HOSTS = "A page must have one host: the links give some page two. Correct 'source_host' and 'target_host'."


def _check_pages(engine: Engine, pages: Any, with_hosts: bool) -> _Checked:
    """Refuse pages that are listed twice or have no host, and what is no relevance."""
    given = _open(engine, pages, "given_pages", ("page",), ("host", "relevance") if with_hosts else ())
    columns = given.collect_schema().names()
    keys = [column for column in ("page", "host") if column in columns]
    # Text that is no number becomes an error of the engine, not a null.
    numbers = [nw.col("relevance").cast(nw.Float64)] if "relevance" in columns else []
    typed = given.select(*(_key(given, column, "pages") for column in keys), *numbers, nw.lit(1).alias("n"))
    kept = engine.materialise(typed, "listed_pages")
    facts = [_lacking(kept, column) for column in keys] + ([_no_relevance()] if numbers else [])
    said = engine.scalars(kept.select(nw.len().cast(nw.Int64).alias("rows"), *facts))
    n_rows = said.pop("rows")
    for column, lacking in said.items():
        if lacking:
            wanted = "a finite number that is not negative" if column == "relevance" else "text or a whole number"
            raise DataError(
                f"{counted(lacking, 'page has', 'pages have')} no {column}: expected {wanted}.", remedy="Fill it."
            )
    different = count_rows(engine, kept.group_by("page").agg(nw.len().alias("n")))
    if different < n_rows:
        raise DataError(
            f"A page must be listed once: got {n_rows:,} rows for {different:,} pages.", remedy="Drop the others."
        )
    return _Checked(kept.drop("n"), ("page",), n_rows, _is_text_file(pages))


def _open(engine: Engine, table: Any, name: str, needed: Sequence[str], wanted: Sequence[str] = ()) -> Table:
    """Scan a path or take a frame; of its columns, those needed, and those wanted that are there."""
    scanned = engine.scan(table) if isinstance(table, str | os.PathLike) else None
    present = _names_of(table) if scanned is None else scanned.collect_schema().names()
    missing = [column for column in needed if column not in present]
    if missing:
        remedy = ", or a column 'host' to the table of pages" if missing[0] in HOSTS else ""
        raise DataError(
            f"The table of {name.removeprefix('given_')} must have a column {missing[0]!r}: got "
            f"{', '.join(map(repr, present))}.",
            remedy=f"Rename or add it{remedy}.",
        )
    columns = [*needed, *(column for column in wanted if column in present)]
    return engine.take(table, name, columns) if scanned is None else scanned.select(*columns)


def _names_of(table: Any) -> list[str]:
    try:
        return list(nw.from_native(table).collect_schema().names())
    except TypeError as error:
        raise DataError(
            "links and pages must be a path to a Parquet, CSV or TSV file, or a table (pandas, Polars, Arrow, DuckDB, "
            f"Spark): got {type(table).__name__}."
        ) from error


def _is_text_file(table: Any) -> bool:
    return isinstance(table, str | os.PathLike) and scanned_format(table) in DELIMITERS


def _key(table: Table, column: str, what: str) -> nw.Expr:
    """A column that names pages or hosts, as int64 or text."""
    dtype = table.collect_schema()[column]
    # Whole numbers that may exceed int64 (hashes) keep all their digits as text.
    if dtype in (nw.String, nw.Categorical, nw.Enum, nw.UInt64, nw.Int128, nw.UInt128):
        return nw.col(column).cast(nw.String)
    if dtype.is_integer():
        return nw.col(column).cast(nw.Int64)
    raise DataError(
        f"Column {column!r} of the {what} must hold text or whole numbers: got {dtype}.",
        remedy="Convert it; whole numbers become floats where one is missing, so leave out the rows without one.",
    )


def _lacking(table: Table, column: str) -> nw.Expr:
    """Number of rows without a value, of which ``n`` counts the copies; an empty text is none."""
    lacking = nw.col(column).is_null()
    if table.collect_schema()[column] == nw.String:
        lacking = lacking | (nw.col(column) == "")
    return nw.when(lacking).then(nw.col("n")).otherwise(0).sum().cast(nw.Int64).alias(column)


def _no_relevance() -> nw.Expr:
    value = nw.col("relevance")
    bad = value.is_null() | (value < 0.0) | (value == float("inf"))
    return nw.when(bad).then(1).otherwise(0).sum().cast(nw.Int64).alias("relevance")


def _same_keys(engine: Engine, keyed: _Checked, listed: _Checked | None) -> tuple[Table, Table | None]:
    """Both tables with keys of one kind: whole numbers where all are, else text."""
    tables = [keyed] if listed is None else [keyed, listed]
    if all(_is_whole(engine, checked) for checked in tables):
        cast = [checked.table.with_columns(nw.col(*checked.keys).cast(nw.Int64)) for checked in tables]
    else:
        cast = [checked.table for checked in tables]
    kinds = {table.collect_schema()[key] for table, checked in zip(cast, tables, strict=True) for key in checked.keys}
    if len(kinds) > 1:
        raise DataError(
            "The keys of pages (source, target and page) must all be text or all be whole numbers: got both.",
            remedy="Convert one.",
        )
    return cast[0], cast[1] if listed is not None else None


def _is_whole(engine: Engine, checked: _Checked) -> bool:
    schema = checked.table.collect_schema()
    if all(schema[key] == nw.Int64 for key in checked.keys):
        return True
    if not checked.from_text:
        return False
    other = [nw.when(nw.col(key).str.contains(_PLAIN)).then(0).otherwise(1).sum().alias(key) for key in checked.keys]
    return not any(engine.scalars(checked.table.select(*other)).values())


def _all_pages(engine: Engine, pairs: Table, listed: Table | None, hosts: Sequence[str]) -> Table:
    """Every page once: those listed, else the ends of the links; with the hosts that the links give."""
    if listed is not None and not hosts:
        return listed
    names = ["page", "host"] if hosts else ["page"]
    ends = [
        pairs.select(nw.col(column).alias(name) for column, name in zip(columns, names, strict=False))
        for columns in (("source", "source_host"), ("target", "target_host"))
    ]
    seen = nw.concat(ends, how="vertical").group_by(*names).agg(nw.len().alias("n")).select(*names)
    if hosts:
        seen = engine.materialise(seen, "page_hosts")
        if count_rows(engine, seen.group_by("page").agg(nw.len().alias("n"))) < count_rows(engine, seen):
            raise DataError(_TWO_HOSTS)
    return seen if listed is None else listed.join(seen, on="page", how="left")


def _numbered(engine: Engine, pages: Table) -> Table:
    """Pages with their key and a whole number: the key itself where it is one. Joins on text would be slow."""
    if pages.collect_schema()["page"] == nw.Int64:
        return pages.with_columns(nw.col("page").alias("key"))
    return engine.number(pages.rename({"page": "key"}), "page")


def _number_links(pairs: Table, pages: Table) -> Table:
    """Links between numbers of pages."""
    numbers = pages.select("key", "page")
    return (
        pairs.join(numbers.rename({"page": "source_page"}), left_on="source", right_on="key", how="inner")
        .join(numbers.rename({"page": "target_page"}), left_on="target", right_on="key", how="inner")
        .select(
            nw.col("source_page").cast(nw.Int64).alias("source"), nw.col("target_page").cast(nw.Int64).alias("target")
        )
    )
