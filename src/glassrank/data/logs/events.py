"""SQL that turns the staged rows of each schema into the table ``events``."""

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.data.column_table import Numbers
from glassrank.data.frame_columns import quote_name
from glassrank.data.logs.event_checks import limited_number_of
from glassrank.data.logs.schemas import OBJECT_ID, ORDINAL
from glassrank.data.logs.staging import PLACE, Staging, repeated_rows
from glassrank.data.logs.time_formats import number_of
from glassrank.data.query_log import COLUMNS, ONE_PER_SEARCH

# AOL logs are about the web, and many copies of them have bare hosts.
_NO_SCHEME = "coalesce(\"ClickURL\", '') <> '' AND NOT regexp_matches(\"ClickURL\", '^[A-Za-z][A-Za-z0-9+.-]*://')"
_AOL_URL = f'CASE WHEN {_NO_SCHEME} THEN \'http://\' || "ClickURL" ELSE "ClickURL" END'
# AOL writes - for a query that was removed.
_AOL_QUERY = "CASE WHEN \"Query\" = '-' THEN '' ELSE \"Query\" END"


def create_events(staging: Staging) -> None:
    """Create the empty table of events; ``nth`` orders the events of the same row of a file and starts at 0."""
    columns = ", ".join(f"{quote_name(column)} VARCHAR" for column in COLUMNS)
    staging.run(f"CREATE TABLE events (file INTEGER, line BIGINT, nth INTEGER, {columns})")


def fill_from_plain(staging: Staging) -> None:
    """Turn rows of a plain table into events; without an action column every row is a click."""
    without = "file IN (SELECT file FROM plain GROUP BY file HAVING count(action) = 0)"
    staging.count("row without action (read as a click)", "query", without, "plain")
    columns = ", ".join(quote_name(column) for column in COLUMNS)
    values = columns.replace('"action"', f"CASE WHEN {without} THEN 'click' ELSE coalesce(ours, \"action\") END")
    staging.run(
        f"""
        INSERT INTO events (file, line, nth, {columns})
        SELECT file, line, 0, {values} FROM plain LEFT JOIN actions ON "action" = theirs
        """
    )


def fill_from_wide(staging: Staging) -> None:
    """Turn each row, a shown result, into an impression and, if it was clicked, a click."""
    flag = f"CASE lower(trim(clicked)) WHEN 'true' THEN 1 WHEN 'false' THEN 0 ELSE {number_of('clicked')} END"
    staging.rebuild("wide", f"SELECT *, {flag} AS flag FROM wide")
    staging.drop("invalid click flag", "clicked", "flag IS NULL OR flag NOT IN (0, 1)", "wide")
    without = "file IN (SELECT file FROM wide GROUP BY file HAVING count(nullif(url, '')) = 0)"
    staging.count("row without an address (its own result)", "query", without, "wide")
    columns = ", ".join(quote_name(column) for column in COLUMNS)
    shown = columns.replace('"url"', f"CASE WHEN {without} THEN 'result ' || {PLACE} ELSE url END")
    # A dwell time of a result that was not clicked is counted as a fault later.
    unused = f"CASE WHEN flag = 0 AND {number_of('dwell')} IS DISTINCT FROM 0 THEN dwell END"
    for nth, action, dwell, rows in ((0, "impression", unused, "TRUE"), (1, "click", "dwell", "flag = 1")):
        values = shown.replace('"action"', f"'{action}'").replace('"dwell"', dwell)
        staging.run(
            f"INSERT INTO events (file, line, nth, {columns}) SELECT file, line, {nth}, {values} FROM wide WHERE {rows}"
        )


def fill_from_orcas(staging: Staging) -> None:
    """Turn ORCAS rows (a query and a clicked address) into clicks with unknown time, user and position."""
    staging.run(
        "INSERT INTO events (file, line, nth, query, action, url) SELECT file, line, 0, query, 'click', url FROM orcas"
    )


