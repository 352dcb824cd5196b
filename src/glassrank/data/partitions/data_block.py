"""DataBlock: rows of whole queries as a fit sees them."""

from dataclasses import dataclass

from glassrank.core.blocks import blocks_of_queries
from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.groups import Groups


@dataclass(frozen=True, eq=False)
class DataBlock:
    """Rows of positive weight, sorted by query."""

    X: FloatArray
    y: FloatArray | None
    groups: Groups
    """The ids are the numbers of the queries among all queries of the data."""
    weights: FloatArray | None

    @property
    def queries(self) -> IntArray:
        """Numbers of the block's queries among all queries of the data."""
        return self.groups.ids

    @property
    def labels(self) -> FloatArray:
        """Labels of data that are known to be judged."""
        if self.y is None:
            raise TypeError("The rows have no labels.")
        return self.y

    def parts(self, max_rows: int) -> list["DataBlock"]:
        """Return the queries in parts of at most ``max_rows`` rows; a longer query is a part of its own."""
        starts = self.groups.starts
        return [self._some(int(first), int(end)) for first, end in blocks_of_queries(starts, max_rows)]

    def _some(self, first: int, end: int) -> "DataBlock":
        starts = self.groups.starts
        rows = slice(int(starts[first]), int(starts[end]))
        order = self.groups.order[: rows.stop - rows.start]
        groups = Groups(self.groups.ids[first:end], order, starts[first : end + 1] - starts[first])
        y, weights = (None if values is None else values[rows] for values in (self.y, self.weights))
        return DataBlock(self.X[rows], y, groups, weights)
