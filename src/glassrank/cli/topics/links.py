"""``glassrank links``: authorities and hubs of a graph of links without text."""

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

import click

from glassrank.cli.console import PlainCommand, json_option, note, progress_bar, quiet_option, show
from glassrank.cli.output_file import check_new
from glassrank.cli.spark_cluster import check_master, master_option, open_cluster

if TYPE_CHECKING:
    from glassrank.distillation.tables.table_result import TableScores

# Repeated here, so that --help need not import the modules that define them, which load numpy.
METHODS = ("hits", "bharat-henzinger", "pagerank", "in-degree")
ENGINES = ("auto", "memory", "duckdb", "spark")
TABLES = (".csv", ".tsv", ".parquet", ".json")


@click.command(cls=PlainCommand)
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--method", type=click.Choice(METHODS), default=METHODS[0], show_default=True, help="Ranking method.")
@click.option("--source", metavar="COLUMN", default="source", show_default=True, help="Column of the linking pages.")
@click.option("--target", metavar="COLUMN", default="target", show_default=True, help="Column of the linked pages.")
@click.option("--no-header", "header", flag_value=False, default=True, help="The first line of FILE is a link.")
@click.option("--adjacency", is_flag=True, help="Each line of FILE is a page, followed by all pages that it links to.")
@click.option(
    "--pages",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Table of all pages, with the column page, and host and relevance for bharat-henzinger.",
)
@click.option("-k", "k", type=click.IntRange(1), default=10, show_default=True, help="Length of the lists.")
@click.option(
    "--damping",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.85,
    show_default=True,
    help="PageRank: probability of following a link.",
)
@click.option(
    "--tol", type=click.FloatRange(0, min_open=True), default=1e-10, show_default=True, help="Largest change."
)
@click.option("--max-iter", type=click.IntRange(1), default=1000, show_default=True, help="Largest number of passes.")
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="auto",
    show_default=True,
    help="Where to compute: auto takes memory for up to 20 million links, otherwise tables on disk.",
)
@master_option
@click.option(
    "--output",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write the scores of all pages (.csv, .tsv, .parquet) or the lists (.json).",
)
@click.option("--force", is_flag=True, help="Overwrite the output if it exists.")
@json_option
@quiet_option
@click.pass_context
def links(
    context: click.Context,
    /,
    file: Path,
    method: str,
    source: str,
    target: str,
    header: bool,
    adjacency: bool,
    pages: Path | None,
    k: int,
    damping: float,
    tol: float,
    max_iter: int,
    engine: str,
    master: str | None,
    output: Path | None,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """List the best authorities and hubs of the links in FILE.

    FILE is a table (.csv, .tsv, .parquet) with the columns source and target, or text with a source and a target per
    line, separated by tabs, blanks or a comma. Lines that begin with # or % are comments.
    """
    if output is not None and output.suffix not in TABLES:
        raise click.UsageError(f"--output must end in one of {', '.join(TABLES)}: got {output}.")
    check_master(engine, master)
    check_new(output, force)
    import warnings

    from sklearn.exceptions import ConvergenceWarning

    from glassrank.distillation.tables.score_links import score_links

    with progress_bar(quiet) as progress, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        scores = score_links(
            file,
            method,
            open_cluster(context, master) if engine == "spark" else engine,
            pages=pages,
            source=source,
            target=target,
            header=header,
            adjacency=adjacency,
            k=k,
            tol=tol,
            max_iter=max_iter,
            damping=damping,
            progress=progress,
        )
    if caught:
        note("The iteration stopped before the scores settled. Raise --max-iter, or --tol.", quiet)
    show(scores.to_json() if as_json else str(scores), data=as_json)
    if output is not None:
        _write(scores, output)
        note(f"Wrote {output}.", quiet)


def _write(scores: "TableScores", output: Path) -> None:
    from glassrank.files.atomic_files import write_atomically

    if output.suffix == ".parquet":
        scores.save(output)
    elif output.suffix == ".json":
        write_atomically(output, scores.to_json().encode())
    else:
        columns = scores.columns or {}
        text = io.StringIO()
        writer = csv.writer(text, delimiter="\t" if output.suffix == ".tsv" else ",", lineterminator="\n")
        writer.writerows([list(columns), *zip(*columns.values(), strict=True)])
        write_atomically(output, text.getvalue().encode())
