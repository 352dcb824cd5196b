"""KernelLeastSquaresRanker: least-squares ranking with a kernel, the reference for ELMRank."""

from collections.abc import Callable
from typing import Self

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import laplacian_kernel, linear_kernel, rbf_kernel
from sklearn.utils.validation import check_is_fitted

from glassrank.core.additive.scoring import finite_scores
from glassrank.core.checks import DataError, FloatArray, Matrix, check_choice, check_finite, check_positive
from glassrank.core.input_types import ArrayLike
from glassrank.core.nodes.least_squares import BLOCK_BYTES, kernel_coefficients
from glassrank.core.nodes.pair_rows import WEIGHTINGS, pair_rows
from glassrank.core.setting import setting
from glassrank.ranking.estimator import Ranker
from glassrank.ranking.named_rows import known_rows

KERNELS: dict[str, Callable[[Matrix, Matrix, float], FloatArray]] = {
    "rbf": lambda A, B, gamma: rbf_kernel(A, B, gamma=gamma),
    "laplacian": lambda A, B, gamma: laplacian_kernel(A, B, gamma=gamma),
    "linear": lambda A, B, gamma: linear_kernel(A, B),
}
MAX_ROWS = 20_000  # the kernel matrix of 20,000 documents takes 3.2 GB, and solving takes as much again


class KernelLeastSquaresRanker(Ranker):
    """Regularised least-squares ranking with a kernel: exact, and cubic in the number of documents.

    Minimises (1/Z) Σ ω_ij (y_i − y_j − (f(x_i) − f(x_j)))² + λ‖f‖²_K over all pairs of documents of one query, with
    f = Σ β_i K(x_i, ·) and ‖f‖²_K = Σ β_i β_j K(x_i, x_j) (Agarwal and Niyogi 2009; with one query and ω = 1 it is
    eq. 2 of Chen et al. 2014). ``ELMRank`` is the same with random nodes instead of the kernel.

    Parameters
    ----------
    alpha : float
        λ. The γ of the unbiased mean over the m(m − 1) pairs of different documents is γ = λ m/(m − 1).
    kernel : {"rbf", "laplacian", "linear"}
        exp(−γ‖x − z‖²), exp(−γ Σ |x_k − z_k|) or x·z.
    gamma : "scale" or float
        γ of the kernel; ``"scale"`` is 1/(number of features · variance of X).
    weighting : {"pairs", "query", "different-labels"}
        ω, as in ``ELMRank``.

    Examples
    --------
    >>> from glassrank import KernelLeastSquaresRanker
    >>> X = [[0.1, 1.0], [0.4, 0.2], [0.9, 0.3], [0.2, 0.5], [0.7, 0.1]]
    >>> y, qid = [0, 1, 2, 0, 1], ["a", "a", "a", "b", "b"]
    >>> model = KernelLeastSquaresRanker().fit(X, y, qid=qid)
    >>> model.dual_coef_.shape, model.score(X, y, qid=qid)
    ((5,), 1.0)
    """

    def __init__(
        self, alpha: float = 1e-3, *, kernel: str = "rbf", gamma: str | float = "scale", weighting: str = "pairs"
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.weighting = weighting

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from features, labels (higher is better) and query identifiers; ``qid=None`` means one query.

        With row weights v, the weight of a pair is v_i · v_j · ω_ij, so that whole numbers are equivalent to repeated
        rows and rows of weight 0 are ignored.
        """
        self._check_parameters()
        X, y, groups, weights, *_ = self._check_training_data(X, y, qid, sample_weight)
        if len(y) > MAX_ROWS:
            raise DataError(
                f"A kernel matrix of {len(y):,} documents is too large: at most {MAX_ROWS:,} are supported.",
                remedy="Use ELMRank, whose memory does not grow with the number of documents.",
            )
        self.gamma_ = _scale(X, weights.values) if self.gamma == "scale" else float(self.gamma)
        pairs = pair_rows(self.weighting, y, groups, weights.values)
        self.dual_coef_ = kernel_coefficients(self._kernel_matrix(X, X), y, pairs, float(self.alpha))
        self.X_fit_ = X
        return self

    def predict(self, X: ArrayLike) -> FloatArray:
        """Score documents: Σ β_i K(x_i, x); higher ranks first."""
        check_is_fitted(self, "dual_coef_")
        X = known_rows(self, X)
        return finite_scores(self._scores, X)

    def _scores(self, X: Matrix) -> FloatArray:
        block_rows = max(1, BLOCK_BYTES // (8 * len(self.dual_coef_)))
        blocks = [X[first : first + block_rows] for first in range(0, X.shape[0], block_rows)]
        return np.concatenate([self._kernel_matrix(block, self.X_fit_) @ self.dual_coef_ for block in blocks])

    def _kernel_matrix(self, A: Matrix, B: Matrix) -> FloatArray:
        with np.errstate(over="ignore", invalid="ignore"):
            K = KERNELS[self.kernel](A, B, self.gamma_)
        check_finite("The kernel matrix", K, "Scale the features first.")
        return K

    def _check_parameters(self) -> None:
        check_positive("alpha", self.alpha)
        check_choice("kernel", self.kernel, KERNELS)
        check_choice("weighting", self.weighting, WEIGHTINGS)
        if isinstance(self.gamma, str):
            check_choice("gamma", self.gamma, ["scale"])
        else:
            check_positive("gamma", self.gamma)


def _scale(X: Matrix, weights: FloatArray | None) -> float:
    """Return 1/(number of features · variance of all values, rows weighted), as in scikit-learn's SVC."""
    with np.errstate(over="ignore"):
        mean = np.average(np.asarray(X.mean(axis=1)).ravel(), weights=weights)
        squares = X.multiply(X).mean(axis=1) if sparse.issparse(X) else ((X - mean) ** 2).mean(axis=1)
        variance = float(np.average(np.asarray(squares).ravel(), weights=weights))
        variance -= float(mean**2) if sparse.issparse(X) else 0.0
    if not np.isfinite(variance):
        raise DataError(
            f"X has values too large for {setting('gamma', 'scale')}: its variance is not finite.",
            parameter="X",
            remedy="Scale the features first.",
        )
    return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
