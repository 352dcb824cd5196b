"""All features that the sources allow, for every row of the results."""

from tests.reference.navigational import anchor, click, facts, link, log, page, query, results, url
from tests.reference.navigational.events import having, impressions
from tests.reference.navigational.names import NEEDS
from tests.reference.navigational.world import PAGE_COLUMNS, World

MODULES = (click, url, anchor, results, page, facts, link, log, query)
FEATURES = {name: feature for module in MODULES for name, feature in module.FEATURES.items()}


def features(results, clicks=None, links=None, pages=None, log_language=None, trusted_hosts=None, last_time=None):
    """Value, or None if missing, of every available feature, by (query_id, rank) and name."""
    world = World(results, clicks, links, pages, log_language, trusted_hosts, last_time)
    found = present(world)
    names = [name for name in NEEDS if NEEDS[name] <= found]
    return {(row["query_id"], row["rank"]): values(row, names, world) for row in world.rows}


def values(row, names, world):
    """Values of one row, by name."""
    found = {name: FEATURES[name](row, world) for name in names}
    return {name: None if value is None else float(value) for name, value in found.items()}


def present(world):
    """Available sources and columns; a column without a value does not count."""
    found = {"results", *columns(world.rows, ("score", "snippet", "votes"))}
    found = {"engine" if name == "votes" else name for name in found}
    if world.log is not None:
        found |= {"clicks", *columns(world.log, ("position", "dwell", "time", "user"))}
        found |= {"sessions"} if columns(world.log, ("session",)) else set()
        found |= {"lists"} if columns(world.log, ("list",)) else set()
        found |= {"impressions"} if impressions(world.log) else set()
        found |= {"searches"} if having(world.log, action="search") else set()
    if world.links is not None:
        found.add("links")
    if world.pages is not None:
        found |= {"pages", *columns(world.pages, PAGE_COLUMNS)}
    found |= {"log_language"} if world.log_language is not None else set()
    found |= {"last_time"} if world.last_time is not None else set()
    return found


def columns(rows, names):
    """Names of the columns that have a value."""
    return {name for name in names if any(row.get(name) is not None for row in rows)}
