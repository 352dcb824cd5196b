"""SVMWeightSelector: rank features by the size of their weight in a linear support vector machine."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from glassrank.core.additive.feature_map import FeatureMap
from glassrank.core.checks import FloatArray, Matrix, check_choice, check_positive
from glassrank.core.feature_kinds import FeatureTable
from glassrank.core.groups import Groups, group_rows
from glassrank.core.within_query_scaling import spread_within_queries
from glassrank.ranking.feature_columns import missing_columns
from glassrank.ranking.named_rows import feature_names
from glassrank.ranking.rank_svm import RankSVM
from glassrank.selection.linear_columns import MIN_COUNT, contributions, linear_columns
from glassrank.selection.selector import FeatureSelector

MAX_ITERATIONS = 10_000  # the dual needs more iterations if row weights differ a lot
SQUARED_HINGE, HINGE = "squared_hinge", "hinge"
LOSSES = (SQUARED_HINGE, HINGE)


class LinearMachineSelector(FeatureSelector):
    """Base class of selectors that score features with a linear support vector machine.

    Features that have missing values or are categories have the columns of a linear ``RankSVM``: an indicator of
    missing values, and one column per level, which levels with fewer than 10 rows share.
    """

    def __init__(
        self, n_features_to_select: int | float | None = None, *, C: float = 1.0, loss: str = SQUARED_HINGE
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.C = C
        self.loss = loss

    def _check_settings(self) -> None:
        check_positive("C", self.C)
        check_choice("loss", self.loss, LOSSES)

    def _fit_classes(
        self, X: Matrix, classes: Any, weights: FloatArray | None
    ) -> tuple[Matrix, FloatArray, FeatureMap | None]:
        """Return standardised features, the weights of scikit-learn's linear SVM, and their columns if they need some.

        The dual is much faster if there are more columns than rows. It visits rows in random order, so a fixed seed
        makes the result repeatable to the last digit.
        """
        scaled = self._standardised(X, weights)
        made = linear_columns(scaled, self.feature_kinds_, feature_names(self), weights)
        columns = scaled if made is None else made(scaled)
        if self.loss == HINGE:
            return scaled, _hinge_weights(columns, classes, weights, self.C), made
        machine = LinearSVC(C=self.C, dual=columns.shape[0] < columns.shape[1], random_state=0, max_iter=MAX_ITERATIONS)
        return scaled, machine.fit(columns, classes, sample_weight=weights).coef_, made

    def _standardised(self, X: Matrix, weights: FloatArray | None) -> Matrix:
        """Return numbers with mean 0 and standard deviation 1; categories, and columns without a value, as they are."""
        scaler = StandardScaler(with_mean=not sparse.issparse(X))
        numbers = np.array([not kind.is_category for kind in self.feature_kinds_])
        if not sparse.issparse(X):
            numbers &= ~np.isnan(X).all(axis=0)
        if numbers.all():
            return scaler.fit(X, sample_weight=weights).transform(X)
        scaled = X.copy()
        if numbers.any():
            scaled[:, numbers] = scaler.fit(X[:, numbers], sample_weight=weights).transform(X[:, numbers])
        return scaled


class SVMWeightSelector(LinearMachineSelector):
    """Keep the features with the largest |w| in a linear SVM on standardised features.

    Without qid, |w| of a linear SVM on features of mean 0 and standard deviation 1; with more than two classes, the sum
    of |w| over the one-vs-rest classifiers. With qid, |w| of the ranking SVM on features whose standard deviation
    within queries is 1; a feature that is constant within every query has weight 0.

    The contribution w x of such a feature has the standard deviation |w|. The score of a category, or of a feature with
    missing values, is likewise the standard deviation of its contribution w·φ(x), with all its columns φ: one per level
    and one for missing values. So a category does not gain weight only by having many levels.

    Parameters
    ----------
    n_features_to_select : int, float or None
        Number or share of features to keep. None keeps half.
    C : float
        Weight of the loss per row. The ranking SVM's sum over pairs is scaled to the number of rows (the sum of their
        weights), so that C does not depend on the number of pairs.
    loss : {"squared_hinge", "hinge"}
        max(0, 1 − m)² of the margin m, as in scikit-learn's ``LinearSVC``, or max(0, 1 − m), as in ``SVC`` and in
        equation 7 of Lu, Peng, Li and Ahmed, "Coupling feature selection and machine learning methods for navigational
        query identification" (2006).

    Attributes
    ----------
    scores_ : |w| of each feature, the standard deviation of its contribution.
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
        self._check_settings()
        if groups is None:
            return self._class_weights(X, labels, weights)
        return self._ranking_weights(X, labels, groups, weights)

    def _class_weights(self, X: Matrix, classes: Any, weights: FloatArray | None) -> FloatArray:
        scaled, coef, made = self._fit_classes(X, classes, weights)
        if made is None:
            return np.asarray(np.abs(coef).sum(axis=0))
        groups = group_rows(None, len(scaled))
        return np.sum([_spread(contributions(made.curves(w), scaled), groups, weights) for w in coef], axis=0)

    def _ranking_weights(self, X: Matrix, y: FloatArray, groups: Groups, rows: FloatArray | None) -> FloatArray:
        dense = X.toarray() if sparse.issparse(X) else X
        spread = spread_within_queries(dense, groups, rows)
        categories = np.array([kind.is_category for kind in self.feature_kinds_])
        width = np.where((spread > 0) & ~categories, spread, 1.0)
        # Missing values distinguish documents even if the known values do not.
        used = np.flatnonzero((spread > 0) | categories | missing_columns(dense))
        scores = np.zeros(X.shape[1])
        if not len(used):
            return scores
        table = FeatureTable(dense / width, self.feature_kinds_, feature_names(self))[:, used]
        C = self.C * float(len(y) if rows is None else rows.sum())
        machine = RankSVM(C=C, loss=self.loss, min_count=MIN_COUNT)
        machine.fit(table, y, qid=groups, sample_weight=rows)
        if machine.feature_map_ is None:
            scores[used] = np.abs(machine.coef_)
        else:
            curves = machine.feature_map_.curves(machine.coef_)
            scores[used] = _spread(contributions(curves, table.values), groups, rows)
        return scores


def _hinge_weights(columns: Matrix, classes: Any, weights: FloatArray | None, C: float) -> FloatArray:
    """Return w of min ½‖w‖² + C Σ v_i max(0, 1 − s_i (w·x_i + b)), for two classes or for each class against the rest.

    LIBSVM, whose constant b is not penalised, as in equation 7; LIBLINEAR penalises it.
    """
    known = np.unique(classes)
    found = []
    for one in known if len(known) > 2 else known[1:]:
        w = SVC(kernel="linear", C=C).fit(columns, classes == one, sample_weight=weights).coef_
        found.append(np.ravel(w.toarray() if sparse.issparse(w) else w))
    return np.array(found)


def _spread(added: FloatArray, groups: Groups, weights: FloatArray | None) -> FloatArray:
    """Return the standard deviation within queries; a spread too small for floating point is 0."""
    return np.nan_to_num(spread_within_queries(added, groups, weights), nan=0.0)
