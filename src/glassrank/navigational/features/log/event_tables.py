"""From the events of a log to the tables that its features share: functions from tables to a table.

``query`` is the number of a normalised query; those of the results come first, below ``n_queries``. ``url`` is the
number of an address; those of the results come first, below ``n_urls``.
"""

from collections.abc import Sequence

import narwhals as nw

from glassrank.navigational.features.log_source import Table

GAP = 1800.0


def count_typed(log: Table) -> Table:
    """Each query as typed, with the numbers of its clicks and searches."""
    flags = log.select("query", *(_is(action).alias(action) for action in ("click", "search")))
    return flags.group_by("query").agg(
        nw.col("click").sum().cast(nw.Int64).alias("clicks"), nw.col("search").sum().cast(nw.Int64).alias("searches")
    )


def distinct_rows(table: Table, *columns: str) -> Table:
    """Return the distinct rows of the given columns."""
    return table.group_by(*columns).agg(nw.len().alias("times")).select(*columns)


def number_after(numbered: Table, wanted: Table, on: str, n_wanted: int, name: str) -> Table:
    """Number keys: wanted keys by their position, all others after them by the number from the engine.

    >>> import polars
    >>> given = nw.from_native(polars.LazyFrame({"url": ["b", "a"], "number": [0, 1]}))
    >>> wanted = nw.from_native(polars.LazyFrame({"url": ["a"], "place": [0]}))
    >>> number_after(given, wanted, "url", 1, "key").sort("url").collect().to_native().to_dicts()
    [{'url': 'a', 'key': 0}, {'url': 'b', 'key': 1}]
    """
    key = nw.when(nw.col("place").is_null()).then(nw.col("number") + n_wanted).otherwise(nw.col("place"))
    return numbered.join(wanted, on=on, how="left").select(on, key.cast(nw.Int64).alias(name))


def find_visits(log: Table) -> Table:
    """Number a user's sessions: a new one starts after more than 30 minutes without an event.

    Distinct times are used, because the order of simultaneous events is not defined.

    >>> import polars
    >>> log = nw.from_native(polars.LazyFrame({"user": ["u"] * 4, "time": [0.0, 1800.0, 3601.0, 0.0]}))
    >>> find_visits(log).sort("time").collect()["visit"].to_list()
    [0, 0, 1]
    """
    moments = distinct_rows(log.filter(~nw.col("user").is_null()), "user", "time")
    before = nw.col("time").shift(1).over("user", order_by="time")
    begins = moments.with_columns(nw.when(nw.col("time") - before > GAP).then(1).otherwise(0).alias("begins"))
    number = nw.col("begins").cum_sum().over("user", order_by="time")
    return begins.select("user", "time", number.cast(nw.Int64).alias("visit"))


def number_events(log: Table, query_keys: Table, visits: Table | None, n_queries: int, others: Sequence[str]) -> Table:
    """Events of the results' queries, and of ``others`` kinds for all queries, with the number of their query.

    Positions become integers; if sessions are unknown, events get the number of the visit.
    """
    events = log.rename({"query": "typed"}).join(query_keys, on="typed", how="inner").drop("typed")
    events = events.filter((nw.col("query") < n_queries) | nw.col("action").is_in(list(others)))
    if "position" in events.collect_schema().names():
        events = events.with_columns(nw.col("position").cast(nw.Int64))
    return events if visits is None else events.join(visits, on=["user", "time"], how="left")


def clicked_addresses(events: Table, wanted: Table, n_queries: int) -> Table:
    """Addresses clicked for the results' queries, and those of the results."""
    clicked = events.filter(nw.col("action") == "click", nw.col("query") < n_queries)
    return distinct_rows(nw.concat([clicked.select("url"), wanted.select("url")], how="vertical"), "url")


def pick_clicks(events: Table, addresses: Table, n_queries: int, n_urls: int) -> Table:
    """Clicks for the results' queries on any address, and on the results' addresses for any query."""
    clicks = events.filter(nw.col("action") == "click").drop("action").rename({"url": "text"})
    found = clicks.join(addresses.rename({"url": "text", "address": "url"}), on="text", how="inner").drop("text")
    return found.filter((nw.col("query") < n_queries) | (nw.col("url") < n_urls))


def pick_impressions(events: Table, wanted: Table, n_queries: int) -> Table:
    """Impressions of the results' addresses for their queries."""
    shown = events.filter(nw.col("action") == "impression", nw.col("query") < n_queries).rename({"url": "text"})
    found = shown.join(wanted.rename({"url": "text", "place": "url"}), on="text", how="inner")
    return found.drop("action", "text", *({"dwell"} & set(found.collect_schema().names())))


def pick_searches(events: Table, n_queries: int, columns: Sequence[str]) -> Table:
    """Searches for the results' queries."""
    return events.filter(nw.col("action") == "search", nw.col("query") < n_queries).select(*columns)


def pick_issued(events: Table, action: str) -> Table:
    """Users, queries and times of issued queries: events of this kind with a known user."""
    return distinct_rows(events.filter(nw.col("action") == action, ~nw.col("user").is_null()), "user", "time", "query")


def count_positions(log: Table) -> Table:
    """Clicks and impressions of the whole log at each position."""
    flags = log.filter(~nw.col("position").is_null()).select(
        nw.col("position").cast(nw.Int64), *(_is(action).alias(action) for action in ("click", "impression"))
    )
    return flags.group_by("position").agg(
        nw.col("click").sum().cast(nw.Int64).alias("clicks"),
        nw.col("impression").sum().cast(nw.Int64).alias("impressions"),
    )


def count_users(events: Table, n_queries: int) -> Table:
    """Number of users with any event of each of the results' queries."""
    known = events.filter(nw.col("query") < n_queries, ~nw.col("user").is_null())
    counts = distinct_rows(known, "query", "user").group_by("query").agg(nw.len().alias("users"))
    return counts.select("query", nw.col("users").cast(nw.Int64))


def _is(action: str) -> nw.Expr:
    return nw.when(nw.col("action") == action).then(1).otherwise(0)
