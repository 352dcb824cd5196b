"""LightGBM's boosted trees, read from the model dump."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from glassrank.core.additive.categories import category_name
from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.nomograms.adapters.boosted_trees import (
    CategorySplit,
    Leaf,
    Split,
    Tree,
    TreeCategories,
    names_of_categories,
    numbered_categories,
    sum_trees,
    used_codes,
)
from glassrank.nomograms.adapters.terms import Terms, outcome_of

# Objectives whose predictions are the sum of the trees, or its sigmoid.
PLAIN = (
    *("regression", "regression_l1", "huber", "fair", "quantile", "mape", "lambdarank", "rank_xendcg"),
    *("none", "custom"),
)
SIGMOID = ("binary", "cross_entropy")
REMEDY = (
    f"Train with {setting('max_depth', 1)} for trees of one feature, or with {setting('max_depth', 2)} for trees of "
    f"two; {setting('interaction_constraints', [[0], [1], ...])} limits the features of deeper trees",
    f"explain a pair with {setting('explain_pair')}, which takes all trees",
    f"imitate the ranker by curves with {setting('additive_surrogate')}",
)


def lightgbm_model(model: Any) -> Terms:
    """LGBMRanker, LGBMRegressor or LGBMClassifier: the trees of its booster."""
    outcome = outcome_of(model) if hasattr(model, "classes_") else ""
    return _terms(type(model).__name__, model.booster_, outcome)


def lightgbm_booster(model: Any) -> Terms:
    """A Booster; with a binary objective, the positive class is 1."""
    return _terms("Booster", model, "1")


def _terms(kind: str, booster: Any, outcome: str) -> Terms:
    dump = booster.dump_model()
    if dump["num_tree_per_iteration"] != 1:
        raise DataError(
            f"A class nomogram shows one class against another: {kind} has {dump['num_tree_per_iteration']} outputs.",
            remedy="Fit one model for each class (y == label).",
        )
    objective, *options = dump.get("objective", "custom").split(" ")
    if objective not in (*PLAIN, *SIGMOID) or "sqrt" in options:
        raise DataError(
            f"{kind} predicts a function of the sum of its trees (objective {dump['objective']!r}): expected one of "
            f"{', '.join(PLAIN + SIGMOID)}.",
            remedy="Fit it with one of these.",
        )
    # LightGBM gives these names to columns without names.
    named = any(name != f"Column_{k}" for k, name in enumerate(dump["feature_names"]))
    trees = [lightgbm_tree(kind, tree["tree_structure"]) for tree in dump["tree_info"]]
    n_features = dump["max_feature_idx"] + 1
    categories = _categories(kind, booster, dump, trees)
    sums = sum_trees(kind, trees, n_features, remedy=REMEDY, categories=categories)
    names = tuple(dump["feature_names"]) if named else None
    terms = sums.terms(0.0, names, categories=names_of_categories(categories, n_features))
    if dump.get("average_output"):
        terms = terms.scaled(1.0 / max(1, len(trees)))
    if objective not in SIGMOID:
        return terms
    factor = next((float(option.split(":")[1]) for option in options if option.startswith("sigmoid:")), 1.0)
    return replace(terms.scaled(factor, unit="log-odds"), subject="class", outcome=outcome)


def lightgbm_tree(kind: str, node: dict[str, Any]) -> Tree:
    """Read the part of a dumped tree below a node."""
    if "leaf_value" in node:
        if "leaf_coeff" in node:
            raise DataError(
                f"{kind} has linear functions in its leaves.", remedy=f"Fit it with {setting('linear_tree', False)}."
            )
        return Leaf(float(node["leaf_value"]))
    if node["decision_type"] == "==":
        codes = frozenset(map(int, node["threshold"].split("||")))
        # Codes of no category and missing values are in no set, whatever the default direction.
        left, right = _children(kind, node)
        return CategorySplit(int(node["split_feature"]), codes, False, left, right)
    if node["missing_type"] == "Zero":
        raise DataError(
            f"{kind} treats zero as a missing value.", remedy=f"Fit it with {setting('zero_as_missing', False)}."
        )
    threshold = float(node["threshold"])
    # If the training data have no missing values, LightGBM treats a missing value as 0.
    missing_left = bool(node["default_left"]) if node["missing_type"] == "NaN" else threshold >= 0.0
    left, right = _children(kind, node)
    return Split(int(node["split_feature"]), threshold, missing_left, left, right)


def _children(kind: str, node: dict[str, Any]) -> Iterator[Tree]:
    return (lightgbm_tree(kind, node[side]) for side in ("left_child", "right_child"))


def _categories(kind: str, booster: Any, dump: dict[str, Any], trees: list[Tree]) -> dict[int, TreeCategories]:
    """Return the categorical features: with names if the model was trained on a data frame of categories."""
    declared = re.search(r"^\[categorical_feature: ([\d,]+)\]$", booster.model_to_string(num_iteration=1), re.MULTILINE)
    used = used_codes(trees)
    columns = sorted({*used, *(map(int, declared[1].split(",")) if declared else ())})
    named = dump.get("pandas_categorical") or []
    if not named:
        seen = {k: _largest_code(dump, k) for k in columns}
        return {k: numbered_categories(kind, max(seen[k], used.get(k, 0)) + 1, np.trunc) for k in columns}
    if len(named) != len(columns):
        raise DataError(
            f"{kind} was trained on a data frame with {len(named)} columns of categories and treats {len(columns)} as "
            "such.",
            remedy="Convert ordered categories to numbers before training, and other columns to categories.",
        )
    return {k: TreeCategories(tuple(map(category_name, own))) for k, own in zip(columns, named, strict=True)}


def _largest_code(dump: dict[str, Any], k: int) -> int:
    """Return the largest code of a feature in training; features with one value only are not listed."""
    info = dump["feature_infos"].get(dump["feature_names"][k], {})
    return int(max(info.get("values") or [0]))
