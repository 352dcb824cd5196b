"""Training from a folder of Parquet blocks: memory, passes and seconds from 10⁵ to 10⁷ documents; simulated data.

With the environment variable GLASSRANK_BLOCKS, blocks are written into this folder, and those that are there are used.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from harness import Claim, main
from problems import letor_like

SIZES = (100_000, 1_000_000, 10_000_000)
MODELS = ("rank-svm", "elm-rank", "rank-svm lrbf")
LRBF_SIZES = (100_000, 1_000_000)  # 10⁷ documents take hours on two cores
MAX_GB = 3.0
PIECE = 100_000  # documents that are simulated at a time
GAP = 1e-6


def claims() -> Iterator[Claim]:
    """Peak memory must stay below 3 GB, however many documents there are."""
    with tempfile.TemporaryDirectory(prefix="glassrank-", dir=_keep()) as temporary:
        for n_documents in SIZES:
            folder = Path(_keep() or temporary) / f"blocks-{n_documents}"
            if not folder.exists():
                write(n_documents, folder)
            for model in MODELS:
                if model == "rank-svm lrbf" and n_documents not in LRBF_SIZES:
                    continue
                yield claim(model, n_documents, in_own_process("fit", str(folder), model))


def claim(model: str, n_documents: int, found: dict[str, Any]) -> Claim:
    """Return what a fit needed; the disk is read at ``read`` bytes per second without any arithmetic."""
    passes = f"{found['passes']} passes of {found['seconds'] / found['passes']:.3g} s" if found["passes"] else ""
    reading = f"reading alone takes {found['reading']:.3g} s per pass, {found['rate']:.0f} MB/s of Parquet"
    accuracy = "exact" if found["gap"] is None else f"certified gap {found['gap']:.0e}"
    return Claim(
        f"{model} from blocks: {n_documents:,} documents × 46, peak memory",
        f"≤ {MAX_GB:g} GB",
        f"{found['gigabytes']:.2f} GB",
        accuracy,
        found["gigabytes"] <= MAX_GB and (found["gap"] or 0.0) <= GAP,
        f"{found['seconds']:.3g} s, {passes}; {reading}",
    )


def write(n_documents: int, folder: Path) -> None:
    """Write simulated documents as blocks, of which one at a time is in memory."""
    from glassrank.data.partitions.save_partitions import BlockWriter, new_folder
    from glassrank.data.ranking_data import RankingData

    with new_folder(folder, overwrite=False) as place, BlockWriter(place) as writer:
        n_queries = 0
        for number in range(n_documents // PIECE):
            problem = letor_like(PIECE, seed=number)
            data = RankingData(problem.X, problem.y, problem.qid + n_queries)
            writer.add(data.pick_rows(data.groups.order), data.groups.of_row[data.groups.order] + n_queries)
            n_queries += data.n_queries
        writer.finish()


def in_own_process(*arguments: str) -> dict[str, Any]:
    """Call a function of this script in its own process, whose peak memory is that of the call."""
    command = [sys.executable, __file__, *arguments]
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    found: dict[str, Any] = json.loads(printed)
    return found


def fit(folder: str, model: str) -> dict[str, Any]:
    from glassrank import ELMRank, RankSVM, open_partitions
    from glassrank.scale.block_contract import Blocks
    from glassrank.scale.parquet_blocks import ParquetBlocks

    data = open_partitions(folder)
    made: Any = ELMRank(n_nodes=200, random_state=0) if model == "elm-rank" else RankSVM(C=1.0, tol=GAP)
    if model.endswith("lrbf"):
        made.set_params(kernel="lrbf", gamma="scale/4")
    RankSVM().fit(np.eye(4), [0, 1, 0, 1])  # load the compiled kernels
    passes = count_passes(Blocks)
    start = time.perf_counter()
    made.fit(data)
    seconds, counted = time.perf_counter() - start, len(passes)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    start = time.perf_counter()
    ParquetBlocks(data, kept_bytes=0).add_up(n_rows_of_block)
    reading = time.perf_counter() - start
    size = sum(os.path.getsize(Path(folder) / block.name) for block in data.manifest.blocks)
    gap = made.duality_gap_ / made.objective_ if hasattr(made, "duality_gap_") else None
    found = {"seconds": seconds, "passes": counted, "gigabytes": peak, "gap": gap}
    return found | {"reading": reading, "rate": size / reading / 1e6}


def count_passes(blocks: Any) -> list[int]:
    """Count the calls of ``add_up`` of all blocks."""
    counted: list[int] = []
    original = blocks.add_up

    def counting(self: Any, *arguments: Any) -> Any:
        counted.append(1)
        return original(self, *arguments)

    blocks.add_up = counting
    return counted


def n_rows_of_block(block: Any) -> int:
    return len(block.X)


def _keep() -> str | None:
    return os.environ.get("GLASSRANK_BLOCKS")


if __name__ == "__main__":
    if sys.argv[1:2] == ["fit"]:
        print(json.dumps(fit(*sys.argv[2:])))
    else:
        main(claims)
