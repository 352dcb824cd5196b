"""A linear model as weights of an engine's columns, those for missing values and levels included."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from glassrank.core.checks import DataError
from glassrank.export.export_form import ExportModel, LevelTerm, LineTerm, Term
from glassrank.export.formats.ltr.engine_columns import level_effects, missing_effect
from glassrank.export.names import missing_column


@dataclass(frozen=True)
class WeightedColumn:
    """weight · (x − mean)/scale for a column x, which belongs to the feature ``source``."""

    name: str
    source: str
    weight: float
    mean: float = 0.0
    scale: float = 1.0


def is_linear_model(model: ExportModel) -> bool:
    """Whether every effect is a line or one number per level."""
    return model.layer is None and all(isinstance(term, (LineTerm, LevelTerm)) for term in model.terms)


def weighted_columns(model: ExportModel, remedy: str) -> tuple[WeightedColumn, ...]:
    """Return the weights, which add up to the score without its constant; ``remedy`` helps if it has curves."""
    if model.layer is not None:
        raise DataError("Only a linear model has weights, and this one has hidden nodes.", remedy=remedy)
    curves = [model.name_of(term) for term in model.terms if not isinstance(term, (LineTerm, LevelTerm))]
    if curves:
        raise DataError(f"Only a linear model has weights, and the effect of {curves[0]!r} is a curve.", remedy=remedy)
    return tuple(column for term in model.terms for column in _columns(term, model.name_of(term)))


def _columns(term: Term, name: str) -> Iterator[WeightedColumn]:
    if isinstance(term, LevelTerm):
        for column, effect in level_effects(term, name).items():
            yield WeightedColumn(column, name, effect)
    elif isinstance(term, LineTerm):
        yield WeightedColumn(name, name, term.weight, term.mean, term.scale)
        missing = missing_effect(term)
        if missing is not None:
            # A missing value is 0, which already has an effect.
            yield WeightedColumn(missing_column(name), name, missing - float(term(np.zeros(1))[0]))
