"""``glassrank intent study`` on simulated logs: the time of the whole command, generation included, and its best F1."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from harness import Claim, main

SIZES = {"demo": ("400 queries", 120.0), "seed": ("2,102 queries", 600.0)}


def claims() -> Iterator[Claim]:
    """The demonstration, and the size of the paper."""
    for size, (queries, at_most) in SIZES.items():
        with tempfile.TemporaryDirectory() as folder:
            started = time.perf_counter()
            study(size, Path(folder))
            seconds = time.perf_counter() - started
            found = json.loads((Path(folder) / "result.json").read_text())
        best = max(one["f1"] for one in found["coupling"]["coupled"])
        engine = found["coupling"]["classifiers"]["boosting trees"]
        yield Claim(
            f"intent study --size {size}, {queries}, features included",
            f"≤ {at_most:.0f} s",
            f"{seconds:.0f} s",
            "",
            seconds <= at_most,
            f"wall time; simulated; boosting trees by {engine}; F1 {best:.3f}",
        )


def study(size: str, folder: Path) -> None:
    """The command as a user gives it."""
    command = Path(sys.executable).with_name("glassrank")
    options = ["--size", size, "--folder", str(folder), "--quiet"]
    subprocess.run([command, "intent", "study", *options], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main(claims)
