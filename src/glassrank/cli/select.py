"""``glassrank select``: rank features by several methods."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from glassrank.cli.console import PlainCommand, json_option, note, quiet_option, show, working
from glassrank.cli.error_wording import OTHER_NAMES
from glassrank.cli.inputs import input_file, input_options, pick_queries, query_option, read_data
from glassrank.cli.models.train_options import given_parameters, parameter_options
from glassrank.cli.output_file import check_picture
from glassrank.selection.selector_names import NOMOGRAM, SELECTORS, explained_selectors
from glassrank.studies.ranking.model_options import ELIMINATED, ELIMINATION_DEFAULTS, explained_models

if TYPE_CHECKING:
    from glassrank.data.ranking_data import RankingData
    from glassrank.selection.rank_features import FeatureRankings

# Here, features are dropped one by one, whereas `glassrank intent` measures all lines once.
ELIMINATION = "elimination of the feature with the shortest line, one at a time"
# As in the library, which is not imported for the help.
LENGTHS, FOLD_UNITS = ("query", "global", "central", "pair-difference"), ("query", "pair")


@click.command(cls=PlainCommand)
@click.argument("data", metavar="DATA", type=input_file)
@click.option(
    "--method",
    "methods",
    multiple=True,
    type=click.Choice(tuple(SELECTORS)),
    help=f"Ranking method. Repeatable. Default: the first five. {explained_selectors(nomogram=ELIMINATION)}.",
)
@click.option(
    "--n",
    "n_features",
    metavar="N",
    type=click.IntRange(1),
    help="Number of features to keep. Default: half; for nomogram, chosen by cross-validation.",
)
@query_option
@click.option(
    "--model",
    metavar="NAME",
    type=click.Choice(ELIMINATED),
    default=ELIMINATED[0],
    show_default=True,
    help=f"Model of the nomogram; with additive-svc, the labels are two classes for every method. "
    f"{explained_models(ELIMINATED)}.",
)
@parameter_options(ELIMINATED, ELIMINATION_DEFAULTS)
@click.option(
    "--measure",
    help="Measure of the elimination: accuracy, auc or f1 of classes, or a ranking measure. "
    "Default: accuracy (additive-svc), pair_accuracy (others).",
)
@click.option(
    "--length",
    type=click.Choice(LENGTHS),
    help="Length of a line. Default: query, or global (additive-svc).",
)
@click.option(
    "--fold-unit",
    type=click.Choice(FOLD_UNITS),
    help="What folds hold out. pair only reproduces a published procedure: its scores are too high. Default: query.",
)
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(0), help="Random seed for boosting and folds."
)
@click.option(
    "--output",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also draw the rankings: .html, .svg, .png or .pdf.",
)
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@input_options
@json_option
@quiet_option
@click.pass_context
def select(
    context: click.Context,
    /,
    data: Path,
    methods: tuple[str, ...],
    n_features: int | None,
    model: str,
    measure: str | None,
    length: str | None,
    fold_unit: str | None,
    query: tuple[str, ...],
    seed: int,
    output: Path | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Rank the features of DATA by several methods.

    Labels are compared within queries or, with --model additive-svc, are two classes. Each method keeps N features;
    without --n, half of them, and the nomogram the number chosen by cross-validation. The options of the model are
    those of glassrank train.

    With --json: rank, score and choice of every feature by each method.
    """
    options = given_parameters(model, given, context)
    elimination = {"measure": measure, "length": length, "fold_unit": fold_unit}
    _check_used(methods, {**options, **elimination})
    if options.get("C_unit") == "pair" and "C" not in options:
        raise click.UsageError("--C-unit pair needs --C: the default is for the mean of the losses.")
    check_picture(output, force)
    read = pick_queries(read_data(data, quiet, **given), query)
    from glassrank.studies.ranking.trainers import elimination_machine

    machine = elimination_machine(model, options, read, seed)
    found = _rank(read, methods, n_features, quiet, estimator=machine, random_state=seed, **elimination)
    show(found.to_json() if as_json else str(found), data=as_json)
    if output is not None:
        with working(f"Drawing {output} …", quiet):
            found.chart().save(output)
        note(f"Wrote {output}.", quiet)


def _check_used(methods: tuple[str, ...], given: dict[str, Any]) -> None:
    """Raise an error for options of the elimination without the method that uses them."""
    names = [name for name, value in given.items() if value is not None]
    if methods and NOMOGRAM not in methods and names:
        flag = f"--{OTHER_NAMES.get(names[0], names[0]).replace('_', '-')}"
        raise click.UsageError(f"{flag} has no effect without --method {NOMOGRAM}.")


def _rank(
    data: "RankingData", methods: tuple[str, ...], n_features: int | None, quiet: bool, **elimination: Any
) -> "FeatureRankings":
    from glassrank.selection.rank_features import rank_features

    if n_features is not None and n_features > data.n_features:
        raise click.ClickException(f"--n must be at most {data.n_features}, the number of features: got {n_features}.")
    with working("Ranking the features …", quiet):
        return rank_features(data, methods=methods or None, n_features=n_features, **elimination)
