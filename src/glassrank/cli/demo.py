"""``glassrank demo``: simulate, train, measure and draw."""

from pathlib import Path

import click

from glassrank.cli.console import PlainCommand, json_option, progress_bar, quiet_option, show
from glassrank.cli.output_file import replace_option


@click.command(cls=PlainCommand)
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("demo"),
    show_default=True,
    help="Output folder for the report and the model.",
)
@click.option(
    "--queries", type=click.IntRange(20, 20_000), default=400, show_default=True, help="Number of queries to simulate."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed for the simulation.")
@replace_option
@json_option
@quiet_option
def demo(folder: Path, queries: int, seed: int, overwrite: bool, as_json: bool, quiet: bool) -> None:
    """Simulate the data of a search engine and study them: train a ranking SVM on half of the queries, drop features,
    compare with baselines on the other half, calibrate, and explain, in one interactive page."""
    from glassrank.studies.demo import run_demo

    with progress_bar(quiet, steps=True) as progress:
        result = run_demo(folder, n_queries=queries, seed=seed, overwrite=overwrite, progress=progress)
    show(result.to_json() if as_json else str(result), data=as_json)
