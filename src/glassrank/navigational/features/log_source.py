"""A query log in an engine: checked columns with fixed names and types, and a summary of its content."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from glassrank.core.checks import DataError
from glassrank.core.wording import counted
from glassrank.data.column_table import Numbers
from glassrank.data.engine import Engine, open_engine
from glassrank.data.frame_columns import quote_name
from glassrank.data.query_log import (
    ACTIONS,
    CLICK,
    CONVERSIONS,
    EXPECTED,
    IDENTIFIERS,
    IMPRESSION,
    NUMBERS,
    ONLY_FOR,
    REQUIRED,
    SEARCH,
    QueryLog,
)

Table = nw.LazyFrame[Any]
OPTIONAL = (*IDENTIFIERS, *NUMBERS)
MAX_FLOAT = float(np.finfo(np.float64).max)
_MICROSECONDS = 1e6
_HALVES = re.compile("[\ud800-\udfff]")
_BLOCK = 1 << 16


@dataclass(frozen=True)
class LogFacts:
    """The content of a log: events of each kind, distinct queries, columns with values, first and last time."""

    n_searches: int
    n_impressions: int
    n_clicks: int
    n_queries: int
    columns: frozenset[str]
    first_time: float | None
    last_time: float | None

    @property
    def n_events(self) -> int:
        """Events of every kind."""
        return self.n_searches + self.n_impressions + self.n_clicks

    @property
    def has_visits(self) -> bool:
        """Whether sessions must be derived from the pauses between a user's events."""
        return "session" not in self.columns and {"user", "time"} <= self.columns

    @property
    def session_keys(self) -> tuple[str, ...]:
        """Columns that identify a session; empty if sessions are unknown."""
        return ("session",) if "session" in self.columns else ("user", "visit") if self.has_visits else ()

    @property
    def list_keys(self) -> tuple[str, ...]:
        """Columns that identify a list of results: a query within a search, or else within a session."""
        if "search" in self.columns:
            return ("search", "query")
        return (*self.session_keys, "query") if self.session_keys else ()

    @property
    def held(self) -> frozenset[str]:
        """The available requirements of features, by the names in ``Feature.needs``."""
        held = set(self.columns & {"position", "dwell", "time", "user"})
        held |= {"sessions"} if self.session_keys else set()
        held |= {"lists"} if self.list_keys else set()
        held |= {"impressions"} if self.n_impressions else set()
        return frozenset(held | ({"searches"} if self.n_searches else set()))


def open_log(engine: Engine, clicks: Any) -> tuple[Table, LogFacts]:
    """Return a log as a table of the engine, and a summary of its content.

    ``clicks`` is a QueryLog, or a path that the engine scans or a table, with the columns of a QueryLog. Columns
    without a value are dropped. In files and tables, a user, session or search may be unknown (null or empty text), and
    so may a position or a dwell time; times must be known for all events or for none.
    """
    if isinstance(clicks, QueryLog):
        facts = _facts_in_memory(clicks)
        columns = {name: getattr(clicks, name) for name in (*REQUIRED, *OPTIONAL) if name in _known(clicks)}
        return _typed(hand_over(engine, columns, "given_log")), facts
    log = _typed(_scan_or_take(engine, clicks))
    found = engine.scalars(log.select(*_counts(log)))
    _refuse(found)
    known = [name for name in OPTIONAL if found.get(f"known_{name}")]
    facts = LogFacts(
        found[SEARCH] or 0,
        found[IMPRESSION] or 0,
        found[CLICK] or 0,
        found["queries"] or 0,
        frozenset(known),
        found.get("first_time"),
        found.get("last_time"),
    )
    return log.select(*REQUIRED, *known), facts


