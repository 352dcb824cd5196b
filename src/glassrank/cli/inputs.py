"""How commands read a file of ranking data: its format, and the columns of a table."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from glassrank.cli.console import working

if TYPE_CHECKING:
    from glassrank.data.ranking_data import RankingData

# Written out, because glassrank.data.load_data brings numpy, which help texts do without.
FORMATS = ("letor", "lightgbm", "csv", "tsv", "parquet")
TABLES = ("csv", "tsv", "parquet")
# Parameter of the readers of tables -> option, and the column's usual name
_COLUMNS = {
    "qid": ("--query-column", "qid"),
    "label": ("--label-column", "label"),
    "document": ("--document-column", "doc_id"),
    "weight": ("--weight-column", "weight"),
}
_OPTIONS = {"format": "--from", "features": "--feature"} | {role: option for role, (option, _) in _COLUMNS.items()}
_PARAMETER = re.compile(rf"\b({'|'.join(_OPTIONS)})=(?:\[.*?\])?")
# The library's remedy for documents without labels, and this command line's
_UNJUDGED = ("read them with label=None", "glassrank rank does without")

# Whether the file is there, the reader says: in its own words, and as bad data rather than bad usage.
input_file = click.Path(path_type=Path)


def input_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--from`` and the names of a table's columns; the command hands them on to ``read_data``."""
    command = click.option(
        "--feature",
        "features",
        multiple=True,
        metavar="NAME",
        help="Column of a table that is a feature; may stand several times. Every column left unless named.",
    )(command)
    for role, (option, usual) in reversed(_COLUMNS.items()):
        what = option.removeprefix("--").removesuffix("-column")
        command = click.option(
            option, role, metavar="NAME", help=f"Column of a table that holds the {what}; {usual} unless named."
        )(command)
    return click.option(
        "--from", "source_format", type=click.Choice(FORMATS), help="Format of the input; recognised unless named."
    )(command)


def named_columns(reading: dict[str, Any]) -> dict[str, Any]:
    """Those of the options that name columns of a table, and were given."""
    return {name: value for name, value in reading.items() if name in (*_COLUMNS, "features") and value}


def is_table(path: Path, source_format: str | None) -> bool:
    """Whether a file is a table, by the format named or by its suffix."""
    suffix = path.name.lower().removesuffix(".gz").removesuffix(".xz").rpartition(".")[2]
    return (source_format or suffix) in TABLES


def read_data(
    path: Path, quiet: bool, source_format: str | None, *, judged: bool = True, **reading: Any
) -> "RankingData":
    """Load ranking data with missing values kept, so that they can be counted and written.

    Unless they must be ``judged``, a table need not have labels.
    """
    columns = named_columns(reading)
    if is_table(path, source_format):
        columns = columns if judged else {"label": "auto", **columns}
    elif columns:
        option = _OPTIONS[next(iter(columns))]
        raise click.UsageError(f"{option} is for tables ({', '.join(TABLES)}), and {path} is none.")
    from glassrank.core.checks import DataError
    from glassrank.data.load_data import load_data

    with working(f"Reading {path} …", quiet):
        try:
            return load_data(path, source_format, missing="keep", **columns)
        except DataError as error:
            raise click.ClickException(in_options(str(error))) from error


def in_options(message: str) -> str:
    """Say the remedies of the library's readers in this command line's words; without labels, that is a command.

    >>> in_options("cannot tell the format. Pass format= one of 'letor', 'csv'.")
    "cannot tell the format. Pass --from one of 'letor', 'csv'."
    >>> in_options("name the features: features=['bm25'].")
    'name the features: --feature.'
    """
    return _PARAMETER.sub(lambda found: _OPTIONS[found[1]], message.replace(*_UNJUDGED))
