"""Damaged LETOR texts are rejected or read as by the slow reader; ``tests/fuzz_letor.py`` runs more of them."""

import subprocess
import sys
from pathlib import Path

from tests import fuzz_letor


def test_damaged_texts_are_rejected_or_read_as_by_the_slow_reader():
    outcomes = [fuzz_letor.check_one(seed=0, run=run) for run in range(4000)]
    # Both must be frequent; otherwise the damage is too heavy or too light to test anything.
    assert min(outcomes.count("refused"), outcomes.count("read")) > 1000


def test_the_script_runs_on_its_own():
    script = Path(fuzz_letor.__file__)
    done = subprocess.run(
        [sys.executable, script, "--runs", "20", "--seed", "3"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("20 damaged texts, seed 3: ")
