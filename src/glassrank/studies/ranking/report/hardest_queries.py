"""The queries that a model ranks worst, with the pair that hurts most and the features that cause it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from glassrank.core.additive.effects import AdditiveEffects
from glassrank.core.additive.feature_groups import FeatureGroup
from glassrank.core.checks import FloatArray, IntArray
from glassrank.data.ranking_data import RankingData
from glassrank.metrics.conventions import CONVENTIONS
from glassrank.metrics.evaluation import evaluate
from glassrank.metrics.measures import parse_measure
from glassrank.nomograms.adapters.effects_on_data import effects_on
from glassrank.nomograms.adapters.terms import NotAdditiveError, refuse
from glassrank.nomograms.compared_pair import compare_pair
from glassrank.nomograms.correlated_features import CORRELATED, feature_groups
from glassrank.nomograms.tree_attributions import attribute_pair
from glassrank.ranking.calibration import PairCalibrator
from glassrank.studies.ranking.hurtful_pair import HurtfulPair, find_hurtful_pair
from glassrank.studies.ranking.result import Failures, HardQuery, WrongDocument, WrongPair
from glassrank.studies.ranking.shown_documents import name_of

HARDEST = 6
LABELS_SHOWN = 30
PUSHES = 5


@dataclass(frozen=True, eq=False)
class RankedSystem:
    """A system with a model: its label, the model that explains it, the model's data and the scores."""

    label: str
    model: Any
    data: RankingData
    scores: FloatArray
    """Held-out scores, by which the queries are measured; the model itself may have seen them."""


@dataclass(frozen=True, eq=False)
class _Contributions:
    """What each feature and each interaction contributes to the difference of two documents."""

    names: tuple[str, ...]
    amounts: FloatArray
    attribution: str = ""

    def summed(self, groups: tuple[FeatureGroup, ...]) -> "_Contributions":
        """Replace the features of each group by their sum, whose sign can be trusted."""
        grouped = {k for group in groups for k in group.members}
        single = [k for k in range(len(self.names)) if k not in grouped]
        names = (*(self.names[k] for k in single), *(group.name for group in groups))
        sums = [self.amounts[list(group.members)].sum() for group in groups]
        return replace(self, names=names, amounts=np.array([*self.amounts[single], *sums]))


Explainer = Callable[[Any, int, int], _Contributions]


def find_hardest_queries(systems: Iterable[RankedSystem], measure: str, convention: str) -> tuple[Failures, ...]:
    """Return the queries with the lowest measure for each system, among those with different labels.

    Queries whose list is too short for the measure are counted instead: ``letor4`` gives them 0 in any order. Systems
    whose score does not consist of contributions of features, such as ELMRank with full nodes, are left out.
    """
    found = (_failures(system, measure, convention) for system in systems)
    return tuple(one for one in found if one is not None)


def not_explained(labels: Iterable[str], failures: Iterable[Failures]) -> tuple[str, ...]:
    """Say which of the systems with a model are compared only."""
    explained = {one.label for one in failures}
    return tuple(
        f"{label}: compared, but not explained, because its score is not a sum of effects of features."
        for label in labels
        if label not in explained
    )


def _failures(system: RankedSystem, measure: str, convention: str) -> Failures | None:
    data = system.data
    found = evaluate(data.y, system.scores, qid=data.qid, measures=[measure], convention=convention)
    values = found.per_query[measure]
    ordered = data.y[data.groups.order]
    starts = data.groups.starts[:-1]
    judged_apart = np.maximum.reduceat(ordered, starts) > np.minimum.reduceat(ordered, starts)
    short = parse_measure(measure).too_short(data.groups.sizes, CONVENTIONS[convention])
    counted = np.flatnonzero(~np.isnan(values) & judged_apart & ~short)
    worst = counted[np.argsort(values[counted], kind="stable")[:HARDEST]]
    explain = _explainer(system)
    by = measure, convention
    try:
        queries = tuple(_hard_query(explain, data, int(query), system.scores, values, by) for query in worst)
    except NotAdditiveError:
        return None
    return Failures(system.label, _unit(system.model), queries, int(short.sum()))


def _explainer(system: RankedSystem) -> Explainer:
    """Return a function of a query and two of its documents; effects and correlated features are found once."""
    groups = feature_groups(CORRELATED, system.data, "utility")
    explain = _single_features(system)
    return lambda query, above, below: explain(query, above, below).summed(groups)


def _single_features(system: RankedSystem) -> Explainer:
    try:
        effects, coded = effects_on(system.model, system.data)
    except NotAdditiveError:
        return partial(_attributed, system.model, system.data)
    return partial(_additive, effects, coded)


def _additive(effects: AdditiveEffects, coded: RankingData, query: Any, above: int, below: int) -> _Contributions:
    pair = compare_pair(effects, coded, query, above, below)
    return _Contributions((*effects.names, *effects.interaction_names), pair.contributions)


def _attributed(model: Any, data: RankingData, query: Any, above: int, below: int) -> _Contributions:
    found = attribute_pair(model, data, query, above, below)
    if found is None:
        raise refuse(type(model).__name__, "it has no contributions of features", "Give its scores instead.")
    return _Contributions(data.feature_names, found.pair.contributions, found.attribution)


def _unit(model: Any) -> str:
    return "log-odds" if isinstance(model, PairCalibrator) else "score"


def _hard_query(
    explain: Explainer, data: RankingData, query: int, scores: FloatArray, values: FloatArray, by: tuple[str, str]
) -> HardQuery:
    rows = data.groups.rows(query)
    ranked = np.argsort(-scores[rows], kind="stable")
    labels = data.y[rows][ranked]
    levels, counts = np.unique(labels, return_counts=True)
    hurtful = find_hurtful_pair(data.y[rows], scores[rows], *by)
    return HardQuery(
        query=str(data.qid[rows[0]]),
        n_documents=len(rows),
        judged=tuple((float(level), int(count)) for level, count in zip(levels[::-1], counts[::-1], strict=True)),
        value=float(values[query]),
        labels=tuple(labels[:LABELS_SHOWN].tolist()),
        first_best=int(np.argmax(labels == labels.max())) + 1,
        pair=None if hurtful is None else _wrong_pair(explain, data, rows, ranked, hurtful),
    )


def _wrong_pair(
    explain: Explainer, data: RankingData, rows: IntArray, ranked: IntArray, hurtful: HurtfulPair
) -> WrongPair:
    found = explain(data.qid[rows[0]], hurtful.above, hurtful.below)
    largest = np.argsort(-found.amounts, kind="stable")[:PUSHES]
    pushes = tuple((found.names[k], float(found.amounts[k])) for k in largest if found.amounts[k] > 0)
    listed = data.pick_rows(rows)
    above, below = (
        WrongDocument(name_of(listed, place), float(listed.y[place]), int(np.flatnonzero(ranked == place)[0]) + 1)
        for place in (hurtful.above, hurtful.below)
    )
    return WrongPair(above, below, hurtful.gain, float(found.amounts.sum()), pushes, found.attribution)
