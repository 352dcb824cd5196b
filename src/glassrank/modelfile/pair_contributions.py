"""What each feature contributes to the difference of two documents, from the scores of a saved model alone."""

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np

from glassrank.core.checks import FloatArray
from glassrank.core.feature_kinds import FeatureTable
from glassrank.core.sigmoid import Sigmoid
from glassrank.core.wording import counted

MAX_ROWS = 20


@dataclass(frozen=True)
class ValueContribution:
    """What one feature adds to the difference A − B, and its values; a missing value is None."""

    feature: str
    value_a: float | str | None
    value_b: float | str | None
    contribution: float
    """Positive contributions favour A."""


@dataclass(frozen=True)
class PairContributions:
    """Why document A ranks above or below document B: the contributions add up to ``total``."""

    features: tuple[ValueContribution, ...]
    """The largest contribution first."""
    total: float
    unit: str
    """``"score"``, or ``"log-odds"`` if the model gives probabilities."""
    probability: float | None
    """P(A above B), given that the two differ in relevance; None for unit ``"score"``."""

    def to_json(self) -> str:
        """Return the total, the probability and all contributions as JSON."""
        return json.dumps(asdict(self))

    def __str__(self) -> str:
        from glassrank.nomograms.text_columns import aligned, notation_of

        amount = notation_of([self.total, *(one.contribution for one in self.features)])
        lines = [f"A − B = {amount(self.total, sign=True)} {self.unit}"]
        if self.probability is not None:
            lines.append(f"P(A above B) = {self.probability:.3f}, given that the two differ in relevance")
        rows = [("contribution", "feature", "A", "B")]
        for one in self.features[:MAX_ROWS]:
            said = (_said(one.value_a), _said(one.value_b))
            rows.append((amount(one.contribution, sign=True), one.feature, *said))
        lines += ["", *aligned(rows, right={0, 2, 3})]
        hidden = self.features[MAX_ROWS:]
        if hidden:
            rest = amount(math.fsum(one.contribution for one in hidden), sign=True)
            lines.append(f"{rest.rjust(len('contribution'))}  from {counted(len(hidden), 'more feature')}")
        return "\n".join(lines)


def pair_contributions(
    score: Callable[[FeatureTable], FloatArray], pair: FeatureTable, per_score: float | None
) -> PairContributions:
    """Compare two rows by a score that is a sum of one function per feature.

    If feature k of A is replaced by that of B, the score loses what the feature contributes, e_k(a_k) − e_k(b_k).
    ``per_score`` are the log-odds per unit of the score; None if they are unknown.
    """
    a, b = pair.values
    differ = np.flatnonzero(~((a == b) | (np.isnan(a) & np.isnan(b))))
    rows = np.tile(a, (len(differ) + 2, 1))
    rows[1] = b
    rows[2 + np.arange(len(differ)), differ] = b[differ]
    factor = 1.0 if per_score is None else per_score
    scores = factor * score(FeatureTable(rows, pair.kinds, pair.names))
    amounts = np.zeros(len(a))
    amounts[differ] = scores[0] - scores[2:]
    order = np.argsort(-np.abs(amounts), kind="stable").tolist()
    total = float(scores[0] - scores[1]) if len(differ) else 0.0
    return PairContributions(
        tuple(
            ValueContribution(pair.names[k], _value(pair, 0, k), _value(pair, 1, k), float(amounts[k])) for k in order
        ),
        total,
        "score" if per_score is None else "log-odds",
        None if per_score is None else float(Sigmoid(-1.0)(np.array(total))),
    )


def _value(pair: FeatureTable, row: int, k: int) -> float | str | None:
    value, kind = float(pair.values[row, k]), pair.kinds[k]
    if math.isnan(value):
        return None
    return kind.level(value) if kind.levels else value


def _said(value: float | str | None) -> str:
    return "missing" if value is None else value if isinstance(value, str) else f"{value:.4g}".replace("-", "−")
