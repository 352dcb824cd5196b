"""JSON files: one value in a file, or one object per line; a fault is reported with its line."""

import codecs
import json
import os
from collections.abc import Iterator
from typing import Any

from glassrank.core.checks import DataError
from glassrank.core.limits import MAX_JSON_BYTES
from glassrank.files.input_files import check_unpacked_size, input_lines, open_input

_SHOWN = 60


def json_objects(path: str | os.PathLike[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place and the content of each object of a file: one per line, or a single one over several lines.

    If an object names something twice, the last value counts, because search engines write such objects.

    >>> from pathlib import Path
    >>> _ = Path("two.jsonl").write_text('{"a": 1}\\n\\n{"a": 2}\\n')
    >>> list(json_objects("two.jsonl"))
    [('two.jsonl:1', {'a': 1}), ('two.jsonl:3', {'a': 2})]
    >>> _ = Path("one.json").write_text('{\\n  "a": 1\\n}\\n')
    >>> list(json_objects("one.json"))
    [('one.json', {'a': 1})]
    """
    check_unpacked_size(path)
    if not _has_an_object_per_line(path):
        yield os.fspath(path), _as_object(read_json(path, unique=False), path)
        return
    for number, line in _filled_lines(path):
        place = f"{path}:{number}"
        yield place, _as_object(parse_json(line, place, number, unique=False), place)


def read_json(path: str | os.PathLike[str], *, unique: bool = True) -> Any:
    """Return the value in a file; if ``unique``, an object that names something twice is an error.

    >>> from pathlib import Path
    >>> _ = Path("twice.json").write_text('{"d1": 3, "d1": 0}')
    >>> read_json("twice.json")
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: twice.json: an object has the name 'd1' twice. Keep one of them.
    """
    with open_input(path) as stream:
        content = stream.read(MAX_JSON_BYTES + 1)
    if len(content) > MAX_JSON_BYTES:
        raise DataError(
            f"{path}: the file is longer than {MAX_JSON_BYTES:,} bytes.",
            remedy="Split it: several files, or one response per line.",
        )
    return parse_json(content, path, unique=unique)


def parse_json(content: bytes, place: object, line: int | None = None, *, unique: bool = True) -> Any:
    """Return the value of a JSON text; ``line`` is the number of the line in the file that the text is, if it is one.

    >>> parse_json(b"<html><title>502 Bad Gateway</title>", "page.json")
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: page.json: expected JSON, got markup: '<html><title>502 Bad Gateway</title>'. It \
may be an error page: save the response again, as JSON.
    """
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        before, byte = content[: error.start], content[error.start]
        number = before.count(b"\n") + 1
        at = place if line else f"{place}:{number}"
        raise DataError(f"{at}: expected UTF-8 text, got the byte 0x{byte:02x}.", remedy="Save it as UTF-8.") from error
    try:
        return json.loads(text, object_pairs_hook=_unique if unique else None)
    except json.JSONDecodeError as error:
        raise _not_json(text, place, line, error) from error
    except RecursionError as error:
        raise DataError(f"{place}: the JSON is nested too deeply.") from error
    except DataError as error:
        error.locate(place)
        raise
    except ValueError as error:  # a whole number with thousands of digits
        raise DataError(f"{place}: expected JSON: {error}.") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        again = next(name for name in names if names.count(name) > 1)
        raise DataError(f"an object has the name {again[:_SHOWN]!r} twice.", remedy="Keep one of them.")
    return found


def _not_json(text: str, place: object, line: int | None, error: json.JSONDecodeError) -> DataError:
    start = text.strip()
    if not start:
        return DataError(f"{place}: the file is empty: expected JSON.", remedy="Save it again.")
    if start.startswith("<"):
        shown = start[:_SHOWN]
        return DataError(
            f"{place}: expected JSON, got markup: {shown!r}.",
            remedy="It may be an error page: save the response again, as JSON.",
        )
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
        return DataError(
            f"{place}: the JSON ends too early, after {text.rstrip()[-_SHOWN:]!r}: the file is incomplete.",
            remedy="Save it again.",
        )
    at = place if line else f"{place}:{error.lineno}"
    near = text[error.pos : error.pos + _SHOWN].splitlines()[0]
    return DataError(f"{at}: expected JSON: {error.msg} at {near!r} (column {error.colno}).")


def _has_an_object_per_line(path: str | os.PathLike[str]) -> bool:
    """Return whether the first line that is not blank is a complete object."""
    _, line = next(_filled_lines(path), (0, b""))
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _filled_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank with their numbers, without a byte order mark."""
    with open_input(path) as stream:
        for number, line in enumerate(input_lines(stream, path, MAX_JSON_BYTES), start=1):
            text = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
            if text.strip():
                yield number, text


def _as_object(value: Any, place: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        kind = "a list" if isinstance(value, list) else type(value).__name__
        raise DataError(
            f"{place}: expected a JSON object, got {kind}.",
            remedy="Write one response per file, or one per line.",
        )
    return value
