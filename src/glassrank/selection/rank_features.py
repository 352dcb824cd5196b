"""rank_features(): the features of ranking data as each method ranks them, side by side."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, FloatArray, IntArray, check_choice, check_finite
from glassrank.core.frames import make_frame
from glassrank.core.input_types import Frame, RandomState
from glassrank.core.progress import Progress, counted_steps
from glassrank.core.randomness import random_seed
from glassrank.core.within_query_scaling import spread_within_queries
from glassrank.data.ranking_data import RankingData
from glassrank.drawing.text_bars import text_bar
from glassrank.drawing.text_table import align
from glassrank.nomograms.elimination.nomogram_rfe import NomogramRFE
from glassrank.ranking.rank_svm import RankSVM
from glassrank.selection.boosting_influence import BoostingInfluenceSelector
from glassrank.selection.combined import merge_rankings
from glassrank.selection.information_gain import InformationGainSelector
from glassrank.selection.rankings_chart import RankingsChart
from glassrank.selection.selector import number_to_select, places_by_score
from glassrank.selection.selector_names import (
    BOOSTING_INFLUENCE,
    COMBINED,
    INFORMATION_GAIN,
    NOMOGRAM,
    SVM_WEIGHTS,
    TAKE_TURNS,
)
from glassrank.selection.svm_weight import SVMWeightSelector


@dataclass(frozen=True, eq=False)
class MethodRanking:
    """How one method ranks the features."""

    method: str
    measure: str
    """What its scores are."""
    scores: FloatArray
    places: IntArray
    """From 1, the best."""
    chosen: Any
    """Which features it would keep."""


@dataclass(frozen=True, eq=False, repr=False)
class FeatureRankings:
    """Features ranked by several methods; prints itself, gives a table, JSON and a picture."""

    feature_names: tuple[str, ...]
    n_queries: int
    rankings: tuple[MethodRanking, ...]

    @property
    def votes(self) -> IntArray:
        """Number of methods that would keep each feature."""
        return np.asarray(np.sum([ranking.chosen for ranking in self.rankings], axis=0))

    @property
    def order(self) -> IntArray:
        """Features by their mean place over the methods; equal ones as they stand in the data."""
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
        return json.dumps({"n_queries": self.n_queries, "methods": [self._plain(one) for one in self.rankings]})

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
        """Draw the scores of every method beside one another, features by their mean place."""
        order = self.order
        panels = tuple(
            (one.method, one.measure, one.scores[order], one.places[order], one.chosen[order]) for one in self.rankings
        )
        return RankingsChart(tuple(self.feature_names[k] for k in order), panels)


Found = tuple[FloatArray, IntArray, Any]
"""Scores, places and choice of the features."""


@dataclass(frozen=True, eq=False)
class _Asked:
    """What is to be ranked; methods that build on others find them here, each fitted once."""

    data: RankingData
    n_features: int | None
    random_state: int
    done: dict[str, Found] = field(default_factory=dict)

    def by(self, method: str) -> Found:
        if method not in self.done:
            self.done[method] = METHODS[method][1](self)
        return self.done[method]

    def best(self, scores: FloatArray) -> Found:
        """Equal scores stand by the data's names, which a matrix does not carry."""
        places = places_by_score(scores, self.data.feature_names)
        return scores, places, places <= number_to_select(self.n_features, self.data.n_features)

    def fitted(self, estimator: Any) -> Any:
        return estimator.fit(self.data.X, self.data.y, qid=self.data.qid, sample_weight=self.data.weights)


def _by_information(asked: _Asked) -> Found:
    return asked.best(asked.fitted(InformationGainSelector()).scores_)


def _by_svm(asked: _Asked) -> Found:
    return asked.best(asked.fitted(SVMWeightSelector()).scores_)


def _by_boosting(asked: _Asked) -> Found:
    return asked.best(asked.fitted(BoostingInfluenceSelector(random_state=asked.random_state)).scores_)


def _by_both(asked: _Asked) -> Found:
    """What ``CombinedSelector`` does, without fitting again."""
    return asked.best(1.0 / merge_rankings([asked.by(method)[1] for method in TAKE_TURNS]))


