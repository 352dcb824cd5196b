"""Two models on the same queries: the paired test, the queries, the flipped pairs and the features."""

import json
import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import DataError
from glassrank.core.frames import make_frame
from glassrank.core.input_types import Frame, Identifier
from glassrank.data.ranking_data import RankingData
from glassrank.drawing.numbers import Notation
from glassrank.drawing.text_table import align
from glassrank.metrics.comparison import ComparedSystem, Comparison
from glassrank.nomograms.model_comparison.flipped_pairs import FlipCounts, flipped_pairs
from glassrank.nomograms.model_comparison.scored_model import ScoredModel

UNCHANGED = 1e-12
SHOWN = 5
signed = Notation(3)


@dataclass(frozen=True)
class QueryChange:
    """The measure of one query by both models, NaN if the query is left out, and its flipped pairs."""

    query: str
    n_documents: int
    value_1: float
    value_2: float
    flips: FlipCounts

    @property
    def change(self) -> float:
        """Measure by model 2 minus measure by model 1."""
        return self.value_2 - self.value_1


@dataclass(frozen=True)
class FeatureChange:
    """How much a feature's contribution to A − B changes for the flipped pairs, in which model 1 puts A above B."""

    name: str
    mean_change: float
    """Mean of the contribution by model 2 minus that by model 1; negative if the feature speaks for the flips."""
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
class ComparedModels:
    """Two models measured on the same queries: what changes, and why."""

    comparison: Comparison
    """Both models with the paired test; model 1 is the baseline."""
    queries: tuple[QueryChange, ...]
    features: tuple[FeatureChange, ...]
    """Features of either model, the largest mean absolute change over the flipped pairs first."""
    data: RankingData
    models: tuple[ScoredModel, ScoredModel]

    @property
    def second(self) -> ComparedSystem:
        """Model 2, compared with model 1."""
        return self.comparison.systems[1]

    @property
    def counted(self) -> list[QueryChange]:
        """The queries that the measure does not leave out, the most hurt first."""
        return sorted((one for one in self.queries if not math.isnan(one.change)), key=lambda one: one.change)

    @property
    def hurt(self) -> list[QueryChange]:
        """The queries for which model 2 is worse, the most hurt first."""
        return [one for one in self.counted if one.change < -UNCHANGED]

    @property
    def helped(self) -> list[QueryChange]:
        """The queries for which model 2 is better, the most helped last."""
        return [one for one in self.counted if one.change > UNCHANGED]

    @property
    def n_lose(self) -> int:
        """Number of queries for which model 2 is worse."""
        return len(self.hurt)

    @property
    def n_gain(self) -> int:
        """Number of queries for which model 2 is better."""
        return len(self.helped)

    @property
    def n_unchanged(self) -> int:
        """Number of queries for which both models are equally good."""
        return len(self.counted) - self.n_lose - self.n_gain

    @property
    def flips(self) -> FlipCounts:
        """Flipped pairs of all queries."""
        every = [one.flips for one in self.queries]
        return FlipCounts(
            *(sum(getattr(one, kind) for one in every) for kind in ("right_to_wrong", "wrong_to_right", "equal_labels"))
        )

    def sentences(self) -> list[str]:
        """Summarise the comparison: the paired difference, the queries and the pairs."""
        second, level = self.second, f"{100 * self.comparison.confidence:g} %"
        low, high = second.difference_interval or (math.nan, math.nan)
        verdict = {"better": "better", "worse": "worse"}.get(second.verdict, "not significantly different")
        return [
            f"On the same {self.comparison.n_queries:,} queries, {second.name} is {verdict}: "
            f"{signed(second.difference or 0.0, sign=True)} {self.comparison.measure.upper()} ({level} interval "
            f"{signed(low, sign=True)} to {signed(high, sign=True)}, p = {second.p_value:.2g}).",
            f"It loses on {self.n_lose:,}, gains on {self.n_gain:,} and leaves {self.n_unchanged:,} unchanged.",
            f"{self.flips.total:,} pairs change their order: {self.flips.right_to_wrong:,} from right to wrong, "
            f"{self.flips.wrong_to_right:,} from wrong to right, {self.flips.equal_labels:,} with equal labels.",
        ]

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
        ours = [one.scores[rows] for one in self.models]
        above, below = flipped_pairs(*ours)
        changes = ours[1][above] - ours[1][below] - (ours[0][above] - ours[0][below])
        return [self._pair(rows, int(above[place]), int(below[place])) for place in np.argsort(changes, kind="stable")]

    def rows(self, query: Identifier) -> Any:
        """Return the rows of a query."""
        found = np.flatnonzero(self.data.groups.ids.astype(str) == str(query))
        if not len(found):
            raise DataError(f"There is no query {query!r} in the data.", parameter="query", got=query)
        return self.data.groups.rows(int(found[0]))

    def names(self, query: Identifier) -> list[str]:
        """Return the names of a query's documents: their ids, or their positions if the data have none."""
        rows = self.rows(query)
        ids = self.data.doc_ids
        return [f"document {place}" if ids is None else str(ids[row]) for place, row in enumerate(rows)]

    def ranks(self, query: Identifier) -> tuple[Any, Any]:
        """Return the ranks of a query's documents by both models, from 1; equal scores keep the order of the rows."""
        rows = self.rows(query)
        orders = [np.argsort(-one.scores[rows], kind="stable") for one in self.models]
        first, second = (np.argsort(order) + 1 for order in orders)
        return first, second

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

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with one row per query."""
        rows = [self._columns(one) for one in self.queries]
        return make_frame({column: [row[column] for row in rows] for column in rows[0]}, backend)

    def _columns(self, one: QueryChange) -> dict[str, Any]:
        return {
            "query": one.query,
            "n_documents": one.n_documents,
            "value_1": one.value_1,
            "value_2": one.value_2,
            "change": one.change,
            **asdict(one.flips),
        }

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
