"""RankSVM: the ranking support vector machine, trained without listing pairs."""

from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from glassrank.core.checks import DataError, FloatArray, as_weights, check_choice, check_positive
from glassrank.core.compared_rows import ComparedRows
from glassrank.core.newton import Solution, minimise, minimise_hinge
from glassrank.core.objectives import LogisticPairs, SmoothedHingePairs, SquaredHingePairs
from glassrank.core.pair_weights import PAIR_WEIGHTS, weigh_pairs
from glassrank.core.scaling import spread_within_queries
from glassrank.core.scoring import linear_scores, lrbf_scores
from glassrank.ranking.estimator import Ranker, feature_names, warn_user
from glassrank.ranking.lrbf_kernel import as_dense, check_gamma, lrbf_columns, scales_message

KERNELS = ("linear", "lrbf")
C_UNITS = ("pair", "mean")


def _squared_hinge(data: ComparedRows, C: float, start: FloatArray, tol: float, max_iter: int) -> Solution:
    return minimise(SquaredHingePairs(data, C), start, tol=tol, max_iter=max_iter)


def _hinge(data: ComparedRows, C: float, start: FloatArray, tol: float, max_iter: int) -> Solution:
    return minimise_hinge(SmoothedHingePairs(data, C), start, tol=tol, max_iter=max_iter)


def _logistic(data: ComparedRows, C: float, start: FloatArray, tol: float, max_iter: int) -> Solution:
    return minimise(LogisticPairs(data, C), start, tol=tol, max_iter=max_iter)


LOSSES = {"squared_hinge": _squared_hinge, "hinge": _hinge, "logistic": _logistic}


class RankSVM(Ranker):
    """Ranking SVM: linear, or with the additive Gaussian kernel LRBF.

    Minimises ½‖w‖² + C Σ weight · loss(w·(φ(x_i) − φ(x_j))) over all pairs of documents of one query in which i is
    judged better than j, and scores a document by u(x) = w·φ(x). No pair is ever listed: with a hinge loss a step costs
    O(n d + n log n) for n documents. The solution carries a certificate: ``objective_`` exceeds the minimum by at most
    ``duality_gap_``.

    Parameters
    ----------
    C : float
        Weight of the loss against the size of w; see ``C_unit``.
    kernel : {"linear", "lrbf"}
        ``lrbf`` is K(x, z) = Σ_k exp(−γ_k (x_k − z_k)²): one smooth curve per feature, made linear to 1e-10.
    loss : {"squared_hinge", "hinge", "logistic"}
        max(0, 1 − m)², max(0, 1 − m) or log(1 + exp(−m)) of the margin m. The logistic loss visits every pair.
    gamma : "scale" or float
        Precision of the Gaussians: ``"scale"`` takes γ_k = 1/(2 s_k²) with s_k the standard deviation within queries,
        a number is one γ for all features.
    pair_weight : {"uniform", "query", "label-gap", "ndcg"}
        What a pair counts: 1; 1/(pairs of its query); the gap of the labels; or the gap of the gains 2^y over the
        query's largest DCG.
    C_unit : {"pair", "mean"}
        C multiplies the sum of the pair losses, as in LIBSVM and LIBLINEAR, or their weighted mean, so that it does not
        depend on the number of pairs.
    tol : float
        Stop when ``duality_gap_ ≤ tol · objective_``.
    max_iter : int
        Most Newton steps.

    Examples
    --------
    >>> from glassrank import RankSVM
    >>> X = [[0.1, 1.0], [0.4, 0.2], [0.9, 0.3], [0.2, 0.5], [0.7, 0.1]]
    >>> y, qid = [0, 1, 2, 0, 1], ["a", "a", "a", "b", "b"]
    >>> model = RankSVM(C=10.0).fit(X, y, qid=qid)
    >>> model.n_pairs_, model.score(X, y, qid=qid)
    (4, 1.0)
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: str = "linear",
        loss: str = "squared_hinge",
        gamma: str | float = "scale",
        pair_weight: str = "uniform",
        C_unit: str = "pair",
        tol: float = 1e-6,
        max_iter: int = 200,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.loss = loss
        self.gamma = gamma
        self.pair_weight = pair_weight
        self.C_unit = C_unit
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None) -> "RankSVM":
        """Learn from features, labels (higher is better) and query identifiers; ``qid=None`` means one query.

        Row weights make the weight of a pair v_i · v_j, so that whole numbers equal repeated rows.
        """
        self._check_parameters()
        X, y, groups = self._check_training_data(X, y, qid)
        rows = None if sample_weight is None else as_weights("sample_weight", sample_weight, len(y))
        weights = weigh_pairs(self.pair_weight, y, groups, rows)
        if weights.total <= 0:
            raise DataError("sample_weight is zero for a document of every comparable pair: nothing to learn from.")
        self.feature_map_ = None
        if self.kernel == "lrbf":
            X = as_dense(X)
            spread = spread_within_queries(X, groups, rows)
            message = scales_message(self.gamma, spread)
            if message is not None:
                warn_user(message, UserWarning)
            # Rows of weight 0 are as good as absent: they must not widen a range.
            seen = X if rows is None else X[rows > 0]
            self.feature_map_ = lrbf_columns(seen, self.gamma, spread, feature_names(self))
            X = self.feature_map_(X)
        data = ComparedRows.of(X, y, groups, weights)
        C = float(self.C) / (weights.total if self.C_unit == "mean" else 1.0)
        solution = LOSSES[self.loss](data, C, np.zeros(data.X.shape[1]), self.tol, self.max_iter)
        if not solution.converged:
            warn_user(
                f"RankSVM stopped at a certified gap of {solution.duality_gap / solution.value:.1e} of the objective, "
                f"tol is {self.tol:.1e}: scale the features (StandardScaler), or raise tol or max_iter.",
                ConvergenceWarning,
            )
        self.coef_ = solution.w
        self.objective_ = solution.value
        self.duality_gap_ = solution.duality_gap
        self.n_iter_ = solution.n_iter
        self.n_pairs_ = data.n_pairs
        return self

    def predict(self, X: Any) -> FloatArray:
        """Score documents: u(x) = w·φ(x); higher ranks first."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype="float64", accept_sparse="csr", reset=False)
        if self.feature_map_ is None:
            return linear_scores(X, self.coef_)
        return lrbf_scores(X, self.feature_map_, self.coef_)

    def _check_parameters(self) -> None:
        check_positive("C", self.C)
        check_choice("kernel", self.kernel, KERNELS)
        check_choice("loss", self.loss, LOSSES)
        check_choice("pair_weight", self.pair_weight, PAIR_WEIGHTS)
        check_choice("C_unit", self.C_unit, C_UNITS)
        check_gamma(self.gamma)
        check_positive("tol", self.tol)
        check_positive("max_iter", self.max_iter, whole=True)
