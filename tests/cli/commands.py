"""Runs the command line: in this process, which is fast, or in one of its own, as a user does."""

import subprocess
import sys
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from glassrank.cli.main import main
from tests.house.repository import BIN, clean_environment


@dataclass(frozen=True)
class Finished:
    """What a command left behind."""

    code: int
    out: str
    err: str


def glassrank(*arguments: object, folder: Path) -> Finished:
    """Run ``glassrank`` with these arguments in a folder, inside this process."""
    with chdir(folder):
        result = CliRunner(catch_exceptions=False).invoke(main, list(map(str, arguments)), prog_name="glassrank")
    return Finished(result.exit_code, result.stdout, result.stderr)


def process(*arguments: object, folder: Path) -> Finished:
    """Run ``glassrank`` with these arguments in a folder, as a process of its own."""
    return finished([str(BIN / "glassrank"), *map(str, arguments)], folder)


def shell(command: str, folder: Path) -> Finished:
    """Run a line of bash in a folder."""
    return finished(["bash", "-c", command], folder)


def python(source: str, folder: Path) -> Finished:
    """Run Python source in a folder, as a process of its own."""
    return finished([sys.executable, "-c", source], folder)


def finished(command: list[str], folder: Path) -> Finished:
    """Run a command to its end, in the environment of a user's shell."""
    done = subprocess.run(command, cwd=folder, env=clean_environment(), capture_output=True, text=True, check=False)
    return Finished(done.returncode, done.stdout, done.stderr)
