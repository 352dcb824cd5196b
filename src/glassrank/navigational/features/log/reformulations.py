"""Clicks after which the same user reformulates the query: functions from tables to a table."""

import narwhals as nw

from glassrank.navigational.features.log.event_tables import GAP, distinct_rows
from glassrank.navigational.features.log_source import Table

_ISSUED, _AFTER, _UNTIL = 0, 1, 2
# Below and above every number of a query.
_LOW, _HIGH = -1, 2**62
_PART = ("user", "term", "half_hour")
_MARK = (*_PART, "at", "kind", "low", "high", "query", "time")


def issued_terms(issued: Table, terms: Table) -> Table:
    """Users and times of issued queries, one row per term, by half-hour."""
    return issued.join(terms, on="query", how="inner").with_columns(_half_hour())


def find_spans(clicks: Table, issues: Table, terms: Table) -> Table:
    """Start and end of the half-hour after each click, if another query was issued nearby.

    The span (t, t + 30 min] starts in the half-hour slot of the click and ends in the next. Ends in a slot in which the
    user issues no other query with the term are dropped, so few remain.
    """
    near = issues.group_by(*_PART).agg(nw.col("query").min().alias("lowest"), nw.col("query").max().alias("highest"))
    moments = (
        distinct_rows(clicks, "user", "time", "query").join(terms, on="query", how="inner").with_columns(_half_hour())
    )
    begins = moments.with_columns(nw.col("time").alias("at"), _number(_AFTER, "kind"))
    ends = moments.with_columns(
        (nw.col("half_hour") + 1).alias("half_hour"), (nw.col("time") + GAP).alias("at"), _number(_UNTIL, "kind")
    )
    columns = (*_PART, "at", "kind", "query", "time")
    both = nw.concat([begins.select(*columns), ends.select(*columns)], how="vertical")
    found = both.join(near, on=list(_PART), how="inner")
    others = found.filter((nw.col("lowest") != nw.col("query")) | (nw.col("highest") != nw.col("query")))
    return others.with_columns(_number(_HIGH, "low"), _number(_LOW, "high")).select(*_MARK)


def count_reformulated(clicks: Table, issues: Table, spans: Table) -> Table:
    """Clicks of each pair after which, within 30 minutes, the same user issues another query with a common term.

    All queries issued in a span equal the click's query if the smallest and the largest of their numbers do. Running
    minima and maxima within half-hour slots find both without a join of all pairs.
    """
    own = nw.col("query")
    marks = issues.join(distinct_rows(spans, *_PART), on=list(_PART), how="inner").with_columns(
        nw.col("time").alias("at"), _number(_ISSUED, "kind"), own.alias("low"), own.alias("high")
    )
    found = _extremes(nw.concat([marks.select(*_MARK), spans], how="vertical")).filter(nw.col("kind") != _ISSUED)
    found = found.filter(nw.col("highest") != _LOW)
    again = found.filter((nw.col("lowest") != own) | (nw.col("highest") != own))
    counted = clicks.group_by("query", "url", "user", "time").agg(nw.len().alias("clicks"))
    found = counted.join(distinct_rows(again, "user", "time", "query"), on=["user", "time", "query"], how="inner")
    return found.group_by("query", "url").agg(nw.col("clicks").sum().cast(nw.Int64).alias("reformulated"))


def _extremes(marks: Table) -> Table:
    """Smallest and largest query number after the start of a span, or up to its end, in one half-hour slot.

    Queries issued at the same time sort before the start of a span, which excludes them, and before its end.
    """
    order = ["at", "kind"]
    running = {
        "low_until": nw.col("low").cum_min(),
        "high_until": nw.col("high").cum_max(),
        "low_after": nw.col("low").cum_min(reverse=True),
        "high_after": nw.col("high").cum_max(reverse=True),
    }
    found = marks.with_columns(value.over(*_PART, order_by=order).alias(name) for name, value in running.items())
    begins = nw.col("kind") == _AFTER
    return found.with_columns(
        nw.when(begins).then(nw.col(f"{name}_after")).otherwise(nw.col(f"{name}_until")).alias(f"{name}est")
        for name in ("low", "high")
    )


def _half_hour() -> nw.Expr:
    return (nw.col("time") / GAP).floor().cast(nw.Int64).alias("half_hour")


def _number(value: int, name: str) -> nw.Expr:
    return nw.lit(value).cast(nw.Int64).alias(name)
