"""Counts of clicks and impressions for pairs of a query and an address: functions from tables to a table."""

from collections.abc import Sequence

import narwhals as nw

from glassrank.navigational.features.log.event_tables import distinct_rows
from glassrank.navigational.features.log_source import Table

SATISFIED, QUICK = 30.0, 10.0
PAIR = ("query", "url")
_NO_TIME = -1e300
_STEPS = 2.0**26


def exact_sums(table: Table, keys: Sequence[str], name: str, *others: nw.Expr) -> Table:
    """Sum a column for each key, with the same bits whatever the order of the rows; aggregate ``others`` beside it.

    A value is split into its whole part and two parts of 26 bits of its fraction. Sums of whole numbers are exact below
    2⁵³, so for up to 2²⁷ rows of a key and a sum below 2⁵³ only the final additions round.

    >>> import polars
    >>> rows = nw.from_native(polars.LazyFrame({"key": [1, 1, 1], "x": [0.1, 0.2, -0.3]}))
    >>> exact_sums(rows, ["key"], "x").collect().to_native().rows()
    [(1, 0.0)]
    """
    value, high = nw.col(name), nw.col("high")
    parts = (
        table.with_columns(value.floor().alias("whole"), ((value - value.floor()) * _STEPS).alias("high"))
        .with_columns(high.floor().alias("high"), ((high - high.floor()) * _STEPS).round().alias("low"))
        .group_by(*keys)
        .agg(*(nw.col(part).sum().cast(nw.Float64) for part in ("whole", "high", "low")), *others)
    )
    total = nw.col("whole") + (high + nw.col("low") / _STEPS) / _STEPS
    return parts.with_columns(total.alias(name)).drop("whole", "high", "low")


def count_clicks(clicks: Table) -> Table:
    """n_qu of each clicked pair.

    >>> import polars
    >>> clicks = nw.from_native(polars.LazyFrame({"query": [0, 0, 1], "url": [5, 5, 5]}))
    >>> count_clicks(clicks).sort("query").collect()["n"].to_list()
    [2, 1]
    """
    return clicks.group_by(*PAIR).agg(nw.len().alias("n")).select(*PAIR, nw.col("n").cast(nw.Int64))


def rank_counts(pairs: Table) -> Table:
    """Rank, cumulative clicks and drop of each number n of clicks of a query.

    ``above`` counts addresses with more clicks, ``cum`` is Σ of n_qx ≥ n, ``drop`` is the difference to the next
    smaller number, 0 if several addresses have n clicks.

    >>> import polars
    >>> pairs = nw.from_native(polars.LazyFrame({"query": [0] * 4, "url": [1, 2, 3, 4], "n": [3, 1, 1, 7]}))
    >>> rank_counts(pairs).sort("n").collect().to_native().rows()
    [(0, 1, 2, 12, 0), (0, 3, 1, 10, 2), (0, 7, 0, 7, 4)]
    """
    levels = pairs.group_by("query", "n").agg(nw.len().cast(nw.Int64).alias("same"))
    ordered = {"order_by": "n"}
    counts = levels.with_columns((nw.col("n") * nw.col("same")).alias("clicks")).with_columns(
        (nw.col("same").cum_sum(reverse=True).over("query", **ordered) - nw.col("same")).alias("above"),
        nw.col("clicks").cum_sum(reverse=True).over("query", **ordered).alias("cum"),
        nw.col("n").shift(1).over("query", **ordered).fill_null(0).alias("next"),
    )
    drop = nw.when(nw.col("same") == 1).then(nw.col("n") - nw.col("next")).otherwise(0)
    return counts.select(
        "query", "n", *(e.cast(nw.Int64) for e in (nw.col("above"), nw.col("cum"), drop.alias("drop")))
    )


def total_queries(pairs: Table) -> Table:
    """n_q of each query, its largest n_qx, and the number of its clicked addresses."""
    return pairs.group_by("query").agg(
        nw.col("n").sum().cast(nw.Int64).alias("clicks"),
        nw.col("n").max().cast(nw.Int64).alias("largest"),
        nw.len().cast(nw.Int64).alias("addresses"),
    )


