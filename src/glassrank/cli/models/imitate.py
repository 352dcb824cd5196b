"""``glassrank train --like``: train a model on the order of another ranker, and report how faithful it is."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from glassrank.cli.console import note, show, working
from glassrank.cli.inputs import part_or_train, pick_queries
from glassrank.cli.models.match_to_model import has_labels, read_for_model
from glassrank.studies.ranking.model_options import MODELS

if TYPE_CHECKING:
    from glassrank.studies.ranking.additive_surrogate import Surrogate

DEFAULT = "rank-svm"


def check_imitation(model: str, context: click.Context) -> None:
    """Raise a usage error for what makes no sense with --like."""
    if MODELS[model].classifies:
        raise click.UsageError(f"--like needs a ranker: --model {model} is a classifier.")
    if context.get_parameter_source("calibrate") is click.core.ParameterSource.COMMANDLINE:
        raise click.UsageError("--like imitates an order, which has no probabilities: leave out --calibrate.")


def imitate(
    like: Path,
    files: Sequence[Path],
    query: tuple[str, ...],
    chosen: tuple[str, Mapping[str, Any]],
    settings: Mapping[str, Any],
    reading: dict[str, Any],
    *,
    quiet: bool,
) -> "Surrogate":
    """Fit the chosen model to the order in which the ranker in ``like`` puts the documents."""
    from glassrank.data.join_data import join_data
    from glassrank.modelfile.load_ranker import read_ranker
    from glassrank.studies.ranking.additive_surrogate import C, additive_surrogate
    from glassrank.studies.ranking.trainers import make_model

    ranker = read_ranker(like)
    if ranker.query_scaling is not None:
        raise click.ClickException(
            f"{like} takes features that are scaled within each query: its order is no function of the features alone."
        )
    reading = part_or_train(reading)
    parts = [read_for_model(path, ranker, quiet, reading, judged=has_labels(path, reading)) for path in files]
    data = pick_queries(join_data(parts), query)
    model, options = chosen
    defaults = {"kernel": "lrbf", "C": C, "missing": "mean"} if model == DEFAULT else {}
    given = {"transform": "standard", "transforms": None, **settings}
    made = make_model(model, {**defaults, **options}, calibrate=False, **given)
    with working(f"Training {model} on the order of {like} …", quiet):
        return additive_surrogate(
            ranker.restore(), data, estimator=made, cv=given["cv"], random_state=given["random_state"]
        )


def write_imitation(found: "Surrogate", output: Path, *, as_json: bool, quiet: bool) -> None:
    """Write the model file and print the fidelity."""
    found.save(output)
    show(found.to_json() if as_json else str(found), data=as_json)
    note(f"Wrote {output}.", quiet)
