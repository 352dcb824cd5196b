"""Java libraries of search engines, each a program that is started once and asked through its input and output."""

import subprocess

import numpy as np
import pytest

from tools.engines.catalogue import ENGINES
from tools.engines.jars import absent_tool
from tools.engines.node import java_command


class JavaProgram:
    """A running program that loads a text, such as a model, and then scores rows of numbers."""

    def __init__(self, name):
        self.rows = np.zeros((0, 0))
        self.process = subprocess.Popen(
            java_command(ENGINES[name]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def load(self, text):
        """Load a text and return the answer: a list of words that starts with ``ok``, or a ValueError."""
        self._send("load", text.split("\n"))
        answer = self.process.stdout.readline().split()
        if answer[0] != "ok":
            raise ValueError(" ".join(answer[1:]))
        return answer[1:]

    def scores(self, rows):
        """Return one double per row."""
        rows = np.asarray(rows, dtype=float)
        if np.array_equal(rows, self.rows, equal_nan=True):
            self._send("again", [])
        else:
            # A value of a float32 array is written with the digits of a double, which no reader rounds differently.
            self._send("rows", [" ".join(map(repr, row)) for row in rows.tolist()])
        self.rows = rows
        return np.array([float(self.process.stdout.readline()) for _ in rows])

    def _send(self, command, lines):
        self.process.stdin.write(f"{command} {len(lines)}\n" + "".join(f"{line}\n" for line in lines))
        self.process.stdin.flush()

    def close(self):
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()


def started(name):
    lacking = absent_tool()
    if lacking:
        pytest.skip(f"the Java libraries of search engines are not available: {lacking}")
    return JavaProgram(name)


@pytest.fixture(scope="session")
def lucene():
    """Lucene's expressions: load one, then evaluate it for rows with one number per variable."""
    program = started("lucene_expressions")
    yield program
    program.close()


@pytest.fixture(scope="session")
def rank_lib():
    """RankLib: load a model, then score rows with one number per feature."""
    program = started("ranklib")
    yield program
    program.close()
