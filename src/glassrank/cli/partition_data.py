"""``glassrank data partition``: write ranking data as a folder of Parquet blocks, for training beyond memory."""

import json
from pathlib import Path
from typing import Any

import click

from glassrank.cli.console import PlainCommand, json_option, note, progress_bar, quiet_option, show
from glassrank.cli.inputs import input_file, input_options, is_table, loading_options
from glassrank.cli.number_types import PositiveNumber

# Repeated here, so that --help need not import glassrank.data, which loads numpy.
ROWS_PER_BLOCK = 100_000


@click.command(cls=PlainCommand, short_help="Write ranking data as blocks, for training beyond memory.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=input_file)
@click.option(
    "--output", metavar="FOLDER", required=True, type=click.Path(path_type=Path), help="Folder to write the blocks to."
)
@click.option(
    "--rows-per-block",
    type=PositiveNumber((), whole=True),
    default=ROWS_PER_BLOCK,
    show_default=True,
    help="Rows of a block; a longer query is a block of its own.",
)
@click.option("--no-labels", is_flag=True, help="The documents are not judged: the folder can only be ranked.")
@click.option("--force", is_flag=True, help="Replace FOLDER if it is a folder of blocks.")
@input_options
@json_option
@quiet_option
def partition(
    files: tuple[Path, ...],
    output: Path,
    rows_per_block: int,
    no_labels: bool,
    force: bool,
    as_json: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Write the ranking data in FILE as a folder of Parquet blocks, each with whole queries.

    FILE can be several files, and larger than memory. glassrank train, rank, compare and study take the folder in
    place of a file and process it block by block. The folder is written completely or not at all.

    With --json: the numbers of rows, queries, features and blocks.
    """
    chosen = {name: value for path in files for name, value in loading_options(path, reading).items()}
    if no_labels and reading["label"]:
        raise click.UsageError("--no-labels and --label-column exclude each other.")
    for path in files if no_labels else ():
        if not is_table(path, reading["source_format"]):
            raise click.UsageError(f"--no-labels is for tables, and {path} is none: each of its lines has a label.")
    from glassrank.core.wording import counted
    from glassrank.scale.partition_files import partition_files

    chosen |= {"label": None} if no_labels else {}
    with progress_bar(quiet, steps=True) as progress:
        found = partition_files(
            files,
            output,
            rows_per_block=rows_per_block,
            overwrite=force,
            format=reading["source_format"],
            progress=progress,
            **chosen,
        )
    sizes = {"rows": found.n_rows, "queries": found.n_queries, "features": found.n_features, "blocks": found.n_blocks}
    if as_json:
        show(json.dumps({"folder": str(output), **sizes}), data=True)
    queries, blocks = counted(found.n_queries, "query", "queries"), counted(found.n_blocks, "block")
    rows, features = counted(found.n_rows, "row"), counted(found.n_features, "feature")
    note(f"Wrote {output}: {rows}, {queries}, {features} in {blocks}.", quiet)
