"""Baselines of an intent study: what can be reached without coupling selection and classification."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.native_threads import one_native_thread
from glassrank.metrics.classification import PrecisionRecall, precision_recall_f1
from glassrank.navigational.coupling.fold_work import Folds
from glassrank.navigational.preparation import prepare
from glassrank.navigational.thresholds import best_f1
from glassrank.selection.boosting_engines import LIGHTGBM, fastest_engine

NAME_COLUMN = "sld_exact|p1"
"""1 if the query without spaces is the second-level label of the first result's host."""
ALL_POSITIVE, SINGLE, NAME, TREES = "all navigational", "best single column", "name equals host", "plain LightGBM"


class BestSingleColumn(ClassifierMixin, BaseEstimator):
    """The column, direction and threshold with the highest F1 on the training rows, the first if tied.

    >>> X, y = np.array([[5.0, 1.0], [4.0, 9.0], [3.0, 2.0], [1.0, 8.0]]), np.array([0, 1, 0, 1])
    >>> model = BestSingleColumn().fit(X, y)
    >>> model.column_, model.sign_, model.predict([[0.0, 6.0]]).tolist()
    (1, 1.0, [1])
    """

    def fit(self, X: FloatArray, y: IntArray) -> Self:
        """Try every column in both directions."""
        tried = [
            (best_f1(sign * X[:, column], np.asarray(y) == 1), column, sign)
            for column in range(X.shape[1])
            for sign in (1.0, -1.0)
        ]
        best, self.column_, self.sign_ = max(tried, key=lambda one: one[0].value)
        self.cut_ = best.cut
        return self

    def predict(self, X: FloatArray) -> IntArray:
        """Return 1 for rows beyond the threshold."""
        return (self.sign_ * np.asarray(X)[:, self.column_] > self.cut_).astype(np.int64)


@dataclass(frozen=True)
class Baseline:
    """A baseline, measured on the held-out rows of each fold."""

    name: str
    what: str
    folds: tuple[PrecisionRecall, ...]

    @property
    def f1(self) -> float:
        """Mean F1 over folds; undefined values count 0."""
        return float(np.mean([one.f1 or 0.0 for one in self.folds]))

    @property
    def f1_std(self) -> float:
        """Standard deviation of F1 over folds."""
        return float(np.std([one.f1 or 0.0 for one in self.folds]))


def measure_baselines(
    X: FloatArray, positive: IntArray, names: Sequence[str], folds: Folds, seed: int
) -> tuple[Baseline, ...]:
    """Measure every baseline on the folds of a study; those that lack a column or LightGBM are left out."""
    deciders: dict[str, tuple[str, Callable[[IntArray, IntArray], Any]]] = {
        ALL_POSITIVE: ("every query is called navigational", lambda train, held_out: np.ones(len(held_out), dtype=int)),
        SINGLE: (
            "the column and the threshold with the highest F1 on the training queries",
            lambda train, held_out: _fitted(BestSingleColumn(), X, positive, train, held_out),
        ),
    }
    if NAME_COLUMN in names:
        same = np.nan_to_num(X[:, list(names).index(NAME_COLUMN)])
        deciders[NAME] = (
            "the query without spaces is the name of the first result's host, such as walmart",
            lambda train, held_out: (same[held_out] > 0).astype(int),
        )
    if fastest_engine() == LIGHTGBM:
        deciders[TREES] = (
            "LightGBM with its default settings on all columns",
            lambda train, held_out: _fitted(_lightgbm(seed), X, positive, train, held_out),
        )
    return tuple(
        Baseline(name, what, tuple(_counts(positive, decide, train, held_out) for train, held_out in folds))
        for name, (what, decide) in deciders.items()
    )


def _lightgbm(seed: int) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1)


def _fitted(model: Any, X: FloatArray, positive: IntArray, train: IntArray, held_out: IntArray) -> Any:
    with one_native_thread():
        made = prepare(X[train])
        return model.fit(made(X[train]), positive[train]).predict(made(X[held_out]))


def _counts(positive: IntArray, decide: Callable[..., Any], train: IntArray, held_out: IntArray) -> PrecisionRecall:
    return precision_recall_f1(positive[held_out], np.asarray(decide(train, held_out)), positive=1)
