"""The numbers that an engine supplies for a model: values, and 0/1 for "is missing" and for each level of a category.

Search engines and RankLib take a missing value as 0. If the model gives it another effect than 0, an extra 0/1 column
decides.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

import numpy as np

from glassrank.core.checks import DataError, FloatArray
from glassrank.core.feature_kinds import UNSEEN
from glassrank.export.export_form import ExportModel, LevelTerm, Term
from glassrank.export.formats.unaccepted_values import unaccepted_notes
from glassrank.export.names import level_column, missing_column, other_column


class Content(Enum):
    """What a column contains: a value, or 1 if something is true of it and otherwise 0."""

    VALUE = "its value, 0 if it is missing"
    MISSING = "1 if it is missing, otherwise 0"
    LEVEL = "1 if it is {!r}, otherwise 0"
    OTHER_LEVEL = "1 if it is none of these levels, otherwise 0"


@dataclass(frozen=True)
class EngineColumn:
    """A column of numbers that belongs to a feature."""

    name: str
    feature: int
    content: Content = Content.VALUE
    level: int = -1

    def values(self, X: FloatArray) -> FloatArray:
        """Return the column for rows whose categories are codes and whose missing values are NaN."""
        given = X[:, self.feature]
        if self.content is Content.VALUE:
            return np.nan_to_num(given, nan=0.0)
        found = np.isnan(given) if self.content is Content.MISSING else given == self.level
        return np.where(found, 1.0, 0.0)


def engine_columns(model: ExportModel) -> tuple[EngineColumn, ...]:
    """Return the columns in the order of the model's features."""
    if model.layer is None:
        return tuple(column for term in model.terms for column in _columns(term, model.name_of(term)))
    fill = model.layer.fill
    return tuple(
        column
        for k, feature in enumerate(model.features)
        for column in _with_missing(EngineColumn(feature.name, k), fill is not None and fill[k] != 0.0)
    )


def missing_effect(term: Term) -> float | None:
    """Return the effect of a missing value if it differs from that of 0, or of no level; otherwise None.

    >>> from glassrank.export.export_form import LineTerm
    >>> missing_effect(LineTerm(0, 0.5, weight=2.0)), missing_effect(LineTerm(0, 0.0, weight=2.0))
    (0.5, None)
    """
    without = 0.0 if isinstance(term, LevelTerm) else float(term.of_known(np.zeros(1))[0])
    return None if term.missing == without else term.missing


def level_effects(term: LevelTerm, name: str) -> dict[str, float]:
    """Return column → effect for the levels, an unknown level and a missing value; effects of 0 need no column."""
    effects = {level_column(name, i): effect for i, effect in enumerate(term.effects.tolist())}
    effects |= {other_column(name): term.unseen or 0.0, missing_column(name): term.missing or 0.0}
    return {column: effect for column, effect in effects.items() if effect}


def engine_values(model: ExportModel, X: FloatArray) -> FloatArray:
    """Return the columns of rows, one after the other."""
    return np.column_stack([column.values(X) for column in engine_columns(model)])


def decoded_value(
    name: str, n_levels: int, columns: Mapping[str, float | None], stand_in: float | None = None
) -> float:
    """Return the value of a feature from an engine's columns: NaN if it is missing, the code of a level, or a number.

    ``stand_in`` is the value that the engine logs in place of a missing one.

    >>> decoded_value("brand", 2, {"gr_is_brand_0": 0.0, "gr_is_brand_1": 1.0})
    1.0
    >>> decoded_value("price", 0, {"price": -3.4028235e38}, stand_in=-3.4028234663852886e38)
    nan
    """
    if columns.get(missing_column(name)):
        return np.nan
    if n_levels:
        return _decoded_level(name, n_levels, columns)
    if name not in columns:
        raise DataError(
            f"The engine has logged no feature {name!r}: it logs {', '.join(map(repr, columns))}.",
            remedy="Check that the engine has the model of this export, and upload it again.",
        )
    # A document that does not match a feature's query has no value, which counts as 0.
    value = columns[name] or 0.0
    # Engines keep and print values in single precision.
    return np.nan if stand_in is not None and np.float32(value) == np.float32(stand_in) else value


def _decoded_level(name: str, n_levels: int, columns: Mapping[str, float | None]) -> float:
    """Return the code of a level; levels without an effect have no column, and any of them has the right score."""
    own = [columns.get(level_column(name, i)) for i in range(n_levels)]
    others = [i for i in range(n_levels) if level_column(name, i) not in columns]
    if not any(own) and others and not columns.get(other_column(name)):
        return float(others[0])
    return next((float(i) for i, value in enumerate(own) if value), UNSEEN)


def engine_notes(model: ExportModel) -> tuple[str, ...]:
    """Return what happens to values that the model does not accept, but an engine does."""
    return unaccepted_notes(
        model,
        missing="The engine takes one as 0, and of a category as no effect.",
        level="In the engine, another level has no effect.",
    )


def _columns(term: Term, name: str) -> list[EngineColumn]:
    if not isinstance(term, LevelTerm):
        return _with_missing(EngineColumn(name, term.feature), missing_effect(term) is not None)
    k, levels = term.feature, range(len(term.effects))
    found = [EngineColumn(level_column(name, i), k, Content.LEVEL, i) for i in levels]
    found += [
        EngineColumn(other_column(name), k, Content.OTHER_LEVEL, int(UNSEEN)),
        EngineColumn(missing_column(name), k, Content.MISSING),
    ]
    effects = level_effects(term, name)
    return [column for column in found if column.name in effects]


def _with_missing(column: EngineColumn, flagged: bool) -> list[EngineColumn]:
    flag = EngineColumn(missing_column(column.name), column.feature, Content.MISSING)
    return [column, flag] if flagged else [column]
