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

from glassrank.core.additive.effects import linear_effects
from glassrank.core.additive.feature_map import FeatureMap
from glassrank.core.additive.observed_features import ObservedValues
from glassrank.core.checks import DataError, FloatArray, IntArray
from glassrank.core.feature_kinds import FeatureTable, kinds_of, values_of
from glassrank.core.groups import Groups
from glassrank.core.numbered_features import numbered_names
from glassrank.core.pairs.compared_rows import ComparedRows
from glassrank.core.pairs.newton import MAX_FEATURES_EXACT
from glassrank.core.pairs.objectives import LogisticPairs, SquaredHingePairs
from glassrank.core.pairs.pair_weights import weigh_pairs
from glassrank.core.pairs.shrinking_fit import ShrinkingFit
from glassrank.core.setting import setting
from glassrank.nomograms.adapters.effects_of_model import effects
from glassrank.nomograms.adapters.terms import refuse
from glassrank.nomograms.elimination.criterion import Scoring
from glassrank.nomograms.elimination.training_rows import Rows
from glassrank.ranking.any_ranker import fit_ranker, rows_for, takes_weights, tolerant, weight_arguments
from glassrank.ranking.feature_columns import ColumnOptions, TrainingColumns, as_dense
from glassrank.ranking.feature_transformer import FeatureTransformer
from glassrank.ranking.rank_svm import RankSVM

OBJECTIVES = {"squared_hinge": SquaredHingePairs, "logistic": LogisticPairs}
# These scale each column on its own, so that dropping a feature does not change the others.
COLUMN_BY_COLUMN = (
    FeatureTransformer,
    StandardScaler,
    MinMaxScaler,
    MaxAbsScaler,
    RobustScaler,
    PowerTransformer,
    QuantileTransformer,
)


class Fits(Protocol):
    """A model that is fitted to fewer and fewer features."""

    def keep(self, kept: IntArray) -> None:
        """Fit to these features only; each call takes a subset of the previous one's."""

    def lengths(self, kind: str | None) -> FloatArray:
        """Return the length of each kept feature's line."""

    def measure(self, held_out: Rows, scoring: Scoring) -> FloatArray:
        """Return the measure of each held-out query, or a single value for a classifier."""


def follow(estimator: Any, rows: Rows) -> Fits:
    """Return the fastest way to fit the estimator to fewer and fewer features of these rows."""
    steps, ranker = _split(estimator)
    return (
        FollowedRankSVM(steps, ranker, rows) if can_be_followed(estimator, rows.X.shape[1]) else Refits(estimator, rows)
    )


class Refits:
    """Fits a clone of any additive estimator to each subset."""

    def __init__(self, estimator: Any, rows: Rows) -> None:
        self._estimator, self._rows = estimator, rows

    def keep(self, kept: IntArray) -> None:
        """Fit a clone to these columns."""
        self._kept = kept
        self._X = columns(self._rows.X, kept)
        self._model = fit(tolerant(restricted(clone(self._estimator), self._X)), self._X, self._rows)

    def lengths(self, kind: str | None) -> FloatArray:
        """Return the lengths from the model's effects."""
        found = effects(self._model, self._X)
        if found.interactions:
            raise refuse(
                type(self._model).__name__,
                "what two features add together is on no line",
                f"Train with {setting('max_depth', 1)}, so that each tree uses one feature.",
            )
        return found.lengths(found.encode(self._X), self._rows.groups, kind)

    def measure(self, held_out: Rows, scoring: Scoring) -> FloatArray:
        """Return the clone's score on held-out rows."""
        return scoring.of_model(self._model, columns(held_out.X, self._kept), held_out.y, held_out.query)


