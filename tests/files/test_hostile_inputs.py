"""Every public reader refuses pipes and endless devices at once, and bombs within a limit of memory."""

import os
import subprocess
import sys
from functools import cache

import pytest

from tests.files.bombs import gzip_of_repeated
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
# Everything is imported before memory is measured, and so a reader has read a small file of its kind.
READ = """
import resource, sys
import glassrank
from glassrank import DataError
warm, *given = (one.split(":") for one in sys.argv[1:])
loads = {name: getattr(glassrank, name) for name, _ in given}
for one in filter(None, warm):
    loads[given[0][0]](one)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
for name, path in given:
    try:
        loads[name](path)
    except DataError:
        print(name, "DataError", (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""


def outcomes(readers, folder, warm=""):
    """What readers in a process of little memory say to a file each: the kind of error, and the MiB taken so far."""
    done = subprocess.run(
        [sys.executable, "-c", READ, warm, *(f"{name}:{file}" for name, file in readers.items())],
        cwd=folder,
        env=clean_environment(OPENBLAS_NUM_THREADS="1", XDG_CACHE_HOME=str(folder)),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-500:]
    lines = map(str.split, done.stdout.splitlines())
    return {name: (kind, int(mebibytes)) for name, kind, mebibytes in lines}


@pytest.fixture(scope="module")
def refusals(tmp_path_factory):
    """What every reader says to a pipe or a device; one process reads all, because loading its libraries takes long."""

    @cache
    def of(kind):
        folder = tmp_path_factory.mktemp(kind)
        for file in READERS.values():
            os.mkfifo(folder / file) if kind == "pipe" else (folder / file).symlink_to("/dev/zero")
        return outcomes(READERS, folder)

    return of


@pytest.mark.parametrize("kind", ["pipe", "device"])
@pytest.mark.parametrize("name", READERS)
def test_a_reader_refuses_what_has_no_end(refusals, name, kind):
    found, mebibytes = refusals(kind)[name]
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
    """1.5 GB of ordinary lines in some 3 MB of gzip, of which 100 times as much may be unpacked."""
    head, line, ending = BOMBS[name]
    (tmp_path / f"small.{ending}").write_bytes(gzip_of_repeated(line, 2, head))
    (tmp_path / f"bomb.{ending}").write_bytes(gzip_of_repeated(line * (2**20 // len(line)), 1_500, head))
    found, mebibytes = outcomes({name: f"bomb.{ending}"}, tmp_path, warm=f"small.{ending}")[name]
    assert found == "DataError"
    assert mebibytes < 1_200
