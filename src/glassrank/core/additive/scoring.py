"""Scores of documents from the arrays of a fitted model, without the estimator or training data."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.additive.lrbf_columns import LrbfMap
from glassrank.core.checks import FloatArray, Matrix, check_finite

# Rows of Gaussians that fit into the processor's cache; memory does not grow with the number of documents.
BLOCK_ROWS = 1_024


def finite_scores(score: Callable[..., FloatArray], *arguments: Any) -> FloatArray:
    """Call a function that scores documents, and raise an error if a score is not finite.

    >>> finite_scores(linear_scores, np.array([[1e200]]), np.array([1e200]))
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: The model's scores has 1 value that is not finite, the first (inf) at ...
    """
    with np.errstate(over="ignore", invalid="ignore"):
        scores = score(*arguments)
    check_finite("The model's scores", scores, "Some feature values are too large for this model.")
    return scores


def linear_scores(X: Matrix, coef: FloatArray) -> FloatArray:
    """u(x) = w·x for each row of X.

    >>> linear_scores(np.array([[1.0, 2.0], [0.0, 1.0]]), np.array([0.5, -1.0])).tolist()
    [-1.5, -1.0]
    """
    return np.asarray(X @ coef)


def lrbf_scores(X: Matrix, feature_map: LrbfMap, coef: FloatArray) -> FloatArray:
    """u(x) = w·φ(x) for each row of X, without forming φ(x).

    The weights of a feature's columns become one weight per node, c_k = mixing_k · w_k, so that each feature adds
    Σ_j c_kj exp(−γ_k (x_k − node_kj)²): the same number of Gaussians, but a sum instead of a matrix product.

    >>> from glassrank.core.additive.gaussian_columns import GaussianColumns
    >>> curve = GaussianColumns(gamma=1.0, nodes=np.array([0.0, 1.0]), mixing=np.eye(2))
    >>> lrbf_scores(np.array([[0.0], [1.0]]), LrbfMap((curve,)), np.array([2.0, 1.0])).round(4).tolist()
    [2.3679, 1.7358]
    """
    weights = _weights_of_nodes(feature_map, coef)
    scores = np.zeros(X.shape[0])
    for first in range(0, X.shape[0], BLOCK_ROWS):
        rows = slice(first, first + BLOCK_ROWS)
        block = X[rows].toarray() if sparse.issparse(X) else X[rows]
        for feature, curve in enumerate(feature_map.blocks):
            if curve is not None:
                gaussians = block[:, feature, None] - curve.nodes
                gaussians *= gaussians
                gaussians *= -curve.gamma
                np.exp(gaussians, out=gaussians)
                scores[rows] += gaussians @ weights[feature]
    return scores


def single_feature_scores(X: Matrix, feature: int, direction: int) -> FloatArray:
    """u(x) = ±x_k for each row of X.

    >>> single_feature_scores(np.array([[1.0, 2.0], [0.0, 1.0]]), feature=1, direction=-1).tolist()
    [-2.0, -1.0]
    """
    column = X[:, [feature]]
    return np.asarray(direction * np.asarray(column.toarray() if sparse.issparse(X) else column).ravel())


def _weights_of_nodes(feature_map: LrbfMap, coef: FloatArray) -> list[FloatArray]:
    parts = np.split(coef, feature_map.ends[:-1])
    return [
        part if curve is None else np.asarray(curve.mixing @ part)
        for curve, part in zip(feature_map.blocks, parts, strict=True)
    ]
