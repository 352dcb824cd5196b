"""Blocks of queries worked on by several threads; results never depend on how many there are."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from glassrank.core.checks import IntArray

Result = TypeVar("Result")
ROWS_WORTH_A_THREAD = 20_000
N_BLOCKS = 16  # fixed, so that sums are formed in the same order on every machine


def blocks_of_queries(starts: IntArray, most_rows: int) -> list[IntArray]:
    """Ranges [first, end) of queries that hold at most ``most_rows`` rows; a longer query has a block of its own."""
    blocks, first = [], 0
    while first < len(starts) - 1:
        end = int(np.searchsorted(starts, starts[first] + most_rows, side="right")) - 1
        end = max(end, first + 1)
        blocks.append(np.array([first, end]))
        first = end
    return blocks


def even_blocks(starts: IntArray, work_per_row: int = 1) -> list[IntArray]:
    """One block for little work; otherwise blocks of about equal size, enough to keep every core busy."""
    n_rows = int(starts[-1])
    if n_rows * work_per_row < 2 * ROWS_WORTH_A_THREAD:
        return [np.array([0, len(starts) - 1])]
    return blocks_of_queries(starts, -(-n_rows // N_BLOCKS))


def for_each(blocks: list[IntArray], work: Callable[[IntArray], Result]) -> list[Result]:
    """Apply ``work`` to every block, in threads when there are several; results in the blocks' order."""
    n_threads = min(len(blocks), os.cpu_count() or 1)
    if n_threads == 1:
        return [work(block) for block in blocks]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(work, blocks))
