"""Features of a query log on DuckDB: time and peak memory for ten million clicks, in a separate process.

A simulated log of clicks with users, sessions, searches, times, positions and dwell times, in a Parquet file; the
searches and impressions of every tenth list come on top. Results are twenty addresses of each of two thousand queries.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from glassrank.data.engine import open_engine
from glassrank.data.engines.duckdb_engine import DuckDBEngine
from glassrank.data.search_results import SearchResults
from glassrank.navigational.features.log.click_features import click_features
from glassrank.navigational.features.log.log_features import log_features
from glassrank.navigational.features.log.log_summary import summarise_log
from glassrank.navigational.features.log.summed_log import asked_of
from glassrank.navigational.features.log_source import hand_over
from glassrank.navigational.features.sources import IntentSources
from harness import Claim, main

N_CLICKS = 10_000_000
N_RESULTS = (2_000, 20)
HERE = Path(__file__).resolve().parent


def claims() -> Iterator[Claim]:
    """Time and memory from one run; the log is made in another process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.parquet"
        _python(
            "from pathlib import Path; from click_features import write_log\n"
            f"write_log(Path({str(path)!r}), {N_CLICKS})"
        )
        said = _python(
            "import time; from click_features import features; started = time.perf_counter()\n"
            f"sums = features({str(path)!r}, {folder!r}); seconds = time.perf_counter() - started\n"
            "peak = next(int(l.split()[1]) * 1024 for l in open('/proc/self/status') if l.startswith('VmHWM'))\n"
            "print(seconds, peak / 1e9, *sums)"
        )
        seconds, peak, n_features, n_known, n_events, n_pairs = map(float, said.split())
        facts = (
            f"{n_events:,.0f} events, {n_features:.0f} features of {n_pairs:,.0f} results, {n_known:,.0f} known values"
        )
        yield Claim(
            f"click and log features on duckdb, {N_CLICKS:,} clicks",
            "≤ 300 s",
            f"{seconds:.0f} s",
            "",
            seconds <= 300.0,
            facts,
        )
        yield Claim(
            f"click and log features on duckdb, {N_CLICKS:,} clicks, peak memory of the whole process",
            "≤ 2 GB",
            f"{peak:.2f} GB",
            "",
            peak <= 2.0,
            facts,
        )


def write_log(path: Path, n_clicks: int) -> None:
    """Clicks on a hundred thousand queries, skewed in queries and positions, a few of each session."""
    generator = np.random.default_rng(0)
    session = np.sort(generator.integers(0, n_clicks // 3, n_clicks))
    query = (n_clicks // 100 * generator.random(n_clicks) ** 3).astype(np.int64)
    position = np.minimum(1 + generator.exponential(2.0, n_clicks), 20.0).astype(np.int64)
    columns = {
        "session": session,
        "query": query,
        "position": position,
        "time": 1.6e9 + session * 20.0 + generator.integers(0, 1200, n_clicks),
        "dwell": np.where(generator.random(n_clicks) < 0.1, np.nan, generator.exponential(40.0, n_clicks).round()),
    }
    with DuckDBEngine() as engine:
        clicks = hand_over(engine, columns, "clicks").to_native()
        engine._connection.register("clicks_given", clicks)
        engine._connection.execute(_LOG.format(path=path))


# Lists of ten results, some of them shown again: the address at a place of a query is the same in every list.
_LOG = """
COPY (
  WITH listed AS (
    SELECT *, query || '-' || session AS search, 'u' || session % 1000003 AS user FROM clicks_given
  ), shown AS (
    SELECT search, user, session, query, min(time) - 5 AS time FROM listed WHERE session % 10 = 0 GROUP BY ALL
  ), events AS (
    SELECT query, 'click' AS action, position, search, user, session, time, dwell FROM listed
    UNION ALL
    SELECT query, 'search', NULL, search, user, session, time, NULL FROM shown
    UNION ALL
    SELECT query, 'impression', place, search, user, session, time, NULL FROM shown, range(1, 11) AS places(place)
  )
  SELECT
    'word' || query % 997 || ' thing' || query AS query, action, user, 's' || session AS session, search, time, dwell,
    CASE action WHEN 'search' THEN ''
      ELSE 'http://host' || (query * 31 + position * 7) % 50021 || '.org/p' || position END AS url,
    CAST(position AS DOUBLE) AS position
  FROM events
) TO '{path}' (FORMAT parquet)
"""


def features(path: str, folder: str) -> tuple[int, int, int, int]:
    """Features, known values, events and results."""
    n_queries, length = N_RESULTS
    query, rank = np.divmod(np.arange(n_queries * length), length)
    results = SearchResults(
        query_id=query,
        query=[f"word{q % 997} thing{q}" for q in query.tolist()],
        rank=rank + 1,
        url=[f"http://host{(q * 31 + p * 7) % 50021}.org/p{p}" for q, p in zip(query, rank + 1, strict=True)],
    )
    with open_engine("duckdb", folder=folder, repeatable=True) as engine:
        summary = summarise_log(path, asked_of(IntentSources(results)), engine)
    found = click_features(summary, results.rank) | log_features(summary)
    n_known = sum(int((~np.isnan(values)).sum()) for values in found.values())
    return len(found), n_known, summary.facts.n_events, len(results)


def _python(script: str) -> str:
    program = f"import sys; sys.path.insert(0, {str(HERE)!r})\n{script}"
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main(claims)
