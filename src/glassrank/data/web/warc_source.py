"""Reads web archives: responses become pages, redirects are followed, damaged records are counted and skipped."""

import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from glassrank.core.progress import Progress
from glassrank.data.hosts import LINKED_BEGINNINGS
from glassrank.data.reading_report import ReadingTally
from glassrank.data.web.addresses import WebAddresses, join_address, readable_name
from glassrank.data.web.documents import Document
from glassrank.data.web.http_response import GZIP_MAGIC, document_of, page_of, split_response
from glassrank.data.web.warc_records import WarcRecord, read_records

_NAMES = (".warc", ".warc.gz")
_PAGE_TYPES = ("response", "resource")
# ISO 28500, section 6. A revisit refers to a page in an earlier record.
_OTHER_TYPES = ("warcinfo", "request", "metadata", "conversion", "continuation")


class WarcSource:
    """Responses of one or more WARC files, compressed or not."""

    def __init__(self, path: Path, files: list[Path], beside: Sequence[Path] = ()) -> None:
        self.path = path
        self.files = files
        self._beside = beside
        self.kind = "WARC file" if files == [path] else "folder of WARC files"
        self.addresses = WebAddresses()

    def documents(self, tally: ReadingTally, progress: Progress) -> Iterator[Document]:
        """Yield pages and redirects; other responses and damaged records are counted."""
        for file in self._beside:
            tally.skip("other file beside the WARC files", readable_name(file.name))
        total = sum(file.stat().st_size for file in self.files)
        before = 0
        for file in self.files:
            yield from self._documents_of(file, tally, _shifted(progress, before, total))
            before += file.stat().st_size
        progress(total, total, "reading the archive")

    def _documents_of(self, file: Path, tally: ReadingTally, at: Any) -> Iterator[Document]:
        def wanted(headers: dict[str, str]) -> bool:
            return _is_read(headers, tally, readable_name(file.name))

        def damaged(what: str) -> None:
            tally.skip(f"damaged record ({what})", readable_name(file.name))

        for record in read_records(file, wanted, damaged, at):
            document = read_response(record, tally)
            if document is not None:
                yield document


def _is_read(headers: dict[str, str], tally: ReadingTally, file: str) -> bool:
    """Return whether a record may contain a page; other records are counted by type."""
    kind = headers.get("warc-type", "").lower()
    address = headers.get("warc-target-uri", "").strip("<>")
    if kind == "revisit":
        tally.skip("revisit record without content", address)
    elif kind == "":
        tally.skip("damaged record (no type)", file)
    elif kind not in _PAGE_TYPES:
        tally.note(f"record of {_named(kind)} (not read)", address or file)
    elif not address.startswith(LINKED_BEGINNINGS):
        tally.note("record without a web address (not read)", address or file)
    else:
        return True
    return False


def _named(kind: str) -> str:
    return f"type {kind}" if kind in _OTHER_TYPES else "an unknown type"


def is_warc_name(path: Path) -> bool:
    """Return whether a file has the name of a WARC file."""
    return path.name.lower().endswith(_NAMES)


def is_warc(path: Path) -> bool:
    """Return whether a file begins like a WARC file, compressed or not, or has the name of one."""
    with path.open("rb") as file:
        beginning = file.read(1 << 12)
    if beginning.startswith(GZIP_MAGIC):
        try:
            beginning = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(beginning, 16)
        except zlib.error:
            return is_warc_name(path)
    return beginning.startswith(b"WARC/") or is_warc_name(path)


def read_response(record: WarcRecord, tally: ReadingTally) -> Document | None:
    """Turn a record into a document; count it and return None if it is not a page."""
    uri = record.header("WARC-Target-URI").strip("<>")
    address = join_address(uri, "")
    if address is None:
        tally.skip("record without a valid address", uri)
        return None
    if record.header("WARC-Type").lower() == "resource":
        return page_of(address, record.block, {"content-type": record.header("Content-Type")}, tally)
    try:
        response = split_response(record.block)
    except ValueError as error:
        tally.skip(str(error), address)
        return None
    return document_of(address, response, tally)


def _shifted(progress: Progress, before: int, total: int) -> Any:
    return lambda position: progress(before + position, total, "reading the archive")
