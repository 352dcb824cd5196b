"""Options of commands that send requests to a running search engine."""

from collections.abc import Callable
from typing import Any

import click


def engine_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the parameters of features, the field that identifies documents, and the time limit."""
    command = click.option(
        "--timeout",
        type=click.FloatRange(0.1, 86_400),
        default=60.0,
        show_default=True,
        help="Seconds to wait for an answer.",
    )(command)
    command = click.option(
        "--document-field", metavar="NAME", help="Field of Solr that identifies documents. Default: id."
    )(command)
    command = click.option(
        "--parameter",
        "parameters",
        multiple=True,
        metavar="NAME=VALUE",
        help="Parameter of the features with the same value for all queries. Repeatable.",
    )(command)
    return click.option(
        "--text-parameter",
        metavar="NAME",
        default="text",
        show_default=True,
        help="Parameter of the features that is the text of the query.",
    )(command)


def read_parameters(given: tuple[str, ...]) -> dict[str, str]:
    """Read ``NAME=VALUE``."""
    pairs = [text.partition("=") for text in given]
    for text, (name, equals, _) in zip(given, pairs, strict=True):
        if not name or not equals:
            raise click.UsageError(f"--parameter must be NAME=VALUE: got {text!r}.")
    found = {name: value for name, _, value in pairs}
    if len(found) < len(pairs):
        raise click.UsageError("--parameter names the same parameter twice: leave out one of them.")
    return found
