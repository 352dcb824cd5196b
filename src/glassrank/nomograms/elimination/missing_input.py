"""What an elimination does with missing values: the estimator takes them, or they are an error."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from glassrank.core.checks import DataError
from glassrank.core.feature_kinds import values_of
from glassrank.core.numbered_features import numbered_names
from glassrank.core.setting import setting
from glassrank.core.wording import counted


def takes_missing(estimator: Any) -> bool:
    """Whether an estimator takes missing values; the steps of a Pipeline check the values themselves."""
    return isinstance(estimator, Pipeline) or bool(get_tags(estimator).input_tags.allow_nan)


def refuse_missing(estimator: Any, X: Any, names: Sequence[str] | None) -> None:
    """Raise an error for missing values that the estimator does not take, with the first feature that has some."""
    values = values_of(X)
    if takes_missing(estimator) or not isinstance(values, np.ndarray) or values.dtype.kind != "f" or values.ndim != 2:
        return
    absent = np.isnan(values).sum(axis=0)
    if not absent.any():
        return
    k = int(np.flatnonzero(absent)[0])
    name = names[k] if names else numbered_names(k + 1)[k]
    raise DataError(
        f"{type(estimator).__name__} needs known values: feature {name!r} has "
        f"{counted(int(absent[k]), 'missing value')} (NaN).",
        parameter="X",
        remedy=("Fill them", f"use {setting('model', 'rank-svm', python='RankSVM')}, which learns their effect"),
    )
