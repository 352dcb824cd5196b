"""Choose the pair that a report shows first, and draw it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.core.checks import FloatArray, IntArray
from glassrank.data.ranking_data import RankingData
from glassrank.nomograms.figure.nomogram import Nomogram, nomogram
from glassrank.ranking.any_ranker import list_scores


@dataclass(frozen=True)
class ExamplePair:
    """Two documents of one query: the number of the query, and the positions of the documents among its rows."""

    query: int
    a: int
    b: int


def choose_example_pair(model: Any, data: RankingData, baseline: FloatArray) -> ExamplePair:
    """Return the top documents of the model (A) and of ``baseline`` (B) for the query with the largest y_A − y_B."""
    learned = list_scores(model, data.table, data.groups)
    firsts = [(_first(learned, rows), _first(baseline, rows)) for rows in _lists(data)]
    different = [(a, b) for a, b in firsts if a != b] or [_top_two(learned, max(_lists(data), key=len))]
    a, b = max(different, key=lambda pair: data.y[pair[0]] - data.y[pair[1]])
    query = int(data.groups.of_row[a])
    place_of = {int(row): place for place, row in enumerate(data.groups.rows(query))}
    return ExamplePair(query, place_of[a], place_of[b])


def draw_example_nomogram(
    model: Any,
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


def _lists(data: RankingData) -> list[IntArray]:
    return [data.groups.rows(query) for query in range(data.n_queries)]


def _first(scores: FloatArray, rows: IntArray) -> int:
    return int(rows[np.argmax(scores[rows])])


def _top_two(scores: FloatArray, rows: IntArray) -> tuple[int, int]:
    a, b = rows[np.argsort(-scores[rows], kind="stable")[:2]]
    return int(a), int(b)


def name_of(listed: RankingData, place: int) -> str:
    """Return the name of a document of a query's list: its id, or its position if the data have no ids."""
    return f"document {place}" if listed.doc_ids is None else str(listed.doc_ids[place])
