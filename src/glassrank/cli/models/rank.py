"""``glassrank rank``: score and rank documents with a saved model."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from glassrank.cli.console import PlainCommand, json_option, note, quiet_option, show, working
from glassrank.cli.inputs import input_file, open_folder, unweighted_input_options
from glassrank.cli.models.match_to_model import by_position_option, check_by_position, read_for_model
from glassrank.cli.models.ranked_lists import WRITERS
from glassrank.cli.output_file import check_new
from glassrank.core.wording import counted

if TYPE_CHECKING:
    from glassrank.data.ranking_data import RankingData

LAYOUTS = ("scores", "trec", "table")


@click.command(cls=PlainCommand)
@click.argument("model", metavar="MODEL", type=input_file)
@click.argument("data", metavar="DATA", type=input_file)
@click.option(
    "--format",
    "layout",
    type=click.Choice(LAYOUTS),
    help="One score per row, a TREC run, or a readable table. Default: scores.",
)
@click.option("--top", metavar="K", type=click.IntRange(1), help="Only the K best documents of each query.")
@click.option(
    "--output", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help="Write to FILE instead of stdout."
)
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@unweighted_input_options
@by_position_option
@json_option
@quiet_option
def rank(
    model: Path,
    data: Path,
    layout: str | None,
    top: int | None,
    output: Path | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Score the documents in DATA with the model in MODEL. Higher scores rank first.

    DATA is a file, or a folder of blocks from glassrank data partition, which is scored block by block. Features are
    matched by name. If the model has no feature names, a table needs --by-position. Labels are optional.

    With --json: the ranked documents of each query.
    """
    chosen = _layout(layout, top, as_json)
    check_new(output, force)
    from glassrank.modelfile.load_ranker import read_ranker
    from glassrank.studies.ranking.score_documents import score_documents

    saved = read_ranker(model)
    check_by_position(reading, saved)
    folder = open_folder([data], reading)
    if folder is not None:
        from glassrank.cli.models.rank_blocks import rank_blocks

        rank_blocks(folder, saved, chosen, top, output, by_position=reading["by_position"], quiet=quiet)
        return
    found = read_for_model(data, saved, quiet, reading, judged=False)
    if not saved.scores_documents:
        note("The model compares pairs: a score is the number of documents of the query that rank below.", quiet)
    from glassrank.core.checks import within

    with working("Scoring …", quiet), within(data):
        scores = score_documents(saved, found)
    text = WRITERS[chosen](found, scores, top)
    if output is None:
        show(text, data=chosen != "table", nl=False)
    else:
        _write(output, text, found, quiet)


def _layout(layout: str | None, top: int | None, as_json: bool) -> str:
    if as_json and layout is not None:
        raise click.UsageError("--json replaces --format: leave out one of them.")
    chosen = "json" if as_json else layout or "scores"
    if top is not None and chosen == "scores":
        raise click.UsageError(
            "--top needs --format trec, --format table or --json: --format scores prints all rows in the order of DATA."
        )
    return chosen


def _write(output: Path, text: str, found: "RankingData", quiet: bool) -> None:
    from glassrank.files.atomic_files import write_atomically

    with working(f"Writing {output} …", quiet):
        write_atomically(output, text.encode())
    rows, queries = counted(found.n_rows, "row", "rows"), counted(found.n_queries, "query", "queries")
    note(f"Wrote {output}: {rows}, {queries} ranked.", quiet)
