"""bootstrap_effects(): a model fitted again and again to resampled data, to see how far its effects move."""

import numbers
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.core.additive.effects import AdditiveEffects, ObservedValues
from glassrank.core.checks import DataError, FloatArray, IntArray, as_vector, check_length, check_positive
from glassrank.core.groups import Groups, group_rows
from glassrank.core.pairs.label_levels import comparable_pairs
from glassrank.core.progress import Progress
from glassrank.core.randomness import LARGEST_SEED, random_generator
from glassrank.nomograms.adapters.effects_of_model import assemble, observed_values
from glassrank.nomograms.adapters.registry import terms_of
from glassrank.ranking.any_ranker import fit_ranker

MOST_DRAWS = 100
CALIBRATION_FOLDS = 5  # of CalibratedClassifierCV(cv=None)


def bootstrap_effects(
    model: Any,
    X: Any,
    y: Any,
    qid: Any = None,
    *,
    n_resamples: int = 100,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> EffectSamples:
    """Fit clones of a model to resampled data, and return the effects of all of them.

    Whole queries are drawn with replacement, because documents of one query rise and fall together; with a single query
    its documents are drawn, for a classifier the rows. A draw in which nothing can be learned, such as one with a
    single class, is drawn again. Where the model cuts its data into ``cv`` folds, copies of a query or row stay in one
    fold, so that no copy is held out from itself. ``progress`` is called with how many fits of how many are done.

    >>> import glassrank as gr
    >>> from glassrank.nomograms.bootstrap_effects import bootstrap_effects
    >>> data = gr.simulate_ranking(20, 10, random_state=0).data
    >>> samples = bootstrap_effects(gr.RankSVM(), data.X, data.y, data.qid, n_resamples=10)
    >>> samples.difference_errors(data.X[:1], data.X[1:2]).shape == (1, data.X.shape[1])
    True
    """
    from joblib import Parallel, delayed, effective_n_jobs
    from sklearn.base import is_classifier
    from sklearn.utils.validation import _num_samples

    check_positive("n_resamples", n_resamples, whole=True)
    n_rows = _num_samples(X)
    rows = _class_rows(y, n_rows) if is_classifier(model) else _ranking_rows(y, qid, n_rows)
    seeds = random_generator(random_state).integers(LARGEST_SEED, size=int(n_resamples))
    limit = 1 if effective_n_jobs(n_jobs) > 1 else None
    work = (delayed(_fit_resample)(model, X, rows, int(seed), limit) for seed in seeds)
    replicates: list[AdditiveEffects] = []
    observed: ObservedValues | None = None
    for fitted in Parallel(n_jobs=n_jobs, return_as="generator")(work):
        # All replicates have the same lines, and are 0 at the same places: those that X shows.
        terms = replace(terms_of(fitted), observed=None)
        observed = observed_values(terms, X, type(model).__name__) if observed is None else observed
        replicates.append(assemble(terms, observed))
        if progress is not None:
            progress(len(replicates), int(n_resamples), "fitting resamples")
    return EffectSamples(tuple(replicates))


@dataclass(frozen=True, eq=False)
class _TrainingRows:
    """Labels of the rows, and the units that are drawn: queries, or single rows."""

    y: npt.NDArray[Any]
    units: Groups
    ranked: bool
    """Whether the rows are documents of queries, and not of classes."""
    comparable: bool = False
    """Whether a query holds two documents of different label; a regressor can do without."""

    def draw(self, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Rows of a resample and the number of each one's unit among those drawn; units stand one after another."""
        for _ in range(MOST_DRAWS):
            drawn = rng.integers(self.units.n_queries, size=self.units.n_queries)
            sizes = self.units.sizes[drawn]
            place = np.repeat(np.arange(len(drawn)), sizes)
            within = np.arange(len(place)) - (np.cumsum(sizes) - sizes)[place]
            rows = self.units.order[self.units.starts[drawn][place] + within]
            if self._teaches(rows, place):
                return rows, place
        wanted = "two documents of one query with different labels" if self.ranked else "every class"
        raise DataError(f"None of {MOST_DRAWS} resamples holds {wanted}: got {len(self.y)} rows. Add data.")

    def queries(self, place: IntArray) -> IntArray:
        """Query of each row of a resample; documents drawn from a single query stay in it."""
        return place if self.units.n_queries < len(self.y) else np.zeros(len(place), dtype=np.int64)

    def _teaches(self, rows: IntArray, place: IntArray) -> bool:
        """Whether a resample holds what the data hold: documents to compare, or every class."""
        if not self.ranked:
            return len(np.unique(self.y[rows])) == len(np.unique(self.y))
        return not self.comparable or _comparable(self.y[rows], self.queries(place))


def _class_rows(y: Any, n_rows: int) -> _TrainingRows:
    labels = np.asarray(y)
    check_length("y", labels, n_rows)
    return _TrainingRows(labels, _single_rows(n_rows), ranked=False)


def _ranking_rows(y: Any, qid: Any, n_rows: int) -> _TrainingRows:
    labels: FloatArray = as_vector("y", y, n_rows)
    queries = group_rows(qid, n_rows)
    units = queries if queries.n_queries > 1 else _single_rows(n_rows)
    return _TrainingRows(labels, units, ranked=True, comparable=_comparable(labels, queries.of_row))


def _comparable(y: FloatArray, queries: IntArray) -> bool:
    return bool(comparable_pairs(y, group_rows(queries, len(y))).sum() > 0)


def _single_rows(n_rows: int) -> Groups:
    return group_rows(np.arange(n_rows), n_rows)


def _fit_resample(model: Any, X: Any, rows: _TrainingRows, seed: int, limit: int | None) -> Any:
    from sklearn.base import clone
    from sklearn.utils import _safe_indexing
    from threadpoolctl import threadpool_limits

    rng = np.random.default_rng(seed)
    drawn, place = rows.draw(rng)
    y, queries = rows.y[drawn], rows.queries(place)
    strata = np.zeros(len(y), dtype=np.int64) if queries.any() else np.unique(y, return_inverse=True)[1]
    fresh = _seeded(clone(model), rng)
    _keep_copies_together(fresh, rows.units.of_row[drawn], strata, rng)
    resample = _safe_indexing(X, drawn)
    # One level of parallelism: a worker among several has one core. Looking for thread pools takes longer than a fit.
    with nullcontext() if limit is None else threadpool_limits(limits=limit):
        return fit_ranker(fresh, resample, y, queries) if rows.ranked else fresh.fit(resample, y)


def _seeded(model: Any, rng: np.random.Generator) -> Any:
    """Give every part of a model that has no seed one, so that a result can be repeated."""
    unseeded = [
        name for name, value in sorted(model.get_params().items()) if name.endswith("random_state") and value is None
    ]
    return model.set_params(**{name: int(rng.integers(LARGEST_SEED)) for name in unseeded})


def _keep_copies_together(model: Any, unit: IntArray, strata: IntArray, rng: np.random.Generator) -> None:
    """Where the model cuts its rows into a number of folds, cut them so that copies of a unit are in one fold."""
    last = model
    while hasattr(last, "steps"):
        last = last.steps[-1][1]
    n_folds = last.get_params(deep=False).get("cv")
    if n_folds is None and type(last).__name__ == "CalibratedClassifierCV":
        n_folds = CALIBRATION_FOLDS
    if not isinstance(n_folds, numbers.Integral):
        return
    units, first, of_row = np.unique(unit, return_index=True, return_inverse=True)
    fold_of_unit = np.empty(len(units), dtype=np.int64)
    fold_of_unit[np.lexsort((rng.random(len(units)), strata[first]))] = np.arange(len(units)) % int(n_folds)
    fold = fold_of_unit[of_row]
    held_out = [np.flatnonzero(fold == number) for number in range(int(n_folds))]
    last.set_params(cv=[(np.flatnonzero(fold != number), own) for number, own in enumerate(held_out) if len(own)])
