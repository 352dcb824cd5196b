"""Scores of the rows of all blocks."""

import numpy as np

from glassrank.core.additive.feature_map import FeatureMap
from glassrank.core.blocks import for_each
from glassrank.core.checks import FloatArray
from glassrank.core.native_threads import one_blas_thread
from glassrank.data.partitions.data_block import DataBlock
from glassrank.scale.block_contract import Blocks

PART_ROWS = 10_000


def score_blocks(blocks: Blocks, feature_map: FeatureMap | None, coefs: FloatArray) -> FloatArray:
    """Return w·φ(x) of each row of positive weight for each column w of ``coefs``, in one pass.

    Constants that are equal for all rows of a column w are left out.
    """
    return np.concatenate(blocks.add_up(scores_of_block, feature_map, coefs))


def scores_of_block(block: DataBlock, feature_map: FeatureMap | None, coefs: FloatArray) -> list[FloatArray]:
    """Return the scores of one block, in a list, so that those of several blocks can be added to it."""

    def of_part(part: DataBlock) -> FloatArray:
        return np.asarray((part.X if feature_map is None else feature_map.for_pairs(part.X)) @ coefs)

    with one_blas_thread():
        return for_each(block.parts(PART_ROWS), of_part)
