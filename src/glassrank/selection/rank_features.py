"""rank_features(): rank the features of ranking data by several methods."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from glassrank.core.checks import DataError, FloatArray, IntArray, check_choice
from glassrank.core.feature_kinds import PLAIN
from glassrank.core.frames import make_frame
from glassrank.core.groups import group_rows
from glassrank.core.input_types import Estimator, Frame, RandomState
from glassrank.core.missing_rule import MEAN
from glassrank.core.progress import Progress, counted_steps
from glassrank.core.randomness import random_seed
from glassrank.core.within_query_scaling import spread_within_queries
from glassrank.core.wording import counted, listed
from glassrank.data.ranking_data import RankingData, check_ranking_data
from glassrank.drawing.text_bars import text_bar
from glassrank.drawing.text_table import align
from glassrank.nomograms.elimination.criterion import ACCURACY, PAIR_ACCURACY
from glassrank.nomograms.elimination.nomogram_rfe import NomogramRFE
from glassrank.ranking.labels_as_classes import class_labels
from glassrank.ranking.rank_svm import RankSVM
from glassrank.selection.boosting_influence import BoostingInfluenceSelector
from glassrank.selection.combined import merge_rankings
from glassrank.selection.information_gain import InformationGainSelector
from glassrank.selection.rankings_chart import RankingsChart
from glassrank.selection.selector import number_to_select, places_by_score
from glassrank.selection.selector_names import (
    BOOSTING_INFLUENCE,
    COMBINED,
    COMBINED_SELECTORS,
    DEFAULT_SELECTORS,
    HINGE_WEIGHTS,
    INFORMATION_GAIN,
    NOMOGRAM,
    PRESENCE_GAIN,
    SVM_WEIGHTS,
)
from glassrank.selection.svm_weight import SVMWeightSelector


@dataclass(frozen=True, eq=False)
class MethodRanking:
    """The ranking of the features by one method."""

    method: str
    measure: str
    """A description of its scores."""
    scores: FloatArray
    places: IntArray
    """Rank of each feature, from 1."""
    chosen: Any
    """Mask of the features that it keeps."""


@dataclass(frozen=True, eq=False, repr=False)
class FeatureRankings:
    """Features ranked by several methods; prints as a table, and converts to a data frame, JSON and a chart."""

    feature_names: tuple[str, ...]
    n_queries: int
    rankings: tuple[MethodRanking, ...]
    classes: tuple[str, ...] = ()
    """Both classes, if labels are classes."""
    n_rows: int = 0

    @property
    def votes(self) -> IntArray:
        """Number of methods that keep each feature."""
        return np.asarray(np.sum([ranking.chosen for ranking in self.rankings], axis=0))

    @property
    def order(self) -> IntArray:
        """Features sorted by their mean place over the methods; ties stay in the order of the data."""
        return np.argsort(np.mean([ranking.places for ranking in self.rankings], axis=0), kind="stable")

    def __str__(self) -> str:
        return rankings_text(self)

    __repr__ = __str__

    def __getitem__(self, method: str) -> MethodRanking:
        found = {ranking.method: ranking for ranking in self.rankings}
        if method not in found:
            raise KeyError(f"{method!r} is not among the methods {', '.join(found)}")
        return found[method]

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with one row per feature: place, score and choice of each method."""
        order = self.order
        columns: dict[str, Any] = {"feature": [self.feature_names[k] for k in order]}
        for ranking in self.rankings:
            columns[f"{ranking.method} place"] = ranking.places[order].tolist()
            columns[f"{ranking.method} score"] = ranking.scores[order].tolist()
            columns[f"{ranking.method} chosen"] = ranking.chosen[order].tolist()
        return make_frame({**columns, "votes": self.votes[order].tolist()}, backend)

    def to_json(self) -> str:
        """Return every ranking as JSON, best feature first."""
        over = {"n_rows": self.n_rows, "classes": self.classes} if self.classes else {"n_queries": self.n_queries}
        return json.dumps({**over, "methods": [self._plain(one) for one in self.rankings]})

    def _plain(self, ranking: MethodRanking) -> dict[str, Any]:
        features = [
            {
                "feature": self.feature_names[k],
                "place": int(ranking.places[k]),
                "score": float(ranking.scores[k]),
                "chosen": bool(ranking.chosen[k]),
            }
            for k in np.argsort(ranking.places)
        ]
        return {"method": ranking.method, "measure": ranking.measure, "features": features}

    def chart(self) -> RankingsChart:
        """Draw the scores of all methods side by side, features sorted by their mean place."""
        order = self.order
        panels = tuple(
            (one.method, one.measure, one.scores[order], one.places[order], one.chosen[order]) for one in self.rankings
        )
        return RankingsChart(tuple(self.feature_names[k] for k in order), panels)