def total_urls(pairs: Table) -> Table:
    """n_u of each address, and the number of queries with a click on it."""
    return pairs.group_by("url").agg(
        nw.col("n").sum().cast(nw.Int64).alias("clicks"),
        nw.len().cast(nw.Int64).alias("queries"),
    )


def url_entropies(pairs: Table, urls: Table) -> Table:
    """Entropy of the clicks on each address over the queries."""
    shares = pairs.join(urls, on="url", how="inner").with_columns(
        (nw.col("n").cast(nw.Float64) / nw.col("clicks")).alias("p")
    )
    parts = shares.with_columns((nw.col("p") * nw.col("p").log()).alias("part"))
    sums = exact_sums(parts, ["url"], "part")
    return sums.select("url", (0.0 - nw.col("part")).alias("entropy"))


def describe_dwells(clicks: Table) -> Table:
    """Number, sum, median and shares of the known dwell times."""
    known = clicks.filter(~nw.col("dwell").is_null()).with_columns(
        _flag(nw.col("dwell") >= SATISFIED).alias("satisfied"), _flag(nw.col("dwell") < QUICK).alias("quick")
    )
    sums = exact_sums(
        known,
        PAIR,
        "dwell",
        nw.len().alias("dwells"),
        nw.col("satisfied").sum(),
        nw.col("quick").sum(),
        nw.col("dwell").median().alias("dwell_median"),
    ).rename({"dwell": "dwell_sum"})
    names = ("dwells", "satisfied", "quick", "dwell_sum", "dwell_median")
    return sums.select(*PAIR, *(nw.col(name).cast(nw.Float64) for name in names))


def sum_dwells(clicks: Table) -> Table:
    """Number and sum of the known dwell times on each address, for any query."""
    known = clicks.filter(~nw.col("dwell").is_null())
    found = exact_sums(known, ["url"], "dwell", nw.len().alias("dwells"))
    return found.select("url", nw.col("dwells").cast(nw.Float64), nw.col("dwell").alias("dwell_sum"))


def click_sessions(clicks: Table, session: Sequence[str], *, with_time: bool) -> Table:
    """Addresses clicked for each query in each known session, with the first and last time."""
    known = clicks.filter(*(~nw.col(key).is_null() for key in session))
    times = [nw.col("time").min().alias("first"), nw.col("time").max().alias("last")] if with_time else []
    return known.group_by(*{**dict.fromkeys(session), **dict.fromkeys(PAIR)}).agg(nw.len().alias("clicks"), *times)


def describe_sessions(visited: Table, session: Sequence[str], *, with_time: bool) -> Table:
    """Sessions of each query: number of clicked addresses, first and last time."""
    keys = dict.fromkeys((*session, "query"))
    times = [nw.col("first").min().alias("begin"), nw.col("last").max().alias("end")] if with_time else []
    return visited.group_by(*keys).agg(nw.len().alias("addresses"), *times)


def count_sessions(sessions: Table) -> Table:
    """Number of sessions with a click for each query."""
    counts = sessions.group_by("query").agg(nw.len().alias("sessions"))
    return counts.select("query", nw.col("sessions").cast(nw.Int64))


def count_session_places(visited: Table, sessions: Table, session: Sequence[str], *, with_time: bool) -> Table:
    """Number of sessions in which an address was the only, first or last one clicked for the query."""
    joined = visited.join(sessions, on=list(dict.fromkeys((*session, "query"))), how="inner")
    flags = {"only": nw.col("addresses") == 1}
    if with_time:
        flags |= {"opens": nw.col("first") == nw.col("begin"), "closes": nw.col("last") == nw.col("end")}
    return _sum_flags(joined, flags)


def count_pair_users(clicks: Table) -> Table:
    """Number of users who clicked each pair."""
    known = distinct_rows(clicks.filter(~nw.col("user").is_null()), *PAIR, "user")
    return known.group_by(*PAIR).agg(nw.len().alias("n")).select(*PAIR, nw.col("n").cast(nw.Int64).alias("users"))


