"""The kinds of faults in logs and result lists, each with its fate, the expected input and the remedy."""

from dataclasses import dataclass

from glassrank.core.limits import MAX_RECORD_BYTES
from glassrank.core.setting import setting
from glassrank.data.query_log import EXPECTED, ONE_PER_SEARCH


@dataclass(frozen=True)
class Kind:
    """A kind of bad input. Its fate: ``dropped`` rows are lost, ``kept`` rows stay, ``noted`` is not a fault."""

    name: str
    fate: str
    expected: str
    way: tuple[str, ...]
    """How to correct or accept one row."""
    advice: tuple[str, ...] = ()
    """Settings that may help if many rows have the fault."""

    @property
    def remedy(self) -> tuple[str, ...]:
        """What to do about the first row, if any fault is an error."""
        return (*self.way, *self.advice)


Row = tuple[str, str, tuple[str, ...]] | tuple[str, str, tuple[str, ...], tuple[str, ...]]


def _kinds(fate: str, *rows: Row) -> dict[str, Kind]:
    return {row[0]: Kind(row[0], fate, *row[1:]) for row in rows}


_LENIENT = f"read it {setting('strict', False, python='with strict=False')}"
_DROPS = ("Correct the file", f"{_LENIENT}, which drops the row")
_KEEPS = ("Correct the file", f"{_LENIENT}, which counts the row and keeps it")
_EMPTIES = ("Correct the file", f"{_LENIENT}, which keeps the row without the value")
_MEANING = (f"map the action: {setting('actions', {'view': 'impression'})}",)
_ENCODING = (f"set its encoding: {setting('encoding', 'cp1252')}",)
_TIME_FORMAT = f"set the format of the times: {setting('time_format', 'day-first')}"


# Each has its own key, because a command may have an option with the same name as the column.
_WITHOUT = {
    "engine": setting("no_engine_column", python="engine=None"),
    "search": setting("no_search_column", python="search=None"),
    "session": setting("no_session_column", python="session=None"),
    "time": setting("no_time_column", python="time=None"),
    "user": setting("no_user_column", python="user=None"),
}


def _without(column: str) -> str:
    """Return the advice for a column without a value in some rows."""
    return f"ignore the column: {_WITHOUT[column]}"


KINDS: dict[str, Kind] = {
    # The lines of a file.
    **_kinds(
        "dropped",
        (
            "line too long",
            f"at most {MAX_RECORD_BYTES:,} bytes per line",
            ("Shorten the line", f"{_LENIENT}, which drops the row"),
        ),
        ("wrong number of fields", "one field per column", _DROPS),
        ("not a JSON object", "one JSON object per line", _DROPS),
        ("invalid quoting", "quotes around a whole field, doubled inside it", _DROPS),
        ("list or object instead of text", "text or a number", _DROPS),
        ("bulk action without a document", "a document on the next line", _DROPS),
    ),
    **_kinds(
        "kept",
        (
            "encoding error",
            "text in the encoding of the file",
            ("Save the file as UTF-8", f"{_LENIENT}, which replaces each such byte with �"),
            _ENCODING,
        ),
        ("unreadable hit list", "a list of identifiers", _EMPTIES),
    ),
    # The values of one event.
    **_kinds(
        "dropped",
        ("unknown action", EXPECTED["action"], _DROPS, _MEANING),
        ("invalid click flag", "0 or 1", _DROPS),
        ("empty query", "a query with at least one character", _DROPS),
        ("query too long", "a shorter query", _DROPS, (f"raise {setting('longest_query')}",)),
        ("missing address", "the address of the result that was shown or clicked", _DROPS),
        ("invalid address", "an address with a readable host", _DROPS),
        ("invalid time", "a time such as 2024-05-01T12:00:00Z", _DROPS, (_TIME_FORMAT, _without("time"))),
        ("missing user", "a user in every event", _DROPS, (_without("user"),)),
        ("missing session", "a session in every event", _DROPS, (_without("session"),)),
        ("missing search", "a search in every event", _DROPS, (_without("search"),)),
    ),
    **_kinds(
        "kept",
        ("value not allowed for the action", "an empty field", _EMPTIES),
        ("invalid position", "a whole number, 1 for the first position", _EMPTIES),
        ("invalid dwell time", "a number of seconds from 0 to 1e9", _EMPTIES),
    ),
    # Several events together.
    **_kinds(
        "dropped",
        ("duplicate search", "a different query_id for each search", _DROPS),
        ("event of an unknown search", "the query_id of one of the queries", _DROPS),
        (
            "event that contradicts its search",
            f"the same {', '.join(ONE_PER_SEARCH)} in all events of a search",
            _DROPS,
        ),
        ("duplicate event", "each event once", _DROPS),
    ),
    **_kinds(
        "kept",
        ("click without a search", "a search before its clicks", _KEEPS),
        ("click on a result that was not shown", "an address among the impressions of the search", _KEEPS),
        ("position that differs from the list", "the position of the impression", _KEEPS),
        ("event earlier than its search", "a time not earlier than that of the search", _KEEPS),
        ("clock running backwards", "times that never decrease within a session", _KEEPS),
    ),
    # Lists of results.
    **_kinds(
        "dropped",
        ("missing query identifier", "a query_id in every row", _DROPS),
        ("invalid rank", "a whole number, 1 for the first position", _DROPS),
        ("missing engine", "an engine in every row", _DROPS, (_without("engine"),)),
        ("different query for the same identifier", "one query for each query_id", _DROPS),
        ("duplicate rank", "one result for each rank of a list", _DROPS),
    ),
    **_kinds("kept", ("invalid score", "a finite number", _EMPTIES)),
    # Not faults, but worth knowing.
    **_kinds(
        "noted",
        ("row of several lines", "", ()),
        ("international host", "", ()),
        ("unused action", "", ()),
        ("impression of a search with a hit list", "", ()),
        ("search event of a known search", "", ()),
        ("repeated search without a click", "", ()),
        ("address without a scheme (read as http://)", "", ()),
        ("search without results", "", ()),
        ("search without a user", "", ()),
        ("search without a session", "", ()),
        ("unused column", "", ()),
        ("row without action (read as a click)", "", ()),
        ("row without an address (its own result)", "", ()),
        ("position from an ordinal counted from 0", "", ()),
        ("position from an ordinal counted from 1", "", ()),
        ("position from an ordinal assumed to count from 1", "", ()),
    ),
}
