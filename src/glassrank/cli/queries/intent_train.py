"""``glassrank intent train``: train a classifier on labelled queries and write a model file."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import click

from glassrank.cli.console import PlainCommand, json_option, note, progress_bar, quiet_option, show
from glassrank.cli.output_file import check_model_name
from glassrank.cli.queries.intent_sources import CLASSIFIERS, check_labelled, labelled_options, read_labelled
from glassrank.cli.queries.training_summary import training_facts, training_text
from glassrank.cli.spark_cluster import check_fits_options, fits_options, run_fits
from glassrank.selection.selector_names import SELECTORS, explained_selectors

N_FEATURES = 50


@click.command(cls=PlainCommand, short_help="Train an intent classifier; write a model.")
@click.argument("model", metavar="MODEL", type=click.Path(dir_okay=False, path_type=Path))
@labelled_options
@click.option(
    "--selector",
    type=click.Choice(tuple(SELECTORS)),
    help=f"Selector; requires --classifier. Default: the best of all couplings. {explained_selectors()}.",
)
@click.option("--classifier", type=click.Choice(CLASSIFIERS), help="Classifier; requires --selector.")
@click.option("--n-features", type=click.IntRange(1), help="Number of columns --selector selects. Default: 50.")
@click.option(
    "--folds", type=click.IntRange(2, 20), default=5, show_default=True, help="Number of cross-validation folds."
)
@click.option(
    "--precision",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Precision to reach on held-out queries. Default: maximise F1.",
)
@click.option("--quick", is_flag=True, help="Try 8 couplings instead of the 30 that a study ranks.")
@click.option("--no-tune", is_flag=True, help="Use C = 1 and γ = 1/columns instead of choosing them inside each fold.")
@click.option("--nested", is_flag=True, help="Estimate F1 with the choice repeated without each fold (slower).")
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed for simulation and folds."
)
@click.option(
    "--jobs", "n_jobs", type=click.IntRange(1), help="Number of folds to run in parallel. Default: number of cores."
)
@fits_options
@click.option("--force", is_flag=True, help="Overwrite MODEL if it exists.")
@json_option
@quiet_option
def train(
    model: Path,
    demo: bool,
    size: str | None,
    intents: Path | None,
    selector: str | None,
    classifier: str | None,
    n_features: int | None,
    folds: int,
    precision: float | None,
    quick: bool,
    no_tune: bool,
    nested: bool,
    seed: int,
    n_jobs: int | None,
    engine: str | None,
    master: str | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Train an intent classifier on labelled queries and write it to MODEL, a JSON file.

    Selector, classifier and threshold are chosen, and probabilities calibrated, on held-out folds; C and γ of the
    classifiers are chosen inside each fold. With more than two classes, each class has its own.
    """
    check_labelled(demo, size, intents, given)
    check_fits_options(engine, master, n_jobs)
    if (selector is None) != (classifier is None):
        raise click.UsageError("--selector and --classifier belong together: give both or neither.")
    if n_features is not None and selector is None:
        raise click.UsageError("--n-features is the number of columns that --selector selects: give --selector too.")
    if quick and selector is not None:
        raise click.UsageError("--quick is for the choice among couplings: leave it out with --selector.")
    check_model_name(model)
    if model.exists() and not force:
        raise click.ClickException(f"{model} already exists. Choose another name, or overwrite it with --force.")
    from glassrank.studies.intent.model import train_intent

    sources, labels = read_labelled(size, intents, seed, quiet, given)
    grid = None if quick else "every"
    coupling = grid if selector is None or classifier is None else (selector, classifier, n_features or N_FEATURES)
    run_fits(engine, master)
    with progress_bar(quiet, steps=True) as progress:
        trained = train_intent(
            sources,
            labels,
            coupling=coupling,
            cv=folds,
            precision=precision,
            tune=not no_tune,
            nested=nested,
            strict=given["strict"],
            n_jobs=n_jobs or -1,
            random_state=seed,
            progress=progress,
            note=partial(note, quiet=quiet),
        )
    trained.save(model)
    found = training_facts(trained)
    show(json.dumps(found) if as_json else training_text(found), data=as_json)
    note(f"Wrote {model}.", quiet)
