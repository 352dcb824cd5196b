"""Members of a tar archive are those that tarfile finds; hostile headers cost neither memory nor the stack."""

import gzip
import io
import tarfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassrank.core.checks import DataError
from glassrank.data.web.open_collection import open_collection
from glassrank.data.web.tar_members import MAX_HEADER_BYTES, DamagedTarError, follows_end, read_members
from tests.data.web.sites import write_tar
from tests.data.web.test_files import kinds

ARCHIVED = st.dictionaries(
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=300).filter(
        lambda name: name.strip("/") not in ("", ".", "..")
    ),
    st.binary(max_size=2000),
    max_size=6,
)


def archive_of(files, kind=tarfile.PAX_FORMAT):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=kind, errors="surrogateescape") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def header(kind, size, name="x"):
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, size
    return info.tobuf(tarfile.GNU_FORMAT)


def padded(content):
    return content + b"\0" * (-len(content) % 512)


@settings(max_examples=60, deadline=None)
@given(ARCHIVED, st.sampled_from([tarfile.PAX_FORMAT, tarfile.GNU_FORMAT]))
def test_members_are_those_that_tarfile_finds(files, kind):
    raw = archive_of(files, kind)
    with tarfile.open(fileobj=io.BytesIO(raw)) as archive:
        expected = [(member.name, archive.extractfile(member).read()) for member in archive if member.isfile()]
    found = [(one.name.rstrip("/"), one.read(10**6)) for one in read_members(io.BytesIO(raw)) if one.is_file]
    assert found == [(name.rstrip("/"), content) for name, content in expected]


def test_links_folders_and_sparse_files_have_their_kind_and_do_not_shift_what_follows():
    plain = header(tarfile.REGTYPE, 3, "plain.html") + padded(b"<p>")
    listed = header(tarfile.DIRTYPE, 0, "folder/") + header(tarfile.SYMTYPE, 0, "link.html")
    # The map of a file of many pieces goes on in blocks of its own, before the content.
    first = bytearray(header(tarfile.GNUTYPE_SPARSE, 512, "sparse.html"))
    first[482] = 1
    checksum = sum(first[:148]) + 8 * 32 + sum(first[156:])
    first[148:156] = f"{checksum:06o}\0 ".encode()
    more, last = bytearray(512), bytearray(512)
    more[504] = 1
    raw = plain + listed + bytes(first) + bytes(more) + bytes(last) + padded(b"y" * 512) + plain + b"\0" * 1024
    found = [(one.name, one.is_folder, one.is_file, one.is_sparse) for one in read_members(io.BytesIO(raw))]
    assert found == [
        ("plain.html", False, True, False),
        ("folder", True, False, False),
        ("link.html", False, False, False),
        ("sparse.html", False, False, True),
        ("plain.html", False, True, False),
    ]


def test_a_chain_of_long_name_headers_exhausts_no_stack():
    links = (header(tarfile.GNUTYPE_LONGNAME, 4) + padded(b"name")) * 5000
    raw = links + header(tarfile.REGTYPE, 0) + b"\0" * 1024
    assert [member.name for member in read_members(io.BytesIO(raw))] == ["name"]


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME])
def test_a_header_beyond_the_limit_is_refused_before_it_is_read(kind):
    stream = io.BytesIO(header(kind, MAX_HEADER_BYTES + 1) + b"1" * 4096)
    with pytest.raises(DamagedTarError, match="a header of 1,048,577 bytes; at most 1,048,576 are read"):
        list(read_members(stream))
    assert stream.tell() == 512


@pytest.mark.parametrize("content", [b"12 path=abcde", b"3 path=x\n", b"999 path=x\n", b"path=x\n", b"9 size=-\n"])
def test_an_extended_header_that_contradicts_itself_is_refused(content):
    raw = header(tarfile.XHDTYPE, len(content)) + padded(content) + header(tarfile.REGTYPE, 0) + b"\0" * 1024
    with pytest.raises(DamagedTarError, match="a header that cannot be read"):
        list(read_members(io.BytesIO(raw)))


def test_an_extended_header_of_many_records_is_read():
    record = b"15 comment=abc\n"
    content = record * (MAX_HEADER_BYTES // len(record))
    raw = header(tarfile.XHDTYPE, len(content)) + padded(content) + header(tarfile.REGTYPE, 0, "a") + b"\0" * 1024
    assert [member.name for member in read_members(io.BytesIO(raw))] == ["a"]


FIRST, SECOND = ({name: b"<title>x</title>"} for name in ("1.html", "2.html"))
# What follows the first archive's member, and its end mark.
FOLLOWING = {
    "a second archive": archive_of(FIRST) + archive_of(SECOND),
    "a zeroed block": padded(archive_of(FIRST)[:1024]) + b"\0" * 512 + archive_of(SECOND),
    "garbage": archive_of(FIRST) + b"garbage",
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("raw", FOLLOWING.values(), ids=FOLLOWING)
def test_what_follows_the_end_of_an_archive_is_counted_and_refused_when_strict(tmp_path, raw, packed):
    path = tmp_path / "site.tar"
    path.write_bytes(gzip.compress(raw) if packed else raw)
    collection = open_collection(path, folder=tmp_path / "kept")
    assert len(collection.pages) == 1
    assert kinds(collection.reading.skipped) == {"data after the end of the archive": 1}
    with pytest.raises(DataError, match=r"site.tar: data after the end of the archive.*--ignore-zeros"):
        open_collection(path, folder=tmp_path / "strict", strict=True)


def test_garbage_after_packed_data_is_counted(tmp_path):
    path = write_tar(tmp_path / "site.tar.gz", FIRST)
    path.write_bytes(path.read_bytes() + b"garbage")
    assert kinds(open_collection(path, folder=tmp_path / "kept").reading.skipped) == {
        "data after the end of the archive": 1
    }


def test_zeros_alone_follow_no_end():
    assert not follows_end(io.BytesIO(b"\0" * 100_000))
    assert follows_end(io.BytesIO(b"\0" * 100_000 + b"x"))
