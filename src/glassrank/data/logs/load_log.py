"""Loading a log of searches, impressions and clicks from files of any known schema."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from glassrank.core.checks import DataError, check_choice, check_positive
from glassrank.data.engines.parquet_file import check_parquet_name
from glassrank.data.frame_columns import quote_name
from glassrank.data.logs.event_checks import check_together, check_values, is_known
from glassrank.data.logs.events import (
    create_events,
    fill_from_aol,
    fill_from_orcas,
    fill_from_plain,
    fill_from_ubi,
    fill_from_wide,
)
from glassrank.data.logs.log_file import LogFile, inspect_file
from glassrank.data.logs.log_reading import LogReading, LogTally, advice_on
from glassrank.data.logs.schemas import LOG_SCHEMAS, NAMED_SCHEMAS, SchemaPart, check_names, recognise
from glassrank.data.logs.staging import Staging
from glassrank.data.logs.text_lines import check_encoding
from glassrank.data.logs.time_formats import MILLISECONDS, SECONDS, TIME_FORMATS
from glassrank.data.query_log import (
    ACTIONS,
    CLICK,
    IDENTIFIERS,
    MAX_QUERY_LENGTH,
    NUMBERS,
    REQUIRED,
    QueryLog,
    shown_counts,
)

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
# The OpenSearch UBI actions that are read; impressions usually come from the hit list of the query.
UBI_ACTIONS = {"click_through": CLICK, **dict(zip(ACTIONS[1:], ACTIONS[1:], strict=True))}
_FILL: dict[str, Callable[[Staging], None]] = {
    "ubi": fill_from_ubi,
    "aol": fill_from_aol,
    "orcas": fill_from_orcas,
    "plain": fill_from_plain,
    "wide": fill_from_wide,
}
# OpenSearch counts milliseconds.
_TIME_FORMAT = {"ubi": MILLISECONDS}
# The rows of an OpenSearch export are unordered, and ORCAS has no times.
_IN_ORDER = ("aol", "plain")
_KNOWN_NUMBER = "SELECT 1 FROM events WHERE {0}_read IS NOT NULL LIMIT 1"


def load_log(
    paths: Paths,
    schema: str | None = None,
    *,
    strict: bool = False,
    actions: Mapping[str, str] | None = None,
    longest_query: int = MAX_QUERY_LENGTH,
    encoding: str = "utf-8",
    time_format: str | None = None,
    **names: str | None,
) -> QueryLog:
    """Load a query log: OpenSearch UBI, ORCAS, AOL, or a table of events or of shown results.

    ``paths`` is one file or several of one schema, as text (optionally gzip or xz), JSON lines or Parquet; the queries
    and events of UBI are two files or one. By default ``schema`` (``"ubi"``, ``"orcas"``, ``"aol"``, ``"plain"`` or
    ``"wide"``) is detected from the columns. ``names`` maps columns to their names in the file (``url="address"``), or
    omits them (``session=None``). ``actions`` maps actions of the file to those of ``QueryLog``. Times are ISO 8601, or
    in the ``time_format``: ``"seconds"`` or ``"milliseconds"`` since 1970, ``"day-first"`` (31/12/2006 23:59:00) or
    ``"month-first"``; the default is milliseconds for UBI and seconds otherwise. ``log.reading`` counts the faults by
    kind; with ``strict`` the first fault raises an error.

    >>> from pathlib import Path
    >>> rows = ["AnonID\\tQuery\\tQueryTime\\tItemRank\\tClickURL", "7\\tzen\\t2006-03-01 07:17:12\\t1\\thttp://zen.org"]
    >>> _ = Path("aol.txt").write_text("\\n".join([*rows, "7\\t\\t2006-03-01 07:18:00\\t\\t"]))
    >>> log = load_log("aol.txt")
    >>> print(log.reading)
    aol.txt: aol, 2 rows → 1 search, 0 impressions, 1 click
      dropped  empty query: 1 (aol.txt:3 '')
    """
    how = (longest_query, encoding, time_format, names)
    with _checked(paths, schema, LogTally(strict), actions, *how) as (staging, reading):
        log = QueryLog(**staging.arrays(_columns_in_order(staging)))
    object.__setattr__(log, "reading", reading)
    return log


def clean_log(
    paths: Paths,
    out: str | os.PathLike[str],
    schema: str | None = None,
    *,
    strict: bool = False,
    actions: Mapping[str, str] | None = None,
    longest_query: int = MAX_QUERY_LENGTH,
    encoding: str = "utf-8",
    time_format: str | None = None,
    **names: str | None,
) -> LogReading:
    """Read and check a log as ``load_log`` does, and write it to a Parquet file instead of loading it into memory.

    ``out`` gets the known columns of ``QueryLog``, with the rows in the order of the files; unknown positions and dwell
    times are null. Features can be computed from the file: ``query_url_features(results, clicks=out)``. The other
    arguments are those of ``load_log``, and the returned report is its ``log.reading``. Rows are kept in a temporary
    database on disk, so the log can be larger than memory. The file is written completely or not at all.

    >>> from pathlib import Path
    >>> _ = Path("log.csv").write_text("query,action,url\\nzen,click,http://zen.org/\\n,click,http://b.org/\\n")
    >>> print(clean_log("log.csv", "clean.parquet"))
    log.csv: plain, 2 rows → 0 searches, 0 impressions, 1 click
      dropped  empty query: 1 (log.csv:3 '')
    """
    check_parquet_name(out)
    how = (longest_query, encoding, time_format, names)
    with _checked(paths, schema, LogTally(strict), actions, *how) as (staging, reading):
        staging.write(_columns_in_order(staging), out)
    return reading


@contextmanager
def _checked(
    paths: Paths,
    schema: str | None,
    tally: LogTally,
    actions: Mapping[str, str] | None,
    longest_query: int,
    encoding: str,
    time_format: str | None,
    names: Mapping[str, str | None],
) -> Iterator[tuple[Staging, LogReading]]:
    """Stage the files, turn their rows into events, check the events, and yield the staging area and the report."""
    check_positive("longest_query", longest_query, whole=True)
    check_encoding(encoding)
    if time_format is not None:
        check_choice("time_format", time_format, TIME_FORMATS)
    with Staging(tally) as staging:
        found = _stage(staging, paths, schema, encoding, names)
        _create_actions(staging, found, actions)
        create_events(staging)
        _FILL[found](staging)
        n_events = staging.check_rows("events", "nth = 0")
        staging.keep_only("events")
        time_format = time_format or _TIME_FORMAT.get(found, SECONDS)
        check_values(staging, longest_query=longest_query, time_format=time_format)
        check_together(staging, in_order=found in _IN_ORDER)
        staging.check_kept(["events"], n_events)
        yield staging, _report(staging, found)


def _report(staging: Staging, schema: str) -> LogReading:
    counts = dict(staging.fetch("SELECT action, count(*) FROM events GROUP BY action"))
    reading = staging.tally.report(staging.source, schema, staging.rows, shown_counts(counts))
    if not counts:
        problem = f"{staging.source}: no valid event was found. Reading report:\n{reading}"
        raise DataError(problem, remedy=advice_on(reading))
    return reading


def _columns_in_order(staging: Staging) -> str:
    """Return SQL for the columns with values, with the events in the order of the files."""
    texts = [*REQUIRED, *(name for name in IDENTIFIERS if is_known(staging, name))]
    numbers = [name for name in NUMBERS if staging.fetch(_KNOWN_NUMBER.format(name))]
    chosen = [quote_name(name) for name in texts] + [f"{name}_read AS {quote_name(name)}" for name in numbers]
    return f"SELECT {', '.join(chosen)} FROM events ORDER BY file, line, nth"


def _stage(staging: Staging, paths: Paths, schema: str | None, encoding: str, names: Mapping[str, str | None]) -> str:
    """Stage every file, and return their common schema."""
    if schema is not None:
        check_choice("schema", schema, LOG_SCHEMAS)
    parts = [part for each in LOG_SCHEMAS.values() for part in each] if schema is None else NAMED_SCHEMAS[schema]
    check_names(parts, names)
    found: dict[str, str] = {}
    for path in as_paths(paths):
        file = inspect_file(path, encoding, schema)
        part = recognise(file.path, file.names, parts, names, schema)
        found.setdefault(part.schema, file.path)
        if len(found) > 1:
            (first, first_path), (second, second_path) = found.items()
            raise DataError(
                f"All files must have the same schema: {first_path} is {first}, {second_path} is {second}.",
                remedy="Load them separately.",
            )
        note_unused(staging, file, part, names)
        staging.add_file(file, part, names)
    return next(iter(found))


def as_paths(paths: Paths) -> list[str | os.PathLike[str]]:
    """Return one path or several as a list, which must not be empty."""
    found = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not found:
        raise DataError("paths must contain at least one file: got none.", parameter="paths")
    return found


def note_unused(staging: Staging, file: LogFile, part: SchemaPart, names: Mapping[str, str | None]) -> None:
    """Note the unused columns of a file, so that a misspelt name is not overlooked."""
    used = {name.casefold() for each in file.parts(part) for name in each.names_in(names).values()}
    unused = [name for name in file.names if name.casefold() not in used]
    staging.tally.add("unused column", len(unused), [(file.path, name) for name in unused])


def _create_actions(staging: Staging, schema: str, actions: Mapping[str, str] | None) -> None:
    """Create the table that maps the actions of the file to ours."""
    means = dict(UBI_ACTIONS if schema == "ubi" else zip(ACTIONS, ACTIONS, strict=True)) | dict(actions or {})
    for theirs, ours in means.items():
        check_choice(f"the meaning of action {theirs!r}", ours, ACTIONS)
    staging.run("CREATE TABLE actions (theirs VARCHAR, ours VARCHAR)")
    staging.insert("actions", {"theirs": list(means), "ours": list(means.values())})
