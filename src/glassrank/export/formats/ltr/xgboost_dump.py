"""Trees as XGBoost dumps them, which is what the LTR plugins read."""

import json
from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np

from glassrank.export.formats.ltr.column_trees import ColumnLeaf, Tree
from glassrank.export.formats.single_precision import shortest

OBJECTIVE = "rank:pairwise"  # one that adds up leaves, known to every version


def xgboost_dump(trees: Sequence[Tree]) -> str:
    """Return trees as JSON; a value below the split condition goes to ``yes``.

    >>> xgboost_dump([ColumnLeaf(0.5)])
    '{"objective":"rank:pairwise","splits":[{"nodeid":0,"leaf":0.5}]}'
    """
    splits = [_node(tree, 0, 0, count(1)) for tree in trees]
    return json.dumps({"objective": OBJECTIVE, "splits": splits}, separators=(",", ":"))


def _node(tree: Tree, number: int, depth: int, numbers: "count[int]") -> dict[str, Any]:
    if isinstance(tree, ColumnLeaf):
        return {"nodeid": number, "leaf": shortest(tree.value)}
    # XGBoost numbers the two children of a node one after the other, and relies on it.
    yes, no = next(numbers), next(numbers)
    # At most the threshold is the same as below the next 32-bit value.
    condition = np.nextafter(np.float32(tree.threshold), np.float32(np.inf))
    return {
        "nodeid": number,
        "depth": depth,
        "split": tree.column,
        "split_condition": shortest(float(condition)),
        "yes": yes,
        "no": no,
        "missing": yes,
        "children": [
            _node(tree.left, yes, depth + 1, numbers),
            _node(tree.right, no, depth + 1, numbers),
        ],
    }
