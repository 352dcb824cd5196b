"""Choose the documents that a report shows: an example pair, pairs to pick from, and the worst-ranked queries."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.core.checks import FloatArray, IntArray
from glassrank.data.ranking_data import RankingData
from glassrank.metrics.evaluation import evaluate
from glassrank.metrics.short_lists import can_score
from glassrank.nomograms.adapters.effects_on_data import effects_on
from glassrank.nomograms.figure.nomogram import Nomogram, nomogram
from glassrank.ranking.calibration import PairCalibrator
from glassrank.studies.ranking.recipe import Recipe
from glassrank.studies.ranking.result import HardQuery, PickerQuery

DOCUMENTS_TO_PICK = 6
QUERIES_TO_PICK = 60
HARDEST = 6
LABELS_SHOWN = 42


@dataclass(frozen=True)
class ExamplePair:
    """Two documents of one query: the number of the query, and the positions of the documents among its rows."""

    query: int
    a: int
    b: int


def choose_example_pair(model: PairCalibrator, data: RankingData, baseline: FloatArray) -> ExamplePair:
    """Return the top documents of the model (A) and of ``baseline`` (B) for the query with the largest y_A − y_B."""
    learned = model.predict(data)
    firsts = [(_first(learned, rows), _first(baseline, rows)) for rows in _lists(data)]
    different = [(a, b) for a, b in firsts if a != b] or [_top_two(learned, max(_lists(data), key=len))]
    a, b = max(different, key=lambda pair: data.y[pair[0]] - data.y[pair[1]])
    query = int(data.groups.of_row[a])
    place_of = {int(row): place for place, row in enumerate(data.groups.rows(query))}
    return ExamplePair(query, place_of[a], place_of[b])


def draw_example_nomogram(
    model: PairCalibrator,
    data: RankingData,
    pair: ExamplePair,
    samples: EffectSamples,
    units: Mapping[str, str] | None = None,
) -> Nomogram:
    """Draw the nomogram that a report shows first; ``units`` of features that are not in the data are ignored."""
    return nomogram(
        model,
        data,
        query=data.qid[data.groups.rows(pair.query)[0]],
        document=pair.a,
        against=pair.b,
        samples=samples,
        units={name: unit for name, unit in (units or {}).items() if name in data.feature_names},
    )


def list_picker_queries(
    picture: Nomogram, data: RankingData, model: PairCalibrator, opened: ExamplePair
) -> tuple[PickerQuery, ...]:
    """Return the top documents of each query with all their pairs; many queries are sampled evenly."""
    scores = model.predict(data)
    chosen = np.unique(np.linspace(0, data.n_queries - 1, QUERIES_TO_PICK).round().astype(int))
    numbers = (query for query in np.union1d(chosen, [opened.query]).tolist() if len(data.groups.rows(query)) > 1)
    return tuple(
        _picker_query(picture, data, scores, query, opened if query == opened.query else None) for query in numbers
    )


def _picker_query(
    picture: Nomogram, data: RankingData, scores: FloatArray, query: int, opened: ExamplePair | None
) -> PickerQuery:
    rows = data.groups.rows(query)
    # Include the pair that the page shows first, so that it can be picked again.
    extra = [] if opened is None else [opened.a, opened.b]
    first = np.argsort(-scores[rows], kind="stable")[:DOCUMENTS_TO_PICK].tolist()
    places = list(dict.fromkeys([*first, *sorted(extra)]))
    identifier = data.qid[rows[0]]
    keys = list(combinations(range(len(places)), 2))
    shown = picture.pairs_to_show(data, query=identifier, pairs=[(places[i], places[j]) for i, j in keys])
    pairs = {f"{i} {j}": one for (i, j), one in zip(keys, shown, strict=True)}
    names = tuple(f"{_name(data, rows, place)}, judged {data.y[rows[place]]:g}" for place in places)
    opens = None if opened is None else (places.index(opened.a), places.index(opened.b))
    return PickerQuery(str(identifier), names, pairs, opens)


def find_hardest_queries(
    model: PairCalibrator, data: RankingData, scores: FloatArray, recipe: Recipe
) -> tuple[HardQuery, ...]:
    """Return the queries with the lowest measure by held-out scores, among those with different labels.

    A list that counts as 0 because it is shorter than the measure's cutoff is not hard: no order would score.
    """
    found = evaluate(data.y, scores, qid=data.qid, measures=[recipe.measure], convention=recipe.convention)
    values = found.per_query[recipe.measure]
    has_good = np.array([data.y[rows].max() > data.y[rows].min() for rows in _lists(data)])
    can = can_score(data.groups.sizes, recipe.measure, recipe.convention)
    counted = np.flatnonzero(~np.isnan(values) & has_good & can)
    worst = counted[np.argsort(values[counted], kind="stable")[:HARDEST]]
    terms, coded = effects_on(model, data)
    return tuple(_hard_query(terms, coded, scores, int(query), float(values[query])) for query in worst)


def _hard_query(terms: Any, data: RankingData, scores: FloatArray, query: int, value: float) -> HardQuery:
    rows = data.groups.rows(query)
    ranked = rows[np.argsort(-scores[rows], kind="stable")]
    labels = data.y[ranked]
    best = int(np.argmax(labels == labels.max()))
    levels, counts = np.unique(labels, return_counts=True)
    push = None
    if best > 0:
        difference = terms.differences(data.X[ranked[[0]]], data.X[ranked[[best]]])[0]
        k = int(np.argmax(difference))
        # The explained model is not the held-out one, so it may order the two correctly.
        push = (data.feature_names[k], float(difference[k])) if difference[k] > 0 else None
    return HardQuery(
        query=str(data.qid[rows[0]]),
        n_documents=len(rows),
        judged=tuple((float(level), int(count)) for level, count in zip(levels[::-1], counts[::-1], strict=True)),
        value=value,
        labels=tuple(labels[:LABELS_SHOWN].tolist()),
        first_best=best + 1,
        push=push,
    )


def _lists(data: RankingData) -> list[IntArray]:
    return [data.groups.rows(query) for query in range(data.n_queries)]


def _first(scores: FloatArray, rows: IntArray) -> int:
    return int(rows[np.argmax(scores[rows])])


def _top_two(scores: FloatArray, rows: IntArray) -> tuple[int, int]:
    a, b = rows[np.argsort(-scores[rows], kind="stable")[:2]]
    return int(a), int(b)


def _name(data: RankingData, rows: IntArray, place: int) -> str:
    return f"document {place}" if data.doc_ids is None else str(data.doc_ids[rows[place]])
