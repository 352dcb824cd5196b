"""Curves carried back through a column-by-column step, from its output columns to its input columns."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from glassrank.core.additive.curves import (
    Affine,
    ColumnFunction,
    ComposedCurve,
    DroppedCurve,
    is_of_codes,
    scale_curve,
)
from glassrank.core.additive.effects import Curve, LinearCurve
from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.nomograms.adapters.category_curves import Part, added
from glassrank.nomograms.adapters.terms import Terms, refuse


@dataclass(frozen=True)
class CurveColumn:
    """One output column of a step: a function of one input column."""

    source: int
    function: ColumnFunction = Affine(1.0)  # noqa: RUF009 - frozen


def carry_back(step: str, terms: Terms, n_inputs: int, made: Sequence[CurveColumn]) -> Terms:
    """Return terms over the step's inputs: curve_k(x_k) = Σ over outputs j made from k of curve_j(function_j(x_k))."""
    check_width(step, terms, len(made))
    parts: list[list[Part]] = [[] for _ in range(n_inputs)]
    constant = terms.constant
    missing = [0.0] * n_inputs
    for j, column in enumerate(made):
        names, identity = terms.categories_of(j), column.function == Affine(1.0)
        # A curve of yes/no values is defined between 0 and 1 too, and may be scaled.
        if names and not identity and is_of_codes(terms.curves[j]):
            raise DataError(
                f"{step} transforms the codes of categories, which are not quantities.",
                remedy="Put the encoder after it.",
            )
        curve, shift = _composed(step, terms, terms.curves[j], column.function)
        constant += shift
        parts[column.source].append((curve, names))
        if terms.missing_effects:
            missing[column.source] += terms.missing_effects[j] - shift
    return replace(
        over_inputs(step, terms, parts),
        constant=constant,
        missing_effects=tuple(missing) if terms.missing_effects else (),
        directions=_directions(terms, n_inputs, made),
    )


def over_inputs(step: str, terms: Terms, parts: Sequence[Sequence[Part]]) -> Terms:
    """Return terms whose curves are the sums of the parts of each input; an input without any has no effect."""
    sums = [added(step, own) if own else (DroppedCurve(), ()) for own in parts]
    categories = tuple(names for _, names in sums)
    return replace(
        terms,
        curves=tuple(curve for curve, _ in sums),
        categories=categories if any(categories) else (),
        names=None,
        observed=None,
        directions=(),
    )


def _directions(terms: Terms, n_inputs: int, made: Sequence[CurveColumn]) -> tuple[int, ...]:
    """Return the directions of the inputs from which one column is made; whether the curve obeys is checked later."""
    if not terms.directions:
        return ()
    of_input: list[list[int]] = [[] for _ in range(n_inputs)]
    for column, direction in zip(made, terms.directions, strict=True):
        of_input[column.source].append(direction)
    return tuple(own[0] if len(own) == 1 else 0 for own in of_input)


def check_width(step: str, terms: Terms, n_made: int) -> None:
    """Raise an error if a step makes more or fewer columns than the next step takes."""
    if n_made != terms.n_features:
        raise DataError(
            f"{step} makes {n_made} columns, but the next step takes {terms.n_features}.", remedy="Fit them together."
        )


def _composed(step: str, terms: Terms, curve: Curve, function: ColumnFunction) -> tuple[Curve, float]:
    """Return curve(function(x)) as a curve and a constant; a straight line remains a ``LinearCurve``."""
    if not isinstance(function, Affine):
        if terms.subject == "difference":
            raise refuse(
                f"{step} before a model of differences",
                "it is not linear, so that a difference after it is not a function of the difference before it",
                ("Transform the data first and fit the model alone", f"use {setting('mode', 'utility')}"),
            )
        return ComposedCurve(function, curve), 0.0
    if terms.subject == "difference":
        # A shift of both documents cancels in their difference.
        function = Affine(function.scale)
    if isinstance(curve, LinearCurve):
        return scale_curve(curve, function.scale), curve.slope * function.shift
    return (curve if function == Affine(1.0) else ComposedCurve(function, curve)), 0.0
