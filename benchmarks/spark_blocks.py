"""A linear ranking SVM on Spark: a pass over 10⁶ documents × 46 with one and with two executors; simulated data.

Executors have one core and 2 GB of memory each, on this machine, which needs two free cores.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from blockwise import count_passes, write
from harness import Claim, main

N_DOCUMENTS = 1_000_000
ROUNDS = 5
AT_LEAST = 0.8  # of the CPU time of a pass with one executor, for which two do the same work


def claims() -> Iterator[Claim]:
    """Two executors must not need much more CPU time than one, and give the same weights to the last bit.

    They cannot be twice as fast on two cores: the JVM of one executor sends blocks while its Python computes.
    """
    if find_spec("pyspark") is None:
        return
    with tempfile.TemporaryDirectory(prefix="glassrank-") as temporary:
        folder = Path(temporary) / "blocks"
        write(N_DOCUMENTS, folder)
        one, two = (in_own_process(str(folder), f"local-cluster[{n},1,2048]") for n in (1, 2))
    same, spent = one["coefs"] == two["coefs"], [found["warm"] * found["cores"] for found in (one, two)]
    share = spent[0] / spent[1]
    fits = " and ".join(f"{found['fit']:.3g} s for a fit of {found['passes']} passes" for found in (one, two))
    yield Claim(
        f"rank-svm on Spark: CPU time of a pass over {N_DOCUMENTS:,} documents × 46, one executor against two",
        f"≥ {AT_LEAST:g} ×",
        f"{share:.2f} ×",
        "the same bits" if same else "different weights",
        same and share >= AT_LEAST,
        f"blocks in memory: one executor takes {one['warm']:.3g} s with {one['cores']:.1f} cores busy, two take "
        f"{two['warm']:.3g} s with {two['cores']:.1f}; {fits}, with the first reading",
    )


def in_own_process(*arguments: str) -> dict[str, Any]:
    """Measure in a process of its own: a process has one Spark session at a time."""
    printed = subprocess.run([sys.executable, __file__, *arguments], check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(printed.stdout.splitlines()[-1])
    return found


def measure(folder: str, master: str) -> dict[str, Any]:
    from glassrank import RankSVM, SparkEngine, open_partitions
    from glassrank.core.pairs.objectives import SquaredHingePairs
    from glassrank.scale.block_contract import Blocks
    from glassrank.scale.blockwise_pairs import BlockLoss, sums_of_block
    from glassrank.scale.compared_blocks import PairRule
    from glassrank.scale.spark_blocks import SparkBlocks

    with SparkEngine(master=master) as engine:
        data = open_partitions(folder, engine=engine)
        passes = count_passes(Blocks)
        start = time.perf_counter()
        model = RankSVM().fit(data)
        found = {"fit": time.perf_counter() - start, "passes": len(passes), "coefs": model.coef_.tolist()}
        blocks, seconds = SparkBlocks(data, engine), []
        rule, loss = PairRule(None, "uniform", False, data.n_features), BlockLoss(SquaredHingePairs, 1e-9, {})
        blocks.add_up(sums_of_block, rule, loss, np.asarray(model.coef_), True)
        busy = busy_seconds()
        for _ in range(ROUNDS):
            start = time.perf_counter()
            blocks.add_up(sums_of_block, rule, loss, np.asarray(model.coef_), True)
            seconds.append(time.perf_counter() - start)
        busy = busy_seconds() - busy
    return found | {"warm": min(seconds), "cores": busy / sum(seconds)}


def busy_seconds() -> float:
    """Return the CPU seconds that this machine has been busy: of Spark's processes, if nothing else runs."""
    user, nice, system, _, _, *rest = map(int, Path("/proc/stat").read_text().splitlines()[0].split()[1:9])
    return (user + nice + system + sum(rest)) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] != "--json":
        print(json.dumps(measure(*sys.argv[1:])))
    else:
        main(claims)
