"""PageRank and in-degree on tables."""

import math

import narwhals as nw

from glassrank.data.engine import Engine
from glassrank.distillation.table_hits import Stopping, TableIteration
from glassrank.distillation.table_links import LinkTables
from glassrank.distillation.table_steps import count_links, start_surfing, surf, surfed


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
        said = engine.scalars(surfed(surfers))
        change, stuck = float(said["change"]), said["stuck"]
        stopping.tell(iterations, change)
    scores = surfers.select("page", nw.col("score"))
    return TableIteration(scores, None, 1.0, 0.0, iterations, change, change < stopping.tol, tables.n_links)


def table_in_degree(engine: Engine, tables: LinkTables) -> TableIteration:
    """In-degree: how many pages link to a page."""
    counts = engine.run(count_links, tables.links, name="in_degrees", end="target")
    return TableIteration(counts, None, 1.0, 0.0, 0, 0.0, True, tables.n_links)
