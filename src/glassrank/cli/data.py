"""``glassrank data``: describe, convert and simulate ranking data, and make it from ratings and logs."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from glassrank.cli.console import PlainGroup, json_option, note, quiet_option, show, working
from glassrank.cli.inputs import TABLES, duplicates_option, feature_options, input_file, input_options, read_data
from glassrank.cli.number_types import PositiveNumber
from glassrank.cli.written_data import (
    force_option,
    free_target,
    number_option,
    numbered,
    target_file,
    target_format,
    write_data,
)

# Commands of the group that are defined in other files.
ELSEWHERE = {
    "join": "glassrank.cli.engine_logs.join_log",
    "log-features": "glassrank.cli.engine_logs.log_command",
    "partition": "glassrank.cli.partition_data",
}


class DataGroup(PlainGroup):
    """Commands about ranking data."""

    elsewhere = ELSEWHERE


@click.group(cls=DataGroup)
def data() -> None:
    """Describe, convert and simulate ranking data, and make it from ratings or from logs of a search engine."""


@data.command(short_help="Count rows, queries, labels and pairs.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=input_file)
@click.option(
    "--rows",
    type=PositiveNumber(("all",), whole=True),
    default=20,
    show_default=True,
    help="Number of features in the table.",
)
@input_options
@duplicates_option
@json_option
@quiet_option
def info(files: tuple[Path, ...], rows: int | str, as_json: bool, quiet: bool, **reading: Any) -> None:
    """Count rows, queries, labels and pairs, list features that cannot help a ranker, and describe each feature.

    With --json: a list with one entry per FILE, with all features.
    """
    found = [(file, read_data(file, quiet, **reading).describe()) for file in files]
    if as_json:
        show(json.dumps([{"file": str(file)} | one.to_dict() for file, one in found]), data=True)
    else:
        most_rows = rows if isinstance(rows, int) else None
        show("\n\n".join(f"{file}\n{one}\n\n{one.features.to_text(most_rows)}" for file, one in found))


@data.command()
@click.argument("source", metavar="IN", type=input_file)
@click.argument("out", metavar="OUT", type=target_file)
@input_options
@target_format
@number_option
@click.option("--drop-weights", is_flag=True, help="Drop row weights, which LETOR does not support.")
@force_option
@quiet_option
def convert(
    source: Path,
    out: Path,
    target: str | None,
    number_queries: bool,
    drop_weights: bool,
    force: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Convert the ranking data in IN to another format.

    Nothing is lost silently: data that the format of OUT does not support cause an error, which names the option that
    drops them.
    """
    chosen = free_target(out, target, force)
    found = read_data(source, quiet, **reading)
    if number_queries:
        found = numbered(found, quiet)
    if drop_weights:
        found = replace(found, weights=None)
    write_data(found, out, chosen, quiet)


@data.command()
@click.argument("out", metavar="OUT", type=target_file)
@click.option(
    "--queries", type=click.IntRange(1, 10_000_000), default=100, show_default=True, help="Number of queries."
)
@click.option(
    "--documents",
    type=click.IntRange(2, 100_000),
    default=50,
    show_default=True,
    help="Documents per query, on average.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed.")
@target_format
@force_option
@quiet_option
def simulate(out: Path, queries: int, documents: int, seed: int, target: str | None, force: bool, quiet: bool) -> None:
    """Write simulated ranking data to OUT.

    The queries are named q001, q002, …; in LETOR files they are numbered 1, 2, ….
    """
    from glassrank.simulation.ranking import simulate_ranking

    chosen = free_target(out, target, force)
    simulated = simulate_ranking(queries, documents, random_state=seed)
    note(str(simulated), quiet)
    write_data(numbered(simulated.data, quiet=True) if chosen == "letor" else simulated.data, out, chosen, quiet)


