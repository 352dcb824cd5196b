"""Half-steps of link analysis as functions from tables to a table, independent of engine and files.

Links have the columns ``source`` and ``target``, and weights if the method uses them; scores have ``page`` and
``score``. A page that is missing in the scores has the score 0.
"""

from typing import Any

import narwhals as nw

Table = nw.LazyFrame[Any]


def pass_along(links: Table, scores: Table, *, sender: str, receiver: str, weight: str | None, scale: float) -> Table:
    """Return the sum that each receiver gets: the scaled and weighted scores of its senders.

    a_i = Σ_{j→i} w_ji h_j with ``sender="source"``, and h_i = Σ_{i→j} w_ij a_j with ``sender="target"``.

    >>> import polars
    >>> links = nw.from_native(polars.LazyFrame({"source": [1, 2], "target": [3, 3]}))
    >>> hubs = nw.from_native(polars.LazyFrame({"page": [1, 2], "score": [1.0, 4.0]}))
    >>> step = pass_along(links, hubs, sender="source", receiver="target", weight=None, scale=0.5)
    >>> step.collect().to_native().to_dicts()
    [{'page': 3, 'score': 2.5}]
    """
    passed = nw.col("score") * scale
    if weight is not None:
        passed = passed * nw.col(weight)
    return (
        links.join(scores, left_on=sender, right_on="page", how="inner")
        .with_columns(passed.alias("passed"))
        .group_by(receiver)
        .agg(nw.col("passed").sum().alias("score"))
        .select(nw.col(receiver).alias("page"), nw.col("score").cast(nw.Float64))
    )


def uniform(pages: Table) -> Table:
    """Return the score 1 for every page."""
    return pages.select("page", nw.lit(1.0).cast(nw.Float64).alias("score"))


def squares(scores: Table) -> Table:
    """Return the sum of the squared scores, in one row."""
    return scores.select((nw.col("score") * nw.col("score")).sum().cast(nw.Float64).alias("squares"))


def difference(old: Table, new: Table, *, old_scale: float, new_scale: float) -> Table:
    """Return Σ |new − old| in one row; the old scores must contain every page of the new ones."""
    after = nw.col("new_score").fill_null(0.0) * new_scale
    return old.join(new.rename({"score": "new_score"}), on="page", how="left").select(
        (after - nw.col("score") * old_scale).abs().sum().cast(nw.Float64).alias("change")
    )


def count_links(links: Table, end: str) -> Table:
    """Return the number of links of each page at one end (``"target"``: the in-degree)."""
    counts = links.group_by(end).agg(nw.len().alias("n"))
    return counts.select(nw.col(end).alias("page"), nw.col("n").cast(nw.Float64).alias("score"))


def join_hosts(links: Table, pages: Table) -> Table:
    """Return the links between different hosts, with ``source_host`` and ``target_host``."""
    hosts = pages.select("page", "host")
    return (
        links.join(hosts.rename({"host": "source_host"}), left_on="source", right_on="page", how="inner")
        .join(hosts.rename({"host": "target_host"}), left_on="target", right_on="page", how="inner")
        .filter(nw.col("source_host") != nw.col("target_host"))
        .select("source", "target", "source_host", "target_host")
    )


def weigh_by_host(links: Table) -> Table:
    """Return authority weights 1/k and hub weights 1/l of links between hosts (Bharat & Henzinger 1998, section 4.1).

    k pages of one host link to the target; the source links to l pages of one host.
    """
    same_host = links.group_by("source_host", "target").agg(nw.len().alias("k"))
    same_target_host = links.group_by("source", "target_host").agg(nw.len().alias("l"))
    return (
        links.join(same_host, on=["source_host", "target"], how="inner")
        .join(same_target_host, on=["source", "target_host"], how="inner")
        .select(
            "source",
            "target",
            (1.0 / nw.col("k").cast(nw.Float64)).alias("authority_weight"),
            (1.0 / nw.col("l").cast(nw.Float64)).alias("hub_weight"),
        )
    )


def weigh_by_relevance(links: Table, pages: Table) -> Table:
    """Return the links with weights multiplied by the relevance of the page whose score is passed along."""
    relevance = pages.select("page", "relevance")
    return (
        links.join(relevance.rename({"relevance": "of_source"}), left_on="source", right_on="page", how="inner")
        .join(relevance.rename({"relevance": "of_target"}), left_on="target", right_on="page", how="inner")
        .select(
            "source",
            "target",
            (nw.col("authority_weight") * nw.col("of_source")).alias("authority_weight"),
            (nw.col("hub_weight") * nw.col("of_target")).alias("hub_weight"),
        )
    )


def start_surfing(pages: Table, links: Table, *, n_pages: int) -> Table:
    """Return every page with its number of out-links and the score 1/n."""
    degrees = count_links(links, "source").rename({"score": "out_degree"})
    return pages.join(degrees, on="page", how="left").select(
        "page",
        nw.col("out_degree").fill_null(0.0).cast(nw.Float64).alias("out_degree"),
        nw.lit(1.0 / n_pages).cast(nw.Float64).alias("score"),
        nw.lit(1.0).cast(nw.Float64).alias("change"),
    )


def surf(surfers: Table, links: Table, *, damping: float, base: float) -> Table:
    """Return the next scores r_i = base + d · Σ_{j→i} r_j / out-degree_j, each with its change.

    ``base`` is (1 − d)/n plus each page's share of the scores of pages without links, d · Σ r_j / n.
    """
    shares = surfers.filter(nw.col("out_degree") > 0.0).select(
        "page", (nw.col("score") / nw.col("out_degree")).alias("score")
    )
    got = pass_along(links, shares, sender="source", receiver="target", weight=None, scale=damping)
    after = nw.col("received").fill_null(0.0) + base
    return (
        surfers.select("page", "out_degree", "score")
        .join(got.rename({"score": "received"}), on="page", how="left")
        .select(
            "page",
            "out_degree",
            after.cast(nw.Float64).alias("score"),
            (after - nw.col("score")).abs().cast(nw.Float64).alias("change"),
        )
    )


def surfed(surfers: Table) -> Table:
    """Return the total change of the scores and the total score of the pages without links, in one row."""
    stuck = nw.when(nw.col("out_degree") == 0.0).then(nw.col("score")).otherwise(0.0)
    return surfers.select(
        nw.col("change").sum().cast(nw.Float64).alias("change"), stuck.sum().cast(nw.Float64).alias("stuck")
    )
