"""``glassrank distill study``: analyse the sphere over its settings, and compare all methods on the same pages."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from glassrank.cli.console import PlainCommand, json_option, note, progress_bar, quiet_option, repeated_command, show
from glassrank.cli.output_file import replace_option
from glassrank.cli.topics.collection_options import collection_options, read_collection
from glassrank.cli.topics.distill_agreement import read_judges
from glassrank.cli.topics.distill_options import CANDIDATE_OPTIONS, candidate_options

if TYPE_CHECKING:
    from glassrank.data.collection import Collection
    from glassrank.studies.distillation.topics import Topic


@click.command(cls=PlainCommand, short_help="Compare all methods on many queries; write a report.")
@click.argument("collection", metavar="[COLLECTION]", type=click.Path(path_type=Path), required=False)
@click.option("--queries", metavar="FILE", type=click.Path(path_type=Path), help="Queries, one per line or CSV row.")
@click.option(
    "--judgements",
    metavar="[NAME=]FILE",
    multiple=True,
    help="TREC judgements. Repeat it for the files of several judges. Without it, precision is not computed.",
)
@click.option("--simulated", is_flag=True, help="Study a simulated web with known truth instead of COLLECTION.")
@click.option(
    "--drift", type=click.FloatRange(0, 10), default=1.0, show_default=True, help="Drift of the simulated web."
)
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("distillation"),
    show_default=True,
    help="Output folder for the report and the tables.",
)
@replace_option
@click.option("-k", "k", type=click.IntRange(1, 50), default=10, show_default=True, help="Number of ranks to measure.")
@click.option(
    "--relevant", type=click.IntRange(1), default=1, show_default=True, help="Lowest label that counts as relevant."
)
@candidate_options
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed for samples and tests.")
@click.option("--title", help="Title of the report.")
@collection_options
@json_option
@quiet_option
def study(
    collection: Path | None,
    queries: Path | None,
    judgements: tuple[str, ...],
    simulated: bool,
    drift: float,
    folder: Path,
    overwrite: bool,
    k: int,
    relevant: int,
    seed: int,
    title: str | None,
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Study topic distillation on COLLECTION: radius, pruned set, time, agreement with HITS, precision and recall.

    Every method ranks the same pages, first the root set, then the base set. Writes report.html, result.json and
    the tables as CSV into the folder. An interrupted study resumes where it stopped.
    """
    from glassrank.studies.distillation.study import study_distillation

    _check_inputs(collection, queries, judgements, simulated)
    options = {name: given.pop(name) for name in CANDIDATE_OPTIONS}
    pages, topics = (
        _simulate(drift, seed, quiet)
        if collection is None or queries is None
        else _read(collection, queries, judgements, quiet, {**given, "language": options["language"]})
    )
    with progress_bar(quiet, steps=True) as progress:
        result = study_distillation(
            pages,
            topics,
            folder,
            k=k,
            relevant=relevant,
            options=options,
            random_state=seed,
            title=title
            or (f"Topic distillation on a simulated web (seed {seed}, drift {drift:g})" if simulated else None),
            command=repeated_command("distill", "study"),
            overwrite=overwrite,
            progress=progress,
        )
    show(result.to_json() if as_json else str(result), data=as_json)


def _check_inputs(collection: Path | None, queries: Path | None, judgements: tuple[str, ...], simulated: bool) -> None:
    if simulated and (collection, queries, judgements) != (None, None, ()):
        raise click.UsageError("--simulated generates pages, queries and judgements: give no files.")
    if not simulated and collection is None:
        raise click.UsageError("Missing argument 'COLLECTION'. Without pages of your own, try --simulated.")
    if not simulated and queries is None:
        raise click.UsageError("Missing option '--queries'. Write a file with one query per line.")


def _simulate(drift: float, seed: int, quiet: bool) -> "tuple[Collection, tuple[Topic, ...]]":
    from glassrank.studies.distillation.simulated_topics import simulate_topics

    web, topics = simulate_topics(drift=drift, random_state=seed)
    note(str(web), quiet)
    return web.collection, topics


def _read(
    collection: Path, queries: Path, judgements: tuple[str, ...], quiet: bool, reading: dict[str, Any]
) -> "tuple[Collection, tuple[Topic, ...]]":
    from glassrank.studies.distillation.topics import judge_topics, load_topics

    topics = load_topics(queries)
    judges = read_judges(judgements) if judgements else None
    pages = read_collection(collection, quiet, **reading)
    if judges is None:
        return pages, topics
    return pages, judge_topics(topics, judges, pages, note=lambda text: note(f"{', '.join(judgements)}: {text}", quiet))
