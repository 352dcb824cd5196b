"""What can be wrong in a log or a list of results: each kind with its fate, what was expected, and the remedy."""

from dataclasses import dataclass

from glassrank.data.query_log import EXPECTED, ONE_PER_SEARCH


@dataclass(frozen=True)
class Kind:
    """A kind of bad input: ``dropped`` loses the row, ``kept`` keeps it, ``noted`` is no fault at all."""

    name: str
    fate: str
    expected: str
    remedy: str


def _kinds(fate: str, *rows: tuple[str, str, str]) -> dict[str, Kind]:
    return {name: Kind(name, fate, expected, remedy) for name, expected, remedy in rows}


_READ_ON = "Correct the file, or read it with strict=False"
_DROPS = f"{_READ_ON}, which drops the row."
_KEEPS = f"{_READ_ON}, which counts the row and keeps it."
_EMPTIES = f"{_READ_ON}, which keeps the row without the value."

KINDS: dict[str, Kind] = {
    # The lines of a file.
    **_kinds(
        "dropped",
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
            "Name it (encoding='cp1252'), or read with strict=False, which puts � for each such byte.",
        ),
        ("list of hits that cannot be read", "a list of identifiers", _EMPTIES),
    ),
    # The values of one event.
    **_kinds(
        "dropped",
        ("unknown action", EXPECTED["action"], "Say what it means: actions={'view': 'impression'}."),
        ("empty query", "a query with at least one sign", _DROPS),
        ("query too long", "a query no longer than longest_query", "Raise longest_query, or read with strict=False."),
        ("no address", "the address of the result that was shown or clicked", _DROPS),
        ("address that cannot be taken apart", "an address with a readable host", _DROPS),
        ("time that cannot be read", "a time as in 2024-05-01T12:00:00Z", f"{_DROPS} time=None does without times."),
        ("no user", "the user of every event", f"{_DROPS} user=None does without users."),
        ("no session", "the session of every event", f"{_DROPS} session=None does without sessions."),
        ("no search", "the search of every event", f"{_DROPS} search=None does without searches."),
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
        ("no engine", "the engine of every row", f"{_DROPS} engine=None does without engines."),
        ("query that differs from the first of its identifier", "one query for each query_id", _DROPS),
        ("rank that stands twice", "one result for each place of a list", _DROPS),
    ),
    **_kinds("kept", ("score that is no number", "a finite number", _EMPTIES)),
    # No faults, and good to know.
    **_kinds(
        "noted",
        ("international host", "", ""),
        ("action that is not used", "", ""),
        ("impression beside a list of hits", "", ""),
        ("search without a user", "", ""),
        ("search without a session", "", ""),
        ("column that is not used", "", ""),
        ("row without action, taken for a click", "", ""),
    ),
}
