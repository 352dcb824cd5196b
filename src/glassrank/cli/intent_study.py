"""``glassrank intent study``: every selector coupled with every classifier, in the tables of the paper."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from glassrank.cli.console import json_option, note, quiet_option
from glassrank.cli.intent_sources import read_sources, source_options

if TYPE_CHECKING:
    from glassrank.studies.intent_features import IntentSources

# Written out, because the modules that know them bring numpy, which help texts do without.
SIZES = ("small", "demo", "seed")
SELECTORS = ("information gain", "SVM weights", "boosting", "combined", "nomogram length")
CLASSIFIERS = ("naive Bayes", "maximum entropy", "SVM linear", "SVM RBF", "boosting trees")
# Parameters that change what is printed or how fast, not what is found.
PRINTING = ("as_json", "quiet", "n_jobs")
SOURCES = ("results", "clicks", "schema", "links", "pages", "collection", "language", "trusted_hosts")


@click.command()
@click.option("--demo", is_flag=True, help="Study a simulated search log, whose intents are known, instead of files.")
@click.option(
    "--size",
    type=click.Choice(SIZES),
    help="Simulated queries: small (120), demo (400, the usual) or seed (2,102, as in the paper).",
)
@source_options
@click.option(
    "--intents",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="CSV table query_id,label; a label is navigational (1) or informational (0).",
)
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("intent"),
    show_default=True,
    help="Folder that receives the report and the tables.",
)
@click.option(
    "--n-features", type=click.IntRange(1), default=50, show_default=True, help="Columns that each selector selects."
)
@click.option("--folds", type=click.IntRange(2, 20), default=5, show_default=True, help="Folds of cross-validation.")
@click.option(
    "--selector",
    "selectors",
    multiple=True,
    type=click.Choice(SELECTORS),
    help="Selector to study; may stand several times. All unless named.",
)
@click.option(
    "--classifier",
    "classifiers",
    multiple=True,
    type=click.Choice(CLASSIFIERS),
    help="Classifier to study; may stand several times. All unless named.",
)
@click.option("--no-curve", is_flag=True, help="Leave out figure 3, F1 against the number of features.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of simulation and folds.")
@click.option("--jobs", "n_jobs", type=click.IntRange(1), help="Steps worked on at a time; as many as there are cores.")
@click.option("--title", help="Title of the report.")
@json_option
@quiet_option
def study(
    demo: bool,
    size: str | None,
    intents: Path | None,
    folder: Path,
    n_features: int,
    folds: int,
    selectors: tuple[str, ...],
    classifiers: tuple[str, ...],
    no_curve: bool,
    seed: int,
    n_jobs: int | None,
    title: str | None,
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Study the identification of navigational queries: features, selection and classification, measured on folds.

    Only --results and --intents are required; features of a source that is not given are left out. Prints tables 1 to
    4 and writes report.html, result.json and coupling.csv into the folder. Finished steps are kept there: a study that
    was stopped goes on where it was. --demo needs no data.
    """
    _check_inputs(demo, size, intents, given)
    from glassrank.studies.intent_study import DEMO_CURVE, study_intent

    simulated = intents is None
    sources, labels = _simulate(size or "demo", seed, quiet) if intents is None else _read(intents, quiet, given)
    curve = {"curve": ()} if no_curve else {"curve": DEMO_CURVE} if simulated and size != "seed" else {}
    result = study_intent(
        sources.results,
        sources.clicks,
        sources.links,
        sources.pages,
        labels,
        folder,
        n_features=n_features,
        cv=folds,
        selectors=selectors or None,
        classifiers=classifiers or None,
        language=sources.language,
        trusted_hosts=sources.trusted_hosts,
        strict=given["strict"],
        n_jobs=n_jobs or -1,
        random_state=seed,
        simulated=simulated,
        title=title or (f"Navigational queries of a simulated search log (seed {seed})" if simulated else None),
        command=_command(click.get_current_context()),
        progress=lambda step: note(f"{step} …", quiet),
        **curve,
    )
    click.echo(result.to_json() if as_json else str(result))


def _check_inputs(demo: bool, size: str | None, intents: Path | None, given: dict[str, Any]) -> None:
    simulated = demo or size is not None
    named = next((name for name in SOURCES if given[name]), None)
    if simulated and (named is not None or intents is not None):
        raise click.UsageError(
            "--demo and --size bring queries, lists, clicks and intents of their own: give no files."
        )
    if not simulated and not given["results"]:
        raise click.UsageError("Missing option '--results'. Without data of your own, try --demo.")
    if not simulated and intents is None:
        raise click.UsageError("Missing option '--intents'. Label queries in a table query_id,label.")


def _simulate(size: str, seed: int, quiet: bool) -> "tuple[IntentSources, dict[str, int]]":
    from glassrank.studies.intent_features import IntentSources
    from glassrank.studies.simulated_intents import known_intents, simulate_intents

    simulated = simulate_intents(size, random_state=seed)
    note(str(simulated), quiet)
    web = simulated.web.collection
    return IntentSources(simulated.results, simulated.log, web.links, web.pages), known_intents(simulated)


def _read(intents: Path, quiet: bool, given: dict[str, Any]) -> "tuple[IntentSources, dict[str, int]]":
    from glassrank.studies.intents import load_intents

    labels = load_intents(intents)
    return read_sources(quiet, **given), labels


def _command(context: click.Context) -> str:
    """The command that makes the same study again: all that was said, but how to print and the default values."""
    words = ["glassrank", "intent", "study"]
    for parameter in context.command.params:
        value = context.params.get(str(parameter.name))
        if parameter.name in PRINTING or value in (None, (), False, parameter.default):
            continue
        if isinstance(parameter, click.Option) and parameter.is_flag:
            words.append(parameter.opts[0])
            continue
        for one in value if isinstance(value, tuple) else (value,):
            words += [parameter.opts[0], str(one)]
    return shlex.join(words)
