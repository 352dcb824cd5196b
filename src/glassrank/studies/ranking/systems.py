"""The compared systems: their keys, their scores on held-out queries, and their names in the report."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.wording import counted

KEPT, FULL, SINGLE, LIGHTGBM = "kept", "full", "single", "lightgbm"
"""The study's model, the model of all features, the best single feature, LightGBM's lambdarank."""
SYSTEMS = (KEPT, FULL, SINGLE, LIGHTGBM)


@dataclass(frozen=True, eq=False)
class HeldOutScores:
    """Scores of documents by models that have not seen their queries."""

    C: float
    gamma: str
    n_kept: int
    single_feature: str
    """The feature that ranks the training queries best; empty if all features are categories."""
    by_system: dict[str, FloatArray]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        scores = {key: values.tolist() for key, values in self.by_system.items()}
        return {
            "C": self.C,
            "gamma": self.gamma,
            "n_kept": self.n_kept,
            "single_feature": self.single_feature,
            **scores,
        }

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> "HeldOutScores":
        """Restore the scores from ``to_dict``.

        >>> plain = {"C": 0.1, "gamma": "scale", "n_kept": 2, "single_feature": "bm25", "kept": [1.5, 0.5]}
        >>> HeldOutScores.from_dict(plain).by_system
        {'kept': array([1.5, 0.5])}
        """
        scores = {key: np.array(plain[key], dtype=np.float64) for key in SYSTEMS if key in plain}
        return cls(plain["C"], plain["gamma"], plain["n_kept"], plain["single_feature"], scores)


@dataclass(frozen=True, eq=False)
class MeasuredSystems:
    """The scores of every system on all measured documents."""

    scores: dict[str, FloatArray]
    """Key of the system → score of each document, the study's model first."""
    single_feature: str
    """The best single feature; empty if the folds disagree."""
    evaluation: str
    """How the systems were measured, in one phrase."""

    def labels(self, kernel: str, n_kept: int, n_features: int) -> dict[str, str]:
        """Key of each system → its name in the report."""
        single = f" ({self.single_feature})" if self.single_feature else ""
        named = {
            KEPT: f"RankSVM ({kernel}) with {counted(n_kept, 'feature')}",
            FULL: f"RankSVM with all {n_features} features",
            SINGLE: f"the best single feature{single}",
            LIGHTGBM: "LightGBM lambdarank (defaults)",
        }
        return {key: named[key] for key in self.scores}


def join_folds(folds: Iterable[tuple[IntArray, HeldOutScores]], n_rows: int, evaluation: str) -> MeasuredSystems:
    """Join the scores of all folds; a system that is missing in one fold is left out, such as one installed later."""
    scores: dict[str, FloatArray] = {}
    singles = set()
    for rows, found in folds:
        singles.add(found.single_feature)
        for key, values in found.by_system.items():
            scores.setdefault(key, np.full(n_rows, np.nan))[rows] = values
    complete = {key: scores[key] for key in SYSTEMS if key in scores and not np.isnan(scores[key]).any()}
    return MeasuredSystems(complete, singles.pop() if len(singles) == 1 else "", evaluation)
