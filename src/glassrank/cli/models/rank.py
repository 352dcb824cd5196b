"""``glassrank rank``: score and rank documents with a saved model."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from glassrank.cli.console import PlainCommand, json_option, note, quiet_option, show, working
from glassrank.cli.inputs import input_file, unweighted_input_options
from glassrank.cli.models.match_to_model import read_for_model
from glassrank.cli.output_file import check_new
from glassrank.core.wording import counted

if TYPE_CHECKING:
    from glassrank.core.checks import FloatArray
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

    Features are matched by name, or by position if the model has no feature names. Labels are optional.

    With --json: the ranked documents of each query.
    """
    chosen = _layout(layout, top, as_json)
    check_new(output, force)
    from glassrank.modelfile.load_ranker import read_ranker
    from glassrank.studies.ranking.score_documents import score_documents

    saved = read_ranker(model)
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


def _best_first(
    found: "RankingData", scores: "FloatArray", top: int | None, by_document: bool = False
) -> tuple[Any, Any]:
    """Rows query by query, best first, and their ranks; ties stay in the order of the data or sort by document id."""
    import numpy as np

    keys = [-scores, found.groups.of_row]
    if by_document:
        keys.insert(0, -np.unique(found.doc_ids, return_inverse=True)[1])
    rows = np.lexsort(keys)
    ranks = np.arange(len(rows)) - np.repeat(found.groups.starts[:-1], found.groups.sizes) + 1
    kept = slice(None) if top is None else ranks <= top
    return rows[kept], ranks[kept]


def _as_scores(found: "RankingData", scores: "FloatArray", top: int | None) -> str:
    return "\n".join(map(repr, scores.tolist())) + "\n"


def _as_trec(found: "RankingData", scores: "FloatArray", top: int | None) -> str:
    from glassrank.data.trec import Run, save_run

    if found.doc_ids is None:
        raise click.ClickException(
            "A TREC run needs document identifiers, which the data do not have. Name their column with "
            "--document-column, or choose another --format."
        )
    # Break ties as trec_eval does, so that --top cuts at the same place.
    rows, _ = _best_first(found, scores, top, by_document=True)
    with TemporaryDirectory(prefix="glassrank-") as folder:
        save_run(Run(found.qid[rows], found.doc_ids[rows], scores[rows]), Path(folder, "run"))
        return Path(folder, "run").read_text(encoding="utf-8")


def _as_table(found: "RankingData", scores: "FloatArray", top: int | None) -> str:
    rows, ranks = _best_first(found, scores, top)
    columns = {
        "query": [str(query) for query in found.qid[rows].tolist()],
        "rank": [str(rank) for rank in ranks.tolist()],
        "row": [str(row) for row in rows.tolist()],
        "score": [f"{score:.6g}" for score in scores[rows].tolist()],
    }
    if found.doc_ids is not None:
        columns["document"] = found.doc_ids[rows].tolist()
    widths = [max(map(len, [name, *values])) for name, values in columns.items()]
    lines = zip(*([name, *values] for name, values in columns.items()), strict=True)
    return "".join(
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip() + "\n" for line in lines
    )


def _as_json(found: "RankingData", scores: "FloatArray", top: int | None) -> str:
    rows, ranks = _best_first(found, scores, top)
    queries: dict[Any, list[dict[str, Any]]] = {query: [] for query in found.groups.ids.tolist()}
    entries = zip(found.qid[rows].tolist(), rows.tolist(), ranks.tolist(), scores[rows].tolist(), strict=True)
    for query, row, rank_of_row, score in entries:
        entry = {"rank": rank_of_row, "row": row, "score": score}
        if found.doc_ids is not None:
            entry["document"] = str(found.doc_ids[row])
        queries[query].append(entry)
    ranked = [{"query": query, "documents": documents} for query, documents in queries.items()]
    return json.dumps(ranked) + "\n"


# Layout -> the function that formats rows and scores.
WRITERS = {"scores": _as_scores, "trec": _as_trec, "table": _as_table, "json": _as_json}


def _write(output: Path, text: str, found: "RankingData", quiet: bool) -> None:
    from glassrank.files.atomic_files import write_atomically

    with working(f"Writing {output} …", quiet):
        write_atomically(output, text.encode())
    rows, queries = counted(found.n_rows, "row", "rows"), counted(found.n_queries, "query", "queries")
    note(f"Wrote {output}: {rows}, {queries} ranked.", quiet)