def fill_from_aol(staging: Staging) -> None:
    """Turn AOL rows with the same user, query and time into one search; rows with an address are its clicks."""
    columns = '"AnonID", "Query", "QueryTime", "ItemRank", "ClickURL"'
    with staging.among(repeated_rows("aol", columns, PLACE)) as repeated:
        staging.drop("duplicate event", _AOL_QUERY, repeated, "aol")
    staging.rebuild(
        "aol",
        f"""
        SELECT *, {PLACE} AS place, min({PLACE}) OVER (PARTITION BY "AnonID", "Query", "QueryTime") AS first_place
        FROM aol
        """,
    )
    has_click = "(coalesce(\"ClickURL\", '') <> '' OR coalesce(\"ItemRank\", '') <> '')"
    repeats = f"place <> first_place AND NOT {has_click}"
    staging.drop("repeated search without a click", _AOL_QUERY, repeats, "aol")
    staging.count("address without a scheme (read as http://)", '"ClickURL"', _NO_SCHEME, "aol")
    # Numbered by first appearance, so that the identifiers are the same in every run.
    staging.run(
        """
        CREATE TABLE aol_searches AS SELECT place AS first_place, row_number() OVER (ORDER BY place) AS number
        FROM aol WHERE place = first_place
        """
    )
    into = 'INSERT INTO events (file, line, nth, query, action, url, "time", "user", search, position)'
    staging.run(
        f"""{into} SELECT file, line, 0, {_AOL_QUERY}, 'search', '', "QueryTime", "AnonID", number, NULL
        FROM aol JOIN aol_searches USING (first_place) WHERE place = first_place"""
    )
    staging.run(
        f"""{into} SELECT file, line, CASE WHEN place = first_place THEN 1 ELSE 0 END, {_AOL_QUERY}, 'click',
            {_AOL_URL}, "QueryTime", "AnonID", number, "ItemRank"
        FROM aol JOIN aol_searches USING (first_place) WHERE {has_click}"""
    )


def fill_from_ubi(staging: Staging) -> None:
    """Turn UBI queries into searches, their hit lists into impressions, and UBI events into clicks and impressions."""
    if not staging.has("ubi_queries"):
        raise DataError(
            f"{staging.files[0].path}: the file contains UBI events; the query texts are in another file.",
            remedy=f"Give both files: {setting('clicks', python='load_log([queries, events])')}.",
        )
    _fill_searches(staging)
    if staging.has("ubi_events"):
        _fill_ubi_events(staging)
    for name in (name for name in ONE_PER_SEARCH if name != "query"):
        _share_within_searches(staging, name)


def stage_ubi_searches(staging: Staging) -> None:
    """Create the table ``searches`` from the queries, one row per identifier, with the hit list as a list."""
    staging.drop("missing search", "user_query", "coalesce(query_id, '') = ''", "ubi_queries")
    with staging.among(repeated_rows("ubi_queries", "query_id", PLACE)) as repeated:
        staging.drop("duplicate search", "query_id", repeated, "ubi_queries")
    staging.run("CREATE TABLE searches AS SELECT *, CAST(query_response_hit_ids AS VARCHAR[]) AS hits FROM ubi_queries")


def _fill_searches(staging: Staging) -> None:
    stage_ubi_searches(staging)
    into = 'INSERT INTO events (file, line, nth, query, action, url, "time", "user", session, search, position)'
    rest = '"timestamp", client_id, session_id, query_id'
    staging.run(f"{into} SELECT file, line, 0, user_query, 'search', '', {rest}, NULL FROM searches")
    staging.run(
        f"""{into} SELECT file, line, place, user_query, 'impression', hits[place], {rest}, place
        FROM (SELECT *, unnest(generate_series(1, len(hits))) AS place FROM searches WHERE len(hits) > 0)"""
    )


