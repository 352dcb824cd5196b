"""Options for reading logs and result lists whose columns, actions, times or encoding differ from the usual ones."""

from collections.abc import Callable
from typing import Any

import click

# Repeated here, so that --help need not import the modules that define them, which load DuckDB.
SCHEMAS = ("aol", "orcas", "plain", "ubi", "wide")
TIME_FORMATS = ("seconds", "milliseconds", "day-first", "month-first")
ACTIONS = ("search", "impression", "click", "add_to_cart", "purchase")
# Arguments of the readers that are no columns.
_NO_COLUMNS = ("paths", "out", "schema", "strict", "actions", "longest_query", "encoding", "time_format")
# Options that need a log.
OF_LOG = {"log_columns": "--log-column", "actions": "--action", "time_format": "--time-format"}
schema_option = click.option(
    "--schema", type=click.Choice(SCHEMAS), help="Schema of the log. Default: detected from its columns."
)
bare_hosts_option = click.option(
    "--bare-hosts",
    is_flag=True,
    help="Read addresses without a scheme, such as www.walmart.com, as http:// addresses. AOL logs need no option.",
)
_LOG_OPTIONS = (
    click.option(
        "--log-column",
        "log_columns",
        multiple=True,
        metavar="COLUMN=NAME",
        help="Name of a column in the log, such as url=address; session= ignores a column. Repeatable.",
    ),
    click.option(
        "--action",
        "actions",
        multiple=True,
        metavar="NAME=ACTION",
        help=f"Action of the log that means {', '.join(ACTIONS[:-1])} or {ACTIONS[-1]}, such as view=impression. "
        "Repeatable.",
    ),
    click.option(
        "--time-format",
        type=click.Choice(TIME_FORMATS),
        help="Times of the log that are not ISO 8601: numbers since 1970, or dates such as 31/12/2006 23:59 "
        "(day-first). Default: milliseconds for UBI, seconds otherwise.",
    ),
    click.option("--encoding", metavar="NAME", help="Encoding of log and results, such as cp1252. Default: utf-8."),
)
_RESULT_COLUMN = click.option(
    "--result-column",
    "result_columns",
    multiple=True,
    metavar="COLUMN=NAME",
    help="Name of a column in the results, such as query_id=query. Repeatable.",
)


def log_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for reading a log; the command passes them to ``log_settings``."""
    for option in reversed(_LOG_OPTIONS):
        command = option(command)
    return command


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for reading a log and results."""
    return log_options(_RESULT_COLUMN(bare_hosts_option(command)))


def check_reading(given: dict[str, Any]) -> None:
    """Refuse options that would have no effect because the file that they are about is not given."""
    for name, option in OF_LOG.items():
        if given[name] and not given["clicks"]:
            raise click.UsageError(f"{option} is for a log: give the log with --clicks.")


def log_settings(given: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of ``load_log`` and ``clean_log``."""
    actions = _named("--action", given["actions"])
    for name, meaning in actions.items():
        if meaning not in ACTIONS:
            known = ", ".join(ACTIONS)
            raise click.UsageError(f"--action must be NAME=ACTION with one of {known}: got {name}={meaning or ''}.")
    return {
        "actions": actions,
        "time_format": given["time_format"],
        "encoding": given["encoding"] or "utf-8",
        **_named("--log-column", given["log_columns"]),
    }


def result_settings(given: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of ``load_results``."""
    return {"encoding": given["encoding"] or "utf-8", **_named("--result-column", given["result_columns"])}


def named_values(option: str, entries: tuple[str, ...]) -> dict[str, str]:
    """Read NAME=VALUE; neither may be empty, and names must differ."""
    found: dict[str, str] = {}
    for entry in entries:
        # A label may contain an equals sign, a class does not.
        name, _, value = entry.rpartition("=")
        if not name or not value:
            raise click.UsageError(f"{option} must be NAME=VALUE: got {entry!r}.")
        if name in found:
            raise click.UsageError(f"{option} names {name!r} twice: give each name once.")
        found[name] = value
    return found


def _named(option: str, entries: tuple[str, ...]) -> dict[str, str | None]:
    """Read COLUMN=NAME; a column with an empty name is left out."""
    found: dict[str, str | None] = {}
    for entry in entries:
        name, equals, value = entry.partition("=")
        if not equals or not name:
            raise click.UsageError(f"{option} must be NAME=VALUE: got {entry!r}.")
        if option != "--action" and name in _NO_COLUMNS:
            raise click.UsageError(f"{option} must name a column: there is no column {name!r}.")
        if name in found:
            raise click.UsageError(f"{option} names {name!r} twice: give each name once.")
        found[name] = value or None
    return found
