"""What can be wrong in a log or a list of results: each kind with its fate, what was expected, and the remedy."""

from dataclasses import dataclass

from glassrank.core.limits import LONGEST_RECORD
from glassrank.core.setting import setting
from glassrank.data.query_log import EXPECTED, ONE_PER_SEARCH


@dataclass(frozen=True)
class Kind:
    """A kind of bad input: ``dropped`` loses the row, ``kept`` keeps it, ``noted`` is no fault at all."""

    name: str
    fate: str
    expected: str
    remedy: tuple[str, ...]


def _kinds(fate: str, *rows: tuple[str, str, tuple[str, ...]]) -> dict[str, Kind]:
    return {name: Kind(name, fate, expected, remedy) for name, expected, remedy in rows}


_LENIENT = f"read it {setting('strict', False, python='with strict=False')}"
_DROPS = ("Correct the file", f"{_LENIENT}, which drops the row")
_KEEPS = ("Correct the file", f"{_LENIENT}, which counts the row and keeps it")
_EMPTIES = ("Correct the file", f"{_LENIENT}, which keeps the row without the value")
_MEANING = (*_DROPS, f"say what it means: {setting('actions', {'view': 'impression'})}")


def _without(column: str) -> tuple[str, ...]:
    """What helps against a column that is not in every row: a key of its own, for a command may name one alike."""
    return (*_DROPS, f"leave the column out: {setting(f'no_{column}_column', python=f'{column}=None')}")


KINDS: dict[str, Kind] = {
    # The lines of a file.
    **_kinds(
        "dropped",
        (
            "line too long",
            f"at most {LONGEST_RECORD:,} bytes in a line",
            ("Shorten the line", f"{_LENIENT}, which drops the row"),
        ),
        ("line of another width", "as many fields as there are columns", _DROPS),
        ("line that is no JSON object", "one JSON object in each line", _DROPS),
        ("quote that is not closed", "quotes around a whole field, doubled inside it", _DROPS),
        ("list or object in the place of a text", "a text or a number", _DROPS),
    ),
    **_kinds(
        "kept",
        (
            "bytes of another encoding",
            "text in the encoding of the file",
            (
                "Save the file as UTF-8",
                f"name its encoding: {setting('encoding', 'cp1252')}",
                f"{_LENIENT}, which puts � for each such byte",
            ),
        ),
        ("list of hits that cannot be read", "a list of identifiers", _EMPTIES),
    ),
    # The values of one event.
    **_kinds(
        "dropped",
        ("unknown action", EXPECTED["action"], _MEANING),
        ("empty query", "a query with at least one sign", _DROPS),
        ("query too long", "a shorter query", (*_DROPS, f"raise {setting('longest_query')}")),
        ("no address", "the address of the result that was shown or clicked", _DROPS),
        ("address that cannot be taken apart", "an address with a readable host", _DROPS),
        ("time that cannot be read", "a time as in 2024-05-01T12:00:00Z", _without("time")),
        ("no user", "the user of every event", _without("user")),
        ("no session", "the session of every event", _without("session")),
        ("no search", "the search of every event", _without("search")),
    ),
    **_kinds(
        "kept",
        ("value that the action cannot have", "neither address, position nor dwell time", _EMPTIES),
        ("position that is no whole number from 1", "1 for the first place", _EMPTIES),
        ("dwell time that is no number from 0", "seconds", _EMPTIES),
    ),
    # Events beside each other.
    **_kinds(
        "dropped",
        ("search that stands twice", "a query_id for each search", _DROPS),
        ("event of an unknown search", "a query_id that stands among the queries", _DROPS),
        ("event that contradicts its search", f"one {', '.join(ONE_PER_SEARCH)} in all events of a search", _DROPS),
        ("event that stands twice", "each event once", _DROPS),
    ),
    **_kinds(
        "kept",
        ("click without a search", "a search before its clicks", _KEEPS),
        ("click on a result that was not shown", "an address among the impressions of the search", _KEEPS),
        ("position other than in the list", "the position of the impression", _KEEPS),
        ("time before that of its search", "a time not earlier than that of the search", _KEEPS),
        ("clock running backwards", "times that do not fall within a session", _KEEPS),
    ),
    # Lists of results.
    **_kinds(
        "dropped",
        ("no query identifier", "a query_id in every row", _DROPS),
        ("rank that is no whole number from 1", "1 for the first place", _DROPS),
        ("no engine", "the engine of every row", _without("engine")),
        ("query that differs from the first of its identifier", "one query for each query_id", _DROPS),
        ("rank that stands twice", "one result for each place of a list", _DROPS),
    ),
    **_kinds("kept", ("score that is no number", "a finite number", _EMPTIES)),
    # No faults, and good to know.
    **_kinds(
        "noted",
        ("row over several lines", "", ()),
        ("international host", "", ()),
        ("action that is not used", "", ()),
        ("impression beside a list of hits", "", ()),
        ("search that its query reports", "", ()),
        ("search that another row has", "", ()),
        ("search without results", "", ()),
        ("search without a user", "", ()),
        ("search without a session", "", ()),
        ("column that is not used", "", ()),
        ("row without action, taken for a click", "", ()),
    ),
}
