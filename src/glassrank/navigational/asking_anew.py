"""Clicks after which the same user asks again, in other words: functions from tables to a table."""

import narwhals as nw

from glassrank.navigational.log_source import Table
from glassrank.navigational.log_tables import GAP, keep_once

_ISSUED, _AFTER, _UNTIL = 0, 1, 2
# Below every number of a query, and above.
_LOW, _HIGH = -1, 2**62
_MARK = ("user", "term", "half_hour", "at", "kind", "low", "high", "query", "time")


def count_asked_anew(clicks: Table, issued: Table, terms: Table) -> Table:
    """Clicks of each pair after which, within 30 minutes, the same user issues another query with a common term.

    ``clicks`` are of known users, ``issued`` says which query a user issued when, ``terms`` which terms a query has.
    The queries that a user issues with a term in (t, t + 30 min] are all the click's own if the smallest and the
    largest of their numbers are. That span is the rest of one half-hour and the beginning of the next, so that running
    extremes inside half-hours find both: however much a user does, nothing is multiplied out.
    """
    moments = keep_once(clicks, "user", "time", "query").join(terms, on="query", how="inner")
    marks = nw.concat([_issues(issued.join(terms, on="query", how="inner")), *_spans(moments)], how="vertical")
    low = nw.when(nw.col("kind") == _AFTER).then(nw.col("low_later")).otherwise(nw.col("low_earlier"))
    high = nw.when(nw.col("kind") == _AFTER).then(nw.col("high_later")).otherwise(nw.col("high_earlier"))
    told = _extremes(marks).filter(nw.col("kind") != _ISSUED)
    told = told.with_columns(low.alias("lowest"), high.alias("highest")).filter(nw.col("highest") != _LOW)
    again = told.filter((nw.col("lowest") != nw.col("query")) | (nw.col("highest") != nw.col("query")))
    counted = clicks.group_by("query", "url", "user", "time").agg(nw.len().alias("clicks"))
    found = counted.join(keep_once(again, "user", "time", "query"), on=["user", "time", "query"], how="inner")
    return found.group_by("query", "url").agg(nw.col("clicks").sum().cast(nw.Int64).alias("asked_anew"))


def _issues(issued: Table) -> Table:
    marked = issued.with_columns(
        _half_hour(), nw.col("time").alias("at"), _number(_ISSUED, "kind"), low=nw.col("query"), high=nw.col("query")
    )
    return marked.select(*_MARK)


def _spans(moments: Table) -> tuple[Table, Table]:
    """Where a span begins, in its half-hour, and where it ends, in the next; both after what is issued at that time."""
    empty = moments.with_columns(_half_hour(), _number(_HIGH, "low"), _number(_LOW, "high"))
    begins = empty.with_columns(nw.col("time").alias("at"), _number(_AFTER, "kind"))
    ends = empty.with_columns(nw.col("half_hour") + 1, (nw.col("time") + GAP).alias("at"), _number(_UNTIL, "kind"))
    return begins.select(*_MARK), ends.select(*_MARK)


def _extremes(marks: Table) -> Table:
    """Smallest and largest query up to each mark, and from each mark on, of one user, term and half-hour."""
    parts, order = ("user", "term", "half_hour"), ["at", "kind"]
    return marks.with_columns(
        nw.col("low").cum_min().over(*parts, order_by=order).alias("low_earlier"),
        nw.col("high").cum_max().over(*parts, order_by=order).alias("high_earlier"),
        nw.col("low").cum_min(reverse=True).over(*parts, order_by=order).alias("low_later"),
        nw.col("high").cum_max(reverse=True).over(*parts, order_by=order).alias("high_later"),
    )


def _half_hour() -> nw.Expr:
    return (nw.col("time") / GAP).floor().cast(nw.Int64).alias("half_hour")


def _number(value: int, name: str) -> nw.Expr:
    return nw.lit(value).cast(nw.Int64).alias(name)
