"""Rows of feature values with the score that a correct export gives them."""

import json

import numpy as np

from glassrank.core.checks import FloatArray
from glassrank.core.feature_kinds import UNSEEN
from glassrank.export.export_form import ExportFeature, ExportModel, LevelTerm

N_ROWS = 60
MISSING_SHARE = 0.15
UNSEEN_LEVEL = "(a level that training did not have)"


def check_rows(model: ExportModel) -> bytes:
    """Return rows as JSON lines: the values of the used features, null if missing, and the score."""
    X = drawn_rows(model, N_ROWS)
    lines = [_line(model, row, score) for row, score in zip(X, model.score(X).tolist(), strict=True)]
    return ("\n".join(lines) + "\n").encode()


def _line(model: ExportModel, row: FloatArray, score: float) -> str:
    used = ((model.features[k], row[k]) for k in model.used)
    return json.dumps({"features": {feature.name: _shown(feature, value) for feature, value in used}, "score": score})


def drawn_rows(model: ExportModel, count: int, seed: int = 0) -> FloatArray:
    """Draw rows within the training ranges, with missing values and unseen levels where the model accepts them."""
    generator = np.random.default_rng(seed)
    X = np.zeros((count, len(model.features)))
    for k, feature in enumerate(model.features):
        X[:, k] = _values(feature, generator, count)
    for term in model.terms:
        absent = generator.random(count) < MISSING_SHARE
        if term.missing is not None:
            X[absent, term.feature] = np.nan
        if isinstance(term, LevelTerm) and term.unseen is not None:
            X[generator.random(count) < MISSING_SHARE / 2, term.feature] = UNSEEN
    if model.layer is not None and model.layer.fill is not None:
        X[generator.random(X.shape) < MISSING_SHARE] = np.nan
    return X


def _values(feature: ExportFeature, generator: np.random.Generator, count: int) -> FloatArray:
    if feature.kind.levels:
        return generator.integers(0, len(feature.kind.levels), count).astype(np.float64)
    # Single precision, because that is what search engines keep.
    return generator.uniform(feature.low, feature.high, count).astype(np.float32).astype(np.float64)


def _shown(feature: ExportFeature, value: float) -> float | str | None:
    if np.isnan(value):
        return None
    if not feature.kind.is_category:
        return float(value)
    return UNSEEN_LEVEL if value == UNSEEN else feature.kind.level(value)
