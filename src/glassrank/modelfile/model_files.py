"""Atomic reading and writing of a model's files: the JSON text and, for long vectors, an .npz file next to it."""

import hashlib
import os
import re
import time
from pathlib import Path
from typing import Any

from glassrank.core.checks import DataError
from glassrank.files.atomic_files import check_place, remove_leftovers, write_atomically
from glassrank.files.locks import lock_file
from glassrank.files.unfollowed_links import open_file
from glassrank.modelfile.codec.json_text import CHECKSUM, NOT_OURS, checksum, read_text, write_text
from glassrank.modelfile.codec.npz import pack_vectors, unpack_vectors
from glassrank.modelfile.codec.values import shown
from glassrank.modelfile.codec.vectors import extract_vectors, insert_vectors
from glassrank.modelfile.document import FORMAT, VERSION

MAX_TEXT_BYTES = 32 * 2**20
MAX_VECTOR_BYTES = 2 * 2**30
VECTORS_FIELD = "vectors"
# A name without a folder: the vectors are always in the folder of the JSON text.
_VECTOR_FILE_NAME = re.compile(r"[^/\\\0]{1,200}\.[0-9a-f]{16}\.npz")
_COMPRESSIONS = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz"}
_DAMAGED = "The file is damaged or was changed by hand: copy it again, or save the model again."
# If a model is replaced while it is read, its vectors disappear; the new files are there immediately or soon after.
_ATTEMPTS, _PAUSE = 20, 0.005
_LONGEST_STEM = 200

AnyPath = str | os.PathLike[str]


def write_content(content: dict[str, Any], path: AnyPath) -> None:
    """Write a model's content to files, replacing an older model.

    The .npz file has its own hash in its name and is written first, so the older model is complete until the JSON text
    is replaced, and the new one from then on. The older model's vectors are deleted last. Processes that save to the
    same path wait for each other.
    """
    target = check_place(path)
    if target.suffix.lower() != ".json":
        raise DataError(
            f"{path}: model files are JSON text: expected a name that ends in .json, got {target.suffix!r}.",
            remedy=f"Call it {target.stem.removesuffix('.json')}.json.",
        )
    document, vectors = extract_vectors(content)
    packed = pack_vectors(vectors) if vectors else None
    vector_path = None if packed is None else _vector_path(target, packed)
    document[VECTORS_FIELD] = (
        None if vector_path is None else {"file": vector_path.name, "sha256": hashlib.sha256(packed or b"").hexdigest()}
    )
    try:
        text = (write_text(document) + "\n").encode()
    except UnicodeEncodeError as error:
        raise DataError(
            f"{path}: a name cannot be encoded as UTF-8: {error.object[:60]!r}.", remedy="Rename it."
        ) from error
    _check_size(len(text), MAX_TEXT_BYTES, str(path))
    _check_size(len(packed or b""), MAX_VECTOR_BYTES, str(vector_path))
    with lock_file(target.with_name(f".{_stem(target)}.lock"), wait=True):
        remove_leftovers(target.parent, _own_vectors(target))
        older = _vectors_of(target)
        _write_both(path, text, vector_path, packed)
        if older is not None and older != vector_path:
            older.unlink(missing_ok=True)


def read_content(path: AnyPath) -> dict[str, Any]:
    """Read a model's content; files that are damaged, too new, too large or not a model cause an error."""
    raw, missing = None, DataError(f"{path}: the file was replaced while being read.", remedy="Try again.")
    for _ in range(_ATTEMPTS):
        found = _read(Path(path), MAX_TEXT_BYTES, str(path))
        if found != raw:
            raw, content = found, _checked(read_text(found, str(path)), str(path))
            reference = content.pop(VECTORS_FIELD, None)
        if reference is None:
            return insert_vectors(content, {}, str(path))
        vector_path = Path(os.path.realpath(path)).with_name(_vector_file_name(reference, str(path)))
        try:
            packed = _read(vector_path, MAX_VECTOR_BYTES, str(vector_path))
        except DataError as error:
            # Another process may be saving at this moment, so that the vectors are missing only briefly.
            missing = error
            time.sleep(_PAUSE)
            continue
        if hashlib.sha256(packed).hexdigest() != reference["sha256"]:
            raise DataError(f"{path}: {vector_path.name} does not contain the vectors of this model.", remedy=_DAMAGED)
        return insert_vectors(content, unpack_vectors(packed, str(vector_path)), str(path))
    raise missing