Found = tuple[FloatArray, IntArray, Any]
"""Scores, places and choice of the features."""


@dataclass(frozen=True, eq=False)
class _Task:
    """The data to rank, and the results so far; each method is fitted once, also if others build on it."""

    data: RankingData
    n_features: int | None
    random_state: int
    elimination: NomogramRFE
    done: dict[str, Found] = field(default_factory=dict)

    def by(self, method: str) -> Found:
        if method not in self.done:
            self.done[method] = METHODS[method][1](self)
        return self.done[method]

    def best(self, scores: FloatArray) -> Found:
        """Rank by score; ties are broken by the feature names of the data, which a matrix does not have."""
        places = places_by_score(scores, self.data.feature_names)
        return scores, places, places <= number_to_select(self.n_features, self.data.n_features)

    @property
    def classes(self) -> bool:
        """Whether labels are classes, because the estimator of the elimination is a classifier."""
        return is_classifier(self.elimination.estimator)

    def fitted(self, estimator: Any, data: RankingData | None = None) -> Any:
        """Fit to judgements within queries or, without queries, to classes."""
        data = data or self.data
        if not self.classes:
            return estimator.fit(data)
        return estimator.fit(data.table, class_labels(data), sample_weight=data.weights)


def _by_information(task: _Task) -> Found:
    return task.best(task.fitted(InformationGainSelector()).scores_)


def _by_svm(task: _Task) -> Found:
    return task.best(task.fitted(SVMWeightSelector()).scores_)


def _by_presence(task: _Task) -> Found:
    return task.best(task.fitted(InformationGainSelector(discretisation="presence")).scores_)


def _by_hinge_svm(task: _Task) -> Found:
    return task.best(task.fitted(SVMWeightSelector(loss="hinge")).scores_)


def _by_boosting(task: _Task) -> Found:
    return task.best(task.fitted(BoostingInfluenceSelector(random_state=task.random_state)).scores_)


def _by_both(task: _Task) -> Found:
    """Combine like ``CombinedSelector``, without fitting again."""
    return task.best(1.0 / merge_rankings([task.by(method)[1] for method in COMBINED_SELECTORS]))


def _by_nomogram(task: _Task) -> Found:
    """Elimination by the shortest line; the score of a feature is the number of features dropped before it."""
    data, n_features = task.data, task.data.n_features
    dense = data.X.toarray() if hasattr(data.X, "toarray") else np.asarray(data.X)
    groups = group_rows(None, data.n_rows) if task.classes else data.groups
    spread = spread_within_queries(dense, groups, data.weights)
    categories = [kind.is_category for kind in data.kinds]
    scaled = dense / np.where((spread > 0) & ~np.array(categories), spread, 1.0)
    kinds = [kind if kind.is_category else PLAIN for kind in data.kinds]
    fitted = task.fitted(task.elimination, replace(data, X=scaled, kinds=kinds))
    dropped = fitted.elimination_order_
    n_before = np.empty(n_features)
    n_before[np.concatenate([dropped, np.setdiff1d(np.arange(n_features), dropped)])] = np.arange(n_features)
    places = (n_features - n_before).astype(np.int64)
    return n_before, places, fitted.support_ if task.n_features is None else places <= task.n_features


def _elimination(data: RankingData, estimator: Any, random_state: int, given: Mapping[str, Any]) -> NomogramRFE:
    """Return the elimination of the nomogram method: by default that of a linear ranking SVM, over folds of queries."""
    machine = RankSVM(C=float(data.n_rows), missing=MEAN) if estimator is None else estimator
    classes = is_classifier(machine)
    defaults = {
        "cv": 2 if data.n_queries == 2 and not classes else 3,
        "scoring": ACCURACY if classes else PAIR_ACCURACY,
    }
    options = {**defaults, **{name: value for name, value in given.items() if value is not None}}
    return NomogramRFE(machine, random_state=random_state, **options)


# Scores that mean something else if labels are classes
_OF_CLASSES = {INFORMATION_GAIN: "bits about the class", PRESENCE_GAIN: "bits about the class"}

# Method -> description of its scores, and the function that computes them
METHODS: dict[str, tuple[str, Callable[[_Task], Found]]] = {
    INFORMATION_GAIN: ("bits about the order of a pair", _by_information),
    SVM_WEIGHTS: ("|w|, features of unit spread", _by_svm),
    BOOSTING_INFLUENCE: ("share of the trees' gain", _by_boosting),
    COMBINED: ("SVM, boosting in turn: 1/place", _by_both),
    NOMOGRAM: ("features dropped before it", _by_nomogram),
    PRESENCE_GAIN: ("bits about the order of a pair", _by_presence),
    HINGE_WEIGHTS: ("|w|, features of unit spread", _by_hinge_svm),
}


