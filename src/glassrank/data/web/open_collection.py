"""The one way to open a collection, whatever it is made of."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from glassrank.core.checks import DataError
from glassrank.core.progress import Progress, silent
from glassrank.core.setting import setting
from glassrank.data.collection import Collection
from glassrank.data.reading_report import ReadingTally
from glassrank.data.web.addresses import readable_name
from glassrank.data.web.build_collection import NoPagesError, build_collection
from glassrank.data.web.collection_cache import keep, kept_folder, source_digest
from glassrank.data.web.collection_store import holds_collection, load_collection
from glassrank.data.web.find_source import find_source
from glassrank.data.web.html_page import check_selectors
from glassrank.data.web.table_source import TableSource


def open_collection(
    source: str | os.PathLike[str],
    *,
    folder: str | os.PathLike[str] | None = None,
    base_url: str | None = None,
    drop: Sequence[str] = (),
    leave_out: Sequence[str] = (),
    strict: bool = False,
    progress: Progress | None = None,
) -> Collection:
    """Open a collection of pages and links; the first time it is built, later it is loaded.

    ``source`` is a folder or tar archive of HTML files, a WARC file or a folder of them, a folder with the tables
    ``pages`` and ``links`` (Parquet, CSV or TSV), or a folder that holds a built collection. ``drop`` names elements by
    CSS selectors that are removed before anything is read from a page; ``leave_out`` names pages by glob patterns of
    their addresses (for files: the path inside the source) that are left out with every link to them. Files get
    their path as address, or ``base_url`` followed by it. ``folder`` says where to keep the built collection (else:
    in the user's cache); ``progress`` is called with (done, total or None, what). What is wrong in the source is
    counted in ``collection.reading``; with ``strict`` the first fault is an error, also where the collection was built
    before without ``strict``.

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
    if holds_collection(path):
        return _open_built(path, _options(folder, base_url, drop, leave_out), strict)
    selectors = check_selectors(drop)
    found = find_source(path, base_url)
    if isinstance(found, TableSource) and (selectors or base_url is not None):
        raise DataError(
            f"{path}: {setting('drop')} and {setting('base_url')} are for HTML, and this folder contains tables.",
            remedy="Leave them out, or open the HTML.",
        )
    digest = source_digest(path, {"base_url": base_url, "drop": selectors, "leave_out": tuple(leave_out)})
    place = kept_folder(digest) if folder is None else Path(os.path.abspath(folder))
    name = readable_name(str(path))

    def build() -> tuple[Collection, Any]:
        tally = ReadingTally(strict)
        report = progress or silent
        collection = _build(found, tally, report, selectors, leave_out)
        return collection, tally.report(name, found.kind, len(collection.pages), len(collection.links))

    return keep(place, digest, name, build, faultless=strict)


def check_options(drop: Sequence[str], leave_out: Sequence[str]) -> None:
    """Refuse a single text where a list is expected: its letters would count as patterns."""
    for name, values in (("drop", drop), ("leave_out", leave_out)):
        if isinstance(values, str):
            raise DataError(
                f"{name} must be a list: got the text {values!r}.",
                parameter=name,
                got=values,
                remedy=f"Use {setting(name, [values])}.",
            )


def _build(found: Any, tally: ReadingTally, progress: Progress, drop: Sequence[str], leave_out: Sequence[str]) -> Any:
    try:
        if isinstance(found, TableSource):
            return found.read(tally, leave_out)
        return build_collection(found, tally, progress, drop, leave_out)
    except NoPagesError as error:
        raise DataError(
            f"{found.path}: no page was found: expected HTML files or HTML responses. Found:\n"
            f"{tally.report(str(found.path), found.kind, 0, 0)}",
            remedy=("Name another source", f"check {setting('leave_out')}"),
        ) from error


def _open_built(path: Path, options: dict[str, Any], strict: bool) -> Collection:
    given = [name for name, value in options.items() if value]
    if given:
        raise DataError(
            f"{path}: holds a built collection, to which {', '.join(map(setting, given))} cannot be applied any more.",
            remedy=f"Leave {'it' if len(given) == 1 else 'them'} out, or open the source that it was built from.",
        )
    collection = load_collection(path)
    if strict and collection.reading.n_faults:
        raise DataError(
            f"{path}: the collection was built from a source with faults: expected none, got "
            f"{collection.reading.n_faults:,}:\n{collection.reading}",
            remedy=(
                "Correct the source and build the collection again",
                f"open it {setting('strict', False, python='with strict=False')}",
            ),
        )
    return collection


def _options(folder: Any, base_url: str | None, drop: Sequence[str], leave_out: Sequence[str]) -> dict[str, Any]:
    return {"folder": folder is not None, "base_url": base_url, "drop": tuple(drop), "leave_out": tuple(leave_out)}
