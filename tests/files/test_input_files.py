"""Input files: only regular ones are opened, packed ones are unpacked by content and only within their limit."""

import bz2
import gzip
import io
import lzma
import os
import socket
import subprocess
import sys
import zlib

import pytest

from glassrank import DataError
from glassrank.core.limits import MAX_RECORD_BYTES, MAX_UNPACKED_BYTES, MAX_UNPACKED_RATIO
from glassrank.files.atomic_files import read_bytes
from glassrank.files.input_files import input_lines, open_input, unpacked, unpacked_limit
from tests.files.bombs import gzip_of_repeated

PACKERS = {"gzip": gzip.compress, "xz": lzma.compress, "bzip2": bz2.compress}


def gzip_of_zeros(n_bytes: int) -> bytes:
    return gzip_of_repeated(bytes(2**20), n_bytes // 2**20)


@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize("size", [1, 7, 4096, -1])
def test_packed_content_comes_out_whole_in_reads_of_any_size(tmp_path, packing, size):
    content = os.urandom(20_000) + bytes(20_000)
    (tmp_path / "a").write_bytes(PACKERS[packing](content[:30_000]) + PACKERS[packing](content[30_000:]))
    with open_input(tmp_path / "a") as stream:
        assert b"".join(iter(lambda: stream.read(size), b"")) == content


@pytest.mark.parametrize("packing", PACKERS)
def test_rubbish_after_a_packed_stream_is_refused(tmp_path, packing):
    (tmp_path / "a").write_bytes(PACKERS[packing](b"content") + b"rubbish")
    with pytest.raises(DataError, match=f"a: the {packing} data are (damaged|truncated)"):
        read_bytes(tmp_path / "a")


@pytest.mark.parametrize("packing", PACKERS)
def test_an_empty_packed_file_is_empty(tmp_path, packing):
    (tmp_path / "a").write_bytes(PACKERS[packing](b""))
    assert read_bytes(tmp_path / "a") == b""


def test_text_that_begins_like_bzip2_is_text(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"BZh1,label\n")
    assert read_bytes(tmp_path / "a.csv") == b"BZh1,label\n"


def test_small_packed_files_may_unpack_to_the_limit_and_no_further(tmp_path):
    (tmp_path / "fits").write_bytes(gzip_of_zeros(MAX_UNPACKED_BYTES))
    assert len(read_bytes(tmp_path / "fits")) == MAX_UNPACKED_BYTES
    (tmp_path / "over").write_bytes(gzip_of_zeros(MAX_UNPACKED_BYTES) + gzip.compress(b"1"))
    with pytest.raises(DataError, match=rf"unpack to more than {MAX_UNPACKED_BYTES:,} bytes.*unpack it first"):
        read_bytes(tmp_path / "over")


def test_large_packed_files_may_unpack_to_a_multiple_of_their_size():
    assert unpacked_limit(10**9) == MAX_UNPACKED_RATIO * 10**9


def test_the_limit_applies_while_reading_not_after():
    stream = unpacked(io.BytesIO(gzip_of_zeros(MAX_UNPACKED_BYTES + 2**20)), 1, "bomb.gz")
    assert len(stream.read(MAX_UNPACKED_BYTES)) == MAX_UNPACKED_BYTES
    with pytest.raises(DataError, match=r"bomb\.gz: the gzip data unpack to more than"):
        stream.read(1)


def test_a_bomb_takes_no_more_memory_than_the_limit_allows(tmp_path):
    """1.5 MB that unpack to 1.5 GB, in a process whose memory is measured."""
    (tmp_path / "bomb.gz").write_bytes(gzip_of_zeros(1_500 * 2**20))
    code = (
        "import resource, sys\n"
        "from glassrank import DataError\n"
        "from glassrank.files.atomic_files import read_bytes\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try:\n    read_bytes(sys.argv[1])\nexcept DataError:\n"
        "    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "bomb.gz"], capture_output=True, text=True, timeout=120, check=True
    )
    assert int(run.stdout) * 1024 < 2 * unpacked_limit((tmp_path / "bomb.gz").stat().st_size)


def test_xz_that_asks_for_endless_memory_is_refused(tmp_path):
    packer = lzma.LZMACompressor(lzma.FORMAT_XZ, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 2**20}])
    small = packer.compress(b"content") + packer.flush()
    # The block header of 12 bytes follows the stream header of 12: the size of the dictionary is the byte after the
    # filter's number and the length of its settings, and a checksum ends the header. 36 stands for 1 GiB.
    header = bytearray(small[12:24])
    header[header.index(b"\x21\x01") + 2] = 36
    header[-4:] = zlib.crc32(bytes(header[:-4])).to_bytes(4, "little")
    (tmp_path / "greedy.xz").write_bytes(small[:12] + bytes(header) + small[24:])
    with pytest.raises(DataError, match="the xz data are damaged: Memory usage limit exceeded"):
        read_bytes(tmp_path / "greedy.xz")


def test_pipes_devices_and_sockets_are_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    bound = socket.socket(socket.AF_UNIX)
    bound.bind(str(tmp_path / "socket"))
    (tmp_path / "zero").symlink_to("/dev/zero")
    for name in ("pipe", "socket", "zero"):
        with pytest.raises(DataError, match=f"{name}: expected a regular file, got a pipe, a socket or a device"):
            read_bytes(tmp_path / name)
    bound.close()


def test_a_name_that_no_file_can_have_is_refused():
    with pytest.raises(DataError, match="cannot be the name of a file"):
        read_bytes("a\0b")


def test_an_error_of_the_caller_passes_through_unchanged(tmp_path):
    (tmp_path / "a").write_bytes(b"content")
    with pytest.raises(OSError, match="of the caller"), open_input(tmp_path / "a"):
        raise OSError("of the caller")


@pytest.mark.parametrize("content", [b"", b"\n", b"a", b"a\n", b"\n\na\r\n", b"x" * 3_000_000 + b"\nb"])
def test_lines_are_those_of_python_up_to_the_limit(content):
    lines = input_lines(io.BytesIO(content), "a.txt")
    if len(content) > MAX_RECORD_BYTES:
        with pytest.raises(DataError, match=r"a\.txt:1: the line is longer than 2,000,000 bytes"):
            list(lines)
    else:
        assert list(lines) == [line.removesuffix(b"\n") for line in io.BytesIO(content)]


def test_the_line_beyond_the_limit_is_named():
    for content in (b"a\nb\n" + b"x" * 9_000_000, b"a\nb\n" + b"x" * (MAX_RECORD_BYTES + 1) + b"\nc"):
        with pytest.raises(DataError, match=r"a\.txt:3: the line is longer"):
            list(input_lines(io.BytesIO(content), "a.txt"))
