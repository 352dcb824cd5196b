"""Every example and every experiment runs and writes the files that it promises."""

import os
import subprocess
import sys

import pytest

from tests.house.repository import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
EXPERIMENTS = ("orcas_report", "position_bias_report", "ranking_accuracy", "topic_distillation")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_the_example_runs_and_writes_into_the_folder(example, tmp_path):
    assert written_by([example], tmp_path / "out", cwd=tmp_path)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_experiment_runs_and_writes_into_the_folder(name, tmp_path):
    assert written_by(["-m", f"experiments.{name}"], tmp_path / "out", cwd=ROOT)


def written_by(script, folder, cwd):
    """Return the names of the files that a script writes without real data; it then uses simulated data, in seconds."""
    environment = {name: value for name, value in os.environ.items() if name != "GLASSRANK_DATA"}
    run = subprocess.run(
        [sys.executable, *script, folder], cwd=cwd, capture_output=True, text=True, check=False, env=environment
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip()
    return sorted(path.name for path in folder.iterdir())
