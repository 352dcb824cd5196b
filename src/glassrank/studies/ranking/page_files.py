"""Writes a ranking report: one page, with the data of its picker in a folder beside it if they are large."""

import hashlib
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from glassrank.drawing.live_page import as_json
from glassrank.files.atomic_files import make_folder, write_atomically
from glassrank.studies.ranking.page import page
from glassrank.studies.ranking.picker import all_queries, first_query, picker_data
from glassrank.studies.ranking.picker_queries import PickerQueries
from glassrank.studies.ranking.result import StudyResult

MOST_BYTES = 5_000_000  # of a page that contains all its data
CHUNK_BYTES = 250_000  # of a file with the data of several queries
OWN_FILE = re.compile(r"(queries|q\d{4,})\.js")


def write_page(result: StudyResult, path: Path) -> None:
    """Write the report and, if it would be larger than 5 MB, the documents of its queries into a folder beside it.

    The folder of ``report.html`` is ``report-data``. Files that an earlier report left in it are removed.
    """
    queries = result.picker_queries
    folder = path.with_name(f"{path.stem}-data")
    around = page(result, "")
    content = all_queries(queries, MOST_BYTES - len(around.encode()))
    if content is not None:
        write_atomically(path, around.replace(picker_data(""), picker_data(content), 1).encode())
        _remove_old(folder, set())
        return
    make_folder(folder)
    token = hashlib.sha256(as_json([result.title, queries.catalogue()]).encode()).hexdigest()[:16]
    _remove_old(folder, _write_data(queries, folder, token))
    opened = queries.place_opened
    start = first_query(queries) | {
        "folder": folder.name,
        "token": token,
        "index": {opened: queries.catalogue()[opened]},
        "queries": {opened: queries[opened].parts()},
    }
    write_atomically(path, page(result, as_json(start), files_beside=True).encode())


def _write_data(queries: PickerQueries, folder: Path, token: str) -> set[str]:
    """Write the data as scripts, each a call with the token, its name and its content; return the files' names."""
    chunk_of, names = [], {"queries.js"}
    for number, chunk in enumerate(_chunks(queries), start=1):
        name = f"q{number:04d}"
        _write_script(folder, token, name, "{" + ",".join(f'"{place}":{text}' for place, text in chunk) + "}")
        names.add(f"{name}.js")
        chunk_of += [number] * len(chunk)
    index = [[*entry, chunk] for entry, chunk in zip(queries.catalogue(), chunk_of, strict=True)]
    _write_script(folder, token, "queries", as_json(index))
    return names


def _chunks(queries: PickerQueries) -> Iterator[list[tuple[int, str]]]:
    chunk: list[tuple[int, str]] = []
    size = 0
    for place, query in enumerate(queries):
        text = as_json(query.parts())
        if chunk and size + len(text) > CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
        chunk.append((place, text))
        size += len(text)
    yield chunk


def _write_script(folder: Path, token: str, name: str, content: str) -> None:
    write_atomically(folder / f"{name}.js", f'glassrankData("{token}","{name}",{content});\n'.encode())


def _remove_old(folder: Path, keep: set[str]) -> None:
    """Remove files of an earlier report, and the folder if nothing else is in it."""
    if not folder.is_dir():
        return
    for file in folder.iterdir():
        if OWN_FILE.fullmatch(file.name) and file.name not in keep:
            file.unlink()
    with suppress(OSError):
        folder.rmdir()
