"""Scores of documents from the arrays of a fitted model, without the estimator or training data."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.additive.curve_sum import CurveSum
from glassrank.core.additive.feature_map import FeatureMap
from glassrank.core.checks import FloatArray, Matrix, check_finite


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


def map_scores(X: Matrix, feature_map: FeatureMap, coef: FloatArray) -> FloatArray:
    """u(x) = w·φ(x) for each row of X, as the sum of the features' curves, without forming φ(x).

    >>> from glassrank.core.additive.gaussian_columns import GaussianColumns
    >>> curve = GaussianColumns(gamma=1.0, nodes=np.array([0.0, 1.0]), mixing=np.eye(2))
    >>> map_scores(np.array([[0.0], [1.0]]), FeatureMap((curve,)), np.array([2.0, 1.0])).round(4).tolist()
    [2.3679, 1.7358]
    """
    return CurveSum.of(feature_map.curves(coef))(X)


def single_feature_scores(X: Matrix, feature: int, direction: int) -> FloatArray:
    """u(x) = ±x_k for each row of X.

    >>> single_feature_scores(np.array([[1.0, 2.0], [0.0, 1.0]]), feature=1, direction=-1).tolist()
    [-2.0, -1.0]
    """
    column = X[:, [feature]]
    return np.asarray(direction * np.asarray(column.toarray() if sparse.issparse(X) else column).ravel())
