"""What is drawn on the lines: two documents, their difference, or one document and a reference."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.core.additive.effects import AdditiveEffects
from glassrank.core.additive.feature_groups import FeatureGroup
from glassrank.core.checks import DataError, FloatArray, Matrix
from glassrank.core.setting import setting
from glassrank.data.ranking_data import RankingData
from glassrank.nomograms.compared_pair import ComparedPair, compare_pairs, document_of, median_row, score_ranks

PAIR, DIFFERENCE, REFERENCE, CLASS = "pair", "difference", "reference", "class"


@dataclass(frozen=True)
class Head:
    """A document in the header of the picture."""

    name: str
    place: tuple[tuple[str, float | None], ...]
    """Words, each with the number that follows it, if any: ``("score", 2.5)``."""


@dataclass(frozen=True, eq=False)
class Overlay:
    """The dots of a picture; the total is ``offset`` plus the contributions, which follow exactly from the effects."""

    kind: str
    query: str
    heads: tuple[Head, ...]
    values: FloatArray
    """One row per dot on a line (A and B, or a single one), one column per feature."""
    effects: FloatArray
    """The columns are the features, followed by the interactions; those of ``with_sums`` also have the groups."""
    base: FloatArray
    """With a single dot: the effect with which the dot's effect is compared."""
    offset: float
    contributions: FloatArray
    sampled: FloatArray | None = None
    """Contributions in each replicate of the model, for standard errors."""
    interval: tuple[float, float] | None = None
    """95 % interval of the total."""
    pair: ComparedPair | None = None

    groups: tuple[FeatureGroup, ...] = ()

    @property
    def start(self) -> str:
        """Name of the offset: the output where all effects are 0."""
        return "average row" if self.kind == CLASS else "equal documents"

    @property
    def total(self) -> float:
        return self.offset + float(self.contributions[: len(self.contributions) - len(self.groups)].sum())

    def with_sums(self, groups: Sequence[FeatureGroup]) -> "Overlay":
        """Return the same dots with a column for each group's sum; the value of a sum or interaction is its effect.

        The groups are not part of the total, because their members are.
        """
        effects, n_features = _with_sums(self.effects, groups), self.values.shape[1]
        return replace(
            self,
            values=np.concatenate([self.values, effects[:, n_features:]], axis=1),
            effects=effects,
            base=_with_sums(self.base, groups),
            contributions=_with_sums(self.contributions, groups),
            sampled=None if self.sampled is None else _with_sums(self.sampled, groups),
            groups=tuple(groups),
        )

    def error(self, columns: Any) -> float | None:
        """Return the standard error of the summed contributions of these features."""
        return None if self.sampled is None else float(self.sampled[:, columns].sum(axis=1).std(ddof=1))

    def errors(self, columns: Sequence[int]) -> list[float] | None:
        """Return the standard error of the contribution of each of these features."""
        return None if self.sampled is None else self.sampled[:, list(columns)].std(axis=0, ddof=1).tolist()


def overlay_pairs(
    effects: AdditiveEffects,
    data: RankingData,
    query: Any,
    pairs: Sequence[tuple[Any, Any]],
    samples: EffectSamples | None,
) -> list[Overlay]:
    """Pairs of documents of one query: two dots on each line, or one dot at A − B for a model of differences."""
    compared = compare_pairs(effects, data, query, pairs)
    # Curves are evaluated once for all pairs: they take hardly longer for many values than for one.
    a, b = (np.array([getattr(pair, side).values for pair in compared]) for side in "ab")
    sampled = _sampled(samples, a, b)
    single = effects.subject == "difference"
    values = np.stack([a - b] if single else [a, b], axis=1)
    drawn = effects.contributions(values.reshape(-1, values.shape[2])).reshape(*values.shape[:2], -1)
    base = effects.contributions(np.zeros_like(a[:1]))[0]
    intervals = _intervals(samples, sampled, len(compared))
    return [
        Overlay(
            kind=DIFFERENCE if single else PAIR,
            query=pair.query,
            heads=tuple(_ranked_head(document, effects.unit) for document in (pair.a, pair.b)),
            values=values[place],
            effects=drawn[place],
            base=base,
            offset=effects.pair_offset,
            contributions=pair.contributions,
            sampled=None if sampled is None else sampled[:, place],
            interval=intervals[place],
            pair=pair,
        )
        for place, pair in enumerate(compared)
    ]


