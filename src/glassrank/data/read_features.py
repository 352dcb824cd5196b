"""Reads feature columns: numbers, yes/no values and categories, by the same rules from every kind of table."""

import re
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from glassrank.core.checks import DataError, FloatArray
from glassrank.core.feature_kinds import BOOLEAN, CATEGORY, PLAIN, FeatureKind
from glassrank.core.setting import setting
from glassrank.core.wording import counted

FEATURES = setting("feature", python="features=[...]")
# No words for missing or infinite values: what a text means is for the user to say.
NUMBER = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*", re.ASCII)
_INFINITY = re.compile(r"\s*[+-]?inf(?:inity)?\s*", re.ASCII | re.IGNORECASE)
_WHOLE = re.compile(r"(-?\d+)\.0+", re.ASCII)
_BOOLEANS = {"true": 1.0, "false": 0.0}
# A text column in which most values are different names documents rather than describing them.
MIN_ROWS_OF_NAMES, MAX_SHARE_OF_NAMES = 20, 0.5


class FeatureColumn(NamedTuple):
    """The values of a feature, with codes for categories and NaN for missing values, and its kind."""

    values: FloatArray
    kind: FeatureKind


class FeatureSource(Protocol):
    """A table from which columns are fetched as numbers or as text."""

    def feature_type(self, name: str) -> str | None: ...

    def type_name(self, name: str) -> str: ...

    def at(self, row: int) -> str: ...

    def fetch(self, kinds: dict[str, str]) -> dict[str, Any]: ...


def check_features(source: FeatureSource, names: Sequence[str], categorical: Collection[str]) -> None:
    """Raise an error for columns that cannot be features, and for categories that are not features."""
    others_named = [name for name in names if source.feature_type(name) is None]
    if others_named:
        others = [f"{name!r} ({source.type_name(name)})" for name in others_named]
        raise DataError(
            f"Features must contain numbers, booleans or text: got {', '.join(others)}.",
            remedy=("Convert the column", f"leave it out: {_excluding(others_named[0])}"),
        )
    unknown = sorted(set(categorical) - set(names))
    if unknown:
        raise DataError(
            f"categorical must name feature columns: got {unknown[0]!r}.", parameter="categorical", got=unknown[0]
        )


def feature_columns(
    source: FeatureSource, names: Sequence[str], categorical: Collection[str], missing_values: Collection[str]
) -> dict[str, FeatureColumn]:
    """Return the feature columns of a table.

    A column of text is a column of numbers or of booleans if all its values are; if only some are numbers, it is an
    error. Other text is a category. ``categorical`` columns are categories whatever they contain, and
    ``missing_values`` are texts that mean a missing number.
    """
    types = {name: "level" if name in categorical else str(source.feature_type(name)) for name in names}
    fetched = source.fetch({name: "number" if kind == "boolean" else kind for name, kind in types.items()})
    found = {}
    for name, kind in types.items():
        values = fetched[name]
        if values.dtype != object:
            given = FeatureKind(BOOLEAN) if kind == "boolean" else PLAIN
            found[name] = FeatureColumn(_without(values, missing_values) if given is PLAIN else values, given)
        else:
            found[name] = _from_text(source, name, values, kind == "level", frozenset(missing_values))
    return found


def _from_text(
    source: FeatureSource, name: str, texts: Any, declared: bool, missing_values: frozenset[str]
) -> FeatureColumn:
    texts[texts == ""] = None
    different = set(texts.tolist()) - {None}
    if declared:
        return _category(name, [whole_name(text) for text in texts])
    numbers, words = _numbers_and_words(different - missing_values)
    if not words:
        value_of = {text: float(text) for text in numbers}
        values = np.array([value_of.get(text, np.nan) for text in texts])
        return FeatureColumn(_without(values, missing_values), PLAIN)
    if numbers:
        raise _mixed(source, name, texts, next(iter(sorted(numbers))), words)
    if _are_booleans(words):
        codes = [np.nan if text is None or text in missing_values else _BOOLEANS[text.casefold()] for text in texts]
        return FeatureColumn(np.array(codes), FeatureKind(BOOLEAN))
    n_known = sum(text is not None for text in texts)
    if _are_names(len(different), n_known):
        raise _names_error(name, len(different), n_known)
    # A word that means a missing number is a level among other words; a number that does is not.
    absent = {text for text in missing_values if NUMBER.fullmatch(text)}
    return _category(name, [None if text in absent else text for text in texts])


