"""A calibrated ranking SVM on resamples of its queries, followed from its minimum on all of them instead of fitted."""

import numbers
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.groups import Groups
from glassrank.core.pairs.compared_rows import ComparedRows
from glassrank.core.pairs.newton import MAX_FEATURES_EXACT
from glassrank.core.pairs.objectives import SquaredHingePairs
from glassrank.core.pairs.pair_sample import NumberedPairs
from glassrank.core.pairs.pair_weights import weigh_pairs
from glassrank.core.pairs.resampled_fit import ResampledFit
from glassrank.core.process.freed_memory import release_freed_memory
from glassrank.ranking.any_ranker import fit_ranker, tolerant
from glassrank.ranking.calibration import PairCalibrator, antisymmetric_sigmoid
from glassrank.ranking.feature_columns import as_dense
from glassrank.ranking.feature_transformer import FeatureTransformer
from glassrank.ranking.named_rows import known_rows
from glassrank.ranking.rank_svm import RankSVM
from glassrank.ranking.warm_start import start_from


@dataclass(frozen=True, eq=False)
class FollowedResamples:
    """A calibrated ranking SVM, and what its replicates on resamples of the queries share.

    All replicates have the transforms and the curves' columns of the model on all queries. The weights, the folds and
    the slope of the probabilities are those of the resample. Copies of a query are in one fold.
    """

    model: PairCalibrator
    ranker: Any
    """The ranking SVM, fitted to all rows, or a Pipeline that ends in it."""
    fit: ResampledFit
    pairs: NumberedPairs
    """Pairs of rows, sorted by query, whose held-out comparison gives the slope."""
    row_weights: FloatArray | None

    @classmethod
    def of(
        cls,
        model: Any,
        X: Any,
        y: FloatArray,
        groups: Groups,
        weights: FloatArray | None,
    ) -> "FollowedResamples | None":
        """Fit the model to all rows; None if its replicates must be fitted one by one."""
        if not _can_be_followed(model, groups):
            return None
        ranker, rows = _fit_to_all(model, X, y, groups, weights)
        svm = _last(ranker)
        data = _compared(svm, rows, y, groups, weights)
        if sparse.issparse(data.X) or data.X.shape[1] > MAX_FEATURES_EXACT:
            return None
        objective = SquaredHingePairs(data, _penalty(svm, data.weights.total))
        fit = ResampledFit.of(objective, svm.coef_, tol=svm.tol, max_iter=svm.max_iter)
        order = groups.order
        pairs = NumberedPairs.of(y[order], groups.pick(order))
        # All replicates are computed beside what the fit has freed.
        release_freed_memory()
        return cls(model, ranker, fit, pairs, None if weights is None else weights[order])

    def apart(self) -> "FollowedResamples":
        """Return the same with work arrays of its own, for another thread."""
        return replace(self, fit=self.fit.apart())

    def replicate(self, counts: IntArray, rng: np.random.Generator) -> PairCalibrator | None:
        """Return the model for a resample that contains each query this often.

        None if the other queries of a fold, which is drawn at random, have no comparable documents.
        """
        fold = self._draw_folds(counts, rng)
        parts = [np.where(fold == number, 0, counts) for number in range(int(self.model.cv))]
        totals = self.fit.objective.data.weights.totals
        if not all(part @ totals > 0 for part in parts):
            return None
        C = self._loss_factor(counts)
        whole = self.fit.resample(counts, C)
        scores = np.empty(len(self.fit.objective.data.level))
        for number, part in enumerate(parts):
            w = self.fit.resample_part(whole, counts, C, part, self._loss_factor(part))
            self._score(np.flatnonzero(fold == number), w, scores)
        made = copy(self.model)
        if hasattr(made, "calibration_"):
            # Measured for the model, not for its replicates.
            del made.calibration_
        made.slope_, made.offset_ = self._slope(counts, scores, rng), 0.0
        made.estimator_ = _with_weights(self.ranker, whole.w, int(counts @ self.fit.objective.data.pairs_per_query))
        return made

    def _draw_folds(self, counts: IntArray, rng: np.random.Generator) -> IntArray:
        """Return the fold of each query that was drawn, and −1 for the others."""
        fold, drawn = np.full(len(counts), -1), np.flatnonzero(counts)
        fold[rng.permutation(drawn)] = np.arange(len(drawn)) % int(self.model.cv)
        return fold

    def _loss_factor(self, counts: IntArray) -> float:
        return _penalty(_last(self.ranker), float(counts @ self.fit.objective.data.weights.totals))

    def _score(self, queries: IntArray, w: FloatArray, scores: FloatArray) -> None:
        """Fill the scores of the rows of these queries."""
        data = self.fit.objective.data
        for first, end in zip(data.starts[queries], data.starts[queries + 1], strict=True):
            np.matmul(data.X[first:end], w, out=scores[first:end])

    def _slope(self, counts: IntArray, scores: FloatArray, rng: np.random.Generator) -> float:
        """Fit A to pairs of the queries that were drawn, which are drawn separately for each copy of a query."""
        pairs = self.pairs.draw(np.repeat(np.arange(len(counts)), counts), self.model.max_pairs, rng)
        own = np.ones(len(scores)) if self.row_weights is None else self.row_weights
        outputs = scores[pairs.better] - scores[pairs.worse]
        return antisymmetric_sigmoid(outputs, own[pairs.better] * own[pairs.worse]).slope


