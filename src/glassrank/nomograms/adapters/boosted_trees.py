"""Boosted trees of one or two features each: their sum is a step curve per feature, and a table per two features."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from glassrank.core.additive.categories import MAX_CODES, NUMBERED, OPEN
from glassrank.core.additive.curves import FLAT, StepCurve, TreeCategoryCurve
from glassrank.core.additive.effects import Curve
from glassrank.core.additive.interactions import Interaction, StateAxis, n_states, step_axis, with_levels
from glassrank.core.checks import BoolArray, DataError, FloatArray
from glassrank.core.setting import setting
from glassrank.nomograms.adapters.terms import Terms, refuse

MAX_CELLS = 2**21  # of a table of two features


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


@dataclass(frozen=True)
class CategorySplit:
    """These codes go left, others right; missing values and codes of no category go left if the flags say so."""

    feature: int
    codes: frozenset[int]
    missing_left: bool
    left: "Tree"
    right: "Tree"
    unseen_left: bool = False


Tree = Leaf | Split | CategorySplit


@dataclass(frozen=True)
class TreeCategories:
    """The categories of one feature of a tree model: names of the codes 0, 1, 2 … and how values become codes."""

    names: tuple[str, ...]
    coding: str = OPEN
    whole: Callable[[FloatArray], FloatArray] = np.trunc
    complete: bool = True

    def curve(self, effects: FloatArray) -> TreeCategoryCurve:
        """Return the curve of the effects of all codes, followed by those of other codes and of missing values."""
        *levels, unseen, missing = effects.tolist()
        return TreeCategoryCurve(np.array(levels), unseen, missing, self.coding, self.whole, self.complete)


def numbered_categories(
    model: str, n_codes: int, whole: Callable[[FloatArray], FloatArray], *, complete: bool = True
) -> TreeCategories:
    """Return the categories of a model that knows them by code only; too many codes cause an error."""
    if n_codes > MAX_CODES:
        raise DataError(
            f"{model} has the category code {n_codes - 1}: expected codes below {MAX_CODES}.",
            remedy="Number the categories from 0 without gaps.",
        )
    return TreeCategories(tuple(map(str, range(max(1, n_codes)))), NUMBERED, whole, complete)


def names_of_categories(categories: Mapping[int, TreeCategories], n_features: int) -> tuple[tuple[str, ...], ...]:
    """Return the names of the categories of each feature, as in ``Terms``."""
    return tuple(categories[k].names if k in categories else () for k in range(n_features)) if categories else ()


@dataclass(frozen=True, eq=False)
class TreeSums:
    """Sums of boosted trees: one curve per feature, what two features add together, and a constant."""

    curves: tuple[Curve, ...]
    interactions: tuple[Interaction, ...]
    constant: float

    def terms(self, start: float, names: tuple[str, ...] | None, **described: Any) -> Terms:
        """Return the terms of ``start`` plus all trees, described as in ``Terms``."""
        return Terms(self.curves, start + self.constant, names, interactions=self.interactions, **described)


def sum_trees(
    model: str,
    trees: Iterable[Tree],
    n_features: int,
    *,
    remedy: str | tuple[str, ...],
    single_precision: bool = False,
    categories: Mapping[int, TreeCategories] | None = None,
) -> TreeSums:
    """Sum the trees of each feature and of each two features.

    A tree may use more features, if no path from its root to a leaf uses more than two: it then is a sum of trees with
    one or two features. A path of three or more features causes an error.

    ``categories`` are those of the categorical features, by number; all others are numbers.
    """
    own = categories or {}
    of_features: dict[tuple[int, ...], list[Tree]] = {}
    for number, tree in enumerate(trees):
        _check_kinds(model, tree, own)
        for part in _parts(tree):
            features = tuple(sorted(_features(part)))
            if len(features) > 2:
                what = f"tree {number} combines the features {_listed(features)} (counted from 0)"
                raise refuse(model, what, remedy)
            of_features.setdefault(features, []).append(part)
    curves: list[Curve] = [FLAT] * n_features
    interactions, constant = [], 0.0
    for features, some in sorted(of_features.items()):
        axes = {k: _axis(k, some, own, single_precision) for k in features}
        _check_size(model, axes)
        table = sum((_table(tree, axes) for tree in some), start=np.zeros(()))
        if len(features) == 2:
            first, second = features
            interactions.append(Interaction(first, second, axes[first], axes[second], table))
        elif features:
            curves[features[0]] = with_levels(axes[features[0]], table)
        else:
            constant = float(table)
    for k in own:
        # A category that no tree splits alone still has categories.
        if curves[k] is FLAT:
            curves[k] = own[k].curve(np.zeros(len(own[k].names) + 2))
    return TreeSums(tuple(curves), tuple(interactions), constant)


def _parts(tree: Tree) -> list[Tree]:
    """Split a tree of three or more features into trees that add up to it, one per branch that needs them."""
    if isinstance(tree, Leaf) or len(_features(tree)) <= 2:
        return [tree]
    left: list[Tree] = [replace(tree, left=part, right=Leaf(0.0)) for part in _parts(tree.left)]
    return left + [replace(tree, left=Leaf(0.0), right=part) for part in _parts(tree.right)]


def _axis(k: int, trees: list[Tree], categories: Mapping[int, TreeCategories], single_precision: bool) -> StateAxis:
    """Return the states of a feature that the trees distinguish."""
    if k in categories:
        return categories[k].curve(np.arange(len(categories[k].names) + 2.0))
    thresholds = set[float]().union(*(_thresholds(tree, k) for tree in trees))
    return step_axis(np.array(sorted(thresholds)), single_precision)


def _check_size(model: str, axes: Mapping[int, StateAxis]) -> None:
    if math.prod(map(n_states, axes.values())) > MAX_CELLS:
        raise DataError(
            f"{model} has trees of the features {_listed(tuple(axes))} (counted from 0) with "
            f"{' times '.join(f'{n_states(axis):,}' for axis in axes.values())} values: more than {MAX_CELLS:,} cells.",
            remedy=f"Train with fewer bins, such as {setting('max_bin', 255)}.",
        )


def _table(tree: Tree, axes: Mapping[int, StateAxis]) -> FloatArray:
    """Return the leaf of each combination of the features' states."""
    if isinstance(tree, Leaf):
        return np.full([n_states(axis) for axis in axes.values()], tree.value)
    left = _goes_left(tree, axes[tree.feature])
    across = [1] * len(axes)
    across[list(axes).index(tree.feature)] = -1
    return np.where(left.reshape(across), _table(tree.left, axes), _table(tree.right, axes))


