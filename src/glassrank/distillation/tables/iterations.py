"""Link analysis on tables: an iteration of HITS is two joins, and only the last half-steps are stored."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import narwhals as nw

from glassrank.data.engine import Engine
from glassrank.distillation.tables.half_steps import (
    Table,
    count_links,
    difference,
    join_hosts,
    pass_along,
    squares,
    start_surfing,
    surf,
    surfed,
    uniform,
    weigh_by_host,
    weigh_by_relevance,
)
from glassrank.distillation.tables.link_tables import LinkTables, count_rows

Report = Callable[[int, float], None]


@dataclass(frozen=True)
class Stopping:
    """When an iteration stops, and a function that gets the number and the change of each iteration."""

    tol: float
    max_iter: int
    report: Report


@dataclass(frozen=True, eq=False)
class TableIteration:
    """The result of an iteration: scores by page (to be multiplied by their scale), and how it ended."""

    authority: Table
    hub: Table | None
    authority_scale: float
    hub_scale: float
    iterations: int
    change: float
    converged: bool
    n_links: int
    """Number of links that count."""


def table_hits(engine: Engine, tables: LinkTables, stopping: Stopping) -> TableIteration:
    """HITS: a_i = Σ_{j→i} h_j, h_i = Σ_{i→j} a_j, both of length 1, from uniform hubs until Σ|Δa| and Σ|Δh| < tol."""
    return _iterate(engine, tables.links, tables.pages, (None, None), tables.n_pages, stopping)


def table_bharat_henzinger(engine: Engine, tables: LinkTables, stopping: Stopping) -> TableIteration:
    """Bharat–Henzinger: HITS with authority weights 1/k, hub weights 1/l and the relevance of the page that passes."""
    crossing = engine.run(join_hosts, tables.links, tables.pages, name="crossing_links")
    weighted = engine.run(weigh_by_host, crossing, name="weighted_links")
    engine.drop("crossing_links")
    if "relevance" in tables.pages.collect_schema().names():
        weighted = engine.run(weigh_by_relevance, weighted, tables.pages, name="relevant_links")
        engine.drop("weighted_links")
    return _iterate(engine, weighted, tables.pages, ("authority_weight", "hub_weight"), tables.n_pages, stopping)


@dataclass(frozen=True, eq=False)
class _Scores:
    """A stored half-step: unscaled sums, and the scale that gives them length 1."""

    name: str
    table: Table
    scale: float


def _iterate(
    engine: Engine,
    links: Table,
    pages: Table,
    weights: tuple[str | None, str | None],
    n_pages: int,
    stopping: Stopping,
) -> TableIteration:
    """Alternate until neither authorities nor hubs change; older half-steps are dropped."""
    steps = _HalfSteps(engine, links, weights)
    authority = hub = _Scores("", uniform(pages), 1.0 / math.sqrt(n_pages))
    change, iterations = math.inf, 0
    while change >= stopping.tol and iterations < stopping.max_iter:
        iterations += 1
        before = (authority, hub)
        authority = steps.authority(hub, iterations)
        hub = steps.hub(authority, iterations)
        if authority.scale == 0.0 or hub.scale == 0.0:
            # All scores are 0: there is no link between hosts, or none from or to a relevant page.
            authority, hub, change = replace(authority, scale=0.0), replace(hub, scale=0.0), 0.0
        else:
            change = max(steps.change(before[0], authority), steps.change(before[1], hub))
        engine.drop(*(scores.name for scores in before if scores.name))
        stopping.report(iterations, change)
    return TableIteration(
        authority.table,
        hub.table,
        authority.scale,
        hub.scale,
        iterations,
        change,
        change < stopping.tol,
        count_rows(engine, links),
    )


class _HalfSteps:
    """The two half-steps on one table of links."""

    def __init__(self, engine: Engine, links: Table, weights: tuple[str | None, str | None]) -> None:
        self._engine, self._links = engine, links
        self._authority_weight, self._hub_weight = weights

    def authority(self, hub: _Scores, iteration: int) -> _Scores:
        return self._take(f"authority_{iteration}", hub, "source", "target", self._authority_weight)

    def hub(self, authority: _Scores, iteration: int) -> _Scores:
        return self._take(f"hub_{iteration}", authority, "target", "source", self._hub_weight)

    def change(self, old: _Scores, new: _Scores) -> float:
        changed = difference(old.table, new.table, old_scale=old.scale, new_scale=new.scale)
        return float(self._engine.scalars(changed)["change"])

    def _take(self, name: str, scores: _Scores, sender: str, receiver: str, weight: str | None) -> _Scores:
        step = self._engine.run(
            pass_along,
            self._links,
            scores.table,
            name=name,
            sender=sender,
            receiver=receiver,
            weight=weight,
            scale=scores.scale,
        )
        # Fetch the length as a number: inside the query plan, it would make Spark compute the step again.
        total = self._engine.scalars(squares(step))["squares"] or 0.0
        return _Scores(name, step, 1.0 / math.sqrt(total) if total > 0.0 else 0.0)


def table_pagerank(engine: Engine, tables: LinkTables, stopping: Stopping, damping: float) -> TableIteration:
    """PageRank: r_i = (1 − d)/n + d · (Σ_{j→i} r_j/out-degree_j + Σ_{j without links} r_j / n), until Σ|Δr| < tol."""
    n = tables.n_pages
    surfers = engine.run(start_surfing, tables.pages, tables.links, name="surfers_0", n_pages=n)
    stuck = engine.scalars(surfed(surfers))["stuck"]
    change, iterations = math.inf, 0
    while change >= stopping.tol and iterations < stopping.max_iter:
        base = (1.0 - damping) / n + damping * stuck / n
        iterations += 1
        surfers = engine.run(surf, surfers, tables.links, name=f"surfers_{iterations}", damping=damping, base=base)
        engine.drop(f"surfers_{iterations - 1}")
        totals = engine.scalars(surfed(surfers))
        change, stuck = float(totals["change"]), totals["stuck"]
        stopping.report(iterations, change)
    scores = surfers.select("page", nw.col("score"))
    return TableIteration(scores, None, 1.0, 0.0, iterations, change, change < stopping.tol, tables.n_links)


def table_in_degree(engine: Engine, tables: LinkTables) -> TableIteration:
    """In-degree: the number of pages that link to a page."""
    counts = engine.run(count_links, tables.links, name="in_degrees", end="target")
    return TableIteration(counts, None, 1.0, 0.0, 0, 0.0, True, tables.n_links)
