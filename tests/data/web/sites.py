"""Small sites and archives for the tests."""

import gzip
import io
import tarfile
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter


def write_site(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def write_tar(path: Path, files: dict[str, str | bytes], mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as archive:
        for name, content in files.items():
            raw = content.encode() if isinstance(content, str) else content
            member = tarfile.TarInfo(name)
            member.size = len(raw)
            archive.addfile(member, io.BytesIO(raw))
    return path


def response(url, body=b"", status="200 OK", kind="response", **headers):
    """One record, compressed by warcio as crawlers do."""
    buffer = io.BytesIO()
    writer = WARCWriter(buffer, gzip=True)
    fields = [(name.replace("_", "-"), value) for name, value in headers.items()]
    http = StatusAndHeaders(status, fields, protocol="HTTP/1.1")
    record = writer.create_warc_record(url, kind, payload=io.BytesIO(body), http_headers=http)
    writer.write_record(record)
    record.raw_stream.close()
    return buffer.getvalue()


def page(url, html, **headers):
    return response(url, html if isinstance(html, bytes) else html.encode(), Content_Type="text/html", **headers)


def unpack(record: bytes) -> bytes:
    return gzip.decompress(record)
