"""The pairwise transform: ranking as a binary classification of differences."""

from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils.validation import check_is_fitted

from glassrank.core.additive.scoring import finite_scores, linear_scores, map_scores
from glassrank.core.checks import (
    DataError,
    FloatArray,
    IntArray,
    Matrix,
    as_matrix,
    as_vector,
    check_choice,
    check_finite,
)
from glassrank.core.groups import Groups, group_rows
from glassrank.core.input_types import ArrayLike, Estimator
from glassrank.core.setting import setting
from glassrank.ranking.absent_method import absent_if
from glassrank.ranking.additive_svc import AdditiveSVC
from glassrank.ranking.any_ranker import weight_arguments
from glassrank.ranking.estimator import Ranker
from glassrank.ranking.named_rows import known_rows

MODES = ("utility", "difference")


def pairwise_transform(X: ArrayLike, y: ArrayLike, qid: ArrayLike | None = None) -> tuple[Matrix, IntArray]:
    """Convert documents with labels to differences with signs, one for each comparable pair.

    (x_i − x_j, sign(y_i − y_j)) for all i < j of one query with different labels, in the order of
    ``itertools.combinations``. Pairs are reversed if needed, so that signs alternate +1, −1, +1, … and both classes are
    equally frequent. A linear function separates the classes if and only if it orders all pairs correctly (Herbrich,
    Graepel & Obermayer 1999). The result has one row per comparable pair; their number is quadratic in the length of a
    list. A sparse X gives sparse differences.

    >>> from glassrank import pairwise_transform
    >>> differences, signs = pairwise_transform([[1.0, 5.0], [2.0, 7.0], [4.0, 4.0]], [0, 1, 2])
    >>> differences.tolist(), signs.tolist()
    ([[1.0, 2.0], [-3.0, 1.0], [2.0, -3.0]], [1, -1, 1])
    """
    X = as_matrix(X)
    check_finite("X", X)
    y = as_vector("y", y, X.shape[0])
    return _differences(X, y, *_pairs_in_row_order(y, group_rows(qid, X.shape[0])))


def _differences(X: Matrix, y: FloatArray, first: IntArray, second: IntArray) -> tuple[Matrix, IntArray]:
    signs = 1 - 2 * (np.arange(len(first)) % 2)
    factors = np.sign(y[first] - y[second]) * signs
    differences = X[first] - X[second]
    if sparse.issparse(X):
        return sparse.csr_matrix(differences.multiply(factors[:, None])), signs
    differences *= factors[:, None]
    return differences, signs


def _pairs_in_row_order(y: FloatArray, groups: Groups) -> tuple[IntArray, IntArray]:
    """Return rows i < j of one query with different labels, ordered by i and then by j."""
    firsts, seconds = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for query in range(groups.n_queries):
        rows = groups.rows(query)
        i, j = np.triu_indices(len(rows), k=1)
        i, j = rows[i], rows[j]
        differ = y[i] != y[j]
        firsts.append(i[differ])
        seconds.append(j[differ])
    first, second = np.concatenate(firsts), np.concatenate(seconds)
    order = np.lexsort((second, first))
    return first[order], second[order]


def _why_no_score(model: "PairwiseRanker") -> str | None:
    """Return why a classifier of differences has no ``predict``; None for other models."""
    if model.antisymmetric:
        return None
    return (
        "PairwiseRanker(mode='difference') compares two documents and does not score single ones: use "
        "decide_pairs(A, B) or rank(X, qid), or mode='utility' for a model with predict."
    )


