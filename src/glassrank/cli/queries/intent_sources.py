"""Options for the sources of query features: results, clicks, links, pages."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from glassrank.cli.console import note, progress_bar, working
from glassrank.cli.queries.log_options import (
    check_reading,
    log_settings,
    named_values,
    reading_options,
    result_settings,
    schema_option,
)

if TYPE_CHECKING:
    from glassrank.navigational.features.sources import IntentSources
    from glassrank.studies.intent.intents import Intents

# Repeated here, so that --help need not import the modules that define them, which load DuckDB.
SIZES = ("small", "demo", "seed")
URLMR = ("bare", "literal")
CLASSIFIERS = ("naive Bayes", "maximum entropy", "SVM linear", "SVM RBF", "boosting trees", "categorical naive Bayes")
# Parameters that give the user's own data.
OWN = (
    *("results", "clicks", "schema", "links", "pages", "collection", "language", "trusted_hosts"),
    *("log_columns", "actions", "time_format", "result_columns", "encoding", "bare_hosts"),
)
_file = click.Path(path_type=Path)
WEB_OPTIONS = (
    click.option("--links", type=_file, metavar="FILE", help="Table of links: source, target, anchor."),
    click.option("--pages", type=_file, metavar="FILE", help="Table of pages: url, title, text."),
    click.option(
        "--collection",
        type=_file,
        metavar="PATH",
        help="Pages and links together: a folder or tar file of HTML files, WARC files, or a folder with both tables.",
    ),
)
_OPTIONS = (
    click.option(
        "--results",
        "results",
        multiple=True,
        type=_file,
        metavar="FILE",
        help="Table of results: query_id, query, rank, url; optional score, engine, snippet. Repeatable.",
    ),
    click.option(
        "--clicks",
        "clicks",
        multiple=True,
        type=_file,
        metavar="FILE",
        help="Search log: OpenSearch UBI, ORCAS, AOL, or a table of events or of shown results. Repeatable.",
    ),
    schema_option,
    *WEB_OPTIONS,
    click.option(
        "--language",
        metavar="CODE",
        help="Language of the queries, such as en. Default for predict and explain: that of the model file.",
    ),
    click.option(
        "--trusted-host",
        "trusted_hosts",
        multiple=True,
        metavar="HOST",
        help="Trusted host, for the spam features. Repeatable. Default for predict and explain: those of the model "
        "file.",
    ),
    click.option(
        "--urlmr",
        type=click.Choice(URLMR),
        help="What the feature urlmr compares: query without spaces and address without scheme and www. (bare), or "
        "both as they are, as the paper words it (literal). Default: bare; for predict and explain, that of the model "
        "file.",
    ),
    click.option("--strict", is_flag=True, help="Stop at the first error in the input instead of counting errors."),
)


def source_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for sources; the command passes them to ``read_sources``."""
    command = reading_options(command)
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def labelled_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for labelled queries, from files or simulated; the command passes them to ``read_labelled``."""
    command = click.option(
        "--intents",
        type=_file,
        metavar="FILE",
        help="Table with query_id and label (CSV, TSV, Parquet). Labels: navigational (1), informational (0), or the "
        "names of more than two classes.",
    )(command)
    command = click.option(
        "--label-map",
        multiple=True,
        metavar="LABEL=CLASS",
        help="Class that a label of --intents means, to merge or rename classes. Repeatable.",
    )(command)
    command = source_options(command)
    command = click.option(
        "--languages",
        type=click.IntRange(1, 5),
        help="Number of languages of the simulated queries and pages, each with its own letters. Default: 1.",
    )(command)
    command = click.option(
        "--size",
        type=click.Choice(SIZES),
        help="Number of simulated queries: small (100), demo (400) or seed (2,102, as in the paper). Default: demo.",
    )(command)
    return click.option("--demo", is_flag=True, help="Use a simulated search log with known intents instead of files.")(
        command
    )


def check_labelled(demo: bool, size: str | None, intents: Path | None, given: dict[str, Any]) -> None:
    """Refuse incompatible options: simulated queries and files, or results without intents."""
    simulated = demo or size is not None
    if given["label_map"] and intents is None:
        raise click.UsageError("--label-map is for the labels of --intents: give --intents too.")
    if simulated and (intents is not None or any(given[name] for name in OWN)):
        raise click.UsageError("--demo and --size generate queries, clicks and intents: give no files.")
    if not simulated and not given["results"]:
        raise click.UsageError("Missing option '--results'. Without data of your own, try --demo.")
    if not simulated and intents is None:
        raise click.UsageError("Missing option '--intents'. Label queries in a table query_id,label.")
    if not simulated:
        refuse_languages(given)


def refuse_languages(given: dict[str, Any]) -> None:
    """Remove the option of simulated queries before files are read; if it has a value, refuse it."""
    if given.pop("languages") is not None:
        raise click.UsageError("--languages is for simulated queries: use it with --demo or --size.")


def read_labelled(
    size: str | None, intents: Path | None, seed: int, quiet: bool, given: dict[str, Any]
) -> "tuple[IntentSources, Intents]":
    """Return sources and intents: from files if intents are given, otherwise simulated."""
    label_map = named_values("--label-map", given.pop("label_map"))
    if intents is not None:
        from glassrank.studies.intent.intents import load_intents

        labels = load_intents(intents, label_map=label_map)
        return read_sources(quiet, **given), labels
    from glassrank.navigational.features.sources import IntentSources
    from glassrank.studies.intent.simulated_intents import known_intents, simulate_intents

    simulated = simulate_intents(size or "demo", languages=given["languages"] or 1, random_state=seed)
    note(str(simulated), quiet)
    web = simulated.web.collection
    sources = IntentSources(
        simulated.results, simulated.log, web.links, web.pages, simulated.language, urlmr=given["urlmr"] or URLMR[0]
    )
    return sources, known_intents(simulated)


def read_sources(
    quiet: bool,
    *,
    results: tuple[Path, ...],
    clicks: tuple[Path, ...],
    schema: str | None,
    links: Path | None,
    pages: Path | None,
    collection: Path | None,
    language: str | None,
    trusted_hosts: tuple[str, ...],
    urlmr: str | None,
    strict: bool,
    bare_hosts: bool,
    statistics: Path | None = None,
    **reading: Any,
) -> "IntentSources":
    """Read all sources; faults are counted and reported on stderr."""
    if not results:
        raise click.UsageError(
            "Missing option '--results'. Without data of your own, try: glassrank intent study --demo."
        )
    if language is not None and not language.strip():
        raise click.UsageError("--language must be a code such as en: got an empty one.")
    if schema is not None and not clicks:
        raise click.UsageError("--schema is the schema of a log: give the log with --clicks.")
    check_reading(reading | {"clicks": clicks})
    how, how_results = log_settings(reading), result_settings(reading)
    from glassrank.data.logs.load_results import load_results
    from glassrank.navigational.features.sources import IntentSources

    with working("Reading …", quiet):
        lists = load_results(list(results), strict=strict, **how_results)
    note(str(getattr(lists, "reading", lists)), quiet)
    if statistics is not None:
        from glassrank.navigational.statistics_folder import load_intent_statistics

        stored = load_intent_statistics(statistics)
        return stored.sources(lists, language=language, trusted_hosts=trusted_hosts or None, urlmr=urlmr or URLMR[0])
    log = clean_files(clicks, schema, quiet, strict, how) if clicks else None
    web = read_web(links, pages, collection, quiet, strict)
    return IntentSources(
        lists, log, *web, language, trusted_hosts or None, urlmr=urlmr or URLMR[0], bare_hosts=bare_hosts
    )


def clean_files(clicks: tuple[Path, ...], schema: str | None, quiet: bool, strict: bool, how: dict[str, Any]) -> Path:
    """Write the cleaned log to a temporary file while the command runs, because it may be larger than memory."""
    from glassrank.data.logs.load_log import clean_log

    out = Path(click.get_current_context().with_resource(TemporaryDirectory())) / "log.parquet"
    with working("Reading …", quiet):
        reading = clean_log(list(clicks), out, schema, strict=strict, **how)
    note(str(reading), quiet)
    return out


def read_web(
    links: Path | None, pages: Path | None, collection: Path | None, quiet: bool, strict: bool
) -> tuple[Any, Any]:
    """Read links and pages, None if not given; a fault in their tables is always an error."""
    if collection is not None and (links is not None or pages is not None):
        raise click.UsageError("--collection contains pages and links: leave out --pages and --links.")
    if collection is not None:
        from glassrank.data.web.open_collection import open_collection

        with progress_bar(quiet) as progress:
            found = open_collection(collection, strict=strict, progress=progress)
        note(str(found.reading), quiet)
        return found.links, found.pages
    from glassrank.data.collection import Links, Pages
    from glassrank.data.web.table_source import read_table

    given = ((Links, links), (Pages, pages))
    with working("Reading …", quiet):
        links_table, pages_table = (None if path is None else read_table(kind, path) for kind, path in given)
    return links_table, pages_table
