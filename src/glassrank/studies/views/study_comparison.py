"""The model of a study beside another model: the verdict, the queries that change, and why documents moved."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, FloatArray
from glassrank.core.groups import group_codes
from glassrank.files.csv_text import csv_text
from glassrank.metrics.compare import compare
from glassrank.metrics.compare_documents import compare_on_one_query
from glassrank.metrics.evaluation import evaluate
from glassrank.nomograms.compared_pair import ComparedPair, compare_pair
from glassrank.nomograms.model_comparison.compared_scores import (
    UNCHANGED,
    ComparedScores,
    QueryChange,
    query_changes,
)
from glassrank.nomograms.model_comparison.flipped_pairs import flipped_pairs
from glassrank.studies.ranking.measuring.study_folds import comparable_queries
from glassrank.studies.ranking.systems import KEPT, SYSTEMS
from glassrank.studies.views.contenders import (
    GIVEN,
    NESTED,
    REFITTED,
    SEEN,
    SYSTEM,
    TEST,
    Contender,
    FinalModel,
    size_pair,
    study_pair,
    system_pair,
)
from glassrank.studies.views.saved_study import SavedStudy

BIN, MOST_BINS = 0.01, 200
FIRST = 12
"""Documents of a query that are shown by each model."""
HOW_MEASURED = {
    TEST: "Both were trained without these test queries.",
    REFITTED: (
        "Each query is ranked by models with the same features that were trained without it. Which features these are "
        "was chosen on all queries."
    ),
    NESTED: "Each query is ranked by models that were trained without it, the choice of features included.",
    SEEN: "Both have seen these documents in training, so both values are too high.",
    GIVEN: "Model 2 was given to the study, and may have seen these queries. The report says how it was measured.",
}

SAMPLED = " These queries are a random sample, which the study stored: its report measures on more."


@dataclass(frozen=True)
class FeatureShift:
    """The contribution of one feature to A − B by both models; None if a model does not have the feature."""

    name: str
    before: float | None
    after: float | None

    @property
    def change(self) -> float:
        """Contribution by model 2 minus that by model 1; a model without the feature contributes 0."""
        return (self.after or 0.0) - (self.before or 0.0)


@dataclass(frozen=True)
class PairShift:
    """Documents A and B of a query by both models."""

    names: tuple[str, str]
    labels: tuple[float, float]
    ranks: tuple[tuple[int, int], tuple[int, int]]
    """Ranks of A by model 1 and model 2, then those of B."""
    probabilities: tuple[float, float] | None
    """P(A above B) by model 1 and by model 2; None if the models have no probabilities."""
    features: tuple[FeatureShift, ...]
    """The features of both models, the largest change first."""
    totals: tuple[float, float]
    """Log-odds of A above B, or without probabilities its score, by model 1 and by model 2."""

    @property
    def flipped(self) -> bool:
        """Whether the models order the two documents differently."""
        return (self.ranks[0][0] < self.ranks[1][0]) != (self.ranks[0][1] < self.ranks[1][1])


@dataclass(frozen=True, eq=False)
class StudyComparison:
    """The model of a study and another model on the same documents."""

    contenders: tuple[Contender, Contender]
    measured: ComparedScores
    """By the scores that both are measured with."""
    lists: ComparedScores
    """By the scores that rank the shown lists: those of the final models if both have one."""
    is_sample: bool = False
    """Whether the study read more documents than it stored, so that the report compares more queries."""

    @property
    def how_measured(self) -> str:
        """Whether the models have seen the queries that they are measured on."""
        return HOW_MEASURED[self.contenders[1].measured] + (SAMPLED if self.is_sample else "")

    @property
    def lists_are_seen(self) -> bool:
        """Whether the shown lists are ranked by final models that were trained on these queries, too."""
        return self.lists is not self.measured and self.contenders[0].measured != TEST

    @property
    def is_explained(self) -> bool:
        """Whether both models can say why."""
        return all(one.final is not None for one in self.contenders)

    @property
    def bin_width(self) -> float:
        """Width of a bin of changes: a hundredth, or more of them if the changes spread so far."""
        changes = [one.change for one in self.measured.counted] or [0.0]
        return BIN * max(1, math.ceil((max(*changes, 0.0) - min(*changes, 0.0)) / (BIN * MOST_BINS) - UNCHANGED))

    def bins(self) -> dict[int, list[QueryChange]]:
        """Return the queries by their change in bins around 0; one that changes at all is never in bin 0."""
        found: dict[int, list[QueryChange]] = {}
        for one in self.measured.counted:
            nearest = math.floor(abs(one.change) / self.bin_width + 0.5 + UNCHANGED)
            place = 0 if abs(one.change) <= UNCHANGED else max(1, nearest)
            found.setdefault(int(math.copysign(place, one.change)), []).append(one)
        return found

    def between(self, low: float | None, high: float | None) -> list[QueryChange]:
        """Return the queries whose change is in a range, ends included, the most hurt first."""
        from_, to = -math.inf if low is None else low, math.inf if high is None else high
        return [one for one in self.measured.counted if from_ - UNCHANGED <= one.change <= to + UNCHANGED]

    def shown_query(self, wanted: str | None) -> QueryChange:
        """Return a query by its name; by default, the one that changes most."""
        if wanted is None:
            ordered = self.measured.counted
            return max(ordered, key=lambda one: abs(one.change)) if ordered else self.measured.queries[0]
        found = [one for one in self.measured.queries if one.query == wanted]
        if not found:
            raise DataError(f"There is no query {wanted!r} in this study.", remedy="Choose one of the list.")
        return found[0]

    def list_change(self, query: str) -> QueryChange:
        """Return the measure of a query by the shown lists."""
        return next(one for one in self.lists.queries if one.query == query)

    def telling_pair(self, query: str) -> tuple[str, str] | None:
        """Return the documents whose order tells most about the change of a query: A was above B, and no longer is.

        If the query gains, B is judged higher, and if it loses, A is. Of these, both documents are among the first by
        one model if possible, and their scores move furthest against each other. None if no pair changes its order.
        """
        rows, way = self.lists.rows(query), np.sign(self.list_change(query).change)
        first, second = (one[rows] for one in self.lists.scores)
        above, below = flipped_pairs(first, second)
        if not len(above):
            return None
        labels = self.lists.data.y[rows]
        told = np.sign(labels[below] - labels[above]) == way
        change = _spread(first) * (first[above] - first[below]) + _spread(second) * (second[below] - second[above])
        shown = np.min(self.lists.ranks(query), axis=0) <= FIRST
        best = int(np.lexsort((-change, ~(shown[above] & shown[below]), ~told))[0])
        names = self.lists.names(query)
        return names[int(above[best])], names[int(below[best])]

    def explain(self, query: str, a: str, b: str) -> PairShift | None:
        """Return why two documents of a query are in their order by both models; None if a model cannot say why.

        Models of which only one has probabilities cannot be compared: their contributions have different units.
        """
        first, second = (one.final for one in self.contenders)
        if first is None or second is None or first.effects.unit != second.effects.unit:
            return None
        places = [self._place(query, name) for name in (a, b)]
        if places[0] == places[1]:
            raise DataError(f"A and B must differ: both are {a!r}.", remedy="Choose another document.")
        own = self.lists.data.qid[self.lists.rows(query)[0]]
        before, after = (compare_pair(one.effects, one.documents, own, *places) for one in (first, second))
        ranks, labels = self.lists.ranks(query), self.lists.data.y[self.lists.rows(query)]
        rank_a, rank_b = ((int(ranks[0][place]), int(ranks[1][place])) for place in places)
        return PairShift(
            names=(a, b),
            labels=(float(labels[places[0]]), float(labels[places[1]])),
            ranks=(rank_a, rank_b),
            probabilities=(
                (_probability(first, before), _probability(second, after)) if first.effects.unit == "log-odds" else None
            ),
            features=_shifts(first, before, second, after),
            totals=(before.difference, after.difference),
        )

    def _place(self, query: str, name: str) -> int:
        names = self.lists.names(query)
        if name not in names:
            raise DataError(f"There is no document {name!r} in the query {query!r}.", remedy="Choose one of the list.")
        return names.index(name)

    def to_csv(self) -> str:
        """Return one line per query: its measure by both models, the change, and its flipped pairs."""
        columns = self.measured.to_columns()
        return csv_text(columns, zip(*columns.values(), strict=True))


def compare_with(study: SavedStudy, key: str, other: SavedStudy | None = None) -> StudyComparison:
    """Compare the model of a study with another one: of ``other``, or of the size or the system that ``key`` names.

    >>> import glassrank as gr
    >>> _ = gr.study(gr.simulate_ranking(20, 10, random_state=0).data, folder="shop", tune=0)
    >>> found = compare_with(SavedStudy.open("shop"), "2")
    >>> found.measured.comparison.n_queries, found.contenders[1].measured
    (20, 'refitted')
    """
    return study.once(("compared", key, other), lambda: _compare_with(study, key, other))


def _compare_with(study: SavedStudy, key: str, other: SavedStudy | None) -> StudyComparison:
    if other is not None:
        pair = study_pair(study, other)
    elif key.startswith(SYSTEM):
        pair = system_pair(study, key.removeprefix(SYSTEM))
    else:
        pair = size_pair(study, int(key))
    if other is not None and pair[0].measured != pair[1].measured:
        raise DataError(
            "One of the studies was measured on test data, and the other on folds of the same documents.",
            remedy="Compare studies that were measured in the same way.",
        )
    first, second = pair
    measured = _compared(study, (first.scores, second.scores), key.removeprefix(SYSTEM) if other is None else "")
    if first.final is None or second.final is None:
        return StudyComparison(pair, measured, measured, study.is_sample)
    finals = first.final.scores, second.final.scores
    if all(np.array_equal(*both) for both in zip(finals, (first.scores, second.scores), strict=True)):
        return StudyComparison(pair, measured, measured, study.is_sample)
    return StudyComparison(pair, measured, _compared(study, finals), study.is_sample)


def _compared(study: SavedStudy, scores: tuple[FloatArray, FloatArray], system: str = "") -> ComparedScores:
    """Compare two scores of the measured documents as the report of the study does.

    If the second is a baseline of the study itself, the others are compared, too, because Holm's method adjusts for
    their number.
    """
    recipe, data = study.recipe, study.measured
    systems = dict(zip(("model 1", "model 2"), scores, strict=True))
    settings: Any = {"measure": recipe.measure, "convention": recipe.convention, "random_state": recipe.seed}
    settings["margin"] = study.record.options.get("margin")
    if system in SYSTEMS:
        settings["asked"] = ()
        systems |= {name: own for name, own in study.held_out.items() if name in SYSTEMS and name not in (KEPT, system)}
    comparable = comparable_queries(data.y, data.groups)
    if comparable.sum() > 1:
        found = compare(systems, data.y, qid=data.qid, **settings)
    else:
        rows = np.flatnonzero(comparable[data.groups.of_row])
        one_list = group_codes(data.groups.of_row[rows])
        own = {name: values[rows] for name, values in systems.items()}
        found = compare_on_one_query(own, data.y[rows], one_list, baseline="model 1", **settings)
    found = replace(found, labels=study.numbers["comparisons"][0]["labels"])
    measured: Any = {"measures": [recipe.measure], "convention": recipe.convention, "qid": data.qid}
    before, after = (evaluate(data.y, own, **measured).per_query[recipe.measure] for own in scores)
    return ComparedScores(found, query_changes(data, scores, (before, after)), data, scores)


def _probability(model: FinalModel, pair: ComparedPair) -> float:
    return float(model.effects.probability(np.array([pair.difference]))[0])


def _shifts(
    first: FinalModel, before: ComparedPair, second: FinalModel, after: ComparedPair
) -> tuple[FeatureShift, ...]:
    own = [
        dict(zip(model.effects.names, pair.contributions.tolist(), strict=True))
        for model, pair in ((first, before), (second, after))
    ]
    made = [FeatureShift(name, own[0].get(name), own[1].get(name)) for name in dict.fromkeys([*own[0], *own[1]])]
    return tuple(sorted(made, key=lambda one: -abs(one.change)))


def _spread(scores: FloatArray) -> float:
    """Return a factor that makes the scores of systems in other units comparable."""
    width = float(np.ptp(scores))
    return 1.0 / width if width else 1.0
