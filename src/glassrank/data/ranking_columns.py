"""Finds and reads the columns of a table that are queries, labels, documents, weights and features."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import DataError, FloatArray, as_vector, as_weights
from glassrank.core.feature_kinds import BOOLEAN, NUMBER, FeatureKind, check_values
from glassrank.core.identifiers import as_identifiers
from glassrank.core.setting import setting
from glassrank.core.table_faults import FaultFinder, raise_faults
from glassrank.core.wording import counted
from glassrank.data.delimited import DelimitedFile, check_delimiter
from glassrank.data.frame_columns import FrameColumns
from glassrank.data.read_features import FEATURES, check_features, feature_columns, whole_name

LABEL = "label"
RANGE = ".."
VALUES_AT_ONCE = 4_000_000  # numbers that are in memory twice while they are read
_ROLES = {"query": "qid", LABEL: LABEL, "document": "document"}  # no weight: some commands take none
# Separate keys, because commands that compare documents have options with these names.
_NAMING = (
    ", ".join(setting(f"{role}_column", python=name) for role, name in _ROLES.items())
    + f" and {setting('feature', python='features')}"
)
_ONE_LIST = f" If the table is one list of documents, use {setting('one_query', True, python='qid=None')}."
_UNJUDGED = (
    " Documents without labels can be ranked and explained: "
    f"{setting('label', None, python='read them with label=None')}."
)


def read_ranking_columns(
    frame: Any,
    qid: str | None = "qid",
    label: str | None = "label",
    document: str | None = "auto",
    weight: str | None = "auto",
    features: Sequence[str] | None = None,
    categorical: Sequence[str] = (),
    missing_values: Sequence[str] = (),
    exclude: Sequence[str] = (),
    split: str | None = None,
    part: str | None = None,
    *,
    stack: "Stack | None" = None,
    finder: FaultFinder | None = None,
) -> dict[str, Any]:
    """Return X, y, qid, doc_ids, feature_names, weights, kinds and rows, as ``RankingData`` takes them, from a table.

    ``stack`` makes X of the features, which it gets one after the other; the default is a matrix in memory. Few
    features are in memory at a time besides what it makes. All faults of the columns are raised as one error or, with
    ``finder``, collected there: columns at fault then have no values in the result.
    """
    faults = FaultFinder() if finder is None else finder
    source = frame if isinstance(frame, (DelimitedFile, FrameColumns)) else FrameColumns(frame)
    left_out = set(pick_columns("exclude", exclude, source.names))
    names = [name for name in source.names if name not in left_out]
    document, weight = _automatic(document, "doc_id", names), _automatic(weight, "weight", names)
    label = _label_column(label, names, features)
    roles = {"qid": qid, "y": label, "doc_ids": document, "weights": weight}
    taken = [name for name in (*roles.values(), split) if name is not None]
    _check_excluded(left_out, source.names, [*taken, *(() if features is None else features)])
    chosen = _choose_features(source, names, taken, features, label, qid, faults)
    chosen = check_features(source, chosen, _names("categorical", categorical), faults)
    absent = _names("missing_values", missing_values)
    rows, kinds = slice(None), list[FeatureKind]()
    with faults.checking(split):
        rows = _rows_of_part(source, split, part)
    read = {role: name for role, name in roles.items() if name in source.names and name not in faults.columns}
    arrays = _fetch_roles(source, read, rows, faults)
    at_once = max(1, VALUES_AT_ONCE // max(1, len(next(iter(arrays.values()), ()))))
    columns = _in_groups(source, chosen, set(categorical), absent, rows, kinds, at_once, faults)
    X = (stack or _stack)(columns, len(chosen))
    if finder is None:
        raise_faults(faults.found)
    if qid is None and split not in faults.columns:
        arrays["qid"] = _one_query(part, rows)
    numbered = {"rows": None if split is None else rows}
    return dict.fromkeys(roles) | arrays | numbered | {"X": X, "feature_names": chosen, "kinds": kinds}


def _fetch_roles(
    source: FrameColumns | DelimitedFile, roles: dict[str, str], rows: Any, faults: FaultFinder
) -> dict[str, Any]:
    """Return the columns that are not features, by their role, if nothing is wrong with them."""
    found = {}
    kinds = {name: "identifier" if role in ("qid", "doc_ids") else "number" for role, name in roles.items()}
    try:
        arrays = source.fetch(kinds) if kinds else {}
    except DataError:
        arrays = {}  # Each by itself, to find all faults.
    for role, name in roles.items():
        with faults.checking(name):
            values = arrays[name] if arrays else source.fetch({name: kinds[name]})[name]
            check_present(source, name, values, rows)
            given = values[rows]
            if kinds[name] == "identifier":
                found[role] = as_identifiers(f"Column {name!r}", given)
            else:
                found[role] = as_vector(role, given) if role == "y" else as_weights(role, given, len(given))
    return found


Stack = Callable[[Iterable[FloatArray], int], Any]
"""Makes a matrix of columns, given with their number."""


def _in_groups(
    source: FrameColumns | DelimitedFile,
    names: Sequence[str],
    categorical: set[str],
    missing_values: Sequence[str],
    rows: Any,
    kinds: list[FeatureKind],
    at_once: int,
    faults: FaultFinder,
) -> Iterator[FloatArray]:
    """Read the features, some at once, and append their kinds to ``kinds``."""
    for first in range(0, len(names), at_once):
        group = names[first : first + at_once]
        found = feature_columns(source, group, categorical & set(group), missing_values, faults)
        for name in group:
            column = found.pop(name)
            if not len(column.values):
                raise _no_rows()
            kinds.append(column.kind)
            values = column.values[rows]
            with faults.checking(name):
                check_values(values[:, None], [name], refuse_missing=False)
            yield values


def part_sizes(source: FrameColumns | DelimitedFile, split: str) -> dict[str, int]:
    """Return the number of rows of each part of a table, by the values of the column ``split``.

    >>> import polars
    >>> part_sizes(FrameColumns(polars.DataFrame({"set": ["train", "train", "test"]})), "set")
    {'test': 1, 'train': 2}
    """
    return dict(sorted(Counter(_parts(source, split)).items()))


def _parts(source: FrameColumns | DelimitedFile, split: str) -> list[str]:
    """Return the part of each row; every row must be in one."""
    if split not in source.names:
        raise DataError(
            f"There is no column {split!r} to split by: the columns are {listed(source.names)}.",
            parameter="split",
            got=split,
        )
    values = source.fetch({split: "level"})[split]
    values[values == ""] = None
    check_present(source, split, values, slice(None))
    return [str(whole_name(value)) for value in values]


def _rows_of_part(source: FrameColumns | DelimitedFile, split: str | None, part: str | None) -> Any:
    """Return the rows to read: all of them, or those with the value ``part`` in the column ``split``."""
    if split is None:
        if part is not None:
            raise DataError(
                f"part {part!r} has no effect without a column to split by.",
                parameter="part",
                got=part,
                remedy=f"Name the column: {setting('split', python='split=...')}.",
            )
        return slice(None)
    parts = np.array(_parts(source, split), dtype=object)
    if not len(parts):
        raise _no_rows()
    rows = np.flatnonzero(parts == str(part))
    if part is None or not len(rows):
        found = ", ".join(repr(name) for name in sorted(set(parts))[:12])
        raise DataError(
            f"part must be a value of the column {split!r}, one of {found}: got {part!r}.", parameter="part", got=part
        )
    return rows


def _no_rows() -> DataError:
    return DataError("The table has no rows: expected one per document of a query.")


def _one_query(part: str | None, rows: Any) -> Any:
    """Return the queries of a table without a column of them: each part is a list of its own."""
    return None if part is None else np.full(len(rows), str(part))


def pick_columns(parameter: str, given: Sequence[str], names: Sequence[str], taken: Collection[str] = ()) -> list[str]:
    """Return the columns that are named, that match a pattern such as ``S_*``, or that are in a range ``first..last``.

    A range includes both ends, and ``first..`` extends to the last column. Patterns and ranges leave out the columns in
    ``taken``. A text that is a column's name always means that column.

    >>> pick_columns("features", ["S_*", "IC.."], ["id", "S_1", "S_2", "IC", "MW"])
    ['S_1', 'S_2', 'IC', 'MW']
    """
    known = set(names)
    chosen: list[str] = []
    for text in _names(parameter, given):
        if text in known or not _is_several(text):
            chosen.append(text)
            continue
        found = [name for name in _several(parameter, text, names) if name not in taken]
        if not found:
            raise DataError(
                f"{parameter} has no column for {text!r}: the columns are {listed(names)}.",
                parameter=parameter,
                got=text,
            )
        chosen += [name for name in found if name not in chosen]
    return chosen


def _is_several(text: str) -> bool:
    return RANGE in text or any(mark in text for mark in "*?[")


def _several(parameter: str, text: str, names: Sequence[str]) -> Iterable[str]:
    """Return the columns of a range or of a pattern."""
    if RANGE not in text:
        return [name for name in names if fnmatchcase(name, text)]
    first, _, last = text.partition(RANGE)
    for end in (first, last):
        if end and end not in names:
            raise DataError(
                f"{parameter} has no column {end!r}, an end of {text!r}: the columns are {listed(names)}.",
                parameter=parameter,
                got=text,
            )
    start = names.index(first) if first else 0
    stop = names.index(last) if last else len(names) - 1
    return names[start : stop + 1]


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
    qid: str | None,
    faults: FaultFinder,
) -> list[str]:
    """Return the feature columns; columns that are unknown or used twice are faults."""
    if isinstance(features, str):
        raise DataError(
            f"features must be a list of columns: got the string {features!r}.",
            parameter="features",
            got=features,
            remedy=f"Use {setting('feature', python=f'features=[{features!r}]')}.",
        )
    chosen = [name for name in names if name not in taken]
    if features is not None:
        chosen = pick_columns("features", features, names, taken)
    known = set(names)
    used = Counter([*taken, *chosen])
    unknown = [name for name in used if name not in known]
    if unknown:
        if isinstance(source, DelimitedFile):
            check_delimiter(source.path, names)
        which = f"is no column {unknown[0]!r}" if len(unknown) == 1 else f"are no columns {listed(unknown)}"
        with faults.checking():
            raise DataError(
                f"There {which}: the columns are {listed(names)}.",
                remedy=f"Set the columns with {_NAMING}; a file needs a header line."
                f"{_UNJUDGED if label in unknown else ''}{_ONE_LIST if qid in unknown else ''}",
            )
    for name, times in used.items():
        with faults.checking(name):
            if times > 1:
                raise DataError(
                    f"Column {name!r} is used {times} times: expected one role (query, label, …) per column."
                )
    if not chosen:
        with faults.checking():
            raise DataError(f"There is no feature column: the columns are {listed(names)}.")
    refused = {*unknown, *faults.columns}
    return [name for name in chosen if name not in refused]


def _check_excluded(left_out: set[str], names: Sequence[str], used: Sequence[str]) -> None:
    """Raise an error for an excluded column that does not exist, or that is also to be read."""
    for name in sorted(left_out):
        if name not in names:
            raise DataError(
                f"exclude must name columns: there is no column {name!r}; the columns are {listed(names)}.",
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


def check_present(source: FrameColumns | DelimitedFile, name: str, values: Any, rows: Any) -> None:
    """Raise an error if the column has no value in some of these rows."""
    is_text = values.dtype == object
    absent = np.array([value is None for value in values], dtype=bool) if is_text else np.isnan(values)
    without = np.flatnonzero(absent[rows])
    if len(without):
        place = source.place(int(np.arange(len(values))[rows][without[0]]))
        raise DataError(
            f"Column {name!r} has no value in {counted(len(without), 'row')}, the first at {place}.",
            remedy="Fill it, or remove those rows.",
        )


def _stack(columns: Iterable[FloatArray], n_columns: int) -> FloatArray:
    """Put columns side by side into a matrix."""
    X: Any = None
    for number, values in enumerate(columns):
        X = np.empty((len(values), n_columns)) if X is None else X
        X[:, number] = values
    return np.asarray(X)


def listed(names: Sequence[str], shown: int = 12) -> str:
    """Return the first names of a list, and how many there are if it is long."""
    more = f", … ({len(names)} in total)" if len(names) > shown else ""
    return ", ".join(map(repr, names[:shown])) + more
