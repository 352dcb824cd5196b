"""``glassrank intent study``: couple every selector with every classifier, in the tables of the paper."""

from pathlib import Path
from typing import Any

import click

from glassrank.cli.console import PlainCommand, json_option, progress_bar, quiet_option, repeated_command, show
from glassrank.cli.output_file import replace_option
from glassrank.cli.queries.intent_sources import CLASSIFIERS, check_labelled, labelled_options, read_labelled
from glassrank.cli.spark_cluster import check_fits_options, fits_options, run_fits
from glassrank.selection.selector_names import SELECTORS, explained_selectors


@click.command(cls=PlainCommand, short_help="Compare selectors and classifiers; write a report.")
@labelled_options
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("intent"),
    show_default=True,
    help="Output folder for the report and the tables.",
)
@replace_option
@click.option(
    "--n-features",
    type=click.IntRange(1),
    default=50,
    show_default=True,
    help="Number of columns each selector selects.",
)
@click.option(
    "--folds", type=click.IntRange(2, 20), default=5, show_default=True, help="Number of cross-validation folds."
)
@click.option(
    "--selector",
    "selectors",
    multiple=True,
    type=click.Choice(tuple(SELECTORS)),
    help=f"Selector to study. Repeatable. Default: the first five. {explained_selectors()}.",
)
@click.option(
    "--classifier",
    "classifiers",
    multiple=True,
    type=click.Choice(CLASSIFIERS),
    help="Classifier to study. Repeatable. Default: the first five.",
)
@click.option(
    "--time-split",
    is_flag=True,
    help="Also train on the earlier clicks and test on the later clicks for other queries. The log needs times.",
)
@click.option("--no-curve", is_flag=True, help="Leave out figure 3, F1 against the number of features.")
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed for simulation and folds."
)
@click.option(
    "--jobs", "n_jobs", type=click.IntRange(1), help="Number of steps to run in parallel. Default: number of cores."
)
@fits_options
@click.option("--title", help="Title of the report.")
@json_option
@quiet_option
def study(
    demo: bool,
    size: str | None,
    intents: Path | None,
    folder: Path,
    overwrite: bool,
    n_features: int,
    folds: int,
    selectors: tuple[str, ...],
    classifiers: tuple[str, ...],
    time_split: bool,
    no_curve: bool,
    seed: int,
    n_jobs: int | None,
    engine: str | None,
    master: str | None,
    title: str | None,
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Study the identification of navigational queries: features, selection and classification, measured on folds.

    Only --results and --intents are required; features of a source that is not given are left out. Prints tables 1 to
    4 and writes report.html, result.json and coupling.csv into the folder. An interrupted study resumes where it
    stopped. --demo needs no data.
    """
    check_labelled(demo, size, intents, given)
    check_fits_options(engine, master, n_jobs)
    from glassrank.studies.intent.study import DEMO_CURVE, study_intent

    simulated = intents is None
    sources, labels = read_labelled(size, intents, seed, quiet, given)
    curve = {"curve": ()} if no_curve else {"curve": DEMO_CURVE} if simulated and size != "seed" else {}
    run_fits(engine, master)
    with progress_bar(quiet, steps=True) as progress:
        result = study_intent(
            sources,
            labels,
            folder,
            n_features=n_features,
            cv=folds,
            selectors=selectors or None,
            classifiers=classifiers or None,
            time_split=time_split,
            strict=given["strict"],
            n_jobs=n_jobs or -1,
            random_state=seed,
            simulated=simulated,
            title=title or (f"Navigational queries of a simulated search log (seed {seed})" if simulated else None),
            command=repeated_command("intent", "study"),
            overwrite=overwrite,
            progress=progress,
            **curve,
        )
    show(result.to_json() if as_json else str(result), data=as_json)
