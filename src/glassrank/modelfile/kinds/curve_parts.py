"""Curves of given shape in a model file: lines, steps, lines between knots, and effects of categories."""

from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field, FiniteFloat, model_validator

from glassrank.core.additive.curves import (
    MissingCurve,
    PiecewiseLinearCurve,
    StepCurve,
    SumCurve,
    TreeCategoryCurve,
    whole_codes_of_singles,
)
from glassrank.core.additive.effects import Curve, LinearCurve
from glassrank.core.additive.interactions import Interaction, n_states
from glassrank.core.checks import DataError
from glassrank.modelfile.codec.values import Count, FloatVector, Strict, check_size, check_that

ROUNDINGS = {"trunc": np.trunc, "floor of float32": whole_codes_of_singles}
MAX_PARTS = 64


class LinePart(Strict):
    """slope · x."""

    curve: Literal["line"] = "line"
    slope: FiniteFloat

    def restore(self) -> Curve:
        """Rebuild the curve."""
        return LinearCurve(self.slope)


class StepsPart(Strict):
    """One level between two thresholds each."""

    curve: Literal["steps"] = "steps"
    thresholds: FloatVector
    levels: FloatVector
    missing: FiniteFloat | None
    """Effect of a missing value; None if the model does not accept one."""
    single_precision: bool

    @model_validator(mode="after")
    def _rises(self) -> Self:
        check_that(bool((np.diff(self.thresholds) > 0).all()), "thresholds must rise")
        check_size("levels", self.levels, len(self.thresholds) + 1, "interval")
        return self

    def restore(self) -> StepCurve:
        """Rebuild the curve."""
        missing = np.nan if self.missing is None else self.missing
        return StepCurve(self.thresholds, self.levels, missing, self.single_precision)


class KnotsPart(Strict):
    """Straight lines between knots, constant beyond them."""

    curve: Literal["knots"] = "knots"
    knots: FloatVector
    levels: FloatVector

    @model_validator(mode="after")
    def _rises(self) -> Self:
        check_that(len(self.knots) > 0 and bool((np.diff(self.knots) > 0).all()), "knots must rise")
        check_size("levels", self.levels, len(self.knots), "knot")
        return self

    def restore(self) -> Curve:
        """Rebuild the curve."""
        return PiecewiseLinearCurve(self.knots, self.levels)


class CodesPart(Strict):
    """One level per code of a category."""

    curve: Literal["codes"] = "codes"
    levels: FloatVector
    unseen: FiniteFloat
    missing: FiniteFloat
    coding: Literal["named", "listed", "open", "numbered"]
    rounding: Literal["trunc", "floor of float32"]
    complete: bool

    @model_validator(mode="after")
    def _has_codes(self) -> Self:
        check_that(len(self.levels) > 0, "levels must have an entry for each code: got none")
        return self

    def restore(self) -> TreeCategoryCurve:
        """Rebuild the curve."""
        whole: Any = ROUNDINGS[self.rounding]
        return TreeCategoryCurve(self.levels, self.unseen, self.missing, self.coding, whole, self.complete)


class KnownPart(Strict):
    """A curve of the known values, and the effect of a missing one."""

    curve: Literal["known"] = "known"
    known: "CurvePart"
    shift: FiniteFloat
    missing: FiniteFloat

    def restore(self) -> Curve:
        """Rebuild the curve."""
        return MissingCurve(self.known.restore(), self.shift, self.missing)


class SumPart(Strict):
    """The sum of some curves."""

    curve: Literal["sum"] = "sum"
    parts: Annotated[list["CurvePart"], Field(max_length=MAX_PARTS)]

    def restore(self) -> Curve:
        """Rebuild the curve."""
        return SumCurve(tuple(part.restore() for part in self.parts))


CurvePart = Annotated[
    LinePart | StepsPart | KnotsPart | CodesPart | KnownPart | SumPart,
    Field(discriminator="curve"),
]
AxisPart = Annotated[StepsPart | CodesPart, Field(discriminator="curve")]
KnownPart.model_rebuild()
SumPart.model_rebuild()


class InteractionPart(Strict):
    """What two features add together: one entry of the table for each two states, row by row."""

    first: Count
    second: Count
    first_axis: AxisPart
    second_axis: AxisPart
    table: FloatVector

    @model_validator(mode="after")
    def _table_fits(self) -> Self:
        expected = 1
        for axis in (self.first_axis.restore(), self.second_axis.restore()):
            numbers = [*axis.levels.tolist(), *([axis.unseen] if isinstance(axis, TreeCategoryCurve) else ())]
            numbers.append(axis.missing)
            check_that(numbers == list(range(len(numbers))), "an axis must number its states from 0")
            expected *= len(numbers)
        check_size("table", self.table, expected, "pair of states")
        return self

    @classmethod
    def of(cls, both: Interaction) -> Self:
        """Extract an interaction."""
        axes: Any = (curve_part(both.first_axis), curve_part(both.second_axis))
        first, second = both.features
        return cls(first=first, second=second, first_axis=axes[0], second_axis=axes[1], table=both.table.ravel())

    def restore(self) -> Interaction:
        """Rebuild the interaction."""
        first, second = self.first_axis.restore(), self.second_axis.restore()
        table = self.table.reshape(n_states(first), n_states(second))
        return Interaction(self.first, self.second, first, second, table)


def curve_part(curve: Any) -> Any:
    """Return a curve as plain values, or raise an error for one that has no such form."""
    if isinstance(curve, LinearCurve):
        return LinePart(slope=curve.slope)
    if isinstance(curve, StepCurve):
        missing = None if np.isnan(curve.missing) else float(curve.missing)
        fields: dict[str, Any] = {"thresholds": curve.thresholds, "levels": curve.levels, "missing": missing}
        return StepsPart(**fields, single_precision=curve.single_precision)
    if isinstance(curve, PiecewiseLinearCurve):
        return KnotsPart(knots=curve.knots, levels=curve.levels)
    if isinstance(curve, TreeCategoryCurve):
        return _codes_part(curve)
    if isinstance(curve, MissingCurve):
        return KnownPart(known=curve_part(curve.curve), shift=curve.shift, missing=curve.missing)
    if isinstance(curve, SumCurve):
        return SumPart(parts=[curve_part(part) for part in curve.curves])
    raise DataError(
        f"a curve of the kind {type(curve).__name__} cannot be stored as lines and steps.",
        remedy="Save the model from which the curves were read.",
    )


def _codes_part(curve: TreeCategoryCurve) -> CodesPart:
    rounding: Any = next(name for name, whole in ROUNDINGS.items() if whole is curve.whole)
    coding: Any = curve.coding
    return CodesPart(
        levels=curve.levels,
        unseen=float(curve.unseen),
        missing=float(curve.missing),
        coding=coding,
        rounding=rounding,
        complete=curve.complete,
    )