def _write_both(path: AnyPath, text: bytes, vector_path: Path | None, packed: bytes | None) -> None:
    is_new = vector_path is not None and not vector_path.exists()
    if vector_path is not None and packed is not None:
        write_atomically(vector_path, packed)
    try:
        write_atomically(path, text)
    except DataError:
        if vector_path is not None and is_new:
            vector_path.unlink(missing_ok=True)
        raise


def _checked(content: dict[str, Any], place: str) -> dict[str, Any]:
    """Check the file's format, version and checksum."""
    if content.get("format") != FORMAT:
        raise DataError(
            f"{place}: expected a glassrank model with the format {FORMAT!r}, got {shown(content.get('format'))}.",
            remedy=NOT_OURS,
        )
    version = content.get("version")
    if type(version) is not int or version < 1:
        raise DataError(f"{place}: version must be a whole number, at least 1: got {shown(version)}.", remedy=_DAMAGED)
    if version > VERSION:
        raise DataError(
            f"{place}: the file has version {shown(version)}, but this glassrank reads up to version {VERSION}.",
            remedy=(
                f"It was written by glassrank {shown(content.get('glassrank'))}: upgrade to it, or save the model with "
                "this version."
            ),
        )
    if content.pop(CHECKSUM, None) != checksum(content):
        raise DataError(f"{place}: the content does not match its checksum.", remedy=_DAMAGED)
    return content


def _read(path: Path, most: int, place: str) -> bytes:
    """Read a whole file, which must not have more than ``most`` bytes."""
    try:
        with open(path, "rb", opener=open_file) as file:
            _check_size(os.fstat(file.fileno()).st_size, most, place)
            raw = file.read(most + 1)
    except FileNotFoundError as error:
        remedy = "The model needs this file next to it: copy both." if path.suffix == ".npz" else "Check the name."
        raise DataError(f"{place}: there is no such file.", remedy=remedy) from error
    except OSError as error:
        raise DataError(f"{place}: cannot be read: {error.strerror}.") from error
    except ValueError as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{place!r}: not a valid file name: {error}.") from error
    _check_size(len(raw), most, place)
    _reject_compressed(raw, place)
    return raw


def _reject_compressed(raw: bytes, place: str) -> None:
    for magic, compression in _COMPRESSIONS.items():
        if raw.startswith(magic):
            raise DataError(
                f"{place}: expected a model file, got a file compressed with {compression}.",
                remedy="Decompress it first.",
            )


def _check_size(size: int, most: int, place: str) -> None:
    if size > most:
        raise DataError(
            f"{place}: expected a model file of at most {most:,} bytes, got more.",
            remedy="Check that it is the right file.",
        )


def _vector_path(target: Path, packed: bytes) -> Path:
    return target.with_name(f"{_stem(target)}.{hashlib.sha256(packed).hexdigest()[:16]}.npz")


def _stem(target: Path) -> str:
    """Return the model file's name; a name that leaves no room for a hash is shortened and gets a hash of its own."""
    name = target.name.encode(errors="replace")
    if len(name) <= _LONGEST_STEM:
        return name.decode()
    return f"{name[:180].decode(errors='ignore')}-{hashlib.sha256(name).hexdigest()[:16]}"


def _own_vectors(target: Path) -> re.Pattern[str]:
    """Return the pattern of the names of this model's .npz files; those of ``m.json`` do not belong to ``m``."""
    return re.compile(rf"{re.escape(_stem(target))}\.[0-9a-f]{{16}}\.npz")


def _vector_file_name(reference: Any, place: str) -> str:
    name = reference.get("file") if isinstance(reference, dict) else None
    known = isinstance(name, str) and _VECTOR_FILE_NAME.fullmatch(name) and isinstance(reference.get("sha256"), str)
    if not known:
        raise DataError(
            f"{place}: {VECTORS_FIELD} must name a file in the same folder and its sha256, got {shown(reference)}.",
            remedy=_DAMAGED,
        )
    return str(name)


def _vectors_of(target: Path) -> Path | None:
    """Return the path of the .npz file that belongs to the model at ``target``, if there is one."""
    try:
        reference = read_text(_read(target, MAX_TEXT_BYTES, ""), "").get(VECTORS_FIELD)
        candidate = target.with_name(_vector_file_name(reference, ""))
    except DataError:
        return None
    return candidate if _own_vectors(target).fullmatch(candidate.name) else None
