"""Links and pages in an engine: checked once, without duplicate links, and with whole numbers for pages."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.data.csv_dialect import DELIMITERS
from glassrank.data.engine import Engine, scanned_format
from glassrank.distillation.tables.half_steps import Table

ENDS = ("source", "target")
HOSTS = ("source_host", "target_host")
# Texts of a CSV file that count as whole numbers: 007 stays text.
_PLAIN = r"^(0|-?[1-9][0-9]{0,17})$"
_PASSING = ("given_links", "given_pages", "keyed_links", "listed_pages", "page_hosts")


@dataclass(frozen=True, eq=False)
class LinkTables:
    """``links`` (source, target) and ``pages`` (page, key, and host and relevance if known) in an engine."""

    links: Table
    pages: Table
    n_rows: int
    """Number of input rows; ``n_links`` counts a pair of pages once."""
    n_links: int
    n_pages: int


@dataclass(frozen=True, eq=False)
class _Checked:
    """A stored table whose key columns contain text or int64."""

    table: Table
    keys: Sequence[str]
    n_rows: int
    from_text: bool
    """Whether it was read from CSV or TSV, in which whole numbers are read as text."""


def prepare_links(
    engine: Engine, links: Any, pages: Any, *, with_hosts: bool, ends: Sequence[str] = ENDS
) -> LinkTables:
    """Check the tables and store them in the engine as ``numbered_links`` and ``numbered_pages``.

    ``ends`` are the columns of the links that contain the source and the target.
    """
    listed = None if pages is None else _check_pages(engine, pages, with_hosts)
    hosts_listed = listed is not None and "host" in listed.table.collect_schema().names()
    hosts = HOSTS if with_hosts and not hosts_listed else ()
    keyed = _check_links(engine, links, hosts, ends)
    pairs, given_pages = _same_keys(engine, keyed, listed)
    kept = engine.materialise(_numbered(engine, _all_pages(engine, pairs, given_pages, hosts)), "numbered_pages")
    numbered = engine.run(_number_links, pairs, kept, name="numbered_links")
    n_pairs, n_links = count_rows(engine, pairs), count_rows(engine, numbered)
    if n_links < n_pairs:
        raise DataError(
            f"{counted(n_pairs - n_links, 'link has', 'links have')} a source or target that is not in the table of "
            "pages: expected every page of the links.",
            remedy="Add those pages, or drop their links.",
        )
    engine.drop(*(name for name in _PASSING if name in engine.names))
    return LinkTables(numbered, kept, keyed.n_rows, n_links, count_rows(engine, kept))


def count_rows(engine: Engine, table: Table) -> int:
    """Return the number of rows."""
    return int(engine.scalars(table.select(nw.len().cast(nw.Int64).alias("rows")))["rows"])


def _check_links(engine: Engine, links: Any, hosts: Sequence[str], ends: Sequence[str]) -> _Checked:
    """Raise an error for links without source or target; keep each pair of pages once."""
    given = _open(engine, links, "given_links", ends, hosts)
    given = given.rename({own: end for own, end in zip(ends, ENDS, strict=True) if own != end})
    present = given.collect_schema().names()
    typed = given.select(_key(given, column, "links") for column in present)
    if hosts and not set(hosts) <= set(present):
        typed = _with_hosts_of_addresses(engine, typed, present)
    # The file may be large and is read once: everything below reads the stored table.
    pairs = typed.group_by(*ENDS, *hosts).agg(nw.len().cast(nw.Int64).alias("n"))
    kept = engine.materialise(pairs, "keyed_links")
    total = nw.col("n").sum().cast(nw.Int64).alias("rows")
    counts = engine.scalars(kept.select(total, *(_missing(kept, column) for column in (*ENDS, *hosts))))
    n_rows = counts.pop("rows") or 0
    if n_rows == 0:
        raise DataError("The table of links has no rows: expected one for each link.")
    for column, missing in counts.items():
        if missing:
            raise DataError(
                f"{counted(missing, 'link has', 'links have')} no {column.replace('_', ' ')} (of {n_rows:,}): "
                "expected text or a whole number in every row.",
                remedy="Drop those rows.",
            )
    if hosts and count_rows(engine, kept.group_by(*ENDS).agg(nw.len().alias("n"))) < count_rows(engine, kept):
        raise DataError(_TWO_HOSTS)
    return _Checked(kept.drop("n"), ENDS, n_rows, _is_text_file(links))


def _with_hosts_of_addresses(engine: Engine, links: Table, present: Sequence[str]) -> Table:
    """Add the hosts of pages that are addresses; other pages need columns with their hosts."""
    schema = links.collect_schema()
    is_text = all(schema[end] == nw.String for end in ENDS)
    other = [nw.when(nw.col(end).str.contains("://")).then(0).otherwise(1).sum().alias(end) for end in ENDS]
    if not is_text or any(engine.scalars(links.select(*other)).values()):
        missing = next(column for column in HOSTS if column not in present)
        raise DataError(
            f"The table of links must have a column {missing!r} unless its pages are addresses with hosts: got "
            f"{', '.join(map(repr, present))}.",
            remedy="Rename or add it, or a column 'host' to the table of pages.",
        )
    return links.select(*ENDS).with_columns(
        # Two replacements without a group, because engines write references to groups differently.
        nw.col(end)
        .str.replace_all(r"^[^:/?#]*://", "")
        .str.replace_all(r"[/:?#].*$", "")
        .str.to_lowercase()
        .alias(host)
        for end, host in zip(ENDS, HOSTS, strict=True)
    )


_TWO_HOSTS = "A page must have one host: a page has two in the links. Correct 'source_host' and 'target_host'."


def _check_pages(engine: Engine, pages: Any, with_hosts: bool) -> _Checked:
    """Raise an error for pages that are listed twice or have no host, and for invalid relevance."""
    given = _open(engine, pages, "given_pages", ("page",), ("host", "relevance") if with_hosts else ())
    columns = given.collect_schema().names()
    keys = [column for column in ("page", "host") if column in columns]
    # Text that is not a number causes an error in the engine, not a null.
    numbers = [nw.col("relevance").cast(nw.Float64)] if "relevance" in columns else []
    typed = given.select(*(_key(given, column, "pages") for column in keys), *numbers, nw.lit(1).alias("n"))
    kept = engine.materialise(typed, "listed_pages")
    facts = [_missing(kept, column) for column in keys] + ([_invalid_relevance()] if numbers else [])
    counts = engine.scalars(kept.select(nw.len().cast(nw.Int64).alias("rows"), *facts))
    n_rows = counts.pop("rows")
    for column, missing in counts.items():
        if missing:
            wanted = "a finite number that is not negative" if column == "relevance" else "text or a whole number"
            raise DataError(
                f"{counted(missing, 'page has', 'pages have')} no {column}: expected {wanted}.", remedy="Fill it in."
            )
    different = count_rows(engine, kept.group_by("page").agg(nw.len().alias("n")))
    if different < n_rows:
        raise DataError(
            f"A page must be listed once: got {n_rows:,} rows for {different:,} pages.", remedy="Drop the duplicates."
        )
    return _Checked(kept.drop("n"), ("page",), n_rows, _is_text_file(pages))


def _open(engine: Engine, table: Any, name: str, needed: Sequence[str], wanted: Sequence[str] = ()) -> Table:
    """Scan a path or take a frame; keep the needed columns, and those of the wanted ones that exist."""
    scanned = engine.scan(table) if isinstance(table, str | os.PathLike) else None
    present = _names_of(table) if scanned is None else scanned.collect_schema().names()
    missing = [column for column in needed if column not in present]
    if missing:
        raise DataError(
            f"The table of {name.removeprefix('given_')} must have a column {missing[0]!r}: got "
            f"{', '.join(map(repr, present))}.",
            remedy=_remedies(missing[0], present),
        )
    columns = [*needed, *(column for column in wanted if column in present)]
    return engine.take(table, name, columns) if scanned is None else scanned.select(*columns)


def _remedies(missing: str, present: Sequence[str]) -> tuple[str, ...]:
    if missing == "page":
        return ("Rename or add it",)
    return (
        "Rename or add it",
        f"name the columns with {setting('source')} and {setting('target')}",
        *([f"read a file without a header line with {setting('header', False)}"] if len(present) == len(ENDS) else []),
    )


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
    """Return a column of page or host keys, as int64 or text."""
    dtype = table.collect_schema()[column]
    # Whole numbers that may exceed int64 (hashes) keep all their digits as text.
    if dtype in (nw.String, nw.Categorical, nw.Enum, nw.UInt64, nw.Int128, nw.UInt128):
        return nw.col(column).cast(nw.String)
    if dtype.is_integer():
        return nw.col(column).cast(nw.Int64)
    raise DataError(
        f"Column {column!r} of the {what} must contain text or whole numbers: got {dtype}.",
        remedy="Convert it. Missing values can turn whole numbers into floats, so drop the rows without a value.",
    )


def _missing(table: Table, column: str) -> nw.Expr:
    """Return the number of rows without a value, each counted ``n`` times; empty text counts as missing."""
    missing = nw.col(column).is_null()
    if table.collect_schema()[column] == nw.String:
        missing = missing | (nw.col(column) == "")
    return nw.when(missing).then(nw.col("n")).otherwise(0).sum().cast(nw.Int64).alias(column)


def _invalid_relevance() -> nw.Expr:
    value = nw.col("relevance")
    bad = value.is_null() | (value < 0.0) | (value == float("inf"))
    return nw.when(bad).then(1).otherwise(0).sum().cast(nw.Int64).alias("relevance")


def _same_keys(engine: Engine, keyed: _Checked, listed: _Checked | None) -> tuple[Table, Table | None]:
    """Return both tables with keys of one type: whole numbers if all are, otherwise text."""
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
    """Return every page once, from the table of pages or otherwise from the links, with hosts from the links."""
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
    """Return pages with their key and a whole number, because joins on text are slow."""
    if pages.collect_schema()["page"] == nw.Int64:
        return pages.with_columns(nw.col("page").alias("key"))
    return engine.number(pages.rename({"page": "key"}), "page")


def _number_links(pairs: Table, pages: Table) -> Table:
    """Return the links with numbers instead of keys of pages."""
    numbers = pages.select("key", "page")
    return (
        pairs.join(numbers.rename({"page": "source_page"}), left_on="source", right_on="key", how="inner")
        .join(numbers.rename({"page": "target_page"}), left_on="target", right_on="key", how="inner")
        .select(
            nw.col("source_page").cast(nw.Int64).alias("source"), nw.col("target_page").cast(nw.Int64).alias("target")
        )
    )
