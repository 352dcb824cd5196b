"""``glassrank export``: write a saved model in the format of a search engine, a database or a programming language."""

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from glassrank.cli.console import PlainCommand, json_option, note, quiet_option, show, working
from glassrank.cli.engine_logs.engine_options import engine_options, read_parameters
from glassrank.cli.inputs import input_file, unweighted_input_options
from glassrank.cli.models.match_to_model import by_position_option, check_by_position, read_for_model

if TYPE_CHECKING:
    from glassrank.export.export_model import ExportedModel

# Repeated here, so that --help need not import the modules that define them, which load numpy.
FORMATS = ("solr", "opensearch", "elasticsearch", "ranklib", "postgresql", "duckdb", "onnx", "python", "javascript")
SCALES = ("score", "logit")


@click.command(cls=PlainCommand)
@click.argument("model", metavar="MODEL", type=input_file)
@click.option("--format", "format_name", type=click.Choice(FORMATS), help="Format to write.")
@click.option(
    "--output",
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Folder for the files, which is created.",
)
@click.option(
    "--name", default="glassrank", show_default=True, help="Name of the model; eight hexadecimal digits are added."
)
@click.option("--kind", metavar="KIND", help="Which of the format's kinds of model to write. Default: the most exact.")
@click.option(
    "--definitions",
    metavar="FILE",
    type=input_file,
    help="JSON file: feature → how the engine computes it, in the engine's own terms.",
)
@click.option(
    "--rename",
    multiple=True,
    metavar="OLD=NEW|auto",
    help="Name of a feature in the engine. Repeatable. auto: replace all but letters and digits by underscores.",
)
@click.option(
    "--max-error",
    metavar="X",
    type=float,
    help="Largest allowed error of a score. Default: 0.01 in log-odds of a pair, or 0.1 % of the spread of scores.",
)
@click.option(
    "--scale",
    type=click.Choice(SCALES),
    default="score",
    show_default=True,
    help="logit: P(A above B) = 1/(1 + exp(B − A)) of the scores A and B.",
)
@click.option(
    "--data",
    metavar="DATA",
    type=input_file,
    help="Documents that show the ranges of the features, and how many pairs the error could swap.",
)
@click.option("--force", is_flag=True, help="Overwrite files in FOLDER.")
@click.option(
    "--check",
    "url",
    metavar="URL",
    help="Instead of writing: compare the scores of the engine at URL, to which FOLDER was uploaded, with the model's.",
)
@click.option("--query", metavar="QUERY", help="Query for --check, in the engine's own language.")
@click.option(
    "--documents",
    metavar="N",
    type=click.IntRange(1, 10_000),
    default=100,
    show_default=True,
    help="Documents to compare with --check: the best of the query.",
)
@engine_options
@unweighted_input_options
@by_position_option
@json_option
@quiet_option
def export(
    model: Path,
    format_name: str | None,
    output: Path,
    url: str | None,
    query: str | None,
    documents: int,
    text_parameter: str,
    parameters: tuple[str, ...],
    document_field: str | None,
    timeout: float,
    definitions: Path | None,
    rename: tuple[str, ...],
    data: Path | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    name: str,
    kind: str | None,
    max_error: float | None,
    scale: str,
    **reading: Any,
) -> None:
    """Write the model in MODEL in the format of a search engine, a database or a programming language.

    Prints the largest difference of a score from the model's, rounding included, and the calls that upload and use the
    model. An export that cannot keep --max-error, or would treat missing values differently, is refused.

    With --check URL --query QUERY, nothing is written, neither to FOLDER nor to the engine: the engine's scores and its
    logged features are compared with the model. Credentials are taken from the environment variables
    GLASSRANK_ENGINE_USER and GLASSRANK_ENGINE_PASSWORD, or GLASSRANK_ENGINE_API_KEY.

    With --json: errors, ranges, constant and slope, as in glassrank.json, or the result of the check.
    """
    if (url is None) == (format_name is None):
        raise click.UsageError("Either --format, to write, or --check, to compare with a running engine.")
    if url is not None:
        settings = {"rows": documents, "text_parameter": text_parameter, "parameters": read_parameters(parameters)}
        _compare(model, output, url, query, as_json, **settings, document=document_field, timeout=timeout)
        return
    if query is not None:
        raise click.UsageError("--query is for --check.")
    _check_folder(output, force)
    given = _renamed(rename)
    from glassrank.export.export_model import export_model
    from glassrank.export.read_model import refuse_query_scaling
    from glassrank.modelfile.load_ranker import read_ranker

    saved = read_ranker(model)
    check_by_position(reading, *(() if data is None else (saved,)))
    refuse_query_scaling(saved.query_scaling)
    found = None if data is None else read_for_model(data, saved, quiet, reading, judged=False)
    with working("Converting the model …", quiet):
        exported = export_model(
            saved.restore(),
            str(format_name),
            data=found,
            name=name,
            kind=kind,
            definitions=None if definitions is None else _definitions(definitions),
            feature_names=saved.feature_names,
            rename=given,
            max_error=max_error,
            scale=scale,
        )
        exported.save(output)
    _report(exported, output, as_json)
    if found is not None:
        note(exported.undecided(found), quiet)
    note(f"Wrote {', '.join(exported.files)} to {output}.", quiet)


def _compare(model: Path, folder: Path, url: str, query: str | None, as_json: bool, **settings: Any) -> None:
    if query is None:
        raise click.UsageError("--check needs --query, a query that finds documents.")
    from glassrank.export.live_check import check_export
    from glassrank.modelfile.load_ranker import read_ranker
    from glassrank.modelfile.saved_model import SavedModel
    from glassrank.modelfile.scorer import Scorer

    saved = read_ranker(model)
    scorer = Scorer(saved.document) if isinstance(saved, SavedModel) else saved
    found = check_export(scorer, folder, url, query, **settings)
    show(found.to_json() if as_json else str(found), data=as_json)
    if not found.passed:
        raise click.exceptions.Exit(1)


def _check_folder(output: Path, force: bool) -> None:
    if not force and output.is_dir() and any(output.iterdir()):
        raise click.ClickException(
            f"{output} is not empty. Choose another folder, or overwrite files in it with --force."
        )


def _renamed(pairs: tuple[str, ...]) -> dict[str, str] | str:
    if pairs == ("auto",):
        return "auto"
    split = [text.rpartition("=") for text in pairs]
    for text, (old, _, new) in zip(pairs, split, strict=True):
        if not old or not new:
            raise click.UsageError(f"--rename must be OLD=NEW, or auto alone: got {text!r}.")
    return {old: new for old, _, new in split}


def _definitions(path: Path) -> dict[str, Any]:
    from glassrank.core.checks import DataError
    from glassrank.files.json_files import read_json

    found = read_json(path)
    if not isinstance(found, dict):
        raise DataError(f"{path}: expected a JSON object, feature → definition: got a {type(found).__name__}.")
    return found


def _report(exported: "ExportedModel", folder: Path, as_json: bool) -> None:
    # The calls name the files as they are called in the folder; another folder may have files of the same names.
    calls = f"In the folder of the files:\n  cd {shlex.quote(str(folder))}\n{exported.usage}"
    text = json.dumps(exported.description(), indent=2) if as_json else f"{exported.summary()}\n\n{calls}"
    show(text, data=as_json)
