"""Link analysis in memory, for tables of links that fit: the functions on matrices, with the results of the tables."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.data.engines.duckdb_engine import DuckDBEngine
from glassrank.distillation.bharat_henzinger import bharat_henzinger
from glassrank.distillation.hits import hits
from glassrank.distillation.in_degree import in_degree
from glassrank.distillation.link_scores import LinkScores
from glassrank.distillation.pagerank import pagerank
from glassrank.distillation.tables.half_steps import Table
from glassrank.distillation.tables.iterations import Stopping, TableIteration
from glassrank.distillation.tables.link_tables import LinkTables

MEMORY_LINKS = 20_000_000
"""Number of links up to which ``engine="auto"`` works in memory; the matrix then needs about half a gigabyte."""

Scores = Callable[[Any, dict[str, Any], Stopping, float], LinkScores]
METHODS: dict[str, Scores] = {
    "hits": lambda links, pages, stop, damping: hits(links, tol=stop.tol, max_iter=stop.max_iter),
    "bharat-henzinger": lambda links, pages, stop, damping: bharat_henzinger(
        links, pages["host"], pages.get("relevance"), tol=stop.tol, max_iter=stop.max_iter
    ),
    "pagerank": lambda links, pages, stop, damping: pagerank(links, damping, tol=stop.tol, max_iter=stop.max_iter),
    "in-degree": lambda links, pages, stop, damping: in_degree(links),
}


def score_in_memory(
    engine: DuckDBEngine, tables: LinkTables, method: str, stopping: Stopping, damping: float
) -> TableIteration:
    """Load the numbered links as a matrix, score it, and store the scores in the engine."""
    pages = engine.columns(tables.pages)
    order = np.argsort(pages["page"], kind="stable")
    pages = {name: values[order] for name, values in pages.items()}
    numbers = np.asarray(pages["page"], dtype=np.int64)
    ends = engine.columns(tables.links.select("source", "target"))
    rows, columns = (np.searchsorted(numbers, np.asarray(ends[name], dtype=np.int64)) for name in ("source", "target"))
    links = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(numbers),) * 2)
    found = METHODS[method](links, pages, stopping, damping)
    return TableIteration(
        _stored(engine, numbers, found.authority_scores, "memory_authorities"),
        None if found.hub_scores is None else _stored(engine, numbers, found.hub_scores, "memory_hubs"),
        1.0,
        1.0,
        found.iterations,
        found.change,
        found.converged,
        tables.n_links if method != "bharat-henzinger" else _between(pages["host"], rows, columns),
    )


def _stored(engine: DuckDBEngine, numbers: Any, scores: Any, name: str) -> Table:
    return engine.keep_columns({"page": numbers, "score": np.asarray(scores, dtype=np.float64)}, name)


def _between(hosts: Any, rows: Any, columns: Any) -> int:
    """Return the number of links between different hosts."""
    named = np.asarray(hosts)
    return int((named[rows] != named[columns]).sum())
