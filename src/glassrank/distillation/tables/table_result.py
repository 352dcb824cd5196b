"""The result of scoring a table of links: how it ended, the best pages, and all scores, in memory or on disk."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import narwhals as nw

from glassrank.core.checks import DataError
from glassrank.core.frames import make_frame
from glassrank.core.input_types import Frame
from glassrank.core.wording import counted
from glassrank.data.engine import Engine, is_remote
from glassrank.data.engines.duckdb_engine import DuckDBEngine
from glassrank.distillation.score_ties import DIGITS
from glassrank.distillation.tables.half_steps import Table

AUTHORITY, HUB = "authority", "hub"
TOP = 10


@dataclass(frozen=True)
class TopPage:
    """One of the best pages: its rank from 1, its key in the table of links, and its score."""

    rank: int
    page: Any
    score: float


@dataclass(frozen=True, eq=False, repr=False)
class TableScores:
    """Scores of the pages of a table of links, as text, table and Parquet file."""

    method: str
    engine: str
    n_pages: int
    n_links: int
    """Number of links that count: each pair of pages once and, for Bharat–Henzinger, only between hosts."""
    n_rows: int
    """Number of input rows."""
    iterations: int
    change: float
    """L1 change of the scores in the last iteration."""
    tol: float
    converged: bool
    authorities: tuple[TopPage, ...]
    hubs: tuple[TopPage, ...]
    """Empty if the method has no hub scores."""
    columns: Mapping[str, Any] | None
    """All scores in memory, the best authority first; None if they were written to ``output``."""
    output: str | None = None

    def __str__(self) -> str:
        where = "in memory" if self.engine == "memory" else f"on {self.engine}"
        heads = [f"{self.method} {where}: {counted(self.n_pages, 'page')}, {self._links()}", self._ending()]
        if self.output is not None:
            heads.append(f"all scores: {self.output}")
        lines = heads + _listed("authorities", self.authorities) + _listed("hubs", self.hubs)
        return "\n".join([lines[0], *(f"  {line}" for line in lines[1:])])

    __repr__ = __str__

    def _links(self) -> str:
        links = counted(self.n_links, "link")
        return links if self.n_links == self.n_rows else f"{links} of {self.n_rows:,} given"

    def _ending(self) -> str:
        if self.iterations == 0:
            return "counted, nothing to iterate"
        verdict = "converged" if self.converged else "NOT converged"
        return f"{verdict} after {counted(self.iterations, 'iteration')} (change {self.change:.0e}, tol {self.tol:g})"

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return all scores as a pandas, Polars or Arrow table, the best authority first."""
        return make_frame(self._all_columns(), backend)

    def to_json(self) -> str:
        """Return the best pages and how the iteration ended as JSON."""
        plain = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "columns"}
        lists = {name: [asdict(page) for page in plain[name]] for name in ("authorities", "hubs")}
        return json.dumps(plain | lists, ensure_ascii=False)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all scores as one Parquet file."""
        with DuckDBEngine() as engine:
            table = engine.keep_columns(self._all_columns(), "scores")
            engine.write(best_first(engine, table, AUTHORITY), path)

    def _all_columns(self) -> Mapping[str, Any]:
        if self.columns is not None:
            return self.columns
        if self.output is None or is_remote(self.output):
            raise DataError(f"The scores are at {self.output}: read them with the engine that wrote them.")
        if not Path(self.output).exists():
            raise DataError(
                f"{self.output}: the file with the scores no longer exists.", remedy="Score the links again."
            )
        with DuckDBEngine() as engine:
            return engine.columns(best_first(engine, engine.scan(self.output), AUTHORITY))


def best_first(engine: Engine, table: Table, by: str) -> Table:
    """Sort by a score, best first; scores that agree to 9 digits of the largest are tied and sorted by page."""
    # Engines add in any order, so that mathematically equal scores differ in their last digits.
    largest = engine.scalars(table.select(nw.col(by).max().alias("largest")))["largest"] or 1.0
    tied = (nw.col(by) / largest).round(DIGITS).alias("place")
    return table.with_columns(tied).sort("place", "page", descending=[True, False]).drop("place")


def best_pages(engine: Engine, table: Table, by: str, k: int = TOP) -> tuple[TopPage, ...]:
    """Return the pages with the highest scores, without pages of score 0."""
    rows = engine.rows(best_first(engine, table.filter(nw.col(by) > 0.0), by).select("page", by).head(k))
    return tuple(TopPage(rank, row["page"], float(row[by])) for rank, row in enumerate(rows, start=1))


def _listed(title: str, pages: tuple[TopPage, ...]) -> list[str]:
    if not pages:
        return []
    width = max(len(str(page.page)) for page in pages)
    return [f"best {title}:", *(f"  {page.rank:>2}  {page.page!s:<{width}}  {page.score:.6g}" for page in pages)]
