"""``glassrank intent labels``: derive the intents of queries from judged addresses."""

from pathlib import Path

import click

from glassrank.cli.console import PlainCommand, json_option, note, quiet_option, show, working
from glassrank.files.csv_text import csv_of_records

# Repeated here, so that --help need not import the module that defines them, which loads DuckDB.
SITES = ("url", "host", "domain")
CONFLICTS = ("median", "highest", "lowest", "error")


@click.command(cls=PlainCommand, short_help="Derive intents from judged addresses.")
@click.argument("judgements", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--perfect",
    type=click.FloatRange(0, min_open=True),
    required=True,
    metavar="GRADE",
    help="Lowest grade that is perfect.",
)
@click.option(
    "--site",
    type=click.Choice(SITES),
    default="url",
    show_default=True,
    help="What counts as a site: the address, its host, or its registered domain.",
)
@click.option("--top", type=click.IntRange(1), metavar="N", help="Ignore results below this rank. Default: use all.")
@click.option(
    "--conflict",
    type=click.Choice(CONFLICTS),
    default="median",
    show_default=True,
    help="Grade of an address with different grades for one query; median is the lower one of two.",
)
@click.option(
    "--results",
    "results",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Results of the queries to label, to report those without judgements. Repeatable.",
)
@json_option
@quiet_option
def labels(
    judgements: Path,
    perfect: float,
    site: str,
    top: int | None,
    conflict: str,
    results: tuple[Path, ...],
    as_json: bool,
    quiet: bool,
) -> None:
    """Label queries by the judged addresses of FILE: navigational if exactly one site is perfect.

    FILE is a table (CSV, TSV, Parquet) with query_id, url and grade, and optionally engine and rank. Prints a table
    with query_id, label and the reason, which --intents of the other commands reads; with --json, everything as JSON.
    """
    from glassrank.data.judgements.url_judgements import intents_from_judgements
    from glassrank.data.logs.load_results import load_results

    with working("Reading …", quiet):
        queries = load_results(list(results)) if results else None
        found = intents_from_judgements(
            judgements, perfect=perfect, site=site, top=top, conflict=conflict, queries=queries
        )
    note(str(found), quiet)
    show(found.to_json() if as_json else csv_of_records(found.rows()).rstrip("\n"), data=True)
