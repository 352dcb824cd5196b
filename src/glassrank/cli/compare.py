"""``glassrank compare``: compare rankings of the same documents."""

from pathlib import Path
from typing import Any

import click

from glassrank.cli.console import PlainCommand, json_option, note, quiet_option, show, working
from glassrank.cli.error_wording import in_options
from glassrank.cli.inputs import input_file, named_columns, read_data, unweighted_input_options
from glassrank.core.wording import counted

# Repeated here, so that --help need not import glassrank.metrics, which loads numpy.
CONVENTIONS = ("letor", "letor4", "standard", "trec", "xgboost", "lightgbm", "sklearn")


def parse_systems(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, Path]:
    """Return name → file of arguments such as bm25=bm25.txt."""
    systems: dict[str, Path] = {}
    for value in values:
        name, equals, path = value.partition("=")
        if not (name and equals and path):
            raise click.BadParameter(f"expected NAME=FILE, such as bm25=bm25.txt, got {value!r}.")
        if name in systems:
            raise click.BadParameter(f"the name {name!r} appears twice.")
        systems[name] = Path(path)
    return systems


def _parse_measures(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    from glassrank.core.checks import DataError
    from glassrank.metrics.measures import parse_measures

    try:
        return tuple(measure.text for measure in parse_measures(values))
    except DataError as error:
        raise click.BadParameter(in_options(error, ctx)) from error


@click.command(cls=PlainCommand)
@click.argument("judgements", metavar="JUDGEMENTS", type=input_file)
@click.argument("systems", metavar="NAME=SCORES...", nargs=-1, required=True, callback=parse_systems)
@click.option("--trec", is_flag=True, help="JUDGEMENTS is a TREC qrels file, and SCORES are TREC runs.")
@click.option(
    "--measure",
    "measures",
    multiple=True,
    default=["ndcg@10"],
    show_default=True,
    callback=_parse_measures,
    help="Measure to compare by, such as map or p@5. Repeatable.",
)
@click.option("--baseline", metavar="NAME", help="Ranking to compare with. Default: the first.")
@click.option(
    "--convention",
    type=click.Choice(CONVENTIONS),
    help="Convention of the measures. Default: standard; with --trec, trec.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed for resampling.")
@unweighted_input_options
@json_option
@quiet_option
def compare(
    judgements: Path,
    systems: dict[str, Path],
    trec: bool,
    measures: tuple[str, ...],
    baseline: str | None,
    convention: str | None,
    seed: int,
    as_json: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Compare rankings of the same documents and report which differences are significant.

    JUDGEMENTS is a file of ranking data. Each SCORES file contains one number per row of it; higher is better. With
    --trec, they are TREC judgements and runs.

    With --json: a list with one comparison per measure.
    """
    if baseline is not None and baseline not in systems:
        raise click.UsageError(f"--baseline must be one of {', '.join(systems)}: got {baseline!r}.")
    convention = convention or ("trec" if trec else "standard")
    if trec:
        _check_trec_options(convention, reading)
        rows = _judged_runs(judgements, systems, quiet)
    else:
        rows = _scored_rows(judgements, systems, quiet, reading)
    from glassrank.metrics.compare import compare as compare_systems

    settings: dict[str, Any] = {"baseline": baseline, "convention": convention, "random_state": seed}
    with working("Comparing …", quiet):
        found = [compare_systems(**rows, measure=measure, **settings) for measure in measures]
    if as_json:
        show(f"[{', '.join(one.to_json() for one in found)}]", data=True)
    else:
        show("\n\n".join(map(str, found)))


def _scored_rows(judgements: Path, systems: dict[str, Path], quiet: bool, reading: dict[str, Any]) -> dict[str, Any]:
    from glassrank.data.scores import load_scores

    data = read_data(judgements, quiet, **reading)
    scores = {name: load_scores(path, data.n_rows) for name, path in systems.items()}
    return {"systems": scores, "y": data.y, "qid": data.qid, "doc_ids": data.doc_ids}


def _check_trec_options(convention: str, reading: dict[str, Any]) -> None:
    from glassrank.metrics.conventions import CONVENTIONS as KNOWN

    if reading["source_format"] or reading["feature_names"] or named_columns(reading):
        raise click.UsageError("--trec fixes the file format: leave out --from and the options of columns and names.")
    if KNOWN[convention].ties == "file order":
        possible = [name for name, known in KNOWN.items() if known.ties != "file order"]
        raise click.UsageError(
            f"Convention {convention} breaks ties by the order in one file, but runs are separate files. "
            f"With --trec use {', '.join(possible)}."
        )


def _judged_runs(judgements: Path, systems: dict[str, Path], quiet: bool) -> dict[str, Any]:
    from glassrank.data.judged_runs import judge_runs
    from glassrank.data.trec import load_qrels, load_run

    with working(f"Reading {judgements} and {len(systems)} runs …", quiet):
        judged = judge_runs({name: load_run(path) for name, path in systems.items()}, load_qrels(judgements))
    for name, run in judged.joined.items():
        if run.unjudged_queries:
            left_out = counted(len(run.unjudged_queries), "query", "queries")
            note(f"{name}: left out {left_out} without judgements.", quiet)
        if run.unretrieved_queries:
            unanswered = counted(len(run.unretrieved_queries), "judged query", "judged queries")
            note(f"{name}: {unanswered} without a document in this run.", quiet)
    return {"systems": judged.scores, "y": judged.y, "qid": judged.qid, "doc_ids": judged.doc_ids}
