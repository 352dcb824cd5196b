"""Boosted trees that use one feature each: their sum is one step curve, or one effect per category, per feature."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from glassrank.core.additive.categories import MAX_CODES, NUMBERED, OPEN
from glassrank.core.additive.curves import FLAT, StepCurve, TreeCategoryCurve
from glassrank.core.additive.effects import Curve
from glassrank.core.checks import DataError, FloatArray
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


@dataclass
class _Sums:
    """Sums over the trees of one feature."""

    jumps: dict[float, float] = field(default_factory=dict)
    first: float = 0.0
    missing: float = 0.0

    def add(self, tree: Tree) -> None:
        thresholds = sorted(_thresholds(tree))
        # Each threshold is the last value before its jump; infinity lies beyond them all.
        levels = [_route(tree, value) for value in [*thresholds, np.inf]]
        self.first += levels[0]
        self.missing += _route(tree, np.nan)
        for threshold, jump in zip(thresholds, np.diff(levels), strict=True):
            self.jumps[threshold] = self.jumps.get(threshold, 0.0) + float(jump)

    def curve(self, single_precision: bool) -> Curve:
        if not self.jumps:
            return FLAT
        thresholds = np.array(sorted(self.jumps))
        levels = self.first + np.cumsum([0.0, *(self.jumps[threshold] for threshold in thresholds)])
        return StepCurve(thresholds, levels, self.missing, single_precision)


def step_curves(
    model: str,
    trees: Iterable[Tree],
    n_features: int,
    *,
    remedy: str,
    single_precision: bool = False,
    categories: Mapping[int, TreeCategories] | None = None,
) -> tuple[tuple[Curve, ...], float]:
    """Sum trees to one curve per feature and a constant; a tree of several features causes an error.

    ``categories`` are those of the categorical features, by number; all others are numbers.
    """
    own = categories or {}
    sums = [_Sums() for _ in range(n_features)]
    effects = {k: np.zeros(len(some.names) + 2) for k, some in own.items()}
    constant = 0.0
    for number, tree in enumerate(trees):
        if isinstance(tree, Leaf):
            constant += tree.value
            continue
        k = _only_feature(model, tree, number, remedy)
        _check_kind(model, tree, k, CategorySplit if k in own else Split)
        if k in own:
            effects[k] += _effects_of_codes(tree, len(own[k].names))
        else:
            sums[k].add(tree)
    curves = (own[k].curve(effects[k]) if k in own else sums[k].curve(single_precision) for k in range(n_features))
    return tuple(curves), constant


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


def _only_feature(model: str, tree: Tree, number: int, remedy: str) -> int:
    features = _features(tree)
    if len(features) > 1:
        raise refuse(
            model, f"tree {number} uses the features {', '.join(map(str, sorted(features)))} (counted from 0)", remedy
        )
    return features.pop()


def _features(tree: Tree) -> set[int]:
    return set() if isinstance(tree, Leaf) else {tree.feature} | _features(tree.left) | _features(tree.right)


def _check_kind(model: str, tree: Tree, k: int, kind: type) -> None:
    """Raise an error if trees treat a feature both as a number and as a category, as after continued training."""
    if isinstance(tree, Leaf):
        return
    if not isinstance(tree, kind):
        raise refuse(
            model,
            f"feature {k} (counted from 0) is a number in some trees and a category in others",
            "Train all trees with the same categorical features.",
        )
    for child in (tree.left, tree.right):
        _check_kind(model, child, k, kind)


def _thresholds(tree: Tree) -> set[float]:
    if not isinstance(tree, Split):
        return set()
    return {tree.threshold} | _thresholds(tree.left) | _thresholds(tree.right)


def _route(tree: Tree, value: float) -> float:
    while isinstance(tree, Split):
        left = tree.missing_left if np.isnan(value) else value <= tree.threshold
        tree = tree.left if left else tree.right
    return tree.value if isinstance(tree, Leaf) else np.nan


def _effects_of_codes(tree: Tree, n_codes: int) -> FloatArray:
    """Return the leaf of each code, of other codes and of missing values."""
    if not isinstance(tree, CategorySplit):
        return np.full(n_codes + 2, tree.value if isinstance(tree, Leaf) else np.nan)
    left = np.zeros(n_codes + 2, dtype=bool)
    left[[*tree.codes]] = True
    left[-2:] = tree.unseen_left, tree.missing_left
    return np.where(left, _effects_of_codes(tree.left, n_codes), _effects_of_codes(tree.right, n_codes))
