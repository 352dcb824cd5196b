"""Options of commands that can run on Spark."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

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


def fits_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say where the fits of a command run."""
    engine = click.option(
        "--engine",
        type=click.Choice(("local", "spark")),
        help="Where fits run in parallel: on the cores of this machine (local) or on the executors of Spark. "
        "Default: local.",
    )
    return engine(master_option(command))


def check_fits_options(engine: str | None, master: str | None, n_jobs: int | None) -> None:
    """Raise an error for options that exclude each other."""
    check_master(engine, master)
    if engine == "spark" and n_jobs == 1:
        raise click.UsageError("--jobs 1 runs all steps on this machine: leave it out, or --engine spark.")


def run_fits(engine: str | None, master: str | None) -> None:
    """Run the fits of the command where its options say."""
    if engine == "spark":
        run_fits_on(open_cluster(click.get_current_context(), master))


def run_fits_on(cluster: "SparkEngine") -> None:
    """Run the fits of the command on the executors of a cluster."""
    from glassrank.scale.spark_jobs import spark_jobs

    click.get_current_context().with_resource(spark_jobs(cluster))
