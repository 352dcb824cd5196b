"""Encoders of categories: one line with a tick per category, no matter how many columns they make."""

import copy
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from glassrank.core.additive.categories import category_codes, category_name, is_missing
from glassrank.core.additive.curves import coding_of
from glassrank.core.additive.effects import Curve
from glassrank.core.checks import DataError, FloatArray
from glassrank.core.setting import setting
from glassrank.nomograms.adapters.category_curves import category_curve
from glassrank.nomograms.adapters.column_curves import check_width
from glassrank.nomograms.adapters.terms import Terms, refuse


@dataclass(frozen=True, eq=False)
class EncodedFeature:
    """The columns that an encoder makes of each category of one feature, of an unknown one and of a missing value."""

    names: tuple[str, ...]
    table: FloatArray
    """One row per category, then that of an unknown value and that of a missing one."""
    takes_unknown: bool
    takes_missing: bool


def encoder(step: Any, terms: Terms) -> Terms:
    """Return terms over categories: the effect of category c is the model's effect of the columns that encode c.

    The encoder itself transforms each category, so that dropped, infrequent, ordered and unknown categories are treated
    as in the model.
    """
    kind = type(step).__name__
    if terms.subject == "difference":
        raise refuse(
            f"{kind} before a model of differences",
            "the difference of two codes does not identify the two categories",
            f"Use {setting('mode', 'utility')}.",
        )
    features = [_encoded(step, k) for k in range(len(step.categories_))]
    check_width(kind, terms, features[0].table.shape[1])
    curves: list[Curve] = []
    changing = np.zeros(terms.n_features, dtype=bool)
    for feature in features:
        # Columns of other features are constant in this table.
        own = np.array([len(np.unique(column)) > 1 for column in feature.table.T], dtype=bool)
        curves.append(_curve(terms, feature, np.flatnonzero(own)))
        changing |= own
    # Columns that no feature changes, such as that of an only category, are part of the constant.
    constant = terms.constant + float(_levels(terms, features[0].table[:1], np.flatnonzero(~changing))[0])
    return replace(
        terms,
        curves=tuple(curves),
        constant=constant,
        categories=tuple(feature.names for feature in features),
        names=None,
        observed=None,
        missing_effects=(),
    )


def _curve(terms: Terms, feature: EncodedFeature, columns: Any) -> Curve:
    levels = _levels(terms, feature.table[:-2], columns)
    unseen, missing = (_level_or_none(terms, feature.table[[row]], columns) for row in (-2, -1))
    return category_curve(
        levels.tolist(),
        unseen if feature.takes_unknown else np.nan,
        missing if feature.takes_missing else np.nan,
    )


def _levels(terms: Terms, table: FloatArray, columns: Any) -> FloatArray:
    levels = np.zeros(len(table))
    for j in columns:
        levels += terms.curves[j](codes_after(terms, table[:, j], j))
    return levels


def _level_or_none(terms: Terms, row: FloatArray, columns: Any) -> float:
    """Return the level of one row; NaN if the next step does not take what the encoder makes of the value."""
    try:
        return float(_levels(terms, row, columns)[0])
    except DataError:
        return np.nan


def codes_after(terms: Terms, values: Any, j: int) -> FloatArray:
    """Return the codes of values that are category names of the next step, as after OrdinalEncoder in CategoricalNB."""
    names = terms.categories_of(j)
    return category_codes(f"column {j}", values, names, coding_of(terms.curves[j])) if names else values


def _encoded(step: Any, k: int) -> EncodedFeature:
    """Return the encoder's output for each category of feature k, with all other features at their first category."""
    kind, categories = type(step).__name__, step.categories_
    known = [value for value in categories[k] if not is_missing(value)]
    absent = [value for value in categories[k] if is_missing(value)]
    if len(absent) > 1:
        raise DataError(
            f"{kind} has two categories of missing values for feature {k}: None and NaN.", remedy="Use one of them."
        )
    names = tuple(map(category_name, known))
    if len(set(names)) != len(names):
        raise DataError(
            f"{kind} has two categories of the same name for feature {k}: {', '.join(names)}.", remedy="Rename one."
        )
    takes_unknown = step.handle_unknown != "error"
    gap = absent[0] if absent else np.nan
    # A value that the encoder refuses is represented by a known one, and the row is not used.
    unknown = _unknown(known) if takes_unknown else categories[k][0]
    values = [*known, unknown, gap if absent or takes_unknown else categories[k][0]]
    return EncodedFeature(names, _transformed(step, k, values), takes_unknown, bool(absent) or takes_unknown)


def _unknown(known: list[Any]) -> Any:
    """Return a value that is not among the categories."""
    if any(isinstance(value, str) for value in known) or not known:
        return "".join([*(value for value in known if isinstance(value, str)), "?"])
    return float(max(known)) + 1.0


def _transformed(step: Any, k: int, values: list[Any]) -> FloatArray:
    categories = step.categories_
    rows = np.empty((len(values), len(categories)), dtype=object)
    for j, names in enumerate(categories):
        rows[:, j] = values if j == k else names[0]
    kinds = {np.asarray(names).dtype.kind for names in categories}
    cells: Any = rows if kinds & set("OUSTb") else rows.astype(np.float64)
    with warnings.catch_warnings():
        # scikit-learn warns of unknown categories, which are intended here.
        warnings.filterwarnings("ignore", message="Found unknown categories")
        made = _without_names(step).transform(cells)
    return np.asarray(made.toarray() if hasattr(made, "toarray") else made, dtype=np.float64)


def _without_names(step: Any) -> Any:
    """Return a copy that takes arrays without a warning and returns arrays."""
    plain = copy.copy(step)
    if hasattr(plain, "feature_names_in_"):
        del plain.feature_names_in_
    return plain.set_output(transform="default")
