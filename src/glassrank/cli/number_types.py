"""Types of options that take a number or a word."""

import math
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

# Generic for type checkers only: in older versions of click it is not.
if TYPE_CHECKING:
    ParamType = click.ParamType[Any]
else:
    ParamType = click.ParamType


class PositiveNumber(ParamType):
    """A positive number, whole if it counts something, or one of some words."""

    def __init__(self, words: Iterable[str], *, whole: bool) -> None:
        self.words, self.whole = tuple(words), whole
        self.name = "|".join(["n" if whole else "number", *self.words])

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str) or value.lower() in self.words:
            return value.lower() if isinstance(value, str) else value
        try:
            number = int(value) if self.whole else float(value)
        except ValueError:
            number = math.nan
        if not 0 < number < math.inf:
            kind = "whole number" if self.whole else "number"
            words = "".join(f" or {word}" for word in self.words)
            self.fail(f"{value!r} is not a positive {kind}{words}.", param, ctx)
        return number


class Gamma(ParamType):
    """A positive number, ``scale``, or a multiple of it such as ``scale*4``."""

    name = "number|scale"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str) or re.fullmatch(r"scale([*/]\d+(\.\d*)?)?", value.lower()):
            return value.lower() if isinstance(value, str) else value
        return PositiveNumber(("scale", "a multiple such as scale*4"), whole=False).convert(value, param, ctx)
