"""``glassrank train``: train any ranker of the package, or a classifier, and write a model file."""

import re
from pathlib import Path
from typing import Any

import click

from glassrank.cli.console import PlainCommand, json_option, note, quiet_option, show, working
from glassrank.cli.inputs import (
    duplicates_option,
    input_file,
    input_options,
    part_or_train,
    pick_queries,
    query_option,
    read_parts,
)
from glassrank.cli.models.imitate import check_imitation, imitate, write_imitation
from glassrank.cli.models.train_engine import engine_options, open_on_engine
from glassrank.cli.models.train_options import given_parameters, parameter_options
from glassrank.cli.output_file import check_model_name, check_new
from glassrank.cli.settings_by_feature import read_transforms, transform_option
from glassrank.studies.ranking.model_options import MODELS, explained_models

FOLDS = 3
# Arguments that warnings of estimators name, and the options for them.
IN_WARNINGS = {"max_iter": "--max-iter", "max_pairs": "--max-pairs", "tol": "--tol"}


@click.command(cls=PlainCommand)
@click.argument("files", metavar="FILE...", type=input_file, nargs=-1, required=True)
@click.option(
    "--output",
    metavar="MODEL",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="Model file to write.",
)
@click.option(
    "--model",
    metavar="NAME",
    type=click.Choice(tuple(MODELS)),
    default="rank-svm",
    show_default=True,
    help=f"Model to train. {explained_models()}.",
)
@click.option(
    "--like",
    metavar="MODEL",
    type=input_file,
    help="Imitate the order of this ranker instead of the labels, and report the fidelity: a model file of LightGBM, "
    "XGBoost, RankLib or glassrank. Without --model, a ranking SVM of curves.",
)
@query_option
@parameter_options()
@transform_option
@click.option(
    "--calibrate/--no-calibrate",
    default=True,
    show_default=True,
    help="Add P(A above B) or, to a classifier, the probability of the class.",
)
@click.option(
    "--folds",
    type=click.IntRange(2),
    help=f"Number of folds for the probabilities, and for models that choose a value. Default: {FOLDS}.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Random seed for hidden nodes, folds and drawn pairs.",
)
@engine_options
@click.option("--force", is_flag=True, help="Overwrite MODEL if it exists.")
@input_options
@duplicates_option
@json_option
@quiet_option
@click.pass_context
def train(
    context: click.Context,
    /,
    files: tuple[Path, ...],
    output: Path,
    model: str,
    like: Path | None,
    query: tuple[str, ...],
    transforms: tuple[str, ...],
    calibrate: bool,
    folds: int | None,
    seed: int,
    engine: str | None,
    master: str | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Train a model on the judged documents in FILE and write it to a model file.

    FILE can be several files, or a folder of blocks from glassrank data partition. Without further options, a linear
    ranking SVM is trained on standardised features and calibrated. An option that the chosen model does not have is an
    error. With --split-column and without --part, the rows with the value train are used.

    With --like, the model learns the order of another ranker, and the command prints how faithful it is on held-out
    queries. Labels are then optional.

    With --json: the options of the model and the figures of the training; with --like, the fidelity.
    """
    options = given_parameters(model, given, context)
    if like is not None:
        check_imitation(model, context)
    _check_folds(model, calibrate, folds)
    check_model_name(output)
    check_new(output, force)
    from glassrank.data.join_data import join_data
    from glassrank.files.atomic_files import check_place
    from glassrank.studies.ranking.trainers import train_model

    check_place(output)
    if like is not None:
        if engine is not None or any(path.is_dir() for path in files):
            raise click.UsageError("--like needs files: it cannot process a folder of blocks.")
        settings = {**read_transforms(transforms), "cv": folds or FOLDS, "random_state": seed}
        found = imitate(like, files, query, (model, options), settings, given, quiet=quiet)
        write_imitation(found, output, as_json=as_json, quiet=quiet)
        return
    folder = open_on_engine(context, files, given, engine, master)
    if folder is not None:
        data: Any = folder.named_queries(query) if query else folder
    else:
        data = pick_queries(join_data(read_parts(files, quiet, part_or_train(given))), query)
    with working(f"Training {model} …", quiet):
        trained = train_model(
            data,
            model,
            options,
            **read_transforms(transforms),
            calibrate=calibrate,
            cv=folds or FOLDS,
            random_state=seed,
            say=lambda words: note(f"{words}.", quiet),
        )
        trained.save(output)
    for warning in trained.warnings:
        note(f"Warning: {_in_options(warning)}", quiet)
    show(trained.to_json() if as_json else str(trained), data=as_json)
    note(f"Wrote {output}.", quiet)


def _check_folds(model: str, calibrate: bool, folds: int | None) -> None:
    if folds is not None and not calibrate and not model.endswith("-cv"):
        raise click.UsageError("--folds has no effect with --no-calibrate: leave out one of them.")


def _in_options(warning: str) -> str:
    """Name options instead of arguments in a warning."""
    return re.sub("|".join(rf"\b{name}\b" for name in IN_WARNINGS), lambda found: IN_WARNINGS[found[0]], warning)
