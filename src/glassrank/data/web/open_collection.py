"""Opens a collection from any kind of source."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from glassrank.core.checks import DataError
from glassrank.core.input_types import TableLike
from glassrank.core.progress import Progress, silent
from glassrank.core.setting import setting
from glassrank.data.collection import Collection
from glassrank.data.reading_report import ReadingTally
from glassrank.data.web.addresses import readable_name
from glassrank.data.web.build_collection import NoPagesError, build_collection
from glassrank.data.web.collection_cache import keep, kept_folder, source_digest
from glassrank.data.web.collection_store import has_collection, load_collection
from glassrank.data.web.file_naming import FileNaming, read_aliases
from glassrank.data.web.find_source import find_source
from glassrank.data.web.html_page import check_selectors
from glassrank.data.web.table_source import TableSource


def open_collection(
    source: str | os.PathLike[str],
    *,
    folder: str | os.PathLike[str] | None = None,
    base_url: str | None = None,
    url_from_name: bool = False,
    url_pattern: str | None = None,
    url_table: TableLike | None = None,
    aliases: Mapping[str, str] | str | os.PathLike[str] | None = None,
    drop: Sequence[str] = (),
    leave_out: Sequence[str] = (),
    strict: bool = False,
    progress: Progress | None = None,
) -> Collection:
    """Open a collection of pages and links; it is built the first time and loaded afterwards.

    ``source`` is a folder or tar archive of HTML files, a WARC file or a folder of them, a folder with the tables
    ``pages`` and ``links`` (Parquet, CSV or TSV), or a folder with a built collection. ``drop`` lists CSS selectors of
    elements to remove before a page is read. ``leave_out`` lists glob patterns of addresses (for files, of the path
    inside the source); matching pages are left out with every link to them. ``folder`` is where the built collection is
    stored (default: the user's cache), and ``progress`` is called with (done, total or None, what).
    ``collection.reading`` counts the faults of the source; with ``strict`` the first fault raises an error, even if the
    collection was built earlier without ``strict``.

    The address of a file is its path, or ``base_url`` followed by it. If the name of a file is an address with encoded
    slashes, ``http_^^www.a.edu^x.html`` or ``http%3A%2F%2Fwww.a.edu%2Fx.html``, that address is used and counted. With
    ``url_from_name`` folders are read too, as ``wget -r`` creates them: ``www.a.edu/x.html``. For other names,
    ``url_pattern`` is a path such as ``"crawl/{host}/{path}"``, with the fields host, path, scheme, url and any, and
    ``url_table`` is a table with the columns file and url. ``aliases`` are other names of hosts,
    ``{"www.a.edu": "a.edu"}``, or the path of a table with the columns alias and host.

    >>> _ = Path("site").mkdir()
    >>> _ = Path("site", "a.html").write_text("<title>A</title><p>See <a href='b.html'>the other</a>.")
    >>> _ = Path("site", "b.html").write_text("<title>B</title><p>Nothing more.")
    >>> collection = open_collection("site", folder="kept")
    >>> collection
    Collection(2 pages, 1 link, 1 of them between these pages)
    >>> print(collection.reading)
    site: folder of HTML files, 2 pages, 1 link
    """
    path = Path(source)
    check_options(drop, leave_out)
    if has_collection(path):
        options = {
            "folder": folder is not None,
            "base_url": base_url,
            "url_from_name": url_from_name,
            "url_pattern": url_pattern,
            "url_table": url_table is not None,
            "aliases": aliases,
            "drop": tuple(drop),
            "leave_out": tuple(leave_out),
        }
        return _open_built(path, options, strict)
    selectors = check_selectors(drop)
    naming = FileNaming(base_url, url_from_name, url_pattern, url_table)
    renamed = read_aliases(aliases)
    found = find_source(path, naming)
    given = [*naming.given, *(["drop"] if selectors else [])]
    if isinstance(found, TableSource) and given:
        raise DataError(
            f"{path}: contains tables, but {' and '.join(map(setting, given))} {'is' if len(given) == 1 else 'are'} "
            "for HTML.",
            remedy=f"Omit {'it' if len(given) == 1 else 'them'}, or open the HTML.",
        )
    digest = source_digest(path, {**naming.key(), "aliases": renamed, "drop": selectors, "leave_out": tuple(leave_out)})
    place = kept_folder(digest) if folder is None else Path(os.path.abspath(folder))
    name = readable_name(str(path))

    def build() -> tuple[Collection, Any]:
        tally = ReadingTally(strict)
        report = progress or silent
        collection = _build(found, tally, report, selectors, leave_out, renamed)
        return collection, tally.report(name, found.kind, len(collection.pages), len(collection.links))

    return keep(place, digest, name, build, faultless=strict)


def check_options(drop: Sequence[str], leave_out: Sequence[str]) -> None:
    """Raise an error for a string instead of a list, whose letters would count as patterns."""
    for name, values in (("drop", drop), ("leave_out", leave_out)):
        if isinstance(values, str):
            raise DataError(
                f"{name} must be a list: got the string {values!r}.",
                parameter=name,
                got=values,
                remedy=f"Use {setting(name, [values])}.",
            )


def _build(
    found: Any,
    tally: ReadingTally,
    progress: Progress,
    drop: Sequence[str],
    leave_out: Sequence[str],
    aliases: dict[str, str],
) -> Any:
    try:
        if isinstance(found, TableSource):
            return found.read(tally, leave_out, aliases)
        return build_collection(found, tally, progress, drop, leave_out, aliases)
    except NoPagesError as error:
        raise DataError(
            f"{found.path}: no page was found: expected HTML files or HTML responses. Reading report:\n"
            f"{tally.report(str(found.path), found.kind, 0, 0)}",
            remedy=("Choose another source", f"check {setting('leave_out')}"),
        ) from error


def _open_built(path: Path, options: dict[str, Any], strict: bool) -> Collection:
    given = [name for name, value in options.items() if value]
    if given:
        raise DataError(
            f"{path}: contains a built collection, to which {', '.join(map(setting, given))} cannot be applied.",
            remedy=f"Omit {'it' if len(given) == 1 else 'them'}, or open the source of the collection.",
        )
    collection = load_collection(path)
    if strict and collection.reading.n_faults:
        raise DataError(
            f"{path}: the collection was built from a source with faults: expected none, got "
            f"{collection.reading.n_faults:,}:\n{collection.reading}",
            remedy=(
                "Correct the source and rebuild the collection",
                f"open it {setting('strict', False, python='with strict=False')}",
            ),
        )
    return collection
