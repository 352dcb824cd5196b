"""Tables ↔ RankingData: frames in memory, and CSV, TSV and Parquet files through DuckDB."""

import os
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from scipy import sparse

from glassrank.core.checks import DataError, FloatArray, check_choice
from glassrank.core.frames import make_frame
from glassrank.core.groups import as_identifiers
from glassrank.data.delimited import DelimitedFile, has_line_break
from glassrank.data.frame_columns import FrameColumns, check_names, quote_name
from glassrank.data.ranking_data import RankingData
from glassrank.files.whole import read_bytes, write_atomically

# format, which is also the file's suffix -> what separates the fields of a line
DELIMITERS = {"csv": ",", "tsv": "\t"}
TABLE_FORMATS = (*DELIMITERS, "parquet")
LABEL = "label"
UNJUDGED = " Documents without labels can only be ranked: read them with label=None."


def read_frame(
    frame: Any,
    *,
    query: str | None = "qid",
    label: str | None = "label",
    document: str | None = "auto",
    weight: str | None = "auto",
    features: Sequence[str] | None = None,
    missing: str = "refuse",
) -> RankingData:
    """Make RankingData from a pandas or Polars frame (eager or lazy), an Arrow table or a DuckDB relation.

    ``query``, ``label``, ``document`` and ``weight`` name columns. ``"auto"`` takes the column ``doc_id`` for the
    documents, the column ``weight`` for the weights of the rows and the column ``label`` for the labels, if there is
    one; None takes none. Without labels the data are for ranking only, and their ``y`` is None.
    ``query=None`` makes all rows one query. ``features`` lists the feature columns; without it every column left is a
    feature, and one that holds no numbers is refused.

    >>> import polars
    >>> frame = polars.DataFrame({"qid": [1, 1], "label": [2, 0], "bm25": [3.5, 1.25], "doc_id": ["d1", "d2"]})
    >>> data = read_frame(frame)
    >>> data.feature_names, data.X.tolist(), data.doc_ids.tolist()
    (('bm25',), [[3.5], [1.25]], ['d1', 'd2'])
    """
    source = frame if isinstance(frame, DelimitedFile) else FrameColumns(frame)
    document, weight = _automatic(document, "doc_id", source.names), _automatic(weight, "weight", source.names)
    label = _label_column(label, source.names, features)
    identifiers = [name for name in (query, document) if name is not None]
    numbers = [name for name in (label, weight) if name is not None]
    chosen = _choose_features(source, [*identifiers, *numbers], features, label)
    arrays = source.fetch(dict.fromkeys(identifiers, "identifier") | dict.fromkeys([*numbers, *chosen], "number"))
    if not len(arrays[chosen[0]]):
        raise DataError("The table has no rows: expected one for each document of a query.")
    for name in (*identifiers, *numbers):
        _check_present(source, name, arrays[name])
    ids = {name: as_identifiers(f"Column {name!r}", arrays[name]) for name in identifiers}
    return RankingData(
        _stack([arrays[name] for name in chosen]),
        None if label is None else arrays[label],
        None if query is None else ids[query],
        None if document is None else ids[document],
        chosen,
        None if weight is None else arrays[weight],
        missing=missing,
    )


def make_table(data: RankingData, backend: str | None = None) -> Any:
    """Return a data frame with the columns qid, doc_id, label, weight and the features; those there are.

    >>> data = RankingData([[0.5], [0.1]], y=[1, 0], qid=[7, 7], feature_names=["bm25"])
    >>> make_table(data, "polars").columns
    ['qid', 'label', 'bm25']
    """
    return make_frame(_columns(data), backend)


