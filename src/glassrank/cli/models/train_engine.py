"""Options of ``glassrank train`` and ``study`` that say where the blocks of a folder are processed."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from glassrank.cli.inputs import open_folder
from glassrank.cli.spark_cluster import check_master, master_option, open_cluster

if TYPE_CHECKING:
    from glassrank.data.partitions.partitioned_data import PartitionedData

# Repeated here, so that --help need not import glassrank.data, which loads numpy.
ENGINES = ("duckdb", "spark")


def engine_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command."""
    engine = click.option(
        "--engine",
        type=click.Choice(ENGINES),
        help="Where to process a folder of blocks: on this machine (duckdb) or on the executors of Spark. "
        "Default: duckdb.",
    )
    return engine(master_option(command))


def open_on_engine(
    context: click.Context, files: Sequence[Path], reading: dict[str, Any], engine: str | None, master: str | None
) -> "PartitionedData | None":
    """Return the folder of blocks if the input is one; a Spark session is stopped at the end of the command."""
    check_master(engine, master)
    if engine is not None and not any(path.is_dir() for path in files):
        raise click.UsageError(
            "--engine is for a folder of blocks: write one with glassrank data partition, or leave it out."
        )
    folder = open_folder(files, reading)
    if folder is None or engine != "spark":
        return folder
    from dataclasses import replace

    return replace(folder, engine=open_cluster(context, master))
