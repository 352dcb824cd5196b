"""Columns for machines that need known numbers: levels of categories and missing values as columns of their own."""

from collections.abc import Sequence

import numpy as np

from glassrank.core.additive.effects import Curve
from glassrank.core.additive.feature_map import FeatureMap
from glassrank.core.checks import FloatArray, Matrix
from glassrank.core.feature_kinds import FeatureKind
from glassrank.core.groups import group_rows
from glassrank.ranking.feature_columns import ColumnOptions, TrainingColumns, missing_columns

MIN_COUNT = 10
"""Levels of a category with fewer rows share a column, as in a ``RankSVM``."""
_LINEAR = ColumnOptions("linear", "scale", 0.0, MIN_COUNT)


def linear_columns(
    X: Matrix, kinds: Sequence[FeatureKind], names: tuple[str, ...], weights: FloatArray | None
) -> FeatureMap | None:
    """Return the columns of a linear ``RankSVM`` for these rows; None if they are the features themselves."""
    rows = TrainingColumns(X, tuple(kinds), names, group_rows(None, X.shape[0]), weights, missing_columns(X))
    return _LINEAR.feature_map(rows)


def contributions(curves: Sequence[Curve], X: FloatArray) -> FloatArray:
    """Return what each feature adds to the score of each row."""
    return np.column_stack([curve(X[:, k]) for k, curve in enumerate(curves)])
