"""Boosted trees that use one feature each: their sum is one step curve per feature."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from glassrank.core.additive.curves import FLAT, StepCurve
from glassrank.core.additive.effects import Curve
from glassrank.core.checks import DataError
from glassrank.nomograms.adapters.terms import refuse


@dataclass(frozen=True)
class Leaf:
    """The value that a tree adds to the output."""

    value: float


@dataclass(frozen=True)
class Split:
    """Values up to the threshold go left, others right; missing ones go left if ``missing_left``."""

    feature: int
    threshold: float
    missing_left: bool
    left: "Tree"
    right: "Tree"


Tree = Leaf | Split


def step_curves(
    model: str, trees: Iterable[Tree], n_features: int, *, remedy: str, single_precision: bool = False
) -> tuple[tuple[Curve, ...], float]:
    """Sum trees to one step curve per feature and a constant; a tree of several features causes an error."""
    jumps: list[dict[float, float]] = [{} for _ in range(n_features)]
    first, missing = np.zeros(n_features), np.zeros(n_features)
    constant = 0.0
    for number, tree in enumerate(trees):
        if isinstance(tree, Leaf):
            constant += tree.value
            continue
        k = _only_feature(model, tree, number, remedy)
        thresholds = sorted(_thresholds(tree))
        # Each threshold is the last value before its jump; infinity lies beyond them all.
        levels = [_route(tree, value) for value in [*thresholds, np.inf]]
        first[k] += levels[0]
        missing[k] += _route(tree, np.nan)
        for threshold, jump in zip(thresholds, np.diff(levels), strict=True):
            jumps[k][threshold] = jumps[k].get(threshold, 0.0) + float(jump)
    curves = tuple(_curve(jumps[k], first[k], missing[k], single_precision) for k in range(n_features))
    return curves, constant


def _curve(jumps: dict[float, float], first: float, missing: float, single_precision: bool) -> Curve:
    if not jumps:
        return FLAT
    thresholds = np.array(sorted(jumps))
    levels = first + np.cumsum([0.0, *(jumps[threshold] for threshold in thresholds)])
    return StepCurve(thresholds, levels, missing, single_precision)


def _only_feature(model: str, tree: Split, number: int, remedy: str) -> int:
    features = _features(tree)
    if len(features) > 1:
        raise refuse(
            model, f"tree {number} uses the features {', '.join(map(str, sorted(features)))} (counted from 0)", remedy
        )
    return features.pop()


def _features(tree: Tree) -> set[int]:
    return set() if isinstance(tree, Leaf) else {tree.feature} | _features(tree.left) | _features(tree.right)


def _thresholds(tree: Tree) -> set[float]:
    return set() if isinstance(tree, Leaf) else {tree.threshold} | _thresholds(tree.left) | _thresholds(tree.right)


def _route(tree: Tree, value: float) -> float:
    while isinstance(tree, Split):
        left = tree.missing_left if np.isnan(value) else value <= tree.threshold
        tree = tree.left if left else tree.right
    return tree.value


def refuse_categories(model: str) -> DataError:
    """Return the error for splits by sets of categories."""
    return DataError(
        f"{model} splits by sets of categories, which is not supported: put an OrdinalEncoder or OneHotEncoder before "
        "it in a Pipeline instead of declaring categorical features."
    )
