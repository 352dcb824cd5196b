"""Opening Parquet files, with a check of the number of columns, and the types that DuckDB does not recognise.

Parquet has no durations, and DuckDB no type for its categories. Arrow, Polars and pandas write durations as whole
numbers and categories as their values, and store their types in the Arrow schema of the file, a FlatBuffers message in
base64 (https://arrow.apache.org/docs/format/Columnar.html). glassrank lists its categories under a key of its own.
"""

import base64
import json
import struct
from collections.abc import Callable, Sequence
from typing import Any

import duckdb

from glassrank.core.checks import DataError
from glassrank.data.csv_dialect import check_width
from glassrank.data.frame_columns import quote_name

_DURATION = 18
_CONTINUATION = b"\xff\xff\xff\xff"
# Field numbers in Arrow's tables Message, Schema and Field
_HEADER, _FIELDS, _NAME, _TYPE, _DICTIONARY = 2, 1, 0, 2, 4
_CATEGORIES = "glassrank:categories"


def open_parquet(connection: duckdb.DuckDBPyConnection, pattern: str, place: Any, **options: Any) -> Any:
    """Return Parquet files as a relation in which durations are intervals, so that they are not read as numbers.

    >>> import duckdb, polars
    >>> frame = polars.DataFrame({"dwell": [1500]}).cast({"dwell": polars.Duration("ms")})
    >>> frame.write_parquet("a.parquet")
    >>> open_parquet(duckdb.connect(), "a.parquet", "a.parquet").types
    [INTERVAL]
    """
    found = connection.execute("SELECT num_children FROM parquet_schema(?) LIMIT 1", [pattern]).fetchone()
    check_width(place, int(found[0] or 0) if found else 0)
    relation = connection.read_parquet(pattern, **options)
    schemas = _stored(connection, pattern, "ARROW:schema")
    durations = {name for schema in schemas for name in duration_columns(schema, place)} & set(relation.columns)
    if not durations:
        return relation
    typed = (f"to_microseconds(CAST({quote_name(name)} AS BIGINT)) AS {quote_name(name)}" for name in durations)
    return relation.project(f"* REPLACE ({', '.join(typed)})")


def save_parquet(relation: Any, path: str, categories: Sequence[str]) -> None:
    """Write a relation with the names of the columns that are categories, also if their levels look like numbers."""
    known = _literal(json.dumps(list(categories)))
    stored = f", KV_METADATA {{{_literal(_CATEGORIES)}: {known}}}" if categories else ""
    relation.query("saved", f"COPY saved TO {_literal(path)} (FORMAT parquet{stored})")


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def category_columns(connection: duckdb.DuckDBPyConnection, path: str, place: Any) -> set[str]:
    """Return the columns that are categories: of a file of glassrank's, and Arrow's dictionaries."""
    found = set()
    for schema in _stored(connection, path, "ARROW:schema"):
        found |= set(_named_fields(schema, place, lambda message, field: _field(message, field, _DICTIONARY) > 0))
    for text in _stored(connection, path, _CATEGORIES):
        try:
            names = json.loads(text)
        except ValueError:
            names = None
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise DataError(f"{place}: the list of categories in the file is damaged.", remedy="Write it again.")
        found |= set(names)
    return found


def _stored(connection: duckdb.DuckDBPyConnection, pattern: str, key: str) -> list[bytes]:
    stored = "SELECT DISTINCT value FROM parquet_kv_metadata(?) WHERE key = ?::BLOB"
    return [value for (value,) in connection.execute(stored, [pattern, key]).fetchall()]


def duration_columns(schema: bytes, place: Any) -> list[str]:
    """Return the names of the columns that are durations according to the Arrow schema of a file."""
    return _named_fields(schema, place, lambda message, field: _byte(message, field, _TYPE) == _DURATION)


def _named_fields(schema: bytes, place: Any, wanted: Callable[[bytes, int], bool]) -> list[str]:
    try:
        message = base64.b64decode(schema, validate=True).removeprefix(_CONTINUATION)[4:]
        fields = _vector(message, _table(message, _table(message, 0), _HEADER), _FIELDS)
        return [_text(message, field, _NAME) for field in fields if wanted(message, field)]
    except (struct.error, ValueError) as error:
        raise DataError(
            f"{place}: the Arrow schema in the file is damaged: {error}.", remedy="Write it again."
        ) from error


def _table(message: bytes, at: int, number: int | None = None) -> int:
    """Return the position that the offset at ``at``, or in a field of the table at ``at``, points to."""
    position = at if number is None else _field(message, at, number)
    return position + int(struct.unpack_from("<I", message, position)[0])


def _field(message: bytes, table: int, number: int) -> int:
    """Return the position of a field of a table; 0 if the table omits it."""
    fields = table - struct.unpack_from("<i", message, table)[0]
    (size,) = struct.unpack_from("<H", message, fields)
    if 4 + 2 * number >= size:
        return 0
    (offset,) = struct.unpack_from("<H", message, fields + 4 + 2 * number)
    return table + int(offset) if offset else 0


def _vector(message: bytes, table: int, number: int) -> list[int]:
    """Return the positions of the tables in a vector."""
    start = _table(message, table, number)
    (length,) = struct.unpack_from("<I", message, start)
    if length > len(message) // 4:
        raise ValueError(f"{length:,} columns in {len(message):,} bytes")
    return [_table(message, start + 4 + 4 * place) for place in range(length)]


def _text(message: bytes, table: int, number: int) -> str:
    start = _table(message, table, number)
    (length,) = struct.unpack_from("<I", message, start)
    return message[start + 4 : start + 4 + length].decode()


def _byte(message: bytes, table: int, number: int) -> int:
    position = _field(message, table, number)
    return message[position] if 0 < position < len(message) else 0
