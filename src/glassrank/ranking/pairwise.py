"""The pairwise transform: ranking as a binary classification of differences."""

from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils.validation import check_is_fitted

from glassrank.core.additive.scoring import finite_scores, linear_scores
from glassrank.core.checks import DataError, FloatArray, IntArray, Matrix, as_matrix, as_vector, check_finite
from glassrank.core.groups import Groups, group_rows
from glassrank.core.input_types import ArrayLike, Estimator
from glassrank.ranking.any_ranker import weight_arguments
from glassrank.ranking.estimator import Ranker
from glassrank.ranking.named_rows import known_rows


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


class PairwiseRanker(MetaEstimatorMixin, Ranker):
    """Rank with any linear classifier of scikit-learn, fitted to the differences of comparable pairs.

    The classifier learns sign(y_i − y_j) from x_i − x_j; the score of a document is w·x, where w is the classifier's
    ``coef_``. Its intercept is ignored, because it would cancel in every difference of scores. The pairs are listed,
    and their number is quadratic in the length of a list; ``RankSVM`` solves the same problem without listing them.

    Parameters
    ----------
    estimator : linear classifier or regressor
        Any estimator with ``fit(X, y)`` and, once fitted, ``coef_``: ``LinearSVC()``, ``SVC(kernel="linear")``,
        ``LogisticRegression()``, ``SGDClassifier()``, ``Ridge()``.

    Examples
    --------
    >>> from sklearn.svm import LinearSVC
    >>> from glassrank import PairwiseRanker
    >>> X, y = [[0.1, 1.0], [0.4, 0.2], [0.9, 0.3], [0.2, 0.5], [0.7, 0.1]], [0, 1, 2, 0, 1]
    >>> model = PairwiseRanker(LinearSVC(fit_intercept=False)).fit(X, y, qid=["a", "a", "a", "b", "b"])
    >>> model.n_pairs_, model.score(X, y, qid=["a", "a", "a", "b", "b"])
    (4, 1.0)
    """

    def __init__(self, estimator: Estimator) -> None:
        self.estimator = estimator

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
        X, y, groups, weights, *_ = self._check_training_data(X, y, qid, sample_weight)
        first, second = _pairs_in_row_order(y, groups)
        differences, signs = _differences(X, y, first, second)
        if len(signs) < 2:
            raise DataError(
                "PairwiseRanker needs at least two comparable pairs, one per class: got 1.", remedy="Add documents."
            )
        of_pair = None if weights.values is None else weights.values[first] * weights.values[second]
        self.estimator_ = clone(self.estimator).fit(differences, signs, **weight_arguments(self.estimator, of_pair))
        self.coef_ = _weights(self.estimator_)
        self.n_pairs_ = len(signs)
        return self

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
