"""Choose where the blocks of partitioned data are processed."""

from glassrank.data.partitions.partitioned_data import PartitionedData
from glassrank.scale.block_contract import Blocks
from glassrank.scale.parquet_blocks import ParquetBlocks
from glassrank.scale.spark_blocks import SparkBlocks


def open_blocks(data: PartitionedData) -> Blocks:
    """Return the blocks of partitioned data, which this process reads, or Spark's executors."""
    return ParquetBlocks(data) if data.engine is None else SparkBlocks(data, data.engine)
