"""Where things stand in the repository."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "glassrank"
DOCS = ROOT / "docs"
BIN = Path(sys.executable).parent
PLAIN_OUTPUT = {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "120"}


def source_files() -> list[Path]:
    """Every Python file of the package."""
    return sorted(PACKAGE.rglob("*.py"))


def module_name(path: Path) -> str:
    """Dotted name under which a file of the package is imported."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def package_name(path: Path) -> str:
    """Dotted name of the package in which a file stands; its relative imports start there."""
    return ".".join(path.relative_to(PACKAGE.parent).parts[:-1])


def pages() -> list[Path]:
    """Every page a reader may open: those at the top of the repository and those of the site."""
    return [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md"))]


def relative(path: Path) -> str:
    """Path from the top of the repository, as a test's name."""
    return path.relative_to(ROOT).as_posix()


def clean_environment(**extra: str) -> dict[str, str]:
    """Environment of a user's shell: this interpreter's commands first, no make flags, plain and wide output."""
    inherited = {name: value for name, value in os.environ.items() if name not in _HARNESS and name != "PYTHONPATH"}
    path = os.pathsep.join([str(BIN), inherited.get("PATH", "")])
    return inherited | {"PATH": path} | PLAIN_OUTPUT | extra


def run_python(source: str) -> str:
    """What a fresh interpreter prints that runs the source; it must end well."""
    done = subprocess.run(
        [sys.executable, "-c", source], env=clean_environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# Variables that make and pytest hand down; a command that reads them would behave otherwise than in a shell.
_HARNESS = {"MAKEFLAGS", "MAKELEVEL", "MFLAGS", "PYTEST_CURRENT_TEST"}
