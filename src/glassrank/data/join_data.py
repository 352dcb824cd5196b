"""Joins the parts of a data set, such as the five parts of LETOR."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import DataError
from glassrank.core.feature_kinds import FeatureKind, in_levels_of
from glassrank.core.setting import setting
from glassrank.data.ranking_data import RankingData, check_ranking_data

_NUMBERED = re.compile(r"feature (?:0|[1-9][0-9]*)")


def join_data(parts: Sequence[RankingData]) -> RankingData:
    """Concatenate the rows of several parts, which must have the same features and no query in common.

    Document ids are kept if every part has them.

    >>> parts = [RankingData([[1.0], [2.0]], y=[0, 1], qid=[q, q]) for q in (1, 2)]
    >>> join_data(parts).qid.tolist()
    [1, 1, 2, 2]
    """
    if not parts:
        raise DataError("Joining needs at least one part: got none.")
    for part in parts:
        check_ranking_data(part, "each part")
    first = parts[0]
    if len(parts) == 1:
        return first
    _check(parts)
    kinds = joined_kinds(parts)
    tables = [in_levels_of(part.table, kinds, first.feature_names) for part in parts]
    dense = not any(sparse.issparse(part.X) for part in parts)
    return RankingData(
        np.vstack(tables) if dense else sparse.csr_matrix(sparse.vstack([p.X for p in parts])),
        None if first.y is None else np.concatenate([part.y for part in parts]),
        np.concatenate([part.qid for part in parts]),
        _all_or_none([part.doc_ids for part in parts]),
        first.feature_names,
        _all_or_none([part.weights for part in parts]),
        kinds=kinds,
        missing="keep" if any(part.missing == "keep" for part in parts) else "refuse",
        source=first.source,
    )


def same_numbered_features(parts: Sequence[RankingData]) -> list[RankingData]:
    """Give all parts of a LETOR data set the same numbered features; features that a part does not list are 0.

    Parts whose features have other names are returned unchanged.

    >>> parts = [RankingData([[1.0, 2.0]], y=[0], qid=[1]), RankingData([[3.0]], y=[1], qid=[2])]
    >>> [part.X.tolist() for part in same_numbered_features(parts)]
    [[[1.0, 2.0]], [[3.0, 0.0]]]
    """
    names = {name for part in parts for name in part.feature_names}
    if not all(_NUMBERED.fullmatch(name) for name in names):
        return list(parts)
    ordered = sorted(names, key=lambda name: int(name.removeprefix("feature ")))
    return [_with_features(part, ordered) for part in parts]


def _with_features(part: RankingData, names: list[str]) -> RankingData:
    """Return the same rows with these features, which are 0 if the part does not have them."""
    if list(part.feature_names) == names:
        return part
    place = {name: column for column, name in enumerate(names)}
    columns = [place[name] for name in part.feature_names]
    spread = sparse.csr_matrix((np.ones(len(columns)), (np.arange(len(columns)), columns)), (len(columns), len(names)))
    X = sparse.csr_matrix(part.X @ spread) if sparse.issparse(part.X) else np.asarray(part.X @ spread)
    return replace(part, X=X, feature_names=names, kinds=())


def joined_kinds(parts: Sequence[Any]) -> list[FeatureKind]:
    """Return the kind of each feature of parts with ``feature_names`` and ``kinds``, with the levels of all parts."""
    kinds = []
    for k, name in enumerate(parts[0].feature_names):
        own = [part.kinds[k] for part in parts]
        names = sorted({kind.name for kind in own})
        if len(names) > 1:
            raise DataError(
                f"Feature {name!r} is a {names[0]} in one part and a {names[1]} in another.",
                remedy=f"Read all parts with {setting('categorical', name, python=f'categorical=[{name!r}]')}.",
            )
        levels = tuple(sorted({level for kind in own for level in kind.levels}))
        kinds.append(FeatureKind(own[0].name, levels) if own[0].is_category else own[0])
    return kinds


def _check(parts: Sequence[RankingData]) -> None:
    seen: set[str] = set()
    for number, part in enumerate(parts, start=1):
        if part.feature_names != parts[0].feature_names:
            raise DataError(
                f"Parts must have the same features in the same order: part 1 has {parts[0].n_features}, part "
                f"{number} has {part.n_features} or others.",
                remedy="Give the columns the same names.",
            )
        if part.is_judged != parts[0].is_judged:
            raise DataError(f"Either all parts are judged or none: part {number} differs from part 1.")
        if (part.weights is None) != (parts[0].weights is None):
            raise DataError(f"Either all parts have weights or none: part {number} differs from part 1.")
        queries = set(part.groups.ids.astype(np.str_).tolist())
        if seen & queries:
            raise DataError(
                f"Query {min(seen & queries)} is in two parts, the second is part {number}.", remedy="Rename it."
            )
        seen |= queries


def _all_or_none(columns: list[np.ndarray | None]) -> np.ndarray | None:
    given = [column for column in columns if column is not None]
    return np.concatenate(given) if len(given) == len(columns) else None
