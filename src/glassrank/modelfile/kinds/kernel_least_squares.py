"""KernelLeastSquaresRanker in a model file."""

from typing import Any, Literal, Self

import numpy as np
from pydantic import model_validator
from scipy import sparse

from glassrank.core.checks import FloatArray, Matrix
from glassrank.core.nodes.least_squares import BLOCK_BYTES
from glassrank.modelfile.codec.model_part import FittedValues, fitted_value
from glassrank.modelfile.codec.parameters import Gamma
from glassrank.modelfile.codec.values import (
    FloatVector,
    IntVector,
    PositiveCount,
    PositiveNumber,
    Strict,
    check_size,
    check_that,
)
from glassrank.modelfile.kinds.kernel_functions import KERNELS
from glassrank.modelfile.kinds.trained_ranker import TrainedPart


class KernelLeastSquaresParameters(Strict):
    """Parameters of ``KernelLeastSquaresRanker``."""

    alpha: PositiveNumber
    kernel: Literal["rbf", "laplacian", "linear"]
    gamma: Gamma
    weighting: Literal["pairs", "query", "different-labels"]


class KernelLeastSquaresTraining(FittedValues):
    """Results of training a ``KernelLeastSquaresRanker``."""

    n_queries: PositiveCount
    gamma: PositiveNumber


class SparsePart(Strict):
    """Positions of the values of sparse rows: the column of each value, and the start of each row."""

    columns: IntVector
    starts: IntVector

    def check(self, n_values: int, n_rows: int, n_features: int) -> None:
        """Raise an error for positions outside the rows and features."""
        check_size("places.columns", self.columns, n_values, "value")
        check_size("places.starts", self.starts, n_rows + 1, "row, and one more")
        rising = self.starts[0] == 0 and self.starts[-1] == n_values and bool((np.diff(self.starts) >= 0).all())
        check_that(bool(rising), f"places.starts must increase from 0 to {n_values}")
        inside = bool(((self.columns >= 0) & (self.columns < n_features)).all())
        check_that(inside, f"places.columns must be numbers from 0 to {n_features - 1}")


class KernelLeastSquaresPart(TrainedPart):
    """A fitted ``KernelLeastSquaresRanker``: the training rows, concatenated, and their weights."""

    kind: Literal["KernelLeastSquaresRanker"] = "KernelLeastSquaresRanker"
    parameters: KernelLeastSquaresParameters
    training: KernelLeastSquaresTraining
    coefficients: FloatVector
    values: FloatVector
    places: SparsePart | None
    """Only for sparse rows."""

    @model_validator(mode="after")
    def _rows_fit(self) -> Self:
        n_rows = len(self.coefficients)
        check_that(n_rows > 0, "coefficients must have an entry for each row: got none")
        if self.places is None:
            check_size("values", self.values, n_rows * self.n_features, "row and feature")
        else:
            self.places.check(len(self.values), n_rows, self.n_features)
        return self

    @classmethod
    def estimator_class(cls) -> type:
        from glassrank.ranking.kernel_least_squares import KernelLeastSquaresRanker

        return KernelLeastSquaresRanker

    @classmethod
    def _learned_by(cls, estimator: Any) -> dict[str, Any]:
        rows = fitted_value(estimator, "X_fit_")
        places = None
        if sparse.issparse(rows):
            places = SparsePart(columns=rows.indices.astype(np.int64), starts=rows.indptr.astype(np.int64))
        return {
            "coefficients": fitted_value(estimator, "dual_coef_"),
            "values": rows.ravel() if places is None else rows.data,
            "places": places,
        }

    def _learned(self) -> dict[str, Any]:
        return {"dual_coef_": self.coefficients, "X_fit_": self._rows()}

    def _rows(self) -> Matrix:
        shape = (len(self.coefficients), self.n_features)
        if self.places is None:
            return self.values.reshape(shape)
        return sparse.csr_matrix((self.values, self.places.columns, self.places.starts), shape=shape)

    @property
    def is_additive(self) -> bool:
        """Whether the score is a sum of one function per feature: no, the kernel mixes all features."""
        return False

    def score(self, X: Matrix) -> FloatArray:
        """Score each row of X like ``KernelLeastSquaresRanker.predict``, in the same blocks."""
        rows, kernel = self._rows(), KERNELS[self.parameters.kernel]
        max_rows = max(1, BLOCK_BYTES // (8 * len(self.coefficients)))
        scores = np.empty(X.shape[0])
        for first in range(0, X.shape[0], max_rows):
            block = slice(first, first + max_rows)
            scores[block] = kernel(X[block], rows, self.training.gamma) @ self.coefficients
        return scores
