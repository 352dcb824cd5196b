"""Loads and saves RankingData in CSV, TSV and Parquet files with DuckDB."""

import os
import shutil
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import duckdb

from glassrank.core.checks import DataError, check_choice, within
from glassrank.core.feature_kinds import BOOLEAN, NUMBER, FeatureKind
from glassrank.data.csv_dialect import DELIMITERS, CsvText, check_width, has_line_break
from glassrank.data.delimited import DelimitedFile
from glassrank.data.duckdb_errors import duckdb_errors
from glassrank.data.frame_columns import FrameColumns, check_names, quote_name
from glassrank.data.parquet_schema import category_columns, open_parquet, save_parquet
from glassrank.data.ranking_data import RankingData, check_ranking_data
from glassrank.data.read_features import check_storable_levels, is_category_in_text
from glassrank.files.atomic_files import write_atomically
from glassrank.files.input_files import open_input, packing_of
from glassrank.files.memory_database import connect_in_memory
from glassrank.files.work_folder import work_folder

TABLE_FORMATS = (*DELIMITERS, "parquet")
_Made = TypeVar("_Made")


def load_table(
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
    *,
    qid: str | None = "qid",
    label: str | None = "label",
    document: str | None = "auto",
    weight: str | None = "auto",
    features: Sequence[str] | None = None,
    categorical: Sequence[str] = (),
    missing: str = "keep",
    missing_values: Sequence[str] = (),
    exclude: Sequence[str] = (),
    split: str | None = None,
    part: str | None = None,
    duplicates: str = "keep",
) -> RankingData:
    """Load a CSV, TSV or Parquet file; columns are named as in ``RankingData.from_frame``.

    By default the suffix gives the format: ``.csv``, ``.tsv`` or ``.parquet``, optionally compressed (``.csv.gz``). In
    CSV and TSV an empty field is a missing value, and queries are numbers if all of them are plain whole numbers
    (``7``, not ``007``), and text otherwise.

    >>> _ = Path("two.csv").write_text("qid,label,bm25\\n007,1,0.5\\n007,0,0.25\\n")
    >>> data = load_table("two.csv")
    >>> data.qid.tolist(), data.X.tolist()
    (['007', '007'], [[0.5], [0.25]])
    >>> _ = Path("new.csv").write_text("qid,bm25\\n007,0.5\\n007,0.25\\n")
    >>> load_table("new.csv", label=None)
    RankingData(2 rows, 1 query, 1 feature, not judged)
    """
    chosen = _table_format(path, format)
    make = partial(
        RankingData.from_frame,
        qid=qid,
        label=label,
        document=document,
        weight=weight,
        features=features,
        categorical=categorical,
        missing=missing,
        missing_values=missing_values,
        exclude=exclude,
        split=split,
        part=part,
        duplicates=duplicates,
    )
    return read_table(path, chosen, make)


def read_table(
    path: str | os.PathLike[str],
    format: str | None,  # noqa: A002
    make: Callable[[FrameColumns | DelimitedFile], _Made],
) -> _Made:
    """Return what ``make`` reads from the columns of a CSV, TSV or Parquet file; its errors name the file.

    >>> _ = Path("two.csv").write_text("user,item\\n7,1\\n")
    >>> read_table("two.csv", None, lambda columns: columns.fetch({"user": "identifier"}))
    {'user': array([7])}
    """
    chosen = _table_format(path, format)
    if chosen == "parquet":
        return _load_parquet(
            path, lambda relation, categories: make(FrameColumns(relation, categories, keeps_order=True))
        )
    file = DelimitedFile(path, DELIMITERS[chosen])
    with within(path):
        return make(file)


def table_columns(path: str | os.PathLike[str], format: str | None = None) -> tuple[str, ...]:  # noqa: A002
    """Return the names of a table's columns without reading its rows.

    >>> _ = Path("two.csv").write_text("qid,label,bm25\\n7,1,0.5\\n")
    >>> table_columns("two.csv")
    ('qid', 'label', 'bm25')
    """
    chosen = _table_format(path, format)
    if chosen != "parquet":
        with open_input(path) as stream:
            return CsvText(stream, DELIMITERS[chosen], path).names
    return _load_parquet(path, lambda relation, _: tuple(relation.columns))


