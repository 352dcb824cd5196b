"""The elimination itself (Table 1 of the source): which feature leaves when, and how well each subset does held out.

Which feature leaves is decided by fits to all rows alone. So the order is found first, and then every fold walks
along it on its own.
"""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from glassrank.core.checks import DataError, FloatArray, IntArray
from glassrank.core.native_threads import one_blas_thread
from glassrank.core.setting import setting
from glassrank.nomograms.elimination.criterion import Scoring
from glassrank.nomograms.elimination.fits import follow
from glassrank.nomograms.elimination.training_rows import Rows, folds_of, pair_folds, rows_by_pair

# Lengths that differ by less than this share of the longest are equal: that is below what a fit resolves.
TIE = 1e-9
BEST, ONE_SE = "best", "one-se"
QUERY, PAIR = "query", "pair"


@dataclass(frozen=True, eq=False)
class Plan:
    """How to eliminate: everything but the rows."""

    estimator: Any
    scoring: Scoring
    length: str | None
    step: int
    fewest: int
    cv: Any
    fold_unit: str
    rule: str
    random_state: int

    def folds(self, rows: Rows) -> tuple[Rows, list[tuple[IntArray, IntArray]]]:
        """The rows as folds deal them out, and the folds."""
        if self.fold_unit == PAIR:
            by_pair = rows_by_pair(rows)
            return by_pair, pair_folds(by_pair, self.cv, self.random_state)
        return rows, folds_of(rows, self.cv, self.random_state)


@dataclass(frozen=True, eq=False)
class Order:
    """Which features are left in each round, and the lengths of their lines; the first round has all of them."""

    subsets: tuple[IntArray, ...]
    lengths: tuple[FloatArray, ...]
    dropped: tuple[IntArray, ...]
    """Features that leave after each round but the last, shortest line first."""


@dataclass(frozen=True, eq=False)
class Elimination:
    """An order, the measure of each of its subsets in each fold, and the subset that is selected."""

    order: Order
    scores: FloatArray
    """Rounds × folds."""
    selected: int
    """The round whose features are kept."""

    @property
    def defined(self) -> FloatArray:
        """Scores of the folds in which every subset can be measured."""
        return defined_folds(self.scores)

    @property
    def support(self) -> IntArray:
        """The features that are kept."""
        return self.order.subsets[self.selected]


def eliminate(plan: Plan, rows: Rows, n_jobs: int | None = None) -> Elimination:
    """Run Table 1 on rows: order, accuracy of every subset by cross-validation, and the subset it outputs."""
    dealt, folds = plan.folds(rows)
    order = find_order(plan, rows)
    walks = [delayed(_walk)(plan, dealt.pick(train), dealt.pick(test), order.subsets) for train, test in folds]
    scores = np.column_stack(in_parallel(n_jobs, walks))
    return Elimination(order, scores, select(scores, plan.scoring, plan.rule))


def find_order(plan: Plan, rows: Rows) -> Order:
    """Fit to all rows, drop the shortest lines, and so on until the fewest features are left."""
    fits = follow(plan.estimator, rows)
    kept = np.arange(rows.X.shape[1])
    subsets: list[IntArray] = []
    lengths: list[FloatArray] = []
    dropped: list[IntArray] = []
    while True:
        fits.keep(kept)
        subsets.append(kept)
        lengths.append(fits.lengths(plan.length))
        n_leaving = min(plan.step, len(kept) - plan.fewest)
        if n_leaving <= 0:
            return Order(tuple(subsets), tuple(lengths), tuple(dropped))
        leaving = shortest(lengths[-1], n_leaving)
        dropped.append(kept[leaving])
        kept = np.delete(kept, leaving)


def shortest(lengths: FloatArray, n: int) -> IntArray:
    """Places of the n shortest lines, shortest first; of equal ones the lowest place.

    >>> shortest(np.array([3.0, 1.0, 2.0, 1.0 + 1e-12]), 3).tolist()
    [1, 3, 2]
    """
    if not np.isfinite(lengths).all():
        raise DataError(
            "A line has no finite length: its effects are missing or overflow.",
            remedy="Fill gaps, and scale the features.",
        )
    left, found, slack = lengths.astype(float), [], TIE * float(lengths.max(initial=0.0))
    for _ in range(n):
        found.append(int(np.argmax(left <= left.min() + slack)))
        left[found[-1]] = np.inf
    return np.array(found)


def select(scores: FloatArray, scoring: Scoring, rule: str) -> int:
    """The round that is kept: the first with the largest mean over folds, or by the one-standard-error rule.

    Table 1 goes from all features downwards and takes a subset only when it is better than the best so far, which is
    0 before the first: of equals the larger subset wins. The rule ``"one-se"`` takes the smallest subset whose mean is
    within one standard error (of that largest mean, over folds) of it.
    """
    defined = defined_folds(scores)
    if defined.shape[1] == 0:
        raise DataError(
            f"{scoring.name} is undefined in every fold: nothing held out can be measured.",
            remedy=("Add data", f"lower {setting('cv')}"),
        )
    mean = defined.mean(axis=1) if scoring.higher_is_better else -defined.mean(axis=1)
    best = int(np.argmax(mean))
    if scoring.higher_is_better and mean[best] <= 0.0:
        raise DataError(
            f"No subset of the features has a {scoring.name} above 0 in cross-validation: the elimination selects "
            "nothing.",
            remedy="Check the features, the labels and the queries.",
        )
    if rule == BEST:
        return best
    error = standard_error(defined)[best]
    return int(np.flatnonzero(mean >= mean[best] - error)[-1])


def defined_folds(scores: FloatArray) -> FloatArray:
    """Scores without the folds in which some subset cannot be measured."""
    return scores[:, ~np.isnan(scores).any(axis=0)]


def standard_error(scores: FloatArray) -> FloatArray:
    """Standard error of the mean over folds, by round; 0 for a single fold."""
    n_folds = scores.shape[1]
    return np.asarray(scores.std(axis=1, ddof=1) / np.sqrt(n_folds)) if n_folds > 1 else np.zeros(len(scores))


def nested_score(plan: Plan, train: Rows, held_out: Rows) -> tuple[float, int]:
    """Repeat the elimination on the training rows; measure what it selects on the others, and count it."""
    support = eliminate(plan, train).support
    fits = follow(plan.estimator, train)
    fits.keep(support)
    return fits.measure(held_out, plan.scoring), len(support)


def in_parallel(n_jobs: int | None, jobs: list[Callable[[], Any]]) -> list[Any]:
    """Run joblib's delayed jobs, in threads when there are several at a time; one level of parallelism."""
    several = effective_n_jobs(n_jobs) > 1
    with one_blas_thread() if several else nullcontext():
        return list(Parallel(n_jobs=n_jobs, prefer="threads")(jobs))


def _walk(plan: Plan, train: Rows, held_out: Rows, subsets: tuple[IntArray, ...]) -> list[float]:
    """Measure of each subset on the rows held out."""
    fits = follow(plan.estimator, train)
    scores = []
    for kept in subsets:
        fits.keep(kept)
        scores.append(fits.measure(held_out, plan.scoring))
    return scores
