"""Run the command line in this process, which is fast, or in a separate one, as a user does."""

import shlex
import subprocess
import sys
from contextlib import chdir
from dataclasses import dataclass
from itertools import groupby
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


def glassrank(*arguments: object, folder: Path, stdin: str | None = None) -> Finished:
    """Run ``glassrank`` with these arguments in a folder, inside this process."""
    runner = CliRunner(catch_exceptions=False, env=PLAIN_OUTPUT)
    with chdir(folder):
        result = runner.invoke(main, list(map(str, arguments)), input=stdin, prog_name="glassrank")
    return Finished(result.exit_code, result.stdout, result.stderr)


def typed(line: str, folder: Path) -> Finished:
    """Run a line of shell; plain ``glassrank`` commands run in this process, also with redirection or in a pipe."""
    words = shlex.shlex(line.replace("\\\n", " "), posix=True, punctuation_chars=True)
    words.whitespace_split = True
    rest = list(words)
    *rest, mark, target = rest if rest[-2:-1] == [">"] else [*rest, "", ""]
    if "glassrank" not in rest or set(line) & set("$*?~`<&;") or "||" in rest or line.count(">") != len(mark):
        return shell(line, folder)
    done = in_pipe([list(piece) for is_bar, piece in groupby(rest, "|".__eq__) if not is_bar], folder)
    if not mark:
        return done
    (folder / target).write_text(done.out)
    return Finished(done.code, "", done.err)


def in_pipe(pieces: list[list[str]], folder: Path) -> Finished:
    """Run commands one after the other, each with the output of the one before; stop if one fails."""
    done, said = Finished(0, "", ""), ""
    for number, piece in enumerate(pieces):
        stdin = done.out if number else None
        if piece[0] == "glassrank":
            done = glassrank(*piece[1:], folder=folder, stdin=stdin)
        else:
            done = finished(piece, folder, stdin)
        said += done.err
        if done.code != 0:
            break
    return Finished(done.code, done.out, said)


def process(*arguments: object, folder: Path) -> Finished:
    """Run ``glassrank`` with these arguments in a folder, in a separate process."""
    return finished([str(BIN / "glassrank"), *map(str, arguments)], folder)


def shell(command: str, folder: Path) -> Finished:
    """Run a line of bash in a folder."""
    return finished(["bash", "-c", command], folder)


def python(source: str, folder: Path, *arguments: str) -> Finished:
    """Run Python source in a folder, in a separate process."""
    return finished([sys.executable, "-c", source, *arguments], folder)


def finished(command: list[str], folder: Path, stdin: str | None = None) -> Finished:
    """Run a command until it ends, in the environment of a user's shell."""
    done = subprocess.run(
        command, cwd=folder, env=clean_environment(), input=stdin, capture_output=True, text=True, check=False
    )
    return Finished(done.returncode, done.stdout, done.stderr)