class PairwiseRanker(MetaEstimatorMixin, Ranker):
    """Rank with a classifier, fitted to the differences of comparable pairs.

    The classifier learns sign(y_i − y_j) from x_i − x_j, each pair in one of its two orders (``pairwise_transform``).
    The pairs are listed, and their number is quadratic in the length of a list; ``RankSVM`` solves the linear problem
    without listing them.

    Parameters
    ----------
    estimator : linear classifier or regressor, or AdditiveSVC
        Any estimator with ``fit(X, y)`` and, once fitted, ``coef_``: ``LinearSVC()``, ``SVC(kernel="linear")``,
        ``LogisticRegression()``, ``SGDClassifier()``, ``Ridge()``. ``AdditiveSVC`` is fitted without probabilities of
        single rows (``cv=None``): ``PairCalibrator`` adds those of pairs. Its LRBF kernel needs difference mode.
    mode : {"utility", "difference"}
        ``utility``: the score of a document is w·x, where w is the classifier's ``coef_``. Its intercept is ignored,
        because it would cancel in every difference of scores. ``difference``: f(a, b) is the classifier's decision
        Σ_k w_k(a_k − b_k) + b, with its intercept b (equations 8 to 11 of Thuy's "Feature selection with ranking
        support vector machine visualization"). There are ``decide_pairs`` and ``rank`` but no ``predict``. Because each
        pair is learned in one order, f(b, a) ≠ −f(a, b); ``RankSVM(mode="difference")`` learns both orders.

    Attributes
    ----------
    coef_ : ndarray
        w: one weight per feature, or per column of ``feature_map_``.
    intercept_ : float
        b, in difference mode only.
    feature_map_ : FeatureMap or None
        In difference mode, columns of the LRBF kernel; None for straight lines.
    estimator_ : estimator
        The classifier, fitted to the differences.
    n_pairs_ : int
        Number of comparable pairs.

    Examples
    --------
    >>> from sklearn.svm import LinearSVC
    >>> from glassrank import PairwiseRanker
    >>> X, y = [[0.1, 1.0], [0.4, 0.2], [0.9, 0.3], [0.2, 0.5], [0.7, 0.1]], [0, 1, 2, 0, 1]
    >>> model = PairwiseRanker(LinearSVC(fit_intercept=False)).fit(X, y, qid=["a", "a", "a", "b", "b"])
    >>> model.n_pairs_, model.score(X, y, qid=["a", "a", "a", "b", "b"])
    (4, 1.0)
    >>> from glassrank import AdditiveSVC
    >>> machine = AdditiveSVC(kernel="lrbf", gamma=0.5, loss="hinge", C=10.0)
    >>> model = PairwiseRanker(machine, mode="difference").fit(X, y, qid=["a", "a", "a", "b", "b"])
    >>> bool(abs(model.decide_pairs(X[:1], X[2:3]) + model.decide_pairs(X[2:3], X[:1]))[0] > 0.01)
    True
    """

    def __init__(self, estimator: Estimator, mode: str = "utility") -> None:
        self.estimator = estimator
        self.mode = mode

    @property
    def antisymmetric(self) -> bool:
        """Whether f(b, a) = −f(a, b); not in difference mode. After fitting, a changed mode has no influence."""
        if hasattr(self, "coef_"):
            return not hasattr(self, "intercept_")
        return self.mode != "difference"

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from features, labels (higher is better) and query identifiers; ``qid=None`` means one query.

        The weight of a difference is the product v_i · v_j of its row weights, which the estimator must accept as
        ``sample_weight``. Rows of weight 0 are ignored.
        """
        self._check_parameters()
        X, y, groups, weights, *_ = self._check_training_data(X, y, qid, sample_weight)
        first, second = _pairs_in_row_order(y, groups)
        differences, signs = _differences(X, y, first, second)
        if len(signs) < 2:
            raise DataError(
                "PairwiseRanker needs at least two comparable pairs, one per class: got 1.", remedy="Add documents."
            )
        of_pair = None if weights.values is None else weights.values[first] * weights.values[second]
        machine = clone(self.estimator)
        if isinstance(machine, AdditiveSVC):
            machine.set_params(cv=None)
        self.estimator_ = machine.fit(differences, signs, **weight_arguments(machine, of_pair))
        self.coef_ = _weights(self.estimator_)
        self._keep_bias()
        self.n_pairs_ = len(signs)
        return self

    def _keep_bias(self) -> None:
        """Set what only difference mode needs, or remove it after an earlier fit in that mode."""
        if self.mode == "difference":
            self.intercept_ = float(np.ravel(getattr(self.estimator_, "intercept_", 0.0))[0])
            self.feature_map_ = getattr(self.estimator_, "feature_map_", None)
        else:
            for name in {"intercept_", "feature_map_"} & set(vars(self)):
                delattr(self, name)

    def _check_parameters(self) -> None:
        check_choice("mode", self.mode, MODES)
        lrbf = isinstance(self.estimator, AdditiveSVC) and self.estimator.kernel == "lrbf"
        if lrbf and self.mode == "utility":
            raise DataError(
                f"{setting('kernel', 'lrbf')} of a classifier of differences needs {setting('mode', 'difference')}: "
                "its curves are functions of x_A − x_B and score no single document.",
                remedy=(f"Set {setting('mode', 'difference')}", f"use a RankSVM with {setting('kernel', 'lrbf')}"),
            )

    def decide_pairs(self, A: ArrayLike, B: ArrayLike) -> FloatArray:
        """Return f(a, b) for each row of ``A`` and the same row of ``B``; positive means A above B.

        f(a, b) is w·a − w·b or, in difference mode, the classifier's decision on a − b, whose sign may be the same for
        (b, a).
        """
        check_is_fitted(self)
        if self.antisymmetric:
            return super().decide_pairs(A, B)
        A, B = (known_rows(self, side) for side in (A, B))
        if A.shape[0] != B.shape[0]:
            raise DataError(f"A and B must have one row per pair: got {A.shape[0]} and {B.shape[0]} rows.")
        return finite_scores(self._decisions, A - B)

    def _decisions(self, differences: Matrix) -> FloatArray:
        if self.feature_map_ is None:
            return linear_scores(differences, self.coef_) + self.intercept_
        return map_scores(differences, self.feature_map_, self.coef_) + self.intercept_

    @absent_if(_why_no_score)
    def predict(self, X: ArrayLike) -> FloatArray:
        """Score documents: w·x; higher ranks first."""
        check_is_fitted(self)
        X = known_rows(self, X)
        return finite_scores(linear_scores, X, self.coef_)


def _weights(estimator: Any) -> FloatArray:
    """Return the weight of each feature in a fitted linear estimator."""
    if not hasattr(estimator, "coef_"):
        raise DataError(
            f"PairwiseRanker needs a linear estimator, one that has coef_ once fitted: got {type(estimator).__name__}.",
            remedy="Use for example LinearSVC() or LogisticRegression(), and scale the features first.",
        )
    weights = estimator.coef_.toarray() if sparse.issparse(estimator.coef_) else estimator.coef_
    return np.asarray(weights, dtype=np.float64).ravel()
