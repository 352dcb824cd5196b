"""PartitionedData: ranking data in a folder of Parquet blocks, of which one at a time is in memory."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from glassrank.core.checks import BoolArray, DataError, FloatArray, IntArray, check_choice
from glassrank.core.column_transforms import ColumnTransform
from glassrank.core.feature_kinds import FeatureKind, check_codes, check_values
from glassrank.core.groups import Groups, group_codes
from glassrank.core.setting import setting
from glassrank.data.description import sizes_in_words
from glassrank.data.engine import Engine
from glassrank.data.engines.spark_engine import SparkEngine
from glassrank.data.partitions.block_files import (
    DOCUMENT,
    LABEL,
    QID,
    QUERY,
    WEIGHT,
    connect,
    feature_column,
    read_columns,
    read_rows,
)
from glassrank.data.partitions.block_manifest import BlockFile, BlockManifest, read_manifest
from glassrank.data.partitions.data_block import DataBlock
from glassrank.data.ranking_data import RankingData

READ_AHEAD_BYTES = 16_000_000  # of features that are read together


@dataclass(frozen=True, eq=False, repr=False)
class PartitionedData:
    """Ranking data in a folder of blocks, or a view of some of its features and queries; open it with
    ``open_partitions``.

    Rankers that support blocks take it in ``fit`` in place of ``RankingData``, and read block after block. A view costs
    nothing: features are picked and transformed when a block is read.
    """

    folder: Path
    manifest: BlockManifest
    columns: tuple[int, ...]
    """Numbers of the features in the view, from 0."""
    functions: tuple[ColumnTransform, ...] = ()
    """Transform of each of these features; empty if there is none."""
    chosen: BoolArray | None = None
    """Which queries are in the view; None if these are all."""
    engine: SparkEngine | None = None
    """Where rankers process the blocks; None for this process."""

    def __repr__(self) -> str:
        n_rows = f"{self.manifest.n_rows:,} rows" if self.chosen is None else "some of the rows"
        sizes = sizes_in_words(self.n_rows, self.n_queries, self.n_features) if self.chosen is None else n_rows
        return f"PartitionedData({sizes}, {self.n_blocks} {'block' if self.n_blocks == 1 else 'blocks'})"

    def __len__(self) -> int:
        return self.n_rows

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise DataError(
            "This needs all rows in memory: got PartitionedData.", remedy="Load some: data.read_block(number)."
        )

    @property
    def source(self) -> str:
        """Name of the folder, after which a study names its own."""
        return self.folder.resolve().name

    @property
    def n_blocks(self) -> int:
        return len(self.manifest.blocks)

    @property
    def n_rows(self) -> int:
        """Number of rows, also those of weight 0."""
        return self.manifest.n_rows if self.chosen is None else int(self.query_sizes[self.chosen].sum())

    @property
    def n_queries(self) -> int:
        return self.manifest.n_queries if self.chosen is None else int(self.chosen.sum())

    @property
    def n_features(self) -> int:
        return len(self.columns)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and features, as of a matrix."""
        return self.n_rows, self.n_features

    @property
    def feature_names(self) -> tuple[str, ...]:
        return tuple(self.manifest.names[k] for k in self.columns)

    @property
    def kinds(self) -> tuple[FeatureKind, ...]:
        return tuple(self.manifest.kinds[k] for k in self.columns)

    @property
    def is_judged(self) -> bool:
        """Whether the documents have labels."""
        return self.manifest.judged

    def check_judged(self, purpose: str) -> None:
        """Raise an error if a purpose needs labels and there are none."""
        if not self.is_judged:
            raise DataError(
                f"{purpose} needs labels, but the data in {self.folder} are not judged.",
                remedy="Write the folder again from judged data.",
            )

    def read_block(self, number: int) -> RankingData:
        """Return one block with its identifiers, as ``RankingData``.

        >>> from glassrank import RankingData, open_partitions, save_partitions
        >>> data = RankingData([[0.5], [0.1], [0.3]], y=[1, 0, 1], qid=["a", "a", "b"])
        >>> save_partitions(data, "blocks", rows_per_block=2)
        >>> found = open_partitions("blocks")
        >>> found, found.read_block(0).qid.tolist()
        (PartitionedData(3 rows, 2 queries, 1 feature, 2 blocks), ['a', 'a'])
        """
        with connect() as connection:
            stored = self._stored(connection, number, identified=True)
        kept = self._kept(stored.query, None)
        parts = (stored.y, stored.qid, stored.doc_ids)
        y, qid, doc_ids = (None if values is None else values[kept] for values in parts)
        weights = None if stored.weights is None else stored.weights[kept]
        return RankingData(self._made(stored.X[kept]), y, qid, doc_ids, self.feature_names, weights, kinds=self.kinds)

    def training_block(self, number: int, connection: duckdb.DuckDBPyConnection) -> DataBlock | None:
        """Return the rows of positive weight of one block, checked; None if there are none."""
        stored = self._stored(connection, number)
        kept = self._kept(stored.query, stored.weights)
        X, query = self._made(stored.X[kept]), stored.query[kept]
        if not len(query):
            return None
        y, weights = (None if values is None else values[kept] for values in (stored.y, stored.weights))
        return DataBlock(np.ascontiguousarray(X), y, group_codes(query), weights)

    def _stored(self, connection: duckdb.DuckDBPyConnection, number: int, *, identified: bool = False) -> Any:
        known = self.manifest
        stored = read_rows(
            connection,
            self.folder,
            known.blocks[number],
            self.columns,
            judged=known.judged,
            weighted=known.weighted,
            identified=identified,
            documents=known.documents,
        )
        check_values(stored.X, self.feature_names, refuse_missing=False)
        check_codes(stored.X, self.kinds, self.feature_names)
        return stored

    def _kept(self, query: IntArray, weights: FloatArray | None) -> Any:
        """Return the rows of the view, without those of weight 0 if there are weights."""
        kept = np.ones(len(query), dtype=bool) if self.chosen is None else self.chosen[query]
        kept = kept if weights is None else kept & (weights > 0)
        return slice(None) if kept.all() else kept

    def _made(self, X: FloatArray) -> FloatArray:
        if not self.functions:
            return X
        return np.column_stack([function(X[:, k]) for k, function in enumerate(self.functions)])

    def column(self, number: int) -> FloatArray:
        """Return a feature of all rows of positive weight: a single column fits into memory."""
        name = feature_column(self.columns[number])
        stored = self._read_ahead.get(name)
        if stored is None:
            n_columns = max(1, READ_AHEAD_BYTES // (8 * max(1, self.manifest.n_rows)))
            names = dict.fromkeys(map(feature_column, self.columns[number : number + n_columns]))
            with connect() as connection:
                found = read_columns(connection, self.folder, self.manifest.blocks, tuple(names))
            self._read_ahead.clear()
            self._read_ahead.update(found)
            stored = found[name]
        values = stored[self._counted]
        return self.functions[number](values) if self.functions else np.array(values)

    @cached_property
    def _read_ahead(self) -> dict[str, FloatArray]:
        """Columns that were read together: features are asked for in order, and opening the files takes a while."""
        return {}

    @cached_property
    def row_weights(self) -> FloatArray | None:
        """Weights of the rows of positive weight; None if all are 1."""
        weights = self._outline[WEIGHT][self._counted] if self.manifest.weighted else None
        return None if weights is None or (weights == 1.0).all() else weights

    @property
    def labels(self) -> FloatArray:
        """Label of each row of positive weight."""
        return np.asarray(self._outline[LABEL][self._counted])

    @property
    def row_queries(self) -> IntArray:
        """Number of the query of each row of positive weight, among all queries of the folder."""
        return np.asarray(self._outline[QUERY][self._counted])

    @cached_property
    def groups(self) -> Groups:
        """The rows of positive weight grouped by query."""
        return group_codes(self.row_queries, self.query_ids)

    def pick_rows(self, rows: IntArray) -> "PartitionedData":
        """Return a view of the queries of these rows of positive weight, which must be all rows of their queries."""
        chosen = np.zeros(self.manifest.n_queries, dtype=bool)
        chosen[self.row_queries[rows]] = True
        return self.pick_queries(chosen)

    @cached_property
    def query_sizes(self) -> IntArray:
        """Number of rows of each query of the folder, also of those that are not in the view."""
        return np.bincount(self._outline[QUERY], minlength=self.manifest.n_queries)

    @cached_property
    def query_ids(self) -> Any:
        """Identifier of each query of the folder."""
        with connect() as connection:
            ids = np.concatenate([self._block_query_ids(connection, block) for block in self.manifest.blocks])
        return ids.astype(np.str_) if ids.dtype == object else ids

    def _block_query_ids(self, connection: duckdb.DuckDBPyConnection, block: BlockFile) -> Any:
        """Return the identifiers of the queries of one block, each of which is complete."""
        found = read_columns(connection, self.folder, [block], [QID, QUERY])
        return found[QID][np.append(True, np.diff(found[QUERY]) != 0)]

    def judged_lists(self) -> dict[str, Any]:
        """Return ``y``, ``qid`` and ``doc_ids`` of all rows of the folder, also those of weight 0, for measures."""
        self.check_judged("A comparison")
        names = [DOCUMENT] if self.manifest.documents else []
        with connect() as connection:
            found = read_columns(connection, self.folder, self.manifest.blocks, names) if names else {}
        documents = found[DOCUMENT].astype(np.str_) if names else None
        return {"y": self._outline[LABEL], "qid": self.query_ids[self._outline[QUERY]], "doc_ids": documents}

    def named_queries(self, queries: Sequence[str]) -> "PartitionedData":
        """Return a view of queries, given by their identifiers."""
        ids = self.query_ids.astype(np.str_)
        unknown = sorted(set(queries) - set(ids.tolist()))
        if unknown:
            known = ", ".join(ids[:3].tolist())
            raise DataError(f"There is no query {unknown[0]}; the {len(ids)} queries begin with {known}.")
        return self.pick_queries(np.isin(ids, list(queries)))

    @cached_property
    def _counted(self) -> Any:
        return self._kept(self._outline[QUERY], self._outline.get(WEIGHT))

    @cached_property
    def _outline(self) -> dict[str, Any]:
        """Queries, labels and weights of all rows of the folder, without features."""
        names = {QUERY: True, LABEL: self.manifest.judged, WEIGHT: self.manifest.weighted}
        with connect() as connection:
            return read_columns(
                connection, self.folder, self.manifest.blocks, [name for name, wanted in names.items() if wanted]
            )

    def pick_features(self, features: Sequence[str | int]) -> "PartitionedData":
        """Return a view of these features (names or numbers from 0), in the order given."""
        places = {name: k for k, name in enumerate(self.feature_names)}
        unknown = next((one for one in features if one not in places and one not in range(self.n_features)), None)
        if unknown is not None:
            shown = ", ".join(self.feature_names[:3])
            raise DataError(f"There is no feature {unknown!r}; the {self.n_features} features begin with {shown}.")
        chosen = [places[one] if isinstance(one, str) else int(one) for one in features]
        functions = tuple(self.functions[k] for k in chosen) if self.functions else ()
        return replace(self, columns=tuple(self.columns[k] for k in chosen), functions=functions)

    def pick_queries(self, chosen: BoolArray) -> "PartitionedData":
        """Return a view of the queries that a mask over all queries of the folder chooses, of those in this view."""
        return replace(self, chosen=chosen if self.chosen is None else chosen & self.chosen)

    def transformed(self, functions: Sequence[ColumnTransform]) -> "PartitionedData":
        """Return a view of transformed features; a view can be transformed once."""
        if self.functions:
            raise DataError(
                "The features are transformed already: got a second transform.",
                remedy=f"Use one {setting('transform', python='FeatureTransformer')}.",
            )
        return replace(self, functions=tuple(functions))


def open_partitions(folder: str | os.PathLike[str], *, engine: str | Engine = "duckdb") -> PartitionedData:
    """Open a folder of blocks that ``save_partitions`` or ``glassrank data partition`` has written.

    Only the manifest is read. Blocks that are missing or were changed since raise an error.

    ``engine`` says where rankers process the blocks. With ``"duckdb"``, this process reads one after the other. With
    ``"spark"`` or a ``SparkEngine``, the executors of a cluster each keep some of them in memory; all of them must see
    the folder under the same path.

    >>> from glassrank import RankSVM, open_partitions, save_partitions, simulate_ranking
    >>> save_partitions(simulate_ranking(20, 10, random_state=0).data, "simulated", rows_per_block=50)
    >>> data = open_partitions("simulated")
    >>> data.n_rows, data.n_blocks, RankSVM().fit(data).n_queries_
    (212, 5, 20)
    """
    manifest = read_manifest(folder)
    columns = tuple(range(len(manifest.names)))
    return PartitionedData(Path(folder).absolute(), manifest, columns, engine=_spark_engine(engine))


def _spark_engine(engine: str | Engine) -> SparkEngine | None:
    """Return the engine on whose executors blocks are processed; None for DuckDB in this process."""
    if isinstance(engine, SparkEngine):
        return engine
    if isinstance(engine, Engine):
        raise DataError(
            f"Blocks are processed by 'duckdb', 'spark' or a SparkEngine: got a {type(engine).__name__}.",
            parameter="engine",
            got=type(engine).__name__,
        )
    check_choice("engine", engine, ("duckdb", "spark"))
    return SparkEngine() if engine == "spark" else None
