"""Trees of an engine's columns: one balanced tree per feature, whose splits are those of 32-bit values."""

from collections.abc import Mapping
from dataclasses import dataclass

from glassrank.core.checks import DataError, FloatArray
from glassrank.export.export_form import ExportModel, LevelTerm, StepTerm, Term
from glassrank.export.formats.ltr.effect_ranges import effect_range, largest
from glassrank.export.formats.ltr.engine_columns import level_effects, missing_effect
from glassrank.export.formats.rounding import SINGLE, value_rounding
from glassrank.export.formats.single_precision import SECOND_ORDER, single, single_steps
from glassrank.export.names import missing_column
from glassrank.export.step_tables import stepped

MAX_LEVELS = 200  # each level is a split inside that of the level before


@dataclass(frozen=True)
class ColumnLeaf:
    """What a tree adds to the score, as a 32-bit value."""

    value: float


@dataclass(frozen=True)
class ColumnSplit:
    """``left`` if the column is at most the threshold, a 32-bit value, and otherwise ``right``."""

    column: str
    threshold: float
    left: "Tree"
    right: "Tree"


Tree = ColumnLeaf | ColumnSplit


@dataclass(frozen=True)
class ColumnTrees:
    """Trees whose outputs add up to the score, and their errors."""

    trees: tuple[Tree, ...]
    table_error: float
    rounding: float
    costs: Mapping[str, float]
    """Feature → its part of both errors."""


def column_trees(model: ExportModel, remedy: str) -> ColumnTrees:
    """Return one tree per feature; the first one includes the constant.

    ``remedy`` says what to do with hidden nodes and with categories of too many levels.
    """
    if model.layer is not None:
        raise DataError("A tree has one feature, and the hidden nodes of this model use all of them.", remedy=remedy)
    steps = stepped(model)
    trees, rounding, costs, values = [], 0.0, {}, value_rounding(model)
    constant = model.constant
    for term in steps.terms:
        name = model.name_of(term)
        trees.append(_tree(term, name, constant, remedy))
        # The value is rounded, the leaf, and then each sum that contains it.
        outputs = (len(steps.terms) + 1) * SINGLE * (largest(effect_range(steps, term)) + abs(constant))
        rounded = SECOND_ORDER * (values[name] + outputs)
        rounding, costs[name], constant = rounding + rounded, term.error + rounded, 0.0
    return ColumnTrees(tuple(trees) or (ColumnLeaf(single(constant)),), steps.error, rounding, costs)


def _tree(term: Term, name: str, constant: float, remedy: str) -> Tree:
    if isinstance(term, LevelTerm):
        return _levels(level_effects(term, name), name, constant, remedy)
    if not isinstance(term, StepTerm):
        raise TypeError(f"no tree for {type(term).__name__}")
    tree = _steps(name, *single_steps(term), constant)
    effect = missing_effect(term)
    return (
        tree if effect is None else ColumnSplit(missing_column(name), 0.5, tree, ColumnLeaf(single(effect + constant)))
    )


def _steps(column: str, thresholds: FloatArray, levels: FloatArray, constant: float) -> Tree:
    if len(levels) == 1:
        return ColumnLeaf(single(levels[0] + constant))
    middle = len(levels) // 2
    left = _steps(column, thresholds[: middle - 1], levels[:middle], constant)
    right = _steps(column, thresholds[middle:], levels[middle:], constant)
    return ColumnSplit(column, float(thresholds[middle - 1]), left, right)


def _levels(effects: Mapping[str, float], name: str, constant: float, remedy: str) -> Tree:
    if len(effects) > MAX_LEVELS:
        raise DataError(
            f"{name!r} has {len(effects):,} levels, and a tree has one split inside the other for them: at most "
            f"{MAX_LEVELS} are possible.",
            remedy=remedy,
        )
    tree: Tree = ColumnLeaf(single(constant))
    for column, effect in reversed(list(effects.items())):
        tree = ColumnSplit(column, 0.5, tree, ColumnLeaf(single(effect + constant)))
    return tree
