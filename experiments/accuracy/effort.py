"""How much work the study does: all of it on real data, a small part on simulated data."""

from dataclasses import dataclass

import numpy as np

ALPHAS = tuple(10.0 ** np.arange(-7.0, 0.75, 0.5))
"""λ of the least-squares rankers in the drug discovery experiment."""


@dataclass(frozen=True)
class Effort:
    """Sizes of the grids, and the number of seeds."""

    n_seeds: int = 10
    n_nodes: int = 500
    Cs: tuple[float, ...] = (1e-2, 1e-1, 1.0, 10.0, 100.0)
    """C·|P|: C on the mean pair loss."""
    gammas: tuple[float, ...] = (0.02, 0.1, 0.5)
    """Of standardised features; 0.5 is 1/(2 s²)."""
    n_leaves: tuple[int, ...] = (4, 8, 31)
    leaf_sizes: tuple[int, ...] = (20, 100)
    n_trees: tuple[int, ...] = (10, 25, 50, 100, 200, 300)
    scales: tuple[str, ...] = ("scale*4", "scale", "scale/4")
    """γ of the curves in the comparison of shapes; the one with most columns first."""
    n_tree_settings: int = 20
    """Settings of LightGBM's trees in the comparison of shapes: its defaults, and random ones."""
    max_trees: int = 500
    patience: int = 30
    """Boosting stops when this many trees have not improved the measure on held-out rows."""
    n_splits: int = 5
    """Random halves of each user's jokes."""


FULL = Effort()
TASTE = Effort(
    n_seeds=2,
    n_nodes=40,
    Cs=(0.1, 10.0),
    gammas=(0.1,),
    n_leaves=(4,),
    leaf_sizes=(20,),
    n_trees=(10, 30),
    scales=("scale",),
    n_tree_settings=2,
    max_trees=20,
    patience=5,
    n_splits=2,
)
