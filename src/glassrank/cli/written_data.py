"""Files of ranking data that commands write: their formats, and options for them."""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from glassrank.cli.console import note, working
from glassrank.cli.inputs import FORMATS
from glassrank.core.wording import counted

if TYPE_CHECKING:
    from glassrank.data.ranking_data import RankingData

# LightGBM's text format needs a second file and is supported for reading only.
WRITTEN_FORMATS = tuple(name for name in FORMATS if name != "lightgbm")

target_file = click.Path(dir_okay=False, path_type=Path)
target_format = click.option(
    "--to", "target", type=click.Choice(WRITTEN_FORMATS), help="Format of OUT. Default: from its suffix."
)
force_option = click.option("--force", is_flag=True, help="Overwrite OUT if it exists.")
number_option = click.option(
    "--number-queries", is_flag=True, help="Number the queries 1, 2, …, because LETOR does not support other names."
)


def free_target(out: Path, target: str | None, force: bool) -> str:
    """Return the format of the output file, after checking that the file may be written."""
    from glassrank.data.load_data import FORMATS as KNOWN

    suffixes = {suffix: name for name in WRITTEN_FORMATS for suffix in KNOWN[name].suffixes}
    chosen = target or suffixes.get(Path(out.name.lower().removesuffix(".gz").removesuffix(".xz")).suffix)
    if chosen is None:
        raise click.UsageError(
            f"The name {out} does not show the format: expected the suffix {', '.join(suffixes)}, optionally with .gz "
            "or .xz. Rename it, or give the format with --to."
        )
    if out.exists() and not force:
        raise click.ClickException(f"{out} already exists. Choose another name, or overwrite it with --force.")
    return chosen


def numbered(found: "RankingData", quiet: bool) -> "RankingData":
    """Number the queries, and say so."""
    note(f"Queries are numbered in order of appearance: {found.groups.ids[0]} is now 1.", quiet)
    return replace(found, qid=found.groups.of_row + 1)


def write_data(found: "RankingData", out: Path, chosen: str, quiet: bool) -> None:
    """Write ranking data to a file of the chosen format, with its warnings and sizes as notes."""
    from glassrank.data.load_data import save_data

    with working(f"Writing {out} …", quiet), warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always", UserWarning)
        save_data(found, out, chosen)
    for warning in raised:
        note(f"Warning: {warning.message}", quiet)
    counts = [
        counted(found.n_rows, "row", "rows"),
        counted(found.n_queries, "query", "queries"),
        counted(found.n_features, "feature", "features"),
    ]
    note(f"Wrote {out}: {', '.join(counts)}.", quiet)
