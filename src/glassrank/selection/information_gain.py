"""InformationGainSelector: rank features by their information about the labels, in bits."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import FloatArray, IntArray, Matrix, check_choice
from glassrank.core.feature_kinds import FeatureKind
from glassrank.core.groups import Groups
from glassrank.selection.entropy import class_information, cut_points, order_information, share_won
from glassrank.selection.linear_columns import MIN_COUNT
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

    Missing values are one more bin. With qid, pairs with one missing value add u′ (1 − h(p′)), where u′ is their share
    and p′ the share of these in which the known value is better. The levels of a category are its bins; those with
    fewer than 10 rows share one. With qid, levels are compared by the share of their pairs that they win, as a ranking
    can only put the levels into one order.

    Parameters
    ----------
    n_features_to_select : int, float or None
        Number or share of features to keep. None keeps half.
    discretisation : {"mdl", "presence"}
        Bins of numbers: intervals after Fayyad and Irani (with qid the values themselves are compared), or whether
        f ≠ 0.

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
        gain = self._class_gain if groups is None else partial(self._order_gain, groups)
        return np.array(
            [gain(_column(columns, k), kind, labels, weights) for k, kind in enumerate(self.feature_kinds_)]
        )

    def _class_gain(
        self, values: FloatArray, kind: FeatureKind, classes: IntArray, weights: FloatArray | None
    ) -> float:
        if kind.is_category:
            return class_information(_level_bins(values, kind), classes, weights)
        known = ~np.isnan(values)
        own = None if weights is None else weights[known]
        parts = np.zeros(len(values), dtype=np.int64)
        parts[known] = 1 + DISCRETISATIONS[self.discretisation](values[known], classes[known], own)
        return class_information(parts, classes, weights)

    def _order_gain(
        self, groups: Groups, values: FloatArray, kind: FeatureKind, y: FloatArray, weights: FloatArray | None
    ) -> float:
        if kind.is_category:
            values = share_won(_level_bins(values, kind), y, groups, weights)
        elif self.discretisation == "presence":
            values = np.where(np.isnan(values), np.nan, values != 0)
        return order_information(values, y, groups, weights)


def _level_bins(codes: FloatArray, kind: FeatureKind) -> IntArray:
    """Return the bin of each row: its level, one bin for all rare levels, and one for missing values."""
    missing = len(kind.levels)
    levels = np.where(np.isnan(codes), missing, codes).astype(np.int64)
    rare = np.bincount(levels, minlength=missing + 1) < MIN_COUNT
    rare[missing] = False
    return np.where(rare[levels], missing + 1, levels)


def _column(X: Matrix, k: int) -> FloatArray:
    return np.ascontiguousarray(X[:, [k]].toarray().ravel() if sparse.issparse(X) else X[:, k])
