"""Fits to fewer and fewer features: by refitting any additive estimator, or by following a ranking SVM's minimum."""

from typing import Any, Protocol

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)
from sklearn.utils import _safe_indexing

from glassrank.core.additive.effects import ObservedValues, linear_effects
from glassrank.core.additive.lrbf_columns import LrbfMap
from glassrank.core.checks import DataError, FloatArray, IntArray
from glassrank.core.groups import Groups
from glassrank.core.numbered_features import numbered_names
from glassrank.core.pairs.compared_rows import ComparedRows
from glassrank.core.pairs.newton import MAX_FEATURES_EXACT
from glassrank.core.pairs.objectives import LogisticPairs, SquaredHingePairs
from glassrank.core.pairs.pair_weights import weigh_pairs
from glassrank.core.pairs.shrinking_fit import ShrinkingFit
from glassrank.core.setting import setting
from glassrank.core.within_query_scaling import spread_within_queries
from glassrank.nomograms.adapters.effects_of_model import effects
from glassrank.nomograms.elimination.criterion import Scoring
from glassrank.nomograms.elimination.training_rows import Rows
from glassrank.ranking.any_ranker import fit_ranker, takes_weights, weight_arguments
from glassrank.ranking.lrbf_kernel import as_dense, lrbf_columns
from glassrank.ranking.rank_svm import RankSVM

OBJECTIVES = {"squared_hinge": SquaredHingePairs, "logistic": LogisticPairs}
# Each column on its own: dropping a feature changes nothing in the others.
COLUMN_BY_COLUMN = (StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler, PowerTransformer, QuantileTransformer)


class Fits(Protocol):
    """A model of the features that are kept."""

    def keep(self, kept: IntArray) -> None:
        """Fit to these features alone; each call names a subset of the last."""

    def lengths(self, kind: str | None) -> FloatArray:
        """Length of each kept feature's line."""

    def measure(self, held_out: Rows, scoring: Scoring) -> float:
        """Measure on rows that were not trained on."""


def follow(estimator: Any, rows: Rows) -> Fits:
    """The quickest way to fit the estimator to fewer and fewer features of these rows."""
    steps, ranker = _split(estimator)
    return (
        FollowedRankSVM(steps, ranker, rows) if can_be_followed(estimator, rows.X.shape[1]) else Refits(estimator, rows)
    )


class Refits:
    """Any estimator whose effects are known: a clone is fitted each time."""

    def __init__(self, estimator: Any, rows: Rows) -> None:
        self._estimator, self._rows = estimator, rows

    def keep(self, kept: IntArray) -> None:
        """Fit a clone to these columns."""
        self._kept = kept
        self._X = columns(self._rows.X, kept)
        self._model = fit(clone(self._estimator), self._X, self._rows)

    def lengths(self, kind: str | None) -> FloatArray:
        """Lengths from the model's effects."""
        found = effects(self._model, self._X)
        return found.lengths(found.encode(self._X), self._rows.groups, kind)

    def measure(self, held_out: Rows, scoring: Scoring) -> float:
        """Measure the clone."""
        return scoring.of_model(self._model, columns(held_out.X, self._kept), held_out.y, held_out.query)


