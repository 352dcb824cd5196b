"""Normal equations of least squares over pairs, added up over blocks."""

from glassrank.core.checks import FloatArray
from glassrank.core.nodes.least_squares import Columns, NormalEquations, normal_equations, scores
from glassrank.core.nodes.pair_rows import pair_rows
from glassrank.data.partitions.data_block import DataBlock


def equations_of_block(block: DataBlock, columns: Columns, weighting: str) -> NormalEquations:
    """Return the equations of one block."""
    pairs = pair_rows(weighting, block.labels, block.groups, block.weights)
    return normal_equations(columns, block.X, block.labels, pairs)


def node_scores_of_block(block: DataBlock, columns: Columns, coefs: FloatArray) -> list[FloatArray]:
    """Return the scores of one block for each row of ``coefs``, in a list, so that those of several can be added."""
    return [scores(columns, block.X, coefs)]
