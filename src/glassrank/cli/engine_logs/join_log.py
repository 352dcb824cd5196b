"""``glassrank data join``: judgements and a feature log as one table to train on."""

from pathlib import Path
from typing import Any

import click

from glassrank.cli.console import PlainCommand, json_option, note, quiet_option, show, working
from glassrank.cli.engine_logs.judgement_options import judgement_options, read_judgements
from glassrank.cli.inputs import input_file
from glassrank.cli.output_file import check_new
from glassrank.cli.written_data import (
    force_option,
    free_target,
    number_option,
    numbered,
    target_file,
    target_format,
    write_data,
)

# Repeated here, so that --help need not import glassrank.data, which loads numpy.
LOG_FORMATS = ("solr", "opensearch")


@click.command(cls=PlainCommand, short_help="Join judgements with features that a search engine has logged.")
@click.argument("judgements", metavar="JUDGEMENTS", type=input_file)
@click.argument("log", metavar="LOG", type=str)
@click.argument("out", metavar="OUT", type=target_file)
@judgement_options
@click.option("--log-format", type=click.Choice(LOG_FORMATS), help="Engine that wrote LOG. Default: detected.")
@click.option(
    "--query-parameter",
    metavar="NAME",
    default="q",
    show_default=True,
    help="Parameter in the header of Solr's response that is the query.",
)
@click.option("--query-from-name", is_flag=True, help="The name of each file of LOG is its query.")
@click.option(
    "--document-field", metavar="NAME", help="Field of LOG that identifies documents. Default: id in Solr, or _id."
)
@click.option(
    "--log-field", metavar="NAME", help="Field with the features in Solr, or name of the log. Default: [features]."
)
@click.option("--sparse", is_flag=True, help="Solr has left out features that have their default value.")
@click.option(
    "--feature-store", metavar="FILE", type=input_file, help="Feature store with the defaults of a sparse log (JSON)."
)
@click.option("--fill", metavar="NUMBER", type=float, help="Value of features without one. Default: missing.")
@click.option("--mismatches", metavar="FILE", type=target_file, help="Also write what does not match to FILE (CSV).")
@target_format
@number_option
@force_option
@json_option
@quiet_option
def join(
    judgements: Path,
    log: str,
    out: Path,
    log_format: str | None,
    query_parameter: str,
    query_from_name: bool,
    document_field: str | None,
    log_field: str | None,
    sparse: bool,
    feature_store: Path | None,
    fill: float | None,
    mismatches: Path | None,
    target: str | None,
    number_queries: bool,
    force: bool,
    as_json: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Join the grades in JUDGEMENTS with the features in LOG into ranking data in OUT.

    LOG is a file of saved responses of Solr, OpenSearch or Elasticsearch, a folder of such files, or a pattern in
    quotes. Rows match if the text of the query and the document are the same. What does not match is counted and named.
    """
    chosen = free_target(out, target, force)
    check_new(mismatches, force)
    from glassrank.data.feature_logs.join_judgements import join_judgements
    from glassrank.data.feature_logs.load_feature_log import load_feature_log

    judged = read_judgements(judgements, quiet, **reading)
    with working(f"Reading {log} …", quiet):
        logged = load_feature_log(
            log,
            log_format,
            query_parameter=query_parameter,
            query_from_name=query_from_name,
            document=document_field,
            field=log_field,
            sparse=sparse,
            feature_store=feature_store,
            missing="keep" if fill is None else fill,
        )
    note(f"{log}: {logged}", quiet)
    joined = join_judgements(logged, judged)
    note(str(joined), quiet)
    write_data(numbered(joined.data, quiet) if number_queries else joined.data, out, chosen, quiet)
    if mismatches is not None:
        joined.save_mismatches(mismatches)
    if as_json:
        show(joined.to_json(), data=True)