@data.command(short_help="Turn ratings of items by users into ranking data.")
@click.argument("ratings", metavar="RATINGS", type=input_file)
@click.argument("out", metavar="OUT", type=target_file)
@click.option("--items", metavar="FILE", type=input_file, help="Table of items, whose columns are the features.")
@click.option(
    "--reference-users",
    metavar="N",
    type=click.IntRange(1),
    help="Number of users to draw, whose ratings of an item are its features.",
)
@click.option("--reference-user", "named", multiple=True, metavar="NAME", help="Reference user by name. Repeatable.")
@click.option(
    "--fill",
    type=click.Choice(["median", "keep"]),
    default="median",
    show_default=True,
    help="What a missing rating of a reference user becomes: the median of the user's ratings, or a missing value.",
)
@click.option("--for-user", "users", multiple=True, metavar="NAME", help="Only this user's ratings. Repeatable.")
@click.option("--min-ratings", type=click.IntRange(1), default=2, show_default=True, help="Fewest ratings of a user.")
@click.option(
    "--min-different", type=click.IntRange(1), default=2, show_default=True, help="Fewest different ratings of a user."
)
@click.option("--unrated", metavar="FILE", type=target_file, help="Also write the items that users have not rated.")
@click.option("--user-column", "user", metavar="NAME", default="user", show_default=True, help="Column with the user.")
@click.option(
    "--item-column",
    "item",
    metavar="NAME",
    default="item",
    show_default=True,
    help="Column with the item, in both tables.",
)
@click.option(
    "--rating-column", "rating", metavar="NAME", default="rating", show_default=True, help="Column with the rating."
)
@click.option("--weight-column", "weight", metavar="NAME", help="Column with the weight of a rating. Default: weight.")
@feature_options
@click.option("--from", "format", type=click.Choice(TABLES), help="Format of both tables. Default: from the suffix.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed for reference users.")
@target_format
@force_option
@quiet_option
def ratings(
    ratings: Path,
    out: Path,
    named: tuple[str, ...],
    reference_users: int | None,
    unrated: Path | None,
    weight: str | None,
    seed: int,
    target: str | None,
    force: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Turn the ratings in RATINGS, one per row, into ranking data in OUT.

    Each user is a query, the items that the user has rated are its documents, and the ratings are the labels. The
    features of an item are columns of --items, or its ratings by reference users, who are left out of OUT.
    """
    if named and reference_users:
        raise click.UsageError("--reference-users draws users and --reference-user names them: leave out one of them.")
    chosen = free_target(out, target, force)
    also = None if unrated is None else free_target(unrated, None, force)
    from glassrank.data.ratings.load_ratings import load_ratings

    given = {name: value for name, value in reading.items() if value not in ((), None)}
    with working(f"Reading {ratings} …", quiet):
        found = load_ratings(
            ratings, reference_users=named or reference_users, weight=weight or "auto", random_state=seed, **given
        )
    note(str(found), quiet)
    write_data(found.data, out, chosen, quiet)
    if unrated is not None and also is not None:
        write_data(found.unrated(), unrated, also, quiet)


@data.command("simulate-web", short_help="Write a simulated web archive to OUT.")
@click.argument("out", metavar="OUT", type=target_file)
@click.option("--topics", type=click.IntRange(1), default=12, show_default=True, help="Number of topics.")
@click.option("--hosts", type=click.IntRange(2), default=180, show_default=True, help="Number of hosts.")
@click.option("--pages", type=click.IntRange(20), default=2400, show_default=True, help="Number of pages.")
@click.option(
    "--drift", type=click.FloatRange(0, 10), default=1.0, show_default=True, help="Strength of off-topic communities."
)
@click.option(
    "--languages",
    type=click.IntRange(1, 5),
    default=1,
    show_default=True,
    help="Number of languages, each with its own letters.",
)
@click.option(
    "--queries", metavar="FILE", type=target_file, help="Also write the queries of the topics to FILE (.csv)."
)
@click.option("--judgements", metavar="FILE", type=target_file, help="Also write the true judgements to FILE (TREC).")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed.")
@force_option
@quiet_option
def simulate_web(
    out: Path,
    topics: int,
    hosts: int,
    pages: int,
    drift: float,
    languages: int,
    queries: Path | None,
    judgements: Path | None,
    seed: int,
    force: bool,
    quiet: bool,
) -> None:
    """Write a simulated web to OUT, a web archive (.warc or .warc.gz) for `glassrank distill`."""
    from glassrank.studies.distillation.simulated_topics import simulate_topics
    from glassrank.studies.distillation.topics import save_topics, topic_qrels

    if not out.name.endswith((".warc", ".warc.gz")):
        raise click.UsageError(f"OUT must end in .warc or .warc.gz: got {out}.")
    for path in (out, queries, judgements):
        if path is not None and path.exists() and not force:
            raise click.ClickException(f"{path} already exists. Choose another name, or overwrite it with --force.")
    with working("Simulating a web …", quiet):
        web, found = simulate_topics(topics, hosts, pages, drift=drift, languages=languages, random_state=seed)
        web.write_warc(out)
    note(str(web), quiet)
    if queries is not None:
        save_topics(found, queries)
    if judgements is not None:
        from glassrank.data.trec import save_qrels

        save_qrels(topic_qrels(found, web.collection), judgements)
