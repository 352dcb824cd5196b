"""Blocks on Spark: each executor keeps some of them, and only sums travel."""

import socket
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import Any

from glassrank import __version__
from glassrank.core.blocks import at_most_threads
from glassrank.core.checks import DataError
from glassrank.data.engines.spark_engine import SparkEngine
from glassrank.data.engines.spark_errors import spark_errors
from glassrank.data.partitions.block_files import connect
from glassrank.data.partitions.block_manifest import check_block
from glassrank.data.partitions.data_block import DataBlock
from glassrank.data.partitions.partitioned_data import PartitionedData
from glassrank.scale.block_contract import BlockFunction, Blocks, Sum, add_blocks

# Fixed numbers, so that sums have the same order on every cluster.
MAX_TASKS = 2_000  # of a pass; Spark starts some thousand tasks per second
MAX_COLLECTED = 32  # sums that are added in one place
PART_BYTES = 256_000_000  # of the rows that Spark stores as one value, which must be smaller than 2 GB
PASS_FAILED = "Spark cannot process the blocks"


class SparkBlocks(Blocks):
    """The blocks of a folder, or of a view of it, on the executors of a Spark cluster.

    In the first pass the executors read the blocks, and keep them in memory or, if it is full, on their disks. Blocks
    of a lost executor are read again by others. Each pass sends the function and its arguments to the executors once.
    Sums are added in a fixed order: first over the blocks of a task, then over neighbouring tasks on the executors, and
    then here. The result thus has the same bits for any number of executors.
    """

    def __init__(self, data: PartitionedData, engine: SparkEngine, *, kept: bool = True) -> None:
        from pyspark import StorageLevel

        self._folder, self._context = data.folder, engine.context
        self._n_tasks = min(data.n_blocks, MAX_TASKS)
        with spark_errors(PASS_FAILED):
            view = self._context.broadcast((__version__, replace(data, engine=None)))
            numbers = self._context.parallelize(range(data.n_blocks), self._n_tasks)
            self._stored = numbers.mapPartitions(partial(read_blocks, view))
            if kept:
                self._stored.persist(StorageLevel.MEMORY_AND_DISK)
        weakref.finalize(self, _release, self._stored, view).atexit = False

    def _add_up(self, function: BlockFunction[Sum], arguments: tuple[Any, ...]) -> Sum:
        with spark_errors(PASS_FAILED):
            sent = self._context.broadcast((function, arguments))
            found = self._sums(sent).collect()
            sent.destroy()
        if not found:
            raise DataError(f"{self._folder}: no row has a positive weight: there is nothing to learn from.")
        _, total = add_in_order(found)
        if isinstance(total, DataError):
            raise total
        return total

    def _sums(self, sent: Any) -> Any:
        """Return the sums of tasks or of neighbouring tasks, each with its place."""
        sums = self._stored.mapPartitionsWithIndex(partial(add_task, sent))
        if self._n_tasks <= MAX_COLLECTED:
            return sums
        n_groups = -(-self._n_tasks // MAX_COLLECTED)
        return sums.keyBy(partial(group_of, MAX_COLLECTED)).groupByKey(n_groups).mapValues(add_in_order).values()


def read_blocks(view: Any, numbers: Iterable[int]) -> Iterator[DataBlock | DataError]:
    """Yield the rows of some blocks on an executor; an error, which trying again would not mend, is the last value."""
    version, data = view.value
    try:
        check_version(version)
        with connect() as connection:
            connection.execute(f"SET threads = {task_cores()}")
            for number in numbers:
                _check_reachable(data, number)
                block = data.training_block(number, connection)
                if block is not None:
                    yield from block.parts(max(1, PART_BYTES // (8 * max(1, data.n_features))))
    except DataError as error:
        yield error


def check_version(expected: str) -> None:
    """Raise an error on an executor unless it has the version of glassrank that sent the work."""
    if expected != __version__:
        raise DataError(
            f"The executor {socket.gethostname()} has another version of glassrank.",
            expected=expected,
            got=__version__,
            remedy=f"Install version {expected} on all executors.",
        )


def _check_reachable(data: PartitionedData, number: int) -> None:
    """Check that an executor sees the same block as the process that opened the folder."""
    if not data.folder.is_dir():
        raise DataError(
            f"{data.folder}: the executor {socket.gethostname()} has no such folder.",
            remedy="Put the folder on storage that all executors see under the same path.",
        )
    check_block(data.folder, data.manifest.blocks[number])


def add_task(sent: Any, place: int, blocks: Iterable[DataBlock | DataError]) -> Iterator[tuple[int, Any]]:
    """Yield the sum of one task's blocks with the place of the task, on an executor; nothing if it has no rows."""
    function, arguments = sent.value
    try:
        with at_most_threads(task_cores()):
            total = add_blocks(_unless_error(blocks), function, arguments)
    except DataError as error:
        total = error
    if total is not None:
        yield place, total


def group_of(size: int, part: tuple[int, Any]) -> int:
    """Return the group of ``size`` neighbouring tasks to which a sum belongs."""
    return part[0] // size


def add_in_order(parts: Iterable[tuple[int, Any]]) -> tuple[int, Any]:
    """Return the sum of parts by their places, with the first place; the first error instead if there is one.

    >>> add_in_order([(2, ["c"]), (1, ["a", "b"])])
    (1, ['a', 'b', 'c'])
    """
    (first, total), *others = sorted(parts, key=itemgetter(0))
    for _, part in others:
        if isinstance(total, DataError):
            break
        total = part if isinstance(part, DataError) else total + part
    return first, total


def _unless_error(blocks: Iterable[DataBlock | DataError]) -> Iterator[DataBlock]:
    for block in blocks:
        if isinstance(block, DataError):
            raise block
        yield block


def task_cores() -> int:
    """Return the number of cores of the running task."""
    from pyspark import TaskContext

    task = TaskContext.get()
    return 1 if task is None else task.cpus()


def _release(stored: Any, view: Any) -> None:
    """Free the memory of the executors, unless the session was stopped before."""
    if stored.ctx._jsc is not None:
        if stored.is_cached:
            stored.unpersist()
        view.destroy()
