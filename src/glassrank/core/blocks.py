"""Processing of blocks of queries by several threads; results do not depend on the number of threads."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from typing import TypeVar

import numpy as np

from glassrank.core.checks import IntArray

Item = TypeVar("Item")
Result = TypeVar("Result")
MIN_ROWS_PER_THREAD = 20_000
N_BLOCKS = 16  # fixed, so that sums have the same order on every machine
_MAX_THREADS: ContextVar[int | None] = ContextVar("max_threads", default=None)


def blocks_of_queries(starts: IntArray, max_rows: int) -> list[IntArray]:
    """Return ranges [first, end) of queries with at most ``max_rows`` rows; a longer query is a block of its own."""
    blocks, first = [], 0
    while first < len(starts) - 1:
        end = int(np.searchsorted(starts, starts[first] + max_rows, side="right")) - 1
        end = max(end, first + 1)
        blocks.append(np.array([first, end]))
        first = end
    return blocks


def even_blocks(starts: IntArray, work_per_row: int = 1) -> list[IntArray]:
    """Return one block if there is little work, otherwise blocks of about equal size."""
    n_rows = int(starts[-1])
    if n_rows * work_per_row < 2 * MIN_ROWS_PER_THREAD:
        return [np.array([0, len(starts) - 1])]
    return blocks_of_queries(starts, -(-n_rows // N_BLOCKS))


def for_each(blocks: list[Item], work: Callable[[Item], Result]) -> list[Result]:
    """Apply ``work`` to every block, in threads if there are several, and return the results in order."""
    # A single block may be small, and asking the system for its cores would take as long as the work.
    n_threads = min(len(blocks), _MAX_THREADS.get() or os.cpu_count() or 1) if len(blocks) > 1 else 1
    if n_threads == 1:
        return [work(block) for block in blocks]
    found: dict[int, Result] = {}
    numbers = count()

    def take_turns() -> None:
        # Each thread takes the next block: a task for each block would cost more than the work of a small one.
        while (place := next(numbers)) < len(blocks):
            found[place] = work(blocks[place])

    with ThreadPoolExecutor(n_threads) as pool:
        for _ in range(n_threads):
            pool.submit(take_turns)
    # A block that failed in its thread fails here again, the first one first.
    return [found[place] if place in found else work(block) for place, block in enumerate(blocks)]


@contextmanager
def at_most_threads(n_threads: int) -> Iterator[None]:
    """Limit ``for_each`` to a number of threads, in a process that has only a share of the machine's cores.

    >>> with at_most_threads(1):
    ...     for_each([1, 2], lambda number: number + 1)
    [2, 3]
    """
    before = _MAX_THREADS.set(n_threads)
    try:
        yield
    finally:
        _MAX_THREADS.reset(before)
