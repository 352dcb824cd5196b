"""bootstrap_effects(): fit a model to many resamples of the data, to see how much its effects vary."""

import numbers
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.core.additive.effects import AdditiveEffects
from glassrank.core.additive.observed_features import ObservedValues
from glassrank.core.checks import DataError, FloatArray, IntArray, as_vector, check_length, check_positive
from glassrank.core.groups import Groups, group_codes, group_rows
from glassrank.core.input_types import ArrayLike, Estimator, RandomState
from glassrank.core.native_threads import one_native_thread
from glassrank.core.pairs.label_levels import comparable_pairs
from glassrank.core.progress import Progress
from glassrank.core.randomness import MAX_SEED, random_generator
from glassrank.core.row_weights import row_weights
from glassrank.nomograms.adapters.effects_of_model import assemble, observed_values
from glassrank.nomograms.adapters.registry import terms_of
from glassrank.nomograms.followed_resamples import FollowedResamples
from glassrank.ranking.any_ranker import fit_ranker, rows_for, tolerant, weight_arguments
from glassrank.ranking.calibration import PairCalibrator
from glassrank.ranking.feature_transformer import as_scratch

MAX_DRAWS = 100
REPLICATES_PER_JOB = 10  # of those that are followed; with more, progress would be reported rarely
CALIBRATION_FOLDS = 5  # of CalibratedClassifierCV(cv=None)


