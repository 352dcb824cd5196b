"""score_links() on DuckDB and Spark: time of a HITS iteration, equality with the same turns in memory, peak memory.

Simulated links between n/10 pages, skewed at both ends, in a Parquet file.
"""

import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from glassrank.data.engines.duckdb_engine import DuckDBEngine
from glassrank.distillation.tables.score_links import score_links
from glassrank.distillation.tables.table_result import TableScores
from harness import Claim, main

TURNS = 5
HERE = Path(__file__).resolve().parent


def claims() -> Iterator[Claim]:
    """Score a million links on every installed engine, then ten million on DuckDB in a separate process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "links.parquet"
        write_links(path, 1_000_000)
        yield iteration(path, "duckdb", at_most=0.5)
        if find_spec("pyspark") is not None:
            yield iteration(path, "spark", at_most=10.0)
        yield peak_memory(Path(folder), 10_000_000, at_most=2.0)


def links(n_links: int) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the links, pairs that come twice included."""
    generator, n_pages = np.random.default_rng(0), n_links // 10
    source = (n_pages * generator.random(n_links) ** 1.5).astype(np.int64)
    return source, (n_pages * generator.random(n_links) ** 3).astype(np.int64)


def write_links(path: Path, n_links: int) -> None:
    source, target = links(n_links)
    with DuckDBEngine() as engine:
        engine.write(engine.keep_columns({"source": source, "target": target}, "links"), path)


def score(path: Path, engine: str, folder: Path) -> tuple[TableScores, float, float]:
    """A few turns of HITS: the scores, the seconds of the fastest turn, and of everything."""
    started = time.perf_counter()
    moments = []
    with warnings.catch_warnings():
        # The turns are counted, not run to their limit.
        warnings.simplefilter("ignore", ConvergenceWarning)
        scores = score_links(
            path, "hits", engine, max_iter=TURNS, folder=folder, progress=lambda *_: moments.append(time.perf_counter())
        )
    return scores, float(np.diff(moments).min()), time.perf_counter() - started


def same_turns(n_links: int) -> np.ndarray:
    """Authority scores after as many plain turns with scipy."""
    source, target = links(n_links)
    n_pages = n_links // 10
    matrix = sparse.csr_array((np.ones(n_links), (source, target)), shape=(n_pages, n_pages))
    matrix.data[:] = 1.0
    hub = np.ones(n_pages)
    for _ in range(TURNS):
        authority = matrix.T @ hub
        authority /= np.linalg.norm(authority)
        hub = matrix @ authority
        hub /= np.linalg.norm(hub)
    return authority


def iteration(path: Path, engine: str, at_most: float) -> Claim:
    scores, fastest, everything = score(path, engine, path.parent)
    known = same_turns(1_000_000)
    error = float(np.abs(known[scores.columns["page"]] - scores.columns["authority"]).max())
    return Claim(
        f"score_links, HITS on {engine}, 1,000,000 links, one iteration",
        f"≤ {at_most:g} s",
        f"{fastest:.2g} s",
        f"{error:.0e} from the same {TURNS} turns with scipy",
        fastest <= at_most and error <= 1e-9,
        f"wall time, {scores.n_links:,} different links, {scores.n_pages:,} pages; {everything:.2g} s with reading",
    )


def peak_memory(folder: Path, n_links: int, at_most: float) -> Claim:
    """Largest resident memory of a process that scores a file of links on DuckDB with the settings of the engine."""
    path = folder / "many.parquet"
    # The links are made in another process, so that their memory does not count.
    _python(
        f"from pathlib import Path; from table_scores import write_links; write_links(Path({str(path)!r}), {n_links})"
    )
    said = _python(
        "from pathlib import Path; from table_scores import score\n"
        f"scores, fastest, everything = score(Path({str(path)!r}), 'duckdb', Path({str(folder)!r}))\n"
        "peak = next(int(l.split()[1]) * 1024 for l in open('/proc/self/status') if l.startswith('VmHWM'))\n"
        "print(peak / 1e9, fastest, everything, scores.n_links, scores.n_pages, scores.iterations)"
    )
    peak, fastest, everything, different, pages, turns = map(float, said.split())
    return Claim(
        f"score_links, HITS on duckdb, {n_links:,} links, peak memory of the whole process",
        f"≤ {at_most:g} GB",
        f"{peak:.2f} GB",
        f"{turns:.0f} iterations",
        peak <= at_most and turns == TURNS,
        f"{different:,.0f} different links, {pages:,.0f} pages; {fastest:.2g} s an iteration, {everything:.3g} s",
    )


def _python(script: str) -> str:
    program = f"import sys; sys.path.insert(0, {str(HERE)!r})\n{script}"
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main(claims)
