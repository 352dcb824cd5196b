"""Reword the library's errors for the command line: options of the command instead of Python arguments."""

import ast
import shlex
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from glassrank.core.checks import DataError
    from glassrank.core.setting import Setting

# Argument of the library -> option, if their names differ.
OTHER_NAMES = {
    "by_feature": "transform",
    "curve": "no-curve",
    "cv": "folds",
    "format": "from",
    "missing": "unexpected-missing",
    "missing_values": "missing",
    "n_hosts": "hosts",
    "n_jobs": "jobs",
    "n_pages": "pages",
    "n_queries": "queries",
    "n_topics": "topics",
    "outcome": "class",
    "overwrite": "force",
    "random_state": "seed",
    "scoring": "measure",
    "split": "split-column",
}
# Settings without an option -> what to do on the command line instead.
OTHER_WAYS = {
    "alpha": "--alpha (glassrank train)",
    "names_of_log_columns": "--log-column url=NAME",
    "names_of_result_columns": "--result-column url=NAME",
    "additive_surrogate": "glassrank train --like",
    "explain_document": "leave out --against",
    "explain_pair": "glassrank explain --against",
    "kernel='lrbf'": "glassrank train --kernel lrbf",
    "label=None": "use glassrank rank, explain or nomogram",
    "mode='utility'": "glassrank train --mode utility",
    "n_nodes": "--n-nodes (glassrank train)",
    "missing='mean'": "--unexpected-missing mean (glassrank train)",
    "no_engine_column": "--result-column engine=",
    "no_search_column": "--log-column search=",
    "no_session_column": "--log-column session=",
    "no_time_column": "--log-column time=",
    "no_user_column": "--log-column user=",
    "nodes='additive'": "glassrank train --nodes additive",
    "nodes='full'": "--nodes full",
    "transform='standard'": "glassrank train --transform standard",
}


def in_options(error: "DataError", context: click.Context) -> str:
    """Return the message of an error in terms of a command's options, without remedies that it does not offer."""
    return error.worded(lambda setting: _words(setting, context))


def _words(setting: "Setting", context: click.Context) -> str | None:
    return _option(setting, context) or OTHER_WAYS.get(setting.key)


def _option(setting: "Setting", context: click.Context) -> str | None:
    """Return the command's own option, with the value of the setting; None if the command cannot express it."""
    name, has_value, value = setting.key.partition("=")
    parameter = _parameter(name, context.command)
    if parameter is None:
        return None
    if not isinstance(parameter, click.Option):
        return parameter.human_readable_name.strip(".")
    option = max(parameter.opts, key=len)
    return _with_value(option, parameter, ast.literal_eval(value)) if has_value else option


def _parameter(name: str, command: click.Command) -> click.Parameter | None:
    """Return the option named like an argument, or else the parameter that is passed on under its name."""
    option = f"--{OTHER_NAMES.get(name, name).replace('_', '-')}"
    # In a study, --folds is what the folds consist of, and not their number.
    numbered = (
        parameter for parameter in command.params if name != "cv" or not isinstance(parameter.type, click.Choice)
    )
    named = (parameter for parameter in numbered if option in parameter.opts)
    passed_on = (parameter for parameter in command.params if parameter.name == name)
    return next(named, None) or next(passed_on, None)


def _with_value(option: str, parameter: click.Option, value: Any) -> str | None:
    if parameter.is_flag:
        # A flag such as --no-header sets its argument to False.
        return option if bool(value) != (parameter.flag_value is False) else f"without {option}"
    if isinstance(value, dict):
        return " ".join(f"{option} {shlex.quote(f'{name}={meaning}')}" for name, meaning in value.items())
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return " ".join(f"{option} {shlex.quote(one)}" for one in value)
    if not isinstance(value, str | int | float):
        return None if value is None else option  # a value for the reader to fill in
    known = not isinstance(parameter.type, click.Choice) or value in parameter.type.choices
    return f"{option} {shlex.quote(str(value))}" if known else None
