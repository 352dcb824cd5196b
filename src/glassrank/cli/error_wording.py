"""Errors of the library in the words of the command that runs: its options instead of Python's arguments."""

import ast
import shlex
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from glassrank.core.checks import DataError
    from glassrank.core.setting import Setting

# Arguments of the library -> options of another name. Those of the same name are found without a table.
OTHER_NAMES = {
    "cv": "folds",
    "format": "from",
    "n_hosts": "hosts",
    "n_jobs": "jobs",
    "n_pages": "pages",
    "n_queries": "queries",
    "n_topics": "topics",
    "random_state": "seed",
}
# Settings that are no option: what to do at the command line instead.
OTHER_WAYS = {"label=None": "glassrank rank does without them"}


def in_options(error: "DataError", context: click.Context) -> str:
    """The message of an error in the options of a command; a remedy that the command does not have is left out."""
    return error.worded(lambda setting: _words(setting, context))


def _words(setting: "Setting", context: click.Context) -> str | None:
    if setting.key in OTHER_WAYS:
        return OTHER_WAYS[setting.key]
    name, has_value, value = setting.key.partition("=")
    parameter = _parameter(name, context.command)
    if parameter is None:
        return None
    if not isinstance(parameter, click.Option):
        return parameter.human_readable_name.strip(".")
    option = max(parameter.opts, key=len)
    return _with_value(option, parameter, ast.literal_eval(value)) if has_value else option


def _parameter(name: str, command: click.Command) -> click.Parameter | None:
    """The option with the name of an argument; else what the command hands on under that name."""
    option = f"--{OTHER_NAMES.get(name, name).replace('_', '-')}"
    named = (parameter for parameter in command.params if option in parameter.opts)
    handed_on = (parameter for parameter in command.params if parameter.name == name)
    return next(named, None) or next(handed_on, None)


def _with_value(option: str, parameter: click.Option, value: Any) -> str | None:
    if parameter.is_flag:
        return option if value else f"without {option}"
    if not isinstance(value, str | int | float):
        return None if value is None else option  # a value for the reader to fill in
    known = not isinstance(parameter.type, click.Choice) or value in parameter.type.choices
    return f"{option} {shlex.quote(str(value))}" if known else None
