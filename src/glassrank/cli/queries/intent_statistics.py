"""``glassrank intent statistics``: read a log once, and store what the features of any query need."""

from pathlib import Path
from typing import Any

import click

from glassrank.cli.console import PlainCommand, note, quiet_option, show, working
from glassrank.cli.queries.intent_sources import WEB_OPTIONS, clean_files, read_web
from glassrank.cli.queries.log_options import bare_hosts_option, log_options, log_settings, schema_option


def _web_options(command: Any) -> Any:
    for option in reversed(WEB_OPTIONS):
        command = option(command)
    return command


@click.command(cls=PlainCommand, short_help="Store the statistics of a log.")
@click.argument("clicks", metavar="LOG...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--output",
    "-o",
    required=True,
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    help="New folder for the statistics.",
)
@schema_option
@_web_options
@log_options
@bare_hosts_option
@click.option("--strict", is_flag=True, help="Stop at the first error in the input instead of counting errors.")
@quiet_option
def statistics(
    clicks: tuple[Path, ...],
    output: Path,
    schema: str | None,
    links: Path | None,
    pages: Path | None,
    collection: Path | None,
    bare_hosts: bool,
    strict: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Read LOG once, and store the counts that the features of any query need in a folder, with links and pages.

    Several files are one log. intent serve, predict and explain read the folder with --statistics instead of the log,
    and compute the same features.
    """
    how = log_settings(reading)
    from glassrank.navigational.statistics_folder import check_new_statistics, save_intent_statistics

    check_new_statistics(output)
    log = clean_files(clicks, schema, quiet, strict, how)
    web = read_web(links, pages, collection, quiet, strict)
    with working("Counting …", quiet):
        made = save_intent_statistics(output, log, *web, bare_hosts=bare_hosts)
    show(str(made))
    note(f"Wrote {output}.", quiet)
