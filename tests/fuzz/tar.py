"""Tar archives, compared with Python's tarfile."""

import gzip
import io
import random
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.fuzz.cases import Case, Packed, odd_files
from tests.fuzz.pages import FAULTY, PAGE, TOKENS, build, check_faults, documents_of, is_small
from tests.fuzz.reader import Reader, damage_a_file, same

_TAR = "site.tar"
_BLOCK = 512


def _tar(files: Mapping[str, bytes], **options: Any) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", **options) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def _tar_corpus() -> list[Case]:
    archive = _tar({"a.html": PAGE, "b.html": b"<p>B"})
    long_names = _tar({f"{'a' * 300}/{number}.html": PAGE for number in range(3)}, format=tarfile.GNU_FORMAT)
    pax = _tar({f"{'é' * 300}/{number}.html": PAGE for number in range(3)}, format=tarfile.PAX_FORMAT)
    second = 2 * _BLOCK
    return [
        Case("tar", {_TAR: archive}),
        Case("packed tar", {_TAR: gzip.compress(archive)}),
        Case("long names", {_TAR: long_names}),
        Case("pax headers", {_TAR: pax}),
        Case("a second tar after the first", {_TAR: archive + _tar({"c.html": PAGE})}, expected=FAULTY),
        Case("zeroed block", {_TAR: archive[:second] + bytes(_BLOCK) + archive[second + _BLOCK :]}, expected=FAULTY),
        Case("rubbish after the end", {_TAR: archive + b"rubbish" * 300}, expected=FAULTY),
        Case("cut archive", {_TAR: archive[: second + 100]}, expected=FAULTY),
        Case("pax header of digits", {_TAR: _pax_header(1 << 20)}),
        Case("many pax records", {_TAR: _pax_header(0, records=400_000)}),
        Case("chained long names", {_TAR: _chained_names(5000)}),
        Case("gzip bomb of a page", {_TAR: _packed_member("a.html", 1100 << 20)}),
        Case("gzip bomb of a picture", {_TAR: _packed_member("a.png", 1100 << 20)}),
        *odd_files(_TAR),
    ]


def _header(name: str, size: int, kind: bytes) -> bytes:
    member = tarfile.TarInfo(name)
    member.size, member.type = size, kind
    return member.tobuf(tarfile.GNU_FORMAT)


def _padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % _BLOCK)


def _pax_header(length: int, records: int = 1) -> bytes:
    body = b"".join(_pax_record(b"comment%d" % number, b"1" * length) for number in range(records))
    return _header("pax", len(body), tarfile.XHDTYPE) + _padded(body) + _tar({"a.html": PAGE})


def _pax_record(name: bytes, value: bytes) -> bytes:
    """Return a record, which begins with its own length, including the digits of the length."""
    bare = len(name) + len(value) + 3
    size = bare + len(str(bare))
    size = bare + len(str(size))
    return b"%d %s=%s\n" % (size, name, value)


def _chained_names(times: int) -> bytes:
    return (_header("././@LongLink", 2, tarfile.GNUTYPE_LONGNAME) + _padded(b"a\0")) * times + _tar({"a.html": PAGE})


def _packed_member(name: str, size: int) -> Packed:
    return Packed(((_header(name, size, tarfile.REGTYPE), 1), (bytes(1 << 20), size >> 20), (bytes(1024), 1)))


def _read_tar(folder: Path, options: Mapping[str, Any]) -> None:
    """If no fault is reported, the files are those that tarfile finds in the archive, also after its end mark."""
    if is_small(folder / _TAR):
        documents, reading = documents_of(folder / _TAR)
        check_faults(reading, options)
        theirs = _by_tarfile(folder / _TAR)
        if not reading.skipped and theirs is not None:
            same("contents of files", [document.raw for document in documents], theirs)
    build(folder / _TAR)


def _by_tarfile(path: Path) -> list[bytes] | None:
    """Return the contents of the HTML files; None if tarfile finds a fault."""
    try:
        with tarfile.open(path, ignore_zeros=True, errors="surrogateescape") as archive:
            members = [member for member in archive if member.isfile()]
            return [archive.extractfile(member).read() for member in members]
    except (tarfile.TarError, OSError, EOFError, ValueError, RecursionError):
        return None


def _mutate_tar(generator: random.Random, case: Case, others: Sequence[Case]) -> Case:
    """Damage a header and correct its checksum, or damage any bytes."""
    content = case.files[_TAR]
    headers = [at for at in range(0, len(content) - _BLOCK, _BLOCK) if content[at + 257 : at + 262] == b"ustar"]
    if not headers or generator.random() < 0.4:
        return damage_a_file(generator, case, others, TOKENS)
    at = generator.choice(headers)
    fields = bytearray(content[at : at + _BLOCK])
    for _ in range(generator.randint(1, 3)):
        fields[generator.randrange(_BLOCK)] = generator.choice(b"\x00\xff\x800179xLKgSV./ ")
    fields[148:156] = b" " * 8
    fields[148:156] = b"%06o\0 " % sum(fields)
    return replace(case, files={_TAR: content[:at] + bytes(fields) + content[at + _BLOCK :]})


TAR = Reader("tar", _tar_corpus, _read_tar, share=10, mutate=_mutate_tar)
