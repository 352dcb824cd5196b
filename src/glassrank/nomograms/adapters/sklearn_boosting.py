"""scikit-learn's gradient boosting with trees that use one feature each."""

from typing import Any

import numpy as np
from scipy.special import logit

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.nomograms.adapters.one_feature_trees import Leaf, Split, Tree, refuse_categories, step_curves
from glassrank.nomograms.adapters.terms import Terms, names_of, outcome_of

STUMPS = f"Train with {setting('max_depth', 1)}, so that each tree uses one feature."
NO_INTERACTIONS = f"Train with {setting('max_depth', 1)}, or with {setting('interaction_cst', 'no_interactions')}."
LEAF = -1
# With these losses, predict returns the exponential of the sum of the trees.
EXPONENTIAL_LINKS = ("poisson", "gamma")


def gradient_boosting_regressor(model: Any) -> Terms:
    """predict(x) = initial prediction + learning rate · Σ trees."""
    curves, constant = _stumps(model)
    start = 0.0 if _starts_at_zero(model) else float(model.init_.predict(np.zeros((1, 1)))[0])
    return Terms(curves, start + constant, names_of(model))


def gradient_boosting_classifier(model: Any) -> Terms:
    """Log-odds of the second class; with the exponential loss, the trees add up to half of them."""
    outcome = outcome_of(model)
    curves, constant = _stumps(model)
    exponential = model.loss == "exponential"
    start = 0.0
    if not _starts_at_zero(model):
        smallest = np.finfo(np.float32).eps
        share = np.clip(model.init_.predict_proba(np.zeros((1, 1)))[0, 1], smallest, 1.0 - smallest)
        start = float(logit(share)) * (0.5 if exponential else 1.0)
    terms = Terms(curves, start + constant, names_of(model), subject="class", outcome=outcome)
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
    if model.is_categorical_ is not None and np.any(model.is_categorical_):
        raise refuse_categories(kind)
    trees = (_hist_tree(predictor.nodes, 0) for (predictor,) in model._predictors)
    curves, constant = step_curves(kind, trees, model.n_features_in_, remedy=NO_INTERACTIONS)
    start = float(np.ravel(model._baseline_prediction)[0])
    return Terms(curves, start + constant, names_of(model), **described)


def _stumps(model: Any) -> Any:
    trees = (sklearn_tree(stage[0].tree_, 0, float(model.learning_rate)) for stage in model.estimators_)
    kind = type(model).__name__
    return step_curves(kind, trees, model.n_features_in_, remedy=STUMPS, single_precision=True)


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


def _hist_tree(nodes: Any, number: int) -> Tree:
    node = nodes[number]
    if node["is_leaf"]:
        return Leaf(float(node["value"]))
    left, right = (_hist_tree(nodes, int(node[side])) for side in ("left", "right"))
    return Split(int(node["feature_idx"]), float(node["num_threshold"]), bool(node["missing_go_to_left"]), left, right)
