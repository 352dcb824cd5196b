"""The work of one fold of a coupling study: rank its columns, and train classifiers on the best ones.

Medians, constant columns, selection and scaling are learned from the fold's training rows only.
"""

import numbers
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from glassrank.core.checks import DataError, FloatArray, IntArray, check_length
from glassrank.core.native_threads import one_native_thread
from glassrank.core.progress import Progress
from glassrank.core.setting import setting
from glassrank.metrics.classification import PrecisionRecall, precision_recall_f1
from glassrank.navigational.coupling.classifiers import ClassifierKind
from glassrank.navigational.coupling.selectors import places_by
from glassrank.navigational.preparation import Preparation, prepare


class StepStore(Protocol):
    """Stores the results of finished steps as plain values for JSON."""

    def read(self, name: str) -> Any:
        """Return what an earlier run stored under this name, or None."""

    def write(self, name: str, result: Any) -> None:
        """Store the result of a finished step."""


@dataclass(frozen=True, eq=False)
class Fold:
    """Training rows and held-out rows; ``positive`` is 1 for the second class."""

    number: int
    X: FloatArray
    positive: IntArray
    train: IntArray
    held_out: IntArray
    names: tuple[str, ...]
    seed: int

    @cached_property
    def preparation(self) -> Preparation:
        """The preparation of columns, learned from the training rows."""
        return prepare(self.X[self.train])

    def rank(self, make_selector: Callable[[int], Any]) -> IntArray:
        """Rank the prepared columns by a selector that is fitted to the training rows only."""
        preparation = self.preparation
        columns, names = preparation(self.X[self.train]), preparation.names(self.names)
        return places_by(make_selector(self.seed), columns, self.positive[self.train], names)

    def couple(self, places: IntArray | None, asked: "Sequence[FoldTask]") -> list[PrecisionRecall]:
        """Count on the held-out rows for each classifier and number of columns; without places, for all columns."""
        whole = self.preparation
        found = []
        for one in asked:
            preparation = whole if places is None else whole.pick(best_columns(places, one.n_features))
            model = one.kind.make(self.seed).fit(preparation(self.X[self.train]), self.positive[self.train])
            called = model.predict(preparation(self.X[self.held_out]))
            found.append(precision_recall_f1(self.positive[self.held_out], called, positive=1))
        return found


@dataclass(frozen=True)
class FoldTask:
    """A classifier and the number of best columns to train it on; all columns if there is no ranking."""

    classifier: str
    kind: ClassifierKind
    n_features: int


def best_columns(places: IntArray, n_features: int) -> IntArray:
    """Return the columns with the best ranks, in the order of the data.

    >>> best_columns(np.array([3, 1, 2]), 2).tolist()
    [1, 2]
    """
    return np.flatnonzero(places <= n_features)


@dataclass(frozen=True)
class Step:
    """An independent piece of work, and how its result is stored."""

    key: str
    """The key of its stored result; unlike the label, it contains no name chosen by the user."""
    label: str
    work: Callable[..., Any]
    arguments: tuple[Any, ...]
    to_json: Callable[[Any], Any]
    from_json: Callable[[Any], Any]

    @classmethod
    def ranking(cls, fold: Fold, number: int, name: str, make_selector: Callable[[int], Any]) -> "Step":
        """Rank the columns of a fold by selector ``number``."""
        label = f"fold {fold.number + 1}, ranking by {name}"
        key = f"fold-{fold.number + 1}-ranking-{number + 1}"
        return cls(key, label, fold.rank, (make_selector,), _plain_places, np.array)

    @classmethod
    def coupling(
        cls, fold: Fold, number: int, label: str, places: IntArray | None, asked: "Sequence[FoldTask]"
    ) -> "Step":
        """Train classifiers on the ranking of selector ``number``; without places, on all columns."""
        key = f"fold-{fold.number + 1}-coupling-{number + 1}"
        return cls(key, f"fold {fold.number + 1}, {label}", fold.couple, (places, asked), _plain_counts, _counts_of)

    def run(self) -> Any:
        """Run the step in one thread, because steps run in parallel."""
        with one_native_thread():
            return self.work(*self.arguments)


