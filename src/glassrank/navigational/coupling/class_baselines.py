"""Baselines for more than two classes: the most frequent class, the best single column, and plain LightGBM."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier

from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.native_threads import one_native_thread
from glassrank.metrics.class_confusion import class_confusion
from glassrank.navigational.preparation import prepare
from glassrank.selection.boosting_engines import LIGHTGBM, fastest_engine

FREQUENT, SINGLE, TREES = "most frequent class", "best single column", "plain LightGBM"
WHAT = {
    FREQUENT: "every query is of the most frequent class of the training queries",
    SINGLE: "the column, cut into at most one interval more than classes, with the highest macro-F1 on the training "
    "queries",
    TREES: "LightGBM with its default settings on all columns",
}


class BestColumnTree(ClassifierMixin, BaseEstimator):
    """A decision tree on the column with the highest macro-F1 on the training rows, the first if tied.

    The tree has at most one leaf more than there are classes, and all classes have the same weight.

    >>> X = np.array([[1.0, 1.0], [1.0, 2.0], [2.0, 5.0], [2.0, 6.0], [1.0, 9.0], [2.0, 8.0]])
    >>> model = BestColumnTree().fit(X, np.array([0, 0, 1, 1, 2, 2]))
    >>> model.column_, model.predict([[1.0, 7.5]]).tolist()
    (1, [2])
    """

    def fit(self, X: FloatArray, y: IntArray) -> Self:
        """Fit a tree to each column, and keep the best."""
        best = -1.0
        leaves = len(np.unique(y)) + 1
        for column in range(X.shape[1]):
            own = X[:, [column]]
            tree = DecisionTreeClassifier(max_leaf_nodes=leaves, class_weight="balanced", random_state=0).fit(own, y)
            value = class_confusion(y, tree.predict(own)).macro_f1
            if value > best:
                best, self.column_, self.tree_ = value, column, tree
        return self

    def predict(self, X: FloatArray) -> IntArray:
        """Return the class of each row."""
        return np.asarray(self.tree_.predict(np.asarray(X)[:, [self.column_]]))


def class_baselines() -> tuple[str, ...]:
    """Return the baselines that can be measured here; LightGBM may not be installed."""
    return (FREQUENT, SINGLE, *((TREES,) if fastest_engine() == LIGHTGBM else ()))


def called_by_baseline(
    name: str, X: FloatArray, codes: IntArray, train: IntArray, held_out: IntArray, seed: int
) -> IntArray:
    """Return what a baseline that is fitted to the training rows predicts for the held-out ones."""
    if name == FREQUENT:
        return np.full(len(held_out), np.bincount(codes[train]).argmax())
    with one_native_thread():
        made = prepare(X[train])
        model = BestColumnTree() if name == SINGLE else _lightgbm(seed)
        return np.asarray(model.fit(made(X[train]), codes[train]).predict(made(X[held_out])))


def _lightgbm(seed: int) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1)
