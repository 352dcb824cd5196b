"""Where built collections are kept: built aside, put in place whole, never half there."""

import contextlib
import fcntl
import glob
import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb

from glassrank import __version__
from glassrank.core.checks import DataError
from glassrank.data.collection import Collection
from glassrank.data.reading_report import Reading, ReadingTally
from glassrank.data.web.collection_store import (
    FORMAT,
    holds_collection,
    load_collection,
    read_manifest,
    save_collection,
)
from glassrank.data.web.file_sources import walk_files
from glassrank.files.atomic_files import check_name
from glassrank.files.cache_folder import cache_folder

Build = Callable[[], tuple[Collection, Reading]]
_ASIDE = ".building"
_ATTEMPTS = 5


def source_digest(path: Path, options: Mapping[str, Any]) -> str:
    """Return a digest of the source's path, of the size and time of its files, of the options and of the version."""
    known = hashlib.sha256(json.dumps([str(path.resolve()), options, __version__, FORMAT], sort_keys=True).encode())
    for name, size, time in _stamps(path):
        known.update(os.fsencode(name) + f"\0{size}\0{time}\0".encode())
    return known.hexdigest()[:32]


def kept_folder(digest: str) -> Path:
    """Folder of the user's cache for a collection with this digest."""
    return cache_folder() / "collections" / digest


def keep(place: Path, digest: str, source: str, build: Build, *, faultless: bool = False) -> Collection:
    """Load the collection kept at a place; build it where there is none, or where it is damaged or out of date.

    With ``faultless`` it is also built anew where the kept one comes from a source with faults.
    """
    check_name(place)
    with _as_data_error(place):
        found, reason = _look(place, digest, source)
    if found is not None and not (faultless and found.reading.n_faults):
        return found
    collection, reading = build()
    if reason:
        reading = reading.with_note(reason, str(place))
    with _aside(place) as folder:
        save_collection(collection, folder, digest, reading)
        _put_in_place(folder, place, digest)
    return replace(collection, folder=place, reading=reading)


def _look(place: Path, digest: str, source: str) -> tuple[Collection | None, str]:
    """Return the collection kept at a place, or None and why another must take its place."""
    if not holds_collection(place):
        if place.exists() and (not place.is_dir() or any(place.iterdir())):
            raise DataError(
                f"{place}: expected a new or empty folder to keep the collection in, got one with other content.",
                remedy="Name another folder.",
            )
        return None, ""
    try:
        kept = read_manifest(place)
        if kept.digest == digest:
            return load_collection(place), ""
    except DataError:
        return None, "kept collection was damaged (built anew)"
    if os.path.abspath(kept.source) != os.path.abspath(source):
        raise DataError(
            f"{place}: holds the collection of {kept.source}, not of {source}.",
            remedy="Name another folder, or delete this one.",
        )
    return None, "source or options had changed (built anew)"


@contextlib.contextmanager
def _aside(place: Path) -> Iterator[Path]:
    """Make a folder beside the place to build in; it is gone afterwards, and so are those that a crash has left."""
    with _as_data_error(place):
        place.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(place)
        with _new_folder(place) as folder:
            yield folder


@contextlib.contextmanager
def _as_data_error(place: Path) -> Iterator[None]:
    """Turn errors of the operating system and of DuckDB into errors that name the place."""
    try:
        yield
    except OSError as error:
        raise DataError(
            f"{place}: the collection cannot be kept there: {error.strerror}.", remedy="Name another folder."
        ) from error
    except duckdb.Error as error:
        raise DataError(
            f"{place}: the collection cannot be kept there: {str(error).splitlines()[0]}.",
            remedy="Make room, or name another folder.",
        ) from error


@contextlib.contextmanager
def _new_folder(place: Path) -> Iterator[Path]:
    for _ in range(_ATTEMPTS):
        folder = _name_aside(place)
        folder.mkdir()
        with contextlib.ExitStack() as stack:
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            if _taken(folder, stack):
                yield folder
                return
    raise DataError(
        f"{place}: other processes keep removing what is built here.", remedy="Try again, or name another folder."
    )


def _taken(folder: Path, stack: contextlib.ExitStack) -> bool:
    """Lock a new folder; before that, another process may have taken it for a leftover and removed it."""
    try:
        stack.enter_context(_locked(folder))
    except (BlockingIOError, FileNotFoundError):
        return False
    return folder.exists()


def _name_aside(place: Path) -> Path:
    return place.with_name(f".{place.name}.{secrets.token_hex(8)}{_ASIDE}")


def _put_in_place(folder: Path, place: Path, digest: str) -> None:
    """Rename the built folder; where another process was faster, its collection stays."""
    for _ in range(_ATTEMPTS):
        try:
            os.rename(folder, place)
            return
        except OSError:
            if _is_whole(place, digest):
                return
        # What is damaged or out of date goes aside first: a folder with content cannot be renamed over.
        old = _name_aside(place)
        with contextlib.suppress(FileNotFoundError):
            os.rename(place, old)
        shutil.rmtree(old, ignore_errors=True)
    os.rename(folder, place)


def _is_whole(place: Path, digest: str) -> bool:
    try:
        return read_manifest(place).digest == digest and load_collection(place) is not None
    except DataError:
        return False


def _remove_leftovers(place: Path) -> None:
    """Remove folders that nobody builds in any more: whose lock can be taken."""
    for folder in place.parent.glob(f".{glob.escape(place.name)}.*{_ASIDE}"):
        try:
            with _locked(folder):
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; OSError where another process holds it. The lock ends with the process."""
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(lock)


def _stamps(path: Path) -> Iterator[tuple[str, int, int]]:
    """Name, size and time of every file of the source."""
    if not path.is_dir():
        found = path.stat()
        yield "", found.st_size, found.st_mtime_ns
        return
    for name, entry in walk_files(path, ReadingTally()):
        try:
            found = os.stat(entry)
        except OSError:
            yield name, -1, -1
        else:
            yield name, found.st_size, found.st_mtime_ns