def load_table(path: str | os.PathLike[str], format: str | None = None, **columns: Any) -> RankingData:  # noqa: A002
    """Load a CSV, TSV or Parquet file; ``columns`` are the options of ``RankingData.from_frame``.

    Without ``format`` the file's name tells it: ``.csv``, ``.tsv`` or ``.parquet``, also packed (``.csv.gz``). In CSV
    and TSV an empty field is a missing value, and queries are numbers if every one is written as a plain whole number
    (``7``, not ``007``), text otherwise.

    >>> _ = Path("two.csv").write_text("qid,label,bm25\\n007,1,0.5\\n007,0,0.25\\n")
    >>> data = load_table("two.csv")
    >>> data.qid.tolist(), data.X.tolist()
    (['007', '007'], [[0.5], [0.25]])
    >>> _ = Path("new.csv").write_text("qid,bm25\\n007,0.5\\n007,0.25\\n")
    >>> load_table("new.csv", label=None)
    RankingData(2 rows, 1 query, 1 feature, not judged)
    """
    chosen = _table_format(path, format)
    if chosen == "parquet":
        return _load_parquet(path, columns)
    file = DelimitedFile(path, DELIMITERS[chosen])
    with _naming(path):
        return read_frame(file, **columns)


def save_table(data: RankingData, path: str | os.PathLike[str], format: str | None = None) -> None:  # noqa: A002
    """Save as CSV, TSV or Parquet, as ``format`` or the file's name says; every number comes back bit for bit.

    >>> data = RankingData([[0.5], [0.1]], y=[1, 0], qid=[7, 7], feature_names=["bm25"])
    >>> save_table(data, "two.csv")
    >>> Path("two.csv").read_text().splitlines()
    ['qid,label,bm25', '7,1.0,0.5', '7,0.0,0.1']
    """
    chosen = _table_format(path, format)
    columns = _columns(data)
    check_names(list(columns), ignore_case=True)
    broken = [name for name in columns if has_line_break(name)]
    if broken and chosen != "parquet":
        raise DataError(f"The column name {broken[0]!r} holds a line break: rename it, or save as Parquet.")
    # DuckDB finds the arrays by the name of this variable. Aliases, because a key may be any text.
    arrays = {f"c{number}": _storable(values) for number, values in enumerate(columns.values())}
    names = ", ".join(f"{alias} AS {quote_name(name)}" for alias, name in zip(arrays, columns, strict=True))
    with tempfile.TemporaryDirectory(prefix="glassrank-") as folder, duckdb.connect() as connection:
        relation = connection.sql(f"SELECT {names} FROM arrays")
        written = Path(folder, "table")
        if chosen == "parquet":
            relation.write_parquet(str(written))
        else:
            relation.write_csv(str(written), header=True, sep=DELIMITERS[chosen])
        write_atomically(path, written.read_bytes())


def _automatic(choice: str | None, usual: str, names: Sequence[str]) -> str | None:
    if choice != "auto":
        return choice
    return usual if usual in names else None


def _label_column(choice: str | None, names: Sequence[str], features: Sequence[str] | None) -> str | None:
    """Find the column of the labels, if there are any; labels are not taken for a feature."""
    found = _automatic(choice, LABEL, names)
    if found is None and features is None and LABEL in names:
        raise DataError(
            f"label=None says that there are no labels, and there is a column {LABEL!r}, which would be a feature. "
            "Name the features: features=[...]; or take the column for what it says."
        )
    return found


def _choose_features(
    source: FrameColumns | DelimitedFile, taken: Sequence[str], features: Sequence[str] | None, label: str | None
) -> list[str]:
    """Return the feature columns; refuse columns that do not exist, play two parts or hold no numbers."""
    if isinstance(features, str):
        raise DataError(f"features must be a list of columns: got the text {features!r}. Use features=[{features!r}].")
    names = source.names
    chosen = [name for name in names if name not in taken] if features is None else [str(name) for name in features]
    known = set(names)
    for name, times in Counter([*taken, *chosen]).items():
        if name not in known:
            raise DataError(
                f"There is no column {name!r}: the columns are {_listed(names)}. Name the right ones by query=, "
                "label=, document=, weight= and features=; a file needs a header line."
                f"{UNJUDGED if name == label else ''}"
            )
        if times > 1:
            raise DataError(f"Column {name!r} is named {times} times: a column is query, label, … or one feature.")
    if not chosen:
        raise DataError(f"No column is left for the features: the columns are {_listed(names)}.")
    others = [f"{name!r} ({source.type_name(name)})" for name in chosen if not source.holds(name, "number")]
    if others:
        raise DataError(
            f"A feature must hold numbers: {', '.join(others)} does not. Convert or drop the column, or name the "
            "features: features=[...]."
        )
    return chosen