def read_log_facts(clicks: Any, engine: str | Engine) -> LogFacts:
    """Summarise the content of a log; temporary tables are removed from a given engine.

    >>> log = QueryLog(query=["zen"], action=["click"], url=["a"], user=["me"], time=[7.0])
    >>> facts = read_log_facts(log, "duckdb")
    >>> facts.n_clicks, facts.last_time, sorted(facts.held)
    (1, 7.0, ['lists', 'sessions', 'time', 'user'])
    """
    if isinstance(clicks, QueryLog):
        return _facts_in_memory(clicks)
    if not isinstance(engine, Engine):
        with open_engine(engine) as opened:
            return open_log(opened, clicks)[1]
    before = set(engine.names)
    try:
        return open_log(engine, clicks)[1]
    finally:
        engine.drop(*(name for name in engine.names if name not in before))


def _facts_in_memory(log: QueryLog) -> LogFacts:
    sold = np.isin(log.action, CONVERSIONS)
    log = log.pick_rows(~sold) if sold.any() else log
    known, counts = _known(log).difference(REQUIRED), log.counts()
    first, last = (float(log.time.min()), float(log.time.max())) if "time" in known else (None, None)
    return LogFacts(counts[SEARCH], counts[IMPRESSION], counts[CLICK], len(set(log.query)), known, first, last)


def _known(log: QueryLog) -> frozenset[str]:
    """Columns that are required or have a value; identifiers and times are never missing."""
    columns = {name: getattr(log, name) for name in OPTIONAL}
    held = [
        n for n, v in columns.items() if v is not None and len(v) and not (v.dtype.kind == "f" and np.isnan(v).all())
    ]
    return frozenset((*REQUIRED, *held))


def hand_over(engine: Engine, columns: Mapping[str, Any], name: str) -> Table:
    """Store arrays as a table of any engine, under a new name."""
    import duckdb

    written = {column: _writable(values) for column, values in columns.items()}
    if engine.name == "duckdb":
        return engine.take(written, name)
    # DuckDB finds the arrays by the name of this variable; with sampling, it would read columns of None as numbers.
    arrays = {f"c{place}": values for place, values in enumerate(written.values())}
    types = {"i": "BIGINT", "f": "DOUBLE"}
    casts = [
        f"CAST({alias} AS {types.get(values.dtype.kind, 'VARCHAR')}) AS {quote_name(column)}"
        for (alias, values), column in zip(arrays.items(), columns, strict=True)
    ]
    with duckdb.connect(config={"pandas_analyze_sample": 0}) as connection:
        return engine.take(connection.sql(f"SELECT {', '.join(casts)} FROM arrays"), name)


def _writable(values: Any) -> Any:
    """Escape lone surrogates in texts, which no engine accepts; other values are unchanged."""
    if values.dtype != object or not any(_has_halves(values[k : k + _BLOCK]) for k in range(0, len(values), _BLOCK)):
        return values
    return np.array([text and storable(text) for text in values], dtype=object)


def _has_halves(texts: Any) -> bool:
    joined = "".join(filter(None, texts))  # one search is much faster than one per text
    return not joined.isascii() and _HALVES.search(joined) is not None


def storable(text: str) -> str:
    """Escape lone surrogates, as an engine stores the text.

    >>> storable("zen"), storable("a\\ud800")
    ('zen', 'a\\\\ud800')
    """
    return text.encode("utf-8", "backslashreplace").decode()


def _scan_or_take(engine: Engine, clicks: Any) -> Table:
    """Select the columns of a log from a file or a table; other columns are ignored."""
    is_path = isinstance(clicks, str | os.PathLike)
    try:
        given = engine.scan(clicks) if is_path else nw.from_native(clicks)
    except TypeError as error:
        raise DataError(
            "clicks must be a QueryLog, a path to a Parquet, CSV or TSV file, or a table (pandas, Polars, Arrow, "
            f"DuckDB, Spark): got {type(clicks).__name__}.",
            parameter="clicks",
            got=type(clicks).__name__,
        ) from error
    names = given.collect_schema().names()
    missing = [name for name in REQUIRED if name not in names]
    if missing:
        raise DataError(
            f"The log must have a column {missing[0]!r}: got {', '.join(map(repr, names))}.", remedy="Rename or add it."
        )
    columns = [name for name in (*REQUIRED, *OPTIONAL) if name in names]
    return given.select(*columns) if is_path else engine.take(clicks, "given_log", columns)


