"""A feature map of Gaussian columns with given precisions, for tests of maps, curves and scores."""

from glassrank.core.additive.feature_map import FeatureMap
from glassrank.core.additive.gaussian_columns import gaussian_columns


def gaussian_map(gammas, X):
    """Return Gaussian columns for each column of X; a feature with γ = 0 has none."""
    ends = zip(gammas, X.min(axis=0), X.max(axis=0), strict=True)
    return FeatureMap(
        tuple(gaussian_columns(gamma, low, high) if gamma and low < high else None for gamma, low, high in ends)
    )
