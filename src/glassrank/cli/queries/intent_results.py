"""``glassrank intent results``: build result lists from a log, if the engine's own lists were not stored."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from glassrank.cli.console import PlainCommand, note, quiet_option, show, working
from glassrank.cli.queries.log_options import bare_hosts_option, log_options, log_settings, schema_option
from glassrank.files.csv_text import csv_text

if TYPE_CHECKING:
    from glassrank.data.search_results import SearchResults

ORDERS = ("position", "clicks")
COLUMNS = ("query_id", "query", "rank", "url")


@click.command(cls=PlainCommand, short_help="Build result lists from a log.")
@click.argument("clicks", metavar="LOG...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--intents",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Only queries of this table of intents, whose query_id is the query text. Default: all queries.",
)
@click.option(
    "--by",
    type=click.Choice(ORDERS),
    help="Order of a list: mean position, or number of clicks. Default: position if impressions have one, else clicks.",
)
@click.option(
    "--depth", type=click.IntRange(1), default=100, show_default=True, metavar="N", help="Results per query at most."
)
@schema_option
@log_options
@bare_hosts_option
@click.option("--strict", is_flag=True, help="Stop at the first error in the log instead of counting errors.")
@quiet_option
def results(
    clicks: tuple[Path, ...],
    intents: Path | None,
    by: str | None,
    depth: int,
    schema: str | None,
    bare_hosts: bool,
    strict: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Build the list of each query of LOG: the addresses shown or clicked for it. Several files are one log.

    Prints the table that --results of the other commands reads. The query text is the identifier of its list. A list
    built from clicks contains only clicked addresses.
    """
    how = log_settings(reading)
    from glassrank.data.logs.derived_results import results_from_log
    from glassrank.data.logs.load_log import load_log
    from glassrank.studies.intent.intents import load_query_ids

    wanted = None if intents is None else load_query_ids(intents)
    with working("Reading …", quiet):
        log = load_log(list(clicks), schema, strict=strict, **how)
    note(str(log.reading), quiet)
    found = results_from_log(log, by=by, depth=depth, queries=wanted, bare_hosts=bare_hosts)
    if wanted is not None:
        note(f"{len(set(found.query)):,} of {len(wanted):,} queries of {intents} have a result in the log.", quiet)
    show(_table(found), data=True)


def _table(found: "SearchResults") -> str:
    rows = zip(found.query_id, found.query, found.rank.astype(int).tolist(), found.url, strict=True)
    return csv_text(COLUMNS, rows).rstrip("\n")
