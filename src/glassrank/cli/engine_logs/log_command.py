"""``glassrank data log-features``: ask a running search engine for the features of judged documents."""

from pathlib import Path
from typing import Any

import click

from glassrank.cli.console import PlainCommand, json_option, progress_bar, quiet_option, show
from glassrank.cli.engine_logs.engine_options import engine_options, read_parameters
from glassrank.cli.engine_logs.join_log import LOG_FORMATS
from glassrank.cli.engine_logs.judgement_options import judgement_options, read_judgements
from glassrank.cli.inputs import input_file
from glassrank.cli.written_data import target_file


@click.command(cls=PlainCommand, short_help="Log the features of judged documents in a running search engine.")
@click.argument("url", metavar="URL")
@click.argument("out", metavar="OUT", type=target_file)
@click.option(
    "--engine",
    type=click.Choice(LOG_FORMATS),
    required=True,
    help="Search engine. Use opensearch for Elasticsearch, too.",
)
@click.option("--features", metavar="NAME", required=True, help="Feature store of Solr, or feature set of OpenSearch.")
@click.option(
    "--judgements", metavar="FILE", type=input_file, required=True, help="Judgement list, whose documents are logged."
)
@judgement_options
@engine_options
@click.option(
    "--batch", type=click.IntRange(1, 1000), default=1000, show_default=True, help="Documents per request, at most."
)
@json_option
@quiet_option
def log_features(
    url: str,
    out: Path,
    judgements: Path,
    parameters: tuple[str, ...],
    document_field: str | None,
    engine: str,
    features: str,
    text_parameter: str,
    batch: int,
    timeout: float,
    as_json: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Ask the engine at URL for the features of all judged documents, and write its answers to OUT (JSON lines).

    URL is a core of Solr, such as http://localhost:8983/solr/shop, or an index of OpenSearch or Elasticsearch. If OUT
    exists, the command resumes. Credentials are taken from the environment variables GLASSRANK_ENGINE_USER and
    GLASSRANK_ENGINE_PASSWORD, or GLASSRANK_ENGINE_API_KEY.
    """
    given = read_parameters(parameters)
    from glassrank.data.live_engine.logging_job import log_features as run

    judged = read_judgements(judgements, quiet, **reading)
    with progress_bar(quiet) as progress:
        report = run(
            url,
            judged,
            out,
            engine=engine,
            features=features,
            text_parameter=text_parameter,
            parameters=given,
            document=document_field,
            batch=batch,
            timeout=timeout,
            progress=progress,
        )
    show(report.to_json() if as_json else str(report), data=as_json)