def _check_present(source: FrameColumns | DelimitedFile, name: str, values: Any) -> None:
    is_text = values.dtype == object
    absent = np.array([value is None for value in values], dtype=bool) if is_text else np.isnan(values)
    count = int(absent.sum())
    if count:
        times = "once" if count == 1 else f"{count:,} times"
        raise DataError(
            f"Column {name!r} is missing {times}, the first time at {source.place(int(np.argmax(absent)))}. "
            "Fill it, or leave those rows out."
        )


def _stack(columns: Sequence[FloatArray]) -> FloatArray:
    """Columns side by side; one by one, so that only one copy of the table is made."""
    X = np.empty((len(columns[0]), len(columns)))
    for number, values in enumerate(columns):
        X[:, number] = values
    return X


def _load_parquet(path: str | os.PathLike[str], columns: Mapping[str, Any]) -> RankingData:
    content = read_bytes(path)
    with tempfile.TemporaryDirectory(prefix="glassrank-") as folder, duckdb.connect() as connection, _naming(path):
        # A copy under a plain name: DuckDB would take signs like * and = in the file's own name for its patterns.
        copy = Path(folder, "table.parquet")
        copy.write_bytes(content)
        try:
            relation = connection.read_parquet(str(copy))
            written = connection.execute("SELECT name FROM parquet_schema($1)", [str(copy)]).fetchall()
        except duckdb.Error as error:
            raise DataError(f"expected a Parquet file. DuckDB says: {str(error).splitlines()[0]}") from error
        # DuckDB renames a column whose name it takes for a repetition: compare with the names in the file.
        renamed = set(relation.columns) - {name for (name,) in written}
        if renamed:
            raise DataError(
                f"two columns have one name, capitals aside: DuckDB would call one {min(renamed)!r}. Rename it."
            )
        return read_frame(relation, **columns)


def _columns(data: RankingData) -> dict[str, Any]:
    """Columns of the table, the features last."""
    columns = {"qid": data.qid, "doc_id": data.doc_ids, "label": data.y, "weight": data.weights}
    for name in data.feature_names:
        if name in columns:
            raise DataError(
                f"Feature {name!r} has the name of a column that tables reserve ({', '.join(columns)}). Rename it."
            )
    present = {name: values for name, values in columns.items() if values is not None}
    X = data.X.tocsc() if sparse.issparse(data.X) else data.X
    return present | {name: _column(X, number) for number, name in enumerate(data.feature_names)}


def _column(X: Any, number: int) -> FloatArray:
    if sparse.issparse(X):
        return X[:, [number]].toarray().ravel()
    return np.ascontiguousarray(X[:, number])


def _storable(values: Any) -> Any:
    """Strings as Python objects: DuckDB would make an enumeration of NumPy's."""
    return values.astype(object) if values.dtype.kind == "U" else values


def _table_format(path: str | os.PathLike[str], format: str | None) -> str:  # noqa: A002
    name = Path(path)
    if name.suffix.lower() in (".gz", ".xz"):
        name = name.with_suffix("")
    chosen = name.suffix.lower().removeprefix(".") if format is None else format
    check_choice(f"{path}: the format of a table", chosen, TABLE_FORMATS)
    return chosen


@contextmanager
def _naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Put the file's name before the message of an error, where it does not stand yet."""
    try:
        yield
    except DataError as error:
        if str(error).startswith(f"{path}:"):
            raise
        raise DataError(f"{path}: {error}") from error


def _listed(names: Sequence[str], shown: int = 12) -> str:
    more = f", … ({len(names)} in all)" if len(names) > shown else ""
    return ", ".join(map(repr, names[:shown])) + more
