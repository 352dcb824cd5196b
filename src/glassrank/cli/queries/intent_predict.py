"""``glassrank intent predict`` and ``explain``: the predictions of a model, and the features behind them."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from glassrank.cli.console import PlainCommand, json_option, note, quiet_option, show
from glassrank.cli.queries.intent_sources import OWN, read_sources, source_options
from glassrank.cli.queries.log_options import OF_LOG

if TYPE_CHECKING:
    from glassrank.navigational.features.sources import IntentSources
    from glassrank.studies.intent.model import FeatureRow, IntentModel

STDIN = "-"
# Parameters that --statistics replaces.
IN_STATISTICS = ("clicks", "schema", "links", "pages", "collection", *OF_LOG, "bare_hosts")
BATCH = 500


def asked_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for the queries to predict; the command passes them to ``_rows``."""
    command = click.option(
        "--batch",
        type=click.IntRange(1),
        help="Number of queries of --results to process at a time. Default: 500.",
    )(command)
    command = click.option(
        "--features",
        "features",
        metavar="FILE",
        help="CSV table of features instead of --results: query_id, and columns such as 'clk_CR|mean'; - is stdin.",
    )(command)
    command = click.option(
        "--statistics",
        type=click.Path(path_type=Path),
        metavar="FOLDER",
        help="Statistics written by intent statistics, instead of --clicks, --links, --pages and --collection.",
    )(command)
    return source_options(command)


@click.command(cls=PlainCommand, short_help="Predict the intent of each query.")
@click.argument("model", metavar="MODEL", type=click.Path(path_type=Path))
@asked_options
@json_option
@quiet_option
def predict(model: Path, as_json: bool, quiet: bool, **given: Any) -> None:
    """Label the queries of --results or --features, one line per query.

    A line contains query_id, label, P(navigational) and the query, separated by tabs; with --json it is a JSON object.
    With more than two classes, it contains P of each, in alphabetical order.
    """
    _check(given)
    from glassrank.studies.intent.model import IntentModel, predict_each

    loaded = IntentModel.load(model)
    shown = loaded.modelled
    if len(shown) > 1 and not as_json:
        note(f"Columns: query_id, label, {', '.join(f'P({name})' for name in shown)}, query.", quiet)
    with _rows(loaded, quiet, given) as rows:
        for one in predict_each(loaded, rows):
            # A query may contain line breaks, but each takes one line.
            shares = (f"{one.probabilities[name]:.4f}" for name in shown)
            plain = (_in_one_line(one.query_id), one.label, *shares, _in_one_line(one.query))
            show(json.dumps(one.to_dict()) if as_json else "\t".join(plain), data=True)


@click.command(cls=PlainCommand, short_help="Explain the predicted intent of each query.")
@click.argument("model", metavar="MODEL", type=click.Path(path_type=Path))
@click.option(
    "--query",
    "queries",
    multiple=True,
    metavar="ID",
    help="Query to explain. Repeatable. Default: all.",
)
@click.option(
    "--class",
    "outcome",
    metavar="NAME",
    help="Class whose log-odds to explain. Default: navigational; with more than two classes, the predicted one.",
)
@asked_options
@json_option
@quiet_option
def explain(
    model: Path, queries: tuple[str, ...], outcome: str | None, as_json: bool, quiet: bool, **given: Any
) -> None:
    """Explain the prediction for each query: what each feature adds to the log-odds compared with its usual value."""
    _check(given)
    from glassrank.studies.intent.model import IntentModel

    loaded = IntentModel.load(model)
    left = set(queries)
    with _rows(loaded, quiet, given, only=queries or None) as rows:
        for row in rows:
            if queries and row.query_id not in queries:
                continue
            left.discard(row.query_id)
            found = loaded.explain(row, outcome)
            if as_json:
                show(json.dumps({"query_id": row.query_id, "query": row.query, **asdict(found)}), data=True)
            else:
                show(f"{row.query_id}  {row.query}\n{found}\n")
    if left:
        raise click.ClickException(f"The input has no query {sorted(left)[0]!r}. Check its query_id.")


def _in_one_line(text: str) -> str:
    return " ".join(text.split())


def _check(given: dict[str, Any]) -> None:
    if given["statistics"] is not None and any(given[name] for name in IN_STATISTICS):
        raise click.UsageError(
            "--statistics replace the log, links and pages: leave out --clicks, --links, --pages, --collection and "
            "their options."
        )
    if given["features"] is not None and any(given[name] for name in (*OWN, "urlmr", "statistics")):
        raise click.UsageError("--features replaces --results and the other sources: give one or the other.")
    if given["features"] is not None and (given["batch"] is not None or given["strict"]):
        raise click.UsageError("--batch and --strict are for --results: leave them out with --features.")
    if given["features"] is None and not given["results"]:
        raise click.UsageError("Missing option '--results', or '--features' for features computed earlier.")


@contextmanager
def _rows(
    model: "IntentModel", quiet: bool, given: dict[str, Any], only: tuple[str, ...] | None = None
) -> "Iterator[Iterator[FeatureRow]]":
    """Yield the features of the queries one by one; the rows of a table are read lazily."""
    from glassrank.data.csv_dialect import CsvText
    from glassrank.files.input_files import open_input
    from glassrank.studies.intent.model import rows_of_results, rows_of_table

    name, batch = given.pop("features"), given.pop("batch")
    if name is None:
        sources = _sources(model, quiet, given)
        report = partial(note, quiet=quiet)
        yield rows_of_results(sources, batch or BATCH, only=only, strict=given["strict"], note=report)
        return
    if name == STDIN:
        stdin: Any = sys.stdin.buffer  # whose declared type lacks read1
        yield rows_of_table(CsvText(stdin, ",", "stdin"), model.needed, "stdin")
        return
    with open_input(name) as file:
        yield rows_of_table(CsvText(file, ",", name), model.needed, name)


def _sources(model: "IntentModel", quiet: bool, given: dict[str, Any]) -> "IntentSources":
    """Read the sources, with the settings of the features that the model was trained with."""
    agreed = model.agreed(given["language"], given["trusted_hosts"] or None, given["urlmr"])
    if model.settings is None:
        note("The model file has no language and trusted hosts: give those that it was trained with.", quiet)
    own = {"language": agreed.language, "trusted_hosts": agreed.trusted_hosts or (), "urlmr": agreed.urlmr}
    sources = read_sources(quiet, **given | own)
    note_other_log(model, sources)
    return sources


def note_other_log(model: "IntentModel", sources: "IntentSources") -> None:
    """Warn on stderr, also with --quiet, if the log is unlike that of the training."""
    warning = model.warning_about(sources)
    if warning is not None:
        note(warning)
