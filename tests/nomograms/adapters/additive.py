"""Data for the tests of effects, and their common assertion: effects add up to the model's own output."""

import numpy as np

from glassrank.nomograms.adapters.effects_of_model import effects

N_ROWS, N_QUERIES = 240, 12
_rng = np.random.default_rng(0)
X = _rng.gamma(2.0, size=(N_ROWS, 4)) * [1.0, 10.0, 0.1, 1000.0]
"""Positive features of very different sizes."""
VALUE = np.log(X[:, 0]) + X[:, 1] / 10 - 5 * X[:, 2] + _rng.normal(size=N_ROWS)
CLASS = np.where(np.median(VALUE) < VALUE, "yes", "no")
LABEL = np.digitize(VALUE, np.quantile(VALUE, [0.4, 0.7, 0.9])).astype(float)
QID = np.arange(N_ROWS) % N_QUERIES
GAPS = np.where(_rng.random(X.shape) < 0.1, np.nan, X)
"""The same with missing values."""
OTHER = _rng.gamma(3.0, size=(80, 4)) * [1.0, 10.0, 0.1, 1000.0]
"""Rows that no model is trained on, some beyond the training range."""


def log_odds(model, rows):
    """Log-odds of the second class, from the model's own logarithms of probabilities."""
    first, second = model.predict_log_proba(rows).T
    return second - first


def assert_adds_up(model, rows, expected, *, tolerance=1e-9):
    """Assert that effects and intercept add up to the model's output for each row; return the effects."""
    found = effects(model, rows)
    scale = max(1.0, float(np.abs(expected).max()))
    np.testing.assert_allclose(found.total(found.encode(rows)), expected, rtol=0, atol=tolerance * scale)
    return found
