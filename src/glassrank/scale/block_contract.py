"""Blocks: the contract between blockwise computations and the place where blocks of queries are stored."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Protocol, Self, TypeVar

from glassrank.data.partitions.data_block import DataBlock


class Addable(Protocol):
    """A result of one block that can be added to that of another, such as an array or a list."""

    def __add__(self, other: Self, /) -> Self: ...


Sum = TypeVar("Sum", bound=Addable)
BlockFunction = Callable[..., Sum]
"""A function of a block and of further arguments. It must be defined at the top level of a module, so that it can be
sent to other processes by name, and must not change the block."""


class Blocks(ABC):
    """Rows of positive weight in blocks of whole queries, of which few are in memory at a time.

    ``add_up`` is the only way to the rows. A computation on blocks is thus a number of passes, each of which applies
    one function to all blocks and adds the results. Results are small: they depend on the number of features, not on
    the number of rows.
    """

    n_passes: int = 0
    """Number of passes so far."""

    def add_up(self, function: BlockFunction[Sum], *arguments: Any) -> Sum:
        """Return the sum of ``function(block, *arguments)`` over all blocks, in one pass."""
        self.n_passes += 1
        return self._add_up(function, arguments)

    @abstractmethod
    def _add_up(self, function: BlockFunction[Sum], arguments: tuple[Any, ...]) -> Sum: ...


def add_blocks(blocks: Any, function: BlockFunction[Sum], arguments: tuple[Any, ...]) -> Sum | None:
    """Return the sum over blocks that are at hand, in their order; None if there are none."""
    total: Sum | None = None
    block: DataBlock | None
    for block in blocks:
        if block is not None:
            part = function(block, *arguments)
            total = part if total is None else total + part
    return total