def rank_features(
    data: RankingData,
    *,
    methods: Sequence[str] | None = None,
    n_features: int | None = None,
    estimator: Estimator | None = None,
    measure: str | None = None,
    length: str | None = None,
    fold_unit: str | None = None,
    random_state: RandomState = None,
    progress: Progress | None = None,
) -> FeatureRankings:
    """Rank the features of ranking data by the usual five methods, or by the given ones.

    The methods are those of ``selector_names``: "information gain", "SVM weights" and "boosting influence" score each
    feature with the selector of that name, "combined" takes the best of the last two in turn, and "nomogram" is
    recursive elimination by the shortest line of ``estimator`` on features of unit spread within queries; the default
    is a linear ranking SVM. ``measure`` is the ``scoring`` of ``NomogramRFE``, which also explains ``length`` and
    ``fold_unit``. Two more methods are used only if you name them: "presence information gain", which only sees whether
    a feature is 0, and "hinge SVM weights". Each keeps ``n_features``: by default half of them; for the nomogram the
    number chosen by cross-validation. All methods use row weights and ignore rows of weight 0. All take missing
    values, yes/no values and categories. ``progress`` is called before each method starts.

    If ``estimator`` is a classifier, such as ``AdditiveSVC(cv=None)``, the labels are two classes for every method, and
    queries have no influence. The elimination then uses stratified folds and ``measure="accuracy"``.

    >>> import glassrank as gr
    >>> data = gr.simulate_ranking(20, 10, random_state=0).data
    >>> found = rank_features(data, methods=["information gain", "SVM weights"], n_features=3)
    >>> [int(one.chosen.sum()) for one in found.rankings], found["SVM weights"].measure
    ([3, 3], '|w|, features of unit spread')
    >>> rank_features(data, methods=["nomogram"], estimator=gr.RankSVM(kernel="lrbf"), random_state=0).n_queries
    20
    """
    chosen = list(DEFAULT_SELECTORS) if methods is None else list(dict.fromkeys(methods))
    for method in chosen:
        check_choice("methods", method, METHODS)
    if not chosen:
        raise DataError(f"methods must contain at least one of {', '.join(METHODS)}: got none.", parameter="methods")
    check_ranking_data(data)
    if n_features is not None:
        n_features = number_to_select(n_features, data.n_features)
    data = data.counted()
    seed = random_seed(random_state)
    given = {"scoring": measure, "length": length, "fold_unit": fold_unit}
    task = _Task(data, n_features, seed, _elimination(data, estimator, seed, given))
    if task.classes:
        _check_two_classes(data)
    rankings = []
    start = counted_steps(progress, total=len(chosen))
    for method in chosen:
        start(f"ranking by {method}")
        meaning = (_OF_CLASSES if task.classes else {}).get(method, METHODS[method][0])
        rankings.append(MethodRanking(method, meaning, *task.by(method)))
    classes = tuple(map(str, np.unique(class_labels(data)))) if task.classes else ()
    return FeatureRankings(data.feature_names, data.n_queries, tuple(rankings), classes, data.n_rows)


def _check_two_classes(data: RankingData) -> None:
    labels = np.unique(class_labels(data))
    if len(labels) != 2:
        raise DataError(
            f"A classifier needs labels of two classes: got {len(labels)} ({listed(labels, 4)}) in "
            f"{counted(data.n_rows, 'row')}.",
            parameter="y",
            expected="two classes",
            got=len(labels),
        )


CHOSEN, BAR = "•", 8


def rankings_text(found: "FeatureRankings") -> str:
    """Place, choice and bar of each feature by each method, sorted by mean place."""
    queries = f"{found.n_queries:,} {'query' if found.n_queries == 1 else 'queries'}"
    if found.classes:
        queries = f"{found.n_rows:,} rows of the classes {' and '.join(found.classes)}"
    rows = [("feature", *(ranking.method for ranking in found.rankings), "kept by")]
    votes = found.votes
    for k in found.order:
        cells = [_cell(ranking, k) for ranking in found.rankings]
        rows.append((found.feature_names[k], *cells, f"{votes[k]} of {len(found.rankings)}"))
    kept = ", ".join(f"{ranking.method} {int(ranking.chosen.sum())}" for ranking in found.rankings)
    measures = [f"  {ranking.method}: {ranking.measure}" for ranking in found.rankings]
    return "\n".join(
        [
            f"{len(found.feature_names)} features, {queries}, sorted by mean place; {CHOSEN} kept ({kept})",
            align(rows),
            "bars show scores relative to the largest of the column:",
            *measures,
        ]
    )


def _cell(ranking: "MethodRanking", k: int) -> str:
    width = len(str(len(ranking.places)))
    bar = text_bar(float(ranking.scores[k]), float(ranking.scores.max()), BAR)
    return f"{ranking.places[k]:>{width}} {CHOSEN if ranking.chosen[k] else ' '} {bar}"
