"""``glassrank study`` on 10⁴ to 10⁶ simulated documents, and on OHSUMED: CPU time, memory and the share of each step.

The LightGBM baseline is a peer, and its CPU time is stated separately.
"""

import csv
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from elimination import whole_problem
from glassrank.data.load_data import save_data
from glassrank.data.ranking_data import RankingData
from growth_chart import draw_growth
from harness import Claim, main
from problems import letor_like

SIZES = {"linear": (10_000, 100_000, 1_000_000), "lrbf": (10_000, 100_000)}
CPU_ALLOWED = {("linear", 10_000): 15.0, ("linear", 100_000): 80.0, ("linear", 1_000_000): 600.0}
MEMORY_ALLOWED = {("linear", 1_000_000): 4.0}
OHSUMED_ALLOWED = {"linear": 25.0, "lrbf": 60.0}
TITLE = "CPU time of glassrank study, without the LightGBM baseline"
CAPTION = "documents (46 features, 150 per query; simulated)"
FOLD = re.compile(r", fold \d+ of \d+$")
BOOSTING = "Training LightGBM"


@dataclass(frozen=True)
class Run:
    """One run of the command, from start to end."""

    cpu: float
    wall: float
    peak: int
    """Largest memory in use at one time, in bytes."""
    steps: dict[str, float]
    """CPU seconds of each step, all folds together."""

    @property
    def boosting(self) -> float:
        return sum(spent for step, spent in self.steps.items() if step.startswith(BOOSTING))

    @property
    def own(self) -> float:
        """CPU seconds without the LightGBM baseline."""
        return self.cpu - self.boosting

    def shares(self) -> str:
        """Return the largest steps as shares of ``own``; the rest is starting, reading and importing."""
        steps = {step: spent for step, spent in self.steps.items() if not step.startswith(BOOSTING)}
        steps["starting and reading"] = self.own - sum(steps.values())
        largest = sorted(steps.items(), key=lambda one: -one[1])[:6]
        return ", ".join(f"{step[0].lower()}{step[1:]} {spent / self.own:.0%}" for step, spent in largest)


def claims() -> Iterator[Claim]:
    """OHSUMED, then every size with both kernels."""
    yield from real()
    lines: dict[str, list[tuple[int, float]]] = {}
    for kernel, sizes in SIZES.items():
        for n_documents in sizes:
            with tempfile.TemporaryDirectory() as folder:
                source = Path(folder, "train.parquet")
                # In a process of its own: a child's peak memory begins with what its parent has at that time.
                subprocess.run([sys.executable, __file__, str(n_documents), str(source)], check=True)
                run = study(source, kernel)
            lines.setdefault(kernel, []).append((n_documents, run.own))
            yield from sized(kernel, n_documents, run, 8 * 46 * n_documents)
    draw_growth(lines, TITLE, CAPTION, Path(__file__).parent / "study.svg")


def sized(kernel: str, n_documents: int, run: Run, n_bytes: int) -> Iterator[Claim]:
    """CPU time and memory at one size."""
    name = f"glassrank study, {kernel}, {n_documents:,} documents × 46"
    yield timed(name, run, CPU_ALLOWED.get((kernel, n_documents)))
    most, times = MEMORY_ALLOWED.get((kernel, n_documents)), run.peak / n_bytes
    yield Claim(
        f"{name}, peak memory of the whole process",
        "–" if most is None else f"≤ {most:g} × the data",
        f"{times:.1f} × the data",
        "",
        most is None or times <= most,
        f"{run.peak / 1e6:,.0f} MB; the features take {n_bytes / 1e6:,.0f} MB as 64-bit floats",
    )


def timed(name: str, run: Run, allowed: float | None) -> Claim:
    """CPU seconds without the baseline."""
    return Claim(
        name,
        "–" if allowed is None else f"≤ {allowed:g} s CPU",
        f"{run.own:.1f} s CPU",
        "",
        allowed is None or run.own <= allowed,
        f"and {run.boosting:.1f} s for LightGBM; {run.wall:.0f} s wall; {run.shares()}",
    )


def real() -> Iterator[Claim]:
    """All queries of OHSUMED, or simulated data of its size."""
    problem, name = whole_problem()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "train.parquet")
        save_data(RankingData(problem.X, problem.y, problem.qid), source)
        for kernel, allowed in OHSUMED_ALLOWED.items():
            yield timed(f"glassrank study, {kernel}, {name}", study(source, kernel), allowed)


def write(n_documents: int, source: str) -> None:
    """Simulate documents and save them."""
    problem = letor_like(n_documents)
    save_data(RankingData(problem.X, problem.y, problem.qid), source)


def study(source: Path, kernel: str) -> Run:
    """Run the command as a user gives it, on a Parquet file."""
    command = Path(sys.executable).with_name("glassrank")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out")
        started = time.perf_counter()
        options = ["--kernel", kernel, "--folder", str(out), "--quiet"]
        process = subprocess.Popen([command, "study", str(source), *options], stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode, wall = status, time.perf_counter() - started
        if status != 0:
            raise SystemExit(f"glassrank study failed with exit status {status}.")
        return Run(used.ru_utime + used.ru_stime, wall, used.ru_maxrss * 1024, read_steps(out / "times.csv"))


def read_steps(path: Path) -> dict[str, float]:
    """Return the CPU seconds of each step."""
    steps: dict[str, float] = {}
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            step = FOLD.sub("", row["step"])
            steps[step] = steps.get(step, 0.0) + float(row["cpu_seconds"])
    return steps


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] != "--json":
        write(int(sys.argv[1]), sys.argv[2])
    else:
        main(claims)
