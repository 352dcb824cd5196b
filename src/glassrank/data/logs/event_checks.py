"""Checks of staged events: faults in one event, and contradictions between several."""

from math import isfinite

from glassrank.data.column_table import Numbers
from glassrank.data.frame_columns import quote_name
from glassrank.data.logs.address_checks import check_addresses
from glassrank.data.logs.staging import PLACE, Staging, repeated_rows
from glassrank.data.logs.time_formats import number_of, time_of
from glassrank.data.query_log import ACTIONS, COLUMNS, IDENTIFIERS, NUMBERS, ONE_PER_SEARCH, ONLY_FOR

_BLANK = r"'[\s\p{Z}\x00]*'"


def is_blank(column: str) -> str:
    """Return SQL that tests whether a text is missing or blank."""
    return f"({column} IS NULL OR regexp_full_match({column}, {_BLANK}))"


def limited_number_of(text: str, kind: Numbers) -> str:
    """Return SQL that reads a number within the limits of its kind, or NULL."""
    number = number_of(text)
    limits = [f"({number}) {sign} {limit}" for sign, limit in ((">=", kind.low), ("<=", kind.high)) if isfinite(limit)]
    limits += [f"({number}) = floor({number})"] if kind.whole else []
    return f"CASE WHEN {' AND '.join(limits)} THEN {number} END" if limits else number


def whole_number_of(text: str) -> str:
    """Return SQL that reads a whole number from 1, such as a position or a rank, or NULL."""
    return limited_number_of(text, NUMBERS["position"])


def check_values(staging: Staging, *, longest_query: int, time_format: str) -> None:
    """Drop events without a required value, and read times, positions and dwell times."""
    # NOT IN alone would let NULL pass.
    staging.drop("unknown action", "action", f"action IS NULL OR NOT {_is_one_of(ACTIONS)}")
    staging.drop("empty query", "query", is_blank("query"))
    staging.drop("query too long", "query", f"length(query) > {longest_query}")
    staging.drop("missing address", "query", f"{_is_one_of(ONLY_FOR['url'].actions)} AND {is_blank('url')}")
    for column, only_for in ONLY_FOR.items():
        cannot = f"coalesce({column}, '') <> '' AND NOT {_is_one_of(only_for.actions)}"
        staging.empty("value not allowed for the action", column, cannot)
    staging.run("UPDATE events SET url = '' WHERE url IS NULL")
    check_addresses(staging, "events")
    for column in IDENTIFIERS:
        if is_known(staging, column):
            staging.drop(f"missing {column}", "query", f"coalesce({quote_name(column)}, '') = ''")
    _read_numbers(staging, time_format)


def _is_one_of(actions: tuple[str, ...]) -> str:
    return f"(action IN ({', '.join(repr(action) for action in actions)}))"


def _read_numbers(staging: Staging, time_format: str) -> None:
    """Add a column ``…_read`` of numbers for each text column; if any event has a time, every event needs one."""
    read = [
        f"{time_of(text, time_format) if kind.fetched == 'time' else limited_number_of(text, kind)} AS {name}_read"
        for name, kind in NUMBERS.items()
        for text in [quote_name(name)]
    ]
    staging.rebuild("events", f"SELECT *, {', '.join(read)} FROM events")
    if is_known(staging, "time"):
        staging.drop("invalid time", '"time"', "time_read IS NULL")
    wrong = "coalesce({0}, '') <> '' AND {0}_read IS NULL"
    staging.count("invalid position", "position", wrong.format("position"))
    staging.count("invalid dwell time", "dwell", wrong.format("dwell"))


