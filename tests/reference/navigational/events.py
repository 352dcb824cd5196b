"""A prepared log: normalised query, session and list of results of every event, and the content of the log."""

from tests.reference.navigational.text import normal

GAP = 1800


def prepared(events):
    """Copies of the events with all columns, the normalised query, and the keys of session and list (None: unknown)."""
    columns = ("url", "time", "user", "session", "search", "position", "dwell")
    log = [{"action": e["action"], "query": normal(e["query"]), **{c: e.get(c) for c in columns}} for e in events]
    if not holds(log, "session"):
        split_by_gap(log)
    has_search = holds(log, "search")
    for event in log:
        if has_search:
            event["list"] = event["search"]
        else:
            event["list"] = None if event["session"] is None else (event["session"], event["query"])
    return log


def holds(log, column):
    """Whether a column has any value."""
    return any(event[column] is not None for event in log)


def split_by_gap(log):
    """Sessions of a user: a new one starts after more than 30 minutes without an event."""
    if not holds(log, "user") or not holds(log, "time"):
        return
    for user in {event["user"] for event in log}:
        own = sorted((event for event in log if event["user"] == user), key=lambda event: event["time"])
        number = 0
        for place, event in enumerate(own):
            if place and event["time"] - own[place - 1]["time"] > GAP:
                number += 1
            event["session"] = (user, number)


def having(log, **wanted):
    """Events with these values."""
    found = log
    for name, value in wanted.items():
        found = [event for event in found if event[name] == value]
    return found


def clicks(log, **wanted):
    """Clicks with these values."""
    return having(log, action="click", **wanted)


def impressions(log, **wanted):
    """Impressions with these values."""
    return having(log, action="impression", **wanted)


def issued(log):
    """Events at which a query is issued: the searches, or the clicks in a log without searches."""
    return having(log, action="search") or clicks(log)
