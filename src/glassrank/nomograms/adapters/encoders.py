"""Encoders of categories: one line with a tick per category, however many columns they make."""

import copy
from dataclasses import replace
from typing import Any

import numpy as np

from glassrank.core.additive.categories import category_name
from glassrank.core.additive.curves import CategoryCurve
from glassrank.core.additive.effects import Curve
from glassrank.core.checks import DataError, FloatArray
from glassrank.core.setting import setting
from glassrank.nomograms.adapters.column_curves import check_width
from glassrank.nomograms.adapters.terms import Terms, refuse


def encoder(step: Any, terms: Terms) -> Terms:
    """The effect of category c of feature k: what the model adds for the columns that change with k, at their codes.

    The encoder itself is asked what it makes of each category, so that dropped, infrequent and ordered categories come
    out as it has them.
    """
    kind = type(step).__name__
    if terms.subject == "difference":
        raise refuse(
            f"{kind} before a model of differences",
            "the difference of two codes does not tell the two categories",
            f"Take {setting('mode', 'utility')}.",
        )
    tables = [_encoded(step, k) for k in range(len(step.categories_))]
    check_width(kind, terms, tables[0].shape[1])
    curves: list[Curve] = []
    changing = np.zeros(terms.n_features, dtype=bool)
    for table in tables:
        # Columns of other features stay as they are from row to row.
        own = np.array([len(np.unique(column)) > 1 for column in table.T])
        curves.append(CategoryCurve(_levels(terms, table, np.flatnonzero(own))))
        changing |= own
    # What no feature changes, such as the column of the only category, is part of the constant.
    constant = terms.constant + float(_levels(terms, tables[0][:1], np.flatnonzero(~changing))[0])
    names = tuple(tuple(category_name(value) for value in categories) for categories in step.categories_)
    _refuse_doubles(kind, names)
    return replace(terms, curves=tuple(curves), constant=constant, categories=names, names=None, observed=None)


def _levels(terms: Terms, table: FloatArray, columns: Any) -> FloatArray:
    levels = np.zeros(len(table))
    for j in columns:
        levels += terms.curves[j](_codes(terms, table[:, j], j))
    return levels


def _codes(terms: Terms, values: FloatArray, j: int) -> FloatArray:
    """Codes that the next step knows by name: an OrdinalEncoder's 0, 1, 2 … before CategoricalNB."""
    names = terms.categories_of(j)
    if not names:
        return values
    codes = {name: float(code) for code, name in enumerate(names)}
    return np.array([codes[category_name(value)] for value in values])


def _encoded(step: Any, k: int) -> FloatArray:
    """What the encoder makes of each category of feature k, all other features being at their first."""
    categories = step.categories_
    rows = np.empty((len(categories[k]), len(categories)), dtype=object)
    for j, names in enumerate(categories):
        rows[:, j] = categories[k] if j == k else names[0]
    kinds = {np.asarray(names).dtype.kind for names in categories}
    cells: Any = rows if kinds & set("OUSTb") else rows.astype(np.float64)
    made = _without_names(step).transform(cells)
    return np.asarray(made.toarray() if hasattr(made, "toarray") else made, dtype=np.float64)


def _without_names(step: Any) -> Any:
    """A copy that takes arrays without a warning, and gives arrays."""
    plain = copy.copy(step)
    if hasattr(plain, "feature_names_in_"):
        del plain.feature_names_in_
    return plain.set_output(transform="default")


def _refuse_doubles(kind: str, names: tuple[tuple[str, ...], ...]) -> None:
    for k, own in enumerate(names):
        if len(set(own)) != len(own):
            raise DataError(
                f"{kind} has two categories of one name for feature {k}: {', '.join(own)}.", remedy="Rename one."
            )
