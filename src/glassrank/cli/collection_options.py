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
        "--store",
        metavar="FOLDER",
        type=click.Path(file_okay=False, path_type=Path),
        help="Folder that stores the built collection. Default: the user's cache.",
    ),
)


def collection_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for reading pages; the command passes them to ``read_collection``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_collection(
    source: Path,
    quiet: bool,
    *,
    drop: tuple[str, ...] = (),
    leave_out: tuple[str, ...] = (),
    base_url: str | None = None,
    store: Path | None = None,
) -> "Collection":
    """Open a collection and its text index, building both on first use, with progress on stderr."""
    from glassrank.data.web.open_collection import open_collection
    from glassrank.distillation.prepared_collection import prepare

    read: set[str] = set()
    with progress_bar(quiet) as bar:

        def progress(done: int, total: int | None, what: str) -> None:
            read.add(what)
            bar(done, total, what)

        collection = open_collection(
            source, folder=store, base_url=base_url, drop=drop, leave_out=leave_out, progress=progress
        )
        newly_read = bool(read)
        prepare(collection).load_index(progress)
    # For a stored collection, the notes were printed when it was built.
    if newly_read and collection.reading is not None and (collection.reading.skipped or collection.reading.noted):
        note(str(collection.reading), quiet)
    return collection