def _goes_left(split: Split | CategorySplit, axis: StateAxis) -> BoolArray:
    """Whether each state of a feature goes left."""
    if isinstance(split, Split) and isinstance(axis, StepCurve):
        return np.array([*(axis.thresholds <= split.threshold), False, split.missing_left])
    left = np.zeros(n_states(axis), dtype=bool)
    if isinstance(split, CategorySplit):
        left[[*split.codes]] = True
        left[-2:] = split.unseen_left, split.missing_left
    return left


def used_codes(trees: Iterable[Tree]) -> dict[int, int]:
    """Return the largest code by which trees split each categorical feature, by the feature's number."""
    largest: dict[int, int] = {}
    for tree in trees:
        if isinstance(tree, Leaf):
            continue
        parts = used_codes((tree.left, tree.right))
        if isinstance(tree, CategorySplit):
            parts[tree.feature] = max(*tree.codes, parts.get(tree.feature, 0), 0)
        for k, code in parts.items():
            largest[k] = max(largest.get(k, 0), code)
    return largest


def _features(tree: Tree) -> set[int]:
    return set() if isinstance(tree, Leaf) else {tree.feature} | _features(tree.left) | _features(tree.right)


def _listed(features: tuple[int, ...]) -> str:
    return ", ".join(map(str, features))


def _check_kinds(model: str, tree: Tree, categories: Mapping[int, TreeCategories]) -> None:
    """Raise an error if trees treat a feature both as a number and as a category, as after continued training."""
    if isinstance(tree, Leaf):
        return
    if isinstance(tree, CategorySplit) != (tree.feature in categories):
        raise refuse(
            model,
            f"feature {tree.feature} (counted from 0) is a number in some trees and a category in others",
            "Train all trees with the same categorical features.",
        )
    for child in (tree.left, tree.right):
        _check_kinds(model, child, categories)


def _thresholds(tree: Tree, k: int) -> set[float]:
    if isinstance(tree, Leaf):
        return set()
    own = {tree.threshold} if isinstance(tree, Split) and tree.feature == k else set()
    return own | _thresholds(tree.left, k) | _thresholds(tree.right, k)
