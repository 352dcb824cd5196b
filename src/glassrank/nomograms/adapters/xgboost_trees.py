"""XGBoost's boosted trees, read from the model's JSON."""

import json
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import logit

from glassrank.core.additive.curves import whole_codes_of_singles
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
from glassrank.ranking.tree_rankers import xgboost_levels

# Objectives whose predictions are the sum of the trees, or its sigmoid.
PLAIN = (
    *("rank:ndcg", "rank:map", "rank:pairwise", "reg:squarederror", "reg:linear", "reg:absoluteerror"),
    *("reg:pseudohubererror", "reg:quantileerror", "reg:squaredlogerror"),
)
SIGMOID = ("binary:logistic", "reg:logistic")
REMEDY = (
    f"Train with {setting('max_depth', 1)} for trees of one feature, or with {setting('max_depth', 2)} for trees of "
    f"two; {setting('interaction_constraints', '[[0], [1], ...]')} limits the features of deeper trees",
    f"explain a pair with {setting('explain_pair')}, which takes all trees",
    f"imitate the ranker by curves with {setting('additive_surrogate')}",
)
LEAF = -1
BY_CATEGORY = 1


def xgboost_model(model: Any) -> Terms:
    """XGBRanker, XGBRegressor or XGBClassifier: its trees up to the best iteration, if training stopped early."""
    kind = type(model).__name__
    if not (isinstance(model.missing, float) and math.isnan(model.missing)):
        raise DataError(
            f"{kind} treats the value {model.missing} as missing.", remedy="Replace it by NaN and leave out missing."
        )
    outcome = outcome_of(model) if hasattr(model, "classes_") else ""
    return _terms(kind, model.get_booster(), outcome, until_best=True)


def xgboost_booster(model: Any) -> Terms:
    """A Booster with all its trees; with a binary objective, the positive class is 1."""
    return _terms("Booster", model, "1", until_best=False)


def _terms(kind: str, booster: Any, outcome: str, until_best: bool) -> Terms:
    learner = json.loads(booster.save_raw("json"))["learner"]
    _check(kind, learner)
    model, n_features = learner["gradient_booster"]["model"], int(learner["learner_model_param"]["num_feature"])
    trees = [_XGBoostTree.of(tree).tree(0) for tree in model["trees"][: _n_trees(learner, until_best)]]
    categories = _categories(kind, learner, trees)
    sums = sum_trees(kind, trees, n_features, remedy=REMEDY, single_precision=True, categories=categories)
    base = float(np.float32(learner["learner_model_param"]["base_score"].strip("[]")))
    names = tuple(learner.get("feature_names", ())) or None
    terms = sums.terms(base, names, categories=names_of_categories(categories, n_features))
    if learner["objective"]["name"] not in SIGMOID:
        return terms
    return replace(
        terms, constant=sums.constant + float(logit(base)), unit="log-odds", subject="class", outcome=outcome
    )


def _check(kind: str, learner: dict[str, Any]) -> None:
    """Raise an error unless the output is the sum of trees, each with the same weight, or its sigmoid."""
    booster, objective = learner["gradient_booster"]["name"], learner["objective"]["name"]
    sizes = learner["learner_model_param"]
    n_outputs = max(int(sizes["num_class"]), int(sizes.get("num_target", 1)))
    if booster != "gbtree":
        raise DataError(f"{kind} has the booster {booster!r}.", remedy=f"Fit it with {setting('booster', 'gbtree')}.")
    if n_outputs > 1:
        raise DataError(
            f"A class nomogram shows one class against another: {kind} has {n_outputs} outputs.",
            remedy="Fit one model for each class (y == label).",
        )
    if objective not in (*PLAIN, *SIGMOID):
        raise DataError(
            f"{kind} has the objective {objective!r}: expected one of {', '.join(PLAIN + SIGMOID)}.",
            remedy="Fit it with one of these.",
        )


def _n_trees(learner: dict[str, Any], until_best: bool) -> int:
    model, best = learner["gradient_booster"]["model"], learner["attributes"].get("best_iteration")
    if not until_best or best is None:
        return len(model["trees"])
    per_iteration = int(model["gbtree_model_param"]["num_parallel_tree"])
    return (int(best) + 1) * max(1, per_iteration)


def _categories(kind: str, learner: dict[str, Any], trees: list[Tree]) -> dict[int, TreeCategories]:
    """Return the categorical features: with names if the model was trained on a data frame of categories."""
    declared = {k for k, one in enumerate(learner.get("feature_types", ())) if one == "c"}
    used = used_codes(trees)
    # One entry per feature; empty for numbers, and missing if the model was trained on codes.
    stored = learner["gradient_booster"]["model"].get("cats", {}).get("enc", [])
    named = {k: names for k, entry in enumerate(stored) if (names := xgboost_levels(entry))}
    # A category that goes left in every tree appears in none of the sets: the model does not list its codes.
    return {
        k: TreeCategories(named[k], whole=whole_codes_of_singles)
        if k in named
        else numbered_categories(kind, used.get(k, 0) + 1, whole_codes_of_singles, complete=False)
        for k in sorted(declared | set(used))
    }


@dataclass(frozen=True)
class _XGBoostTree:
    """One tree as XGBoost stores it: arrays with one entry per node."""

    arrays: dict[str, list[Any]]
    sets: dict[int, frozenset[int]]
    """Codes that go right, by node."""

    @classmethod
    def of(cls, tree: dict[str, Any]) -> "_XGBoostTree":
        segments = zip(tree["categories_nodes"], tree["categories_segments"], tree["categories_sizes"], strict=True)
        return cls(tree, {node: frozenset(tree["categories"][at : at + size]) for node, at, size in segments})

    def tree(self, node: int) -> Tree:
        """Read the part of the tree below a node."""
        value = np.float32(self.arrays["split_conditions"][node])
        if self.arrays["left_children"][node] == LEAF:
            return Leaf(float(value))
        left, right = (self.tree(self.arrays[side][node]) for side in ("left_children", "right_children"))
        k, missing_left = int(self.arrays["split_indices"][node]), bool(self.arrays["default_left"][node])
        if self.arrays["split_type"][node] == BY_CATEGORY:
            return CategorySplit(k, self.sets[node], not missing_left, right, left)
        # x < threshold in 32 bits is the same as x ≤ the number before it.
        return Split(k, float(np.nextafter(value, np.float32(-np.inf))), missing_left, left, right)