def overlay_ranked(
    effects: AdditiveEffects, data: RankingData, query: Any, document: Any, samples: EffectSamples | None
) -> Overlay:
    """One document and the median document of its query, the lower one of two middle ones."""
    if effects.subject == "difference":
        raise DataError(
            "A model of differences compares two documents.", remedy=f"Set {setting('against')} to the other one."
        )
    row = data.row_of(query, document)
    rows = np.flatnonzero(data.qid == data.qid[row])
    scores = effects.total(data.X[rows])
    places, ranks = (row, median_row(rows, scores)), score_ranks(scores)
    a, reference = (document_of(data, place, rows, scores, ranks) for place in places)
    values, other = a.values[None], reference.values[None]
    head = _ranked_head(a, effects.unit)
    sampled = _sampled(samples, values, other)
    interval = _intervals(samples, sampled, 1)[0]
    sampled = None if sampled is None else sampled[:, 0]
    beside = Head(f"Reference: {reference.name}", (("the query’s median document, rank", float(reference.rank)),))
    return Overlay(
        kind=REFERENCE,
        query=str(data.qid[row]),
        heads=(head, beside),
        values=values,
        effects=effects.contributions(values),
        base=effects.contributions(other)[0],
        offset=0.0,
        contributions=effects.differences(values, other)[0],
        sampled=sampled,
        interval=interval,
    )


def overlay_class(effects: AdditiveEffects, X: Matrix, document: int, samples: EffectSamples | None) -> Overlay:
    """One row and the average: effects are 0 at each feature's mean, and the offset is the output of an average row."""
    if not isinstance(document, (int, np.integer)) or not 0 <= document < X.shape[0]:
        raise DataError(parameter="document", expected=f"a row of the data, 0 to {X.shape[0] - 1}", got=document)
    row = X[[document]]
    values = row.toarray() if sparse.issparse(row) else np.array(row)
    contributions = effects.contributions(values)
    place = ((f"one of {X.shape[0]:,} rows", None), (effects.unit, float(effects.total(values)[0])))
    sampled = totals = None
    if samples is not None:
        sampled = np.array([replicate.contributions(values)[0] for replicate in samples.replicates])
        totals = sampled.sum(axis=1) + np.array([replicate.intercept for replicate in samples.replicates])
    return Overlay(
        kind=CLASS,
        query="",
        heads=(Head(f"row {document}", place),),
        values=values,
        effects=contributions,
        base=np.zeros(contributions.shape[1]),
        offset=effects.intercept,
        contributions=contributions[0],
        sampled=sampled,
        interval=None if totals is None else _quantiles(totals[:, None])[0],
    )


def _with_sums(columns: FloatArray, groups: Sequence[FeatureGroup]) -> FloatArray:
    """Append the sum of each group's columns."""
    sums = [columns[..., list(group.members)].sum(axis=-1, keepdims=True) for group in groups]
    return np.concatenate([columns, *sums], axis=-1)


def _ranked_head(document: Any, unit: str) -> Head:
    place = ((f"rank {document.rank} of {document.n_documents}", None), (unit, document.score))
    return Head(document.name, place if document.label is None else (*place, ("judged", document.label)))


def _sampled(samples: EffectSamples | None, a: FloatArray, b: FloatArray) -> FloatArray | None:
    """Contributions in each replicate: an array of replicates × pairs × columns."""
    return None if samples is None else np.array([r.differences(a, b) for r in samples.replicates])


def _intervals(
    samples: EffectSamples | None, sampled: FloatArray | None, n_pairs: int
) -> Sequence[tuple[float, float] | None]:
    """Return the interval of each pair's total, from its contributions in each replicate."""
    if samples is None or sampled is None:
        return [None] * n_pairs
    offsets = np.array([one.pair_offset for one in samples.replicates])
    return _quantiles(offsets[:, None] + sampled.sum(axis=2))


def _quantiles(totals: FloatArray) -> list[tuple[float, float]]:
    """Return the 95 % interval of each column, from the percentiles of the replicates."""
    low, high = np.quantile(totals, [0.025, 0.975], axis=0).tolist()
    return list(zip(low, high, strict=True))
