"""Fuzz the readers: ``python -m tests.fuzz --runs 200000``. Replay an input: ``--replay build/fuzz/LETOR-0-17``."""

import argparse
import json
import os
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

# Set before NumPy is loaded, because BLAS threads do not survive the fork of a worker.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from tests.fuzz.cases import ABOUT
from tests.fuzz.engine import ACCEPTED, FAILED, REFUSED, Tally, fuzz, make_corpus, replay
from tests.fuzz.reader import Reader
from tests.fuzz.readers import READERS

_LISTED = 10
_HEAD = ("reader", "inputs", "accepted", "refused", "failures", "slowest", "peak memory", "inputs/s")


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--runs", type=int, help="Total number of inputs. Default: a short run.")
    arguments.add_argument("--seed", type=int, default=0, help="Random seed. Default: 0.")
    arguments.add_argument("--reader", action="append", choices=READERS, help="Reader. Repeatable. Default: all.")
    arguments.add_argument("--folder", type=Path, default=Path("build/fuzz"), help="Folder for inputs that fail.")
    arguments.add_argument("--json", type=Path, help="Also write the figures and failures to this file.")
    arguments.add_argument("--replay", type=Path, help="Replay the input in this folder instead.")
    options = arguments.parse_args()
    if options.replay is not None:
        outcome, problem = replay(options.replay, READERS)
        print(f"{outcome}. {problem}")
        return int(outcome == FAILED)
    chosen = [READERS[name] for name in options.reader or READERS]
    options.folder.mkdir(parents=True, exist_ok=True)
    for about in options.folder.glob(f"*/{ABOUT}"):  # inputs kept by an earlier run
        shutil.rmtree(about.parent)
    tallies = list(_tallies(chosen, options.runs, options.seed, options.folder))
    if options.json is not None:
        options.json.write_text(json.dumps([asdict(tally) for tally in tallies]))
    for tally in tallies:
        _print_failures(tally)
    return int(any(tally.failures for tally in tallies))


def _tallies(readers: list[Reader], runs: int | None, seed: int, folder: Path) -> Iterator[Tally]:
    """Fuzz the readers one by one, and print a line of the table for each."""
    print(_line(_HEAD), flush=True)
    shares = sum(reader.share for reader in readers)
    for reader in readers:
        corpus = make_corpus(reader)
        damaged = reader.short if runs is None else max(0, runs * reader.share // shares - len(corpus))
        tally, start = Tally(reader.name), time.perf_counter()
        for result in fuzz(reader, corpus, range(len(corpus) + damaged), seed, folder):
            tally.add(result)
        print(_line(_figures(tally, time.perf_counter() - start)), flush=True)
        yield tally


def _figures(tally: Tally, seconds: float) -> tuple[str, ...]:
    inputs = sum(tally.counts.values())
    counts = [f"{tally.counts[outcome]:,}" for outcome in (ACCEPTED, REFUSED, FAILED)]
    return (
        *(tally.reader, f"{inputs:,}", *counts),
        *(f"{tally.slowest:.2f} s", f"{tally.memory >> 20:,} MiB", f"{inputs / seconds:,.0f}"),
    )


def _line(cells: tuple[str, ...]) -> str:
    return "".join(f"{cell:<16}" if place == 0 else f"{cell:>12}" for place, cell in enumerate(cells))


def _print_failures(tally: Tally) -> None:
    for result in tally.failures[:_LISTED]:
        print(f"\n{tally.reader}, {result.name}: {result.problem.strip().splitlines()[0]}")
        print(f"  python -m tests.fuzz --replay {result.kept}")
    if len(tally.failures) > _LISTED:
        print(f"\n{tally.reader}: {len(tally.failures) - _LISTED:,} more failures")


if __name__ == "__main__":
    sys.exit(main())
