"""scikit-learn's gradient boosting with trees that use one feature each."""

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from scipy.special import logit

from glassrank.core.additive.categories import MAX_CODES, category_name
from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.nomograms.adapters.boosted_trees import (
    CategorySplit,
    Leaf,
    Split,
    Tree,
    TreeCategories,
    TreeSums,
    names_of_categories,
    numbered_categories,
    sum_trees,
)
from glassrank.nomograms.adapters.terms import Terms, names_of, outcome_of

STUMPS = (
    f"Train with {setting('max_depth', 1)} for trees of one feature, or with {setting('max_depth', 2)} for trees of "
    "two."
)
NO_INTERACTIONS = (
    f"Train with {setting('interaction_cst', 'no_interactions')} for trees of one feature, or with "
    f"{setting('interaction_cst', 'pairwise')} for trees of two."
)
LEAF = -1
# With these losses, predict returns the exponential of the sum of the trees.
EXPONENTIAL_LINKS = ("poisson", "gamma")


def gradient_boosting_regressor(model: Any) -> Terms:
    """predict(x) = initial prediction + learning rate · Σ trees."""
    start = 0.0 if _starts_at_zero(model) else float(model.init_.predict(np.zeros((1, 1)))[0])
    return _sums(model).terms(start, names_of(model))


def gradient_boosting_classifier(model: Any) -> Terms:
    """Log-odds of the second class; with the exponential loss, the trees add up to half of them."""
    outcome = outcome_of(model)
    exponential = model.loss == "exponential"
    start = 0.0
    if not _starts_at_zero(model):
        smallest = np.finfo(np.float32).eps
        share = np.clip(model.init_.predict_proba(np.zeros((1, 1)))[0, 1], smallest, 1.0 - smallest)
        start = float(logit(share)) * (0.5 if exponential else 1.0)
    terms = _sums(model).terms(start, names_of(model), subject="class", outcome=outcome)
    return terms.scaled(2.0 if exponential else 1.0, unit="log-odds")


def hist_gradient_boosting(model: Any) -> Terms:
    """Initial prediction + Σ trees: log-odds of the second class, or the prediction of a regressor."""
    kind = type(model).__name__
    described: dict[str, Any] = {}
    if hasattr(model, "classes_"):
        described = {"unit": "log-odds", "subject": "class", "outcome": outcome_of(model)}
    elif model.loss in EXPONENTIAL_LINKS:
        raise DataError(
            f"{kind} with the loss {model.loss!r} predicts the exponential of the sum of its trees.",
            remedy=f"Fit it to log(y) with {setting('loss', 'squared_error')}.",
        )
    reader = _HistReader.of(model)
    trees = (reader.tree(predictor, 0) for (predictor,) in model._predictors)
    n_features = model.n_features_in_
    sums = sum_trees(kind, trees, n_features, remedy=NO_INTERACTIONS, categories=reader.categories)
    start = float(np.ravel(model._baseline_prediction)[0])
    described["categories"] = names_of_categories(reader.categories, n_features)
    return sums.terms(start, names_of(model), **described)


def _sums(model: Any) -> TreeSums:
    trees = (sklearn_tree(stage[0].tree_, 0, float(model.learning_rate)) for stage in model.estimators_)
    kind = type(model).__name__
    return sum_trees(kind, trees, model.n_features_in_, remedy=STUMPS, single_precision=True)


def _starts_at_zero(model: Any) -> bool:
    if isinstance(model.init, str):
        return True
    if model.init is not None:
        raise DataError(
            f"{type(model).__name__} starts from another model, {model.init!r}, which is not part of the trees.",
            remedy=f"Fit it with {setting('init', None)} or {setting('init', 'zero')}.",
        )
    return False


def sklearn_tree(tree: Any, node: int, learning_rate: float) -> Tree:
    """Read the part of a fitted tree below a node."""
    if tree.children_left[node] == LEAF:
        return Leaf(learning_rate * float(tree.value[node, 0, 0]))
    children = (tree.children_left[node], tree.children_right[node])
    left, right = (sklearn_tree(tree, int(child), learning_rate) for child in children)
    return Split(int(tree.feature[node]), float(tree.threshold[node]), False, left, right)


@dataclass(frozen=True)
class _HistReader:
    """Reads trees of histogram boosting, whose features are the input columns in another order: categories first."""

    columns: list[int]
    """Input column of each feature of the trees."""
    categories: dict[int, TreeCategories]
    """Those of the categorical input columns."""
    codes: dict[int, list[int]]
    """For each categorical input column, the code of each category that the model encodes as 0, 1, 2 …"""

    @classmethod
    def of(cls, model: Any) -> "_HistReader":
        if model.is_categorical_ is None or not np.any(model.is_categorical_):
            return cls(list(range(model.n_features_in_)), {}, {})
        own = np.flatnonzero(model.is_categorical_).tolist()
        encoder = model._preprocessor.named_transformers_["encoder"]
        # The encoder lists a missing value as the last category.
        values = [[one for one in found if one is not None and one == one] for found in encoder.categories_]
        described = {k: _hist_categories(type(model).__name__, some) for k, some in zip(own, values, strict=True)}
        return cls(
            [*own, *np.flatnonzero(~model.is_categorical_).tolist()],
            {k: some for k, (some, _) in described.items()},
            {k: codes for k, (_, codes) in described.items()},
        )

    def tree(self, predictor: Any, number: int) -> Tree:
        """Read the part of a tree below a node."""
        node = predictor.nodes[number]
        if node["is_leaf"]:
            return Leaf(float(node["value"]))
        left, right = (self.tree(predictor, int(node[side])) for side in ("left", "right"))
        k, missing_left = self.columns[int(node["feature_idx"])], bool(node["missing_go_to_left"])
        if not node["is_categorical"]:
            return Split(k, float(node["num_threshold"]), missing_left, left, right)
        words = predictor.raw_left_cat_bitsets[int(node["bitset_idx"])]
        codes = self.codes[k]
        chosen = [code for place, code in enumerate(codes) if words[place // 32] >> (place % 32) & 1]
        # Numbers between the codes in training are no categories: like unknown ones, they follow the missing values.
        others = set(range(len(self.categories[k].names))) - set(codes) if missing_left else set()
        return CategorySplit(k, frozenset([*chosen, *others]), missing_left, left, right, unseen_left=missing_left)


def _hist_categories(kind: str, values: list[Any]) -> tuple[TreeCategories, list[int]]:
    """Return categories and the code of each: whole numbers are their own codes, others are numbered."""
    numbers = all(isinstance(value, Real) and float(value) >= 0 and float(value).is_integer() for value in values)
    if numbers and max(values, default=0) < MAX_CODES:
        codes = [int(value) for value in values]
        return numbered_categories(kind, max(codes, default=0) + 1, np.positive), codes
    return TreeCategories(tuple(map(category_name, values))), list(range(len(values)))
