"""Detects the kind of a source."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.data.reading_report import ReadingTally
from glassrank.data.web.file_naming import FileNaming
from glassrank.data.web.file_sources import FolderSource, TarSource, is_tar, walk_files
from glassrank.data.web.table_source import find_tables
from glassrank.data.web.warc_source import WarcSource, is_warc, is_warc_name

EXPECTED = (
    "a folder or tar archive of HTML files, a WARC file or a folder of them, a folder with the tables pages and links "
    "(.parquet, .csv or .tsv), or a folder with a built collection"
)


def find_source(path: Path, naming: FileNaming | None = None) -> Any:
    """Return the source at a path; its kind is detected from the content rather than the name."""
    naming = naming or FileNaming()
    if path.is_dir():
        return _find_in_folder(path, naming)
    if not path.exists():
        raise DataError(
            f"{path}: there is no such file or folder: expected {EXPECTED}.",
            remedy=f"Check the path; relative paths start at {Path.cwd()}.",
        )
    if not path.is_file():
        raise DataError(
            f"{path}: expected {EXPECTED}, got a device or a pipe.", remedy="Save the content to a file first."
        )
    try:
        path.open("rb").close()
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}.", remedy="Check its permissions.") from error
    if is_warc(path):
        return _archives([path], path, naming)
    if is_tar(path):
        return TarSource(path, naming.addresses())
    raise DataError(f"{path}: expected {EXPECTED}, got another kind of file.", remedy=_remedy(path))


def _find_in_folder(path: Path, naming: FileNaming) -> Any:
    tables = find_tables(path)
    if tables is not None:
        return tables
    files = [Path(file) for _, file in walk_files(path, ReadingTally())]
    archives = [file for file in files if is_warc_name(file)]
    if archives:
        return _archives(archives, path, naming, [file for file in files if not is_warc_name(file)])
    if not files:
        raise DataError(f"{path}: expected {EXPECTED}, got an empty folder.", remedy="Choose another folder.")
    return FolderSource(path, naming.addresses())


def _archives(files: list[Path], path: Path, naming: FileNaming, beside: Sequence[Path] = ()) -> WarcSource:
    for given in naming.given:
        raise DataError(
            f"{path}: {setting(given)} is for files; the pages of a WARC file have addresses already.",
            remedy="Omit it.",
        )
    return WarcSource(path, files, beside)


def _remedy(path: Path) -> str:
    if path.suffix.lower() in (".html", ".htm"):
        return "Give the folder that contains the page."
    if path.suffix.lower() == ".zip":
        return "Unzip it and give the folder."
    return "Give a source of one of these kinds."
