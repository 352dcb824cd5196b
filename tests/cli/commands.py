"""Run the command line in this process, which is fast, or in a separate one, as a user does."""

import shlex
import subprocess
import sys
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from glassrank.cli.main import main
from tests.house.repository import BIN, PLAIN_OUTPUT, clean_environment


@dataclass(frozen=True)
class Finished:
    """Exit code and output of a command."""

    code: int
    out: str
    err: str


def glassrank(*arguments: object, folder: Path) -> Finished:
    """Run ``glassrank`` with these arguments in a folder, inside this process."""
    runner = CliRunner(catch_exceptions=False, env=PLAIN_OUTPUT)
    with chdir(folder):
        result = runner.invoke(main, list(map(str, arguments)), prog_name="glassrank")
    return Finished(result.exit_code, result.stdout, result.stderr)


def typed(line: str, folder: Path) -> Finished:
    """Run a line of shell; a plain ``glassrank`` command, with or without redirection, runs in this process."""
    words = shlex.shlex(line.replace("\\\n", " "), posix=True, punctuation_chars=True)
    words.whitespace_split = True
    first, *rest = words
    *arguments, mark, target = rest if rest[-2:-1] == [">"] else [*rest, "", ""]
    if first != "glassrank" or set(line) & set("$*?~`|<&;") or line.count(">") != len(mark):
        return shell(line, folder)
    done = glassrank(*arguments, folder=folder)
    if not mark:
        return done
    (folder / target).write_text(done.out)
    return Finished(done.code, "", done.err)


def process(*arguments: object, folder: Path) -> Finished:
    """Run ``glassrank`` with these arguments in a folder, in a separate process."""
    return finished([str(BIN / "glassrank"), *map(str, arguments)], folder)


def shell(command: str, folder: Path) -> Finished:
    """Run a line of bash in a folder."""
    return finished(["bash", "-c", command], folder)


def python(source: str, folder: Path) -> Finished:
    """Run Python source in a folder, in a separate process."""
    return finished([sys.executable, "-c", source], folder)


def finished(command: list[str], folder: Path) -> Finished:
    """Run a command until it ends, in the environment of a user's shell."""
    done = subprocess.run(command, cwd=folder, env=clean_environment(), capture_output=True, text=True, check=False)
    return Finished(done.returncode, done.stdout, done.stderr)
