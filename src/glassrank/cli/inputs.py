"""Options for reading a file of ranking data: its format, and the columns of a table."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from glassrank.cli.console import note, working

if TYPE_CHECKING:
    from glassrank.data.partitions.partitioned_data import PartitionedData
    from glassrank.data.ranking_data import RankingData

# Repeated here, so that --help need not import glassrank.data.load_data, which loads numpy.
FORMATS = ("letor", "lightgbm", "csv", "tsv", "parquet")
TABLES = ("csv", "tsv", "parquet")
# Parameter of the readers of tables -> option, and the column's usual name
_COLUMNS = {
    "qid": ("--query-column", "qid"),
    "label": ("--label-column", "label"),
    "document": ("--document-column", "doc_id"),
    "weight": ("--weight-column", "weight"),
}
# Parameters that choose rows -> option
_ROWS = {"one_query": "--one-query", "split": "--split-column", "part": "--part"}
# Parameters that are lists -> option
_LISTS = {
    "features": "--feature",
    "categorical": "--categorical",
    "missing_values": "--missing",
    "exclude": "--exclude",
}

# click does not check that the file exists: the reader has a better message, and it is bad data, not bad usage.
input_file = click.Path(path_type=Path)


def input_options(command: Callable[..., Any], *, weighted: bool = True) -> Callable[..., Any]:
    """Add ``--from`` and the column options of tables; the command passes them to ``read_data``.

    Commands that ignore row weights have no ``--weight-column``.
    """
    command = feature_options(command)
    command = _row_options(command)
    for role, (option, usual) in reversed(_COLUMNS.items()):
        if role == "weight" and not weighted:
            continue
        what = option.removeprefix("--").removesuffix("-column")
        command = click.option(option, role, metavar="NAME", help=f"Table column with the {what}. Default: {usual}.")(
            command
        )
    command = click.option(
        "--feature-names",
        metavar="FILE",
        type=input_file,
        help="Names of the features of a LETOR or LightGBM file: one per line, or a number and a name per line.",
    )(command)
    return click.option("--from", "source_format", type=click.Choice(FORMATS), help="Input format. Default: detected.")(
        command
    )


def feature_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that choose the feature columns of a table and say what their values mean."""
    command = click.option(
        "--missing",
        "missing_values",
        multiple=True,
        metavar="TEXT",
        help="Text that means a missing number in a table, such as NA. Repeatable. An empty field is always missing.",
    )(command)
    command = click.option(
        "--categorical",
        multiple=True,
        metavar="NAME",
        help="Table column that is a category although it contains numbers, or text that looks like numbers or names. "
        "Repeatable. Other text columns are always categories.",
    )(command)
    command = click.option(
        "--exclude",
        multiple=True,
        metavar="NAME",
        help="Table column to leave out, whatever it contains, or a pattern or range as in --feature. Repeatable.",
    )(command)
    return click.option(
        "--feature",
        "features",
        multiple=True,
        metavar="NAME",
        help="Table column to use as a feature, a pattern such as 'S_*', or a range of columns such as MW..logP or "
        "MW... Repeatable. Default: all remaining columns.",
    )(command)


def _row_options(command: Callable[..., Any]) -> Callable[..., Any]:
    command = click.option(
        "--part",
        metavar="VALUE",
        help="Value in --split-column of the rows to read. The others are left out and counted.",
    )(command)
    command = click.option(
        "--split-column",
        "split",
        metavar="NAME",
        help="Table column that divides the rows into parts, such as train and test.",
    )(command)
    return click.option(
        "--one-query", is_flag=True, help="The table has no query column: all its rows are one list of documents."
    )(command)


duplicates_option = click.option(
    "--duplicates",
    type=click.Choice(("keep", "first", "refuse")),
    default="keep",
    show_default=True,
    help="Several rows of one document in a query: keep them, keep the first, or refuse the file.",
)


def query_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--query``; the command passes it to ``pick_queries``."""
    return click.option(
        "--query", multiple=True, metavar="ID", help="Query to use of the training data. Repeatable. Default: all."
    )(command)


def pick_queries(data: "RankingData", queries: tuple[str, ...]) -> "RankingData":
    """Return the rows of the chosen queries; all rows if none were chosen."""
    return data.pick_queries(list(queries)) if queries else data


def unweighted_input_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of ``input_options`` without ``--weight-column``."""
    return input_options(command, weighted=False)


def named_columns(reading: dict[str, Any]) -> dict[str, Any]:
    """Return the given options for tables; ``--one-query`` is ``qid=None``."""
    given = {name: value for name, value in reading.items() if name in (*_COLUMNS, *_LISTS, *_ROWS) and value}
    if given.pop("one_query", False):
        if "qid" in given:
            raise click.UsageError("--one-query and --query-column exclude each other.")
        given["qid"] = None
    return given


def role_columns(columns: dict[str, Any]) -> list[str]:
    """Return the columns that are not features, by the given options or their usual names."""
    roles = [columns.get(role, usual) for role, (_, usual) in _COLUMNS.items()]
    return [name for name in (*roles, columns.get("split")) if name is not None]


def is_table(path: Path, source_format: str | None) -> bool:
    """Return whether a file is a table, by the given format or its suffix."""
    suffix = path.name.lower().removesuffix(".gz").removesuffix(".xz").rpartition(".")[2]
    return (source_format or suffix) in TABLES


def read_data(
    path: Path, quiet: bool, source_format: str | None, *, judged: bool = True, **reading: Any
) -> "RankingData":
    """Load ranking data and keep missing values, so that they can be counted and written.

    If ``judged`` is False, a table need not have labels. Rows that are not in ``--part`` are counted.
    """
    found = _load(path, quiet, source_format, judged, reading)
    if reading.get("split"):
        note_left_out([path], source_format, reading["split"], [reading["part"]], quiet)
    return found


