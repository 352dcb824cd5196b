"""Selector, number of features, classifier, its setting and the threshold, chosen together on training rows alone."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from glassrank.core.checks import FloatArray, IntArray
from glassrank.navigational.coupling.fold_work import best_columns, stratified_folds
from glassrank.navigational.coupling.selectors import SELECTORS as USUAL
from glassrank.navigational.coupling.selectors import boosting_selector, places_by_each
from glassrank.navigational.decisions import EstimatorDecision
from glassrank.navigational.naive_bayes import NaiveBayes
from glassrank.navigational.preparation import Preparation, prepare
from glassrank.navigational.thresholds import best_f1
from glassrank.selection.boosting_engines import SKLEARN, boosted_classifier

ALL = "all features"
# Always the same engine, so that the published numbers can be reproduced everywhere.
SELECTORS = {**USUAL, "boosting influence": boosting_selector(SKLEARN)}


@dataclass(frozen=True)
class Machine:
    """A classifier with one setting, and the values of it that are tried."""

    make: Callable[[float, int], Any]
    """Takes the setting and the seed."""
    settings: tuple[float, ...]
    needs_selection: bool = True
    """Whether it is tried on selected features, too: trees leave features out by themselves."""


MACHINES: dict[str, Machine] = {
    "naive Bayes": Machine(lambda smoothing, seed: NaiveBayes("categorical", smoothing=smoothing), (1.0,)),
    "maximum entropy": Machine(
        lambda C, seed: make_pipeline(StandardScaler(), LogisticRegression(C=C, max_iter=2000)), (0.03, 0.3)
    ),
    "SVM linear": Machine(lambda C, seed: make_pipeline(StandardScaler(), SVC(kernel="linear", C=C)), (0.03, 0.3)),
    "SVM RBF": Machine(lambda C, seed: make_pipeline(StandardScaler(), SVC(C=C)), (0.3, 1.0, 3.0)),
    "boosting trees": Machine(
        lambda rate, seed: boosted_classifier(SKLEARN, learning_rate=rate, random_state=seed),
        (0.05,),
        needs_selection=False,
    ),
}
"""The five of Lu, Peng, Li and Ahmed (2006); the setting is C of the linear model and the machines, the learning rate
of the trees."""


@dataclass(frozen=True)
class Candidate:
    """One way to decide, but for the threshold."""

    selector: str
    n_features: int
    """How many of the best columns by the selector; all of them for ``all features``."""
    classifier: str
    setting: float

    def __str__(self) -> str:
        chosen = ALL if self.selector == ALL else f"{self.n_features} by {self.selector}"
        return f"{chosen}, {self.classifier} {self.setting:g}"


def candidates(
    sizes: Sequence[int] = (12,),
    selectors: Sequence[str] = tuple(SELECTORS),
    machines: Mapping[str, Machine] = MACHINES,
) -> tuple[Candidate, ...]:
    """Every classifier at every setting: on all features, and on those of every selector at every size.

    >>> len(candidates()), str(candidates()[0]), str(candidates()[-1])
    (65, 'all features, naive Bayes 1', '12 by hinge SVM weights, SVM RBF 3')
    """
    columns = [(ALL, 0), *((selector, size) for selector in selectors for size in sizes)]
    return tuple(
        Candidate(selector, size, classifier, setting)
        for selector, size in columns
        for classifier, machine in machines.items()
        for setting in machine.settings
        if selector == ALL or machine.needs_selection
    )


@dataclass(frozen=True)
class Member:
    """A candidate, and where its scores of held-out training rows lie: machines have no common scale of scores."""

    candidate: Candidate
    centre: float
    width: float


@dataclass(frozen=True)
class Chosen:
    """Candidates whose standardised scores are averaged, the threshold of the average, and its F1 on the inner folds.

    That F1 flatters: it is the largest of many.
    """

    members: tuple[Member, ...]
    threshold: float
    inner_f1: float


@dataclass(frozen=True)
class NestedChoice:
    """Choose by inner folds of the training rows, fit on all of them, and decide rows that were never seen.

    Every candidate gets a score of each training row from a fit on the other inner folds, and the F1 of its best
    threshold. For each of ``sizes``, this many candidates with the highest F1 are taken, the first if tied: 1 is the
    winner alone, more are a committee that averages their standardised scores. The threshold is the one with the
    largest F1 of the average on the inner folds. Whatever learns (medians, selection, scaling) learns inside the fold.

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 3))
    >>> choice = NestedChoice(candidates(sizes=(1,), selectors=("SVM weights",)), sizes=(1, 5))
    >>> decided = choice.decide(X[:40], (X[:40, 0] > 0).astype(int), X[40:])
    >>> [bool(np.mean(decided[size][0] == (X[40:, 0] > 0)) > 0.8) for size in (1, 5)]
    [True, True]
    """

    candidates: tuple[Candidate, ...]
    sizes: tuple[int, ...] = (1, 10)
    n_folds: int = 3
    seed: int = 0

    def decide(self, X: FloatArray, positive: IntArray, others: FloatArray) -> dict[int, tuple[IntArray, Chosen]]:
        """By size: 1 for each of the other rows that is called positive, else 0; and what was chosen."""
        fits = _Fits(X, positive, self.candidates, self.seed)
        decided = {}
        for size, chosen in self.choose(X, positive).items():
            scores = [(fits.scores(one.candidate, others) - one.centre) / one.width for one in chosen.members]
            decided[size] = (np.mean(scores, axis=0) > chosen.threshold).astype(np.int64), chosen
        return decided

    def choose(self, X: FloatArray, positive: IntArray) -> dict[int, Chosen]:
        """By size: the candidates, and the threshold of their average."""
        scores = self._held_out_scores(X, positive)
        centres, widths = scores.mean(axis=1), scores.std(axis=1)
        widths[widths == 0.0] = 1.0
        standard = (scores - centres[:, None]) / widths[:, None]
        order = np.argsort([-best_f1(row, positive == 1).value for row in standard], kind="stable")
        chosen = {}
        for size in self.sizes:
            best = order[:size]
            members = tuple(Member(self.candidates[k], float(centres[k]), float(widths[k])) for k in best)
            threshold = best_f1(standard[best].mean(axis=0), positive == 1)
            chosen[size] = Chosen(members, threshold.cut, threshold.value)
        return chosen

    def _held_out_scores(self, X: FloatArray, positive: IntArray) -> FloatArray:
        """Scores of each training row by each candidate, fitted without the row's inner fold."""
        scores = np.empty((len(self.candidates), len(X)))
        for train, held_out in stratified_folds(self.n_folds, positive, self.seed):
            fits = _Fits(X[train], positive[train], self.candidates, self.seed)
            for row, candidate in enumerate(self.candidates):
                scores[row, held_out] = fits.scores(candidate, X[held_out])
        return scores


