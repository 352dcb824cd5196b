"""Groups of correlated features, whose effects are shown as one sum."""

from dataclasses import dataclass


@dataclass(frozen=True)
class FeatureGroup:
    """Features that move together, by their positions in the model's order; no feature is in two groups."""

    name: str
    members: tuple[int, ...]
