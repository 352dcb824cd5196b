"""The documents of one query as a model ranks them, with what each feature adds, and with values changed."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from glassrank.core.checks import DataError, FloatArray, IntArray
from glassrank.metrics.evaluation import evaluate
from glassrank.nomograms.compared_pair import score_ranks
from glassrank.nomograms.document_names import document_names
from glassrank.studies.views.model_view import ModelView
from glassrank.studies.views.what_if import Change, latest, value_of

FIRST = 10
"""Ranks that count: bars are relative to the average of these documents, and a failing document is one of them."""
FAILING_GAP = 2.0  # label steps between a document and a better one below it


@dataclass(frozen=True, eq=False)
class ListState:
    """The values of a query's documents, in the order of the data, and how they rank."""

    values: FloatArray
    """Documents × features, categories as codes."""
    contributions: FloatArray
    """Documents × features, relative to the average of the first ten as recorded; no columns without scores."""
    scores: FloatArray
    """The sums of the contributions. A model of differences: the number of documents that rank below."""
    measure: float | None
    """The study's measure of the list; None if the query is left out of it."""

    @cached_property
    def order(self) -> IntArray:
        """Documents by rank."""
        return np.argsort(-self.scores, kind="stable")

    @cached_property
    def ranks(self) -> IntArray:
        """Rank of each document, from 1; equal scores share the better rank."""
        return score_ranks(self.scores)


@dataclass(frozen=True, eq=False)
class RankedList:
    """The ranked documents of a query, as recorded and with the changes of a what-if."""

    view: ModelView
    number: int
    """Number of the query, from 0."""
    names: tuple[str, ...]
    """Names of the documents, each different, in the order of the data."""
    labels: FloatArray
    recorded: ListState
    now: ListState
    changes: tuple[Change, ...]

    @property
    def query(self) -> str:
        return self.view.query_names[self.number]

    @cached_property
    def changed(self) -> dict[tuple[int, int], Change]:
        """The changes that have an effect, by document and feature."""
        effects = self.view.effects
        return {
            (self.place_of(document), effects.names.index(feature)): one
            for (document, feature), one in latest(self.changes).items()
        }

    def place_of(self, name: str) -> int:
        """Return the place of a document in the order of the data, by its name."""
        found = self._places.get(name)
        if found is None:
            raise DataError(
                f"There is no document {name!r} in query {self.query!r}.",
                remedy="Choose one of its list. Another query may have it.",
            )
        return found

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.names)}

    @property
    def label_counts(self) -> list[tuple[float, int]]:
        """Labels and how many documents have each, the highest label first."""
        return sorted(Counter(self.labels.tolist()).items(), reverse=True)

    def longest(self, most: int) -> list[int]:
        """Return the features with a column of their own: those with the longest lines, and the changed ones."""
        first = np.argsort(-self.view.lengths, kind="stable")[:most].tolist()
        return [*first, *sorted({k for _, k in self.changed} - set(first))]

    def failing(self) -> dict[int, int]:
        """Return the documents that rank too high, with the number of better ones below them among the first ten.

        A document is better if its label is higher by 2 or more; if the labels of all queries differ by less, by their
        range.
        """
        gap = min(FAILING_GAP, float(np.ptp(self.view.data.y)))
        shown = self.now.order[:FIRST]
        labels = self.labels[shown]
        better = [int((labels[place + 1 :] >= labels[place] + gap).sum()) for place in range(len(shown))]
        return {int(row): count for row, count in zip(shown, better, strict=True) if count and gap > 0}

    def value_places(self, k: int) -> IntArray:
        """Return the place of each document's value of a feature, from 1 for the highest; missing ones come last."""
        return score_ranks(np.nan_to_num(self.now.values[:, k], nan=-np.inf))


def ranked_list(view: ModelView, query: str, changes: Sequence[Change] = ()) -> RankedList:
    """Return the ranked list of a query; of several changes of one value, the last one counts."""
    number = view.query_number(query)
    rows, values = view.rows(number)
    recorded = _recorded(view, rows, values)
    found = RankedList(
        view,
        number,
        document_names(view.data, rows),
        np.asarray(view.data.y[rows]),
        recorded,
        recorded,
        tuple(changes),
    )
    return replace(found, now=_changed(found)) if changes else found


def _recorded(view: ModelView, rows: IntArray, values: FloatArray) -> ListState:
    if not view.scores_documents:
        scores = view.scores[rows]
        return ListState(values, np.zeros((len(rows), 0)), scores, _measure(view, rows, scores))
    contributions = view.effects.contributions(values)
    first = np.argsort(-contributions.sum(axis=1), kind="stable")[:FIRST]
    contributions = contributions - contributions[first].mean(axis=0)
    scores = contributions.sum(axis=1)
    return ListState(values, contributions, scores, _measure(view, rows, scores))


def _changed(found: RankedList) -> ListState:
    """Return the list with its changes: only the changed documents are scored again."""
    view, recorded = found.view, found.recorded
    if not view.scores_documents:
        raise DataError(
            "Values cannot be changed: this model compares documents two at a time and scores none of them.",
            remedy="Choose a study of scores, or change values in the nomogram of a pair.",
        )
    values, contributions = recorded.values.copy(), recorded.contributions.copy()
    base = view.effects.contributions(values[:1])[0] - contributions[0]
    for (document, feature), one in latest(found.changes).items():
        if feature not in view.effects.names:
            raise DataError(
                f"There is no feature {feature!r} in this model.", remedy="Choose a model that has it, or reset."
            )
        k = view.effects.names.index(feature)
        values[found.place_of(document), k] = value_of(view.effects.features[k], one.value)
    moved = sorted({found.place_of(document) for document, _ in latest(found.changes)})
    scores = recorded.scores.copy()
    with np.errstate(over="ignore", invalid="ignore"):
        contributions[moved] = view.effects.contributions(values[moved]) - base
        scores[moved] = contributions[moved].sum(axis=1)
    if not np.isfinite(scores).all():
        raise DataError("The changed values are so large that the score is not a number.", remedy="Reset them.")
    return ListState(values, contributions, scores, _measure(view, view.data.groups.rows(found.number), scores))


def _measure(view: ModelView, rows: IntArray, scores: FloatArray) -> float | None:
    recipe = view.study.recipe
    found = evaluate(view.data.y[rows], scores, measures=[recipe.measure], convention=recipe.convention)
    value = float(found.per_query[recipe.measure][0])
    return None if np.isnan(value) else value
