"""How commands read what features of queries are computed from: results, clicks, links, pages."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from glassrank.cli.console import note, progress_bar, working

if TYPE_CHECKING:
    from glassrank.studies.intent_features import IntentSources

# Written out, because the modules that know them bring DuckDB, which help texts do without.
SCHEMAS = ("aol", "orcas", "plain", "ubi")
_file = click.Path(path_type=Path)
_OPTIONS = (
    click.option(
        "--results",
        "results",
        multiple=True,
        type=_file,
        metavar="FILE",
        help="Table of results: query_id, query, rank, url; where known score, engine, snippet. May stand several times.",
    ),
    click.option(
        "--clicks",
        "clicks",
        multiple=True,
        type=_file,
        metavar="FILE",
        help="Search log: OpenSearch UBI, ORCAS, AOL, or a table of events. May stand several times.",
    ),
    click.option("--schema", type=click.Choice(SCHEMAS), help="Schema of the log; recognised by its columns."),
    click.option("--links", type=_file, metavar="FILE", help="Table of links: source, target, anchor."),
    click.option("--pages", type=_file, metavar="FILE", help="Table of pages: url, title, text."),
    click.option(
        "--collection",
        type=_file,
        metavar="PATH",
        help="Pages and links at once: a folder or tar of HTML files, WARC files, or a folder of both tables.",
    ),
    click.option("--language", metavar="CODE", help="Language of the queries, such as en."),
    click.option(
        "--trusted-host",
        "trusted_hosts",
        multiple=True,
        metavar="HOST",
        help="Host that trust flows from, for the features of spam; may stand several times.",
    ),
    click.option("--strict", is_flag=True, help="Stop at the first fault of the input instead of counting it."),
)


def source_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options about sources; the command hands them on to ``read_sources``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_sources(
    quiet: bool,
    *,
    results: tuple[Path, ...],
    clicks: tuple[Path, ...],
    schema: str | None,
    links: Path | None,
    pages: Path | None,
    collection: Path | None,
    language: str | None,
    trusted_hosts: tuple[str, ...],
    strict: bool,
) -> "IntentSources":
    """Read all sources; what is wrong in them is counted and told on stderr."""
    if not results:
        raise click.UsageError(
            "Missing option '--results'. Without data of your own, try: glassrank intent study --demo."
        )
    if collection is not None and (links is not None or pages is not None):
        raise click.UsageError("--collection brings pages and links: leave out --pages and --links.")
    if schema is not None and not clicks:
        raise click.UsageError("--schema is that of a log: give the log with --clicks.")
    from glassrank.data.logs.load import load_log
    from glassrank.data.logs.results import load_results
    from glassrank.studies.intent_features import IntentSources

    with working("Reading …", quiet):
        lists = load_results(list(results), strict=strict)
        log = load_log(list(clicks), schema, strict=strict) if clicks else None
    for table in (lists, log):
        if table is not None:
            note(str(table.reading), quiet)
    web = _read_web(links, pages, collection, quiet)
    return IntentSources(lists, log, *web, language, trusted_hosts or None)


def _read_web(links: Path | None, pages: Path | None, collection: Path | None, quiet: bool) -> tuple[Any, Any]:
    """Links and pages, each None where it is not given."""
    if collection is not None:
        from glassrank.data.web.opening import open_collection

        with progress_bar(quiet) as progress:
            found = open_collection(collection, progress=progress)
        return found.links, found.pages
    from glassrank.data.collection import Links, Pages
    from glassrank.data.web.table_source import read_table

    given = ((Links, links), (Pages, pages))
    with working("Reading …", quiet):
        links_table, pages_table = (None if path is None else read_table(kind, path) for kind, path in given)
    return links_table, pages_table
