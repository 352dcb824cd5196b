"""Curves carried back through a step of columns: from what the step makes to what it is given."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from glassrank.core.additive.curves import FLAT, Affine, ColumnFunction, ComposedCurve, add_curves, scale_curve
from glassrank.core.additive.effects import Curve, LinearCurve
from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.nomograms.adapters.terms import Terms, refuse


@dataclass(frozen=True)
class CurveColumn:
    """One column that a step makes: a function of one column that it is given."""

    source: int
    function: ColumnFunction = Affine(1.0)  # noqa: RUF009 - frozen


def carry_back(step: str, terms: Terms, n_inputs: int, made: Sequence[CurveColumn]) -> Terms:
    """Terms over the step's inputs: curve_k(x_k) = Σ over the columns made of k of curve_j(function_j(x_k))."""
    check_width(step, terms, len(made))
    parts: list[list[Curve]] = [[] for _ in range(n_inputs)]
    categories: list[tuple[str, ...]] = [()] * n_inputs
    constant = terms.constant
    for j, column in enumerate(made):
        names, identity = terms.categories_of(j), column.function == Affine(1.0)
        if names and not identity:
            raise DataError(f"{step} changes the codes of categories, which have no size.", remedy="Encode after it.")
        curve, shift = _composed(step, terms, terms.curves[j], column.function)
        constant += shift
        parts[column.source].append(curve)
        if names and categories[column.source] not in ((), names):
            raise DataError(f"{step} hands on a feature with two sets of categories.", remedy="Encode it once.")
        categories[column.source] = names or categories[column.source]
    return replace(
        terms,
        curves=tuple(add_curves(own) if own else FLAT for own in parts),
        constant=constant,
        categories=tuple(categories) if any(categories) else (),
        names=None,
        observed=None,
    )


def check_width(step: str, terms: Terms, n_made: int) -> None:
    """Refuse a step that makes more or fewer columns than the next one takes."""
    if n_made != terms.n_features:
        raise DataError(
            f"{step} makes {n_made} columns, and the next step takes {terms.n_features}.", remedy="Fit them together."
        )


def _composed(step: str, terms: Terms, curve: Curve, function: ColumnFunction) -> tuple[Curve, float]:
    """curve(function(x)) as a curve and a constant, straight lines staying simple."""
    if not isinstance(function, Affine):
        if terms.subject == "difference":
            raise refuse(
                f"{step} before a model of differences",
                "its values do not change in proportion, so that a difference after it is no function of one before it",
                ("Transform the data first and fit the model alone", f"take {setting('mode', 'utility')}"),
            )
        return ComposedCurve(function, curve), 0.0
    if terms.subject == "difference":
        # Where both documents are shifted, their difference is not.
        function = Affine(function.scale)
    if isinstance(curve, LinearCurve):
        return scale_curve(curve, function.scale), curve.slope * function.shift
    return (curve if function == Affine(1.0) else ComposedCurve(function, curve)), 0.0
