"""Choose where the blocks of partitioned data are processed."""

from glassrank.data.partitions.partitioned_data import PartitionedData
from glassrank.scale.block_contract import Blocks
from glassrank.scale.parquet_blocks import KEPT_BYTES, ParquetBlocks
from glassrank.scale.spark_blocks import SparkBlocks


def open_blocks(data: PartitionedData, *, once: bool = False) -> Blocks:
    """Return the blocks of partitioned data, which this process reads, or Spark's executors.

    With ``once``, for a single pass, blocks are not kept in memory.
    """
    if data.engine is not None:
        return SparkBlocks(data, data.engine, kept=not once)
    return ParquetBlocks(data, kept_bytes=0 if once else KEPT_BYTES)
