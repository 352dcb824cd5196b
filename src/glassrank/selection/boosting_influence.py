"""BoostingInfluenceSelector: rank features by the gain of their splits in boosted trees."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, Matrix, check_choice, check_positive
from glassrank.core.feature_kinds import FeatureKind
from glassrank.core.groups import Groups
from glassrank.core.input_types import RandomState
from glassrank.core.randomness import random_seed
from glassrank.ranking.named_rows import feature_names
from glassrank.selection.boosting_engines import (
    ENGINES,
    LIGHTGBM,
    SKLEARN,
    boosted_classifier,
    boosted_ranker,
    boosted_regressor,
)
from glassrank.selection.linear_columns import linear_columns
from glassrank.selection.selector import FeatureSelector
from glassrank.selection.single_precision_trees import fit_single_precision


@dataclass(frozen=True, eq=False)
class _TreeTask:
    """What the trees learn from: rows of features with their kinds, labels, queries and weights."""

    X: Matrix
    kinds: Sequence[FeatureKind]
    names: tuple[str, ...]
    labels: Any
    groups: Groups | None
    weights: FloatArray | None


def _sklearn(task: _TreeTask, settings: dict[str, Any]) -> FloatArray:
    """These trees need known numbers: they split the columns of levels and missing values."""
    made = linear_columns(task.X, task.kinds, task.names, task.weights)
    X = fit_single_precision(task.X if made is None else made(task.X))
    if task.groups is None:
        trees = boosted_classifier(SKLEARN, **settings).fit(X, task.labels, sample_weight=task.weights)
    else:
        centred = _centred(task.labels, task.groups, task.weights)
        trees = boosted_regressor(**settings).fit(X, centred, sample_weight=task.weights)
    if made is None:
        return np.asarray(trees.feature_importances_)
    return np.asarray(np.bincount(made.feature_of_column, trees.feature_importances_, len(task.kinds)), np.float64)


def _lightgbm(task: _TreeTask, settings: dict[str, Any]) -> FloatArray:
    """These trees split sets of levels, and send missing values to the better side."""
    X, labels, weights = task.X, task.labels, task.weights
    categories = [k for k, kind in enumerate(task.kinds) if kind.is_category]
    if task.groups is None:
        trees = boosted_classifier(LIGHTGBM, **settings)
        gains = trees.fit(X, labels, sample_weight=weights, categorical_feature=categories).feature_importances_
    else:
        order = task.groups.order
        grades = np.unique(labels, return_inverse=True)[1]
        ranker = boosted_ranker(label_gain=list(range(int(grades.max()) + 1)), **settings)
        of_row = None if weights is None else weights[order]
        queries = {"group": task.groups.sizes, "categorical_feature": categories}
        gains = ranker.fit(X[order], grades[order], sample_weight=of_row, **queries).feature_importances_
    total = float(np.sum(gains))
    return np.asarray(gains, dtype=np.float64) / (total if total > 0 else 1.0)


INFLUENCES = {SKLEARN: _sklearn, LIGHTGBM: _lightgbm}


class BoostingInfluenceSelector(FeatureSelector):
    """Keep the features with the largest relative influence in stochastic gradient boosting.

    Influence of feature j = Σ over trees, Σ over splits on j, of the split's improvement in squared loss (Friedman,
    "Greedy function approximation" (2001), section 8.1: i², not squared again), as a share of the sum over all
    features. Every tree is trained on half of the rows. With qid, scikit-learn's trees learn y − ȳ_q, the label minus
    the mean label of its query, so that only differences within queries count; LightGBM's learn by lambdarank, with
    gains equal to the grades.

    Missing values and categories: LightGBM's trees send missing values to the better side of a split, and split the
    levels of a category into two sets. scikit-learn's trees need numbers. They split a column that says whether the
    value is missing, and one column per level, which levels with fewer than 10 rows share; the influence of a feature
    is the sum over its columns.

    Parameters
    ----------
    n_features_to_select : int, float or None
        Number or share of features to keep. None keeps half.
    engine : {"sklearn", "lightgbm"}
        Library of the trees. LightGBM is an extra, and faster on many rows.
    n_estimators, learning_rate, max_depth
        Number of trees, weight of each tree, and maximum depth.
    random_state : int, numpy generator or None
        Random seed for the rows of each tree.

    Attributes
    ----------
    scores_ : influence of each feature. They add up to 1 unless no tree splits.
    ranking_ : rank of each feature, from 1. Ties are broken by name.
    support_ : mask of the kept features.

    Examples
    --------
    >>> from glassrank.selection.boosting_influence import BoostingInfluenceSelector
    >>> X, y = [[0.0, 1.0], [1.0, 5.0], [2.0, 1.0], [7.0, 5.0], [8.0, 1.0], [9.0, 5.0]], [0, 0, 0, 1, 1, 1]
    >>> BoostingInfluenceSelector(n_features_to_select=1, random_state=0).fit(X, y).ranking_.tolist()
    [1, 2]
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        engine: str = SKLEARN,
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        max_depth: int = 3,
        random_state: RandomState = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.engine = engine
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.random_state = random_state

    def _feature_scores(self, X: Matrix, labels: Any, groups: Groups | None, weights: FloatArray | None) -> FloatArray:
        check_choice("engine", self.engine, ENGINES)
        for name in ("n_estimators", "max_depth"):
            check_positive(name, getattr(self, name), whole=True)
        check_positive("learning_rate", self.learning_rate)
        settings = {name: getattr(self, name) for name in ("n_estimators", "learning_rate", "max_depth")}
        seed = random_seed(self.random_state)
        task = _TreeTask(X, self.feature_kinds_, feature_names(self), labels, groups, weights)
        return INFLUENCES[self.engine](task, {**settings, "random_state": seed})


def _centred(y: FloatArray, groups: Groups, weights: FloatArray | None) -> FloatArray:
    of_row = groups.of_row
    v = np.ones(len(y)) if weights is None else weights
    return np.asarray(y - (np.bincount(of_row, weights=v * y) / np.bincount(of_row, weights=v))[of_row])
