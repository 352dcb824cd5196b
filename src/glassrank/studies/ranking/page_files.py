"""Writes a ranking report: one page, with the data of its picker in a folder beside it if they are large."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

from glassrank.drawing.live_page import as_json
from glassrank.files.atomic_files import make_folder, write_atomically
from glassrank.files.unfollowed_links import check_unlinked
from glassrank.studies.ranking.page import page
from glassrank.studies.ranking.picker_queries import PickerQueries
from glassrank.studies.ranking.report.picker import all_queries, first_query, picker_data
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
    around, catalogue = page(result, ""), as_json(queries.catalogue())
    texts = (as_json(query.parts()) for query in queries)
    made, fits = _until_full(texts, MOST_BYTES - len(around.encode()) - len(catalogue.encode()))
    if fits:
        content = picker_data(all_queries(queries, made))
        write_atomically(path, around.replace(picker_data(""), content, 1).encode())
        _remove_old(folder, set())
        return
    make_folder(folder)
    token = hashlib.sha256((result.title + catalogue + made[0]).encode()).hexdigest()[:16]
    _remove_old(folder, _write_data(queries, chain(made, texts), folder, token))
    opened = queries.place_opened
    start = first_query(queries) | {
        "folder": folder.name,
        "token": token,
        "index": {opened: queries.catalogue()[opened]},
        "queries": {opened: queries[opened].parts()},
    }
    write_atomically(path, page(result, as_json(start), files_beside=True).encode())


def _until_full(texts: Iterator[str], room: int) -> tuple[list[str], bool]:
    """Return the first texts, and whether all of them fit into ``room`` bytes."""
    made = []
    for text in texts:
        made.append(text)
        room -= len(text.encode()) + 1
        if room < 0:
            return made, False
    return made, True


def _write_data(queries: PickerQueries, texts: Iterable[str], folder: Path, token: str) -> set[str]:
    """Write the data as scripts, each a call with the token, its name and its content; return the files' names."""
    chunk_of, names = [], {"queries.js"}
    for number, chunk in enumerate(_chunks(texts), start=1):
        name = f"q{number:04d}"
        _write_script(folder, token, name, "{" + ",".join(f'"{place}":{text}' for place, text in chunk) + "}")
        names.add(f"{name}.js")
        chunk_of += [number] * len(chunk)
    index = [[*entry, chunk] for entry, chunk in zip(queries.catalogue(), chunk_of, strict=True)]
    _write_script(folder, token, "queries", as_json(index))
    return names


def _chunks(texts: Iterable[str]) -> Iterator[list[tuple[int, str]]]:
    chunk: list[tuple[int, str]] = []
    size = 0
    for place, text in enumerate(texts):
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
    check_unlinked(folder)
    if not folder.is_dir():
        return
    for file in folder.iterdir():
        if OWN_FILE.fullmatch(file.name) and file.name not in keep:
            file.unlink()
    with suppress(OSError):
        folder.rmdir()