def loading_options(path: Path, reading: dict[str, Any], *, judged: bool = True) -> dict[str, Any]:
    """Return the options of ``load_data`` for a file; those that its format does not have are bad usage."""
    options = _table_options if is_table(path, reading.get("source_format")) else _text_options
    return options(path, named_columns(reading), reading.get("feature_names"), judged)


def _load(path: Path, quiet: bool, source_format: str | None, judged: bool, reading: dict[str, Any]) -> "RankingData":
    chosen = loading_options(path, {**reading, "source_format": source_format}, judged=judged)
    from glassrank.core.checks import within
    from glassrank.data.load_data import load_data

    with working(f"Reading {path} …", quiet):
        found = load_data(path, source_format, **chosen)
    duplicates = reading.get("duplicates", "keep")
    if found.duplicates and duplicates != "refuse":
        left_out = " Only the first row of each is kept." if duplicates == "first" else ""
        note(f"{path}: {found.duplicates}.{left_out}", quiet)
    with within(path):
        return found.settle_duplicates(duplicates)


def open_folder(paths: Sequence[Path], reading: dict[str, Any]) -> "PartitionedData | None":
    """Return the folder of blocks if the input is one; options for reading files are then bad usage."""
    folder = next((path for path in paths if path.is_dir()), None)
    if folder is None:
        return None
    if len(paths) > 1:
        raise click.UsageError(f"{folder} is a folder of blocks, which cannot be combined with other input.")
    if reading.get("duplicates", "keep") != "keep":
        raise click.UsageError(f"--duplicates is for files, and {folder} is a folder of blocks.")
    if reading["source_format"] or reading["feature_names"] or named_columns(reading):
        raise click.UsageError(
            f"{folder} is a folder of blocks, whose columns are known: leave out --from and the options of columns, "
            "rows and names. They belong to glassrank data partition."
        )
    from glassrank.data.partitions.partitioned_data import open_partitions

    return open_partitions(folder)


def part_sizes_of(path: Path, source_format: str | None, split: str) -> dict[str, int]:
    """Return the number of rows of each part of a table."""
    from glassrank.data.ranking_columns import part_sizes
    from glassrank.data.tables import read_table

    return read_table(path, source_format, lambda columns: part_sizes(columns, split))


def note_left_out(
    paths: Sequence[Path], source_format: str | None, split: str, parts: Sequence[str], quiet: bool
) -> None:
    """Report the rows of tables that are in none of these parts."""
    for path in paths:
        sizes = part_sizes_of(path, source_format, split)
        others = {part: size for part, size in sizes.items() if part not in parts}
        if others:
            listed = ", ".join(f"{size:,} with {part!r} in column {split!r}" for part, size in others.items())
            note(f"{path}: left out {sum(others.values()):,} of {sum(sizes.values()):,} rows: {listed}.", quiet)


def _table_options(path: Path, columns: dict[str, Any], names: Path | None, judged: bool) -> dict[str, Any]:
    if names is not None:
        raise click.UsageError(f"--feature-names is for LETOR and LightGBM files, and {path} is a table.")
    if judged:
        return columns
    # Nothing needs labels or weights: if the features are known, these columns are not read.
    return ({"label": None, "weight": None} if "features" in columns else {"label": "auto"}) | columns


def _text_options(path: Path, columns: dict[str, Any], names: Path | None, judged: bool) -> dict[str, Any]:
    for first, value in columns.items():
        options = _LISTS | _ROWS | {role: option for role, (option, _) in _COLUMNS.items()}
        option = options["one_query" if first == "qid" and value is None else first]
        raise click.UsageError(
            f"{option} is for tables ({', '.join(TABLES)}), and {path} is not named like one. If it is a table, give "
            "its format with --from."
        )
    return {"feature_names": names}


def part_or_train(reading: dict[str, Any]) -> dict[str, Any]:
    """Return the options with the part that is trained on: if there is a split and no ``--part``, it is train."""
    return {**reading, "part": "train"} if reading["split"] and not reading["part"] else reading


def read_split(
    paths: Sequence[Path], parts: tuple[str, str | None, str | None], quiet: bool, reading: dict[str, Any]
) -> tuple["RankingData", "RankingData | None", "RankingData | None"]:
    """Return training, validation and test data, which are parts of the same tables; None for a part that is None."""
    from glassrank.data.join_data import join_data

    source_format, split = reading["source_format"], reading["split"]
    options = {name: value for name, value in reading.items() if name != "source_format"}

    def read(part: str) -> "RankingData":
        having = [path for path in paths if part in part_sizes_of(path, source_format, split)] or paths
        return join_data([_load(path, quiet, source_format, True, {**options, "part": part}) for path in having])

    train, valid, test = parts
    found = read(train), None if valid is None else read(valid), None if test is None else read(test)
    note_left_out(paths, source_format, split, [part for part in parts if part], quiet)
    return found


def read_parts(paths: Sequence[Path], quiet: bool, reading: dict[str, Any]) -> list["RankingData"]:
    """Read files with the same features; in LETOR, a feature that is 0 throughout may be absent from a file."""
    from glassrank.data.join_data import same_numbered_features

    first = read_data(paths[0], quiet, **reading)
    if is_table(paths[0], reading["source_format"]):
        # The first file decides which columns are categories: the others may have few or unusual levels.
        kinds = zip(first.feature_names, first.kinds, strict=True)
        categories = tuple(name for name, kind in kinds if kind.is_category)
        reading = {**reading, "categorical": (*reading["categorical"], *categories)}
    parts = [first, *(read_data(path, quiet, **reading) for path in paths[1:])]
    if any(is_table(path, reading["source_format"]) for path in paths):
        return parts
    return same_numbered_features(parts)
