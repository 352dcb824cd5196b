"""RankSVM: the ranking support vector machine, trained without listing pairs."""

from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from glassrank.core.checks import FloatArray, check_positive
from glassrank.core.newton import minimise
from glassrank.core.objectives import SquaredHingePairs
from glassrank.ranking.estimator import Ranker, warn_user


class RankSVM(Ranker):
    """Linear ranking SVM with squared hinge loss.

    Minimises ½‖w‖² + C Σ max(0, 1 − w·(x_i − x_j))² over all pairs of documents of one query in which i is judged
    better than j, and scores a document by w·x. The sum runs over every pair but no pair is ever listed: a step costs
    O(n d + n log n) for n documents. The returned solution carries a certificate: ``objective_`` exceeds the minimum
    by at most ``duality_gap_``.

    Parameters
    ----------
    C : float
        Weight of each pair's loss, as in LIBSVM and LIBLINEAR.
    tol : float
        Stop when ``duality_gap_ ≤ tol · objective_``.
    max_iter : int
        Most Newton steps; few are ever needed.

    Examples
    --------
    >>> from glassrank import RankSVM
    >>> X = [[0.1, 1.0], [0.4, 0.2], [0.9, 0.3], [0.2, 0.5], [0.7, 0.1]]
    >>> model = RankSVM(C=10.0).fit(X, [0, 1, 2, 0, 1], qid=["a", "a", "a", "b", "b"])
    >>> model.n_pairs_, model.score(X, [0, 1, 2, 0, 1], qid=["a", "a", "a", "b", "b"])
    (4, 1.0)
    """

    def __init__(self, C: float = 1.0, *, tol: float = 1e-6, max_iter: int = 100) -> None:
        self.C = C
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any, qid: Any = None) -> "RankSVM":
        """Learn from features, labels (higher is better) and query identifiers; ``qid=None`` means one query."""
        self._check_parameters()
        X, y, groups = self._check_training_data(X, y, qid)
        objective = SquaredHingePairs(X, y, groups, float(self.C))
        solution = minimise(objective, np.zeros(X.shape[1]), tol=self.tol, max_iter=self.max_iter)
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
        self.n_pairs_ = objective.n_pairs
        return self

    def predict(self, X: Any) -> FloatArray:
        """Score documents: w·x; higher ranks first."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype="float64", accept_sparse="csr", reset=False)
        return np.asarray(X @ self.coef_)

    def _check_parameters(self) -> None:
        check_positive("C", self.C)
        check_positive("tol", self.tol)
        check_positive("max_iter", self.max_iter, whole=True)