def _can_be_followed(model: Any, groups: Groups) -> bool:
    """Whether a model is a calibrated linear or LRBF ranking SVM with a squared hinge, fitted, without bounds."""
    if type(model) is not PairCalibrator or not hasattr(model, "estimator_"):
        return False
    steps, svm = _steps(model.estimator), _last(model.estimator)
    return (
        isinstance(model.cv, numbers.Integral)
        and groups.n_queries >= int(model.cv)
        and all(type(step) is FeatureTransformer for step in steps)
        and type(svm) is RankSVM
        and svm.loss == "squared_hinge"
        and (svm.kernel == "linear" or svm.mode == "utility")
        and not svm.monotone
    )


def _steps(estimator: Any) -> list[Any]:
    return [step for _, step in estimator.steps[:-1]] if isinstance(estimator, Pipeline) else []


def _last(estimator: Any) -> Any:
    return estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator


def _fit_to_all(
    model: PairCalibrator, X: Any, y: FloatArray, groups: Groups, weights: FloatArray | None
) -> tuple[Any, Any]:
    """Return the ranker, fitted to all rows, and the rows as its SVM takes them: they are transformed only once."""
    ranker = start_from(tolerant(clone(model.estimator)), model.estimator_)
    for step in _steps(ranker):
        X = step.fit(X, sample_weight=weights).transform(X)
    fit_ranker(_last(ranker), X, y, groups, weights)
    return ranker, X


def _compared(svm: RankSVM, X: Any, y: FloatArray, groups: Groups, weights: FloatArray | None) -> ComparedRows:
    """Return the columns of a fitted ranking SVM with the pairs that it learned from."""
    rows = known_rows(svm, X)
    columns = rows if svm.feature_map_ is None else svm.feature_map_.for_pairs(as_dense(rows))
    return ComparedRows.of(columns, y, groups, weigh_pairs(svm.pair_weight, y, groups, weights))


def _penalty(svm: RankSVM, total: float) -> float:
    return float(svm.C) / (total if svm.C_unit == "mean" else 1.0)


def _with_weights(ranker: Any, w: FloatArray, n_pairs: int) -> Any:
    """Return the ranker with the weights of a resample, whose objective is unknown: it is not evaluated there."""
    svm = copy(_last(ranker))
    for name in ("objective_", "duality_gap_", "n_iter_"):
        delattr(svm, name)
    svm.coef_, svm.n_pairs_, svm.n_sampled_pairs_ = w, n_pairs, n_pairs
    if not isinstance(ranker, Pipeline):
        return svm
    made = copy(ranker)
    made.steps = [*ranker.steps[:-1], (ranker.steps[-1][0], svm)]
    return made
