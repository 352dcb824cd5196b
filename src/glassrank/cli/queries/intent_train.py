"""``glassrank intent train``: train a classifier on labelled queries and write a model file."""

import json
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from glassrank.cli.console import PlainCommand, json_option, note, progress_bar, quiet_option, show
from glassrank.cli.queries.intent_sources import CLASSIFIERS, check_labelled, labelled_options, read_labelled
from glassrank.selection.selector_names import SELECTORS, explained_selectors

if TYPE_CHECKING:
    from glassrank.studies.intent.model import IntentModel

MAX_SHOWN = 8
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
    force: bool,
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Train an intent classifier on labelled queries and write it to MODEL, a JSON file.

    Selector, classifier and threshold are chosen, and probabilities calibrated, on held-out folds; C and γ of the
    classifiers are chosen inside each fold.
    """
    check_labelled(demo, size, intents, given)
    if (selector is None) != (classifier is None):
        raise click.UsageError("--selector and --classifier belong together: give both or neither.")
    if n_features is not None and selector is None:
        raise click.UsageError("--n-features is the number of columns that --selector selects: give --selector too.")
    if quick and selector is not None:
        raise click.UsageError("--quick is for the choice among couplings: leave it out with --selector.")
    if model.exists() and not force:
        raise click.ClickException(f"{model} already exists. Choose another name, or overwrite it with --force.")
    from glassrank.studies.intent.model import train_intent

    sources, labels = read_labelled(size, intents, seed, quiet, given)
    grid = None if quick else "every"
    coupling = grid if selector is None or classifier is None else (selector, classifier, n_features or N_FEATURES)
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
    found = _facts(trained)
    show(json.dumps(found) if as_json else _text(found), data=as_json)
    note(f"Wrote {model}.", quiet)


def _facts(trained: "IntentModel") -> dict[str, Any]:
    fitted = trained.classifier
    tried, nested = fitted.cv_results_, getattr(fitted, "nested_scores_", None)
    return {
        "coupling": str(fitted.coupling_),
        "threshold": fitted.threshold_,
        "tried": [
            {"coupling": str(one), "value": _known(value)}
            for one, value in zip(tried["coupling"], tried["value"].tolist(), strict=True)
        ],
        "measure": "F1" if fitted.precision is None else f"recall at a precision of {fitted.precision:g}",
        "tuned": getattr(fitted, "tuned_", {}),
        "nested_f1": _known(getattr(fitted, "nested_score_", None)),
        "nested_folds": None if nested is None else [_known(score) for score in nested.tolist()],
        "selected": list(trained.selected()),
        "log": None if trained.training_log is None else asdict(trained.training_log),
    }


def _text(found: dict[str, Any]) -> str:
    from glassrank.navigational.features.log_extent import LogExtent

    best = max(one["value"] for one in found["tried"] if one["value"] is not None)
    selected = found["selected"]
    more = f" and {len(selected) - MAX_SHOWN} more" if len(selected) > MAX_SHOWN else ""
    lines = [
        found["coupling"],
        f"{found['measure']} on held-out queries: {best:.3f}{_optimistic(len(found['tried']))}",
        f"navigational if P > {found['threshold']:.3f}",
        f"features used: {', '.join(selected[:MAX_SHOWN])}{more}",
    ]
    if found["tuned"]:
        lines.insert(1, f"tuned: {', '.join(f'{name} = {value:g}' for name, value in found['tuned'].items())}")
    if found["nested_folds"] is not None:
        lines.insert(-2, _nested(found["nested_f1"], found["nested_folds"]))
    if found["log"] is not None:
        lines.append(f"log: {LogExtent(**found['log'])}")
    return "\n".join(lines)


def _known(value: float | None) -> float | None:
    """Return None instead of NaN, which JSON does not support."""
    return None if value is None or value != value else value


def _nested(mean: float | None, folds: list[float | None]) -> str:
    """The nested F1, and the number of folds in which no threshold reaches the precision."""
    lost = folds.count(None)
    why = f" (for {lost} of {len(folds)} folds, no threshold reaches the precision on the others)" if lost else ""
    return f"F1 with the choice inside each fold: {'unknown' if mean is None else f'{mean:.3f}'}{why}"


def _optimistic(n_tried: int) -> str:
    chosen = f"as the best of {n_tried}" if n_tried > 1 else "at the best threshold"
    return f" (optimistic, {chosen})"
