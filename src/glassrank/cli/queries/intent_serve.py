"""``glassrank intent serve``: answer queries from standard input, one line each."""

import gc
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from glassrank.cli.console import PlainCommand, note, quiet_option, show
from glassrank.cli.queries.intent_predict import note_other_log


@click.command(cls=PlainCommand, short_help="Answer queries from standard input.")
@click.argument("model", metavar="MODEL", type=click.Path(path_type=Path))
@click.option(
    "--statistics",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Statistics written by intent statistics.",
)
@click.option(
    "--reasons",
    type=click.IntRange(0),
    default=3,
    show_default=True,
    metavar="N",
    help="Number of features that decided to name in each answer.",
)
@quiet_option
def serve(model: Path, statistics: Path, reasons: int, quiet: bool) -> None:
    """Read queries from standard input, and write the intent of each as a JSON line as soon as it is known.

    A line is a query, or a JSON object with query and results; without results, those of the log are used. A line that
    cannot be answered gets a JSON line with its error. The command ends with the input.
    """
    from glassrank.navigational.statistics_folder import load_intent_statistics
    from glassrank.studies.intent.model import IntentModel
    from glassrank.studies.intent.service import IntentService

    loaded = IntentModel.load(model)
    service = IntentService(loaded, load_intent_statistics(statistics), reasons=reasons)
    note_other_log(loaded, service.sources)
    # What was loaded stays until the end: without this, Python searches all of it for garbage during some queries.
    gc.collect()
    gc.freeze()
    note(f"Ready: {service.statistics}.", quiet)
    for line in service.answer_lines(_lines()):
        show(line, data=True)


def _lines() -> Iterator[bytes]:
    """Lines of standard input, each as soon as it is there; of a line that is too long, only the beginning."""
    from glassrank.studies.intent.service import MAX_LINE

    while line := sys.stdin.buffer.readline(MAX_LINE + 1):
        rest = line
        while len(rest) > MAX_LINE and not rest.endswith(b"\n"):
            rest = sys.stdin.buffer.readline(MAX_LINE + 1)
        yield line