def _plain_places(places: IntArray) -> Any:
    return places.tolist()


def _plain_counts(found: list[PrecisionRecall]) -> list[list[int]]:
    return [[one.true_positives, one.false_positives, one.false_negatives] for one in found]


def _counts_of(plain: list[list[int]]) -> list[PrecisionRecall]:
    return [PrecisionRecall(*counts) for counts in plain]


@dataclass(frozen=True)
class Runner:
    """Runs steps, in parallel if ``n_jobs`` says so; results are in the order of the steps and do not depend on it."""

    n_jobs: int | None
    store: StepStore | None
    progress: Progress | None
    n_steps: int

    def run(self, steps: Sequence[Step], already_done: int = 0) -> list[Any]:
        """Return the results of the steps, read if an earlier run stored them; progress includes ``already_done``."""
        results: dict[int, Any] = {}
        for place, label, result in self._results(steps):
            results[place] = result
            if self.progress is not None:
                self.progress(already_done + len(results), self.n_steps, label)
        return [results[place] for place in range(len(steps))]

    def _results(self, steps: Sequence[Step]) -> Iterator[tuple[int, str, Any]]:
        """Yield position, label and result of each step: stored results first, then computed ones as they finish."""
        left = []
        for place, step in enumerate(steps):
            stored = None if self.store is None else self.store.read(step.key)
            if stored is None:
                left.append((place, step))
            else:
                yield place, f"{step.label}, reused from an earlier run", step.from_json(stored)
        # Results are stored here, not in the workers, because the store may report progress in this process.
        workers = Parallel(n_jobs=self.n_jobs, return_as="generator_unordered")
        for place, result in workers(delayed(_run_at)(place, step) for place, step in left):
            if self.store is not None:
                self.store.write(steps[place].key, steps[place].to_json(result))
            yield place, steps[place].label, result


def _run_at(place: int, step: Step) -> tuple[int, Any]:
    return place, step.run()


Folds = list[tuple[IntArray, IntArray]]
"""Training rows and held-out rows of each fold."""


def class_codes(y: Any, classes: npt.NDArray[Any]) -> IntArray:
    """Return 1 for the second class, 0 for the first."""
    return (np.asarray(y) == classes[1]).astype(np.int64)


def stratified_folds(cv: Any, codes: IntArray, seed: int, groups: Any = None, classes: Sequence[Any] = (0, 1)) -> Folds:
    """Return training rows and held-out rows of each fold, stratified by class; rows of a group stay together.

    ``codes`` are the places of the rows' labels among ``classes``.

    >>> [held_out.tolist() for _, held_out in stratified_folds(2, np.array([0, 0, 1, 1]), 0)]
    [[1, 2], [0, 3]]
    """
    if not isinstance(cv, numbers.Integral) or isinstance(cv, bool) or int(cv) < 2:
        raise DataError(parameter="cv", expected="a number of folds from 2", got=cv)
    counts = np.bincount(codes, minlength=len(classes))
    if int(cv) > counts.min():
        rarest = "the rarer" if len(classes) == 2 else repr(classes[int(np.argmin(counts))])
        raise DataError(
            f"{cv} folds need {cv} rows of each class: {rarest} has {counts.min()}.",
            remedy=("Label more rows", *(("merge classes",) if len(classes) > 2 else ()), f"lower {setting('cv')}"),
        )
    if groups is None or len(set(groups)) == len(codes):
        splitter = StratifiedKFold(int(cv), shuffle=True, random_state=seed)
        return list(splitter.split(np.zeros(len(codes)), codes))
    # A query with several lists has nearly the same features in each: in different folds, they would leak labels.
    check_length("groups", groups, len(codes))
    together = StratifiedGroupKFold(int(cv), shuffle=True, random_state=seed)
    folds = list(together.split(np.zeros(len(codes)), codes, np.asarray(groups)))
    for train, _ in folds:
        absent = np.flatnonzero(np.bincount(codes[train], minlength=len(classes)) == 0)
        if len(absent):
            raise DataError(
                f"All rows of class {classes[absent[0]]!r} are in one fold, because rows of the same query stay "
                "together: without this fold, there are none to learn from.",
                remedy="Label more queries of this class.",
            )
    return folds