def save_table(data: RankingData, path: str | os.PathLike[str], format: str | None = None) -> None:  # noqa: A002
    """Save as CSV, TSV or Parquet, by ``format`` or suffix; every number loads back bit for bit.

    Parquet also stores which columns are categories. Text cannot: a category whose levels look like numbers must be
    declared again when the file is loaded, and saving it warns.

    >>> data = RankingData([[0.5], [0.1]], y=[1, 0], qid=[7, 7], feature_names=["bm25"])
    >>> save_table(data, "two.csv")
    >>> Path("two.csv").read_text().splitlines()
    ['qid,label,bm25', '7,1.0,0.5', '7,0.0,0.1']
    """
    chosen = _table_format(path, format)
    check_ranking_data(data)
    columns = data.table_columns()
    check_width(path, len(columns))
    check_names(list(columns), ignore_case=True)
    broken = [name for name in columns if has_line_break(name)]
    if broken and chosen != "parquet":
        raise DataError(f"The column name {broken[0]!r} contains a line break: rename it, or save as Parquet.")
    named = zip(data.feature_names, data.kinds, strict=True)
    kinds = {name: kind for name, kind in named if kind.name != NUMBER}
    categories = [name for name, kind in kinds.items() if kind.is_category]
    for name in categories:
        check_storable_levels(name, kinds[name].levels)
    if chosen != "parquet":
        _warn_of_lost_kinds(path, columns, kinds)
    # DuckDB finds the arrays by the name of this variable. Aliases, because a key may be any text.
    arrays = {f"c{number}": _storable(values) for number, values in enumerate(columns.values())}
    names = ", ".join(
        f"{_written(alias, arrays[alias], kinds.get(name))} AS {quote_name(name)}"
        for alias, name in zip(arrays, columns, strict=True)
    )
    failing = duckdb_errors(f"{path}: the table cannot be written")
    with work_folder() as folder, failing, connect_in_memory() as connection:
        relation = connection.sql(f"SELECT {names} FROM arrays")
        written = Path(folder, "table")
        if chosen == "parquet":
            save_parquet(relation, str(written), categories)
        else:
            relation.write_csv(str(written), header=True, sep=DELIMITERS[chosen])
        write_atomically(path, written.read_bytes())


def _load_parquet(path: str | os.PathLike[str], make: Callable[[Any, set[str]], _Made]) -> _Made:
    with work_folder() as folder, connect_in_memory() as connection, within(path):
        # A plain name, because DuckDB would treat characters such as * and = in the file name as a pattern.
        plain = Path(folder, "table.parquet")
        if packing_of(path) or not _linked(plain, path):
            with open_input(path) as stream, plain.open("wb") as target:
                shutil.copyfileobj(stream, target)
        return _read_parquet(path, plain, connection, make)


def _linked(place: Path, path: str | os.PathLike[str]) -> bool:
    """Create a link to a file; on some systems this needs rights that users do not have."""
    try:
        place.symlink_to(os.path.realpath(path))
    except OSError:
        return False
    return True


def _read_parquet(
    path: str | os.PathLike[str], copy: Path, connection: Any, make: Callable[[Any, set[str]], _Made]
) -> _Made:
    try:
        relation = open_parquet(connection, str(copy), path)
        categories = category_columns(connection, str(copy), path)
        written = connection.execute("SELECT name FROM parquet_schema($1)", [str(copy)]).fetchall()
    except duckdb.Error as error:
        raise DataError(f"expected a Parquet file. DuckDB reports: {str(error).splitlines()[0]}") from error
    # DuckDB renames a column that it considers a duplicate, so compare with the names in the file.
    renamed = set(relation.columns) - {name for (name,) in written}
    if renamed:
        raise DataError(
            f"two columns have the same name (case is ignored): DuckDB would call one {min(renamed)!r}.",
            remedy="Rename one.",
        )
    return make(relation, categories)


def _warn_of_lost_kinds(
    path: str | os.PathLike[str], columns: Mapping[str, Any], kinds: Mapping[str, FeatureKind]
) -> None:
    """Warn of features that text cannot say the kind of."""
    known = {name: [value for value in columns[name] if value is not None] for name in kinds}
    categories = [name for name, kind in kinds.items() if kind.is_category and not is_category_in_text(known[name])]
    empty = [name for name, kind in kinds.items() if kind.name == BOOLEAN and not known[name]]
    remedy = "Save it as Parquet, which stores the kinds"
    if categories:
        declared = f"or load it with categorical={categories} (--categorical)"
        _warn(f"{path}: text does not show that {_listed(categories)} is a category. {remedy}, {declared}.")
    if empty:
        _warn(f"{path}: text does not show that {_listed(empty)}, which has no value, is a yes/no feature. {remedy}.")


def _listed(names: Sequence[str]) -> str:
    return " and ".join(map(repr, names))


def _warn(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=4)


def _written(alias: str, values: Any, kind: FeatureKind | None) -> str:
    """Return the SQL of a column in which a missing number is null: an empty field, not the text nan."""
    if values.dtype.kind == "f":
        return f"CASE WHEN isnan({alias}) THEN NULL ELSE {alias} END"
    # An array of objects without any value has no type of its own.
    return alias if kind is None else f"CAST({alias} AS {'VARCHAR' if kind.is_category else 'BOOLEAN'})"


def _storable(values: Any) -> Any:
    """Convert NumPy strings to Python objects, because DuckDB would turn them into an enumeration."""
    return values.astype(object) if values.dtype.kind == "U" else values


def _table_format(path: str | os.PathLike[str], format: str | None) -> str:  # noqa: A002
    name = Path(path)
    if name.suffix.lower() in (".gz", ".xz"):
        name = name.with_suffix("")
    chosen = name.suffix.lower().removeprefix(".") if format is None else format
    check_choice(f"{path}: the format of a table", chosen, TABLE_FORMATS)
    return chosen
