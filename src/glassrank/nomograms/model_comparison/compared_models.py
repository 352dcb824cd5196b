"""Two models on the same queries: the paired test, the queries, the flipped pairs and the features."""

import json
import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from glassrank.core.input_types import Identifier
from glassrank.drawing.text_table import align
from glassrank.nomograms.model_comparison.compared_scores import ComparedScores, signed
from glassrank.nomograms.model_comparison.flipped_pairs import flipped_pairs
from glassrank.nomograms.model_comparison.scored_model import ScoredModel

SHOWN = 5


@dataclass(frozen=True)
class FeatureChange:
    """How much a feature's contribution to A − B changes for the flipped pairs, in which model 1 puts A above B."""

    name: str
    mean_change: float
    """Mean of the contribution by model 2 minus that by model 1; negative if the feature contributes to the flips."""
    mean_absolute_change: float
    in_models: tuple[bool, ...]
    """Whether model 1 and model 2 have the feature; a model without it gives it the contribution 0."""


@dataclass(frozen=True)
class FlippedPair:
    """Documents A and B of a query, which model 1 ranks A above B and model 2 below."""

    a: str
    b: str
    label_a: float
    label_b: float
    ranks_a: tuple[int, int]
    ranks_b: tuple[int, int]
    contributions: dict[str, tuple[float, float]]
    """Feature → its contribution to A − B by model 1 and by model 2, the largest change first."""
    totals: tuple[float, float]


@dataclass(frozen=True, eq=False, repr=False)
class ComparedModels(ComparedScores):
    """Two models measured on the same queries: what changes, and why."""

    features: tuple[FeatureChange, ...]
    """Features of either model, the largest mean absolute change over the flipped pairs first."""
    models: tuple[ScoredModel, ScoredModel]

    def __str__(self) -> str:
        shown = [*self.hurt[:SHOWN], *self.helped[-SHOWN:]]
        names = [one.name for one in self.comparison.systems]
        rows = [("query", *names, "change", "right→wrong", "wrong→right")]
        rows += [
            (one.query, f"{one.value_1:.3f}", f"{one.value_2:.3f}", signed(one.change, sign=True),
             str(one.flips.right_to_wrong), str(one.flips.wrong_to_right))
            for one in shown
        ]  # fmt: skip
        features = [("feature", "mean change", "mean |change|")]
        features += [
            (one.name, signed(one.mean_change, sign=True), signed(one.mean_absolute_change))
            for one in self.features[: 2 * SHOWN]
        ]
        parts = ["\n".join(self.sentences()), align(rows)] if shown else ["\n".join(self.sentences())]
        return "\n\n".join([*parts, f"Over the flipped pairs, in {self.models[0].effects.unit}:\n{align(features)}"])

    __repr__ = __str__

    def flipped_pairs(self, query: Identifier) -> list[FlippedPair]:
        """Return the flipped pairs of one query, the largest change of the total first."""
        rows = self.rows(query)
        ours = [one[rows] for one in self.scores]
        above, below = flipped_pairs(*ours)
        changes = ours[1][above] - ours[1][below] - (ours[0][above] - ours[0][below])
        return [self._pair(rows, int(above[place]), int(below[place])) for place in np.argsort(changes, kind="stable")]

    def _pair(self, rows: Any, above: int, below: int) -> FlippedPair:
        found: dict[str, list[float]] = {one.name: [0.0, 0.0] for one in self.features}
        for place, model in enumerate(self.models):
            own = model.contributions[rows[above]] - model.contributions[rows[below]]
            for name, amount in zip(model.effects.names, own.tolist(), strict=True):
                found[name][place] = amount
        ordered = sorted(found.items(), key=lambda item: -abs(item[1][1] - item[1][0]))
        query, labels = self.data.qid[rows[0]], self.data.y[rows]
        names, (first, second) = self.names(query), self.ranks(query)
        return FlippedPair(
            a=names[above],
            b=names[below],
            label_a=float(labels[above]),
            label_b=float(labels[below]),
            ranks_a=(int(first[above]), int(second[above])),
            ranks_b=(int(first[below]), int(second[below])),
            contributions={name: (before, after) for name, (before, after) in ordered},
            totals=(sum(before for _, (before, _) in ordered), sum(after for _, (_, after) in ordered)),
        )

    def to_json(self) -> str:
        """Return the comparison, the queries, the flips and the features as JSON, with null for NaN."""
        queries = [
            {name: None if isinstance(value, float) and math.isnan(value) else value for name, value in row.items()}
            for row in map(self._columns, self.queries)
        ]
        content = {
            "comparison": self.comparison.to_dict(),
            "queries_lost": self.n_lose,
            "queries_gained": self.n_gain,
            "queries_unchanged": self.n_unchanged,
            "flips": asdict(self.flips),
            "unit": self.models[0].effects.unit,
            "features": [asdict(one) for one in self.features],
            "queries": queries,
        }
        return json.dumps(content)
