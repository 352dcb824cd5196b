"""save_partitions(): write ranking data as a folder of Parquet blocks of whole queries."""

import os
import secrets
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from scipy import sparse

from glassrank.core.blocks import blocks_of_queries
from glassrank.core.checks import DataError, IntArray, check_positive
from glassrank.core.setting import setting
from glassrank.data.partitions.block_files import StoredRows, connect, write_block
from glassrank.data.partitions.block_manifest import FORMAT, MANIFEST, BlockFile, BlockManifest, is_partitioned
from glassrank.data.ranking_data import RankingData, check_ranking_data
from glassrank.files.atomic_files import check_name
from glassrank.files.unfollowed_links import check_unlinked

ROWS_PER_BLOCK = 100_000
MAX_LABELS = 100  # different labels whose rows the manifest counts


def save_partitions(
    data: RankingData,
    folder: str | os.PathLike[str],
    *,
    rows_per_block: int = ROWS_PER_BLOCK,
    overwrite: bool = False,
) -> None:
    """Write ranking data in memory as a folder of blocks, for rankers that read block after block.

    A query is never divided: a query longer than ``rows_per_block`` is a block of its own. The rows of a query become
    adjacent, and queries are in order of first appearance. The folder is written completely or not at all;
    ``overwrite`` replaces a folder of blocks.

    >>> from glassrank import open_partitions, save_partitions, simulate_ranking
    >>> save_partitions(simulate_ranking(6, 5, random_state=0).data, "six", rows_per_block=12)
    >>> [open_partitions("six").read_block(number).n_rows for number in range(4)]
    [7, 10, 10, 6]
    """
    check_positive("rows_per_block", rows_per_block, whole=True)
    check_ranking_data(data)
    groups = data.groups
    with new_folder(folder, overwrite=overwrite) as place, BlockWriter(place) as writer:
        for first, end in blocks_of_queries(groups.starts, rows_per_block):
            rows = groups.order[groups.starts[first] : groups.starts[end]]
            writer.add(data.pick_rows(rows), groups.of_row[rows])
        writer.finish()


class BlockWriter:
    """Writes blocks one after the other into a folder, and the manifest at the end."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._like: RankingData | None = None
        self._blocks: list[BlockFile] = []
        self._labels: Counter[float] | None = Counter()
        self._connection = connect()

    def __enter__(self) -> "BlockWriter":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def add(self, data: RankingData, query: IntArray) -> None:
        """Write a block of whole queries; ``query`` is the number of each row's query, which never decreases."""
        X = data.X.toarray() if sparse.issparse(data.X) else data.X
        path = self._folder / f"block-{len(self._blocks):05d}.parquet"
        rows = StoredRows(X, query, data.y, data.weights, data.qid, data.doc_ids)
        self._blocks.append(write_block(self._connection, path, rows))
        self._like = data
        if self._labels is not None and data.y is not None:
            labels, counts = np.unique(data.y, return_counts=True)
            self._labels.update(dict(zip(labels.tolist(), counts.tolist(), strict=True)))
            self._labels = self._labels if len(self._labels) <= MAX_LABELS else None

    def finish(self) -> BlockManifest:
        """Write the manifest."""
        like, labels = self._like, dict(sorted((self._labels or {}).items()))
        if like is None:
            raise DataError("There are no rows: expected one per document of a query.")
        manifest = BlockManifest(
            like.feature_names,
            tuple(like.kinds),
            tuple(self._blocks),
            like.is_judged,
            like.weights is not None,
            like.doc_ids is not None,
            {f"{label:.17g}": count for label, count in labels.items()},
        )
        manifest.write(self._folder)
        return manifest


@contextmanager
def new_folder(folder: str | os.PathLike[str], *, overwrite: bool) -> Iterator[Path]:
    """Yield an empty temporary folder, which gets its name after the block, or is removed if the block fails."""
    check_name(folder)
    check_unlinked(folder)
    target = Path(os.path.abspath(folder))
    check_new_folder(target, overwrite=overwrite)
    temporary = target.with_name(f".{target.name[:200]}.{secrets.token_hex(8)}.tmp")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary.mkdir()
        yield temporary
        _replace(target, temporary)
    except OSError as error:
        raise DataError(f"{folder}: the folder cannot be written: {error.strerror}.") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _replace(target: Path, new: Path) -> None:
    """Give a finished folder its name; the folder that had it is removed last."""
    if not target.exists():
        new.rename(target)
        return
    old = new.with_suffix(".old")
    target.rename(old)
    try:
        new.rename(target)
    except OSError:
        old.rename(target)
        raise
    shutil.rmtree(old)


def check_new_folder(folder: str | os.PathLike[str], *, overwrite: bool) -> None:
    """Raise an error if a folder of blocks would replace something; ``overwrite`` replaces only folders of blocks."""
    target = Path(folder)
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    if not _contains_only_blocks(target):
        raise DataError(
            f"{folder}: already exists, and contains something other than blocks and their {MANIFEST}: it is not "
            "replaced.",
            remedy="Choose another name.",
        )
    if not overwrite:
        raise DataError(
            f"{folder}: already exists.", remedy=("Choose another name", f"overwrite it: {setting('overwrite', True)}")
        )


def _contains_only_blocks(folder: Path) -> bool:
    """Whether a folder can be removed: other programs call files manifest.json, too."""
    if not is_partitioned(folder) or FORMAT.encode() not in (folder / MANIFEST).read_bytes():
        return False
    return all(path.name == MANIFEST or path.match("block-*.parquet") for path in folder.iterdir())
