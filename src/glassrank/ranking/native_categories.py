"""Categories in rankers of other libraries: codes of levels, and a parameter that lists the features that have them."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import DataError
from glassrank.core.feature_kinds import FeatureTable


@dataclass(frozen=True)
class Library:
    """How a library is told which columns are categories, and what a fitted model says about them."""

    parameter: str
    """Parameter of the estimator that lists them."""
    value: Callable[[list[int], int], Any]
    """Value of the parameter for some of a number of columns."""
    columns: Callable[[Any, Sequence[str]], set[int]]
    """Columns that a value of the parameter lists, given the names of all."""
    fitted: Callable[[Any], set[int]]
    """Columns that a fitted model takes as categories."""
    named: Callable[[Any], bool]
    """Whether a fitted model learned the names of levels from a data frame, so that it does not take codes."""
    others: tuple[tuple[str, Any], ...] = ()
    """Further parameters that categories need."""


def _listed(value: Any, names: Sequence[str]) -> set[int]:
    """Return the columns of a mask, or of a list of numbers or names."""
    given = np.asarray(value)
    if given.dtype == bool:
        return set(np.flatnonzero(given).tolist())
    return {list(names).index(one) if isinstance(one, str) and one in names else one for one in given.tolist()}


def _of_lightgbm(model: Any) -> set[int]:
    text = _lightgbm_booster(model).model_to_string(num_iteration=1)
    found = re.search(r"^\[categorical_feature: ([\d,]+)\]$", text, re.MULTILINE)
    return set(map(int, found[1].split(","))) if found else set()


def _lightgbm_booster(model: Any) -> Any:
    return getattr(model, "booster_", model)


def _of_xgboost(model: Any) -> set[int]:
    return {k for k, one in enumerate(model.get_booster().feature_types or ()) if one == "c"}


def _of_histograms(model: Any) -> set[int]:
    return set() if model.is_categorical_ is None else set(np.flatnonzero(model.is_categorical_).tolist())


LIGHTGBM = Library(
    "categorical_column",
    lambda columns, width: columns,
    _listed,
    _of_lightgbm,
    lambda model: bool(_lightgbm_booster(model).pandas_categorical),
)
XGBOOST = Library(
    "feature_types",
    lambda columns, width: ["c" if k in columns else "q" for k in range(width)],
    lambda value, names: {k for k, one in enumerate(value) if one == "c"},
    _of_xgboost,
    lambda model: bool(_of_xgboost(model)) and model.get_booster().feature_names is not None,
    (("enable_categorical", True),),
)
HISTOGRAMS = Library(
    "categorical_features",
    lambda columns, width: columns,
    _listed,
    _of_histograms,
    lambda model: bool(_of_histograms(model)) and hasattr(model, "feature_names_in_"),
)
LIBRARIES = {"lightgbm:LGBM": LIGHTGBM, "lightgbm:Booster": LIGHTGBM, "xgboost:XGB": XGBOOST}
LIBRARIES["sklearn:HistGradientBoosting"] = HISTOGRAMS
UNDECLARED = (None, "from_dtype")


def _library(estimator: Any) -> Library | None:
    kind = f"{type(estimator).__module__.split('.')[0]}:{type(estimator).__name__}"
    return next((library for start, library in LIBRARIES.items() if kind.startswith(start)), None)


def declare_categories(estimator: Any, names: Sequence[str], columns: list[int]) -> set[int]:
    """Declare columns as categories unless the user has declared some; return those that are declared.

    >>> from sklearn.ensemble import HistGradientBoostingRegressor
    >>> model = HistGradientBoostingRegressor()
    >>> declare_categories(model, ("bm25", "site"), [1]), model.categorical_features
    ({1}, [1])
    """
    library = _library(estimator)
    if library is None:
        return set()
    given = estimator.get_params().get(library.parameter)
    if not (given is None or (isinstance(given, str) and given in UNDECLARED)):
        return library.columns(given, names)
    estimator.set_params(**{library.parameter: library.value(columns, len(names))}, **dict(library.others))
    return set(columns)


def declared_categories(model: Any) -> set[int]:
    """Return the columns that a fitted model takes as categories."""
    library = _library(model)
    return set() if library is None else library.fitted(model)


def learned_names(model: Any) -> bool:
    """Whether a fitted model of another library learned the names of levels from a data frame."""
    library = _library(model)
    return library is not None and library.named(model)


def as_frame(table: FeatureTable) -> Any:
    """Return a table as the data frame that a model with named levels takes; a level without a name is missing."""
    try:
        import pandas
    except ImportError as error:
        raise DataError("The ranker was fitted to a data frame of categories, and pandas is not installed.") from error

    def column(k: int) -> Any:
        kind, values = table.kinds[k], table.values[:, k]
        codes = np.where(np.isnan(values), -1, values).astype(np.int64)
        if not kind.is_category:
            return values
        # XGBoost refuses levels that it does not know, even if no row has them.
        return pandas.Categorical.from_codes(codes, list(kind.levels)).remove_unused_categories()

    return pandas.DataFrame({name: column(k) for k, name in enumerate(table.names)})
