"""Options for opening a collection of pages."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from glassrank.cli.console import note, progress_bar

if TYPE_CHECKING:
    from glassrank.data.collection import Collection

_OPTIONS = (
    click.option(
        "--drop",
        multiple=True,
        metavar="CSS",
        help="CSS selector of elements to remove from every page. Repeatable.",
    ),
    click.option(
        "--leave-out",
        multiple=True,
        metavar="GLOB",
        help="URL pattern of pages to leave out, such as 'wp/index/*'. Repeatable.",
    ),
    click.option("--base-url", metavar="URL", help="Base URL of the files."),
    click.option(
        "--url-from-name",
        is_flag=True,
        help="Read the URLs from file names such as http_^^www.a.edu^x.html, or from folders such as www.a.edu.",
    ),
    click.option(
        "--url-pattern",
        metavar="PATTERN",
        help="Read the URLs from paths by a pattern, such as 'crawl/{host}/{path}'.",
    ),
    click.option(
        "--url-table",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Read the URLs of the files from a table with the columns file and url.",
    ),
    click.option(
        "--alias",
        "aliases",
        multiple=True,
        metavar="HOST=HOST",
        help="Treat the first host as the second. Repeatable; or a table with the columns alias and host.",
    ),
    click.option(
        "--store",
        metavar="FOLDER",
        type=click.Path(file_okay=False, path_type=Path),
        help="Folder that stores the built collection. Default: the user's cache.",
    ),
)

READING = ("drop", "leave_out", "base_url", "url_from_name", "url_pattern", "url_table", "aliases", "store")
"""The library's names of the options, and ``store``."""


def collection_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for reading pages; the command passes them to ``read_collection``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def pop_reading(options: dict[str, Any]) -> dict[str, Any]:
    """Take the options of ``read_collection`` out of the options of a command."""
    return {name: options.pop(name) for name in READING}


def read_collection(
    source: Path,
    quiet: bool,
    store: Path | None = None,
    language: str | None = None,
    indexed: bool = True,
    **reading: Any,
) -> "Collection":
    """Open a collection and its text index, building both on first use, with progress on stderr."""
    from glassrank.data.web.open_collection import open_collection
    from glassrank.distillation.prepared_collection import prepare

    read: set[str] = set()
    with progress_bar(quiet) as bar:

        def progress(done: int, total: int | None, what: str) -> None:
            read.add(what)
            bar(done, total, what)

        aliases = _aliases(reading.pop("aliases", ()))
        collection = open_collection(source, folder=store, aliases=aliases, progress=progress, **reading)
        newly_read = bool(read)
        if indexed:
            prepared = prepare(collection, language)
            prepared.load_index(progress)
            if language is None and prepared.stored_languages:
                built = " and ".join(prepared.stored_languages)
                note(f"The stored collection also has an index of {built} words, which --language would use.", quiet)
    # For a stored collection, the notes were printed when it was built.
    if newly_read and collection.reading is not None and (collection.reading.skipped or collection.reading.noted):
        note(str(collection.reading), quiet)
    return collection


def _aliases(given: tuple[str, ...]) -> "dict[str, str] | str":
    """Return pairs of hosts, or the path of a table."""
    if len(given) == 1 and "=" not in given[0]:
        return given[0]
    wrong = next((alias for alias in given if alias.count("=") != 1), None)
    if wrong is not None:
        raise click.UsageError(f"--alias must be two hosts, such as www.a.edu=a.edu, or one table: got {wrong}.")
    return dict(alias.split("=") for alias in given)
