"""Every example runs from start to end and leaves what it says it leaves."""

import os
import subprocess
import sys

import pytest

from tests.house.repository import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_the_example_runs_and_writes_into_the_folder(example, tmp_path):
    folder = tmp_path / "out"
    # Without real data the examples take simulated ones, in seconds.
    environment = {name: value for name, value in os.environ.items() if name != "GLASSRANK_DATA"}
    run = subprocess.run(
        [sys.executable, example, folder], cwd=tmp_path, capture_output=True, text=True, check=False, env=environment
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip()
    assert sorted(folder.iterdir())