class _Fits:
    """Columns and places of some training rows, made once for all candidates."""

    def __init__(self, X: FloatArray, positive: IntArray, asked: Sequence[Candidate], seed: int) -> None:
        self._X, self._positive, self._seed = X, positive, seed
        self._whole = prepare(X)
        selectors = dict.fromkeys(one.selector for one in asked if one.selector != ALL)
        columns, names = self._whole(X), self._whole.names(tuple(map(str, range(X.shape[1]))))
        self._places = places_by_each(selectors, columns, positive, names, seed, SELECTORS)
        self._kept: dict[tuple[Any, ...], Any] = {}

    def scores(self, candidate: Candidate, others: FloatArray) -> FloatArray:
        """Scores of rows by the candidate, fitted to the training rows."""
        columns = self._columns(candidate)
        # Selectors often agree on which features are best: the same columns are fitted once.
        key = (columns.sources.tobytes(), columns.marks.tobytes(), candidate.classifier, candidate.setting)
        if key not in self._kept:
            machine = MACHINES[candidate.classifier].make(candidate.setting, self._seed)
            self._kept[key] = machine.fit(columns(self._X), self._positive)
        return EstimatorDecision(self._kept[key])(columns(others))

    def _columns(self, candidate: Candidate) -> Preparation:
        if candidate.selector == ALL:
            return self._whole
        return self._whole.pick(best_columns(self._places[candidate.selector], candidate.n_features))
