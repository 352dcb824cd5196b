"""Dropped features whose effect a kept one carries, because the two move together."""

from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.additive.feature_groups import THRESHOLD, correlated_columns
from glassrank.core.checks import IntArray
from glassrank.core.feature_kinds import FeatureTable
from glassrank.nomograms.correlated_features import MAX_FEATURES
from glassrank.nomograms.elimination.training_rows import Rows


def find_carried(rows: Rows, names: tuple[str, ...], support: IntArray) -> dict[str, str]:
    """Return the kept feature that carries each dropped one: of the kept ones of its group, the first.

    Tables whose columns are text for the estimator's own encoder, and more features than can be searched, have none.
    """
    if not _is_numeric(rows.X) or rows.X.shape[1] > MAX_FEATURES:
        return {}
    kept = set(support.tolist())
    found: dict[str, str] = {}
    for group in correlated_columns(rows.X, rows.groups, rows.weights, names, THRESHOLD):
        carriers = [k for k in group.members if k in kept]
        if carriers:
            found |= {names[k]: names[carriers[0]] for k in group.members if k not in kept}
    return found


def _is_numeric(X: Any) -> bool:
    if isinstance(X, FeatureTable) or sparse.issparse(X):
        return True
    return isinstance(X, np.ndarray) and X.dtype.kind == "f"
