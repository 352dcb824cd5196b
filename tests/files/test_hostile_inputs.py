"""Every public reader refuses pipes and endless devices at once, and bombs within a limit of memory."""

import os
import subprocess
import sys
import zlib

import pytest

from tests.house.repository import clean_environment

READERS = {
    "load_letor": "a.txt",
    "load_lightgbm": "a.train",
    "load_table": "a.csv",
    "load_run": "a.run",
    "load_qrels": "a.qrels",
    "load_log": "a.tsv",
    "load_results": "b.csv",
    "open_collection": "a.tar",
    "score_links": "c.csv",
    "load_model": "m.json",
    "load_scorer": "n.json",
}
# Everything is imported before memory is measured, and so the reader has read a small file of its kind.
READ = """
import os, resource, sys
import glassrank
from glassrank import DataError
load, path, warm = getattr(glassrank, sys.argv[1]), sys.argv[2], sys.argv[3:]
for one in warm:
    load(one)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
try:
    load(path)
except DataError:
    print("DataError", (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""


def outcome(name, *paths, folder):
    """What a process of little memory says to a file: the kind of error, and the MiB it took."""
    done = subprocess.run(
        [sys.executable, "-c", READ, name, *map(str, paths)],
        cwd=folder,
        env=clean_environment(OPENBLAS_NUM_THREADS="1", XDG_CACHE_HOME=str(folder)),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-500:]
    kind, mebibytes = done.stdout.split()
    return kind, int(mebibytes)


@pytest.mark.parametrize("kind", ["pipe", "device"])
@pytest.mark.parametrize("name", READERS)
def test_a_reader_refuses_what_has_no_end(tmp_path, name, kind):
    path = tmp_path / READERS[name]
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    found, mebibytes = outcome(name, path, folder=tmp_path)
    assert found == "DataError"
    assert mebibytes < 300


BOMBS = {
    "load_letor": (b"", b"0 qid:1 1:0.5\n", "txt.gz"),
    "load_table": (b"qid,label,x\n", b"1,0,0.5\n", "csv.gz"),
    "load_log": (b"query,action,url\n", b"zen,click,http://a.org/\n", "csv.gz"),
    "load_results": (b"query_id,query,rank,url\n", b"1,zen,1,http://a.org/\n", "csv.gz"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_of_many_lines_is_refused_within_little_memory(tmp_path, name):
    """1.5 GB of ordinary lines in some 5 MB of gzip, of which 100 times as much may be unpacked."""
    head, line, ending = BOMBS[name]
    small, bomb = tmp_path / f"small.{ending}", tmp_path / f"bomb.{ending}"
    for path, count in ((small, 1), (bomb, 1_500)):
        packer, block = zlib.compressobj(9, zlib.DEFLATED, 31), line * (2**20 // len(line) if count > 1 else 2)
        pieces = [packer.compress(head), *(packer.compress(block) for _ in range(count)), packer.flush()]
        path.write_bytes(b"".join(pieces))
    found, mebibytes = outcome(name, bomb, small, folder=tmp_path)
    assert found == "DataError"
    assert mebibytes < 1_200