class FollowedRankSVM:
    """A ranking SVM, linear or LRBF, whose minimum is followed from subset to subset; it equals a fit from zero.

    The columns of the LRBF kernel belong to one feature each, and do not depend on the others: dropping a feature
    drops its block of columns.
    """

    def __init__(self, steps: list[Any], ranker: RankSVM, rows: Rows) -> None:
        ranker._check_parameters()
        self._steps = [clone(step) for step in steps]
        X = rows.X
        for step in self._steps:
            weighted = rows.weights is not None and takes_weights(step)
            X = step.fit_transform(X, **({"sample_weight": rows.weights} if weighted else {}))
        self._groups = rows.groups
        weights = weigh_pairs(ranker.pair_weight, rows.y, self._groups, rows.weights)
        if not weights.total > 0:
            raise DataError(
                f"A fold leaves no comparable pair among {len(rows.y)} rows to train on.",
                remedy=("Add judged queries", f"change {setting('cv')}"),
            )
        self._map, designed = self._design(ranker, X, rows.weights)
        data = ComparedRows.of(designed, rows.y, self._groups, weights)
        self._fit = ShrinkingFit(OBJECTIVES[ranker.loss](data, _penalty(ranker, weights.total)))
        self._kept = np.arange(X.shape[1])
        self._unit_lengths: dict[str | None, FloatArray] = {}
        self._X = X
        self._seen: tuple[Rows | None, Any] = (None, None)

    def keep(self, kept: IntArray) -> None:
        """Move to the minimum over these features' columns."""
        if len(kept) < len(self._kept):
            self._kept = kept
            self._fit.drop(np.flatnonzero(~np.isin(self._features_of_columns, kept)))

    def lengths(self, kind: str | None) -> FloatArray:
        """Lengths of the lines: of straight ones |w| times the length for w = 1, of curves from their effects."""
        if self._map is None:
            if kind not in self._unit_lengths:
                self._unit_lengths[kind] = _lengths_of(as_dense(self._X), self._groups, kind)
            return np.asarray(np.abs(self._fit.w) * self._unit_lengths[kind][self._kept])
        return _lengths_of(self._contributions(), _in_order(self._groups), kind)

    def measure(self, held_out: Rows, scoring: Scoring) -> float:
        """Score the rows by the current weights."""
        if self._seen[0] is not held_out:
            X = held_out.X
            for step in self._steps:
                X = step.transform(X)
            self._seen = (held_out, X if self._map is None else self._map(as_dense(X)))
        weights = np.zeros(len(self._features_of_columns))
        weights[self._fit.kept] = self._fit.w
        return scoring.of_scores(held_out.y, held_out.groups, np.asarray(self._seen[1] @ weights))

    def _design(self, ranker: RankSVM, X: Any, weights: FloatArray | None) -> tuple[LrbfMap | None, Any]:
        """Columns of the linear machine, and which feature each belongs to."""
        self._features_of_columns = np.arange(X.shape[1])
        if ranker.kernel == "linear":
            return None, X
        dense = as_dense(X)
        spread = spread_within_queries(dense, self._groups, weights)
        found = lrbf_columns(dense, ranker.gamma, spread, numbered_names(X.shape[1]))
        self._features_of_columns = np.repeat(np.arange(X.shape[1]), np.diff(found.ends, prepend=0).astype(np.int64))
        return found, found(dense)

    def _contributions(self) -> FloatArray:
        """Effect of each kept feature on each row, rows query by query; a feature without columns has none."""
        designed, places = self._fit.rows, self._fit.places
        feature = self._features_of_columns[self._fit.kept]
        found = np.zeros((designed.shape[0], len(self._kept)))
        for column, k in enumerate(self._kept):
            own = np.flatnonzero(feature == k)
            if len(own):
                # A feature's columns stand side by side, also after others have left.
                block = slice(places[own[0]], places[own[-1]] + 1)
                found[:, column] = designed[:, block] @ self._fit.w[own]
        return found


def columns(X: Any, kept: IntArray) -> Any:
    """Some columns of an array, a sparse matrix or a data frame."""
    return _safe_indexing(X, kept, axis=1)


def fit(estimator: Any, X: Any, rows: Rows) -> Any:
    """Fit to other columns of the rows."""
    if rows.query is None:
        return estimator.fit(X, rows.y, **weight_arguments(estimator, rows.weights))
    return fit_ranker(estimator, X, rows.y, rows.groups, rows.weights)


def _split(estimator: Any) -> tuple[list[Any], Any]:
    """Steps before the last, and the last, of a pipeline; no steps and the estimator itself otherwise."""
    if not isinstance(estimator, Pipeline):
        return [], estimator
    return [step for _, step in estimator.steps[:-1] if step not in (None, "passthrough")], estimator.steps[-1][1]


def can_be_followed(estimator: Any, n_features: int) -> bool:
    """Whether the estimator is a ranking SVM with a smooth loss, alone or after scalers of single columns."""
    steps, ranker = _split(estimator)
    return (
        type(ranker) is RankSVM
        and ranker.loss in OBJECTIVES
        and getattr(ranker, "mode", "utility") == "utility"
        and all(type(step) in COLUMN_BY_COLUMN for step in steps)
        and n_features <= MAX_FEATURES_EXACT
    )


def _penalty(ranker: RankSVM, total: float) -> float:
    return float(ranker.C) / (total if ranker.C_unit == "mean" else 1.0)


def _lengths_of(contributions: FloatArray, groups: Groups, kind: str | None) -> FloatArray:
    """Lengths of lines whose effects on each row are known: those of straight lines of slope 1 over them."""
    names = tuple(map(str, range(contributions.shape[1])))
    identity = linear_effects(names, np.ones(len(names)), ObservedValues.of(contributions), unit="score")
    return identity.lengths(contributions, groups, kind)


def _in_order(groups: Groups) -> Groups:
    """The same queries for rows that stand query by query."""
    return Groups(groups.ids, np.arange(groups.n_rows), groups.starts)
