"""Tests are distributed over workers so that no expensive fixture runs twice."""

import subprocess
import sys

import pytest

from tests.distribution import SLOW_FOLDERS, SPLIT_FILES, WHOLE_FOLDERS, piece_of, place
from tests.house.repository import ROOT, clean_environment

CONFTEST = "from tests.distribution import pytest_collection_modifyitems, pytest_xdist_make_scheduler\n"
FILE = """
import os
from pathlib import Path
import pytest

@pytest.fixture(scope="module")
def costly():
    with Path({made!r}).open("a") as made:
        made.write(Path(__file__).name + "\\n")

@pytest.mark.parametrize("number", range(8))
def test_something(costly, number):
    pass
"""


def test_a_fixture_of_a_file_runs_once_over_all_workers(tmp_path):
    made = tmp_path / "made"
    (tmp_path / "conftest.py").write_text(CONFTEST)
    for name in ("test_a.py", "test_b.py"):
        (tmp_path / name).write_text(FILE.format(made=str(made)))
    command = [sys.executable, "-m", "pytest", "-p", "xdist.plugin", "-n", "2", "--rootdir", tmp_path, tmp_path]
    environment = clean_environment(PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert "16 passed" in done.stdout, done.stdout + done.stderr
    assert sorted(made.read_text().split()) == ["test_a.py", "test_b.py"]


def test_slow_tests_are_distributed_one_by_one_and_first():
    one, other = (f"{SPLIT_FILES[0]}::test_page[{name}]" for name in ("a.md", "b.md"))
    assert piece_of(one) != piece_of(other)
    assert piece_of("tests/core/pairs/test_sweeps.py::test_a") == piece_of("tests/core/pairs/test_sweeps.py::test_b")
    assert (
        place(one)
        < place(f"{SLOW_FOLDERS[0]}/test_rules.py::test_a")
        < place("tests/core/pairs/test_sweeps.py::test_a")
    )


def test_the_tests_of_an_engine_stay_together():
    one, other = (f"{WHOLE_FOLDERS[0]}/test_{name}.py::test_a" for name in ("solr", "harness"))
    assert piece_of(one) == piece_of(other)


def test_the_tests_on_spark_stay_together_and_come_first():
    one, other = "tests/scale/test_spark_blocks.py::test_a", "tests/cli/test_train_spark.py::test_b"
    assert piece_of(one) == piece_of(other)
    assert place(one) < place(f"{SLOW_FOLDERS[0]}/test_rules.py::test_a")


@pytest.mark.parametrize("path", [*SPLIT_FILES, *WHOLE_FOLDERS, *SLOW_FOLDERS])
def test_files_and_folders_listed_as_slow_exist(path):
    assert (ROOT / path).exists()
