"""Stores built collections: each is built in a temporary folder and then moved into place as a whole."""

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
    has_collection,
    load_collection,
    read_manifest,
    save_collection,
)
from glassrank.data.web.file_sources import walk_files
from glassrank.files.atomic_files import check_name
from glassrank.files.cache_folder import cache_folder

Build = Callable[[], tuple[Collection, Reading]]
_TEMPORARY_SUFFIX = ".building"
_ATTEMPTS = 5


def source_digest(path: Path, options: Mapping[str, Any]) -> str:
    """Return a digest of the source's path, the sizes and times of its files, the options and the version."""
    known = hashlib.sha256(json.dumps([str(path.resolve()), options, __version__, FORMAT], sort_keys=True).encode())
    for name, size, time in _stamps(path):
        known.update(os.fsencode(name) + f"\0{size}\0{time}\0".encode())
    return known.hexdigest()[:32]


def kept_folder(digest: str) -> Path:
    """Return the folder in the user's cache for a collection with this digest."""
    return cache_folder() / "collections" / digest


def keep(place: Path, digest: str, source: str, build: Build, *, faultless: bool = False) -> Collection:
    """Load the collection stored at a place; build it if there is none, or if it is damaged or out of date.

    With ``faultless`` it is also rebuilt if the stored one comes from a source with faults.
    """
    check_name(place)
    with _as_data_error(place):
        found, reason = _look(place, digest, source)
    if found is not None and not (faultless and found.reading.n_faults):
        return found
    collection, reading = build()
    if reason:
        reading = reading.with_note(reason, str(place))
    with _temporary_folder(place) as folder:
        save_collection(collection, folder, digest, reading)
        _put_in_place(folder, place, digest)
    return replace(collection, folder=place, reading=reading)


def _look(place: Path, digest: str, source: str) -> tuple[Collection | None, str]:
    """Return the collection stored at a place, or None and the reason to rebuild it."""
    if not has_collection(place):
        if place.exists() and (not place.is_dir() or any(place.iterdir())):
            raise DataError(
                f"{place}: expected a new or empty folder to store the collection in, got one with other content.",
                remedy="Choose another folder.",
            )
        return None, ""
    try:
        kept = read_manifest(place)
        if kept.digest == digest:
            return load_collection(place), ""
    except DataError:
        return None, "stored collection was damaged (rebuilt)"
    if os.path.abspath(kept.source) != os.path.abspath(source):
        raise DataError(
            f"{place}: contains the collection of {kept.source}, not of {source}.",
            remedy="Choose another folder, or delete this one.",
        )
    return None, "source or options had changed (rebuilt)"


@contextlib.contextmanager
def _temporary_folder(place: Path) -> Iterator[Path]:
    """Create a temporary folder beside the place to build in, and remove it and those left by crashes."""
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
            f"{place}: the collection cannot be stored there: {error.strerror}.", remedy="Choose another folder."
        ) from error
    except duckdb.Error as error:
        raise DataError(
            f"{place}: the collection cannot be stored there: {str(error).splitlines()[0]}.",
            remedy="Free some disk space, or choose another folder.",
        ) from error


@contextlib.contextmanager
def _new_folder(place: Path) -> Iterator[Path]:
    for _ in range(_ATTEMPTS):
        folder = _temporary_name(place)
        folder.mkdir()
        with contextlib.ExitStack() as stack:
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            if _is_locked(folder, stack):
                yield folder
                return
    raise DataError(
        f"{place}: other processes keep removing the folder that is built here.",
        remedy="Try again, or choose another folder.",
    )


def _is_locked(folder: Path, stack: contextlib.ExitStack) -> bool:
    """Lock a new folder; return False if another process mistook it for a leftover and removed it first."""
    try:
        stack.enter_context(_locked(folder))
    except (BlockingIOError, FileNotFoundError):
        return False
    return folder.exists()


def _temporary_name(place: Path) -> Path:
    return place.with_name(f".{place.name}.{secrets.token_hex(8)}{_TEMPORARY_SUFFIX}")


def _put_in_place(folder: Path, place: Path, digest: str) -> None:
    """Rename the built folder; if another process was faster, keep its collection."""
    for _ in range(_ATTEMPTS):
        try:
            os.rename(folder, place)
            return
        except OSError:
            if _is_intact(place, digest):
                return
        # Move a damaged or outdated collection away first: a folder with content cannot be replaced by renaming.
        old = _temporary_name(place)
        with contextlib.suppress(FileNotFoundError):
            os.rename(place, old)
        shutil.rmtree(old, ignore_errors=True)
    os.rename(folder, place)


def _is_intact(place: Path, digest: str) -> bool:
    try:
        return read_manifest(place).digest == digest and load_collection(place) is not None
    except DataError:
        return False


def _remove_leftovers(place: Path) -> None:
    """Remove temporary folders that no process uses any more, which are those whose lock is free."""
    for folder in place.parent.glob(f".{glob.escape(place.name)}.*{_TEMPORARY_SUFFIX}"):
        try:
            with _locked(folder):
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock a folder, or raise OSError if another process has locked it. The lock is released when the process ends."""
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(lock)


def _stamps(path: Path) -> Iterator[tuple[str, int, int]]:
    """Yield the name, size and modification time of every file of the source."""
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
