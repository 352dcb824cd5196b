"""``glassrank distill build`` and ``info``: build a collection without a query, and say what it contains."""

from pathlib import Path
from typing import Any

import click

from glassrank.cli.console import PlainCommand, json_option, quiet_option, show
from glassrank.cli.topics.collection_options import collection_options, read_collection
from glassrank.cli.topics.distill_options import language_option


@click.command(cls=PlainCommand, short_help="Build and store a collection and its text index.")
@click.argument("collection", metavar="COLLECTION", type=click.Path(path_type=Path))
@language_option
@collection_options
@json_option
@quiet_option
def build(collection: Path, language: str | None, as_json: bool, quiet: bool, **reading: Any) -> None:
    """Build COLLECTION and its text index, and print the reading report.

    Later commands with the same options load the stored collection. With --store, they also take its folder.
    """
    built = read_collection(collection, True, language=language, **reading)
    report = built.reading
    if as_json:
        show(report.to_json(), data=True)
        return
    show(str(report))
    show(f"stored in {built.folder}")


@click.command(cls=PlainCommand, short_help="Say what a collection contains.")
@click.argument("collection", metavar="COLLECTION", type=click.Path(path_type=Path))
@collection_options
@json_option
@quiet_option
def info(collection: Path, as_json: bool, quiet: bool, **reading: Any) -> None:
    """Count the pages, hosts, languages and links of COLLECTION, which is built if necessary."""
    from glassrank.data.web.collection_summary import summarise_collection

    found = summarise_collection(read_collection(collection, quiet, indexed=False, **reading))
    show(found.to_json() if as_json else str(found), data=as_json)
