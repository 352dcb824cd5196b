"""The elimination itself (Table 1 of the source): the order of the features, and the held-out score of each subset.

The order depends only on fits to all rows. So it is found first, and then each fold scores all subsets on its own.
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from glassrank.core.checks import BoolArray, DataError, FloatArray, IntArray
from glassrank.core.native_threads import one_blas_thread
from glassrank.core.setting import setting
from glassrank.nomograms.elimination.criterion import Scoring
from glassrank.nomograms.elimination.fits import follow
from glassrank.nomograms.elimination.training_rows import Rows, folds_of, pair_folds, rows_by_pair

# Lengths that differ by less than this share of the longest count as equal: a fit is not more precise.
TIE = 1e-9
BEST, ONE_SE, LITERAL = "best", "one-se", "literal"
QUERY, PAIR = "query", "pair"


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
    rule: str
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
    """Rounds × folds."""
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
    """Run Table 1 on rows: find the order, cross-validate every subset, and select one."""
    split, folds = plan.folds(rows)
    order = find_order(plan, rows)
    jobs = [delayed(_score_subsets)(plan, split.pick(train), split.pick(test), order.subsets) for train, test in folds]
    scores = np.column_stack(in_parallel(n_jobs, jobs))
    return Elimination(order, scores, select(scores, plan.scoring, plan.rule, order.lengths))


def find_order(plan: Plan, rows: Rows) -> Order:
    """Fit to all rows and drop the shortest lines, again and again until the minimum number of features is left."""
    fits = follow(plan.estimator, rows)
    kept = np.arange(rows.X.shape[1])
    subsets: list[IntArray] = []
    lengths: list[FloatArray] = []
    dropped: list[IntArray] = []
    while True:
        fits.keep(kept)
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


def select(scores: FloatArray, scoring: Scoring, rule: str, lengths: Sequence[FloatArray] = ()) -> int:
    """Return the round to select: the first with the best mean over folds, or by the one-standard-error rule.

    Table 1 goes from all features downwards and takes a subset only if it is better than the best so far, which is 0
    before the first. So of equally good subsets the larger one wins, even if it contains features without any effect:
    that is the rule ``"literal"``. The other rules select only among rounds in which every line has a length. The rule
    ``"one-se"`` takes the smallest subset whose mean is within one standard error (of the best mean, over folds) of
    the best.
    """
    defined = defined_folds(scores)
    if defined.shape[1] == 0:
        raise DataError(
            f"{scoring.name} is undefined in every fold: no held-out rows have a score.",
            remedy=("Add data", f"lower {setting('cv')}"),
        )
    mean = defined.mean(axis=1) if scoring.higher_is_better else -defined.mean(axis=1)
    if rule != LITERAL and lengths:
        mean = np.where(_all_lines_have_length(lengths), mean, -np.inf)
    best = int(np.argmax(mean))
    if scoring.higher_is_better and mean[best] <= 0.0:
        raise DataError(
            f"No subset of the features has a {scoring.name} above 0 in cross-validation: the elimination selects "
            "nothing.",
            remedy="Check the features, the labels and the queries.",
        )
    if rule != ONE_SE:
        return best
    error = standard_error(defined)[best]
    return int(np.flatnonzero(mean >= mean[best] - error)[-1])


def _all_lines_have_length(lengths: Sequence[FloatArray]) -> BoolArray:
    """Return in which rounds no line is a point; if there is no such round, the last one counts."""
    longest = max(float(own.max(initial=0.0)) for own in lengths)
    found = np.array([bool((own > TIE * longest).all()) for own in lengths])
    found[-1] |= not found.any()
    return found


def defined_folds(scores: FloatArray) -> FloatArray:
    """Return the scores without the folds in which the score of some subset is undefined."""
    return scores[:, ~np.isnan(scores).any(axis=0)]


def standard_error(scores: FloatArray) -> FloatArray:
    """Return the standard error of the mean over folds for each round; 0 for a single fold."""
    n_folds = scores.shape[1]
    return np.asarray(scores.std(axis=1, ddof=1) / np.sqrt(n_folds)) if n_folds > 1 else np.zeros(len(scores))


def nested_score(plan: Plan, train: Rows, held_out: Rows) -> tuple[float, int]:
    """Repeat the elimination on the training rows; return the held-out score of its selection, and its size."""
    support = eliminate(plan, train).support
    fits = follow(plan.estimator, train)
    fits.keep(support)
    return fits.measure(held_out, plan.scoring), len(support)


def in_parallel(n_jobs: int | None, jobs: list[Callable[[], Any]]) -> list[Any]:
    """Run joblib's delayed jobs, in threads if there are several at a time; one level of parallelism."""
    several = effective_n_jobs(n_jobs) > 1
    with one_blas_thread() if several else nullcontext():
        return list(Parallel(n_jobs=n_jobs, prefer="threads")(jobs))


def _score_subsets(plan: Plan, train: Rows, held_out: Rows, subsets: tuple[IntArray, ...]) -> list[float]:
    """Return the held-out score of each subset."""
    fits = follow(plan.estimator, train)
    scores = []
    for kept in subsets:
        fits.keep(kept)
        scores.append(fits.measure(held_out, plan.scoring))
    return scores
