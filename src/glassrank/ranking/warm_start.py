"""Fits of a ranking SVM that start from the weights of the same model, fitted to similar rows.

The objective is convex: the start changes how long a fit takes, and the result only within its tolerance.
"""

from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray

START = "_start"


def start_from(estimator: Any, fitted: Any) -> Any:
    """Let an unfitted model start its next fit from a fitted one; without effect unless both have weights.

    A clone of the model starts from zero again.
    """
    weights = getattr(_last_step(fitted), "coef_", None)
    if weights is not None:
        setattr(_last_step(estimator), START, np.asarray(weights))
    return estimator


def first_weights(estimator: Any, n_columns: int) -> FloatArray:
    """Return the weights from which to start: those of ``start_from``, or zeros if the columns are others."""
    start = getattr(estimator, START, None)
    return np.zeros(n_columns) if start is None or start.shape != (n_columns,) else start


def _last_step(model: Any) -> Any:
    while hasattr(model, "steps"):
        model = model.steps[-1][1]
    return model
