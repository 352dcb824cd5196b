"""Ranked documents as text: one score per row, a TREC run, a readable table, or JSON."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from glassrank.core.checks import FloatArray
    from glassrank.data.ranking_data import RankingData


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
