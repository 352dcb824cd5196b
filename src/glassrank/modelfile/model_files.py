"""A model's content in files: the JSON text and, for long vectors, an .npz beside it; whole or not at all."""

import hashlib
import os
import re
import stat
import time
from pathlib import Path
from typing import Any

from glassrank.core.checks import DataError
from glassrank.files.atomic_files import check_place, remove_leftovers, write_atomically
from glassrank.files.locks import lock_file
from glassrank.modelfile.codec.json_text import CHECKSUM, checksum, read_text, write_text
from glassrank.modelfile.codec.npz import pack_vectors, unpack_vectors
from glassrank.modelfile.codec.values import shown
from glassrank.modelfile.codec.vectors import bring_back, put_aside
from glassrank.modelfile.document import FORMAT, VERSION

MOST_TEXT_BYTES = 32 * 2**20
MOST_VECTOR_BYTES = 2 * 2**30
ASIDE = "vectors"
# A bare name: a file elsewhere is none of this model's.
_ASIDE_NAME = re.compile(r"[^/\\\0]{1,200}\.[0-9a-f]{16}\.npz")
_PACKINGS = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz"}
_DAMAGED = "The file is damaged or was changed by hand: copy it again, or save the model again."
# A model that is replaced while it is read takes its vectors along; the new one is there at once, or soon after.
_ATTEMPTS, _PAUSE = 20, 0.005
_LONGEST_STEM = 200

AnyPath = str | os.PathLike[str]


def write_content(content: dict[str, Any], path: AnyPath) -> None:
    """Write a model's content in the place of an older file's.

    The vectors beside it are named after their own hash and written first: until the JSON text has taken its place,
    the older model is whole, and from then on the new one is. The older model's vectors are removed last. Processes
    that save to one path do so one after the other.
    """
    target = check_place(path)
    if target.suffix.lower() in (".gz", ".xz"):
        raise DataError(
            f"{path}: a model file is not packed.", remedy=f"Choose a name that does not end in {target.suffix}."
        )
    told, vectors = put_aside(content)
    packed = pack_vectors(vectors) if vectors else None
    beside = None if packed is None else _beside(target, packed)
    told[ASIDE] = None if beside is None else {"file": beside.name, "sha256": hashlib.sha256(packed or b"").hexdigest()}
    try:
        text = (write_text(told) + "\n").encode()
    except UnicodeEncodeError as error:
        raise DataError(
            f"{path}: a name cannot be written as UTF-8: {error.object[:60]!r}.", remedy="Rename it."
        ) from error
    _check_size(len(text), MOST_TEXT_BYTES, str(path))
    _check_size(len(packed or b""), MOST_VECTOR_BYTES, str(beside))
    with lock_file(target.with_name(f".{_stem(target)}.lock"), wait=True):
        remove_leftovers(target.parent, _own_vectors(target))
        older = _vectors_of(target)
        _write_both(path, text, beside, packed)
        if older is not None and older != beside:
            older.unlink(missing_ok=True)


def read_content(path: AnyPath) -> dict[str, Any]:
    """Read a model's content; what is damaged, newer, too large or no model at all is refused."""
    raw, lacking = None, DataError(f"{path}: the file was replaced while it was read.", remedy="Try again.")
    for _ in range(_ATTEMPTS):
        found = _read(Path(path), MOST_TEXT_BYTES, str(path))
        if found != raw:
            raw, content = found, _checked(read_text(found, str(path)), str(path))
            told = content.pop(ASIDE, None)
        if told is None:
            return bring_back(content, {}, str(path))
        beside = Path(os.path.realpath(path)).with_name(_name_beside(told, str(path)))
        try:
            packed = _read(beside, MOST_VECTOR_BYTES, str(beside))
        except DataError as error:
            # Another save may have taken the vectors away, or even brought them back by now: only what stays so is so.
            lacking = error
            time.sleep(_PAUSE)
            continue
        if hashlib.sha256(packed).hexdigest() != told["sha256"]:
            raise DataError(f"{path}: {beside.name} beside it holds other vectors than this model's.", remedy=_DAMAGED)
        return bring_back(content, unpack_vectors(packed, str(beside)), str(path))
    raise lacking