def _by_nomogram(asked: _Asked) -> Found:
    """Elimination by the shortest line; the score of a feature is how many others had left when it left."""
    data, n_features = asked.data, asked.data.n_features
    dense = data.X.toarray() if hasattr(data.X, "toarray") else np.asarray(data.X)
    spread = spread_within_queries(dense, data.groups, data.weights)
    machine = RankSVM(C=float(data.n_rows))
    fitted = NomogramRFE(machine, cv=2 if data.n_queries == 2 else 3, random_state=asked.random_state)
    fitted.fit(dense / np.where(spread > 0, spread, 1.0), data.y, qid=data.qid, sample_weight=data.weights)
    gone = fitted.elimination_order_
    outlasted = np.empty(n_features)
    outlasted[np.concatenate([gone, np.setdiff1d(np.arange(n_features), gone)])] = np.arange(n_features)
    places = (n_features - outlasted).astype(np.int64)
    return outlasted, places, fitted.support_ if asked.n_features is None else places <= asked.n_features


# Method -> what its scores are, and who finds them
METHODS: dict[str, tuple[str, Callable[[_Asked], Found]]] = {
    INFORMATION_GAIN: ("bits about a pair's order", _by_information),
    SVM_WEIGHTS: ("|w|, features of unit spread", _by_svm),
    BOOSTING_INFLUENCE: ("share of the trees' gain", _by_boosting),
    COMBINED: ("SVM, boosting in turn: 1/place", _by_both),
    NOMOGRAM: ("features outlasted", _by_nomogram),
}


def rank_features(
    data: RankingData,
    *,
    methods: Sequence[str] | None = None,
    n_features: int | None = None,
    random_state: RandomState = None,
    progress: Progress | None = None,
) -> FeatureRankings:
    """Rank the features of ranking data by every method, or by those named.

    The methods are those of ``selector_names``: "information gain", "SVM weights" and "boosting influence" score each
    feature by the selectors of these names, "combined" takes the best of the last two in turn, and "nomogram" is
    recursive elimination by the shortest line of a linear ranking SVM on features of unit spread within queries. Each
    would keep ``n_features``, or half of them; the nomogram without a number keeps what its cross-validation says. Row
    weights count in every method; rows of weight 0 are absent.
    ``progress`` is called before each method starts.

    >>> import glassrank as gr
    >>> data = gr.simulate_ranking(20, 10, random_state=0).data
    >>> found = rank_features(data, methods=["information gain", "SVM weights"], n_features=3)
    >>> [int(one.chosen.sum()) for one in found.rankings], found["SVM weights"].measure
    ([3, 3], '|w|, features of unit spread')
    """
    chosen = list(METHODS) if methods is None else list(dict.fromkeys(methods))
    for method in chosen:
        check_choice("methods", method, METHODS)
    if not chosen:
        raise DataError(f"methods must name at least one of {', '.join(METHODS)}: got none.", parameter="methods")
    if n_features is not None:
        n_features = number_to_select(n_features, data.n_features)
    if data.missing == "keep":
        check_finite("X", data.X, "Fill missing values first.")
    data = data.counted()
    asked = _Asked(data, n_features, random_seed(random_state))
    rankings = []
    start = counted_steps(progress, total=len(chosen))
    for method in chosen:
        start(f"ranking by {method}")
        rankings.append(MethodRanking(method, METHODS[method][0], *asked.by(method)))
    return FeatureRankings(data.feature_names, data.n_queries, tuple(rankings))


CHOSEN, BAR = "•", 8


def rankings_text(found: "FeatureRankings") -> str:
    """Place, choice and bar of each feature by each method, features by their mean place."""
    queries = f"{found.n_queries:,} {'query' if found.n_queries == 1 else 'queries'}"
    rows = [("feature", *(ranking.method for ranking in found.rankings), "kept by")]
    votes = found.votes
    for k in found.order:
        cells = [_cell(ranking, k) for ranking in found.rankings]
        rows.append((found.feature_names[k], *cells, f"{votes[k]} of {len(found.rankings)}"))
    kept = ", ".join(f"{ranking.method} {int(ranking.chosen.sum())}" for ranking in found.rankings)
    measures = [f"  {ranking.method}: {ranking.measure}" for ranking in found.rankings]
    return "\n".join(
        [
            f"{len(found.feature_names)} features, {queries}, by mean place; {CHOSEN} kept ({kept})",
            align(rows),
            "bars, each column by its largest:",
            *measures,
        ]
    )


def _cell(ranking: "MethodRanking", k: int) -> str:
    width = len(str(len(ranking.places)))
    bar = text_bar(float(ranking.scores[k]), float(ranking.scores.max()), BAR)
    return f"{ranking.places[k]:>{width}} {CHOSEN if ranking.chosen[k] else ' '} {bar}"
