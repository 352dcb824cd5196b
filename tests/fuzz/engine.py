"""Runs inputs in a worker process, which is replaced if it dies or exceeds a limit.

Workers are forked, because starting a new one then takes only milliseconds. The process that forks them must not
compute anything itself, because threads of numerical libraries do not survive a fork. Even the corpus is made in a
separate process.
"""

import json
import multiprocessing
import os
import resource
import shutil
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from glassrank.core.checks import DataError
from tests.fuzz.cases import ABOUT, FILES, Case
from tests.fuzz.reader import DifferenceError, Reader

ACCEPTED, REFUSED, FAILED = "accepted", "refused", "failed"
SCRATCH = "running"
PROBLEM = "problem.txt"
_FORK = multiprocessing.get_context("fork")
# A worker measures the CPU time of its inputs. Its parent waits this many times longer on the clock before it gives up.
_PATIENCE = 6
_BEGUN = "begun"
# Additional address space, beyond which allocations fail: an attempt to allocate 20 GB must not harm the machine.
_ADDRESS_SPACE = 3 << 30


@dataclass(frozen=True)
class Limits:
    """Limits on one input: CPU time, and memory beyond that of the idle worker."""

    seconds: float = 10.0
    memory: int = 1 << 30


LIMITS = Limits()


@dataclass(frozen=True)
class Result:
    """The outcome of one input; ``problem`` says why it failed, and ``kept`` where its files are."""

    number: int
    name: str
    outcome: str
    seconds: float
    memory: int
    problem: str = ""
    kept: str = ""


@dataclass
class Tally:
    """Totals of the results of one reader."""

    reader: str
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys((ACCEPTED, REFUSED, FAILED), 0))
    failures: list[Result] = field(default_factory=list)
    slowest: float = 0.0
    memory: int = 0

    def add(self, result: Result) -> None:
        self.counts[result.outcome] += 1
        if result.outcome == FAILED:
            self.failures.append(result)
        self.slowest = max(self.slowest, result.seconds)
        self.memory = max(self.memory, result.memory)


def make_corpus(reader: Reader) -> list[Case]:
    """Make the corpus of a reader in a separate process."""
    receiver, sender = _FORK.Pipe(duplex=False)
    process = _FORK.Process(target=lambda: sender.send(reader.corpus()))
    process.start()
    sender.close()
    try:
        corpus = receiver.recv()
    except EOFError:
        raise RuntimeError(f"the corpus of {reader.name} cannot be made: see above") from None
    finally:
        process.join()
    return corpus


def fuzz(
    reader: Reader, corpus: Sequence[Case], numbers: range, seed: int, folder: Path, limits: Limits = LIMITS
) -> Iterator[Result]:
    """Yield the result of each input; the files of inputs that fail are kept in the folder."""
    following = numbers.start
    while following < numbers.stop:
        worker = _Worker(reader, corpus, range(following, numbers.stop), seed, folder, limits)
        for result in worker.results():
            following = result.number + 1
            yield result


class _Worker:
    """A forked process that reads inputs, as seen by its parent."""

    def __init__(
        self, reader: Reader, corpus: Sequence[Case], numbers: range, seed: int, folder: Path, limits: Limits
    ) -> None:
        self._reader, self._corpus, self._numbers, self._limits = reader, corpus, numbers, limits
        self._desk = _Desk(reader, corpus, seed, folder, limits)
        self._receiver, sender = _FORK.Pipe(duplex=False)
        self._process = _FORK.Process(target=self._desk.work, args=(numbers, sender))
        self._process.start()
        sender.close()

    def results(self) -> Iterator[Result]:
        """Yield results until all inputs are read, the worker stops, or an input breaks it."""
        following, has_begun = self._numbers.start, False
        try:
            while True:
                if not self._receiver.poll(self._limits.seconds * _PATIENCE if has_begun else None):
                    yield self._broken(following, f"over time: no end after {_PATIENCE * self._limits.seconds:g} s")
                    return
                message = self._receiver.recv()
                if message is None:
                    return
                has_begun = message == _BEGUN
                if not has_begun:
                    yield message
                    following = message.number + 1
        except EOFError:
            self._process.join()
            yield self._broken(following, f"the process died with exit code {self._process.exitcode}")
        finally:
            self._process.kill()
            self._process.join()
            self._desk.clear()

    def _broken(self, number: int, problem: str) -> Result:
        self._process.kill()
        self._process.join()
        name = self._corpus[number].name if number < len(self._corpus) else "damaged"
        kept = self._desk.keep(number, problem)
        return Result(number, name, FAILED, self._limits.seconds, 0, problem, kept)


