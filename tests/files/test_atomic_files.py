"""Compression is recognised by content, and files are written completely or not at all."""

import gzip
import lzma
import os
import stat
import subprocess
import sys

import pytest

from glassrank import BestSingleFeature, DataError, open_collection, save_model, save_table, simulate_ranking, study
from glassrank.files.atomic_files import read_bytes, write_atomically
from tests.house.repository import clean_environment

CONTENT = b"0 qid:1 1:0.5\n" * 1000


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress], ids=["plain", "gzip", "xz"])
@pytest.mark.parametrize("name", ["a.txt", "a.gz", "a.xz"])
def test_compression_is_recognised_by_content_not_by_name(tmp_path, pack, name):
    (tmp_path / name).write_bytes(pack(CONTENT))
    assert read_bytes(tmp_path / name) == CONTENT
    assert read_bytes(str(tmp_path / name)) == CONTENT


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress], ids=["gzip", "xz"])
def test_concatenated_compressed_files_are_read_as_one(tmp_path, pack):
    (tmp_path / "two").write_bytes(pack(b"first\n") + pack(b"second\n"))
    assert read_bytes(tmp_path / "two") == b"first\nsecond\n"


def test_padding_after_an_xz_stream_is_allowed(tmp_path):
    (tmp_path / "padded").write_bytes(lzma.compress(CONTENT) + bytes(8))
    assert read_bytes(tmp_path / "padded") == CONTENT


@pytest.mark.parametrize(("pack", "kind"), [(gzip.compress, "gzip"), (lzma.compress, "xz")])
@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_truncated_compressed_file_is_rejected(tmp_path, pack, kind, share):
    packed = pack(os.urandom(5000))
    path = tmp_path / "part"
    path.write_bytes(packed[: int(len(packed) * share)])
    with pytest.raises(DataError, match=f"part: the {kind} data are truncated: expected a complete"):
        read_bytes(path)


@pytest.mark.parametrize(("pack", "kind"), [(gzip.compress, "gzip"), (lzma.compress, "xz")])
def test_damaged_and_trailing_bytes_of_a_compressed_file_are_rejected(tmp_path, pack, kind):
    packed = bytearray(pack(CONTENT))
    (tmp_path / "trailing").write_bytes(bytes(packed) + b"rubbish after the end")
    packed[len(packed) // 2] ^= 255
    (tmp_path / "damaged").write_bytes(bytes(packed))
    for name in ("trailing", "damaged"):
        with pytest.raises(DataError, match=f"{name}: the {kind} data are damaged"):
            read_bytes(tmp_path / name)


def test_errors_for_missing_files_and_folders_contain_the_path(tmp_path):
    with pytest.raises(DataError, match=r"nowhere.txt: there is no such file. Check the name"):
        read_bytes(tmp_path / "nowhere.txt")
    with pytest.raises(DataError, match="expected a file, got a folder"):
        read_bytes(tmp_path)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(DataError, match="cannot be read: Not a directory"):
        read_bytes(tmp_path / "file" / "below")


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "a.xz", "a.GZ"])
def test_written_content_can_be_read(tmp_path, name):
    write_atomically(tmp_path / name, CONTENT)
    assert read_bytes(tmp_path / name) == CONTENT
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_the_suffix_selects_the_compression(tmp_path):
    for name, unpack in [("a.txt", bytes), ("a.gz", gzip.decompress), ("a.xz", lzma.decompress)]:
        write_atomically(tmp_path / name, CONTENT)
        assert unpack((tmp_path / name).read_bytes()) == CONTENT


def test_the_same_content_gives_the_same_bytes(tmp_path):
    write_atomically(tmp_path / "a.gz", CONTENT)
    write_atomically(tmp_path / "b.gz", CONTENT)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_an_old_file_is_replaced_and_keeps_its_permissions(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    path.chmod(0o640)
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_gets_ordinary_permissions(tmp_path):
    (tmp_path / "ordinary").write_bytes(b"")
    write_atomically(tmp_path / "written", b"")
    assert (tmp_path / "written").stat().st_mode == (tmp_path / "ordinary").stat().st_mode


def test_a_reader_of_the_old_file_keeps_seeing_the_old_content(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    with path.open("rb") as reader:
        write_atomically(path, b"new and longer")
        assert reader.read() == b"old"


def test_a_symbolic_link_is_followed(tmp_path):
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    write_atomically(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"new"


def test_a_long_name_can_be_written(tmp_path):
    path = tmp_path / ("n" * 250)
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"


def test_a_path_that_cannot_be_written_is_rejected_without_leaving_files(tmp_path):
    with pytest.raises(DataError, match=r"the folder .*none does not exist. Create it first"):
        write_atomically(tmp_path / "none" / "a.txt", b"")
    (tmp_path / "folder").mkdir()
    with pytest.raises(DataError, match="expected the name of a file, got a folder"):
        write_atomically(tmp_path / "folder", b"")
    with pytest.raises(DataError, match="cannot be written: File name too long"):
        write_atomically(tmp_path / ("n" * 300), b"")
    assert [path.name for path in tmp_path.rglob("*")] == ["folder"]


def test_a_long_name_of_two_byte_letters_can_be_written(tmp_path):
    path = tmp_path / ("é" * 125)
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"


WRITE_AND_DIE = """
import os, signal, sys
from glassrank.files.atomic_files import written_whole
with written_whole(sys.argv[1]) as temporary:
    temporary.write_bytes(b"half")
    print(temporary.name, flush=True)
    if sys.argv[2] == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    sys.stdin.read()
"""


def started(path, what):
    command = [sys.executable, "-c", WRITE_AND_DIE, str(path), what]
    return subprocess.Popen(command, env=clean_environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_what_a_killed_process_left_is_removed_by_the_next_that_writes_to_the_path(tmp_path):
    path = tmp_path / "a.txt"
    with started(path, "die") as killed:
        left = killed.stdout.readline().strip()
    assert [one.name for one in tmp_path.iterdir()] == [left]
    write_atomically(tmp_path / "a.tx", b"another file")
    assert (tmp_path / left).exists()
    write_atomically(path, b"new")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.tx", "a.txt"]


def test_what_another_process_is_writing_is_left_alone(tmp_path):
    path = tmp_path / "a.txt"
    with started(path, "wait") as writing:
        temporary = writing.stdout.readline().strip()
        write_atomically(path, b"ours")
        assert (tmp_path / temporary).exists()
        writing.stdin.close()
    assert (writing.returncode, path.read_bytes()) == (0, b"half")
    assert [one.name for one in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("name", ["x" * 300, "a\0b"], ids=["long", "null"])
def test_names_that_no_file_can_have_are_rejected_wherever_something_is_written(tmp_path, name):
    data = simulate_ranking(8, 6, random_state=0).data
    model = BestSingleFeature().fit(data.X, data.y, qid=data.qid)
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "a.html").write_text("<title>A</title>")
    path = str(tmp_path / name)
    for write in (
        lambda: write_atomically(path, b""),
        lambda: save_table(data, f"{path}.csv"),
        lambda: save_model(model, path),
        lambda: study(data, folder=path),
        lambda: open_collection(tmp_path / "site", folder=path),
    ):
        with pytest.raises(DataError):
            write()
    assert [one.name for one in tmp_path.iterdir()] == ["site"]
