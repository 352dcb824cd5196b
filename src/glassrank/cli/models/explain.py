"""``glassrank explain``: explain why a saved model ranks one document above another, or what its score consists of."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from glassrank.cli.console import PlainCommand, json_option, note, quiet_option, show, working
from glassrank.cli.inputs import input_file, input_options
from glassrank.cli.models.match_to_model import by_position_option, check_by_position, has_labels, read_for_model
from glassrank.cli.output_file import check_picture
from glassrank.core.wording import counted

if TYPE_CHECKING:
    from glassrank.core.additive.effect_samples import EffectSamples
    from glassrank.data.ranking_data import RankingData
    from glassrank.nomograms.correlated_features import Grouping
    from glassrank.nomograms.document_explanation import DocumentExplanation
    from glassrank.nomograms.explanation import PairExplanation


@click.command(cls=PlainCommand)
@click.argument("model", metavar="MODEL", type=input_file)
@click.argument("data", metavar="DATA", type=input_file)
@click.option("--query", "of_query", metavar="Q", required=True, help="Query identifier.")
@click.option("--document", "document_a", metavar="A", required=True, help="Document to explain, by its identifier.")
@click.option(
    "--against",
    "document_b",
    metavar="B",
    help="Document to compare it with. Default: the median document of the query; for a classifier, an average one.",
)
@click.option("--top", metavar="K", type=click.IntRange(1), help="Number of features in the table. Default: 20.")
@click.option(
    "--groups",
    type=click.Choice(["correlated", "none"]),
    default="correlated",
    show_default=True,
    help="Sum features that are strongly correlated within queries, or show all features one by one.",
)
@click.option(
    "--group",
    "named_groups",
    metavar="NAME=FEATURE",
    multiple=True,
    help="Put a feature into a group of your own, instead of --groups. Repeatable.",
)
@click.option(
    "--calibrate",
    metavar="FILE",
    type=input_file,
    help="Judged queries that the ranker was not trained on. Adds the probability to a ranker without one.",
)
@click.option("--train", metavar="FILE", type=input_file, help="Training data of the model. Adds 95 % intervals.")
@click.option(
    "--resamples",
    metavar="N",
    type=click.IntRange(2),
    default=60,
    show_default=True,
    help="Number of resamples of the queries in --train.",
)
@click.option(
    "--output",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also draw the nomogram: .html, .svg, .png or .pdf.",
)
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@input_options
@by_position_option
@json_option
@quiet_option
def explain(
    model: Path,
    data: Path,
    of_query: str,
    document_a: str,
    document_b: str | None,
    top: int | None,
    groups: str,
    named_groups: tuple[str, ...],
    calibrate: Path | None,
    train: Path | None,
    resamples: int,
    output: Path | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Explain why the model in MODEL ranks document A above or below document B of the same query.

    Prints the contribution of each feature, the probability that A ranks above B if the model is calibrated, and the
    value of each feature at which the two would tie. Without --against, explains what the score of A consists of; for
    a classifier, what counts for and against the class. With --train, adds intervals by resampling the training
    queries. Documents without identifiers are numbered within their query, from 0. Labels in DATA are optional.

    Features that are strongly correlated within queries are summed, because the signs of the single ones mean little.

    With --json: the complete explanation with all features.
    """
    if as_json and top is not None:
        raise click.UsageError("--json contains every feature: leave out --top.")
    if train is None and reading["weight"] is not None:
        raise click.UsageError("--weight-column is used only with --train: leave it out, or add --train.")
    if train is not None and calibrate is not None:
        raise click.UsageError("--train resamples the queries that a model is calibrated on: leave out --calibrate.")
    context = click.get_current_context()
    if named_groups and context.get_parameter_source("groups") is click.core.ParameterSource.COMMANDLINE:
        raise click.UsageError("--group names groups of your own: leave out --groups.")
    check_picture(output, force)
    from glassrank.modelfile.load_ranker import read_ranker

    saved = read_ranker(model)
    check_by_position(reading, saved)
    fitted = saved.restore()
    found = saved.scaled(read_for_model(data, saved, quiet, reading, judged=has_labels(data, reading)))
    if calibrate is not None:
        fitted = _calibrated(fitted, saved.scaled(read_for_model(calibrate, saved, quiet, reading)), quiet)
    samples = None
    if train is not None:
        trained_on = saved.scaled(read_for_model(train, saved, True, reading))
        samples = _resample(fitted, trained_on, resamples, quiet)
    _note_left_out(fitted, found, data, quiet)
    with working("Explaining …", quiet):
        grouping = _own_groups(named_groups) or groups
        explanation = _explain(fitted, found, of_query, document_a, document_b, samples, grouping)
    text = explanation.to_json() if as_json else explanation.to_text(**({} if top is None else {"most_rows": top}))
    show(text, data=as_json)
    if output is not None:
        with working(f"Drawing {output} …", quiet):
            explanation.nomogram().save(output)
        note(f"Wrote {output}.", quiet)