def _fill_ubi_events(staging: Staging) -> None:
    """Join events to their queries by identifier; a query with a hit list has its impressions already."""
    used = "action_name IN (SELECT theirs FROM actions)"
    staging.drop("unused action", "action_name", f"action_name IS NULL OR NOT {used}", "ubi_events")
    unknown = "query_id IS NULL OR (query_id NOT IN (SELECT query_id FROM searches) AND coalesce(user_query, '') = '')"
    staging.drop("event of an unknown search", "query_id", unknown, "ubi_events")
    means = "(SELECT ours FROM actions WHERE theirs = action_name)"
    listed = f"{means} = 'impression' AND query_id IN (SELECT query_id FROM searches WHERE len(hits) > 0)"
    staging.drop("impression of a search with a hit list", "query_id", listed, "ubi_events")
    # The query itself is the search: an event that reports it again adds nothing.
    staging.drop("search event of a known search", "query_id", f"{means} = 'search'", "ubi_events")
    ordinal = f"e.{quote_name(ORDINAL)}"
    counted = limited_number_of(ordinal, Numbers("", 0, whole=True))
    staging.run(
        f"""
        CREATE TABLE placed AS
        SELECT e.file, e.line, coalesce(s.user_query, e.user_query) AS query, a.ours, e.{quote_name(OBJECT_ID)} AS url,
            e."timestamp", e.client_id, e.session_id, e.query_id, s.hits, {ordinal} AS ordinal,
            TRY_CAST({counted} AS BIGINT) AS counted
        FROM ubi_events e JOIN actions a ON a.theirs = e.action_name LEFT JOIN searches s USING (query_id)
        """
    )
    first, kind = _first_ordinal(staging)
    place = f"counted + {1 - first}"
    listed = f"CASE WHEN hits[{place}] = url THEN {place} ELSE nullif(list_position(hits, url), 0) END"
    staging.rebuild("placed", f"SELECT * EXCLUDE (hits), {place} AS place, {listed} AS listed FROM placed")
    other = "listed IS NOT NULL AND coalesce(ordinal, '') <> '' AND place IS DISTINCT FROM listed"
    staging.count("position that differs from the list", "ordinal", other, "placed")
    staging.count(f"position from an ordinal {kind}", "ordinal", "listed IS NULL AND place >= 1", "placed")
    staging.run(
        """
        INSERT INTO events (file, line, nth, query, action, url, "time", "user", session, search, position)
        SELECT file, line, 0, query, ours, url, "timestamp", client_id, session_id, query_id,
            coalesce(CAST(coalesce(listed, place) AS VARCHAR), ordinal)
        FROM placed
        """
    )


def _first_ordinal(staging: Staging) -> tuple[int, str]:
    """Return whether ordinals begin at 0 or 1, and the evidence in words.

    The UBI specification counts from 1, its sample data from 0, and collectors do either. Objects in a list of hits
    decide. Without lists, zeros show that ordinals begin at 0, unless they are errors in a log with far more ones.
    """
    ((from_0, from_1, zeros, ones),) = staging.fetch(
        """
        SELECT count(*) FILTER (hits[counted + 1] = url), count(*) FILTER (hits[counted] = url),
            count(*) FILTER (counted = 0), count(*) FILTER (counted = 1) FROM placed
        """
    )
    if from_0 != from_1:
        first = 0 if from_0 > from_1 else 1
        return first, f"counted from {first}"
    return (0, "counted from 0") if zeros > 0.1 * ones else (1, "assumed to count from 1")


def _share_within_searches(staging: Staging, name: str) -> None:
    """Give all events of a search the user or session of the first event that has one.

    If no event of a search has one, the search gets its own, so that searches are not mixed.
    """
    column = quote_name(name)
    if staging.fetch(f"SELECT 1 FROM events WHERE coalesce({column}, '') <> '' LIMIT 1") == []:
        return
    staging.run(
        f"""
        CREATE TABLE shared AS SELECT search, arg_min({column}, (file, line, nth)) FILTER ({column} <> '') AS known
        FROM events GROUP BY search
        """
    )
    staging.count(
        f"search without a {name}",
        "search",
        "action = 'search' AND search IN (SELECT search FROM shared WHERE known IS NULL)",
    )
    # A different value within the search is kept and reported as a contradiction later.
    staging.rebuild(
        "events",
        f"""
        SELECT events.* REPLACE (coalesce(nullif({column}, ''), known, 'search ' || events.search) AS {column})
        FROM events LEFT JOIN shared ON events.search = shared.search
        """,
    )
    staging.run("DROP TABLE shared")