def _numbers_and_words(different: set[str]) -> tuple[set[str], set[str]]:
    numbers = {text for text in different if NUMBER.fullmatch(text)}
    words = different - numbers
    if all(map(_INFINITY.fullmatch, words)):
        # Infinite numbers, which the check of the values refuses, as in a column of numbers.
        return numbers | words, set()
    return numbers, words


def _are_booleans(words: set[str]) -> bool:
    return {word.casefold() for word in words} <= set(_BOOLEANS)


def is_category_in_text(levels: Collection[str], n_known: int) -> bool:
    """Return whether text of these levels in ``n_known`` rows is read as a category although nothing declares it.

    >>> is_category_in_text(["news", "shop"], 4), is_category_in_text(["501", "502"], 4)
    (True, False)
    """
    numbers, words = _numbers_and_words(set(levels))
    return bool(words) and not numbers and not _are_booleans(words) and not _are_names(len(levels), n_known)


def check_storable_levels(name: str, levels: Collection[str]) -> None:
    """Raise an error for a level that no table can store: it would be read as missing, or as another level."""
    for level in levels:
        if whole_name(level or None) != level:
            read = "a missing value" if not level else repr(whole_name(level))
            raise DataError(f"Level {level!r} of {name!r} would be read back as {read}.", remedy="Rename the level.")


def _without(values: FloatArray, missing_values: Collection[str]) -> FloatArray:
    """Return the numbers with NaN for those that mean a missing value, such as -999; 7 and 7.0 are the same number."""
    absent = [float(text) for text in missing_values if NUMBER.fullmatch(text)]
    return np.where(np.isin(values, absent), np.nan, values) if absent else values


def _category(name: str, texts: Any) -> FeatureColumn:
    levels = sorted({text for text in texts if text is not None})
    for level in levels:
        if "\0" in level or any("\ud800" <= character <= "\udfff" for character in level):
            raise DataError(f"Column {name!r} contains {level!r}, which is not valid text.", remedy="Rename the level.")
    codes = {level: float(code) for code, level in enumerate(levels)}
    return FeatureColumn(
        np.array([np.nan if text is None else codes[text] for text in texts]), FeatureKind(CATEGORY, tuple(levels))
    )


def _excluding(name: str) -> str:
    return setting("exclude", name, python=f"exclude=[{name!r}]")


def whole_name(text: str | None) -> str | None:
    """Return the name of a level without decimals that mean nothing, so that 501.0 and 501 are the same level."""
    found = None if text is None else _WHOLE.fullmatch(text)
    return text if found is None else found[1]


def _mixed(source: FeatureSource, name: str, texts: Any, number: str, words: Collection[str]) -> DataError:
    row = next(row for row, text in enumerate(texts) if text in words)
    word = str(texts[row])
    means = setting("missing_values", word, python=f"missing_values=[{word!r}]")
    return DataError(
        f"{source.at(row)}: column {name!r} contains numbers and text, such as {number!r} and {word!r}.",
        remedy=(
            f"If {word!r} means a missing value, use {means}",
            f"if the column is a category, use {setting('categorical', name, python=f'categorical=[{name!r}]')}",
            f"leave it out: {_excluding(name)}",
        ),
    )


def _are_names(n_different: int, n_known: int) -> bool:
    return n_known >= MIN_ROWS_OF_NAMES and n_different > MAX_SHARE_OF_NAMES * n_known


def _names_error(name: str, n_different: int, n_known: int) -> DataError:
    return DataError(
        f"Column {name!r} looks like a name or a text, not like a category: {n_different:,} of its "
        f"{counted(n_known, 'value')} are different.",
        remedy=(
            f"Leave it out: {_excluding(name)}",
            f"make it a category with {setting('categorical', name, python=f'categorical=[{name!r}]')}",
        ),
    )
