"""What every benchmark shares: a claim, fair timing side by side, and a description of the machine."""

import argparse
import json
import os
import platform
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

_LIBRARIES = ("numpy", "scipy", "numba", "scikit-learn")


@dataclass(frozen=True)
class Claim:
    """A speed claim with what was measured and how accurate the measured result was."""

    name: str
    target: str
    measured: str
    accuracy: str
    passed: bool
    detail: str


@dataclass(frozen=True)
class Timing:
    """Best CPU time and best wall time of several calls, in seconds."""

    cpu: float
    wall: float


def best_of(n_calls: int, call: Callable[[], Any]) -> Timing:
    """Call ``n_calls`` times and keep the best times, which other work on the machine disturbs least."""
    return best_side_by_side(n_calls, call)[0]


def best_side_by_side(n_calls: int, *calls: Callable[[], Any]) -> list[Timing]:
    """Call each in turn, ``n_calls`` rounds, so that all of them meet the same state of the machine."""
    best = [Timing(float("inf"), float("inf"))] * len(calls)
    for _ in range(n_calls):
        for index, call in enumerate(calls):
            cpu, wall = time.process_time(), time.perf_counter()
            call()
            cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
            best[index] = Timing(min(best[index].cpu, cpu), min(best[index].wall, wall))
    return best


def ratio_claim(
    name: str, at_least: float, ours: float, theirs: float, *, accuracy: str, accurate: bool, detail: str = ""
) -> Claim:
    """Claim to be ``at_least`` times faster than a peer, from the seconds of both; it fails without the accuracy."""
    ratio = theirs / ours
    return Claim(
        name,
        f"≥ {at_least:g} ×",
        f"{ratio:.1f} ×",
        accuracy,
        accurate and ratio >= at_least,
        f"{ours:.3g} s against {theirs:.3g} s{'; ' + detail if detail else ''}",
    )


def machine() -> str:
    """Processor, number of cores that may be used, and versions of the libraries that matter."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    libraries = ", ".join(f"{name} {version(name)}" for name in _LIBRARIES)
    return f"{_processor()}, {cores} cores, {platform.system()}, Python {platform.python_version()}, {libraries}"


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    lines = information.read_text().splitlines() if information.exists() else []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.processor() or platform.machine())


def main(claims: Callable[[], Iterable[Claim]]) -> None:
    """Measure one script's claims, print them, and write them as JSON where ``--json`` says."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--json", type=Path, help="also write the claims to this file")
    path = arguments.parse_args().json
    measured = list(claims())
    for claim in measured:
        print(f"{'pass' if claim.passed else 'MISS'}  {claim.name}: {claim.measured} (target {claim.target})")
        print(f"      {claim.accuracy}; {claim.detail}")
    if path is not None:
        path.write_text(json.dumps([asdict(claim) for claim in measured]))
