"""What a new user waits for: `make demo` in a fresh clone, importing glassrank, the first fit from cached kernels."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from harness import Claim, main

ROOT = Path(__file__).resolve().parents[1]

IMPORT = """
import time
began = time.process_time()
import glassrank
print(time.process_time() - began)
"""

FIRST_FIT = """
import time
import numba, sklearn.base
import numpy as np
X = np.random.default_rng(0).standard_normal((200, 5))
y, qid = np.arange(200) % 3, np.repeat(np.arange(10), 20)
began = time.process_time()
from glassrank import RankSVM
RankSVM().fit(X, y, qid=qid)
print(time.process_time() - began)
"""


def claims() -> Iterator[Claim]:
    """Best of five processes each, CPU time."""
    yield at_most("import glassrank", IMPORT, 0.15, "neither numba nor scikit-learn is loaded")
    yield at_most("first fit beyond importing numba and sklearn.base", FIRST_FIT, 0.5, "kernels come from the cache")
    yield first_demo(75)


def at_most(name: str, script: str, seconds: float, detail: str) -> Claim:
    """Measure a script that prints how long its part took."""
    measured = min(float(run(script)) for _ in range(5))
    return Claim(name, f"≤ {seconds:g} s CPU", f"{measured:.3f} s CPU", "–", measured <= seconds, detail)


def first_demo(seconds: float) -> Claim:
    """Wall time of `make demo` in a fresh clone of the last commit, once: it installs, compiles and runs."""
    steps = {"install": ".venv/.run", "compile": ".venv/.demo", "simulate, train and draw": "demo"}
    with TemporaryDirectory() as folder:
        subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True)
        took = {step: wall_seconds(["make", target], folder) for step, target in steps.items()}
    total = sum(took.values())
    detail = ", ".join(f"{step} {spent:.0f} s" for step, spent in took.items())
    return Claim("make demo in a fresh clone", f"≤ {seconds:g} s", f"{total:.0f} s", "–", total <= seconds, detail)


def wall_seconds(command: list[str], folder: str) -> float:
    began = time.perf_counter()
    subprocess.run(command, cwd=folder, capture_output=True, check=True)
    return time.perf_counter() - began


def run(script: str) -> str:
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main(claims)
