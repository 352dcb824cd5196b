"""InformationGainSelector: rank features by their information about the labels, in bits."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import FloatArray, IntArray, Matrix, check_choice
from glassrank.core.groups import Groups
from glassrank.selection.entropy import class_information, cut_points, order_information
from glassrank.selection.selector import FeatureSelector


def _intervals(values: FloatArray, classes: IntArray, weights: FloatArray | None) -> IntArray:
    return np.searchsorted(cut_points(values, classes, weights), values, side="left")


def _presence(values: FloatArray, classes: IntArray, weights: FloatArray | None) -> IntArray:
    return (values != 0).astype(np.int64)


Discretise = Callable[[FloatArray, IntArray, FloatArray | None], IntArray]
DISCRETISATIONS: dict[str, Discretise] = {"mdl": _intervals, "presence": _presence}


class InformationGainSelector(FeatureSelector):
    """Keep the features with the largest information gain.

    Without qid, labels are classes and IG(f) = H(y) − H(y | f) in bits, with f discretised. With qid, y is the order of
    two documents of one query with different labels, and f is which of the two has the larger value:
    IG(f) = u (1 − h(p)), where u is the share of pairs that differ in f and p the share of these in the order of f.

    Parameters
    ----------
    n_features_to_select : int, float or None
        Number or share of features to keep. None keeps half.
    discretisation : {"mdl", "presence"}
        Intervals after Fayyad and Irani (with qid the values themselves are compared), or whether f ≠ 0.

    Attributes
    ----------
    scores_ : information gain of each feature, in bits.
    ranking_ : rank of each feature, from 1. Ties are broken by name.
    support_ : mask of the kept features.

    Examples
    --------
    >>> from glassrank.selection.information_gain import InformationGainSelector
    >>> X, y = [[0.0, 1.0], [1.0, 5.0], [2.0, 1.0], [7.0, 5.0], [8.0, 1.0], [9.0, 5.0]], [0, 0, 0, 1, 1, 1]
    >>> selector = InformationGainSelector(n_features_to_select=1).fit(X, y)
    >>> selector.scores_.tolist(), selector.get_support().tolist()
    ([1.0, 0.0], [True, False])
    """

    def __init__(self, n_features_to_select: int | float | None = None, *, discretisation: str = "mdl") -> None:
        self.n_features_to_select = n_features_to_select
        self.discretisation = discretisation

    def _feature_scores(self, X: Matrix, labels: Any, groups: Groups | None, weights: FloatArray | None) -> FloatArray:
        check_choice("discretisation", self.discretisation, DISCRETISATIONS)
        columns = X.tocsc() if sparse.issparse(X) else X
        return np.array([self._gain(_column(columns, k), labels, groups, weights) for k in range(X.shape[1])])

    def _gain(self, values: FloatArray, labels: Any, groups: Groups | None, weights: FloatArray | None) -> float:
        if groups is None:
            parts = DISCRETISATIONS[self.discretisation](values, labels, weights)
            return class_information(parts, labels, weights)
        compared = (values != 0).astype(np.float64) if self.discretisation == "presence" else values
        return order_information(compared, labels, groups, weights)


def _column(X: Matrix, k: int) -> FloatArray:
    return np.ascontiguousarray(X[:, [k]].toarray().ravel() if sparse.issparse(X) else X[:, k])
