"""The result of an elimination, as text, as a table and as a picture."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from glassrank.core.additive.effects import AdditiveEffects
from glassrank.core.checks import FloatArray
from glassrank.core.frames import make_frame
from glassrank.core.input_types import Frame
from glassrank.data.ranking_data import RankingData
from glassrank.drawing.text_table import align
from glassrank.nomograms.elimination.curve_chart import EliminationChart
from glassrank.nomograms.elimination.path import BEST, LITERAL, MOST_LOST, ONE_SE, Elimination, Plan, standard_error

UNITS = {"query": "queries", "document": "documents", "row": "rows", "pair": "pairs, which share documents"}
MAX_NAMED = 3
HOW: dict[str | int, str] = {
    BEST: "the best of",
    ONE_SE: f"the fewest within one standard error, and {MOST_LOST:g}, of the best of",
    LITERAL: "the best, of equal ones the largest, of",
}


@dataclass(frozen=True)
class EliminatedLine:
    """A feature and the length of its line in the nomogram."""

    feature: str
    length: float


@dataclass(frozen=True)
class Round:
    """A number of features, its score in each fold, and the features dropped after it in the order of all rows."""

    n_features: int
    mean: float
    standard_error: float
    """Of the mean, over folds."""
    folds: tuple[float | None, ...]
    """None if the measure is undefined in a fold."""
    leaves: tuple[EliminatedLine, ...]
    """Features dropped after this round, with the lengths of their lines."""


@dataclass(frozen=True)
class NestedEstimate:
    """Scores of the features that the whole elimination, repeated without each outer fold, selects."""

    mean: float
    std: float
    """Standard deviation over the outer folds."""
    folds: tuple[float, ...]
    n_features: tuple[int, ...]
    """Features kept in each outer fold."""


@dataclass(frozen=True, repr=False)
class EliminationResult:
    """The rounds of an elimination, and the features that it selects.

    The score of the selected subset is a *selection score*: the subset was chosen by it, so it is optimistic. Quote the
    nested estimate, which repeats the selection without each outer fold.
    """

    scoring: str
    keep: str | int
    """The rule that selects a round, or the given number of features."""
    fold_unit: str
    rounds: tuple[Round, ...]
    """From all features downwards."""
    selected: int
    """Index of the selected round."""
    kept: tuple[EliminatedLine, ...]
    """The selected features with the lengths of their lines, longest first."""
    nested: NestedEstimate | None
    stability: dict[str, float] | None
    """Share of the bootstraps in which each feature is kept."""
    length: str = "query"
    """How lines are measured, as in ``AdditiveEffects.lengths``."""
    unit: str = "score"
    """Unit of the lengths of all lines."""
    guard: str = ""
    """Why all features are kept instead of the selected ones; empty if they are not."""
    carried: dict[str, str] = field(default_factory=dict)
    """Dropped features that move together with a kept one within queries, which carries their effect, and that one."""

    @property
    def n_kept(self) -> int:
        """Number of selected features."""
        return self.rounds[self.selected].n_features

    @property
    def selection_score(self) -> float:
        """Mean over folds of the selected subset; optimistic, because the subset was chosen by it."""
        return self.rounds[self.selected].mean

    @property
    def dropped(self) -> tuple[EliminatedLine, ...]:
        """Features that are not selected, in the order in which they were dropped."""
        return tuple(line for one in self.rounds[: self.selected] for line in one.leaves)

    def __str__(self) -> str:
        header = ("features", self.scoring, "folds", "dropped next", "line")
        rows = [self._cells(index, one) for index, one in enumerate(self.rounds)]
        return "\n".join([*self.sentences(), align([header, *rows])])

    __repr__ = __str__

    def sentences(self) -> list[str]:
        """Return the result in sentences."""
        n_all, how = self.rounds[0].n_features, HOW.get(self.keep, "as many as were asked for, of")
        folds = f"{len(self.rounds[0].folds)} folds of {UNITS[self.fold_unit]}"
        said = [
            self.guard or f"{self.n_kept} of {n_all} features are kept: {how} {len(self.rounds)} sizes.",
            f"Selection score {self.selection_score:.4f} ({self.scoring}, {folds}): optimistic, because the subset was "
            "chosen by it.",
        ]
        if self.nested is not None:
            n_kept = ", ".join(map(str, self.nested.n_features))
            said.append(
                f"Nested estimate {self.nested.mean:.4f} ± {self.nested.std:.4f} (standard deviation over "
                f"{len(self.nested.folds)} outer folds; features kept in each fold: {n_kept})."
            )
        if self.carried:
            pairs = ", ".join(f"{dropped} ({kept})" for dropped, kept in self.carried.items())
            said.append(f"Dropped because a kept feature moves with it and carries its effect: {pairs}.")
        if self.stability is not None:
            by_share = sorted(self.stability.items(), key=lambda item: -item[1])
            said.append("Kept in resamples: " + ", ".join(f"{name} {share:.0%}" for name, share in by_share) + ".")
        return said

    def keep_all(self, guard: str) -> "EliminationResult":
        """Return the same elimination with all features kept, and why."""
        return replace(self, selected=0, kept=(*self.kept, *reversed(self.dropped)), guard=guard, carried={})

    def in_units_of(self, effects: AdditiveEffects, data: RankingData, scale: float) -> "EliminationResult":
        """Return the same elimination with the lengths of the final model; ``scale`` brings others into its unit."""

        def scaled(one: Round) -> Round:
            return replace(one, leaves=tuple(replace(line, length=scale * line.length) for line in one.leaves))

        lengths = effects.lengths(effects.encode(data.table), data.groups, self.length)
        kept = (EliminatedLine(name, length) for name, length in zip(effects.names, lengths.tolist(), strict=True))
        rounds = tuple(map(scaled, self.rounds))
        return replace(self, rounds=rounds, kept=tuple(sorted(kept, key=lambda line: -line.length)), unit=effects.unit)

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with one row per round."""
        columns: dict[str, list[Any]] = {
            "n_features": [one.n_features for one in self.rounds],
            "mean": [one.mean for one in self.rounds],
            "standard_error": [one.standard_error for one in self.rounds],
        }
        for fold in range(len(self.rounds[0].folds)):
            columns[f"fold_{fold}"] = [one.folds[fold] for one in self.rounds]
        columns["leaves_next"] = [", ".join(line.feature for line in one.leaves) for one in self.rounds]
        columns["selected"] = [index == self.selected for index in range(len(self.rounds))]
        return make_frame(columns, backend)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; None for an outer fold in which the measure is undefined."""
        nested = None
        if self.nested is not None:
            nested = asdict(self.nested) | {"folds": [_or_none(score) for score in self.nested.folds]}
        return asdict(self) | {"nested": nested}

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> "EliminationResult":
        """Restore a result from ``to_dict``, also after a round trip through JSON."""
        rounds = (one | {"folds": tuple(one["folds"]), "leaves": _lines(one["leaves"])} for one in plain["rounds"])
        nested = plain["nested"]
        if nested is not None:
            folds = tuple(float("nan") if score is None else score for score in nested["folds"])
            nested = NestedEstimate(nested["mean"], nested["std"], folds, tuple(nested["n_features"]))
        made = {"rounds": tuple(Round(**one) for one in rounds), "kept": _lines(plain["kept"]), "nested": nested}
        return cls(**plain | made)

    def to_json(self) -> str:
        """Return everything as JSON."""
        return json.dumps(self.to_dict())

    def chart(self, shown: int | None = None, links: Mapping[int, str] | None = None) -> EliminationChart:
        """Draw the measure against the number of features, with the nested estimate beside it.

        A page can mark the subset that it shows by its number of features, and let points be links to addresses.
        """
        return EliminationChart(
            scoring=self.scoring,
            points=tuple((one.n_features, one.mean, one.folds) for one in self.rounds),
            selected=self.n_kept,
            nested=None if self.nested is None else (self.nested.mean, self.nested.folds),
            subtitle=self.sentences()[0],
            folds=UNITS[self.fold_unit],
            shown=shown,
            links=links or {},
        )

    def _repr_svg_(self) -> str:
        return self.chart()._repr_svg_()

    def _cells(self, index: int, one: Round) -> tuple[str, ...]:
        measured = [score for score in one.folds if score is not None]
        names = ", ".join(line.feature for line in one.leaves[:MAX_NAMED])
        lengths = ", ".join(f"{line.length:.3g}" for line in one.leaves[:MAX_NAMED])
        more = ", …" if len(one.leaves) > MAX_NAMED else ""
        size = f"{one.n_features}{' ← kept' if index == self.selected else ''}"
        return size, f"{one.mean:.4f}", f"{min(measured):.4f}–{max(measured):.4f}", names + more, lengths + more


def describe(
    found: Elimination,
    plan: Plan,
    names: tuple[str, ...],
    nested: NestedEstimate | None,
    stability: FloatArray | None,
    fold_unit: str,
    carried: dict[str, str],
) -> EliminationResult:
    """Return the result of an elimination, with the names of the features."""
    order, defined = found.order, found.defined
    errors = standard_error(defined)
    rounds = []
    for index, (kept, lengths) in enumerate(zip(order.subsets, order.lengths, strict=True)):
        leaving = order.dropped[index] if index < len(order.dropped) else np.zeros(0, dtype=np.int64)
        leaves = tuple(EliminatedLine(names[k], float(lengths[np.searchsorted(kept, k)])) for k in leaving)
        folds = tuple(_or_none(score) for score in found.scores[index].tolist())
        rounds.append(Round(len(kept), float(defined[index].mean()), float(errors[index]), folds, leaves))
    lines = [
        EliminatedLine(names[k], float(length))
        for k, length in zip(found.support, order.lengths[found.selected], strict=True)
    ]
    return EliminationResult(
        scoring=plan.scoring.name,
        keep=plan.keep,
        fold_unit=fold_unit,
        rounds=tuple(rounds),
        selected=found.selected,
        kept=tuple(sorted(lines, key=lambda line: -line.length)),
        nested=nested,
        stability=None if stability is None else dict(zip(names, stability.tolist(), strict=True)),
        length=plan.length or ("global" if plan.scoring.classifier else "query"),
        carried=carried,
    )


def _lines(plain: list[dict[str, Any]]) -> tuple[EliminatedLine, ...]:
    return tuple(EliminatedLine(**line) for line in plain)


def _or_none(score: float) -> float | None:
    return None if np.isnan(score) else float(score)
