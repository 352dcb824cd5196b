"""Runs the parts one after another; finished parts are kept, so that an interrupted run resumes."""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from experiments.papers.paper import FOLDER, Part
from glassrank.files.atomic_files import write_atomically

RECORD, OUTPUT = "done.json", "output.txt"
HOME = Path(__file__).resolve().parents[2]
REAL, SIMULATED, ABSENT, FAILED = "real", "simulated", "absent", "failed"


@dataclass(frozen=True)
class Done:
    """What became of a part."""

    state: str
    """``real`` for public data or none needed, ``simulated``, ``absent`` or ``failed``."""
    typed: str
    wall: float = 0.0
    """Seconds."""
    cpu: float = 0.0
    """Seconds of all its processes."""
    reason: str = ""


def run_part(part: Part, folder: Path, data: Path | None, report: Callable[[str], None]) -> Done:
    """Run a part into its folder, or return the record of an earlier run of the same command on the same data."""
    state = state_of(part, data)
    if state == ABSENT:
        return Done(ABSENT, part.typed(), reason=missing(part))
    kept = _kept(folder / RECORD)
    if kept is not None and (kept.state, kept.typed) == (state, part.typed()):
        report(f"{part.name}: finished earlier, kept")
        return kept
    if state == SIMULATED:
        report(f"{part.name}: {part.data} not found in GLASSRANK_DATA, simulated data instead")
    report(f"{part.name}: {part.typed(str(folder))}")
    folder.mkdir(parents=True, exist_ok=True)
    start, before = time.monotonic(), _cpu_of_children()
    code = _run(part, folder, data if state == REAL else None)
    wall, cpu = time.monotonic() - start, _cpu_of_children() - before
    if code:
        return Done(FAILED, part.typed(), wall, cpu, f"the command ended with exit code {code}")
    done = Done(state, part.typed(), wall, cpu)
    write_atomically(folder / RECORD, json.dumps(asdict(done)).encode())
    return done


def state_of(part: Part, data: Path | None) -> str:
    """Whether a part runs on its data, on simulated data, or not at all."""
    if part.data is None or (data is not None and (data / part.data).exists()):
        return REAL
    return SIMULATED if part.simulates else ABSENT


def missing(part: Part) -> str:
    """Which data a part lacks."""
    return f"data {part.data} not found in GLASSRANK_DATA"


def _kept(path: Path) -> Done | None:
    try:
        return Done(**json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def _run(part: Part, folder: Path, data: Path | None) -> int:
    """Run the command from the top of the repository: its results into a file, its progress to this stderr."""
    programs = {"python": sys.executable, "glassrank": str(Path(sys.executable).with_name("glassrank"))}
    program, *words = part.command
    command = [programs[program], *(word.replace(FOLDER, str(folder.resolve())) for word in words)]
    environment = {name: value for name, value in os.environ.items() if name != "GLASSRANK_DATA"}
    environment |= {} if data is None else {"GLASSRANK_DATA": str(data)}
    with (folder / OUTPUT).open("wb") as output:
        return subprocess.run(command, cwd=HOME, env=environment, stdout=output, check=False).returncode


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
