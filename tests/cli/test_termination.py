"""SIGTERM ends a command soon, also inside a library, and no temporary file is left."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.house.repository import clean_environment

COMMAND = """
import sys, tempfile, threading
import click, duckdb, numpy as np
from glassrank.cli.console import PlainCommand

@click.command(cls=PlainCommand)
def busy():
    with tempfile.TemporaryDirectory() as folder:
        open(folder + "/copy-of-a-log", "w").close()
        print("busy", flush=True)
        {work}

busy()
"""
# Each takes minutes at least. Python's own handler runs when it is over, or between two steps of the last one.
WORK = {
    "a query of DuckDB": """
        duckdb.sql("SELECT sum(a.i * b.i) FROM range(10000000) a(i), range(100000) b(i)").fetchall()""",
    "linear algebra": "np.linalg.svd(np.random.default_rng(0).random((6000, 6000)))",
    "Python": "[n for n in iter(int, 1)]",
    "an orderly end that waits": """
        threading.Thread(target=threading.Event().wait).start()
        [n for n in iter(int, 1)]""",
}


def wait_until_it_works(process, seconds=1.0):
    """Until it has used the processor for so long: the signal must meet the work, not the imports before it."""

    def used():
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    before = used()
    while used() < before + seconds:
        assert process.poll() is None
        time.sleep(0.05)


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_a_command_that_is_told_to_end_ends(tmp_path, work):
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND.format(work=work)],
        env=clean_environment(TMPDIR=str(tmp_path), OPENBLAS_NUM_THREADS="1"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "busy\n"
    assert list(tmp_path.iterdir())
    wait_until_it_works(process)
    process.send_signal(signal.SIGTERM)
    try:
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, err) == (143, "")
    assert list(tmp_path.iterdir()) == []


def test_a_command_leaves_the_place_of_temporary_files_as_it_was(tmp_path):
    source = """
import tempfile, threading
from glassrank.cli.termination import ending_when_told
before = tempfile.gettempdir()
with ending_when_told():
    inside = tempfile.gettempdir()
print(inside.startswith(before + "/glassrank-"), tempfile.gettempdir() == before)
"""
    done = subprocess.run(
        [sys.executable, "-c", source],
        env=clean_environment(TMPDIR=str(tmp_path)),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "True True\n"
    assert list(tmp_path.iterdir()) == []
