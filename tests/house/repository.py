"""Paths in the repository, and a clean environment for subprocesses."""

import ast
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "glassrank"
DOCS = ROOT / "docs"
BIN = Path(sys.executable).parent
PLAIN_OUTPUT = {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "120"}


def source_files() -> list[Path]:
    """Return every Python file of the package."""
    return sorted(PACKAGE.rglob("*.py"))


@cache
def syntax_tree(source: str) -> ast.Module:
    """Parse source text; cached, because many rules look at the same files."""
    return ast.parse(source)


@cache
def syntax_nodes(source: str) -> tuple[ast.AST, ...]:
    """Return all nodes of the syntax tree of source text."""
    return tuple(ast.walk(syntax_tree(source)))


def module_name(path: Path) -> str:
    """Return the dotted name of a file of the package."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def package_name(path: Path) -> str:
    """Return the dotted name of the package that contains a file, from which its relative imports start."""
    return ".".join(path.relative_to(PACKAGE.parent).parts[:-1])


def pages() -> list[Path]:
    """Return all pages for readers: those at the top of the repository and those of the site."""
    return [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md"))]


def relative(path: Path) -> str:
    """Return the path from the top of the repository, as the name of a test."""
    return path.relative_to(ROOT).as_posix()


def clean_environment(**extra: str) -> dict[str, str]:
    """Return the environment of a user's shell: this interpreter's commands first, no make flags, plain wide output."""
    inherited = {name: value for name, value in os.environ.items() if name not in _HARNESS and name != "PYTHONPATH"}
    path = os.pathsep.join([str(BIN), inherited.get("PATH", "")])
    return inherited | {"PATH": path} | PLAIN_OUTPUT | extra


def run_python(source: str) -> str:
    """Run the source in a new interpreter, which must succeed, and return its output."""
    done = subprocess.run(
        [sys.executable, "-c", source], env=clean_environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# Variables that make and pytest pass down; a command that reads them would behave differently than in a shell.
_HARNESS = {"MAKEFLAGS", "MAKELEVEL", "MFLAGS", "PYTEST_CURRENT_TEST"}