class FollowedRankSVM:
    """A linear or LRBF ranking SVM whose minimum is followed from subset to subset; the result equals a new fit.

    Each column of the LRBF kernel belongs to one feature and does not depend on the others, so dropping a feature drops
    its block of columns.
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
                f"A fold has no comparable pair among its {len(rows.y)} training rows.",
                remedy=("Add judged queries", f"change {setting('cv')}"),
            )
        self._map, designed = self._design(ranker, X, rows)
        data = ComparedRows.of(designed, rows.y, self._groups, weights)
        self._fit = ShrinkingFit(OBJECTIVES[ranker.loss](data, _penalty(ranker, weights.total)))
        self._kept = np.arange(X.shape[1])
        self._unit_lengths: dict[str | None, FloatArray] = {}
        self._X = values_of(X)
        self._seen: tuple[Rows | None, Any] = (None, None)

    def keep(self, kept: IntArray) -> None:
        """Move to the minimum over these features' columns."""
        if len(kept) < len(self._kept):
            self._kept = kept
            self._fit.drop(np.flatnonzero(~np.isin(self._features_of_columns, kept)))

    def lengths(self, kind: str | None) -> FloatArray:
        """Return the lengths: |w| times the length for w = 1 for straight lines, from the effects for curves."""
        if self._map is None:
            if kind not in self._unit_lengths:
                self._unit_lengths[kind] = _lengths_of(as_dense(self._X), self._groups, kind)
            return np.asarray(np.abs(self._fit.w) * self._unit_lengths[kind][self._kept])
        return _lengths_of(self._contributions(), _in_order(self._groups), kind)

    def measure(self, held_out: Rows, scoring: Scoring) -> FloatArray:
        """Return the score of the current weights on held-out rows."""
        if self._seen[0] is not held_out:
            X = held_out.X
            for step in self._steps:
                X = step.transform(X)
            X = values_of(X)
            self._seen = (held_out, X if self._map is None else self._map(as_dense(X)))
        weights = np.zeros(len(self._features_of_columns))
        weights[self._fit.kept] = self._fit.w
        return scoring.of_scores(held_out.y, held_out.groups, np.asarray(self._seen[1] @ weights))

    def _design(self, ranker: RankSVM, X: Any, rows: Rows) -> tuple[FeatureMap | None, Any]:
        """Return the feature map, if any, and the columns of the linear SVM; store which feature each belongs to."""
        names, values = numbered_names(X.shape[1]), values_of(X)
        seen = TrainingColumns(values, kinds_of(X), names, self._groups, rows.weights, rows.gaps)
        found = ColumnOptions.of(ranker).feature_map(seen)
        self._features_of_columns = np.arange(X.shape[1]) if found is None else found.feature_of_column
        return found, values if found is None else found(as_dense(values))

    def _contributions(self) -> FloatArray:
        """Return the effect of each kept feature on each row, rows sorted by query; 0 for a feature without columns."""
        designed, places = self._fit.rows, self._fit.places
        feature = self._features_of_columns[self._fit.kept]
        found = np.zeros((designed.shape[0], len(self._kept)))
        for column, k in enumerate(self._kept):
            own = np.flatnonzero(feature == k)
            if len(own):
                # A feature's columns stay adjacent when others are dropped.
                block = slice(places[own[0]], places[own[-1]] + 1)
                found[:, column] = designed[:, block] @ self._fit.w[own]
        return found


def columns(X: Any, kept: IntArray) -> Any:
    """Return some columns of an array, a sparse matrix or a data frame."""
    return _safe_indexing(X, kept, axis=1)


def restricted(estimator: Any, X: Any) -> Any:
    """Leave out settings of features that were dropped; the names of the others must be features of the table."""
    if not isinstance(X, FeatureTable):
        return estimator
    by_name = {
        name: {feature: value for feature, value in given.items() if feature in X.names}
        for name, given in estimator.get_params().items()
        if name.split("__")[-1] in ("by_feature", "monotone") and given
    }
    return estimator.set_params(**by_name) if by_name else estimator


def fit(estimator: Any, X: Any, rows: Rows) -> Any:
    """Fit an estimator to the columns X of these rows."""
    if rows.query is None:
        return estimator.fit(rows_for(estimator, X, to_fit=True), rows.y, **weight_arguments(estimator, rows.weights))
    return fit_ranker(estimator, X, rows.y, rows.groups, rows.weights)


def _split(estimator: Any) -> tuple[list[Any], Any]:
    """Split a pipeline into its preprocessing steps and its last step; other estimators have no such steps."""
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
        # Bounds can become active and inactive again: a minimum within them is not followed.
        and not ranker.monotone
        and all(type(step) in COLUMN_BY_COLUMN for step in steps)
        and n_features <= MAX_FEATURES_EXACT
    )


def _penalty(ranker: RankSVM, total: float) -> float:
    return float(ranker.C) / (total if ranker.C_unit == "mean" else 1.0)


def _lengths_of(contributions: FloatArray, groups: Groups, kind: str | None) -> FloatArray:
    """Return the lengths of lines from their effects on each row, taken as values of straight lines of slope 1."""
    names = tuple(map(str, range(contributions.shape[1])))
    identity = linear_effects(names, np.ones(len(names)), ObservedValues.of(contributions), unit="score")
    return identity.lengths(contributions, groups, kind)


def _in_order(groups: Groups) -> Groups:
    """Return the same queries for rows that are sorted by query."""
    return Groups(groups.ids, np.arange(groups.n_rows), groups.starts)
