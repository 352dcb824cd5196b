"""Convert boosted trees of scikit-learn and LightGBM to the arrays of a decision."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.special import logit

from glassrank.core.checks import DataError
from glassrank.navigational.decisions import LEAF, TreesDecision
from glassrank.nomograms.adapters.boosted_trees import CategorySplit, Leaf, Tree
from glassrank.nomograms.adapters.lightgbm_trees import lightgbm_tree
from glassrank.nomograms.adapters.sklearn_boosting import sklearn_tree


def read_sklearn_trees(model: Any) -> TreesDecision:
    """Read the initial value and the trees of scikit-learn; values are compared in 32 bits."""
    rate = float(model.learning_rate)
    trees = (sklearn_tree(stage[0].tree_, 0, rate) for stage in model.estimators_)
    return _in_one_row(trees, float(logit(model.init_.class_prior_[1])), single_precision=True)


def read_lightgbm_trees(model: Any) -> TreesDecision:
    """Read the trees of LightGBM, the first of which includes the initial value; values are compared in 64 bits."""
    dumped = model.booster_.dump_model()["tree_info"]
    trees = (lightgbm_tree("LightGBM", tree["tree_structure"]) for tree in dumped)
    return _in_one_row(trees, 0.0, single_precision=False)


def _in_one_row(trees: Iterable[Tree], start: float, *, single_precision: bool) -> TreesDecision:
    nodes = _Nodes()
    roots = [nodes.add(tree) for tree in trees]
    return TreesDecision(
        np.array(roots, dtype=np.int64),
        np.array(nodes.features, dtype=np.int64),
        np.array(nodes.thresholds, dtype=np.float64),
        np.array(nodes.left, dtype=np.int64),
        np.array(nodes.right, dtype=np.int64),
        np.array(nodes.values, dtype=np.float64),
        start,
        single_precision,
    )


class _Nodes:
    """Concatenated nodes of trees, each before its children."""

    def __init__(self) -> None:
        self.features: list[int] = []
        self.thresholds: list[float] = []
        self.left: list[int] = []
        self.right: list[int] = []
        self.values: list[float] = []

    def add(self, tree: Tree) -> int:
        """Append a tree, and return the index of its root."""
        place = len(self.features)
        if isinstance(tree, Leaf):
            self._append(0, 0.0, tree.value)
        elif isinstance(tree, CategorySplit):
            raise DataError("The trees split by sets of categories: expected thresholds only.")
        else:
            self._append(tree.feature, tree.threshold, 0.0)
            self.left[place], self.right[place] = self.add(tree.left), self.add(tree.right)
        return place

    def _append(self, feature: int, threshold: float, value: float) -> None:
        self.features.append(feature)
        self.thresholds.append(threshold)
        self.values.append(value)
        self.left.append(LEAF)
        self.right.append(LEAF)
