"""``glassrank intent serve``: time to start, and to answer one query, through the pipes of the running command.

A simulated log of half a million clicks without links and pages, a simulated log with both, which gives all features,
and, if ``GLASSRANK_DATA`` contains it, ORCAS-I: a thousand real queries with one click each. The models are trained
as ``glassrank intent train`` does, with 50 columns. How well they predict does not matter here.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from click_features import write_log
from glassrank.data.logs.load_log import clean_log
from glassrank.data.search_results import SearchResults
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.statistics_folder import IntentStatistics, save_intent_statistics
from glassrank.studies.intent.model import train_intent
from glassrank.studies.intent.simulated_intents import known_intents, simulate_intents
from harness import Claim, main

N_CLICKS = 500_000
N_ASKED = 300
AT_MOST = 0.050
COUPLING = ("SVM weights", "maximum entropy", 50)
ORCAS = "orcas-i-gold/orcas_i_gold.tsv"


@dataclass(frozen=True)
class Served:
    """Seconds from the start of a process to its first answer, for each later answer, and of CPU time per answer."""

    start: float
    answers: Sequence[float]
    cpu: float


def claims() -> Iterator[Claim]:
    """Each log in turn; statistics and model are made before the clock starts."""
    with tempfile.TemporaryDirectory() as folder:
        yield from of_simulated_log(Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        yield from of_simulated_web(Path(folder))
    real = Path(os.environ.get("GLASSRANK_DATA", "")) / ORCAS
    if real.is_file():
        with tempfile.TemporaryDirectory() as folder:
            yield from of_orcas(real, Path(folder))


def of_simulated_log(folder: Path) -> Iterator[Claim]:
    """Half a million clicks: queries alone, and queries with a hundred results."""
    write_log(folder / "log.parquet", N_CLICKS)
    statistics, seconds = stored(folder, folder / "log.parquet")
    results = listed(range(200), 20)
    labels = {query_id: int(query_id) % 2 for query_id in dict.fromkeys(results.query_id)}
    model = trained(folder, IntentSources(results, statistics.clicks), labels)
    name = f"simulated log of {statistics.clicks.facts.n_clicks:,} clicks"
    made = f"{model}; statistics made in {seconds:.0f} s, {megabytes(folder / 'statistics'):.0f} MB"
    asked = np.random.default_rng(0).choice(N_CLICKS // 100, N_ASKED + 1, replace=False).tolist()
    alone = served(folder, [text_of(number) for number in asked])
    yield from rows_of(f"{name}, query alone", alone, made)
    lists = [listed([number], 100) for number in asked]
    yield from rows_of(f"{name}, query with 100 results", served(folder, [as_line(one) for one in lists]), made)


def of_simulated_web(folder: Path) -> Iterator[Claim]:
    """All sources: a log with links and pages, and lists of four engines."""
    simulated = simulate_intents("demo")
    web, results = simulated.web.collection, simulated.results
    statistics, seconds = stored(folder, simulated.log, web.links, web.pages)
    model = trained(folder, statistics.sources(results, language=simulated.language), known_intents(simulated))
    size = f"{statistics.clicks.facts.n_clicks:,} clicks, {len(web.links):,} links, {len(web.pages):,} pages"
    rows = {query_id: np.flatnonzero(results.query_id == query_id) for query_id in dict.fromkeys(results.query_id)}
    lines = [as_line(results.pick_rows(own)) for own in list(rows.values())[: N_ASKED + 1]]
    length = len(results) // len(rows)
    made = f"{model}; statistics made in {seconds:.0f} s, {megabytes(folder / 'statistics'):.0f} MB"
    yield from rows_of(f"simulated log of {size}, query with {length} results", served(folder, lines), made)


def of_orcas(path: Path, folder: Path) -> Iterator[Claim]:
    """Real queries, each with the address that was clicked for it."""
    clean_log([path], folder / "log.parquet", "orcas")
    statistics, seconds = stored(folder, folder / "log.parquet")
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    results = SearchResults(
        query_id=[row[0] for row in rows],
        query=[row[1] for row in rows],
        rank=[1] * len(rows),
        url=[row[3] for row in rows],
    )
    labels = {row[0]: int(row[4] == "Navigational") for row in rows}
    model = trained(folder, statistics.sources(results), labels)
    made = f"{model}; statistics made in {seconds:.1f} s"
    yield from rows_of("ORCAS-I, 1,000 clicks, query alone", served(folder, [row[1] for row in rows[:N_ASKED]]), made)


def stored(folder: Path, *given: Any) -> tuple[IntentStatistics, float]:
    began = time.perf_counter()
    made = save_intent_statistics(folder / "statistics", *given)
    return made, time.perf_counter() - began


def trained(folder: Path, sources: IntentSources, labels: dict[str, int]) -> str:
    """Write a model; return how many features its columns need."""
    model = train_intent(sources, labels, coupling=COUPLING, cv=2, tune=False)
    model.save(folder / "model.json")
    return f"{len({name.partition('|')[0] for name in model.needed})} features"


def text_of(query: int) -> str:
    """A query as ``write_log`` writes it."""
    return f"word{query % 997} thing{query}"


def listed(queries: Sequence[int], length: int) -> SearchResults:
    """Results as ``write_log`` shows them, with others below the first twenty."""
    rows = [(query, rank) for query in queries for rank in range(1, length + 1)]
    return SearchResults(
        query_id=[query for query, _ in rows],
        query=[text_of(query) for query, _ in rows],
        rank=[rank for _, rank in rows],
        url=[f"http://host{(query * 31 + rank * 7) % 50021}.org/p{rank}" for query, rank in rows],
    )


def as_line(results: SearchResults) -> str:
    """A line of JSON with the known columns of the results."""
    names = [name for name in ("url", "rank", "score", "engine", "snippet") if getattr(results, name) is not None]
    rows = zip(*(getattr(results, name).tolist() for name in names), strict=True)
    return json.dumps({"query": results.query[0], "results": [dict(zip(names, row, strict=True)) for row in rows]})


def served(folder: Path, lines: Sequence[str]) -> Served:
    """Ask a new process line by line; each answer is read before the next line is written."""
    command = [Path(sys.executable).with_name("glassrank"), "intent", "serve", folder / "model.json"]
    began = time.perf_counter()
    with subprocess.Popen(
        [*command, "--statistics", folder / "statistics", "--quiet"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        ask(process, lines[0])
        start, spent = time.perf_counter() - began, cpu_seconds(process.pid)
        took = [ask(process, line) for line in lines[1:]]
        spent = cpu_seconds(process.pid) - spent
        process.communicate()
    if process.returncode:
        raise RuntimeError(f"intent serve ended with {process.returncode}")
    return Served(start, took, spent / len(took))


def cpu_seconds(pid: int) -> float:
    """CPU time of a running process, in ticks of a hundredth of a second; Linux only."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def ask(process: "subprocess.Popen[bytes]", line: str) -> float:
    assert process.stdin is not None
    assert process.stdout is not None
    began = time.perf_counter()
    process.stdin.write(line.encode() + b"\n")
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return time.perf_counter() - began


def rows_of(name: str, found: Served, detail: str) -> Iterator[Claim]:
    median, high = np.percentile(found.answers, [50, 95])
    yield Claim(
        f"intent serve, {name}: time for an answer",
        f"≤ {AT_MOST * 1e3:.0f} ms",
        f"median {median * 1e3:.0f} ms, 95 % {high * 1e3:.0f} ms",
        "the same features as from the log, bit by bit (tests)",
        bool(median <= AT_MOST),
        f"wall time of {len(found.answers):,} queries; mean CPU time {found.cpu * 1e3:.0f} ms; {found.start:.1f} s "
        f"from start to first answer; {detail}",
    )


def megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


if __name__ == "__main__":
    main(claims)