def check_together(staging: Staging, *, in_order: bool) -> None:
    """Drop events that contradict or repeat an earlier one, and count other inconsistencies.

    ``in_order`` states that the rows of a file are sorted by time, so that a decreasing time is a fault.
    """
    has_time, has_search = is_known(staging, "time"), is_known(staging, "search")
    who = [name for name in IDENTIFIERS if is_known(staging, name)]
    if has_search:
        _check_contradictions(staging, [name for name in ONE_PER_SEARCH if name == "query" or name in who])
    # Without a time and an identifier, two equal rows may be two events.
    if has_time and who:
        same = ", ".join(f"{name}_read" if name in NUMBERS else quote_name(name) for name in COLUMNS)
        with staging.among(repeated_rows("events", same, f"{PLACE}, nth")) as repeated:
            staging.drop("duplicate event", "url", repeated)
    if has_search:
        _check_clicks(staging, has_time)
    session = next((name for name in ("session", "user") if name in who), None)
    if has_time and session is not None and in_order:
        earlier = (
            f"SELECT rowid FROM events QUALIFY time_read < lag(time_read) OVER "
            f"(PARTITION BY file, {quote_name(session)} ORDER BY line, nth)"
        )
        with staging.among(earlier) as backwards:
            staging.count("clock running backwards", '"time"', backwards)


def _check_contradictions(staging: Staging, columns: list[str]) -> None:
    """Drop events whose query, user or session differs from the first event of their search."""
    names = [quote_name(column) for column in columns]
    divided = " OR ".join(f"min(hash({name})) <> max(hash({name}))" for name in names)
    differs = " OR ".join(
        f"{name} <> first_value({name}) OVER (PARTITION BY search ORDER BY {PLACE}, nth)" for name in names
    )
    contradicting = (
        f"SELECT rowid FROM events WHERE search IN (SELECT search FROM events GROUP BY search HAVING {divided}) "
        f"QUALIFY {differs}"
    )
    with staging.among(contradicting) as contradicts:
        staging.drop("event that contradicts its search", "search", contradicts)


def _check_clicks(staging: Staging, has_time: bool) -> None:
    """Compare clicks with their search and with the results it showed."""
    if staging.fetch("SELECT 1 FROM events WHERE action = 'search' LIMIT 1"):
        alone = """
            SELECT c.rowid FROM events c ANTI JOIN (SELECT search FROM events WHERE action = 'search') s
            ON c.search = s.search WHERE c.action = 'click'
        """
        with staging.among(alone) as clicks:
            staging.count("click without a search", "search", clicks)
    if staging.fetch("SELECT 1 FROM events WHERE action = 'impression' LIMIT 1"):
        _check_shown(staging)
    if has_time:
        early = """
            SELECT e.rowid FROM events e
            JOIN (SELECT search, min(time_read) AS start FROM events WHERE action = 'search' GROUP BY search) s
            ON e.search = s.search WHERE e.action <> 'search' AND e.time_read < s.start
        """
        with staging.among(early) as before:
            staging.count("event earlier than its search", '"time"', before)


def _check_shown(staging: Staging) -> None:
    """Compare clicks with the impressions of their search."""
    shown = "(SELECT search, url, position_read AS place FROM events WHERE action = 'impression')"
    unseen = f"""
        SELECT c.rowid FROM events c SEMI JOIN {shown} l ON c.search = l.search
        ANTI JOIN {shown} s ON c.search = s.search AND c.url = s.url WHERE c.action = 'click'
    """
    with staging.among(unseen) as clicks:
        staging.count("click on a result that was not shown", "url", clicks)
    same = "c.search = s.search AND c.url = s.url"
    elsewhere = f"""
        SELECT c.rowid FROM events c SEMI JOIN {shown} s ON {same} AND s.place IS NOT NULL
        ANTI JOIN {shown} s ON {same} AND c.position_read = s.place
        WHERE c.action = 'click' AND c.position_read IS NOT NULL
    """
    with staging.among(elsewhere) as clicks:
        staging.count("position that differs from the list", "position", clicks)


def is_known(staging: Staging, column: str) -> bool:
    """Return whether any event has a value in a text column."""
    return bool(staging.fetch(f"SELECT 1 FROM events WHERE coalesce({quote_name(column)}, '') <> '' LIMIT 1"))
