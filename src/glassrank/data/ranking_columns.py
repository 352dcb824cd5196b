"""Finds and reads the columns of a table that are queries, labels, documents, weights and features."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import DataError, FloatArray
from glassrank.core.feature_kinds import BOOLEAN, NUMBER, FeatureKind, FeatureTable
from glassrank.core.identifiers import as_identifiers
from glassrank.core.setting import setting
from glassrank.data.delimited import DelimitedFile, check_delimiter
from glassrank.data.frame_columns import FrameColumns
from glassrank.data.read_features import FEATURES, check_features, feature_columns

LABEL = "label"
_ROLES = {"query": "qid", LABEL: LABEL, "document": "document"}  # no weight: some commands take none
# Separate keys, because commands that compare documents have options with these names.
_NAMING = (
    ", ".join(setting(f"{role}_column", python=name) for role, name in _ROLES.items())
    + f" and {setting('feature', python='features')}"
)
_UNJUDGED = (
    f" Documents without labels can only be ranked: {setting('label', None, python='read them with label=None')}."
)


def read_ranking_columns(
    frame: Any,
    qid: str | None,
    label: str | None,
    document: str | None,
    weight: str | None,
    features: Sequence[str] | None,
    categorical: Sequence[str],
    missing_values: Sequence[str],
    exclude: Sequence[str] = (),
) -> dict[str, Any]:
    """Return X, y, qid, doc_ids, feature_names, weights and kinds, as ``RankingData`` takes them, from a table."""
    source = frame if isinstance(frame, (DelimitedFile, FrameColumns)) else FrameColumns(frame)
    left_out = set(_names("exclude", exclude))
    names = [name for name in source.names if name not in left_out]
    document, weight = _automatic(document, "doc_id", names), _automatic(weight, "weight", names)
    label = _label_column(label, names, features)
    identifiers = [name for name in (qid, document) if name is not None]
    numbers = [name for name in (label, weight) if name is not None]
    _check_excluded(left_out, source.names, [*identifiers, *numbers, *(() if features is None else features)])
    chosen = _choose_features(source, names, [*identifiers, *numbers], features, label)
    check_features(source, chosen, _names("categorical", categorical))
    others = dict.fromkeys(identifiers, "identifier") | dict.fromkeys(numbers, "number")
    arrays = source.fetch(others) if others else {}
    columns = feature_columns(source, chosen, categorical, _names("missing_values", missing_values))
    if not len(columns[chosen[0]].values):
        raise DataError("The table has no rows: expected one per document of a query.")
    for name in (*identifiers, *numbers):
        _check_present(source, name, arrays[name])
    ids = {name: as_identifiers(f"Column {name!r}", arrays[name]) for name in identifiers}
    return {
        "X": _stack([columns[name].values for name in chosen]),
        "y": None if label is None else arrays[label],
        "qid": None if qid is None else ids[qid],
        "doc_ids": None if document is None else ids[document],
        "feature_names": chosen,
        "weights": None if weight is None else arrays[weight],
        "kinds": [columns[name].kind for name in chosen],
    }


def make_ranking_columns(
    X: Any, kinds: Sequence[FeatureKind], feature_names: Sequence[str], **others: Any
) -> dict[str, Any]:
    """Return the columns of a table: those of ``others`` that are present, then the features.

    Categories are text, and yes/no values are booleans; missing values of both are None.
    """
    for name in feature_names:
        if name in others:
            raise DataError(
                f"Feature {name!r} has the name of a reserved column ({', '.join(others)}).",
                remedy="Rename it.",
            )
    present = {name: values for name, values in others.items() if values is not None}
    X = X.tocsc() if sparse.issparse(X) else X
    columns = zip(feature_names, kinds, strict=True)
    return present | {name: _written(_column(X, number), kind) for number, (name, kind) in enumerate(columns)}


def _written(values: FloatArray, kind: FeatureKind) -> Any:
    if kind.name == NUMBER:
        return values
    known = ~np.isnan(values)
    if kind.name == BOOLEAN and known.all():
        return values.astype(bool)
    names = np.array(kind.levels if kind.is_category else [False, True], dtype=object)
    written = np.full(len(values), None, dtype=object)
    written[known] = names[values[known].astype(np.int64)]
    return written


def _column(X: Any, number: int) -> FloatArray:
    if sparse.issparse(X):
        return X[:, [number]].toarray().ravel()
    return np.ascontiguousarray(X[:, number])


def _automatic(choice: str | None, usual: str, names: Sequence[str]) -> str | None:
    if choice != "auto":
        return choice
    return usual if usual in names else None


def _label_column(choice: str | None, names: Sequence[str], features: Sequence[str] | None) -> str | None:
    """Return the label column, if there is one; a column named like the label is never used as a feature."""
    found = _automatic(choice, LABEL, names)
    if found is None and features is None and LABEL in names:
        raise DataError(
            f"{setting('label', None)} means that there are no labels, so the column {LABEL!r} would be a feature.",
            remedy=(f"List the features: {FEATURES}", f"omit {setting('label', None)}"),
        )
    return found


def _choose_features(
    source: FrameColumns | DelimitedFile,
    names: Sequence[str],
    taken: Sequence[str],
    features: Sequence[str] | None,
    label: str | None,
) -> list[str]:
    """Return the feature columns, or raise an error for columns that are unknown or used twice."""
    if isinstance(features, str):
        raise DataError(
            f"features must be a list of columns: got the string {features!r}.",
            parameter="features",
            got=features,
            remedy=f"Use {setting('feature', python=f'features=[{features!r}]')}.",
        )
    chosen = [name for name in names if name not in taken] if features is None else [str(name) for name in features]
    known = set(names)
    for name, times in Counter([*taken, *chosen]).items():
        if name not in known:
            if isinstance(source, DelimitedFile):
                check_delimiter(source.path, names)
            raise DataError(
                f"There is no column {name!r}: the columns are {_listed(names)}.",
                remedy=f"Set the columns with {_NAMING}; a file needs a header line."
                f"{_UNJUDGED if name == label else ''}",
            )
        if times > 1:
            raise DataError(f"Column {name!r} is used {times} times: expected one role (query, label, …) per column.")
    if not chosen:
        raise DataError(f"There is no feature column: the columns are {_listed(names)}.")
    return chosen


def _check_excluded(left_out: set[str], names: Sequence[str], used: Sequence[str]) -> None:
    """Raise an error for an excluded column that does not exist, or that is also to be read."""
    for name in sorted(left_out):
        if name not in names:
            raise DataError(
                f"exclude must name columns: there is no column {name!r}; the columns are {_listed(names)}.",
                parameter="exclude",
                got=name,
            )
        if name in used:
            raise DataError(
                f"Column {name!r} is excluded, and also used as the query, label, document, weight or a feature.",
                parameter="exclude",
                got=name,
                remedy="Omit one of the two.",
            )


def _names(parameter: str, names: Any) -> list[str]:
    if isinstance(names, str):
        raise DataError(
            f"{parameter} must be a list: got the string {names!r}.",
            parameter=parameter,
            got=names,
            remedy=f"Use {setting(parameter, python=f'{parameter}=[{names!r}]')}.",
        )
    return [str(name) for name in names]


def _check_present(source: FrameColumns | DelimitedFile, name: str, values: Any) -> None:
    is_text = values.dtype == object
    absent = np.array([value is None for value in values], dtype=bool) if is_text else np.isnan(values)
    count = int(absent.sum())
    if count:
        rows = "1 row" if count == 1 else f"{count:,} rows"
        raise DataError(
            f"Column {name!r} has no value in {rows}, the first at {source.place(int(np.argmax(absent)))}.",
            remedy="Fill it, or remove those rows.",
        )


def _stack(columns: Sequence[FloatArray]) -> FloatArray:
    """Stack columns side by side, one at a time, so that only one copy of the table is made."""
    X = np.empty((len(columns[0]), len(columns)))
    for number, values in enumerate(columns):
        X[:, number] = values
    return X


def _listed(names: Sequence[str], shown: int = 12) -> str:
    more = f", … ({len(names)} in total)" if len(names) > shown else ""
    return ", ".join(map(repr, names[:shown])) + more


def feature_table(frame: Any, categorical: Collection[str] = ()) -> FeatureTable | None:
    """Return a frame whose columns are all features as a table; None if all of them are numbers.

    ``categorical`` names columns that are categories whatever they contain, if the frame has them.

    >>> import polars
    >>> table = feature_table(polars.DataFrame({"site": ["shop", "news"], "bm25": [1.5, None]}))
    >>> table.kinds[0].levels, table.values.tolist()
    (('news', 'shop'), [[1.0, 1.5], [0.0, nan]])
    """
    source = FrameColumns(frame)
    declared = [name for name in source.names if name in categorical]
    if not declared and not any(source.feature_type(name) in ("boolean", "text", "level") for name in source.names):
        return None
    check_features(source, source.names, declared)
    columns = feature_columns(source, source.names, declared, ())
    values = np.column_stack([columns[name].values for name in source.names])
    return FeatureTable(values, tuple(columns[name].kind for name in source.names), source.names)
