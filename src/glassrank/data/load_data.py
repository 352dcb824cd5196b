"""Loads and saves ranking data in any known file format."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

from glassrank.core.checks import DataError, check_choice
from glassrank.core.setting import setting
from glassrank.data.csv_dialect import DELIMITERS
from glassrank.data.letor.lightgbm_text import load_lightgbm
from glassrank.data.letor.load_letor import load_letor, save_letor
from glassrank.data.letor.names_file import FeatureNames
from glassrank.data.ranking_data import RankingData
from glassrank.data.tables import TABLE_FORMATS, load_table, save_table
from glassrank.files.input_files import input_lines, open_input


@dataclass(frozen=True)
class Format:
    """A file format: its reader, its writer if it has one, and the suffixes that select it for saving."""

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


def load_data(
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
    *,
    qid: str | None = "qid",
    label: str | None = "label",
    document: str | None = "auto",
    weight: str | None = "auto",
    features: Sequence[str] | None = None,
    categorical: Sequence[str] = (),
    missing: str = "keep",
    missing_values: Sequence[str] = (),
    exclude: Sequence[str] = (),
    split: str | None = None,
    part: str | None = None,
    duplicates: str = "keep",
    n_features: int | None = None,
    zero_based: bool | str = "auto",
    layout: str = "auto",
    feature_names: FeatureNames | None = None,
    query_path: str | os.PathLike[str] | None = None,
) -> RankingData:
    """Load ranking data from a file of any known format.

    ``qid``, ``label``, ``document``, ``weight``, ``features``, ``categorical``, ``exclude`` and ``split`` name columns
    of a table, ``part`` a value of the column ``split``, and ``missing_values`` texts that mean a missing number, as in
    ``load_table``.
    ``n_features``, ``zero_based``, ``layout`` and ``feature_names`` are for LETOR text, as in ``load_letor``, and
    ``query_path`` is that of ``load_lightgbm``. An option that the format does not have raises an error. If a document
    has several rows in a query, ``duplicates="first"`` keeps the first, and ``"refuse"`` is an error.

    By default the format is detected: the suffixes ``.csv``, ``.tsv`` and ``.parquet`` mean a table; a file with a
    ``<path>.query`` beside it is LightGBM text; a file whose first line contains ``qid:`` is LETOR text. Files
    compressed with gzip or xz are decompressed.

    >>> _ = Path("train.dat").write_text("2 qid:1 1:0.5 2:3 #docid = d1\\n0 qid:1 1:0.25 2:1 #docid = d2\\n")
    >>> load_data("train.dat")
    RankingData(2 rows, 1 query, 2 features)
    """
    if format is not None:
        check_choice("format", format, FORMATS)
    options = {
        "qid": qid,
        "label": label,
        "document": document,
        "weight": weight,
        "features": features,
        "categorical": categorical,
        "missing": missing,
        "missing_values": missing_values,
        "exclude": exclude,
        "split": split,
        "part": part,
        "duplicates": duplicates,
        "n_features": n_features,
        "zero_based": zero_based,
        "layout": layout,
        "feature_names": feature_names,
        "query_path": query_path,
    }
    name = format or recognise_format(path)
    return replace(FORMATS[name].load(path, **options_of(name, options, path)), source=Path(path).name)


def options_of(name: str, options: dict[str, Any], path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the options of a format's reader, or raise an error if another option was given."""
    known = [option for option in signature(FORMATS[name].load).parameters if option in options]
    usual = {option: one.default for option, one in signature(load_data).parameters.items()}
    for option, value in options.items():
        if option not in known and value is not usual[option] and value != usual[option]:
            raise DataError(
                f"{path}: {option} is not an option of the format {name}: its options are {', '.join(known)}. Omit it."
            )
    return {option: options[option] for option in known}


def save_data(data: RankingData, path: str | os.PathLike[str], format: str | None = None) -> None:  # noqa: A002
    """Save ranking data in the given format, or by suffix: .txt, .letor, .csv, .tsv or .parquet.

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
                f"{path}: the suffix does not give the format: expected one of {', '.join(suffixes)}, got "
                f"{_suffix(path)!r}.",
                remedy=("Rename it", f"set {setting('format')} to one of {', '.join(map(repr, writers))}"),
            )
    check_choice("format", format, writers)
    writers[format](data, path)


def recognise_format(path: str | os.PathLike[str]) -> str:
    """Return the name of a file's format, by its suffix or its first line."""
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
        f"{path}: unknown format. Its first line has no 'qid:', so it is not LETOR text: {shown!r}. There is no "
        f"{sizes.name} beside it, so it is not LightGBM text.{_looks_like_table(line)}",
        remedy=f"Set {setting('format')} to one of {', '.join(map(repr, FORMATS))}.",
    )


def _looks_like_table(line: bytes) -> str:
    """Say which table a line could be the header of, if any; only commas and tabs can be read."""
    name = next((name for name, mark in DELIMITERS.items() if mark.encode() in line), None)
    if name is not None:
        return f" It looks like a table: {setting('format', name)}."
    if len(line.split()) > 1:
        return " If it is a table, save it with commas or tabs between its columns."
    return ""


def _unpacked(path: str | os.PathLike[str]) -> Path:
    name = Path(path)
    return name.with_suffix("") if name.suffix.lower() in (".gz", ".xz") else name


def _suffix(path: str | os.PathLike[str]) -> str:
    """Return the suffix in lower case, without that of the compression."""
    return _unpacked(path).suffix.lower()


def _first_line(path: str | os.PathLike[str]) -> bytes:
    """Return the first line that is neither blank nor a comment, without decompressing the whole file."""
    with open_input(path) as file:
        lines = (line.strip() for line in input_lines(file, path) if not line.startswith(b"#"))
        return next((line for line in lines if line), b"")
