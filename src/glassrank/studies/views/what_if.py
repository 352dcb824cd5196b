"""Changes of single values in a what-if, and how a link spells them: ``document:feature:value``."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote

import numpy as np

from glassrank.core.additive.categories import level_name
from glassrank.core.additive.effects import FeatureEffect
from glassrank.core.checks import DataError
from glassrank.data.read_features import NUMBER

THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?", re.ASCII)


@dataclass(frozen=True)
class Change:
    """A value that a document of a list has in a what-if instead of its recorded one."""

    document: str
    feature: str
    value: str
    """A number, the name of a level, or empty for a missing value."""

    @classmethod
    def parse(cls, text: str) -> "Change":
        """Read ``document:feature:value``, where colons and per cent signs of each part are escaped.

        >>> Change.parse("http%3A//a.org:click rate:6.4")
        Change(document='http://a.org', feature='click rate', value='6.4')
        """
        parts = text.split(":")
        if len(parts) != 3:
            raise DataError(parameter="set", expected="document:feature:value, with %3A for a colon", got=text)
        return cls(*(unquote(part) for part in parts))

    def __str__(self) -> str:
        parts = (self.document, self.feature, self.value)
        return ":".join(part.replace("%", "%25").replace(":", "%3A") for part in parts)


def latest(changes: Sequence[Change]) -> dict[tuple[str, str], Change]:
    """Return the last change of each value, by document and feature."""
    return {(one.document, one.feature): one for one in changes}


def value_of(effect: FeatureEffect, text: str) -> float:
    """Return the number or code that a text means as a value of a feature.

    >>> from glassrank.core.additive.effects import LinearCurve
    >>> value_of(FeatureEffect("kind", LinearCurve(1.0), 0, 1, 0, categories=("news", "shop")), "shop")
    1.0
    """
    if text == "":
        value = np.nan
        expected = "a value: the model has no effect of missing ones"
    elif effect.categories:
        value = float(effect.categories.index(text)) if text in effect.categories else np.inf
        expected = "a level that the model knows, or nothing for a missing value"
    else:
        plain = text.strip().replace("−", "-")
        # Commas as the pages write them; in 0,5 the comma is meant as a decimal point, and 05 would be wrong.
        plain = plain.replace(",", "") if THOUSANDS.fullmatch(plain) else plain
        value = float(plain) if NUMBER.fullmatch(plain) else np.inf
        expected = "a number such as 1,234.5, or nothing for a missing value"
    with np.errstate(over="ignore", invalid="ignore"):
        known = not np.isinf(value) and np.isfinite(effect(np.array([value]))[0])
    if not known or (text and np.isnan(value)):
        raise DataError(parameter=f"The value of {effect.name!r}", expected=expected, got=text or "nothing")
    return value


def text_of(effect: FeatureEffect, value: float) -> str:
    """Return a value as a link spells it, with all its digits."""
    if np.isnan(value):
        return ""
    return level_name(effect.categories, value) if effect.categories else repr(float(value)).removesuffix(".0")


def takes_missing(effect: FeatureEffect) -> bool:
    """Return whether the model has an effect of a missing value of this feature."""
    if effect.categories and effect.missing_share is None:
        return False
    return bool(np.isfinite(effect(np.array([np.nan]))[0]))
