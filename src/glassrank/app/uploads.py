"""Files that a study reads: uploaded ones under generated names, and those that lie in the folder of the app."""

import re
import secrets
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from starlette.datastructures import UploadFile

from glassrank.app.folder_parts import has_address, sub_folders
from glassrank.core.checks import DataError
from glassrank.files.atomic_files import make_folder, written_whole
from glassrank.files.input_files import check_unpacked_size
from glassrank.files.unfollowed_links import check_unlinked

UPLOADS = "uploads"
SUFFIXES = (".csv", ".tsv", ".parquet", ".txt", ".letor")
PACKED = (".gz", ".xz")
CHUNK = 1 << 20
MOST_LISTED = 100


def known_suffix(name: str) -> str | None:
    """Return the suffix that says how a file is read; None for files that a study cannot read.

    >>> known_suffix("Shop November.CSV.gz"), known_suffix("shop.xlsx")
    ('.csv.gz', None)
    """
    lower = name.lower()
    packing = next((one for one in PACKED if lower.endswith(one)), "")
    suffix = next((one for one in SUFFIXES if lower.removesuffix(packing).endswith(one)), None)
    return None if suffix is None else suffix + packing


def store_upload(folder: Path, sent: UploadFile) -> Path:
    """Store an uploaded file under a generated name; only its suffix comes from the client."""
    suffix = known_suffix(sent.filename or "")
    if suffix is None:
        raise DataError(
            f"A study reads {', '.join(SUFFIXES)} files, also packed as .gz or .xz: got {_shown(sent.filename)}.",
            remedy="Save the table as CSV or Parquet.",
        )
    path = make_folder(folder / UPLOADS) / f"{datetime.now():%Y-%m-%d-%H%M%S}-{secrets.token_hex(3)}{suffix}"
    with written_whole(path) as place, place.open("wb") as file:
        while chunk := sent.file.read(CHUNK):
            file.write(chunk)
    try:
        check_unpacked_size(path)
    except DataError:
        path.unlink()
        raise
    return path


def find_file(folder: Path, name: str) -> Path:
    """Return a file inside the folder by its relative name; nothing outside it can be named."""
    try:
        path = folder / name
        is_inside = path.is_relative_to(folder) and ".." not in path.parts
        is_file = is_inside and (path.is_symlink() or path.is_file())
    except (OSError, ValueError):  # too long, a character that no name has
        is_file = False
    if not is_file:
        raise DataError(
            f"There is no file {_shown(name)} in {folder}.", remedy="Upload it, or copy it into the folder first."
        )
    check_unlinked(path)
    return path


def listed_files(folder: Path) -> list[str]:
    """Return the files of the folder and of its sub-folders that a study can read, the latest first."""
    # The tables that studies write are not their input.
    own = re.compile(r"(selection|times|.*-scores)\.csv|part-.*|block-.*")
    found = [path for place in (folder, *sub_folders(folder)) for path in place.glob("*") if known_suffix(path.name)]
    times: dict[str, float] = {}
    for path in found:
        if own.fullmatch(path.name) is None and has_address(path):
            with suppress(OSError):  # removed in the meantime
                is_table = path.is_file() and not path.is_symlink()
                times |= {str(path.relative_to(folder)): path.stat().st_mtime} if is_table else {}
    return sorted(times, key=lambda name: -times[name])[:MOST_LISTED]


def _shown(name: str | None) -> str:
    return repr((name or "")[:80])
