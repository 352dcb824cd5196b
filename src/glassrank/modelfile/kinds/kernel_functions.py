"""Kernels between two sets of rows, computed as in scikit-learn but without importing it."""

from collections.abc import Callable

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

from glassrank.core.checks import FloatArray, Matrix
from glassrank.modelfile.kinds.steps.step_part import as_dense


def _linear(A: Matrix, B: Matrix, gamma: float) -> FloatArray:
    return as_dense(A @ B.T)


def _rbf(A: Matrix, B: Matrix, gamma: float) -> FloatArray:
    """exp(−γ‖a − b‖²), the distance as ‖a‖² − 2 a·b + ‖b‖², in the same order of operations as scikit-learn."""
    K = -2 * _linear(A, B, gamma)
    K += _squared_norms(A)[:, None]
    K += _squared_norms(B)[None, :]
    np.maximum(K, 0, out=K)
    K *= -gamma
    np.exp(K, out=K)
    return K


def _laplacian(A: Matrix, B: Matrix, gamma: float) -> FloatArray:
    K = -gamma * cdist(as_dense(A), as_dense(B), "cityblock")
    np.exp(K, out=K)
    return np.asarray(K)


def _squared_norms(X: Matrix) -> FloatArray:
    if sparse.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.asarray(np.einsum("ij,ij->i", X, X))


KERNELS: dict[str, Callable[[Matrix, Matrix, float], FloatArray]] = {
    "rbf": _rbf,
    "laplacian": _laplacian,
    "linear": _linear,
}
