"""The manifest of a folder of blocks: features, counts, and how to recognise each block file."""

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from glassrank.core.checks import DataError
from glassrank.core.feature_kinds import FeatureKind
from glassrank.core.wording import counted
from glassrank.files.atomic_files import write_atomically
from glassrank.files.json_files import read_json
from glassrank.files.unfollowed_links import open_file

MANIFEST, FORMAT, VERSION = "manifest.json", "glassrank partitions", 1
_END_BYTES = 65_536
_REMEDY = "Write the folder again: glassrank data partition."


@dataclass(frozen=True)
class BlockFile:
    """One Parquet file of whole queries."""

    name: str
    n_rows: int
    n_queries: int
    n_bytes: int
    digest: str
    """SHA-256 of the last 64 KB, where Parquet lists the pages of the file with their sizes and ranges."""


@dataclass(frozen=True)
class BlockManifest:
    """What a folder of blocks contains."""

    names: tuple[str, ...]
    kinds: tuple[FeatureKind, ...]
    blocks: tuple[BlockFile, ...]
    judged: bool
    weighted: bool
    documents: bool
    """Whether documents have identifiers."""
    labels: dict[str, int]
    """Number of rows of each label; empty if there are many different labels."""

    @property
    def n_rows(self) -> int:
        return sum(block.n_rows for block in self.blocks)

    @property
    def n_queries(self) -> int:
        return sum(block.n_queries for block in self.blocks)

    def write(self, folder: Path) -> None:
        """Write the manifest into a folder of finished blocks, which makes the folder valid."""
        features = [
            {"name": name, "kind": kind.name, "levels": list(kind.levels)}
            for name, kind in zip(self.names, self.kinds, strict=True)
        ]
        content = {
            "format": FORMAT,
            "version": VERSION,
            "rows": self.n_rows,
            "queries": self.n_queries,
            "judged": self.judged,
            "weighted": self.weighted,
            "documents": self.documents,
            "labels": self.labels,
            "features": features,
            "blocks": [asdict(block) for block in self.blocks],
        }
        write_atomically(folder / MANIFEST, json.dumps(content, indent=1).encode())


def is_partitioned(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a folder with a manifest of blocks."""
    return os.path.isfile(os.path.join(path, MANIFEST))


def read_manifest(folder: str | os.PathLike[str]) -> BlockManifest:
    """Return the checked manifest of a folder, after comparing the block files with it."""
    place = Path(folder)
    if not place.is_dir():
        raise DataError(f"{folder}: there is no such folder.", remedy=f"Relative paths start at {Path.cwd()}.")
    if not is_partitioned(place):
        raise DataError(
            f"{folder}: expected a folder of blocks, with the file {MANIFEST}: there is none.",
            remedy="Write one with glassrank data partition.",
        )
    content = read_json(place / MANIFEST)
    version = content.get("version") if isinstance(content, dict) else None
    if isinstance(version, int) and version > VERSION:
        raise DataError(
            f"{place / MANIFEST}: version {version} of the format is newer than this version of glassrank, which reads "
            f"version {VERSION}.",
            expected=VERSION,
            got=version,
            remedy="Update glassrank, or write the folder again with this version.",
        )
    try:
        found = _parsed(content)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise DataError(f"{place / MANIFEST}: the manifest is damaged: {error!r}.", remedy=_REMEDY) from error
    for block in found.blocks:
        check_block(place, block)
    return found


def _parsed(content: Any) -> BlockManifest:
    if content["format"] != FORMAT:
        raise ValueError(f"unknown format {content['format']!r}")
    features = content["features"]
    found = BlockManifest(
        tuple(str(one["name"]) for one in features),
        tuple(FeatureKind(one["kind"], tuple(one["levels"])) for one in features),
        tuple(BlockFile(**one) for one in content["blocks"]),
        bool(content["judged"]),
        bool(content["weighted"]),
        bool(content["documents"]),
        {str(label): int(count) for label, count in content["labels"].items()},
    )
    if (content["rows"], content["queries"]) != (found.n_rows, found.n_queries) or not found.blocks:
        raise ValueError("the blocks do not add up to the number of rows and queries")
    return found


def check_block(folder: Path, block: BlockFile) -> None:
    """Raise an error if a block file is missing, or is not the one that the manifest describes."""
    path = folder / block.name
    if os.path.basename(block.name) != block.name or not path.is_file():
        raise DataError(f"{path}: this block is missing, with {counted(block.n_rows, 'row')}.", remedy=_REMEDY)
    if (path.stat().st_size, end_digest(path)) != (block.n_bytes, block.digest):
        raise DataError(f"{path}: this block was changed after {MANIFEST} was written.", remedy=_REMEDY)


def end_digest(path: Path) -> str:
    """Return the SHA-256 of the end of a file."""
    with open(path, "rb", opener=open_file) as file:
        file.seek(max(0, path.stat().st_size - _END_BYTES))
        return hashlib.sha256(file.read()).hexdigest()
