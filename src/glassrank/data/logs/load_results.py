"""Loading result lists from files."""

import os
from collections.abc import Mapping
from typing import Any

from glassrank.core.checks import DataError, check_choice, check_positive
from glassrank.data.frame_columns import quote_name
from glassrank.data.logs.address_checks import check_addresses
from glassrank.data.logs.event_checks import is_blank, whole_number_of
from glassrank.data.logs.events import stage_ubi_searches
from glassrank.data.logs.load_log import Paths, as_paths, note_unused
from glassrank.data.logs.log_file import inspect_file
from glassrank.data.logs.log_reading import LogTally, advice_on
from glassrank.data.logs.schemas import RESULT_SCHEMAS, RESULTS, check_names, recognise
from glassrank.data.logs.staging import Staging
from glassrank.data.logs.text_lines import check_encoding
from glassrank.data.logs.time_formats import number_of
from glassrank.data.query_log import MAX_QUERY_LENGTH
from glassrank.data.search_results import SearchResults


def load_results(
    paths: Paths,
    schema: str | None = None,
    *,
    strict: bool = False,
    longest_query: int = MAX_QUERY_LENGTH,
    encoding: str = "utf-8",
    **names: str | None,
) -> SearchResults:
    """Load result lists from a table with the columns of ``SearchResults``, or from OpenSearch UBI queries.

    ``paths``, ``strict``, ``longest_query``, ``encoding`` and ``names`` are as in ``load_log``; ``schema`` is
    ``"results"`` or ``"ubi"``. Each UBI query gives one list: its hits, in order. If a table has no query identifiers,
    the query text can serve as identifier: ``query_id="query"``. ``results.reading`` counts the faults by kind.

    >>> from pathlib import Path
    >>> _ = Path("results.csv").write_text("query,rank,url\\nzen,1,http://zen.org/\\nzen,one,http://b.org/\\n")
    >>> results = load_results("results.csv", query_id="query")
    >>> print(results.reading)
    results.csv: results, 2 rows → 1 query, 1 result
      dropped  invalid rank: 1 (results.csv:3 'one')
    """
    check_positive("longest_query", longest_query, whole=True)
    check_encoding(encoding)
    with Staging(LogTally(strict)) as staging:
        found = _stage(staging, as_paths(paths), schema, encoding, names)
        if found == "ubi":
            _fill_from_ubi(staging)
        n_results = staging.check_rows("results", "rank = '1'" if found == "ubi" else "TRUE")
        staging.keep_only("results")
        _check_rows(staging, longest_query)
        _check_lists(staging)
        staging.check_kept(["results", "ranked"], n_results)
        return _make_results(staging, found)


def _stage(
    staging: Staging,
    paths: list[str | os.PathLike[str]],
    schema: str | None,
    encoding: str,
    names: Mapping[str, str | None],
) -> str:
    if schema is not None:
        check_choice("schema", schema, RESULT_SCHEMAS)
    chosen = RESULT_SCHEMAS.values() if schema is None else [RESULT_SCHEMAS[schema]]
    parts = [part for each in chosen for part in each]
    check_names(parts, names)
    found = set()
    for path in paths:
        file = inspect_file(path, encoding)
        part = recognise(file.path, file.names, parts, names, schema, "load_results")
        found.add(part.schema)
        if len(found) > 1:
            raise DataError(f"All files must have the same schema: {file.path} is {part.schema}, others are not.")
        note_unused(staging, file, part, names)
        staging.add_file(file, part, names)
    return found.pop()


def _fill_from_ubi(staging: Staging) -> None:
    if staging.has("ubi_events"):
        staging.drop("unused action", "action_name", "TRUE", "ubi_events")
    stage_ubi_searches(staging)
    staging.drop("search without results", "user_query", "coalesce(len(hits), 0) = 0", "searches")
    columns = ", ".join(f"{quote_name(column)} VARCHAR" for column in RESULTS.columns)
    staging.run(f"CREATE TABLE results (file INTEGER, line BIGINT, {columns})")
    staging.run(
        """
        INSERT INTO results (file, line, query_id, query, rank, url)
        SELECT file, line, query_id, user_query, place, hits[place]
        FROM (SELECT *, unnest(generate_series(1, len(hits))) AS place FROM searches)
        """
    )


def _check_rows(staging: Staging, longest_query: int) -> None:
    """Drop rows without a required value; a score that is not a number becomes unknown."""
    staging.drop("missing query identifier", "query", "coalesce(query_id, '') = ''", "results")
    staging.drop("empty query", "query", is_blank("query"), "results")
    staging.drop("query too long", "query", f"length(query) > {longest_query}", "results")
    staging.drop("missing address", "query", is_blank("url"), "results")
    staging.drop("invalid rank", "rank", f"({whole_number_of('rank')}) IS NULL", "results")
    check_addresses(staging, "results")
    if staging.fetch("SELECT 1 FROM results WHERE engine <> '' LIMIT 1"):
        staging.drop("missing engine", "query", "coalesce(engine, '') = ''", "results")
    staging.count("invalid score", "score", f"coalesce(score, '') <> '' AND ({number_of('score')}) IS NULL", "results")


def _check_lists(staging: Staging) -> None:
    """Drop rows that contradict an earlier row of the same list."""
    staging.run(
        f"""
        CREATE TABLE ranked AS SELECT *, {whole_number_of("rank")} AS place, {number_of("score")} AS points,
            row_number() OVER (ORDER BY file, line, {whole_number_of("rank")}) AS id FROM results
        """
    )
    other = "query <> first_value(query) OVER (PARTITION BY query_id ORDER BY id)"
    repeated = "row_number() OVER (PARTITION BY query_id, engine, place ORDER BY id) > 1"
    for kind, shown, qualifies in (
        ("different query for the same identifier", "query", other),
        ("duplicate rank", "rank", repeated),
    ):
        staging.drop(kind, shown, f"id IN (SELECT id FROM ranked QUALIFY {qualifies})", "ranked")


def _make_results(staging: Staging, schema: str) -> SearchResults:
    arrays = staging.arrays(
        "SELECT query_id, query, place AS rank, url, points AS score, engine, snippet FROM ranked ORDER BY id"
    )
    known = {name: values for name, values in arrays.items() if name in RESULTS.required or _has_values(values)}
    made = {"query": len(set(arrays["query_id"])), "result": len(arrays["query_id"])}
    reading = staging.tally.report(staging.source, schema, staging.rows, made)
    if not len(arrays["query_id"]):
        problem = f"{staging.source}: no valid result was found. Reading report:\n{reading}"
        raise DataError(problem, remedy=advice_on(reading))
    results = SearchResults(**known)
    object.__setattr__(results, "reading", reading)
    return results


def _has_values(values: Any) -> bool:
    return any(value is not None and value == value for value in values)