class _Desk:
    """The work inside a worker process, and its folder."""

    def __init__(self, reader: Reader, corpus: Sequence[Case], seed: int, folder: Path, limits: Limits) -> None:
        self._reader, self._corpus, self._seed, self._limits = reader, corpus, seed, limits
        self._folder = folder
        self._scratch = folder / f"{SCRATCH}-{reader.name.replace(' ', '-')}"

    def work(self, numbers: range, sender: Any) -> None:
        """Read the inputs with these numbers; send a message when one begins, its result, and None at the end."""
        self._settle()
        baseline = _memory("VmRSS")
        for number in numbers:
            case = self._reader.make_input(self._corpus, self._seed, number)
            case.write(self._scratch, reader=self._reader.name, seed=self._seed, number=number)
            sender.send(_BEGUN)
            sender.send(self._judge(case, number, baseline))
            # Memory that was not released would be counted for the next input.
            if _memory("VmRSS") > baseline + self._limits.memory // 4:
                break
        sender.send(None)

    def _judge(self, case: Case, number: int, baseline: int) -> Result:
        Path("/proc/self/clear_refs").write_text("5")  # resets the peak to the current memory use
        # CPU time, because clock time depends on how busy the machine is.
        start = time.process_time()
        outcome, problem = attempt(self._reader, self._scratch / FILES, case.told)
        seconds = time.process_time() - start
        memory = max(0, _memory("VmHWM") - baseline)
        if memory > self._limits.memory:
            outcome, problem = FAILED, f"over memory: {memory / 2**30:.2f} GiB above the baseline. {problem}"
        elif seconds > self._limits.seconds:
            outcome, problem = FAILED, f"over time: {seconds:.1f} s. {problem}"
        kept = self.keep(number, problem) if outcome == FAILED else ""
        return Result(number, case.name, outcome, seconds, memory, problem, kept)

    def _settle(self) -> None:
        """Set the limits, and discard what libraries print and write."""
        quiet = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(quiet, stream)
        warnings.simplefilter("ignore")
        self._temporary.mkdir(parents=True, exist_ok=True)
        tempfile.tempdir = os.environ["XDG_CACHE_HOME"] = str(self._temporary)
        most = _memory("VmSize") + self._limits.memory + _ADDRESS_SPACE
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    @property
    def _temporary(self) -> Path:
        return self._scratch.with_name(f"{self._scratch.name}-temporary")

    def keep(self, number: int, problem: str) -> str:
        """Keep the files of the last input."""
        kept = self._folder / f"{self._reader.name.replace(' ', '-')}-{self._seed}-{number}"
        shutil.rmtree(kept, ignore_errors=True)
        if self._scratch.is_dir():
            os.rename(self._scratch, kept)
            (kept / PROBLEM).write_text(f"{problem}\n\nReplay: python -m tests.fuzz --replay {kept}\n")
        return str(kept)

    def clear(self) -> None:
        """Remove the files that a worker leaves behind."""
        shutil.rmtree(self._scratch, ignore_errors=True)
        shutil.rmtree(self._temporary, ignore_errors=True)


def attempt(reader: Reader, files: Path, options: Any) -> tuple[str, str]:
    """Read files once, without limits; return the outcome and, if it failed or was refused, the reason."""
    try:
        reader.read(files, options)
    except DataError as error:
        return REFUSED, str(error)
    except MemoryError:
        return FAILED, f"over memory: {traceback.format_exc(limit=-3)}"
    except DifferenceError as error:
        return FAILED, f"difference: {error}"
    except Exception as error:
        return FAILED, f"unexpected exception {type(error).__name__}: {error}\n{traceback.format_exc(limit=-8)}"
    return ACCEPTED, ""


def replay(kept: Path, readers: dict[str, Reader]) -> tuple[str, str]:
    """Read the files of a kept input again."""
    about = json.loads((kept / ABOUT).read_text())
    return attempt(readers[about["reader"]], kept / FILES, about["options"])


def _memory(kind: str) -> int:
    """Return a value of ``/proc/self/status`` in bytes: VmRSS (now), VmHWM (peak) or VmSize (address space)."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith(kind))
