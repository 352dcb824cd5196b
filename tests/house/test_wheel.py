"""The wheel, built and installed outside the repository, is complete and contains nothing else."""

import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

import glassrank
from tests.house.repository import PACKAGE, ROOT, clean_environment


def run(command: list[object], folder: Path) -> str:
    done = subprocess.run(
        list(map(str, command)), cwd=folder, env=clean_environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The wheel, built with the installed backend, without an isolated environment and without a network."""
    folder = tmp_path_factory.mktemp("dist")
    run([sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder], ROOT)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """A separate environment with the wheel; it shares only the libraries with this one."""
    folder = tmp_path_factory.mktemp("user")
    run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], folder)
    python = folder / "venv" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python]
    run([*pip, "install", "--quiet", "--no-deps", "--no-index", wheel], folder)
    # A path in a .pth file is searched last, and .pth files found there are not read, so the repository's own
    # editable installation is not found.
    packages = run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], folder)
    Path(packages, "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


def test_the_wheel_contains_every_file_of_the_package_and_no_tests(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    package = {f"glassrank/{path.relative_to(PACKAGE).as_posix()}" for path in PACKAGE.rglob("*") if is_ours(path)}
    information = f"glassrank-{glassrank.__version__}.dist-info"
    assert "glassrank/py.typed" in package
    assert {name for name in names if not name.startswith(information)} == package
    assert f"{information}/licenses/LICENSE" in names


def is_ours(path: Path) -> bool:
    return path.is_file() and "__pycache__" not in path.parts


def test_the_installed_command_prints_its_version(installed):
    command = installed / "venv" / "bin" / "glassrank"
    assert glassrank.__version__ in run([command, "--version"], installed)


def test_the_installed_package_is_from_the_wheel_and_loads_every_name(installed):
    script = "import glassrank; [getattr(glassrank, name) for name in glassrank.__all__]; print(glassrank.__file__)"
    python = installed / "venv" / "bin" / "python"
    assert Path(run([python, "-c", script], installed)).is_relative_to(installed / "venv")
