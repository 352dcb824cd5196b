"""The queries of a report's picker, each with the documents to compare and their pairs, made one query at a time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations
from typing import Any, overload

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.groups import Groups
from glassrank.data.ranking_data import RankingData
from glassrank.metrics.evaluation import evaluate
from glassrank.nomograms.adapters.effects_on_data import effects_on
from glassrank.nomograms.compared_pair import score_ranks
from glassrank.nomograms.figure.nomogram import Nomogram
from glassrank.ranking.any_ranker import list_scores
from glassrank.studies.ranking.hurtful_pair import find_hurtful_pair
from glassrank.studies.ranking.recipe import Recipe
from glassrank.studies.ranking.shared_parts import share_parts
from glassrank.studies.ranking.shown_documents import ExamplePair, name_of

TOP_DOCUMENTS = 5
FEWEST_TOP_DOCUMENTS = 2
# Beyond these, a large study would spend minutes and hundreds of megabytes on pairs that nobody looks at.
MOST_TOP_VALUES = 4_000_000
MOST_SAMPLED_VALUES = 400_000
MOST_QUERIES = 1_000


@dataclass(frozen=True)
class PickerDocument:
    """A document of the picker; names need not be unique."""

    name: str
    rank: int
    label: float


@dataclass(frozen=True, eq=False)
class PickerQuery:
    """A query of the picker: its documents by rank, and every ordered pair of them for the live nomogram."""

    query: str
    documents: tuple[PickerDocument, ...]
    pairs: tuple[tuple[dict[str, Any] | None, ...], ...]
    """``pairs[a][b]`` in the form of ``Nomogram.pairs_to_show``; None for a = b."""
    opens: tuple[int, int] | None = None
    """The two documents that the page shows first; None for all queries but one."""

    def parts(self) -> list[Any]:
        """Return documents and pairs as a table of shared parts, for JSON."""
        documents = [[one.name, one.rank, one.label] for one in self.documents]
        return share_parts({"documents": documents, "pairs": self.pairs})


@dataclass(frozen=True, eq=False)
class PickerQueries(Sequence[PickerQuery]):
    """The queries of a picker, of those with at least two documents; a query's pairs are made when it is read."""

    picture: Nomogram
    data: RankingData
    scores: FloatArray
    """Scores of the model that the picture shows."""
    held_out: FloatArray
    """Scores by which the queries are measured."""
    values: FloatArray
    """The measure of each query of the data; NaN if the query is left out of it."""
    measure: str
    convention: str
    opened: ExamplePair
    numbers: IntArray
    """The queries' numbers in the data."""

    @property
    def n_alone(self) -> int:
        """Number of queries with a single document, which the picker cannot offer."""
        return int((self.data.groups.sizes == 1).sum())

    @property
    def n_left_out(self) -> int:
        """Number of queries that the picker could offer but leaves out, because there are too many."""
        return self.data.n_queries - self.n_alone - len(self.numbers)

    @property
    def place_opened(self) -> int:
        """The place of the query whose pair the page shows first."""
        return int(np.flatnonzero(self.numbers == self.opened.query)[0])

    @property
    def n_top(self) -> int:
        """Number of top documents of each query; fewer if there are very many queries and features."""
        room = MOST_TOP_VALUES // (len(self.numbers) * self.data.n_features)
        return min(max(room, FEWEST_TOP_DOCUMENTS), TOP_DOCUMENTS)

    @property
    def all_sampled(self) -> bool:
        """Whether every pair has an interval; otherwise only the pairs of the query that the page shows first."""
        most = self.n_top + 3
        return len(self.numbers) * most * (most - 1) * self.data.n_features <= MOST_SAMPLED_VALUES

    def catalogue(self) -> list[list[Any]]:
        """Return name, number of documents and measure of each query, without making pairs."""
        sizes, ids = self.data.groups.sizes, self.data.groups.ids
        return [
            [str(ids[number]), int(sizes[number]), None if np.isnan(value) else round(float(value), 4)]
            for number, value in zip(self.numbers.tolist(), self.values[self.numbers], strict=True)
        ]

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, place: int) -> PickerQuery: ...
    @overload
    def __getitem__(self, place: slice) -> list[PickerQuery]: ...
    def __getitem__(self, place: int | slice) -> PickerQuery | list[PickerQuery]:
        if isinstance(place, slice):
            return [self._query(int(number)) for number in self.numbers[place]]
        return self._query(int(self.numbers[place]))

    def _query(self, number: int) -> PickerQuery:
        rows = self.data.groups.rows(number)
        listed = self.data.pick_rows(rows)
        opened = self.opened if number == self.opened.query else None
        places = self._places(rows, [] if opened is None else [opened.a, opened.b])
        ranks = score_ranks(self.scores[rows])
        keys = list(permutations(range(len(places)), 2))
        picture = self.picture if opened is not None or self.all_sampled else self._without_samples
        chosen = [(places[i], places[j]) for i, j in keys]
        shown = dict(zip(keys, picture.pairs_to_show(listed, query=listed.qid[0], pairs=chosen), strict=True))
        every = range(len(places))
        return PickerQuery(
            query=str(listed.qid[0]),
            documents=tuple(
                PickerDocument(name_of(listed, place), int(ranks[place]), float(listed.y[place])) for place in places
            ),
            pairs=tuple(tuple(shown.get((i, j)) for j in every) for i in every),
            opens=None if opened is None else (places.index(opened.a), places.index(opened.b)),
        )

    def _places(self, rows: IntArray, always: list[int]) -> list[int]:
        """Return the documents to offer, by score: the top ones, the best judged and the pair that hurts most."""
        scores, labels = self.scores[rows], self.data.y[rows]
        ranked = np.argsort(-scores, kind="stable")
        best_judged = ranked[int(np.argmax(labels[ranked]))]
        wrong = find_hurtful_pair(labels, self.held_out[rows], self.measure, self.convention)
        chosen = {*ranked[: self.n_top].tolist(), int(best_judged), *always}
        chosen |= set() if wrong is None else {wrong.above, wrong.below}
        return [place for place in ranked.tolist() if place in chosen]

    @cached_property
    def _without_samples(self) -> Nomogram:
        return replace(self.picture, samples=None)