def _typed(given: Table) -> Table:
    """Cast to text and float64; empty texts become null, except for the address, which searches do not have.

    Features are about searching and clicking, so what was put into a cart or bought is left out here.
    """
    schema = given.collect_schema()
    kept = [nw.col("query", "action").cast(nw.String), nw.col("url").cast(nw.String).fill_null("")]
    for name in IDENTIFIERS:
        if name in schema:
            text = nw.col(name).cast(nw.String)
            kept.append(nw.when(text != "").then(text).alias(name))
    kept += [_number(name, schema[name]) for name in NUMBERS if name in schema]
    return given.select(*kept).filter(nw.col("action").is_null() | ~nw.col("action").is_in(CONVERSIONS))


def _number(name: str, dtype: Any) -> nw.Expr:
    if dtype in (nw.Datetime, nw.Date):
        return (nw.col(name).cast(nw.Datetime("us")).dt.timestamp("us").cast(nw.Float64) / _MICROSECONDS).alias(name)
    return nw.col(name).cast(nw.Float64)


def _counts(log: Table) -> list[nw.Expr]:
    """Expressions that count events, known values and invalid values in one pass."""
    columns = log.collect_schema().names()
    has_url = nw.col("action").is_in(list(ONLY_FOR["url"].actions))
    empty = nw.col("url") == ""
    found = [_number_of(nw.col("action") == action, action) for action in ACTIONS]
    found += [_number_of(~nw.col(name).is_null(), f"known_{name}") for name in columns if name not in REQUIRED]
    found += [
        nw.len().cast(nw.Int64).alias("rows"),
        nw.col("query").n_unique().cast(nw.Int64).alias("queries"),
        _number_of(nw.col("query").is_null() | (nw.col("query") == ""), "bad_query"),
        _number_of(nw.col("action").is_null() | ~nw.col("action").is_in(list(ACTIONS)), "bad_action"),
        _number_of((has_url & empty) | (~has_url & ~empty), "bad_url"),
    ]
    found += [_number_of(_is_bad(name, NUMBERS[name]), f"bad_{name}") for name in NUMBERS if name in columns]
    if "time" in columns:
        found.append(nw.col("time").min().cast(nw.Float64).alias("first_time"))
        found.append(nw.col("time").max().cast(nw.Float64).alias("last_time"))
    return found


def _is_bad(name: str, kind: Numbers) -> nw.Expr:
    """Whether a known number is out of range, or belongs to an event that must not have one."""
    value = nw.col(name)
    # Numbers beyond the largest float are infinite.
    bad = (value < max(kind.low, -MAX_FLOAT)) | (value > min(kind.high, MAX_FLOAT))
    if kind.whole:
        bad = bad | (value.floor() != value)
    if name in ONLY_FOR:
        bad = bad | ~nw.col("action").is_in(list(ONLY_FOR[name].actions))
    return bad & ~value.is_null()


def _number_of(flag: nw.Expr, name: str) -> nw.Expr:
    return nw.when(flag).then(1).otherwise(0).sum().cast(nw.Int64).alias(name)


def _refuse(facts: Mapping[str, Any]) -> None:
    """Raise the errors that a QueryLog would raise."""
    for name, expected in EXPECTED.items():
        if facts.get(f"bad_{name}"):
            wrong = counted(facts[f"bad_{name}"], "row is", "rows are")
            raise DataError(
                f"{name} must contain {expected}: {wrong} wrong (of {facts['rows']:,}).", remedy="Correct or drop them."
            )
    known = facts.get("known_time") or 0
    if known and known < facts["rows"]:
        raise DataError(
            f"time must be known in all events of a log or in none: {facts['rows'] - known:,} of {facts['rows']:,} "
            "have none.",
            remedy="Drop those rows, or the column.",
        )


def rows_of(engine: Engine, table: Table) -> int:
    """Return the number of rows."""
    return int(engine.scalars(table.select(nw.len().cast(nw.Int64).alias("n")))["n"])
