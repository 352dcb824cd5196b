"""``glassrank intent profile``: a feature over the ranks of chosen queries, figure 2 of the paper."""

import json
from pathlib import Path
from typing import Any

import click

from glassrank.cli.console import PlainCommand, json_option, note, quiet_option, show, working
from glassrank.cli.output_file import check_picture
from glassrank.cli.queries.intent_sources import (
    check_labelled,
    labelled_options,
    read_labelled,
    read_sources,
    refuse_languages,
)
from glassrank.files.csv_text import csv_of_records


@click.command(cls=PlainCommand, short_help="Show a feature over the ranks of chosen queries.")
@click.option(
    "--query", "queries", multiple=True, required=True, metavar="ID", help="Query to show, one to three. Repeatable."
)
@click.option("--feature", default="urlmr", show_default=True, metavar="NAME", help="Feature of the results to show.")
@click.option(
    "--ranks", type=click.IntRange(1), default=100, show_default=True, metavar="N", help="Number of ranks to show."
)
@click.option(
    "--output",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also draw the values: .html, .svg, .png or .pdf.",
)
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed for simulation.")
@labelled_options
@json_option
@quiet_option
def profile(
    queries: tuple[str, ...],
    feature: str,
    ranks: int,
    output: Path | None,
    force: bool,
    seed: int,
    demo: bool,
    size: str | None,
    intents: Path | None,
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Show a feature over the first ranks of one to three queries, as in figure 2 of the paper.

    Prints a table with query_id, rank and value. --intents is optional here: it names the kind of each query.
    """
    check_picture(output, force)
    if demo or size is not None or intents is not None:
        check_labelled(demo, size, intents, given)
        sources, labels = read_labelled(size, intents, seed, quiet, given)
    else:
        refuse_languages(given)
        if given.pop("label_map"):
            raise click.UsageError("--label-map is for the labels of --intents: give --intents too.")
        sources, labels = read_sources(quiet, **given), {}
    from glassrank.studies.intent.features import profile_of_queries

    with working("Computing the features …", quiet):
        found = profile_of_queries(sources, queries, feature, intents=labels, ranks=ranks, strict=given["strict"])
    note(str(found), quiet)
    show(json.dumps(found.rows()) if as_json else csv_of_records(found.rows()).rstrip("\n"), data=True)
    if output is not None:
        with working(f"Drawing {output} …", quiet):
            found.chart().save(output)
        note(f"Wrote {output}.", quiet)
