"""Writes the simulated web as a web archive (WARC), as a crawler would."""

import os
from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import format_datetime
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import numpy as np

from glassrank.core.checks import DataError
from glassrank.files.atomic_files import written_whole
from glassrank.simulation.web.page_facts import READ_AT


def write_archive(path: str | os.PathLike[str], urls: Any, modified: Any, pages: Iterable[str]) -> None:
    """Write a record for each page, compressed if the name ends in ``.gz``; the file appears when it is complete."""
    target = Path(path)
    if not target.name.endswith((".warc", ".warc.gz")):
        raise DataError(f"{path}: the name of a web archive must end in .warc or .warc.gz.")
    try:
        from warcio.warcwriter import WARCWriter
    except ModuleNotFoundError as error:
        raise DataError(
            f"{path}: writing a web archive requires the extra warc, which is not installed.",
            remedy="Install it: pip install 'glassrank[warc]'.",
        ) from error
    with written_whole(path) as temporary, temporary.open("wb") as file:
        writer = WARCWriter(file, gzip=target.suffix == ".gz")
        for url, changed, html in zip(urls, modified, pages, strict=True):
            writer.write_record(_record(writer, url, changed, html))


def _record(writer: Any, url: str, changed: float, html: str) -> Any:
    from warcio.statusandheaders import StatusAndHeaders

    headers = [("Content-Type", "text/html; charset=utf-8")]
    if not np.isnan(changed):
        headers.append(("Last-Modified", format_datetime(datetime.fromtimestamp(changed, UTC), usegmt=True)))
    # Date and identifier are fixed, so that the same web gives the same archive.
    fixed = {
        "WARC-Date": datetime.fromtimestamp(READ_AT, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "WARC-Record-ID": f"<urn:uuid:{uuid5(NAMESPACE_URL, url)}>",
    }
    content = html.encode()
    return writer.create_warc_record(
        url,
        "response",
        payload=BytesIO(content),
        length=len(content),
        http_headers=StatusAndHeaders("200 OK", headers, protocol="HTTP/1.1"),
        warc_headers_dict=fixed,
    )
