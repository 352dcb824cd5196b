"""Every reader reads its corpus and some damaged inputs; ``make fuzz`` runs many more.

The run is a separate process, because workers are forked and a test run has threads.
"""

import json
import subprocess
import sys

import pytest

from tests.fuzz.readers import READERS
from tests.house.repository import ROOT


@pytest.fixture(scope="module")
def tallies(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fuzz")
    command = [sys.executable, "-m", "tests.fuzz", "--folder", folder / "kept", "--json", folder / "figures.json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert (folder / "figures.json").exists(), done.stderr
    return {tally["reader"]: tally for tally in json.loads((folder / "figures.json").read_text())}


@pytest.mark.parametrize("name", READERS)
def test_no_input_makes_a_reader_fail(name, tallies):
    failures = [f"{failure['name']}: {failure['problem'].splitlines()[0]}" for failure in tallies[name]["failures"]]
    assert failures == []


@pytest.mark.parametrize("name", READERS)
def test_the_damage_is_neither_too_light_nor_too_heavy(name, tallies):
    """Both outcomes must happen, or the inputs test nothing. Pages are never refused: damaged ones are counted."""
    counts = tallies[name]["counts"]
    assert counts["accepted"] > 0.1 * sum(counts.values())
    assert counts["refused"] > (0 if name != "HTML" else -1)
