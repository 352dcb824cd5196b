"""Blocks in a folder of Parquet files, read one after the other while the previous one is used."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from glassrank.core.checks import DataError
from glassrank.data.partitions.block_files import connect
from glassrank.data.partitions.data_block import DataBlock
from glassrank.data.partitions.partitioned_data import PartitionedData
from glassrank.scale.block_contract import BlockFunction, Blocks, Sum, add_blocks

KEPT_BYTES = 1_000_000_000


class ParquetBlocks(Blocks):
    """The blocks of a folder, or of a view of it.

    A second thread reads the next block. The first blocks stay in memory after the first pass, up to ``kept_bytes``, so
    that small data are read once.
    """

    def __init__(self, data: PartitionedData, *, kept_bytes: int = KEPT_BYTES) -> None:
        self.data = data
        self._kept_bytes = kept_bytes
        self._kept: dict[int, DataBlock | None] = {}

    def _add_up(self, function: BlockFunction[Sum], arguments: tuple[Any, ...]) -> Sum:
        total = add_blocks(self._blocks(), function, arguments)
        if total is None:
            raise DataError(f"{self.data.folder}: no row has a positive weight: there is nothing to learn from.")
        return total

    def _blocks(self) -> Iterator[DataBlock | None]:
        """Yield the blocks in order; one is read ahead."""
        unread = [number for number in range(self.data.n_blocks) if number not in self._kept]
        if not unread:
            yield from (self._kept[number] for number in range(self.data.n_blocks))
            return
        with connect() as connection, ThreadPoolExecutor(1) as reader:
            coming: list[Future[DataBlock | None]] = []

            def request() -> None:
                if unread:
                    coming.append(reader.submit(self.data.training_block, unread.pop(0), connection))

            request()
            for number in range(self.data.n_blocks):
                if number in self._kept:
                    yield self._kept[number]
                    continue
                block = coming.pop(0).result()
                request()
                self._keep(number, block)
                yield block

    def _keep(self, number: int, block: DataBlock | None) -> None:
        """Keep a block if the memory for blocks is not yet full."""
        size = 0 if block is None else block.X.nbytes + 4 * block.groups.order.nbytes
        if size <= self._kept_bytes:
            self._kept[number] = block
            self._kept_bytes -= size
