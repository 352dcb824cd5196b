"""Encoders of categories: one line with a tick per category, no matter how many columns they make."""

import copy
from dataclasses import replace
from typing import Any

import numpy as np

from glassrank.core.additive.categories import category_codes, category_name
from glassrank.core.additive.curves import CategoryCurve, coding_of
from glassrank.core.additive.effects import Curve
from glassrank.core.checks import DataError, FloatArray
from glassrank.core.setting import setting
from glassrank.nomograms.adapters.column_curves import check_width
from glassrank.nomograms.adapters.terms import Terms, refuse


def encoder(step: Any, terms: Terms) -> Terms:
    """Return terms over categories: the effect of category c is the model's effect of the columns that encode c.

    The encoder itself transforms each category, so that dropped, infrequent and ordered categories are treated as in
    training.
    """
    kind = type(step).__name__
    if terms.subject == "difference":
        raise refuse(
            f"{kind} before a model of differences",
            "the difference of two codes does not identify the two categories",
            f"Use {setting('mode', 'utility')}.",
        )
    tables = [_encoded(step, k) for k in range(len(step.categories_))]
    check_width(kind, terms, tables[0].shape[1])
    curves: list[Curve] = []
    changing = np.zeros(terms.n_features, dtype=bool)
    for table in tables:
        # Columns of other features are constant in this table.
        own = np.array([len(np.unique(column)) > 1 for column in table.T])
        curves.append(CategoryCurve(_levels(terms, table, np.flatnonzero(own))))
        changing |= own
    # Columns that no feature changes, such as that of an only category, are part of the constant.
    constant = terms.constant + float(_levels(terms, tables[0][:1], np.flatnonzero(~changing))[0])
    names = tuple(tuple(category_name(value) for value in categories) for categories in step.categories_)
    _refuse_duplicates(kind, names)
    return replace(terms, curves=tuple(curves), constant=constant, categories=names, names=None, observed=None)


def _levels(terms: Terms, table: FloatArray, columns: Any) -> FloatArray:
    levels = np.zeros(len(table))
    for j in columns:
        levels += terms.curves[j](_codes(terms, table[:, j], j))
    return levels


def _codes(terms: Terms, values: FloatArray, j: int) -> FloatArray:
    """Return the codes of values that are category names of the next step, as after OrdinalEncoder in CategoricalNB."""
    names = terms.categories_of(j)
    return category_codes(f"column {j}", values, names, coding_of(terms.curves[j])) if names else values


def _encoded(step: Any, k: int) -> FloatArray:
    """Return the encoder's output for each category of feature k, with all other features at their first category."""
    categories = step.categories_
    rows = np.empty((len(categories[k]), len(categories)), dtype=object)
    for j, names in enumerate(categories):
        rows[:, j] = categories[k] if j == k else names[0]
    kinds = {np.asarray(names).dtype.kind for names in categories}
    cells: Any = rows if kinds & set("OUSTb") else rows.astype(np.float64)
    made = _without_names(step).transform(cells)
    return np.asarray(made.toarray() if hasattr(made, "toarray") else made, dtype=np.float64)


def _without_names(step: Any) -> Any:
    """Return a copy that takes arrays without a warning and returns arrays."""
    plain = copy.copy(step)
    if hasattr(plain, "feature_names_in_"):
        del plain.feature_names_in_
    return plain.set_output(transform="default")


def _refuse_duplicates(kind: str, names: tuple[tuple[str, ...], ...]) -> None:
    for k, own in enumerate(names):
        if len(set(own)) != len(own):
            raise DataError(
                f"{kind} has two categories of the same name for feature {k}: {', '.join(own)}.", remedy="Rename one."
            )
