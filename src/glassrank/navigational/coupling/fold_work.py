"""The work of one fold of a coupling study: rank its columns, and couple what is selected with classifiers.

Everything that learns (medians, constant columns, selection, scaling) learns from the fold's training rows alone.
"""

import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from threadpoolctl import threadpool_limits

from glassrank.core.checks import DataError, FloatArray, IntArray, check_length
from glassrank.core.progress import Progress
from glassrank.metrics.classification import PrecisionRecall, precision_recall_f1
from glassrank.navigational.coupling.classifiers import ClassifierKind
from glassrank.navigational.coupling.selectors import places_by
from glassrank.navigational.preparation import Preparation, prepare

Keep = Callable[[str, Callable[[], Any]], Any]
"""Takes the name of a step and the work; returns its result, or what an earlier run has kept. Results fit into JSON."""
"""Told how many steps of how many are done, and the name of the last."""
Counts = list[int]
"""True positives, false positives, false negatives."""


def work_out(name: str, work: Callable[[], Any]) -> Any:
    """Keep nothing."""
    return work()


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows to train on and rows held out; ``positive`` is 1 for the second class."""

    number: int
    X: FloatArray
    positive: IntArray
    train: IntArray
    held_out: IntArray
    names: tuple[str, ...]
    seed: int

    def prepare(self) -> Preparation:
        """How columns are made, learned from the training rows."""
        return prepare(self.X[self.train])

    def rank(self, make_selector: Callable[[int], Any]) -> list[int]:
        """Place of each prepared column by a selector that sees the training rows alone."""
        preparation = self.prepare()
        columns, names = preparation(self.X[self.train]), preparation.names(self.names)
        return places_by(make_selector(self.seed), columns, self.positive[self.train], names).tolist()

    def couple(self, places: IntArray | None, asked: "Sequence[FoldTask]") -> list[Counts]:
        """Counts on the rows held out, for each classifier and number of columns; without places, of all columns."""
        whole = self.prepare()
        found = []
        for one in asked:
            preparation = whole if places is None else whole.pick(best_columns(places, one.n_features))
            model = one.kind.make(self.seed).fit(preparation(self.X[self.train]), self.positive[self.train])
            called = model.predict(preparation(self.X[self.held_out]))
            counts = precision_recall_f1(self.positive[self.held_out], called, positive=1)
            found.append([counts.true_positives, counts.false_positives, counts.false_negatives])
        return found


@dataclass(frozen=True)
class FoldTask:
    """A classifier to be trained on so many of the best columns; all of them where there is no ranking."""

    classifier: str
    kind: ClassifierKind
    n_features: int


def best_columns(places: IntArray, n_features: int) -> IntArray:
    """The columns with the best places, in their order in the data.

    >>> best_columns(np.array([3, 1, 2]), 2).tolist()
    [1, 2]
    """
    return np.flatnonzero(places <= n_features)


def as_counts(counts: Counts) -> PrecisionRecall:
    """Precision and recall from what a step has kept."""
    return PrecisionRecall(*counts)


@dataclass(frozen=True)
class Step:
    """One piece of work that is done by itself, and can be kept."""

    name: str
    work: Callable[..., Any]
    arguments: tuple[Any, ...]

    def run(self, keep: Keep) -> Any:
        """Do it, or take what was kept; one thread, because the steps themselves are done side by side."""
        with threadpool_limits(limits=1):
            return keep(self.name, self._do)

    def _do(self) -> Any:
        return self.work(*self.arguments)


@dataclass(frozen=True)
class Runner:
    """Runs steps, side by side if asked for; results are in the steps' order and do not depend on ``n_jobs``."""

    n_jobs: int | None
    keep: Keep
    tell: Progress | None
    n_steps: int

    def run(self, steps: Sequence[Step], already_done: int = 0) -> list[Any]:
        """Results of the steps; progress counts those that were done before."""
        results = []
        running = Parallel(n_jobs=self.n_jobs, return_as="generator")(delayed(step.run)(self.keep) for step in steps)
        for step, result in zip(steps, running, strict=True):
            results.append(result)
            if self.tell is not None:
                self.tell(already_done + len(results), self.n_steps, step.name)
        return results


Folds = list[tuple[IntArray, IntArray]]
"""Rows to train on, and rows held out."""


def class_codes(y: Any, classes: npt.NDArray[Any]) -> IntArray:
    """1 for the second class, 0 for the first."""
    return (np.asarray(y) == classes[1]).astype(np.int64)


def stratified_folds(cv: Any, positive: IntArray, seed: int, groups: Sequence[Any] | None = None) -> Folds:
    """Rows to train on and rows held out of each fold, dealt out by class; rows of one group stay together.

    >>> [held_out.tolist() for _, held_out in stratified_folds(2, np.array([0, 0, 1, 1]), 0)]
    [[1, 2], [0, 3]]
    """
    if not isinstance(cv, numbers.Integral) or isinstance(cv, bool) or int(cv) < 2:
        raise DataError(f"cv must be a number of folds from 2: got {cv!r}.")
    rarer = int(np.bincount(positive, minlength=2).min())
    if int(cv) > rarer:
        raise DataError(
            f"{cv} folds need {cv} rows of each class: the rarer has {rarer}. Ask for fewer folds, or label more rows."
        )
    if groups is None or len(set(groups)) == len(positive):
        splitter = StratifiedKFold(int(cv), shuffle=True, random_state=seed)
        return list(splitter.split(np.zeros(len(positive)), positive))
    # A query that stands in several lists has nearly the same features in each: apart, they would tell on one another.
    check_length("groups", groups, len(positive))
    together = StratifiedGroupKFold(int(cv), shuffle=True, random_state=seed)
    return list(together.split(np.zeros(len(positive)), positive, np.asarray(groups)))
