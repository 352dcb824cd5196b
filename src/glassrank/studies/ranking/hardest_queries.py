"""The queries that a model ranks worst, with the pair that hurts most and the features that cause it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.additive.effects import AdditiveEffects
from glassrank.core.checks import FloatArray, IntArray
from glassrank.data.ranking_data import RankingData
from glassrank.metrics.conventions import CONVENTIONS
from glassrank.metrics.evaluation import evaluate
from glassrank.metrics.measures import parse_measure
from glassrank.nomograms.adapters.effects_on_data import effects_on
from glassrank.nomograms.explanation import explain_pair
from glassrank.studies.ranking.hurtful_pair import HurtfulPair, find_hurtful_pair
from glassrank.studies.ranking.result import Failures, HardQuery, WrongDocument, WrongPair
from glassrank.studies.ranking.shown_documents import name_of

HARDEST = 6
LABELS_SHOWN = 30
PUSHES = 5


@dataclass(frozen=True, eq=False)
class RankedSystem:
    """A system with an additive model: its label, the model that explains it, the model's data and the scores."""

    label: str
    model: Any
    data: RankingData
    scores: FloatArray
    """Held-out scores, by which the queries are measured; the model itself may have seen them."""


def find_hardest_queries(systems: Iterable[RankedSystem], measure: str, convention: str) -> tuple[Failures, ...]:
    """Return the queries with the lowest measure for each system, among those with different labels.

    Queries whose list is too short for the measure are counted instead: ``letor4`` gives them 0 in any order.
    """
    return tuple(_failures(system, measure, convention) for system in systems)


def _failures(system: RankedSystem, measure: str, convention: str) -> Failures:
    data = system.data
    found = evaluate(data.y, system.scores, qid=data.qid, measures=[measure], convention=convention)
    values = found.per_query[measure]
    ordered = data.y[data.groups.order]
    starts = data.groups.starts[:-1]
    judged_apart = np.maximum.reduceat(ordered, starts) > np.minimum.reduceat(ordered, starts)
    short = too_short(data, measure, convention)
    counted = np.flatnonzero(~np.isnan(values) & judged_apart & ~short)
    worst = counted[np.argsort(values[counted], kind="stable")[:HARDEST]]
    terms, coded = effects_on(system.model, data)
    queries = tuple(
        _hard_query(terms, coded.pick_rows(rows), system.scores[rows], float(values[query]), (measure, convention))
        for query, rows in ((query, data.groups.rows(int(query))) for query in worst)
    )
    return Failures(system.label, terms.unit, queries, int(short.sum()))


def too_short(data: RankingData, measure: str, convention: str) -> Any:
    """Return for each query whether the convention gives it 0 only because its list is shorter than the cutoff.

    >>> data = RankingData([[0.0]] * 3, [1, 0, 1], ["a", "a", "b"])
    >>> too_short(data, "ndcg@2", "letor4").tolist(), too_short(data, "ndcg@2", "letor").tolist()
    ([False, True], [False, False])
    """
    cut = measure.startswith("ndcg@") and CONVENTIONS[convention].short_list == "zero"
    return data.groups.sizes < (parse_measure(measure).cutoff if cut else 0)


def _hard_query(
    terms: AdditiveEffects, listed: RankingData, scores: FloatArray, value: float, by: tuple[str, str]
) -> HardQuery:
    ranked = np.argsort(-scores, kind="stable")
    labels = listed.y[ranked]
    levels, counts = np.unique(labels, return_counts=True)
    hurtful = find_hurtful_pair(listed.y, scores, *by)
    return HardQuery(
        query=str(listed.qid[0]),
        n_documents=listed.n_rows,
        judged=tuple((float(level), int(count)) for level, count in zip(levels[::-1], counts[::-1], strict=True)),
        value=value,
        labels=tuple(labels[:LABELS_SHOWN].tolist()),
        first_best=int(np.argmax(labels == labels.max())) + 1,
        pair=None if hurtful is None else _wrong_pair(terms, listed, ranked, hurtful),
    )


def _wrong_pair(terms: AdditiveEffects, listed: RankingData, ranked: IntArray, hurtful: HurtfulPair) -> WrongPair:
    explained = explain_pair(terms, listed, query=listed.qid[0], document=hurtful.above, against=hurtful.below)
    pushes = [(one.name, one.contribution) for one in explained.by_size if one.contribution > 0]
    above, below = (
        WrongDocument(name_of(listed, place), float(listed.y[place]), int(np.flatnonzero(ranked == place)[0]) + 1)
        for place in (hurtful.above, hurtful.below)
    )
    return WrongPair(above, below, hurtful.gain, explained.total, tuple(pushes[:PUSHES]))
