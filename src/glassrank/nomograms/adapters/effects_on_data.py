"""The effects of a model on ranking data: with the data's feature names, and the data in the model's codes."""

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.additive.categories import NUMBERED, OPEN
from glassrank.core.additive.effects import AdditiveEffects, FeatureEffect
from glassrank.core.checks import BoolArray, DataError, Matrix
from glassrank.core.feature_kinds import FeatureKind, FeatureTable
from glassrank.core.missing_rule import missing_in_data
from glassrank.core.wording import counted
from glassrank.data.ranking_data import RankingData, check_ranking_data
from glassrank.nomograms.adapters.effects_of_model import effects, unknown_if_missing
from glassrank.nomograms.named_effects import known_names, named_effects


def effects_on(model: Any, data: RankingData, query: Any = None) -> tuple[AdditiveEffects, RankingData]:
    """Return the effects of a model with the data's feature names, and the data in the codes of the model's levels.

    If only one query is explained, rows of other queries that the model cannot score are left out: they only show which
    values a feature takes.
    """
    check_ranking_data(data)
    scorable = scorable_rows(model, data)
    if not scorable.all():
        used = np.ones(data.n_rows, dtype=bool)
        if query is not None:
            used = (data.groups.ids.astype(np.str_) == str(query))[data.groups.of_row]
        if (used & ~scorable).any():
            raise _unscored(model, data, used)
        data = data.pick_rows(scorable)
    made = model if isinstance(model, AdditiveEffects) else effects(model, data.table)
    if isinstance(data.table, FeatureTable):
        made = in_levels_of_data(made, data.table)
    # A plain matrix has the model's codes already.
    rows = made.encode(data.table) if isinstance(data.table, FeatureTable) else data.X
    made = with_whole_numbers(named_effects(made, known_names(model), data.feature_names), rows)
    # Codes of another level are beyond those of the data's own kinds.
    return made, data if rows is data.X else replace(data, X=rows, kinds=())


def scorable_rows(model: Any, data: RankingData) -> BoolArray:
    """Return which rows have no missing value of a feature for which the model has no effect of missing values."""
    if sparse.issparse(data.X) or not np.isnan(data.X).any():
        return np.ones(data.n_rows, dtype=bool)
    unknown = unknown_if_missing(model)
    if len(unknown) != data.n_features:
        return np.ones(data.n_rows, dtype=bool)  # the number of features is checked where the effects are made
    return np.asarray(~np.isnan(data.X[:, unknown]).any(axis=1))


def _unscored(model: Any, data: RankingData, used: BoolArray) -> DataError:
    """Return the error of a missing value without an effect, with its feature and its row."""
    absent = np.isnan(data.X) & unknown_if_missing(model) & used[:, None]
    k = int(np.argmax(absent.any(axis=0)))
    return missing_in_data(data.feature_names[k], absent[:, k])


def with_whole_numbers(made: AdditiveEffects, rows: Matrix) -> AdditiveEffects:
    """Mark the features whose known values are all whole numbers, so that no other value is proposed for them."""
    columns = rows.tocsc() if sparse.issparse(rows) else rows
    return replace(made, features=tuple(_marked(feature, columns, k) for k, feature in enumerate(made.features)))


def _marked(feature: FeatureEffect, columns: Matrix, k: int) -> FeatureEffect:
    if feature.categories:
        return feature
    values = columns[:, [k]].data if sparse.issparse(columns) else columns[:, k]
    known = values[~np.isnan(values)]
    return replace(feature, whole=bool(len(known) and (known == np.round(known)).all()))


def in_levels_of_data(made: AdditiveEffects, table: FeatureTable) -> AdditiveEffects:
    """Name the categories of a model that knows codes only after the data's levels, whose codes it was trained on."""
    pairs = zip(made.features, table.kinds, strict=True)
    return replace(made, features=tuple(_in_levels(feature, kind) for feature, kind in pairs))


def _in_levels(feature: FeatureEffect, kind: FeatureKind) -> FeatureEffect:
    if feature.coding != NUMBERED or not kind.levels:
        return feature
    if len(feature.categories) > len(kind.levels):
        raise DataError(
            f"The model knows {feature.name!r} by the codes 0 to {len(feature.categories) - 1}, but the data have "
            f"{counted(len(kind.levels), 'level')} of it: they are not the codes of the training data.",
            remedy="Take the data's levels from the training data.",
        )
    # Yes/no values remain numbers in the data, whereas categories are from now on found by name.
    coding = OPEN if kind.is_category else NUMBERED
    return replace(feature, categories=kind.levels, coding=coding, low=0.0, high=len(kind.levels) - 1.0)
