"""Options for reading a judgement list."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from glassrank.cli.console import note, working
from glassrank.cli.inputs import input_file

if TYPE_CHECKING:
    from glassrank.data.judgements.judgements import Judgements

# Repeated here, so that --help need not import glassrank.data, which loads numpy.
JUDGEMENT_FORMATS = ("quepid", "quepid-ltr", "trec", "rre", "workbench", "csv", "tsv", "parquet")
RULES = ("median", "highest", "lowest", "error")
_OPTIONS = (
    click.option(
        "--judgement-format", type=click.Choice(JUDGEMENT_FORMATS), help="Format of the judgements. Default: detected."
    ),
    click.option("--query-column", "query", metavar="NAME", help="Column of a table with the query. Default: query."),
    click.option(
        "--document-column",
        "document",
        metavar="NAME",
        help="Column of a table with the document. Default: doc_id, docid, doc or document.",
    ),
    click.option(
        "--grade-column",
        "grade",
        metavar="NAME",
        help="Column of a table with the grade. Default: grade, rating or label.",
    ),
    click.option("--queries", metavar="FILE", type=input_file, help="Texts of the queries in TREC qrels."),
    click.option(
        "--conflict",
        type=click.Choice(RULES),
        default="error",
        show_default=True,
        help="Which of different grades of a document for a query counts.",
    ),
)


def judgement_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of judgements; the command passes them to ``read_judgements``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_judgements(
    path: Path,
    quiet: bool,
    *,
    judgement_format: str | None,
    query: str | None,
    document: str | None,
    grade: str | None,
    queries: Path | None,
    conflict: str,
) -> "Judgements":
    """Load judgements, and note what was merged or left out."""
    from glassrank.data.judgements.load_judgements import load_judgements

    with working(f"Reading {path} …", quiet):
        found = load_judgements(
            path,
            judgement_format,
            query=query or "auto",
            document=document or "auto",
            grade=grade or "auto",
            queries=queries,
            conflict=conflict,
        )
    note(f"{path}: {found}", quiet)
    return found
