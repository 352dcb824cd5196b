"""What a user waits for before anything happens: importing glassrank, and the first fit with kernels in the cache."""

import subprocess
import sys
from collections.abc import Iterator

from harness import Claim, main

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


def at_most(name: str, script: str, seconds: float, detail: str) -> Claim:
    """Measure a script that prints how long its part took."""
    measured = min(float(run(script)) for _ in range(5))
    return Claim(name, f"≤ {seconds:g} s CPU", f"{measured:.3f} s CPU", "–", measured <= seconds, detail)


def run(script: str) -> str:
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main(claims)
