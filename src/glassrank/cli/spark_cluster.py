"""The option ``--master`` of commands that can run on Spark."""

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from glassrank.data.engines.spark_engine import SparkEngine

master_option = click.option(
    "--master",
    metavar="URL",
    help="Spark cluster: spark://host:7077, yarn, local[4] and others. Default: that of spark-submit, or this machine.",
)


def check_master(engine: str | None, master: str | None) -> None:
    """Raise an error if a cluster is named and another engine is used."""
    if master is not None and engine != "spark":
        raise click.UsageError("--master is the address of a Spark cluster: it needs --engine spark.")


def open_cluster(context: click.Context, master: str | None) -> "SparkEngine":
    """Return the engine of a cluster; a session that it starts is stopped at the end of the command."""
    from glassrank.data.engines.spark_engine import SparkEngine

    return context.with_resource(SparkEngine(master=master))