def _calibrated(model: Any, judged: "RankingData", quiet: bool) -> Any:
    """Fit the slope of a ranker's probabilities to judged queries; the ranker stays as it is."""
    from glassrank.core.checks import DataError
    from glassrank.ranking.calibration import PairCalibrator

    if isinstance(model, PairCalibrator):
        raise DataError("The model is calibrated already.", remedy="Leave out --calibrate.")
    with working("Calibrating …", quiet):
        return PairCalibrator(model, cv="prefit", random_state=0).fit(judged)


def _resample(model: Any, trained_on: "RankingData", n_resamples: int, quiet: bool) -> "EffectSamples":
    """Refit the model to resampled queries, for the intervals."""
    from glassrank.core.additive.effect_samples import EffectSamples
    from glassrank.nomograms.bootstrap_effects import bootstrap_effects
    from glassrank.nomograms.named_effects import named_effects

    with working(f"Fitting {n_resamples} resamples …", quiet):
        made = bootstrap_effects(
            model,
            trained_on.table,
            trained_on.y,
            trained_on.qid,
            trained_on.weights,
            n_resamples=n_resamples,
            random_state=0,
        )
    return EffectSamples(tuple(named_effects(one, None, trained_on.feature_names) for one in made.replicates))


def _note_left_out(model: Any, found: "RankingData", path: Path, quiet: bool) -> None:
    """Report rows that the model cannot score; those of other queries do not show which values a feature takes."""
    from glassrank.nomograms.adapters.effects_on_data import scorable_rows
    from glassrank.nomograms.adapters.terms import NotAdditiveError

    try:
        n_unscored = int((~scorable_rows(model, found)).sum())
    except NotAdditiveError:
        return  # trees of many features, which take missing values
    if n_unscored:
        rows = counted(n_unscored, "row has a missing value", "rows have missing values")
        note(f"{path}: {rows} that the model cannot score; those of other queries are left out.", quiet)


def _own_groups(named: tuple[str, ...]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for entry in named:
        name, separator, feature = entry.partition("=")
        if not separator:
            raise click.UsageError(f"--group must be NAME=FEATURE: got {entry!r}.")
        groups.setdefault(name, []).append(feature)
    return groups


def _explain(
    model: Any,
    found: "RankingData",
    query: str,
    document: str,
    against: str | None,
    samples: "EffectSamples | None",
    groups: "Grouping",
) -> "PairExplanation | DocumentExplanation":
    from glassrank.nomograms.document_explanation import explain_document
    from glassrank.nomograms.explanation import explain_pair

    a = _name(found, document, "--document")
    if against is None:
        return explain_document(model, found, query=query, document=a, samples=samples, groups=groups)
    b = _name(found, against, "--against")
    return explain_pair(model, found, query=query, document=a, against=b, samples=samples, groups=groups)


def _name(found: "RankingData", name: str, option: str) -> str | int:
    """Return a document's identifier, or its position in the query if the data have none."""
    if found.doc_ids is not None:
        return name
    if not name.isdecimal():
        raise click.ClickException(
            f"The data have no document identifiers: {option} must be a position in the query's list, from 0; got "
            f"{name!r}. Or name the column with the identifiers: --document-column."
        )
    return int(name)