def bootstrap_effects(
    model: Estimator,
    X: ArrayLike,
    y: ArrayLike,
    qid: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    n_resamples: int = 100,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> EffectSamples:
    """Fit clones of a model to resampled data, and return the effects of all of them.

    Whole queries are drawn with replacement, because documents of one query are not independent. If there is only one
    query, its documents are drawn; for a classifier, rows. A resample from which nothing can be learned, such as one
    with a single class, is drawn again. If the model splits its data into ``cv`` folds, copies of a query or row stay
    in one fold, so that no copy is held out from itself. Rows keep their weights; rows of weight 0 are ignored.
    A *fitted* ``PairCalibrator`` of a ranking SVM with the squared hinge loss is not fitted again: Newton steps lead
    from its solution for all queries to that of each resample, with the same transforms and columns of curves, until
    about 1 % of the way is left.
    ``progress`` is called with the number of finished fits and the number of all fits.

    >>> import glassrank as gr
    >>> from glassrank.nomograms.bootstrap_effects import bootstrap_effects
    >>> data = gr.simulate_ranking(20, 10, random_state=0).data
    >>> samples = bootstrap_effects(gr.RankSVM(), data.X, data.y, data.qid, n_resamples=10)
    >>> samples.difference_errors(data.X[:1], data.X[1:2]).shape == (1, data.X.shape[1])
    True
    """
    fitted = fit_resamples(
        model, X, y, qid, sample_weight, n_resamples=n_resamples, random_state=random_state, n_jobs=n_jobs
    )
    if progress is not None:
        fitted = _counted(fitted, n_resamples, progress)
    return effects_of_resamples(fitted, X, sample_weight)


def fit_resamples(
    model: Estimator,
    X: ArrayLike,
    y: ArrayLike,
    qid: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    n_resamples: int = 100,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    within_queries: bool = False,
) -> Iterator[Estimator]:
    """Yield clones of a model, each fitted to another resample, as in ``bootstrap_effects``.

    ``within_queries`` draws the documents of each query instead of queries, which is for very few queries.
    """
    from joblib import Parallel, delayed, effective_n_jobs
    from sklearn.base import is_classifier
    from sklearn.utils import _safe_indexing
    from sklearn.utils.validation import _num_samples

    check_positive("n_resamples", n_resamples, whole=True)
    n_rows = _num_samples(X)
    labels = np.asarray(y) if is_classifier(model) else as_vector("y", y, n_rows)
    check_length("y", labels, n_rows)
    weights, queries = row_weights(sample_weight, n_rows), group_rows(qid, n_rows)
    if weights.rows is not None:
        X, labels, queries = _safe_indexing(X, weights.rows), labels[weights.rows], queries.pick(weights.rows)
    rows = _training_rows(labels, queries, weights.values, classes=is_classifier(model))
    if within_queries and queries.n_queries > 1:
        rows = _RowsOfEachQuery(labels, weights.values, queries, ranked=True, comparable=True)
    seeds = random_generator(random_state).integers(MAX_SEED, size=int(n_resamples))
    n_workers = effective_n_jobs(n_jobs)
    several = n_workers > 1
    followed = None
    if rows.units is queries and not within_queries:
        followed = FollowedResamples.of(model, X, labels, queries, weights.values)
    if followed is None:
        work = (delayed(_fit_resample)(model, X, rows, int(seed), several) for seed in seeds)
        yield from Parallel(n_jobs=n_jobs, return_as="generator")(work)
        return
    # A replicate takes less time than sending the rows to another process.
    at_once = min(REPLICATES_PER_JOB, -(-len(seeds) // n_workers)) if several else 1
    parts = (seeds[first : first + at_once].tolist() for first in range(0, len(seeds), at_once))
    work = (delayed(_follow_resamples)(followed, rows, part, several) for part in parts)
    for replicates in Parallel(n_jobs=n_jobs, return_as="generator")(work):
        yield from replicates


def effects_of_resamples(
    models: Iterable[Estimator], X: ArrayLike, sample_weight: ArrayLike | None = None
) -> EffectSamples:
    """Return the effects of models that were fitted to resamples of X, all over the same values of X."""
    from sklearn.utils import _safe_indexing
    from sklearn.utils.validation import _num_samples

    weights = row_weights(sample_weight, _num_samples(X))
    rows = X if weights.rows is None else _safe_indexing(X, weights.rows)
    replicates: list[AdditiveEffects] = []
    observed: ObservedValues | None = None
    for fitted in models:
        # The lines of all replicates span the same values of X, and are 0 at the same one.
        terms = replace(terms_of(fitted), observed=None)
        if observed is None:
            observed = observed_values(terms, rows, type(fitted).__name__, weights.values)
        replicates.append(assemble(terms, observed))
    return EffectSamples(tuple(replicates))


def _counted(fitted: Iterator[Estimator], total: int, progress: Progress) -> Iterator[Estimator]:
    for done, model in enumerate(fitted, start=1):
        yield model
        progress(done, int(total), "fitting resamples")


@dataclass(frozen=True, eq=False)
class _TrainingRows:
    """Labels and weights of the rows, and the units that are drawn: queries or single rows."""

    y: npt.NDArray[Any]
    weights: FloatArray | None
    units: Groups
    ranked: bool
    """True for documents with relevance labels, False for rows with classes."""
    comparable: bool = False
    """Whether some query contains two documents with different labels; a regressor does not need that."""

    def draw(self, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Return the rows of a resample, unit by unit, and for each row the number of the draw it belongs to."""
        for _ in range(MAX_DRAWS):
            drawn = self.draw_units(rng)
            sizes = self.units.sizes[drawn]
            place = np.repeat(np.arange(len(drawn)), sizes)
            within = np.arange(len(place)) - (np.cumsum(sizes) - sizes)[place]
            rows = self.units.order[self.units.starts[drawn][place] + within]
            if self._usable(rows, place):
                return rows, place
        wanted = "two documents of one query with different labels" if self.ranked else "every class"
        raise self.unusable(f"contains {wanted}")

    def draw_units(self, rng: np.random.Generator) -> IntArray:
        """Return the units of a resample, drawn with replacement."""
        return rng.integers(self.units.n_queries, size=self.units.n_queries)

    def unusable(self, wanted: str) -> DataError:
        """Return the error if no resample is as it must be."""
        return DataError(f"None of {MAX_DRAWS} resamples {wanted}: got {len(self.y)} rows.", remedy="Add data.")

    def queries(self, place: IntArray) -> IntArray:
        """Return the query of each resampled row; documents drawn from a single query stay in that query."""
        return place if self.units.n_queries < len(self.y) else np.zeros(len(place), dtype=np.int64)

    def _usable(self, rows: IntArray, place: IntArray) -> bool:
        """Whether a resample contains comparable documents (if the data do), or every class."""
        if not self.ranked:
            return len(np.unique(self.y[rows])) == len(np.unique(self.y))
        return not self.comparable or _comparable(self.y[rows], self.queries(place))


class _RowsOfEachQuery(_TrainingRows):
    """Rows whose documents are drawn within each query; all queries stay, and their documents stay comparable."""

    def draw(self, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Return the rows of a resample, query by query, and the query of each."""
        drawn = [self._draw_query(self.units.rows(query), rng) for query in range(self.units.n_queries)]
        return np.concatenate(drawn), np.repeat(np.arange(len(drawn)), self.units.sizes)

    def queries(self, place: IntArray) -> IntArray:
        """Return the query of each resampled row."""
        return place

    def _draw_query(self, rows: IntArray, rng: np.random.Generator) -> IntArray:
        for _ in range(MAX_DRAWS):
            drawn = rng.choice(rows, size=len(rows))
            if np.ptp(self.y[drawn]) > 0 or np.ptp(self.y[rows]) == 0:
                return drawn
        raise DataError(
            f"None of {MAX_DRAWS} resamples of a query's {len(rows)} documents contains different labels.",
            remedy="Add judged documents.",
        )


def _training_rows(y: npt.NDArray[Any], queries: Groups, weights: FloatArray | None, *, classes: bool) -> _TrainingRows:
    units = group_codes(np.arange(len(y))) if classes or queries.n_queries == 1 else queries
    comparable = not classes and _comparable(y, queries.of_row)
    return _TrainingRows(y, weights, units, ranked=not classes, comparable=comparable)


def _comparable(y: FloatArray, queries: IntArray) -> bool:
    return bool(comparable_pairs(y, group_codes(queries)).sum() > 0)


def _fit_resample(model: Any, X: Any, rows: _TrainingRows, seed: int, several: bool) -> Any:
    from sklearn.base import clone
    from sklearn.utils import _safe_indexing

    rng = np.random.default_rng(seed)
    drawn, place = rows.draw(rng)
    y, queries = rows.y[drawn], rows.queries(place)
    weights = None if rows.weights is None else rows.weights[drawn]
    strata = np.zeros(len(y), dtype=np.int64) if queries.any() else np.unique(y, return_inverse=True)[1]
    fresh = tolerant(_seeded(clone(model), rng))
    if isinstance(model, PairCalibrator) and hasattr(model, "estimator_"):
        fresh = fresh.as_replicate_of(model)
    _keep_copies_together(fresh, rows.units.of_row[drawn], strata, rng)
    resample = as_scratch(_safe_indexing(X, drawn), fresh.estimator if isinstance(fresh, PairCalibrator) else fresh)
    # One level of parallelism: a worker among several has one core. Looking for thread pools takes longer than a fit.
    with one_native_thread() if several else nullcontext():
        if rows.ranked:
            return fit_ranker(fresh, resample, y, group_codes(queries), weights)
        return fresh.fit(rows_for(fresh, resample, to_fit=True), y, **weight_arguments(fresh, weights))


def _follow_resamples(followed: FollowedResamples, rows: _TrainingRows, seeds: list[int], several: bool) -> list[Any]:
    followed = followed.apart() if several else followed
    with one_native_thread() if several else nullcontext():
        return [_follow_resample(followed, rows, seed) for seed in seeds]


def _follow_resample(followed: FollowedResamples, rows: _TrainingRows, seed: int) -> Any:
    rng, n_queries = np.random.default_rng(seed), rows.units.n_queries
    for _ in range(MAX_DRAWS):
        made = followed.replicate(np.bincount(rows.draw_units(rng), minlength=n_queries), rng)
        if made is not None:
            return made
    raise rows.unusable("has comparable documents outside each fold of its queries")


def _seeded(model: Any, rng: np.random.Generator) -> Any:
    """Set every ``random_state`` that is None, so that the result can be reproduced."""
    unseeded = [
        name for name, value in sorted(model.get_params().items()) if name.endswith("random_state") and value is None
    ]
    return model.set_params(**{name: int(rng.integers(MAX_SEED)) for name in unseeded})


def _keep_copies_together(model: Any, unit: IntArray, strata: IntArray, rng: np.random.Generator) -> None:
    """If the model's ``cv`` is a number, replace it by splits that keep all copies of a unit in one fold."""
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
