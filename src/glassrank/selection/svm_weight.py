"""SVMWeightSelector: rank features by the size of their weight in a linear support vector machine."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from glassrank.core.checks import FloatArray, Matrix, check_positive
from glassrank.core.groups import Groups
from glassrank.core.within_query_scaling import spread_within_queries
from glassrank.ranking.rank_svm import RankSVM
from glassrank.selection.selector import FeatureSelector

MAX_ITERATIONS = 10_000  # the dual needs more iterations if row weights differ a lot


class LinearMachineSelector(FeatureSelector):
    """Base class of selectors that score features with a linear support vector machine."""

    def __init__(self, n_features_to_select: int | float | None = None, *, C: float = 1.0) -> None:
        self.n_features_to_select = n_features_to_select
        self.C = C

    def _fit_classes(self, scaled: Matrix, classes: Any, weights: FloatArray | None) -> LinearSVC:
        """Fit scikit-learn's linear SVM to standardised features.

        The dual is much faster if there are more columns than rows. It visits rows in random order, so a fixed seed
        makes the result repeatable to the last digit.
        """
        machine = LinearSVC(C=self.C, dual=scaled.shape[0] < scaled.shape[1], random_state=0, max_iter=MAX_ITERATIONS)
        return machine.fit(scaled, classes, sample_weight=weights)


class SVMWeightSelector(LinearMachineSelector):
    """Keep the features with the largest |w| in a linear SVM on standardised features.

    Without qid, |w| of scikit-learn's ``LinearSVC`` (squared hinge) on features of mean 0 and standard deviation 1;
    with more than two classes, the sum of |w| over the one-vs-rest classifiers. With qid, |w| of the ranking SVM on
    features whose standard deviation within queries is 1; a feature that is constant within every query has weight 0.

    Parameters
    ----------
    n_features_to_select : int, float or None
        Number or share of features to keep. None keeps half.
    C : float
        Weight of the loss per row. The ranking SVM's sum over pairs is scaled to the number of rows (the sum of their
        weights), so that C does not depend on the number of pairs.

    Attributes
    ----------
    scores_ : |w| of each feature.
    ranking_ : rank of each feature, from 1. Ties are broken by name.
    support_ : mask of the kept features.

    Examples
    --------
    >>> from glassrank.selection.svm_weight import SVMWeightSelector
    >>> X, y = [[0.0, 1.0], [1.0, 5.0], [2.0, 1.0], [7.0, 5.0], [8.0, 1.0], [9.0, 5.0]], [0, 0, 0, 1, 1, 1]
    >>> SVMWeightSelector(n_features_to_select=1).fit(X, y).ranking_.tolist()
    [1, 2]
    """

    def _feature_scores(self, X: Matrix, labels: Any, groups: Groups | None, weights: FloatArray | None) -> FloatArray:
        check_positive("C", self.C)
        if groups is None:
            return self._class_weights(X, labels, weights)
        return self._ranking_weights(X, labels, groups, weights)

    def _class_weights(self, X: Matrix, classes: Any, weights: FloatArray | None) -> FloatArray:
        standardised = StandardScaler(with_mean=not sparse.issparse(X)).fit(X, sample_weight=weights).transform(X)
        return np.asarray(np.abs(self._fit_classes(standardised, classes, weights).coef_).sum(axis=0))

    def _ranking_weights(self, X: Matrix, y: FloatArray, groups: Groups, rows: FloatArray | None) -> FloatArray:
        dense = X.toarray() if sparse.issparse(X) else X
        spread = spread_within_queries(dense, groups, rows)
        width = np.where(spread > 0, spread, 1.0)
        varies = spread > 0
        if not varies.any():
            return np.zeros(X.shape[1])
        scaled = np.ascontiguousarray((dense / width)[:, varies])
        machine = RankSVM(C=self.C * float(len(y) if rows is None else rows.sum()))
        machine.fit(scaled, y, qid=groups, sample_weight=rows)
        weights = np.zeros(X.shape[1])
        weights[varies] = np.abs(machine.coef_)
        return weights
