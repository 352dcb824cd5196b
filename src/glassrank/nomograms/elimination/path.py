"""The elimination itself (Table 1 of the source): the order of the features, and the held-out score of each subset.

Each fold learns an order of its own from its training rows, because the order of all rows has seen the held-out ones.
So folds are compared by the number of features. The source scores the subsets of one order instead.
"""

import numbers
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from glassrank.core.checks import DataError, FloatArray, IntArray
from glassrank.core.native_threads import one_blas_thread
from glassrank.core.setting import setting
from glassrank.core.wording import listed
from glassrank.nomograms.elimination.criterion import Scoring, mean_of_defined
from glassrank.nomograms.elimination.fits import Fits, follow
from glassrank.nomograms.elimination.training_rows import Rows, folds_of, pair_folds, rows_by_pair

# Lengths that differ by less than this share of the longest count as equal: a fit is not more precise.
TIE = 1e-9
KEEP = BEST, ONE_SE, LITERAL = "best", "one-se", "literal"
MOST_LOST = 0.002  # of the measure, as noise: few queries could not see a much larger loss
QUERY, PAIR = "query", "pair"


def check_keep(keep: Any, sizes: Sequence[int] | None = None) -> None:
    """Raise an error unless ``keep`` is a rule or a number of features: one of the ``sizes``, if they are given."""
    if isinstance(keep, str) and keep in KEEP:
        return
    expected = f"{', '.join(map(repr, KEEP))} or a positive whole number"
    is_number = isinstance(keep, numbers.Integral) and not isinstance(keep, bool) and int(keep) > 0
    if is_number and sizes is not None:
        expected = f"one of {listed(sizes, 9)} features"
    if not is_number or (sizes is not None and int(keep) not in sizes):
        raise DataError(parameter="keep", expected=expected, got=keep)


@dataclass(frozen=True, eq=False)
class Plan:
    """The settings of an elimination: everything except the rows."""

    estimator: Any
    scoring: Scoring
    length: str | None
    step: int
    min_features: int
    cv: Any
    fold_unit: str
    keep: str | int
    random_state: int

    def folds(self, rows: Rows) -> tuple[Rows, list[tuple[IntArray, IntArray]]]:
        """Return the rows to split, which are pairs if folds go by pair, and the folds."""
        if self.fold_unit == PAIR:
            by_pair = rows_by_pair(rows)
            return by_pair, pair_folds(by_pair, self.cv, self.random_state)
        return rows, folds_of(rows, self.cv, self.random_state)


@dataclass(frozen=True, eq=False)
class Order:
    """The features of each round and the lengths of their lines; the first round has all features."""

    subsets: tuple[IntArray, ...]
    lengths: tuple[FloatArray, ...]
    dropped: tuple[IntArray, ...]
    """Features dropped after each round except the last, shortest line first."""


@dataclass(frozen=True, eq=False)
class Elimination:
    """An order, the score of each subset in each fold, and the selected subset."""

    order: Order
    scores: FloatArray
    """Rounds × folds; each fold scores as many features as the round has, in the fold's own order."""
    selected: int
    """The round whose features are kept."""

    @property
    def defined(self) -> FloatArray:
        """Scores of the folds in which every subset has a score."""
        return defined_folds(self.scores)

    @property
    def support(self) -> IntArray:
        """The features that are kept."""
        return self.order.subsets[self.selected]


def eliminate(plan: Plan, rows: Rows, n_jobs: int | None = None) -> Elimination:
    """Run Table 1 on rows: find the order, cross-validate every number of features, and select one."""
    split, folds = plan.folds(rows)
    order = find_order(plan, rows)
    subsets = order.subsets if plan.keep == LITERAL else None
    jobs = [delayed(_score_rounds)(plan, split.pick(train), split.pick(test), subsets) for train, test in folds]
    values = in_parallel(n_jobs, jobs)
    sizes = [len(kept) for kept in order.subsets]
    return Elimination(order, fold_means(values), select(values, plan.scoring, plan.keep, sizes))


def find_order(plan: Plan, rows: Rows, visit: Callable[[Fits], None] = lambda fits: None) -> Order:
    """Fit to the rows and drop the shortest lines, again and again until the minimum number of features is left.

    ``visit`` is called with the fit of every round.
    """
    fits = follow(plan.estimator, rows)
    kept = np.arange(rows.X.shape[1])
    subsets: list[IntArray] = []
    lengths: list[FloatArray] = []
    dropped: list[IntArray] = []
    while True:
        fits.keep(kept)
        visit(fits)
        subsets.append(kept)
        lengths.append(fits.lengths(plan.length))
        n_dropped = min(plan.step, len(kept) - plan.min_features)
        if n_dropped <= 0:
            return Order(tuple(subsets), tuple(lengths), tuple(dropped))
        places = shortest(lengths[-1], n_dropped)
        dropped.append(kept[places])
        kept = np.delete(kept, places)


