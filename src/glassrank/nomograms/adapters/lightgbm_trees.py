"""LightGBM's boosted trees, read from the model dump."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.nomograms.adapters.one_feature_trees import Leaf, Split, Tree, refuse_categories, step_curves
from glassrank.nomograms.adapters.terms import Terms, outcome_of

# Objectives whose predictions are the sum of the trees, or its sigmoid.
PLAIN = (
    *("regression", "regression_l1", "huber", "fair", "quantile", "mape", "lambdarank", "rank_xendcg"),
    *("none", "custom"),
)
SIGMOID = ("binary", "cross_entropy")
REMEDY = (
    f"Train with {setting('max_depth', 1)} ({setting('num_leaves', 2)}), or with "
    f"{setting('interaction_constraints', [[0], [1], ...])}, which lets each tree use one feature."
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
    curves, constant = step_curves(kind, trees, dump["max_feature_idx"] + 1, remedy=REMEDY)
    terms = Terms(curves, constant, tuple(dump["feature_names"]) if named else None)
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
    if node["decision_type"] != "<=":
        raise refuse_categories(kind)
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
