"""A few kills at random moments; ``make kills`` does many more, and kills ranking studies too."""

import subprocess
import sys

from tests.house.repository import ROOT, clean_environment

QUICK = ("intent study", "collection build", "save")


def test_killed_and_concurrent_work_leaves_what_undisturbed_work_leaves():
    command = [sys.executable, ROOT / "tests" / "kills.py", "--kills", "2"]
    for name in QUICK:
        command += ["--only", name]
    done = subprocess.run(
        command, env=clean_environment(OPENBLAS_NUM_THREADS="1"), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("all results are equal") == len(QUICK)