def shortest(lengths: FloatArray, n: int) -> IntArray:
    """Return the indices of the n shortest lines, shortest first; of equal ones the lowest index.

    >>> shortest(np.array([3.0, 1.0, 2.0, 1.0 + 1e-12]), 3).tolist()
    [1, 3, 2]
    """
    if not np.isfinite(lengths).all():
        raise DataError(
            "A line has no finite length: its effects are missing or overflow.",
            remedy="Fill missing values, and scale the features.",
        )
    left, found, slack = lengths.astype(float), [], TIE * float(lengths.max(initial=0.0))
    for _ in range(n):
        found.append(int(np.argmax(left <= left.min() + slack)))
        left[found[-1]] = np.inf
    return np.array(found)


def select(folds: Sequence[FloatArray], scoring: Scoring, keep: str | int, sizes: Sequence[int]) -> int:
    """Return the round to select, from the values of each fold: rounds × queries.

    ``"best"`` is the best mean over folds, of equal ones the fewest features; ``"one-se"`` the fewest features whose
    loss is noise, paired over the queries. ``"literal"`` is Table 1 as printed: from all features downwards, a subset
    is taken only if it is better than the best so far, which is 0 before the first.
    """
    defined = defined_folds(fold_means(folds))
    if defined.shape[1] == 0:
        raise DataError(
            f"{scoring.name} is undefined in every fold: no held-out rows have a score.",
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
    if not isinstance(keep, str):
        return list(sizes).index(keep)
    if keep == LITERAL:
        return best
    allowed = noise(defined_folds(np.concatenate(folds, axis=1)), best) if keep == ONE_SE else np.zeros(len(mean))
    return int(np.flatnonzero(mean >= mean[best] - allowed - TIE)[-1])


def noise(values: FloatArray, best: int) -> FloatArray:
    """Return the loss against the best row that is noise: one standard error of the difference, and at most 0.002."""
    return np.minimum(standard_error(values - values[best]), MOST_LOST)


def fold_means(folds: Sequence[FloatArray]) -> FloatArray:
    """Return rounds × folds: means over the queries in which the measure is defined; NaN if there are none."""
    return np.column_stack([[mean_of_defined(row) for row in values] for values in folds])


def defined_folds(scores: FloatArray) -> FloatArray:
    """Return the scores without the columns, such as folds, in which the score of some subset is undefined."""
    return scores[:, ~np.isnan(scores).any(axis=0)]


def standard_error(scores: FloatArray) -> FloatArray:
    """Return the standard error of the mean over columns for each round; 0 for a single one."""
    n_folds = scores.shape[1]
    return np.asarray(scores.std(axis=1, ddof=1) / np.sqrt(n_folds)) if n_folds > 1 else np.zeros(len(scores))


def nested_score(plan: Plan, train: Rows, held_out: Rows) -> tuple[float, int]:
    """Repeat the elimination on the training rows; return the held-out score of its selection, and its size."""
    support = eliminate(plan, train).support
    fits = follow(plan.estimator, train)
    fits.keep(support)
    return mean_of_defined(fits.measure(held_out, plan.scoring)), len(support)


def in_parallel(n_jobs: int | None, jobs: list[Callable[[], Any]]) -> list[Any]:
    """Run joblib's delayed jobs, in threads if there are several at a time; one level of parallelism."""
    several = effective_n_jobs(n_jobs) > 1
    with one_blas_thread() if several else nullcontext():
        return list(Parallel(n_jobs=n_jobs, prefer="threads")(jobs))


def _score_rounds(plan: Plan, train: Rows, held_out: Rows, subsets: tuple[IntArray, ...] | None) -> FloatArray:
    """Return rounds × held-out values of the given subsets or, without them, of the order of the training rows."""
    values: list[FloatArray] = []

    def visit(fits: Fits) -> None:
        values.append(fits.measure(held_out, plan.scoring))

    if subsets is None:
        find_order(plan, train, visit)
    else:
        fits = follow(plan.estimator, train)
        for kept in subsets:
            fits.keep(kept)
            visit(fits)
    return np.array(values)
