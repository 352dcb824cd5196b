"""Blocks of whole queries as Parquet files, written and read by DuckDB."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt

from glassrank.core.checks import DataError, FloatArray, IntArray
from glassrank.data.duckdb_errors import duckdb_errors
from glassrank.data.partitions.block_manifest import BlockFile, end_digest
from glassrank.files.memory_database import connect_in_memory

# Several row groups per file, so that DuckDB can decode them in parallel.
ROWS_PER_GROUP = 20_480
_ROWS_AT_A_TIME = 1_024  # of the copy from columns to rows, which then stays in the cache
# No names of features: DuckDB ignores case, and features may be called like the other columns.
QUERY, QID, LABEL, WEIGHT, DOCUMENT = "query", "qid", "label", "weight", "doc_id"


@dataclass(frozen=True, eq=False)
class StoredRows:
    """The rows of a block as they are stored, query by query."""

    X: FloatArray
    query: IntArray
    """Number of each row's query among all queries of the folder, which never decreases."""
    y: FloatArray | None
    weights: FloatArray | None
    qid: npt.NDArray[Any] | None = None
    doc_ids: npt.NDArray[Any] | None = None


def connect() -> duckdb.DuckDBPyConnection:
    """Return a connection to read or write blocks, whose memory is limited."""
    return connect_in_memory(memory_limit="1GB", pandas_analyze_sample=0)


def feature_column(number: int) -> str:
    """Return the name of the column of a feature, given by its number from 0.

    >>> feature_column(0)
    'f1'
    """
    return f"f{number + 1}"


def write_block(connection: duckdb.DuckDBPyConnection, path: Path, rows: StoredRows) -> BlockFile:
    """Write a block, and return what the manifest says about it."""
    columns: dict[str, Any] = {QUERY: rows.query, QID: rows.qid, LABEL: rows.y, WEIGHT: rows.weights}
    columns |= {DOCUMENT: rows.doc_ids}
    columns |= {feature_column(k): np.ascontiguousarray(rows.X[:, k]) for k in range(rows.X.shape[1])}
    # DuckDB finds the arrays by the name of this variable, and takes strings as objects.
    arrays = {
        name: values.astype(object) if values.dtype.kind == "U" else values
        for name, values in columns.items()
        if values is not None
    }
    typed = (f"{name}::VARCHAR AS {name}" if values.dtype == object else name for name, values in arrays.items())
    with duckdb_errors(f"{path}: the block cannot be written"):
        relation = connection.sql(f"SELECT {', '.join(typed)} FROM arrays")
        relation.write_parquet(str(path), row_group_size=ROWS_PER_GROUP, use_tmp_file=False)
    n_queries = 1 + int(np.count_nonzero(np.diff(rows.query)))
    return BlockFile(path.name, len(rows.query), n_queries, path.stat().st_size, end_digest(path))


def read_rows(
    connection: duckdb.DuckDBPyConnection,
    folder: Path,
    block: BlockFile,
    features: Sequence[int],
    *,
    judged: bool,
    weighted: bool,
    identified: bool = False,
    documents: bool = False,
) -> StoredRows:
    """Read some columns of a block; ``identified`` also reads the identifiers of queries and of ``documents``."""
    others = {QUERY: True, LABEL: judged, WEIGHT: weighted, QID: identified, DOCUMENT: identified and documents}
    names = [name for name, wanted in others.items() if wanted] + [feature_column(k) for k in features]
    found = _fetch(connection, [folder / block.name], names)
    if len(found[QUERY]) != block.n_rows:
        raise DataError(f"{folder / block.name}: expected {block.n_rows:,} rows, got {len(found[QUERY]):,}.")
    X = _stacked([found[feature_column(k)] for k in features], block.n_rows)
    texts = {name: found[name] for name in (QID, DOCUMENT) if name in found}
    texts = {name: values.astype(np.str_) if values.dtype == object else values for name, values in texts.items()}
    return StoredRows(X, found[QUERY], found.get(LABEL), found.get(WEIGHT), texts.get(QID), texts.get(DOCUMENT))


def read_columns(
    connection: duckdb.DuckDBPyConnection, folder: Path, blocks: Sequence[BlockFile], names: Sequence[str]
) -> dict[str, Any]:
    """Return columns of all blocks together, which must fit into memory."""
    return _fetch(connection, [folder / block.name for block in blocks], names)


def _fetch(connection: duckdb.DuckDBPyConnection, paths: Sequence[Path], names: Sequence[str]) -> dict[str, Any]:
    files = [str(path) for path in paths]
    with duckdb_errors(f"{paths[0]}: the block cannot be read"):
        query = f"SELECT {', '.join(names)} FROM read_parquet($files, hive_partitioning = false)"
        arrays = connection.execute(query, {"files": files}).fetchnumpy()
    # DuckDB stores NaN as null.
    return {
        name: np.ma.filled(values, np.nan) if values.dtype.kind == "f" else np.ma.getdata(values)
        for name, values in arrays.items()
    }


def _stacked(columns: Sequence[FloatArray], n_rows: int) -> FloatArray:
    X = np.empty((n_rows, len(columns)))
    for first in range(0, n_rows, _ROWS_AT_A_TIME):
        rows = slice(first, first + _ROWS_AT_A_TIME)
        for k, values in enumerate(columns):
            X[rows, k] = values[rows]
    return X
