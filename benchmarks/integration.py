"""integrate() on as many values as the paper's study: time, memory, and a Polars group-by with the same operators.

Simulated features of 2,102 queries with 100 results each: skewed values, a fifth of them 0, one in twenty missing.
"""

import math
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from glassrank.core.integration_operators import OPERATORS, POSITIONS, RATIO_RANKS
from glassrank.data.search_results import SearchResults
from glassrank.navigational.feature_table import QueryUrlFeatures
from glassrank.navigational.integrate import integrate
from harness import Claim, best_side_by_side, main, ratio_claim

N_QUERIES, N_RESULTS, N_FEATURES = 2_102, 100, 197
ERROR = 1e-11
HERE = Path(__file__).resolve().parent


def claims() -> Iterator[Claim]:
    """Measure CPU seconds and the ratio to Polars in the same rounds, and memory in a separate process."""
    table = make_table(N_QUERIES)
    integrate(make_table(2))
    frame, operators = as_frame(table), [one for name in table.names for one in expressions(name)]

    def polars() -> Any:
        return frame.group_by("query", maintain_order=True).agg(operators)

    error = largest_difference(integrate(table).X, polars().drop("query").to_numpy())
    mine, theirs = best_side_by_side(3, lambda: integrate(table), polars)
    shape = f"{N_QUERIES:,} queries × {N_RESULTS} results × {N_FEATURES} features"
    accuracy = f"largest difference to Polars {error:.0e}"
    detail = f"{mine.wall:.2f} s wall; {len(OPERATORS) * N_FEATURES:,} columns"
    yield Claim(
        f"integrate(), {shape}", "≤ 2 s CPU", f"{mine.cpu:.2f} s", accuracy, mine.cpu <= 2 and error <= ERROR, detail
    )
    yield ratio_claim(
        f"integrate(), {shape}, against a Polars group-by",
        2,
        mine.cpu,
        theirs.cpu,
        accuracy=accuracy,
        accurate=error <= ERROR,
        detail=f"CPU time; wall {mine.wall:.2f} s against {theirs.wall:.2f} s",
    )
    yield memory(shape, at_most=3.0)


def make_table(n_queries: int) -> QueryUrlFeatures:
    """Make the table column by column, as query_url_features() does."""
    rng = np.random.default_rng(0)
    query, place = np.divmod(np.arange(n_queries * N_RESULTS), N_RESULTS)
    results = SearchResults(
        query_id=query, query=[f"query {number}" for number in query], rank=place + 1, url=[f"u{one}" for one in place]
    )
    X = np.empty((len(query), N_FEATURES), order="F")
    for column in X.T:
        column[:] = rng.gamma(0.5, 1.0, len(query))
        chance = rng.random(len(query))
        column[chance < 0.2] = 0.0
        column[chance > 0.95] = np.nan
    names = tuple(f"f{number}" for number in range(N_FEATURES))
    return QueryUrlFeatures(results, names, ("other",) * N_FEATURES, X, {}, {})


def as_frame(table: QueryUrlFeatures) -> pl.DataFrame:
    """Return the rows by query and rank, with null for missing values, which Polars leaves out."""
    values = {name: pl.Series(table[name]).fill_nan(None) for name in table.names}
    return pl.DataFrame({"query": table.results.query_id.astype(np.int64), **values})


def expressions(name: str) -> list[pl.Expr]:
    """The fifteen operators of one feature, in the order of OPERATORS."""
    value = pl.col(name)
    low, high = value.min(), value.max()
    floor = low.clip(upper_bound=0.0)
    # The fastest of several ways: values at the floor have no share, and Polars' own entropy counts 0 · ln 0 as NaN.
    entropy = (value.filter(value > floor) - floor).entropy(base=math.e, normalize=True)
    ratios = [(high - value.get(rank - 1, null_on_oob=True)) / (high - low) for rank in RATIO_RANKS]
    found = [value.mean(), value.median(), high, low, entropy, value.std(ddof=0)]
    found += [value.get(rank - 1, null_on_oob=True) for rank in POSITIONS]
    return [one.alias(f"{name}|{operator}") for one, operator in zip(found + ratios, OPERATORS, strict=True)]


def largest_difference(ours: Any, theirs: Any) -> float:
    """Return the largest difference; infinite if only one side lacks a value."""
    if not np.array_equal(np.isnan(ours), np.isnan(theirs)):
        return float("inf")
    return float(np.nanmax(np.abs(ours - theirs)))


def memory(shape: str, at_most: float) -> Claim:
    """Return the additional peak memory of a process that makes and integrates a table, in multiples of the table."""
    script = (
        f"import resource, sys; sys.path.insert(0, {str(HERE)!r})\n"
        "from integration import N_QUERIES, integrate, make_table\n"
        "integrate(make_table(2))\n"
        "def resident(): return int(open('/proc/self/statm').read().split()[1]) * resource.getpagesize()\n"
        "empty = resident(); table = make_table(N_QUERIES); held = resident()\n"
        "open('/proc/self/clear_refs', 'w').write('5')\n"
        "found = integrate(table)\n"
        "peak = next(int(l.split()[1]) * 1024 for l in open('/proc/self/status') if l.startswith('VmHWM'))\n"
        "print(table.X.nbytes, held - empty, peak - empty, found.X.nbytes)\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    size, held, peak, returned = map(float, run.stdout.split())
    return Claim(
        f"integrate(), {shape}, peak memory with the table",
        f"< {at_most:g} × the table",
        f"{peak / size:.2f} ×",
        "",
        peak < at_most * size,
        f"table {size / 1e6:.0f} MB, held {held / 1e6:.0f} MB with addresses, peak {peak / 1e6:.0f} MB, "
        f"of which the result is {returned / 1e6:.0f} MB",
    )


if __name__ == "__main__":
    main(claims)