def list_picker_queries(
    picture: Nomogram,
    data: RankingData,
    model: Any,
    held_out: FloatArray,
    recipe: Recipe,
    pair: ExamplePair,
    linked: Sequence[str] = (),
) -> PickerQueries:
    """Return the queries of the data for the picker above ``picture``, which opens at ``pair``.

    Of more than 1,000 queries, the picker has the opened one, the ``linked`` ones, and a random sample of the others.
    """
    found = evaluate(data.y, held_out, qid=data.qid, measures=[recipe.measure], convention=recipe.convention)
    # The picture knows categories by the codes of the model's levels.
    coded = effects_on(model, data)[1]
    values = found.per_query[recipe.measure]
    return PickerQueries(
        picture,
        coded,
        list_scores(model, data.table, data.groups),
        held_out,
        values,
        recipe.measure,
        recipe.convention,
        pair,
        offered_queries(coded.groups, [pair.query, *(coded.query_index(query) for query in linked)], recipe.seed),
    )


def offered_queries(groups: Groups, always: Sequence[int], seed: int) -> IntArray:
    """Return the numbers of the queries to offer: all, or those of ``always`` and a random sample of the others."""
    several = np.flatnonzero(groups.sizes > 1)
    if len(several) <= MOST_QUERIES:
        return several
    others = np.setdiff1d(several, always)
    n_drawn = MOST_QUERIES - (len(several) - len(others))
    drawn = np.random.default_rng(seed).choice(others, max(0, n_drawn), replace=False)
    return np.union1d(np.intersect1d(several, always), drawn)
