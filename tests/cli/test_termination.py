"""SIGTERM ends a command soon, also inside a library, and no temporary file is left."""

import signal
import subprocess
import sys

import pytest

from tests.house.repository import clean_environment

COMMAND = """
import sys, tempfile
import click
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
        import duckdb
        duckdb.sql("SELECT sum(a.i * b.i) FROM range(10000000) a(i), range(100000) b(i)").fetchall()""",
    "linear algebra": "import numpy as np; np.linalg.svd(np.random.default_rng(0).random((6000, 6000)))",
    "Python": "[n for n in iter(int, 1)]",
    "an orderly end that waits": """
        import threading
        threading.Thread(target=threading.Event().wait).start()
        [n for n in iter(int, 1)]""",
}


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
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
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
