"""Rows of input files on disk, column by column, until they are written as blocks of whole queries."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, FloatArray
from glassrank.core.feature_kinds import PLAIN, FeatureKind
from glassrank.core.numbered_features import numbered_name
from glassrank.data.csv_dialect import DELIMITERS
from glassrank.data.letor.letor_rules import LetorRules
from glassrank.data.letor.letor_text import LetorText, parse_text
from glassrank.data.letor.line_kernel import fill_dense
from glassrank.data.letor.names_file import NamesFile, read_names_file, rules_for
from glassrank.data.load_data import load_data
from glassrank.data.ranking_columns import read_ranking_columns
from glassrank.data.tables import read_table
from glassrank.files.input_files import open_input
from glassrank.scale.streamed_table import StreamedTable

TEXT_BYTES = 32_000_000
MAX_FEATURES = 10_000  # blocks are dense


@dataclass(frozen=True, eq=False)
class StagedRows:
    """Rows of one file, or of a part of it; the features are on disk."""

    columns: FloatArray
    """Features × rows, in a file."""
    y: FloatArray | None
    qid: Any
    doc_ids: Any
    feature_names: tuple[str, ...]
    weights: FloatArray | None
    kinds: tuple[FeatureKind, ...]
    zeros_left_out: bool = False
    """Whether features beyond the last one are 0, as in LETOR text."""

    @property
    def n_rows(self) -> int:
        return len(self.qid)


def stage_table(path: Path, kind: str, folder: Path, options: dict[str, Any]) -> StagedRows:
    """Stage a table; few features are in memory at a time."""

    def read(source: Any) -> dict[str, Any]:
        return read_ranking_columns(source, **options, stack=partial(_stored, folder))

    if kind == "parquet":
        found = read_table(path, kind, read)
    else:
        (folder / "text").mkdir()
        with StreamedTable(path, DELIMITERS[kind], folder / "text") as table:
            found = read(table)
    names, kinds = tuple(found["feature_names"]), tuple(found["kinds"])
    qid = np.zeros(found["X"].shape[1], dtype=np.int64) if found["qid"] is None else found["qid"]
    documents = found["doc_ids"] if found["doc_ids"] is None else found["doc_ids"].astype(np.str_)
    return StagedRows(found["X"], found["y"], qid, documents, names, found["weights"], kinds)


def _stored(folder: Path, columns: Iterable[FloatArray], n_columns: int) -> FloatArray:
    """Write columns to a file one after the other, and return them as an array in this file."""
    store: Any = None
    for k, values in enumerate(columns):
        if store is None:
            place = folder / "features.npy"
            store = np.lib.format.open_memmap(place, mode="w+", dtype=np.float64, shape=(n_columns, len(values)))
        store[k] = values
    return np.asarray(store)


def stage_letor(path: Path, folder: Path, options: dict[str, Any]) -> list[StagedRows]:
    """Stage a LETOR text in parts of some megabytes."""
    names = read_names_file(options.get("feature_names"))
    asked = {name: options[name] for name in ("n_features", "zero_based") if name in options}
    rules = rules_for(names, LetorRules(**asked))
    parts, ranges = [], []
    for number, text in enumerate(_texts(path, rules)):
        ranges.append(text.number_range or (1, 0))
        np.save(folder / f"part-{number}.npy", _dense(text, ranges[-1][1]).T)
        # Copies, because parts of the arrays would keep the pairs of the whole file in memory.
        parts.append(replace(text, columns=text.columns[:0].copy(), values=text.values[:0].copy()))
    if not parts:
        raise DataError(f"{path}: expected lines with a label, got none.", remedy="Check that this is the right file.")
    first = (0 if min(ranges)[0] == 0 else 1) if rules.zero_based == "auto" else rules.lowest
    n_features = rules.n_features or max(highest for _, highest in ranges) + 1 - first
    if not n_features:
        raise DataError(f"{path}: expected <feature>:<value> pairs, got lines without any.")
    known = _letor_names(names, parts, rules, first, int(n_features))
    return [
        _staged_text(text, np.load(folder / f"part-{number}.npy", mmap_mode="r"), first, known)
        for number, text in enumerate(parts)
    ]


def _dense(text: LetorText, highest: int) -> FloatArray:
    """Return the features of a text from number 0 to the highest."""
    if highest > MAX_FEATURES:
        raise DataError(
            f"{text.path}: expected at most {MAX_FEATURES:,} features, because blocks are dense: got {highest:,}.",
            remedy="Train on fewer features, or in memory.",
        )
    rows = np.zeros((text.n_rows, highest + 1))
    fill_dense(rows, text.columns, text.values, text.row_starts, 0)
    return rows


def _letor_names(
    given: Any, texts: Sequence[LetorText], rules: LetorRules, first: int, n_features: int
) -> tuple[str, ...]:
    """Return the names of the features: those given, those in the text, or their numbers."""
    if isinstance(given, NamesFile):
        if rules.n_features is None and any(np.diff(text.row_starts).min() < n_features for text in texts):
            # Lines omit zeros, so the last features may be 0 in all of them.
            n_features = max(n_features, len(given.names))
        given.check(first, n_features)
        return tuple(given.names)
    if given is not None:
        if len(given) != n_features:
            raise DataError(parameter="feature_names", expected=f"one per feature: {n_features}", got=len(given))
        return tuple(map(str, given))
    named = {number: name for text in texts for number, name in text.names.items()}
    return tuple(named.get(number, numbered_name(number)) for number in range(first, first + n_features))


def _staged_text(text: LetorText, columns: FloatArray, first: int, names: tuple[str, ...]) -> StagedRows:
    kinds = (PLAIN,) * len(names)
    return StagedRows(columns[first:], text.labels, text.qids, text.doc_ids, names, None, kinds, zeros_left_out=True)


def _texts(path: Path, rules: LetorRules) -> Iterator[LetorText]:
    """Yield parts of a text, each parsed; an error has the line in the whole text."""
    before = 0
    with open_input(path) as stream:
        while content := stream.read(TEXT_BYTES):
            content += stream.readline()
            if content.strip():
                yield _parsed(content, path, rules, before)
            before += content.count(b"\n")


def _parsed(content: bytes, path: Path, rules: LetorRules, before: int) -> LetorText:
    try:
        return parse_text(content, os.fspath(path), rules)
    except DataError:
        if not before:
            raise
        # Empty lines are allowed: with as many as there were before, the error has the right line.
        return parse_text(b"\n" * before + content, os.fspath(path), rules)


def stage_whole(path: Path, kind: str, folder: Path, options: dict[str, Any]) -> StagedRows:
    """Stage a file of a format that can only be loaded as a whole."""
    data = load_data(path, kind, layout="dense", **options)
    columns = _stored(folder, (data.X[:, k] for k in range(data.n_features)), data.n_features)
    names = data.feature_names
    return StagedRows(columns, data.y, data.qid, data.doc_ids, names, data.weights, tuple(data.kinds))
