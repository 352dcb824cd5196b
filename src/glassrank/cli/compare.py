"""``glassrank compare``: compare rankings of the same documents."""

from pathlib import Path
from typing import Any

import click

from glassrank.cli.console import PlainCommand, json_option, note, quiet_option, show, working
from glassrank.cli.error_wording import in_options
from glassrank.cli.inputs import input_file, named_columns, open_folder, read_data, unweighted_input_options
from glassrank.cli.models.match_to_model import by_position_option, check_by_position
from glassrank.cli.number_types import PositiveNumber
from glassrank.cli.output_file import check_picture
from glassrank.core.wording import counted
from glassrank.studies.study_options import CONVENTIONS


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
@click.argument("systems", metavar="NAME=SCORES...", nargs=-1, callback=parse_systems)
@click.option(
    "--model",
    "models",
    metavar="FILE",
    multiple=True,
    type=input_file,
    help="Saved model that ranks the documents of JUDGEMENTS. Give two instead of NAME=SCORES.",
)
@click.option(
    "--output",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write the comparison of two models: .html, .svg, .png or .pdf.",
)
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@click.option("--trec", is_flag=True, help="JUDGEMENTS is a TREC qrels file, and SCORES are TREC runs.")
@click.option(
    "--measure",
    "measures",
    multiple=True,
    default=["ndcg@10"],
    show_default=True,
    callback=_parse_measures,
    help="Measure to compare by, such as map, p@5 or, for labels of at least 2, map(rel=2). Repeatable.",
)
@click.option("--baseline", metavar="NAME", help="Ranking to compare with. Default: the first.")
@click.option(
    "--convention",
    type=click.Choice((*CONVENTIONS, "trec")),
    help="Convention of the measures. Default: standard; with --trec, trec.",
)
@click.option(
    "--margin",
    type=PositiveNumber((), whole=False),
    help="Largest difference with which a ranking is as good as the baseline. Default: none.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed for resampling.")
@unweighted_input_options
@by_position_option
@json_option
@quiet_option
def compare(
    judgements: Path,
    systems: dict[str, Path],
    models: tuple[Path, ...],
    output: Path | None,
    force: bool,
    trec: bool,
    measures: tuple[str, ...],
    baseline: str | None,
    convention: str | None,
    margin: float | None,
    seed: int,
    as_json: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Compare rankings of the same documents, and say which is better, worse, as good or undecided.

    JUDGEMENTS is a file of ranking data, or a folder of blocks from glassrank data partition. Each SCORES file contains
    one number per row of it; higher is better. With --trec, they are TREC judgements and runs.

    With --model twice, compares two saved models on the documents in JUDGEMENTS: which queries change, which pairs of
    documents change their order, and which features cause it.

    With --json: a list with one comparison per measure.
    """
    _check_model_options(systems, models, output, trec, baseline, measures)
    check_picture(output, force)
    if models:
        if judgements.is_dir():
            raise click.UsageError(
                "--model needs a file of documents: score a folder of blocks with each model by glassrank rank, and "
                "compare the scores."
            )
        from glassrank.cli.models.compare_files import compare_model_files

        chosen = {"convention": convention or "standard", "margin": margin, "random_state": seed}
        compare_model_files(judgements, models, measures, output, chosen, reading, as_json=as_json, quiet=quiet)
        return
    check_by_position(reading)
    if baseline is not None and baseline not in systems:
        raise click.UsageError(f"--baseline must be one of {', '.join(systems)}: got {baseline!r}.")
    convention = convention or ("trec" if trec else "standard")
    if trec:
        _check_trec_options(convention, reading)
        rows = _judged_runs(judgements, systems, quiet)
    else:
        rows = _scored_rows(judgements, systems, quiet, reading)
    from glassrank.metrics.compare import compare as compare_systems

    settings: dict[str, Any] = {"baseline": baseline, "convention": convention, "margin": margin, "random_state": seed}
    with working("Comparing …", quiet):
        found = [compare_systems(**rows, measure=measure, **settings) for measure in measures]
    if as_json:
        show(f"[{', '.join(one.to_json() for one in found)}]", data=True)
    else:
        show("\n\n".join(map(str, found)))


def _check_model_options(
    systems: dict[str, Path],
    models: tuple[Path, ...],
    output: Path | None,
    trec: bool,
    baseline: str | None,
    measures: tuple[str, ...],
) -> None:
    if not models:
        if not systems:
            raise click.UsageError("Missing argument 'NAME=SCORES...': name the rankings, or give two models: --model.")
        if output is not None:
            raise click.UsageError("--output needs two models: --model.")
        return
    if systems or trec or baseline is not None:
        raise click.UsageError("--model compares two models: leave out NAME=SCORES, --trec and --baseline.")
    if len(models) != 2:
        raise click.UsageError(f"--model must be given twice: got {counted(len(models), 'model')}.")
    if output is not None and len(measures) > 1:
        raise click.UsageError("--output shows one measure: give --measure once.")


def _scored_rows(judgements: Path, systems: dict[str, Path], quiet: bool, reading: dict[str, Any]) -> dict[str, Any]:
    from glassrank.data.scores import load_scores

    folder = open_folder([judgements], reading)
    if folder is not None:
        lists = folder.judged_lists()
        return {"systems": {name: load_scores(path, len(lists["y"])) for name, path in systems.items()}, **lists}
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
