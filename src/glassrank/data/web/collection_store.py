"""A built collection on disk: Parquet files of pages and links, and a manifest that is written last."""

import glob
import json
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from glassrank.core.checks import DataError, read_only
from glassrank.data.collection import Collection, Links, Pages
from glassrank.data.reading_report import Reading
from glassrank.files.unfollowed_links import open_file

FORMAT = 4
MANIFEST = "collection.json"
# Decompresses twice as fast as zstd, at one and a half times the size.
_COMPRESSION: Any = "lz4_raw"
# One thread needs less processor time than two, and hardly takes longer.
_ONE_THREAD: dict[str, Any] = {"threads": 1}
# These names differ from those of tables that a user may provide.
_PAGES, _LINKS, _ADDRESSES = "kept-pages.parquet", "kept-links.parquet", "kept-addresses.parquet"


@dataclass(frozen=True)
class Manifest:
    """Content of the manifest: digest of source and options, source, reading report, file checksums and
    other names of hosts."""

    digest: str
    source: str
    reading: Reading
    files: dict[str, list[int]]
    aliases: dict[str, str]


def save_collection(collection: Collection, folder: Path, digest: str, reading: Reading) -> None:
    """Write a collection to an existing folder; it is complete when the manifest has been written."""
    pages, links = collection.pages, collection.links
    ids = {url: number for number, url in enumerate(pages.url)}
    for address in (*links.source, *links.target):
        ids.setdefault(address, len(ids))
    link_columns = {
        "source": np.array([ids[url] for url in links.source], dtype=np.int32),
        "target": np.array([ids[url] for url in links.target], dtype=np.int32),
        **{name: values for name, values in links._columns().items() if name not in ("source", "target")},
    }
    outside = np.array([*ids][len(pages) :], dtype=object)
    with duckdb.connect(config=_ONE_THREAD) as connection:
        _write(connection, folder / _PAGES, pages._columns())
        _write(connection, folder / _LINKS, link_columns)
        _write(connection, folder / _ADDRESSES, {"address": outside})
    manifest = {
        "format": FORMAT,
        "digest": digest,
        "source": reading.source,
        "files": {name: _fingerprint(folder / name) for name in (_PAGES, _LINKS, _ADDRESSES)},
        "reading": asdict(reading),
        "aliases": dict(collection.aliases),
    }
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")


def has_collection(folder: Path) -> bool:
    """Return whether a folder contains a stored collection, intact or damaged."""
    return any((folder / name).is_file() for name in (MANIFEST, _PAGES, _LINKS, _ADDRESSES))


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a stored collection."""
    try:
        with open(folder / MANIFEST, encoding="utf-8", opener=open_file) as file:
            content = json.load(file)
        if content["format"] != FORMAT:
            raise _damage(folder, f"it has format {content['format']!r}, but this version reads {FORMAT}")
        manifest = Manifest(
            str(content["digest"]),
            str(content["source"]),
            Reading.from_dict(content["reading"]),
            dict(content["files"]),
            dict(content["aliases"]),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, DataError):
            raise
        raise _damage(folder, f"its {MANIFEST} cannot be read ({error})") from error
    return manifest


def load_collection(folder: Path) -> Collection:
    """Load a stored collection after checking that no file has changed."""
    manifest = read_manifest(folder)
    if manifest.files.keys() != {_PAGES, _LINKS, _ADDRESSES}:
        raise _damage(folder, f"its {MANIFEST} names other files than those of a collection")
    for name, fingerprint in manifest.files.items():
        try:
            found = _fingerprint(folder / name)
        except OSError as error:
            raise _damage(folder, f"its {name} cannot be read ({error.strerror})") from error
        if found != fingerprint:
            raise _damage(folder, f"its {name} has changed since it was written")
    try:
        with duckdb.connect(config=_ONE_THREAD) as connection:
            page_columns = _read(connection, folder / _PAGES)
            link_columns = _read(connection, folder / _LINKS)
            outside = _read(connection, folder / _ADDRESSES)["address"]
    except duckdb.Error as error:
        raise _damage(folder, f"DuckDB reports: {str(error).splitlines()[0]}") from error
    addresses = np.concatenate([page_columns["url"], outside])
    ids = {name: link_columns.pop(name) for name in ("source", "target")}
    links = Links(**{name: addresses[values] for name, values in ids.items()}, **link_columns)
    collection = Collection(
        Pages(**page_columns), links, folder=folder, reading=manifest.reading, aliases=manifest.aliases
    )
    # The numbers on disk are those that link_ends would look up; setting them saves a third of the loading time.
    ends = np.stack([ids["source"], ids["target"]], axis=1).astype(np.int64)
    vars(collection)["link_ends"] = read_only(np.where(ends < len(collection.pages), ends, -1))
    return collection


def _write(connection: duckdb.DuckDBPyConnection, path: Path, columns: dict[str, Any]) -> None:
    connection.register("arrays", columns)
    # Explicit casts, because DuckDB reads an empty object array as numbers.
    fields = [f"CAST({name} AS VARCHAR) AS {name}" if _is_text(values) else name for name, values in columns.items()]
    connection.table("arrays").project(", ".join(fields)).write_parquet(str(path), compression=_COMPRESSION)
    connection.unregister("arrays")


def _read(connection: duckdb.DuckDBPyConnection, path: Path) -> dict[str, Any]:
    columns = connection.read_parquet(glob.escape(str(path))).fetchnumpy()
    # DuckDB returns NaN as a missing value.
    return {name: np.ma.filled(values, np.nan) if np.ma.isMA(values) else values for name, values in columns.items()}


def _is_text(values: Any) -> bool:
    return values.dtype == object


def _fingerprint(path: Path) -> list[int]:
    """Return size and checksum, which reveal damage but not manipulation."""
    with open(path, "rb", opener=open_file) as file:
        content = file.read()
    return [len(content), zlib.crc32(content)]


def _damage(folder: Path, fault: str) -> DataError:
    return DataError(
        f"{folder}: the collection stored here cannot be used: {fault}.",
        remedy="Open its source to rebuild it, or delete the folder.",
    )