def _write_both(path: AnyPath, text: bytes, beside: Path | None, packed: bytes | None) -> None:
    is_new = beside is not None and not beside.exists()
    if beside is not None and packed is not None:
        write_atomically(beside, packed)
    try:
        write_atomically(path, text)
    except DataError:
        if beside is not None and is_new:
            beside.unlink(missing_ok=True)
        raise


def _checked(content: dict[str, Any], place: str) -> dict[str, Any]:
    """Check what the file says of itself: format, version, checksum."""
    if content.get("format") != FORMAT:
        raise DataError(
            f"{place}: expected a glassrank model, with the format {FORMAT!r}, got {shown(content.get('format'))}.",
            remedy="Name a file with a saved model.",
        )
    version = content.get("version")
    if type(version) is not int or version < 1:
        raise DataError(f"{place}: version must be a whole number from 1, got {shown(version)}.", remedy=_DAMAGED)
    if version > VERSION:
        raise DataError(
            f"{place}: the file is of version {shown(version)}, and this glassrank reads version {VERSION}.",
            remedy=(
                f"It was written by glassrank {shown(content.get('glassrank'))}: upgrade to that, or save the model "
                "from here."
            ),
        )
    if content.pop(CHECKSUM, None) != checksum(content):
        raise DataError(f"{place}: the content does not agree with its checksum.", remedy=_DAMAGED)
    return content


def _read(path: Path, most: int, place: str) -> bytes:
    """Read a file whole, but never more than ``most`` bytes."""
    try:
        # A pipe that nobody writes to would keep an ordinary open waiting.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise DataError(f"{place}: expected a model file, got a pipe or a device.", remedy="Name a file.")
            _check_size(found.st_size, most, place)
            raw = file.read(most + 1)
    except FileNotFoundError as error:
        remedy = "A model needs the .npz beside it: copy both." if path.suffix == ".npz" else "Check the name."
        raise DataError(f"{place}: there is no such file.", remedy=remedy) from error
    except IsADirectoryError as error:
        raise DataError(f"{place}: expected a model file, got a folder.", remedy="Name a file inside it.") from error
    except OSError as error:
        raise DataError(f"{place}: cannot be read: {error.strerror}.") from error
    except ValueError as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{place!r}: no file can have this name: {error}.") from error
    _check_size(len(raw), most, place)
    _refuse_packed(raw, place)
    return raw


def _refuse_packed(raw: bytes, place: str) -> None:
    for magic, packing in _PACKINGS.items():
        if raw.startswith(magic):
            raise DataError(f"{place}: expected a model file, got one packed by {packing}.", remedy="Unpack it first.")


def _check_size(size: int, most: int, place: str) -> None:
    if size > most:
        raise DataError(
            f"{place}: expected a model file of at most {most:,} bytes, got more.", remedy="Is it the right file?"
        )


def _beside(target: Path, packed: bytes) -> Path:
    return target.with_name(f"{_stem(target)}.{hashlib.sha256(packed).hexdigest()[:16]}.npz")


def _stem(target: Path) -> str:
    """The model file's name; where it is too long for a hash to follow, its beginning and a hash of its own."""
    name = target.name.encode(errors="replace")
    if len(name) <= _LONGEST_STEM:
        return name.decode()
    return f"{name[:180].decode(errors='ignore')}-{hashlib.sha256(name).hexdigest()[:16]}"


def _own_vectors(target: Path) -> re.Pattern[str]:
    """The names that vectors of this model may have: those of a model ``m.json`` do not belong to a model ``m``."""
    return re.compile(rf"{re.escape(_stem(target))}\.[0-9a-f]{{16}}\.npz")


def _name_beside(beside: Any, place: str) -> str:
    name = beside.get("file") if isinstance(beside, dict) else None
    known = isinstance(name, str) and _ASIDE_NAME.fullmatch(name) and isinstance(beside.get("sha256"), str)
    if not known:
        raise DataError(
            f"{place}: {ASIDE} must name a file beside it and its sha256, got {shown(beside)}.", remedy=_DAMAGED
        )
    return str(name)


def _vectors_of(target: Path) -> Path | None:
    """The .npz that the model in this place has beside it, if it is a model, and its own."""
    try:
        beside = read_text(_read(target, MOST_TEXT_BYTES, ""), "").get(ASIDE)
        own = target.with_name(_name_beside(beside, ""))
    except DataError:
        return None
    return own if _own_vectors(target).fullmatch(own.name) else None
