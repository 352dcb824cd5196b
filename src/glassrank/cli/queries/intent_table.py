"""``glassrank intent table``: write the features of queries as a table."""

import csv
import io
from collections.abc import Sequence
from functools import partial
from typing import Any

import click

from glassrank.cli.console import PlainCommand, note, quiet_option, show
from glassrank.cli.queries.intent_sources import read_sources, source_options


@click.command(cls=PlainCommand, short_help="Write the features of queries as a table.")
@source_options
@click.option(
    "--batch", type=click.IntRange(1), default=500, show_default=True, metavar="N", help="Queries to process at a time."
)
@quiet_option
def table(batch: int, quiet: bool, **given: Any) -> None:
    """Compute the features of the queries of --results, and print them as a CSV table.

    A row contains query_id, query and one value for each feature and operator, empty if it is missing. --features of
    intent predict and explain reads the table.
    """
    sources = read_sources(quiet, **given)
    from glassrank.studies.intent.model import rows_of_results

    report = partial(note, quiet=quiet)
    names: tuple[str, ...] = ()
    for row in rows_of_results(sources, batch, strict=given["strict"], note=report):
        if not names:
            names = tuple(row.values)
            show(_line(["query_id", "query", *names]), data=True)
        values = (row.values[name] for name in names)
        show(_line([row.query_id, row.query, *("" if value != value else repr(value) for value in values)]), data=True)


def _line(fields: Sequence[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(fields)
    return text.getvalue()
