"""``glassrank distill``: find authorities and hubs for a broad query; study and judge the methods."""

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from glassrank.cli.console import PlainGroup, json_option, note, progress_bar, quiet_option, show, working
from glassrank.cli.topics.collection_options import collection_options, pop_reading, read_collection
from glassrank.cli.topics.distill_options import METHODS, OF_LARGEST, distill_options

if TYPE_CHECKING:
    from glassrank.data.collection import Collection
    from glassrank.distillation.compare_distillers import ComparedDistillers
    from glassrank.distillation.distilled import Distilled

PICTURES = (".html", ".svg", ".png", ".pdf")
TABLES = (".csv", ".json")
DEFAULT = "find"
# Commands of the group that are defined in other files.
ELSEWHERE = {
    "agreement": "glassrank.cli.topics.distill_agreement",
    "build": "glassrank.cli.topics.distill_collection",
    "info": "glassrank.cli.topics.distill_collection",
    "judge": "glassrank.cli.topics.distill_judge",
    "study": "glassrank.cli.topics.distill_study",
}


class DistillGroup(PlainGroup):
    """A group with a default command, whose name may be left out."""

    elsewhere = ELSEWHERE

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # An argument that is neither a command nor --help is a collection: `glassrank distill pages.tar --query …`.
        if args and args[0] not in (*self.list_commands(ctx), *ctx.help_option_names):
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)


@click.group(cls=DistillGroup)
def distill() -> None:
    """Find the best authorities and hubs of a collection of pages for a broad query.

    \b
    glassrank distill COLLECTION --query "zen buddhism"

    The default command is `find`. Its options: glassrank distill find --help.
    """


@distill.command(DEFAULT, short_help="List authorities and hubs with reasons.")
@click.argument("collection", metavar="COLLECTION", type=click.Path(path_type=Path))
@click.option("--query", metavar="WORDS", help="Topic to find pages about.")
@click.option(
    "--queries",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Many topics instead, one per line or CSV row: print a TREC run, or write it to --output.",
)
@click.option("--method", type=click.Choice(METHODS), default=METHODS[0], show_default=True, help="Ranking method.")
@click.option("--compare", is_flag=True, help="Rank the same pages by every method, side by side.")
@click.option(
    "--root",
    "root_file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Read the root set from FILE: one URL per line, best first, or a TREC run with --run-query. "
    "With --root-size, only the first of them are used.",
)
@click.option("--run-query", metavar="ID", help="Query of the TREC run in --root.")
@distill_options
@click.option(
    "--output",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write an interactive page (.html), a picture (.svg, .png, .pdf), all pages (.csv) or the lists (.json).",
)
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@collection_options
@json_option
@quiet_option
def find(
    collection: Path,
    query: str | None,
    queries: Path | None,
    method: str,
    compare: bool,
    root_file: Path | None,
    run_query: str | None,
    output: Path | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """List the best authorities and hubs of COLLECTION for a query, with reasons.

    COLLECTION is a folder or tar file of HTML files, a WARC file or a folder of them, a folder with tables of pages and
    links, or a collection built earlier. It is built on first use and stored.
    """
    _check_query(query, queries, compare, root_file, as_json)
    _check_output(output, force, queries is not None)
    _check_options(root_file, run_query, options)
    if query is None:
        _find_many(collection, queries, method, output, quiet, options)
        return
    pages = read_collection(collection, quiet, language=options["language"], **pop_reading(options))
    options["root"] = None if root_file is None else _root_set(root_file, run_query, pages)
    found: Distilled | ComparedDistillers
    with working("Distilling …", quiet):
        if compare:
            from glassrank.distillation.compare_distillers import compare_distillers

            found = compare_distillers(pages, query, **options)
        else:
            from glassrank.distillation.distill import distill as run

            found = run(pages, query, method, **options)
    for line in found.widened:
        note(line, quiet)
    show(found.to_json() if as_json else str(found), data=as_json)
    if output is not None:
        _write(found, output)
        note(f"Wrote {output}.", quiet)


def _find_many(
    collection: Path, queries: Path | None, method: str, output: Path | None, quiet: bool, options: dict[str, Any]
) -> None:
    """Distil every query of a file, and print or write a TREC run."""
    from glassrank.data.trec import format_run, save_run
    from glassrank.studies.distillation.batch import distill_topics
    from glassrank.studies.distillation.topics import load_topics

    topics = load_topics(queries or "")
    pages = read_collection(collection, quiet, language=options["language"], **pop_reading(options))
    with progress_bar(quiet) as progress:
        run = distill_topics(
            pages, topics, method, options=options, note=lambda text: note(text, quiet), progress=progress
        )
    if output is None:
        show(format_run(run), data=True, nl=False)
        return
    save_run(run, output)
    note(f"Wrote {output}.", quiet)


def _check_query(query: str | None, queries: Path | None, compare: bool, root_file: Path | None, as_json: bool) -> None:
    if query is None and queries is None:
        raise click.UsageError("Missing option '--query'. Give many queries with --queries.")
    single = {"--query": query is not None, "--compare": compare, "--root": root_file is not None, "--json": as_json}
    if queries is not None and any(single.values()):
        given = next(name for name, is_given in single.items() if is_given)
        raise click.UsageError(f"{given} is for one query, and --queries prints a TREC run: give one of them.")


def _check_output(output: Path | None, force: bool, many: bool) -> None:
    if output is None:
        return
    known = (*PICTURES, *TABLES)
    if many and output.suffix in known:
        raise click.UsageError(f"--queries writes a TREC run: expected a name such as run.txt, got {output}.")
    if not many and output.suffix not in known:
        raise click.UsageError(f"--output must end in one of {', '.join(known)}: got {output}.")
    if output.exists() and not force:
        raise click.ClickException(f"{output} already exists. Choose another name, or overwrite it with --force.")


def _check_options(root_file: Path | None, run_query: str | None, options: dict[str, Any]) -> None:
    if root_file is None and run_query is not None:
        raise click.UsageError("--run-query selects a query of a TREC run: give the run with --root.")
    if options["text_rows"] == "raw" and options["kernel"] != "raw":
        raise click.UsageError(f"--text-rows raw requires --kernel raw: got --kernel {options['kernel']}.")
    if options["fraction"] is not None and options["threshold"] != OF_LARGEST:
        raise click.UsageError(f"--fraction requires --threshold {OF_LARGEST}: got {options['threshold']}.")


def _root_set(path: Path, run_query: str | None, pages: "Collection") -> list[str]:
    from glassrank.files.atomic_files import read_bytes

    if run_query is None:
        lines = read_bytes(path).decode("utf-8", "replace").splitlines()
        return [line.strip() for line in lines if line.strip()]
    from glassrank.data.trec import load_run
    from glassrank.studies.distillation.topics import addresses_of

    return addresses_of(load_run(path).ranked(run_query), pages)


def _write(found: "Distilled | ComparedDistillers", output: Path) -> None:
    from glassrank.files.atomic_files import write_atomically

    if output.suffix in PICTURES:
        found.chart().save(output)
    elif output.suffix == ".json":
        write_atomically(output, found.to_json().encode())
    else:
        columns = found.columns()
        text = io.StringIO()
        csv.writer(text).writerows([columns, *zip(*columns.values(), strict=True)])
        write_atomically(output, text.getvalue().encode())
