"""score_links(): authorities and hubs of a table of links, in memory while it fits, otherwise on DuckDB or Spark."""

import math
import numbers
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import narwhals as nw
from sklearn.exceptions import ConvergenceWarning

from glassrank.core.checks import DataError, check_choice, check_positive
from glassrank.core.input_types import TableLike
from glassrank.core.progress import Progress
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.data.engine import SCANNED, Engine, is_remote, open_engine
from glassrank.data.engines.duckdb_engine import DuckDBEngine
from glassrank.data.web.edge_list import convert_edges
from glassrank.distillation.tables.half_steps import Table
from glassrank.distillation.tables.in_memory import MEMORY_LINKS, score_in_memory
from glassrank.distillation.tables.iterations import (
    Report,
    Stopping,
    TableIteration,
    table_bharat_henzinger,
    table_hits,
    table_in_degree,
    table_pagerank,
)
from glassrank.distillation.tables.link_tables import LinkTables, prepare_links
from glassrank.distillation.tables.table_result import AUTHORITY, HUB, TOP, TableScores, best_first, best_pages
from glassrank.files.work_folder import work_folder

METHODS: dict[str, Callable[[Engine, LinkTables, Stopping, float], TableIteration]] = {
    "hits": lambda engine, tables, stopping, damping: table_hits(engine, tables, stopping),
    "bharat-henzinger": lambda engine, tables, stopping, damping: table_bharat_henzinger(engine, tables, stopping),
    "pagerank": table_pagerank,
    "in-degree": lambda engine, tables, stopping, damping: table_in_degree(engine, tables),
}

# Engine → number of links up to which it works in memory.
IN_MEMORY = {"auto": MEMORY_LINKS, "memory": math.inf}
ENGINES = (*IN_MEMORY, "duckdb", "spark")


