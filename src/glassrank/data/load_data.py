"""One front door for ranking data in files: it picks the reader or the writer."""

import gzip
import lzma
import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from glassrank.core.checks import DataError, check_choice
from glassrank.core.setting import setting
from glassrank.data.letor.lightgbm_text import load_lightgbm
from glassrank.data.letor.load_letor import load_letor, save_letor
from glassrank.data.ranking_data import RankingData
from glassrank.data.tables import TABLE_FORMATS, load_table, save_table
from glassrank.files.atomic_files import read_bytes

# first bytes of a packed file -> what unpacks it
_UNPACKERS: dict[bytes, Callable[..., Any]] = {b"\x1f\x8b": gzip.open, b"\xfd7zXZ\x00": lzma.open}


@dataclass(frozen=True)
class Format:
    """A file format: how it is read, how it is written (if it is), and the suffixes that stand for it on writing."""

    load: Callable[..., RankingData]
    save: Callable[..., None] | None
    suffixes: tuple[str, ...]


FORMATS: dict[str, Format] = {
    "letor": Format(load_letor, save_letor, (".txt", ".letor")),
    "lightgbm": Format(load_lightgbm, None, ()),
} | {
    name: Format(partial(load_table, format=name), partial(save_table, format=name), (f".{name}",))
    for name in TABLE_FORMATS
}


def load_data(path: str | os.PathLike[str], format: str | None = None, **options: Any) -> RankingData:  # noqa: A002
    """Load ranking data from a file of any known format; ``options`` go to the format's own reader.

    Without ``format``: the suffixes ``.csv``, ``.tsv`` and ``.parquet`` say it; a file with another named
    ``<path>.query`` beside it is LightGBM's text; a file whose first line holds ``qid:`` is LETOR's. Files packed by
    gzip or xz are unpacked.

    >>> _ = Path("train.dat").write_text("2 qid:1 1:0.5 2:3 #docid = d1\\n0 qid:1 1:0.25 2:1 #docid = d2\\n")
    >>> load_data("train.dat")
    RankingData(2 rows, 1 query, 2 features)
    """
    if format is not None:
        check_choice("format", format, FORMATS)
    return FORMATS[format or _recognise(path)].load(path, **options)


def save_data(data: RankingData, path: str | os.PathLike[str], format: str | None = None) -> None:  # noqa: A002
    """Save ranking data in the format named, or the one that the suffix stands for: .txt, .letor, .csv, .tsv, .parquet.

    >>> data = RankingData([[0.5], [0.1]], y=[1, 0], qid=[7, 7], feature_names=["bm25"])
    >>> save_data(data, "two.parquet")
    >>> load_data("two.parquet").feature_names
    ('bm25',)
    """
    writers = {name: known.save for name, known in FORMATS.items() if known.save is not None}
    if format is None:
        format = next((name for name in writers if _suffix(path) in FORMATS[name].suffixes), None)  # noqa: A001
        if format is None:
            suffixes = [suffix for name in writers for suffix in FORMATS[name].suffixes]
            raise DataError(
                f"{path}: the name does not say the format: expected {', '.join(suffixes)} at its end, got "
                f"{_suffix(path)!r}.",
                remedy=("Rename it", f"name it with {setting('format')}: one of {', '.join(map(repr, writers))}"),
            )
    check_choice("format", format, writers)
    writers[format](data, path)


def _recognise(path: str | os.PathLike[str]) -> str:
    suffix = _suffix(path).removeprefix(".")
    if suffix in TABLE_FORMATS:
        return suffix
    sizes = Path(f"{os.fspath(_unpacked(path))}.query")
    if sizes.is_file():
        return "lightgbm"
    line = _first_line(path)
    if b" qid:" in line.replace(b"\t", b" "):
        return "letor"
    shown = line[:60].decode(errors="replace")
    raise DataError(
        f"{path}: cannot tell the format. Its first line has no 'qid:', as LETOR's has: {shown!r}; there is no "
        f"{sizes.name} beside it, as LightGBM needs.",
        remedy=f"Name it with {setting('format')}: one of {', '.join(map(repr, FORMATS))}.",
    )


def _unpacked(path: str | os.PathLike[str]) -> Path:
    name = Path(path)
    return name.with_suffix("") if name.suffix.lower() in (".gz", ".xz") else name


def _suffix(path: str | os.PathLike[str]) -> str:
    """Suffix in lower case, that of the packing left out."""
    return _unpacked(path).suffix.lower()


def _first_line(path: str | os.PathLike[str]) -> bytes:
    """Return the first line that is neither blank nor a comment, without unpacking a large file as a whole."""
    try:
        with open(path, "rb") as file:
            magic = file.read(6)
        opener = next((unpack for start, unpack in _UNPACKERS.items() if magic.startswith(start)), open)
        with opener(path, "rb") as file:
            for line in file:
                if line.strip() and not line.startswith(b"#"):
                    return bytes(line.strip())
    except (OSError, EOFError, lzma.LZMAError, zlib.error):
        # The reader of whole files says what is wrong with this one.
        read_bytes(path)
    return b""