def sum_expected_clicks(shown: Table, positions: Table) -> Table:
    """Σ of ctr(position) over the impressions of each pair with a known position."""
    rates = positions.filter(nw.col("impressions") > 0).select(
        "position", (nw.col("clicks").cast(nw.Float64) / nw.col("impressions")).alias("rate")
    )
    joined = shown.join(rates, on="position", how="inner")
    return exact_sums(joined, PAIR, "rate").rename({"rate": "expected"})


def sum_seconds_to_click(clicks: Table, searches: Table, lists: Sequence[str]) -> Table:
    """Number of clicks of each pair after a search of the same list, and the seconds since the latest one.

    Sorted by time, with searches before clicks at the same time, the latest search is a running maximum.
    """
    columns = list(dict.fromkeys((*lists, "query", "time")))
    known = clicks.select(*columns, "url", nw.lit(1).alias("is_click"), nw.lit(_NO_TIME).alias("asked"))
    nowhere = nw.lit(-1).cast(nw.Int64).alias("url")
    asked = searches.select(*columns, nowhere, nw.lit(0).alias("is_click"), nw.col("time").alias("asked"))
    events = nw.concat([known, asked], how="vertical").filter(*(~nw.col(key).is_null() for key in lists))
    latest = nw.col("asked").cum_max().over(*lists, order_by=["time", "is_click"])
    counts = events.with_columns(latest.alias("latest")).filter(nw.col("is_click") == 1, nw.col("latest") > _NO_TIME)
    waits = counts.with_columns((nw.col("time") - nw.col("latest")).alias("wait"))
    sums = exact_sums(waits, PAIR, "wait", nw.len().alias("waits"))
    return sums.select(*PAIR, nw.col("waits").cast(nw.Float64), nw.col("wait").alias("wait_sum"))


def click_extents(clicks: Table, lists: Sequence[str]) -> Table:
    """Smallest and largest clicked position in each known list."""
    known = clicks.filter(~nw.col("position").is_null(), *(~nw.col(key).is_null() for key in lists))
    return known.group_by(*lists).agg(nw.col("position").min().alias("low"), nw.col("position").max().alias("high"))


def count_neighbours(clicks: Table, extents: Table, lists: Sequence[str]) -> Table:
    """Clicks of each pair with a known position, and those with a click above or below in the same list."""
    placed = clicks.filter(~nw.col("position").is_null()).join(extents, on=list(lists), how="left")
    flags = {
        "placed": nw.col("position") > 0,
        "above": nw.col("low") < nw.col("position"),
        "below": nw.col("high") > nw.col("position"),
    }
    return _sum_flags(placed, flags)


def count_skips(shown: Table, clicks: Table, extents: Table, lists: Sequence[str]) -> Table:
    """Impressions of each pair with known position and list, and those skipped for a lower result."""
    placed = shown.filter(~nw.col("position").is_null(), *(~nw.col(key).is_null() for key in lists))
    keys = list(dict.fromkeys((*lists, "url")))
    clicked = distinct_rows(clicks, *keys).with_columns(nw.lit(1).alias("clicked"))
    joined = placed.join(extents, on=list(lists), how="left").join(clicked, on=keys, how="left")
    passed = (nw.col("high") > nw.col("position")) & nw.col("clicked").is_null()
    return _sum_flags(joined, {"listed": nw.col("position") > 0, "skips": passed})


def count_impressions(shown: Table) -> Table:
    """v_qu of each pair."""
    return shown.group_by(*PAIR).agg(nw.len().alias("n")).select(*PAIR, nw.col("n").cast(nw.Int64).alias("impressions"))


def sum_domain_clicks(pairs: Table, domains: Table) -> Table:
    """Clicks for each query on each domain."""
    joined = pairs.join(domains, on="url", how="inner")
    return joined.group_by("query", "domain").agg(nw.col("n").sum().cast(nw.Int64).alias("n"))


def _flag(condition: nw.Expr) -> nw.Expr:
    """1 if the condition is true, 0 if it is false or unknown."""
    return nw.when(condition).then(1).otherwise(0)


def _sum_flags(table: Table, flags: dict[str, nw.Expr]) -> Table:
    marked = table.with_columns(_flag(condition).alias(f"is_{name}") for name, condition in flags.items())
    return marked.group_by(*PAIR).agg(nw.col(f"is_{name}").sum().cast(nw.Int64).alias(name) for name in flags)
