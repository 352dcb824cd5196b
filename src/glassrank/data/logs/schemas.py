"""The supported log schemas: their columns, and how a file is matched to one of them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.data.delimited import check_delimiter
from glassrank.data.query_log import COLUMNS, REQUIRED
from glassrank.data.search_results import SearchResults


@dataclass(frozen=True)
class SchemaPart:
    """One kind of file of a schema: its columns, by their names in the file, and which of them are required."""

    schema: str
    table: str
    columns: tuple[str, ...]
    required: tuple[str, ...]
    quoted: bool = True
    """Whether quotes enclose fields; in ORCAS and AOL they are part of the query."""
    lists: tuple[str, ...] = ()
    """Columns that contain a list of identifiers."""
    headerless: tuple[str, ...] = ()
    """Names of the fields if the file has no header line."""
    signs: tuple[str, ...] = ()
    """Columns by which a record is known to be of this part in a file with records of several."""

    def names_in(self, names: Mapping[str, str | None]) -> dict[str, str]:
        """Return column → name in the file; ``names`` renames columns, or omits them with None.

        >>> ORCAS.names_in({"url": "address", "did": None})
        {'qid': 'qid', 'query': 'query', 'url': 'address'}
        """
        chosen = {column: names.get(column, column) for column in self.columns}
        return {column: name for column, name in chosen.items() if name is not None}

    def missing(self, found: Iterable[str], names: Mapping[str, str | None]) -> list[str]:
        """Return the names of required columns that a file does not have, ignoring case."""
        known = {name.casefold() for name in found}
        named = self.names_in(names)
        needed = [named.get(column, column) for column in self.required]
        needed += [name for column, name in names.items() if name is not None and column in self.columns]
        return [name for name in dict.fromkeys(needed) if name.casefold() not in known]


OBJECT_ID = "event_attributes.object.object_id"
ORDINAL = "event_attributes.position.ordinal"
UBI_QUERIES = SchemaPart(
    "ubi",
    "ubi_queries",
    ("query_id", "user_query", "query_response_hit_ids", "client_id", "session_id", "timestamp"),
    ("query_id", "user_query"),
    lists=("query_response_hit_ids",),
)
UBI_EVENTS = SchemaPart(
    "ubi",
    "ubi_events",
    ("action_name", "query_id", "session_id", "client_id", "timestamp", "user_query", OBJECT_ID, ORDINAL),
    ("action_name", "query_id"),
    signs=("action_name", OBJECT_ID),
)
# Events first, because they may have all the columns of queries.
UBI = (UBI_EVENTS, UBI_QUERIES)
AOL = SchemaPart(
    "aol",
    "aol",
    ("AnonID", "Query", "QueryTime", "ItemRank", "ClickURL"),
    ("AnonID", "Query", "QueryTime", "ItemRank", "ClickURL"),
    quoted=False,
)
ORCAS = SchemaPart(
    "orcas",
    "orcas",
    ("qid", "query", "did", "url"),
    ("qid", "query", "url"),
    quoted=False,
    headerless=("qid", "query", "did", "url"),
)
PLAIN = SchemaPart("plain", "plain", tuple(COLUMNS), REQUIRED)
WIDE = SchemaPart("wide", "wide", ("clicked", *(name for name in COLUMNS if name != "action")), ("query", "clicked"))
PLAIN_CLICKS = SchemaPart("plain", "plain", PLAIN.columns, tuple(name for name in REQUIRED if name != "action"))
RESULTS = SchemaPart("results", "results", tuple(SearchResults.declared()), tuple(SearchResults.required()))

# In the order in which they are tried: the first one whose required columns are all present is used.
LOG_SCHEMAS: dict[str, tuple[SchemaPart, ...]] = {
    "ubi": UBI,
    "aol": (AOL,),
    "orcas": (ORCAS,),
    "plain": (PLAIN,),
    "wide": (WIDE,),
}
# A table without actions, whose rows are clicks, is accepted if the schema is given but never guessed.
NAMED_SCHEMAS = {**LOG_SCHEMAS, "plain": (PLAIN, PLAIN_CLICKS)}
RESULT_SCHEMAS: dict[str, tuple[SchemaPart, ...]] = {"ubi": (UBI_QUERIES,), "results": (RESULTS,)}

_ORCAS_LINE = (re.compile(r"\d+"), re.compile(r".*"), re.compile(r"D\d+"), re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:.*"))


def is_orcas_line(values: Sequence[str]) -> bool:
    """Return whether the fields are an ORCAS row: a number, a query, D followed by a number, and an address.

    >>> is_orcas_line(["10103699", "github", "D1265400", "https://github.com/"])
    True
    """
    return len(values) == len(_ORCAS_LINE) and all(
        pattern.fullmatch(value) for pattern, value in zip(_ORCAS_LINE, values, strict=True)
    )


def recognise(
    path: str,
    found: Sequence[str],
    parts: Sequence[SchemaPart],
    names: Mapping[str, str | None],
    schema: str | None,
    reader: str = "load_log",
) -> SchemaPart:
    """Return the schema part whose required columns a file has, or raise an error that lists what is missing.

    ``reader`` is the function to which the names of columns are given.
    """
    for part in parts:
        if not part.missing(found, names):
            return part
    check_delimiter(path, found)
    shown = ", ".join(map(repr, found[:12])) + (f", … ({len(found)} in total)" if len(found) > 12 else "")
    if schema is not None:
        fewest = min(len(part.missing(found, names)) for part in parts)
        closest = [part for part in parts if len(part.missing(found, names)) == fewest]
        named = _naming(reader, f"{closest[0].missing(found, names)[0]}=...")
        missing = " or ".join(dict.fromkeys(", ".join(map(repr, part.missing(found, names))) for part in closest))
        raise DataError(
            f"{path}: the schema {schema!r} needs the column {missing}: the file has {shown}.",
            remedy=("Rename the column", f"give its name in the file: {named}"),
        )
    needs = "; ".join(f"{part.schema} {', '.join(part.required)}" for part in parts)
    named = _naming(reader, "schema=..., url=...")
    raise DataError(
        f"{path}: its columns match no schema: {shown}. Required columns: {needs}.",
        remedy=("Rename the columns", f"give the schema and the names of its columns in the file: {named}"),
    )


def _naming(reader: str, arguments: str) -> str:
    """Return the setting for names of columns; its key is its own, because some columns are named like options."""
    call = f"{reader}(path, {arguments})"
    return (
        setting("names_of_log_columns", python=call)
        if reader == "load_log"
        else setting("names_of_result_columns", python=call)
    )


def check_names(parts: Sequence[SchemaPart], names: Mapping[str, str | None]) -> None:
    """Raise an error for a keyword that is not a column of any part."""
    known = list(dict.fromkeys(column for part in parts for column in part.columns))
    for name, theirs in names.items():
        if name not in known:
            raise DataError(f"There is no column {name!r} to rename or omit. The columns are {', '.join(known)}.")
        if theirs is not None and not isinstance(theirs, str):
            raise DataError(
                f"{name} must name a column of the file, or be None: got {theirs!r}.", parameter=name, got=theirs
            )
    for part in parts:
        omitted = [column for column in part.required if column in names and names[column] is None]
        if omitted:
            raise DataError(f"{omitted[0]} cannot be omitted: {part.schema} needs {', '.join(part.required)}.")
