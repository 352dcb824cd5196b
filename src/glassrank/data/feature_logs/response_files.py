"""Saved responses of a search engine: their files, and the query of each response."""

import glob
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.data.feature_logs.solr_responses import solr_query
from glassrank.files.json_files import json_objects

_JSON = re.compile(r"\.(?:json|jsonl|ndjson)(?:\.(?:gz|xz|bz2))?", re.IGNORECASE)

Source = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


class SavedResponse(NamedTuple):
    """A response, its query, and where it is."""

    place: str
    query: str
    content: Mapping[str, Any]


def find_files(source: Source) -> tuple[list[Path], list[Path]]:
    """Return the files of a path, a folder, a pattern or a list of them, and other files of the folder.

    >>> folder = Path("log"); folder.mkdir()
    >>> _ = [(folder / name).write_text("{}") for name in ("b.json", "a.jsonl", "notes.txt")]
    >>> [[file.name for file in files] for files in find_files("log")]
    [['a.jsonl', 'b.json'], ['notes.txt']]
    >>> [file.name for file in find_files("log/*.json")[0]]
    ['b.json']
    """
    if not isinstance(source, str | os.PathLike):
        found = [find_files(one) for one in source]
        if not found:
            raise DataError("A feature log needs at least one file: got none.")
        return [file for files, _ in found for file in files], [file for _, others in found for file in others]
    path = Path(source)
    if path.is_dir():
        files = sorted(path.iterdir())
        chosen = [file for file in files if file.is_file() and _JSON.search(file.name)]
        if not chosen:
            raise DataError(f"{path}: the folder contains no file that ends in .json, .jsonl or .ndjson.")
        return chosen, [file for file in files if file not in chosen]
    if not path.exists() and glob.has_magic(os.fspath(source)):
        matching = [Path(name) for name in sorted(glob.glob(os.fspath(source)))]
        if not matching:
            raise DataError(f"No file matches {os.fspath(source)!r}.")
        return matching, []
    return [path], []


def saved_responses(files: Sequence[Path], query_parameter: str, query_from_name: bool) -> Iterator[SavedResponse]:
    """Yield the responses of files with their queries.

    The query is that of the wrapper ``{"query": …, "response": …}``, a parameter in the header of Solr's response, or
    the name of the file.
    """
    for file in files:
        for place, content in json_objects(file):
            is_wrapped = "query" in content and "response" in content
            inner = content["response"] if is_wrapped else content
            if not isinstance(inner, Mapping):
                raise DataError(f"{place}: expected a response (an object), got {type(inner).__name__}.")
            if query_from_name:
                text: Any = unquote(_JSON.sub("", file.name))
            else:
                text = content["query"] if is_wrapped else solr_query(inner, query_parameter)
            yield SavedResponse(place, _checked(text, place, query_parameter), inner)


def _checked(text: Any, place: str, parameter: str) -> str:
    remedy = (
        'Write each response as {"query": TEXT, "response": RESPONSE}',
        f"name the parameter of Solr's request: {setting('query_parameter', python='query_parameter=...')}",
        f"name the files after their queries: {setting('query_from_name', True)}",
    )
    if text is None:
        raise DataError(
            f"{place}: the response does not contain its query: it has no parameter {parameter!r} in its header.",
            remedy=remedy,
        )
    if not isinstance(text, str) or not text.strip():
        raise DataError(f"{place}: the query must be text: got {str(text)[:60]!r}.", remedy=remedy)
    if text.strip() == "*:*" or text.lstrip().startswith("{!"):
        raise DataError(f"{place}: {text.strip()[:60]!r} is no text that a user has typed.", remedy=remedy)
    return text.strip()
