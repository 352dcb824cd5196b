"""partition_files(): write files of ranking data as a folder of Parquet blocks, without loading them whole."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from glassrank.core.blocks import blocks_of_queries
from glassrank.core.checks import DataError, FloatArray, IntArray, check_positive
from glassrank.core.feature_kinds import PLAIN, FeatureKind, FeatureTable, in_levels_of
from glassrank.core.groups import group_rows
from glassrank.core.progress import Progress, counted_steps
from glassrank.data.join_data import joined_kinds
from glassrank.data.letor.names_file import FeatureNames
from glassrank.data.load_data import options_of, recognise_format
from glassrank.data.partitions.partitioned_data import PartitionedData, open_partitions
from glassrank.data.partitions.save_partitions import ROWS_PER_BLOCK, BlockWriter, check_new_folder, new_folder
from glassrank.data.ranking_data import RankingData
from glassrank.data.tables import TABLE_FORMATS
from glassrank.files.work_folder import open_work_folder
from glassrank.scale.staged_rows import StagedRows, stage_letor, stage_table, stage_whole


def partition_files(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    *,
    rows_per_block: int = ROWS_PER_BLOCK,
    overwrite: bool = False,
    format: str | None = None,  # noqa: A002
    qid: str | None = "qid",
    label: str | None = "label",
    document: str | None = "auto",
    weight: str | None = "auto",
    features: Sequence[str] | None = None,
    categorical: Sequence[str] = (),
    missing_values: Sequence[str] = (),
    exclude: Sequence[str] = (),
    split: str | None = None,
    part: str | None = None,
    n_features: int | None = None,
    zero_based: bool | str = "auto",
    feature_names: FeatureNames | None = None,
    progress: Progress | None = None,
) -> PartitionedData:
    """Write one or several files of ranking data as one folder of blocks, and open it.

    The files have the same features and no query in common. The options are those of ``load_data`` for their format. A
    table is read one column at a time and LETOR text in parts, so that files may be larger than memory; LightGBM text
    is loaded as a whole. Rows of a query need not be adjacent. Temporary files of about the size of the data are
    written beside the folder.

    >>> from pathlib import Path
    >>> from glassrank import partition_files
    >>> _ = Path("train.txt").write_text("2 qid:1 1:0.5\\n0 qid:2 1:0.1 2:3\\n1 qid:1 2:1\\n")
    >>> found = partition_files("train.txt", "blocks")
    >>> found, found.read_block(0).qid.tolist()
    (PartitionedData(3 rows, 2 queries, 2 features, 1 block), [1, 1, 2])
    """
    files = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not files:
        raise DataError(parameter="paths", expected="at least one file", got=paths)
    check_positive("rows_per_block", rows_per_block, whole=True)
    check_new_folder(folder, overwrite=overwrite)
    say = counted_steps(progress)
    options: dict[str, Any] = {"qid": qid, "label": label, "document": document, "weight": weight, "features": features}
    options |= {"categorical": categorical, "missing_values": missing_values, "exclude": exclude}
    options |= {"split": split, "part": part, "n_features": n_features, "zero_based": zero_based}
    options |= {"feature_names": feature_names}
    target = Path(os.path.abspath(folder))
    with open_work_folder(target.parent if target.parent.is_dir() else None) as work:
        parts: list[StagedRows] = []
        for number, path in enumerate(files):
            say(f"Reading {path}")
            (Path(work) / str(number)).mkdir()
            parts += _staged(Path(path), format, Path(work) / str(number), options, parts)
        parts = _same_features(parts)
        say("Writing blocks")
        with new_folder(folder, overwrite=overwrite) as place:
            _write(parts, place, rows_per_block)
    return open_partitions(folder)


def _staged(
    path: Path,
    format: str | None,  # noqa: A002
    folder: Path,
    options: dict[str, Any],
    before: list[StagedRows],
) -> list[StagedRows]:
    """Stage a file; its queries must not be in a file before."""
    kind = format or recognise_format(path)
    options = options_of(kind, options, path)
    if kind == "letor":
        found = stage_letor(path, folder, options)
    else:
        found = [(stage_table if kind in TABLE_FORMATS else stage_whole)(path, kind, folder, options)]
    known = {str(query) for part in before for query in np.unique(part.qid)}
    shared = sorted(known & {str(query) for part in found for query in np.unique(part.qid)}) if known else []
    if shared:
        raise DataError(
            f"{path}: query {shared[0]} is also in an earlier file: expected each query in one file only.",
            remedy="Rename it.",
        )
    return found


def _same_features(parts: list[StagedRows]) -> list[StagedRows]:
    """Give all parts the same features; one that a LETOR text does not list is 0."""
    widest = max(parts, key=lambda part: len(part.feature_names))
    names, judged, weighted = widest.feature_names, widest.y is not None, widest.weights is not None
    for part in parts:
        if part.feature_names != (names[: len(part.feature_names)] if part.zeros_left_out else names):
            raise DataError(
                f"The files must have the same features in the same order: got {len(part.feature_names)}, such as "
                f"{', '.join(part.feature_names[:5])}, and {len(names)}, such as {', '.join(names[:5])}.",
                remedy="Give the columns the same names.",
            )
        if (part.y is not None, part.weights is not None) != (judged, weighted):
            raise DataError(
                "The files differ in whether they have labels and weights: expected them in all files or in none.",
                remedy="Write the files to folders of their own, or add the columns.",
            )
    more = {len(part.kinds): (PLAIN,) * (len(names) - len(part.kinds)) for part in parts}
    return [replace(part, feature_names=names, kinds=part.kinds + more[len(part.kinds)]) for part in parts]


def _write(parts: list[StagedRows], folder: Path, rows_per_block: int) -> None:
    kinds = joined_kinds(parts)
    groups = group_rows(np.concatenate([part.qid for part in parts]), sum(part.n_rows for part in parts))
    with BlockWriter(folder) as writer:
        for first, end in blocks_of_queries(groups.starts, rows_per_block):
            rows = groups.order[groups.starts[first] : groups.starts[end]]
            writer.add(_gathered(parts, kinds, rows), groups.of_row[rows])
        writer.finish()


def _gathered(parts: list[StagedRows], kinds: Sequence[FeatureKind], rows: IntArray) -> RankingData:
    """Return rows, given by their numbers in all parts together, as data in memory."""
    ends = np.cumsum([part.n_rows for part in parts])
    of_row = np.searchsorted(ends, rows, side="right")
    names = parts[0].feature_names
    X, order, pieces = np.zeros((len(rows), len(names))), [], []
    for number in np.unique(of_row).tolist():
        part, inside = parts[number], np.flatnonzero(of_row == number)
        own = rows[inside] - (ends[number] - part.n_rows)
        X[inside, : len(part.columns)] = _coded(part, kinds, own)
        order.append(inside)
        pieces.append((part, own))
    place = np.argsort(np.concatenate(order), kind="stable")

    def joined(name: str) -> Any:
        if any(getattr(part, name) is None for part in parts):
            return None
        return np.concatenate([getattr(part, name)[own] for part, own in pieces])[place]

    values = {name: joined(name) for name in ("y", "qid", "doc_ids", "weights")}
    return RankingData(X, **values, feature_names=names, kinds=kinds)


def _coded(part: StagedRows, kinds: Sequence[FeatureKind], rows: IntArray) -> FloatArray:
    """Return rows of a part, with categories in the codes of the levels of all parts."""
    adjacent = bool((np.diff(rows) == 1).all())
    values = np.array(part.columns[:, slice(int(rows[0]), int(rows[-1]) + 1) if adjacent else rows].T)
    n_own = values.shape[1]
    names = part.feature_names[:n_own]
    return np.asarray(in_levels_of(FeatureTable(values, part.kinds[:n_own], names), kinds[:n_own], names))
