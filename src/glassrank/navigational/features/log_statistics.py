"""LogStatistics: what the features of any query need from a log, stored in a folder of Parquet files."""

import glob
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.data.duckdb_errors import duckdb_errors
from glassrank.data.frame_columns import quote_name
from glassrank.data.search_results import SearchResults
from glassrank.files.atomic_files import make_folder, write_atomically, written_whole
from glassrank.files.unfollowed_links import check_unlinked, open_file
from glassrank.navigational.features.keyed_table import KeyedTable
from glassrank.navigational.features.log_source import LogFacts, storable
from glassrank.navigational.normal_text import normal_query

FORMAT = 1
MANIFEST = "log.json"
TABLES = {
    "pairs": ("query", "url"),
    "clicked": ("url", "query"),
    "queries": ("query",),
    "urls": ("url",),
    "words": ("word",),
    "bigrams": ("bigram",),
}
"""Table → columns by which it is sorted, so that a look-up reads few groups of rows."""
IN_MEMORY = 500_000_000
"""Size in bytes of a file above which it is scanned for each query instead of loaded into memory."""
_GROUP = 16_384
_ONE_THREAD: dict[str, Any] = {"threads": 1}


@dataclass(frozen=True, eq=False)
class LogStatistics:
    """Counts over a log for all its queries and addresses, which give the same features as the log.

    ``IntentSources`` takes it in place of the log. Make one with ``gr.save_intent_statistics``.
    """

    folder: Path
    facts: LogFacts
    clicks_at: Mapping[int, float]
    """Clicks of the whole log at each position."""
    word_totals: Mapping[str, int]
    sums: Mapping[str, tuple[str, ...]]
    """Names of the sums in the tables ``pairs``, ``queries`` and ``urls``."""
    has_shown_positions: bool
    """Whether impressions have positions, which then order a list of results."""
    bare_hosts: bool
    with_links: bool
    """Whether links are stored beside the counts."""
    with_pages: bool

    def __repr__(self) -> str:
        size = (counted(self.facts.n_queries, "query", "queries"), counted(self.facts.n_clicks, "click"))
        return f"LogStatistics({', '.join(size)})"

    @cached_property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        connection = duckdb.connect(config=_ONE_THREAD)
        connection.execute("SET enable_progress_bar = false; SET parquet_metadata_cache = true")
        with duckdb_errors(f"{self.folder}: the statistics cannot be read"):
            for name in TABLES:
                connection.read_parquet(glob.escape(str(self._file(name)))).create_view(name)
        return connection

    def _file(self, table: str) -> Path:
        path = self.folder / f"{table}.parquet"
        check_unlinked(path)
        return path

    @cached_property
    def _in_memory(self) -> dict[str, KeyedTable]:
        """The tables that are not too large."""
        small = {name: order[0] for name, order in TABLES.items() if self._file(name).stat().st_size <= IN_MEMORY}
        with duckdb_errors(f"{self.folder}: the statistics cannot be read"):
            return {name: KeyedTable(self._all_columns(name), key) for name, key in small.items()}

    def _all_columns(self, table: str) -> dict[str, Any]:
        """Columns of a table, read one by one, because texts are large until they are packed."""
        view = self._connection.table(table)
        return {name: view.select(quote_name(name)).fetchnumpy()[name] for name in view.columns}

    def check_bare_hosts(self, bare_hosts: bool) -> None:
        """Raise an error if addresses without a scheme would be read in another way than those of the log."""
        if bare_hosts != self.bare_hosts:
            how = "with" if self.bare_hosts else "without"
            raise DataError(
                f"{self.folder}: these statistics were made {how} {setting('bare_hosts', True)}.",
                parameter="bare_hosts",
                expected=self.bare_hosts,
                got=bare_hosts,
                remedy="Use the same for the results, or make the statistics again.",
            )

    def open(self) -> None:
        """Load the tables now instead of at the first query."""
        _ = self._in_memory

    def rows(self, table: str, wanted: Sequence[str]) -> dict[str, Any]:
        """Return the rows of a table whose first column has a wanted value, as arrays."""
        if table in self._in_memory:
            return self._in_memory[table].rows(wanted)
        column = TABLES[table][0]
        # With a single value, DuckDB skips all groups of rows that cannot contain it.
        test = "= ?" if len(wanted) == 1 else "IN (SELECT unnest(CAST(? AS VARCHAR[])))"
        values = [wanted[0]] if len(wanted) == 1 else [list(wanted)]
        query = f"SELECT * FROM {quote_name(table)} WHERE {quote_name(column)} {test}"
        with duckdb_errors(f"{self.folder}: the statistics cannot be read"):
            return dict(self._connection.execute(query, values).fetchnumpy())

    def results(self, query: str, depth: int = 100) -> SearchResults | None:
        """Return the addresses shown or clicked for a query, as ``results_from_log`` orders them; None if unknown.

        All spellings of a query share one list.
        """
        found = self.rows("pairs", [storable(normal_query(query))])
        if not len(found["url"]):
            return None
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.where(found["positions"] > 0, found["position_sum"] / found["positions"], np.inf)
        place = mean if self.has_shown_positions else np.zeros(len(mean))
        order = sorted(range(len(place)), key=lambda row: (place[row], -found["n"][row], found["spelling"][row]))
        urls = [found["spelling"][row] for row in order[:depth]]
        n = len(urls)
        return SearchResults(query_id=[query] * n, query=[query] * n, rank=np.arange(n) + 1, url=urls)


