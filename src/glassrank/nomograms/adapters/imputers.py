"""SimpleImputer and MissingIndicator: a missing value has the effect of what replaces it, and of its indicator."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from glassrank.core.additive.categories import category_codes, category_name, is_missing
from glassrank.core.additive.curves import MissingCurve, coding_of
from glassrank.core.additive.effects import Curve, LinearCurve
from glassrank.core.checks import FloatArray
from glassrank.nomograms.adapters.category_curves import category_curve, missing_effect, unseen_effect, value_at
from glassrank.nomograms.adapters.column_curves import CurveColumn, carry_back, check_width
from glassrank.nomograms.adapters.encoders import codes_after
from glassrank.nomograms.adapters.terms import Terms


@dataclass(frozen=True)
class Filled:
    """x ↦ x, or the statistic if x is missing."""

    statistic: float
    missing: float

    def __call__(self, values: FloatArray) -> FloatArray:
        return np.where(_gaps(values, self.missing), self.statistic, values)


@dataclass(frozen=True)
class Indicated:
    """x ↦ 1 if x is missing, otherwise 0."""

    missing: float

    @property
    def same_if_known(self) -> bool:
        """Whether all known values become the same number."""
        return np.isnan(self.missing)

    def __call__(self, values: FloatArray) -> FloatArray:
        return np.where(_gaps(values, self.missing), 1.0, 0.0)


def _gaps(values: FloatArray, missing: float) -> Any:
    return np.isnan(values) if np.isnan(missing) else values == missing


def simple_imputer(step: Any, terms: Terms) -> Terms:
    """Missing values become the column's statistic, and an indicator of each column that had some in training."""
    empty = [is_missing(value) for value in step.statistics_]
    kept = [k for k in range(step.n_features_in_) if step.keep_empty_features or not empty[k]]
    indicated = [] if step.indicator_ is None else step.indicator_.features_.tolist()
    check_width("SimpleImputer", terms, len(kept) + len(indicated))
    terms = _with_lines(terms, range(len(kept), terms.n_features))
    steps = {k: terms.curves[len(kept) + i](np.ones(1))[0] for i, k in enumerate(indicated)}
    curves, categories = list(terms.curves), list(terms.categories or [()] * terms.n_features)
    made = []
    for j, k in enumerate(kept):
        if not categories[j]:
            made.append(CurveColumn(k, Filled(float(step.statistics_[k]), _as_number(step.missing_values))))
            continue
        # The indicator is part of the curve of the categories.
        curves[j], categories[j] = _imputed_categories(step, terms, j, step.statistics_[k], steps.get(k, 0.0))
        made.append(CurveColumn(k))
        if k in steps:
            curves[len(kept) + indicated.index(k)] = LinearCurve(0.0)
    coded = {k for j, k in enumerate(kept) if categories[j]}
    gap = step.missing_values
    made += [CurveColumn(k, Indicated(np.nan if k in coded else _as_number(gap))) for k in indicated]
    filled = replace(terms, curves=tuple(curves), categories=tuple(categories) if any(categories) else ())
    return carry_back("SimpleImputer", filled, int(step.n_features_in_), made)


def missing_indicator(step: Any, terms: Terms) -> Terms:
    """One column of zeros and ones for each column that had missing values in training, or for all of them."""
    check_width("MissingIndicator", terms, len(step.features_))
    made = [CurveColumn(k, Indicated(_as_number(step.missing_values))) for k in step.features_.tolist()]
    return carry_back("MissingIndicator", _with_lines(terms, range(len(made))), int(step.n_features_in_), made)


def _with_lines(terms: Terms, indicators: range) -> Terms:
    """Replace the curves of indicators, which are 0 or 1 or the categories False and True, by straight lines."""
    curves, categories = list(terms.curves), list(terms.categories or [()] * terms.n_features)
    constant = terms.constant
    for j in indicators:
        off, on = (float(curves[j](codes_after(terms, value, j))[0]) for value in _values(terms, j))
        curves[j], categories[j] = LinearCurve(on - off), ()
        constant += off
    return replace(
        terms,
        curves=tuple(curves),
        categories=tuple(categories) if any(categories) else (),
        constant=constant,
        missing_effects=(),
    )


def _values(terms: Terms, j: int) -> tuple[Any, Any]:
    """Return the values that an indicator can have, as the next step knows them; an only one stands for both."""
    names = terms.categories_of(j)
    if not names:
        return np.zeros(1), np.ones(1)
    both = [value for value in ("False", "True", "0", "1") if value in names]
    return np.array(both[:1], dtype=object), np.array(both[-1:], dtype=object)


def _as_number(missing: Any) -> float:
    """Return the number that represents a missing value in a matrix; None and pandas.NA are NaN there."""
    return np.nan if is_missing(missing) else float(missing)


def _imputed_categories(
    step: Any, terms: Terms, j: int, statistic: Any, indicator: float
) -> tuple[Curve, tuple[str, ...]]:
    """Return the curve and names of categories whose missing value is replaced by a known category."""
    names, curve = terms.categories_of(j), terms.curves[j]
    filled = float(curve(category_codes("SimpleImputer", [statistic], names, coding_of(curve)))[0]) + indicator
    gap = step.missing_values
    if is_missing(gap):
        return MissingCurve(curve, 0.0, filled), names
    # Another value means "missing": it becomes a category of its own.
    others = tuple(name for name in names if name != category_name(gap))
    levels = [value_at(curve, names, name) for name in others]
    return category_curve([*levels, filled], unseen_effect(curve, names), missing_effect(curve)), (
        *others,
        category_name(gap),
    )
