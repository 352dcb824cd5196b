"""Rows at which exports go wrong: ends of ranges, knots and their neighbours, tiny values, missing values, levels."""

import numpy as np

from glassrank.core.feature_kinds import UNSEEN
from glassrank.export.export_form import LevelTerm

F = np.float32
MOST_KNOTS = 40


def hard_rows(form, extra=()):
    """Return rows of single-precision values in the valid ranges; ``extra`` has more values, feature by feature."""
    middle = [0.0 if one.kind.levels else 0.5 * (one.low + one.high) for one in form.features]
    accepted = {term.feature for term in form.terms if term.missing is not None}
    if form.layer is not None and form.layer.fill is not None:
        accepted = set(form.used)
    rows = [np.array([clipped(one, 0.0) for one in form.features])]
    rows.append(np.array([np.nan if k in accepted else x for k, x in enumerate(middle)]))
    for k, feature in enumerate(form.features):
        values = [] if feature.kind.levels or not len(extra) else extra[k]
        for x in [*special_values(form, k), *values, *([np.nan] if k in accepted else [])]:
            row = np.array(middle)
            row[k] = x if np.isnan(x) or feature.kind.levels else clipped(feature, x)
            rows.append(row)
    return np.unique(np.array(rows).astype(F).astype(float), axis=0)


def special_values(form, k):
    feature = form.features[k]
    term = next((term for term in form.terms if term.feature == k), None)
    if feature.kind.levels:
        known = [float(code) for code in range(len(feature.kind.levels))]
        return known + ([UNSEEN] if isinstance(term, LevelTerm) and term.unseen is not None else [])
    knots = getattr(term, "knots", getattr(term, "thresholds", np.zeros(0)))
    return [feature.low, feature.high, *feature.valid, 1e-30, -1e-30, -0.0, *with_neighbours(picked(knots))]


def with_neighbours(values):
    """Return values rounded to single precision, with the next smaller and larger number."""
    middle = np.asarray(values, float).astype(F)
    return np.concatenate([middle, *(np.nextafter(middle, F(side)) for side in (-np.inf, np.inf))]).astype(float)


def picked(values):
    """Return some of the values, evenly over all."""
    return values[np.unique(np.linspace(0, len(values) - 1, MOST_KNOTS).astype(int))] if len(values) else values


def clipped(feature, x):
    """Return the nearest single-precision value in the valid range."""
    low, high = feature.valid
    x = F(min(max(x, low), high))
    x = np.nextafter(x, F(np.inf)) if x < low else x
    return float(np.nextafter(x, F(-np.inf)) if x > high else x)
