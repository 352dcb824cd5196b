"""The schemas of logs that people have: which columns a file of each has, and how a file is recognised by them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.data.delimited import refuse_delimiter
from glassrank.data.query_log import COLUMNS, REQUIRED
from glassrank.data.search_results import SearchResults


@dataclass(frozen=True)
class SchemaPart:
    """One kind of file of a schema: its columns by their names in the file, and those it cannot do without."""

    schema: str
    table: str
    columns: tuple[str, ...]
    required: tuple[str, ...]
    quoted: bool = True
    """Whether quotes enclose fields; ORCAS and AOL write them as signs of the query."""
    lists: tuple[str, ...] = ()
    """Columns that hold a list of identifiers."""
    headerless: tuple[str, ...] = ()
    """Names of the fields where the file has no header line."""

    def names_in(self, names: Mapping[str, str | None]) -> dict[str, str]:
        """Column → name in the file, where ``names`` renames columns or, by None, leaves them out.

        >>> ORCAS.names_in({"url": "address", "did": None})
        {'qid': 'qid', 'query': 'query', 'url': 'address'}
        """
        chosen = {column: names.get(column, column) for column in self.columns}
        return {column: name for column, name in chosen.items() if name is not None}

    def lacking(self, there: Iterable[str], names: Mapping[str, str | None]) -> list[str]:
        """Names of required columns that a file does not have; capitals do not matter."""
        known = {name.casefold() for name in there}
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
)
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
PLAIN_CLICKS = SchemaPart("plain", "plain", PLAIN.columns, tuple(name for name in REQUIRED if name != "action"))
RESULTS = SchemaPart("results", "results", tuple(SearchResults.declared()), tuple(SearchResults.required()))

# The order in which a file is compared with them: the first whose required columns are all there is taken.
LOG_SCHEMAS: dict[str, tuple[SchemaPart, ...]] = {
    # Events first, for they may have all the columns of queries.
    "ubi": (UBI_EVENTS, UBI_QUERIES),
    "aol": (AOL,),
    "orcas": (ORCAS,),
    "plain": (PLAIN,),
}
# What may be named and is never guessed: a table without actions, whose rows are clicks.
NAMED_SCHEMAS = {**LOG_SCHEMAS, "plain": (PLAIN, PLAIN_CLICKS)}
RESULT_SCHEMAS: dict[str, tuple[SchemaPart, ...]] = {"ubi": (UBI_QUERIES,), "results": (RESULTS,)}

_ORCAS_LINE = (re.compile(r"\d+"), re.compile(r".*"), re.compile(r"D\d+"), re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:.*"))


def is_orcas_line(values: Sequence[str]) -> bool:
    """Whether the fields are a row of ORCAS: a number, a query, D and a number, an address.

    >>> is_orcas_line(["10103699", "github", "D1265400", "https://github.com/"])
    True
    """
    return len(values) == len(_ORCAS_LINE) and all(
        pattern.fullmatch(value) for pattern, value in zip(_ORCAS_LINE, values, strict=True)
    )


def recognise(
    path: str, there: Sequence[str], parts: Sequence[SchemaPart], names: Mapping[str, str | None], schema: str | None
) -> SchemaPart:
    """Return the part whose required columns a file has, or say what is missing."""
    for part in parts:
        if not part.lacking(there, names):
            return part
    refuse_delimiter(path, there)
    shown = ", ".join(map(repr, there[:12])) + (f", … ({len(there)} in all)" if len(there) > 12 else "")
    if schema is not None:
        fewest = min(len(part.lacking(there, names)) for part in parts)
        closest = [part for part in parts if len(part.lacking(there, names)) == fewest]
        # A key of its own, because columns are called like options of commands.
        named = setting("column_names", python=f"load_log(path, {closest[0].lacking(there, names)[0]}=...)")
        missing = " or ".join(dict.fromkeys(", ".join(map(repr, part.lacking(there, names))) for part in closest))
        raise DataError(
            f"{path}: the schema {schema!r} needs the column {missing}: the file has {shown}.",
            remedy=("Rename the column", f"say what the file calls it: {named}"),
        )
    needs = "; ".join(f"{part.schema} {', '.join(part.required)}" for part in parts)
    named = setting("column_names", python="load_log(path, schema=..., url=...)")
    raise DataError(
        f"{path}: no schema fits its columns, {shown}. They need: {needs}.",
        remedy=("Rename the columns", f"name the schema and what the file calls a column: {named}"),
    )


def check_names(parts: Sequence[SchemaPart], names: Mapping[str, str | None]) -> None:
    """Refuse a keyword that is no column of any part."""
    known = list(dict.fromkeys(column for part in parts for column in part.columns))
    for name, theirs in names.items():
        if name not in known:
            raise DataError(f"There is no column {name!r} to rename or leave out. The columns are {', '.join(known)}.")
        if theirs is not None and not isinstance(theirs, str):
            raise DataError(
                f"{name} must name a column of the file, or be None: got {theirs!r}.", parameter=name, got=theirs
            )
    for part in parts:
        left_out = [column for column in part.required if column in names and names[column] is None]
        if left_out:
            raise DataError(f"{left_out[0]} cannot be left out: {part.schema} needs {', '.join(part.required)}.")
