"""Options for the parameters of the models, from the table that describes them."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

import click

from glassrank.cli.error_wording import OTHER_NAMES, in_options
from glassrank.cli.number_types import PositiveNumber
from glassrank.cli.settings_by_feature import read_directions
from glassrank.studies.ranking.model_options import (
    COUNT,
    DIRECTIONS,
    MODELS,
    NUMBER,
    OPTIONS,
    choices_of,
    explained_option,
    option_names,
)

Command = Callable[..., Any]


def parameter_options(
    models: Collection[str] = MODELS.keys(), defaults: Mapping[str, Mapping[str, str]] | None = None
) -> Callable[[Command], Command]:
    """Add one option for each parameter of these models; those that are not given are None.

    The help says the models' defaults, or those of the command, by model.
    """

    def add(command: Command) -> Command:
        for name in reversed(option_names(models)):
            flag = f"--{OTHER_NAMES.get(name, name).replace('_', '-')}"
            several: dict[str, Any] = {}
            if OPTIONS[name].takes == DIRECTIONS:
                several = {"multiple": True, "metavar": "NAME=DIRECTION"}
            meaning = explained_option(name, models, defaults)
            command = click.option(flag, name, type=_type(name, models), help=meaning, **several)(command)
        return command

    return add


def _type(name: str, models: Collection[str]) -> "click.ParamType[Any]":
    option, choices = OPTIONS[name], choices_of(name, models)
    if choices:
        return click.Choice(choices)
    if option.takes in (NUMBER, COUNT):
        return PositiveNumber(option.words, whole=option.takes == COUNT)
    return click.STRING


def _value(name: str, given: Any) -> Any:
    """Return the value of an estimator's argument for a word of the command line."""
    return OPTIONS[name].words.get(given, given) if isinstance(given, str) else given


def given_parameters(model: str, given: dict[str, Any], context: click.Context) -> dict[str, Any]:
    """Take the parameters out of the given options; those that the model does not have are bad usage."""
    from glassrank.core.checks import DataError
    from glassrank.studies.ranking.model_options import check_options

    found = {name: given.pop(name) for name in OPTIONS if name in given}
    if found.get("monotone") is not None:
        found["monotone"] = read_directions(found["monotone"]) or None
    values = {name: _value(name, value) for name, value in found.items() if value is not None}
    try:
        check_options(model, values)
    except DataError as error:
        raise click.UsageError(in_options(error, context)) from error
    return values


def parse_model(text: str, context: click.Context) -> tuple[str, dict[str, Any]]:
    """Return the name of a model and its options from ``NAME`` or ``NAME:option=value,option=value``.

    The options are those of ``glassrank train``, without the dashes in front.
    """
    from glassrank.core.checks import DataError
    from glassrank.studies.ranking.model_options import check_options

    model, _, written = text.partition(":")
    rankers = [name for name, known in MODELS.items() if not known.classifies]
    if model not in rankers:
        raise click.UsageError(f"--also must name one of {', '.join(rankers)}: got {model!r}.")
    options = dict(_parse_option(one, text, context) for one in written.split(",") if written)
    try:
        check_options(model, options)
    except DataError as error:
        raise click.UsageError(f"--also {text}: {error}") from error
    return model, options


def _parse_option(written: str, text: str, context: click.Context) -> tuple[str, Any]:
    flag, equals, value = written.partition("=")
    flags = {
        OTHER_NAMES.get(name, name).replace("_", "-"): name for name in OPTIONS if OPTIONS[name].takes != DIRECTIONS
    }
    name = flags.get(flag.strip().replace("_", "-"))
    if not equals or name is None:
        raise click.UsageError(
            f"--also {text}: expected options of glassrank train as option=value, separated by commas, such as "
            f"elm-rank:n-nodes=200: got {written!r}."
        )
    try:
        return name, _value(name, _type(name, MODELS).convert(value.strip(), None, context))
    except click.BadParameter as error:
        raise click.UsageError(f"--also {text}: {flag}: {error.message}") from error