def score_links(
    links: TableLike,
    method: str = "hits",
    engine: str | Engine = "auto",
    *,
    pages: TableLike | None = None,
    source: str = "source",
    target: str = "target",
    header: bool = True,
    adjacency: bool = False,
    k: int = TOP,
    tol: float = 1e-10,
    max_iter: int = 1000,
    damping: float = 0.85,
    folder: str | os.PathLike[str] | None = None,
    output: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> TableScores:
    """Score the pages of a table of links like ``hits``, ``bharat_henzinger``, ``pagerank`` and ``in_degree``.

    a ← Lᵀh and h ← La, each half-step one join and one sum by page, until the scores change by less than ``tol``.

    ``links`` is a path (Parquet file or folder, CSV or TSV) or a table with the columns ``source`` and ``target``:
    text or whole numbers. A file with another suffix, or with ``header=False``, is text with a source and a target per
    line; with ``adjacency``, a page is followed by all pages that it links to. A pair of pages counts once. ``pages``
    is a table of all pages, including those without links, with the column ``page``. "bharat-henzinger" uses the
    columns ``source_host`` and ``target_host`` of the links or ``host`` of the pages, otherwise the hosts of their
    addresses, and ``relevance`` of the pages if it exists.

    ``engine`` is ``"auto"`` (a matrix for at most 20 million links, otherwise DuckDB), ``"memory"`` (a matrix),
    ``"duckdb"`` (on disk, in a temporary folder inside ``folder``), ``"spark"``, or an open engine. The scores are
    returned in memory, or written to Parquet if ``output`` is given; the best ``k`` pages are listed. ``progress`` is
    called after each iteration with its number, None and the change.

    >>> import polars
    >>> links = polars.DataFrame({"source": ["a", "a", "b", "c"], "target": ["b", "c", "c", "c"]})
    >>> score_links(links, "pagerank")
    pagerank in memory: 3 pages, 4 links
      converged after 3 iterations (change ..., tol 1e-10)
      best authorities:
         1  c  0.87875
         2  b  0.07125
         3  a  0.05
    """
    check_choice("method", method, METHODS)
    check_positive("tol", tol)
    check_positive("max_iter", max_iter, whole=True)
    if not isinstance(damping, numbers.Real) or isinstance(damping, bool) or not 0.0 <= float(damping) < 1.0:
        raise DataError(parameter="damping", expected="at least 0 and below 1", got=damping)
    stopping = Stopping(tol, max_iter, _reporter(progress))
    check_positive("k", k, whole=True)
    job = partial(
        _score,
        pages=pages,
        ends=(source, target),
        method=method,
        stopping=stopping,
        damping=damping,
        output=output,
        k=k,
    )
    with _readable(links, header, adjacency, (source, target)) as table:
        if isinstance(engine, Engine):
            if folder is not None:
                raise DataError("folder is only for an engine opened by name: an open engine has its own folder.")
            return _warned(_score_within(engine, partial(job, links=table)))
        check_choice("engine", engine, ENGINES)
        with open_engine("duckdb" if engine in IN_MEMORY else engine, folder=folder) as opened:
            scores = job(opened, links=table, memory=IN_MEMORY.get(engine, 0))
        return _warned(scores)


@contextmanager
def _readable(links: Any, header: bool, adjacency: bool, ends: tuple[str, str]) -> Iterator[Any]:
    """Yield links that an engine can scan: text files of links are converted in a temporary folder."""
    is_table = not isinstance(links, str | os.PathLike) or is_remote(links) or os.path.isdir(links)
    if is_table or (Path(_plain_name(links)).suffix.lower() in SCANNED and header and not adjacency):
        if not header or adjacency:
            raise DataError(
                f"{setting('header')} and {setting('adjacency')} are for text files: got another kind of table.",
                parameter="header" if not header else "adjacency",
                remedy="Omit them.",
            )
        yield links
        return
    if not os.path.exists(links):
        raise DataError(
            f"{links}: there is no such file or folder.",
            remedy=f"Check the path; relative paths start at {Path.cwd()}.",
        )
    with work_folder() as folder:
        yield convert_edges(links, folder, adjacency=adjacency, names=ends)


def _plain_name(path: str | os.PathLike[str]) -> str:
    return os.fspath(path).removesuffix(".gz")


def _warned(scores: TableScores) -> TableScores:
    """Warn if the iteration stopped early, as the functions on matrices do."""
    if not scores.converged:
        warnings.warn(
            f"{scores.method} stopped after {counted(scores.iterations, 'iteration')} with a change of "
            f"{scores.change:.1e}, above tol = {scores.tol:g}. Raise max_iter, or tol.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return scores


def _reporter(progress: Progress | None) -> Report:
    def report(iteration: int, change: float) -> None:
        if progress is not None:
            progress(iteration, None, f"iterating: change {change:.1e}")

    return report


def _score_within(engine: Engine, job: Callable[[Engine], TableScores]) -> TableScores:
    """Run a job in an engine of the caller, and drop the tables that the job adds."""
    before = set(engine.names)
    try:
        return job(engine)
    finally:
        engine.drop(*(name for name in engine.names if name not in before))


def _score(
    engine: Engine,
    *,
    links: Any,
    pages: Any,
    ends: tuple[str, str],
    method: str,
    stopping: Stopping,
    damping: float,
    output: str | os.PathLike[str] | None,
    k: int,
    memory: float = 0,
) -> TableScores:
    tables = prepare_links(engine, links, pages, with_hosts=method == "bharat-henzinger", ends=ends)
    in_memory = tables.n_links <= memory
    if in_memory and isinstance(engine, DuckDBEngine):
        found = score_in_memory(engine, tables, method, stopping, damping)
    else:
        found = METHODS[method](engine, tables, stopping, damping)
    scored = engine.materialise(_by_key(tables.pages, found), "scored_pages")
    if output is not None:
        engine.write(best_first(engine, scored, AUTHORITY), output)
    return TableScores(
        method=method,
        engine="memory" if in_memory else engine.name,
        n_pages=tables.n_pages,
        n_links=found.n_links,
        n_rows=tables.n_rows,
        iterations=found.iterations,
        change=found.change,
        tol=stopping.tol,
        converged=found.converged,
        authorities=best_pages(engine, scored, AUTHORITY, k),
        hubs=() if found.hub is None else best_pages(engine, scored, HUB, k),
        columns=engine.columns(best_first(engine, scored, AUTHORITY)) if output is None else None,
        output=None if output is None else os.fspath(output),
    )


def _by_key(pages: Table, found: TableIteration) -> Table:
    """Return the scores of every page by its original key; pages without a score have 0."""
    scored = pages.select("page", "key").join(found.authority.rename({"score": AUTHORITY}), on="page", how="left")
    scales = {AUTHORITY: found.authority_scale}
    if found.hub is not None:
        scored = scored.join(found.hub.rename({"score": HUB}), on="page", how="left")
        scales[HUB] = found.hub_scale
    return scored.select(
        nw.col("key").alias("page"),
        *((nw.col(name).fill_null(0.0) * scale).cast(nw.Float64).alias(name) for name, scale in scales.items()),
    )