def write_log_statistics(folder: Path, tables: Mapping[str, Mapping[str, Any]], facts: Mapping[str, Any]) -> None:
    """Write the tables and, last, the manifest, which makes the folder complete."""
    make_folder(folder)
    with duckdb.connect(config={"pandas_analyze_sample": 0}) as connection:
        connection.execute("SET enable_progress_bar = false")
        for name, columns in tables.items():
            _write(connection, folder / f"{name}.parquet", columns, TABLES[name])
    sizes = {name: os.path.getsize(folder / f"{name}.parquet") for name in tables}
    content = {"format": FORMAT, "files": sizes, **facts}
    write_atomically(folder / MANIFEST, json.dumps(content, indent=1).encode())


def _write(connection: Any, path: Path, columns: Mapping[str, Any], order: Sequence[str]) -> None:
    # DuckDB finds the arrays by the name of this variable.
    arrays = {f"c{place}": values for place, values in enumerate(columns.values())}
    types = {"i": "BIGINT", "f": "DOUBLE"}
    casts = [
        f"CAST({alias} AS {types.get(values.dtype.kind, 'VARCHAR')}) AS {quote_name(column)}"
        for (alias, values), column in zip(arrays.items(), columns, strict=True)
    ]
    with written_whole(path) as temporary, duckdb_errors(f"{path}: the statistics cannot be written"):
        ordered = connection.sql(f"SELECT {', '.join(casts)} FROM arrays").order(", ".join(map(quote_name, order)))
        ordered.write_parquet(str(temporary), row_group_size=_GROUP, use_tmp_file=False)


def load_log_statistics(folder: str | os.PathLike[str]) -> LogStatistics:
    """Open stored statistics of a log; the tables are read when a query needs them."""
    place = Path(folder)
    try:
        with open(place / MANIFEST, encoding="utf-8", opener=open_file) as file:
            content = json.load(file)
        if content["format"] != FORMAT:
            raise _damage(place, f"they have format {content['format']!r}, but this version reads {FORMAT}")
        names = {field.name for field in fields(LogFacts)}
        facts = {name: content["facts"][name] for name in names} | {"columns": frozenset(content["facts"]["columns"])}
        sizes = dict(content["files"])
        found = LogStatistics(
            place,
            LogFacts(**facts),
            {int(position): float(n) for position, n in content["clicks_at"]},
            dict(content["word_totals"]),
            {table: tuple(sums) for table, sums in content["sums"].items()},
            bool(content["has_shown_positions"]),
            *(bool(content[name]) for name in ("bare_hosts", "with_links", "with_pages")),
        )
    except DataError:
        raise
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _damage(place, f"its {MANIFEST} cannot be read ({error})") from error
    for name in TABLES:
        path = place / f"{name}.parquet"
        if not path.is_file() or path.stat().st_size != sizes.get(name):
            raise _damage(place, f"{path.name} is missing or has changed")
    return found


def plain_facts(facts: LogFacts) -> dict[str, Any]:
    """Return facts as plain values, for JSON."""
    return asdict(facts) | {"columns": sorted(facts.columns)}


def _damage(folder: Path, fault: str) -> DataError:
    return DataError(f"{folder}: these statistics cannot be used: {fault}.", remedy="Make them again from the log.")
