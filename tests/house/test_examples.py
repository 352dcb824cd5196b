"""Every example and every experiment runs and writes the files that it promises."""

import runpy
import sys

import pytest

from tests.house.repository import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
EXPERIMENTS = ("orcas_report", "position_bias_report", "ranking_accuracy", "topic_distillation")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_the_example_runs_and_writes_into_the_folder(example, tmp_path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(example.parent)
    run_script(example, tmp_path, monkeypatch)
    assert capsys.readouterr().out.strip()
    assert any((tmp_path / "out").iterdir())


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_experiment_runs_and_writes_into_the_folder(name, tmp_path, monkeypatch, capsys):
    run_script(ROOT / "experiments" / f"{name}.py", tmp_path, monkeypatch)
    assert capsys.readouterr().out.strip()
    assert any((tmp_path / "out").iterdir())


def run_script(script, folder, monkeypatch):
    """Run a script inside this process, which has loaded the libraries; without real data, it uses simulated data."""
    monkeypatch.delenv("GLASSRANK_DATA", raising=False)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", [str(script), "out"])
    runpy.run_path(str(script), run_name="__main__")
