"""Values of records in any format: looked up by dotted names and converted to text."""

import json
import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from duckdb import DuckDBPyRelation

_MAX_DEPTH = 50


def look_up(record: Mapping[str, Any], name: str) -> Any:
    """Return the value of a dotted name, which is a key or a path through nested objects; None if there is none.

    >>> look_up({"a": {"b.c": 1, "d": {"e": 2}}}, "a.d.e"), look_up({"a.d": 3}, "a.d"), look_up({"a": 5}, "a.d")
    (2, 3, None)
    """
    if name in record:
        return record[name]
    first, dot, rest = name.partition(".")
    inner = record.get(first)
    return look_up(inner, rest) if dot and isinstance(inner, Mapping) else None


def leaf_names(record: Mapping[str, Any] | DuckDBPyRelation) -> tuple[str, ...]:
    """Return the dotted names of everything in an object, or in the columns of a relation.

    >>> leaf_names({"a": {"b": 1, "c": {"d": 2}}, "e": []})
    ('a.b', 'a.c.d', 'e')
    """
    if isinstance(record, Mapping):
        return tuple(_leaves(record, ""))
    return tuple(
        name for column, kind in zip(record.columns, record.types, strict=True) for name in _type_leaves(column, kind)
    )


def as_text(value: Any) -> str | None:
    """Return a value as text; None for None and NaN.

    >>> as_text(7), as_text("a"), as_text(True), as_text(float("nan")), as_text(["a"]), as_text(Decimal("1.50"))
    ('7', 'a', 'true', None, '["a"]', '1.50')
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, bool | int | float | list | tuple | Mapping):
        return json.dumps(value, default=str, ensure_ascii=False)
    # JSON would put quotes around values it has no type for (a UUID, a time of day).
    return str(value)


def as_list(value: Any) -> list[str | None] | None:
    """Read a list of identifiers from a list, JSON or comma-separated text; None if the value is none of these.

    >>> as_list(["a", 7]), as_list('["a", 7]'), as_list("a, b"), as_list("[a"), as_list(5)
    (['a', '7'], ['a', '7'], ['a', 'b'], None, None)
    """
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
        if not is_shallow(value):
            return None
        value = replace_surrogates(value)
    if isinstance(value, str):
        return [part.strip() for part in value.split(",")] if value.strip() else None
    return [as_text(item) for item in value] if isinstance(value, list | tuple) else None


def replace_surrogates(value: Any) -> Any:
    r"""Replace lone surrogates with �: JSON can write them (``"\ud800"``), but no encoding can store them."""
    if isinstance(value, str) and not value.isascii():
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [replace_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {replace_surrogates(key): replace_surrogates(item) for key, item in value.items()}
    return value


def is_shallow(value: Any) -> bool:
    """Return whether lists and objects are nested at most 50 levels deep, so that recursion is safe.

    >>> is_shallow([[{"a": []}]])
    True
    """
    level = [value]
    for _ in range(_MAX_DEPTH):
        nested = [item for item in level if isinstance(item, list | dict)]
        if not nested:
            return True
        level = [inner for item in nested for inner in (item.values() if isinstance(item, dict) else item)]
    return False


def _leaves(record: Mapping[str, Any], prefix: str) -> Iterator[str]:
    for name, value in record.items():
        if isinstance(value, Mapping) and value:
            yield from _leaves(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}"


def _type_leaves(name: str, kind: Any) -> Iterator[str]:
    if kind.id != "struct":
        yield name
        return
    for inner, inner_kind in kind.children:
        yield from _type_leaves(f"{name}.{inner}", inner_kind)
