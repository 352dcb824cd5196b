"""Matching the features of data to those of a saved model: by name, or by position if the model has no names."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from glassrank.core.checks import DataError, IntArray, Matrix
from glassrank.core.feature_kinds import PLAIN
from glassrank.core.numbered_features import numbered_names
from glassrank.core.setting import setting
from glassrank.core.wording import counted, listed
from glassrank.data.ranking_data import RankingData

MAX_NAMED = 8
_NUMBERED = re.compile(r"feature (?:0|[1-9][0-9]{0,9})")


@dataclass(frozen=True, eq=False)
class MatchedFeatures:
    """The columns that a model needs, and how they were found in the data."""

    data: RankingData
    """The documents with these columns."""
    by_name: bool
    ignored: tuple[str, ...] = ()
    """Features of the data that the model does not use."""
    absent: tuple[str, ...] = ()
    """Features of the model that the data omit because they are 0."""


def match_features(
    data: RankingData,
    names: Sequence[str] | None,
    n_features: int,
    *,
    zeros_left_out: bool = False,
    by_position: bool = False,
) -> MatchedFeatures:
    """Return the columns of the data that a model needs, by the model's feature ``names`` or else by position.

    ``zeros_left_out`` is for formats such as LETOR, which number the features and omit those that are 0. The model's
    feature ``feature 7`` is then 0 if the data have no feature of this number. A model without names takes features
    that the data only number, and others only ``by_position``: nothing shows whether their order is the model's.

    >>> data = RankingData([[1.0, 2.0, 3.0]], y=[0], feature_names=["age", "bm25", "price"])
    >>> found = match_features(data, ["bm25", "age"], 2)
    >>> found.data.X.tolist(), found.ignored
    ([[2.0, 1.0]], ('price',))
    """
    if names is None:
        if data.n_features != n_features:
            raise DataError(
                f"The model has {counted(n_features, 'feature')} without names, but the data have {data.n_features}.",
                remedy="Give the same features in the same order, or save the model with the names of its features.",
            )
        if not by_position and data.feature_names not in (numbered_names(n_features), numbered_names(n_features, 0)):
            raise DataError(
                "The model has no feature names, so nothing shows which of its features are the columns "
                f"{listed(map(repr, data.feature_names), MAX_NAMED)}.",
                remedy=(
                    "Fit the model to data with feature names",
                    "save it with the names of its features",
                    f"add {setting('by_position', True)} if the columns have the order of the training data",
                ),
            )
        return MatchedFeatures(data, by_name=False)
    position = {name: column for column, name in enumerate(data.feature_names)}
    missing = [name for name in names if name not in position]
    if missing and not (zeros_left_out and _only_numbered(data.feature_names) and _only_numbered(missing)):
        raise missing_features(names, missing, data.feature_names)
    # An extra column after the last one represents the omitted features.
    columns = np.array([position.get(name, data.n_features) for name in names])
    known = set(names)
    ignored = tuple(name for name in data.feature_names if name not in known)
    kinds = [data.kinds[column] if column < data.n_features else PLAIN for column in columns]
    picked = replace(data, X=_pick(data.X, columns), feature_names=names, kinds=kinds)
    return MatchedFeatures(picked, True, ignored, tuple(missing))


def _pick(X: Matrix, columns: IntArray) -> Matrix:
    n_rows, n_features = X.shape
    if np.array_equal(columns, np.arange(n_features)):
        return X
    if (columns == n_features).any():
        stack = sparse.hstack if sparse.issparse(X) else np.hstack
        zeros = sparse.csr_matrix((n_rows, 1)) if sparse.issparse(X) else np.zeros((n_rows, 1))
        X = stack([X, zeros])
    return X.tocsc()[:, columns].tocsr() if sparse.issparse(X) else X[:, columns]


def _only_numbered(names: Sequence[str]) -> bool:
    """Whether all names are the default names of features that a file only numbers."""
    return all(map(_NUMBERED.fullmatch, names))


def missing_features(names: Sequence[str], missing: Sequence[str], found: Sequence[str]) -> DataError:
    """Return the error for data that lack features of a model."""
    remedy = "Name the columns as in the training data."
    if _only_numbered(found):
        remedy = (
            f"The data only number their features: name them with {setting('feature_names')}, or in LETOR files with "
            "lines such as '# feature 1 = bm25'."
        )
    return DataError(
        f"The data must contain the model's features: {len(missing)} of {len(names)} are missing, "
        f"{listed(map(repr, missing), MAX_NAMED)}. The data have {listed(map(repr, found), MAX_NAMED)}.",
        remedy=remedy,
    )
