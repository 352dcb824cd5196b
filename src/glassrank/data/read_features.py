"""Reads feature columns: numbers, yes/no values and categories, by the same rules from every kind of table."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from glassrank.core.checks import DataError, FloatArray
from glassrank.core.feature_kinds import BOOLEAN, CATEGORY, PLAIN, FeatureKind
from glassrank.core.setting import setting
from glassrank.core.table_faults import FaultFinder
from glassrank.core.wording import counted

FEATURES = setting("feature", python="features=[...]")
# No words for missing or infinite values: what a text means is for the user to say.
NUMBER = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*", re.ASCII)
_INFINITY = re.compile(r"\s*[+-]?inf(?:inity)?\s*", re.ASCII | re.IGNORECASE)
_WHOLE = re.compile(r"(-?\d+)\.0+", re.ASCII)
_BOOLEANS = {"true": 1.0, "false": 0.0}
_NAN = re.compile(r"\s*[+-]?nan\s*", re.ASCII | re.IGNORECASE)
# Numbers as people and spreadsheets write them: 0,5, 1.500, $3, 5 %, −2, 12 kg, in the digits of any language.
_OTHER_NUMBER = re.compile(
    r"(?:[-+−]?(?:[$¢-¥₠-⃀]|EUR|USD|GBP|CHF)? ?[-+−]?)"
    r"(?:\d{1,3}(?:[ .,'’_\u00a0\u2009\u202f]\d{3})+|\d+)?(?:[.,]\d*)?(?:[eE][-+−]?\d+)?"
    r"[ \u00a0\u202f]?(?P<unit>[^\d\s.,]{0,12})"
)
_DIGIT = re.compile(r"\d")
_LONGEST_NUMBER = 40
MIN_SHARE_OF_NUMBERS = 0.9
PLAIN_NUMBERS = "plain numbers such as 1234.5"
MOST_WORDS = 5  # texts among numbers that are listed
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


def check_features(
    source: FeatureSource, names: Sequence[str], categorical: Collection[str], faults: FaultFinder
) -> list[str]:
    """Return the columns that can be features; the others, and categories that are no features, are faults."""
    for name in names:
        if source.feature_type(name) is None:
            with faults.checking(name):
                raise DataError(
                    f"Features must contain numbers, booleans or text: got {name!r} ({source.type_name(name)}).",
                    remedy=("Convert the column", f"leave it out: {_excluding(name)}"),
                )
    for name in sorted(set(categorical) - set(names)):
        with faults.checking(name):
            raise DataError(f"categorical must name feature columns: got {name!r}.", parameter="categorical", got=name)
    refused = faults.columns
    return [name for name in names if name not in refused]


def feature_columns(
    source: FeatureSource,
    names: Sequence[str],
    categorical: Collection[str],
    missing_values: Collection[str],
    faults: FaultFinder,
) -> dict[str, FeatureColumn]:
    """Return the feature columns of a table; those at fault have no values.

    A column of text is a column of numbers or of booleans if all its values are; if only some are numbers, or if they
    look like numbers in another notation, it is a fault. Other text is a category. ``categorical`` columns are
    categories whatever they contain, and ``missing_values`` are texts that mean a missing number.
    """
    types = {name: "level" if name in categorical else str(source.feature_type(name)) for name in names}
    fetched = source.fetch({name: "number" if kind == "boolean" else kind for name, kind in types.items()})
    found = {}
    for name, kind in types.items():
        values = fetched[name]
        if values.dtype != object:
            given = FeatureKind(BOOLEAN) if kind == "boolean" else PLAIN
            found[name] = FeatureColumn(_without(values, missing_values) if given is PLAIN else values, given)
            continue
        found[name] = FeatureColumn(np.full(len(values), np.nan), PLAIN)
        with faults.checking(name):
            found[name] = _from_text(source, name, values, kind == "level", frozenset(missing_values))
    return found


def _from_text(
    source: FeatureSource, name: str, texts: Any, declared: bool, missing_values: frozenset[str]
) -> FeatureColumn:
    texts[texts == ""] = None
    if declared:
        return _category(name, [whole_name(text) for text in texts])
    counts = Counter(texts.tolist())
    del counts[None]
    different = set(counts)
    numbers, words = _numbers_and_words(different - missing_values)
    if not words:
        value_of = {text: float(text) for text in numbers}
        values = np.array([value_of.get(text, np.nan) for text in texts])
        return FeatureColumn(_without(values, missing_values), PLAIN)
    if others := _in_other_notation(numbers, words, counts):
        raise _notation_error(source, name, texts, others)
    if numbers:
        raise _mixed(source, name, texts, min(numbers), {word: counts[word] for word in words})
    if _are_booleans(words):
        codes = [np.nan if text is None or text in missing_values else _BOOLEANS[text.casefold()] for text in texts]
        return FeatureColumn(np.array(codes), FeatureKind(BOOLEAN))
    if are_names(len(different), counts.total()):
        raise _names_error(name, len(different), counts.total())
    # A word that means a missing number is a level among other words; a number that does is not.
    absent = {text for text in missing_values if NUMBER.fullmatch(text)}
    return _category(name, [None if text in absent else text for text in texts])


def _numbers_and_words(different: set[str]) -> tuple[set[str], set[str]]:
    numbers = {text for text in different if NUMBER.fullmatch(text)}
    words = different - numbers
    if all(map(_INFINITY.fullmatch, words)) or (not numbers and all(map(_NAN.fullmatch, words))):
        # Infinite numbers, which the check of the values refuses, or no number at all, as in a column of numbers.
        return numbers | words, set()
    return numbers, words


def _in_other_notation(numbers: set[str], words: set[str], counts: Mapping[str, int]) -> set[str]:
    """Return the words that are numbers in another notation, if they and the numbers are nearly all cells.

    The same unit may follow each of them: ``2 kg`` and ``500 g`` are levels of a category.
    """
    short = {word: word.strip() for word in words if len(word) <= _LONGEST_NUMBER and _DIGIT.search(word)}
    matched = {word: found["unit"] for word, text in short.items() if (found := _OTHER_NUMBER.fullmatch(text))}
    n_numbers, n_cells = (sum(counts[text] for text in texts) for texts in (numbers | set(matched), numbers | words))
    one_unit = len(set(matched.values()) - {""}) <= 1
    return set(matched) if one_unit and n_numbers >= MIN_SHARE_OF_NUMBERS * n_cells else set()


def _are_booleans(words: set[str]) -> bool:
    return {word.casefold() for word in words} <= set(_BOOLEANS)


def is_category_in_text(values: Iterable[str]) -> bool:
    """Return whether text of these values is read as a category although nothing declares it.

    >>> [is_category_in_text(values) for values in (["news", "shop", "shop"], ["501", "502"], ["0,5", "1,5"])]
    [True, False, False]
    """
    counts = Counter(values)
    numbers, words = _numbers_and_words(set(counts))
    return (
        bool(words)
        and not numbers
        and not _in_other_notation(set(), words, counts)
        and not _are_booleans(words)
        and not are_names(len(counts), counts.total())
    )


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


def _mixed(source: FeatureSource, name: str, texts: Any, number: str, words: Mapping[str, int]) -> DataError:
    row = next(row for row, text in enumerate(texts) if text in words)
    some = sorted(words, key=lambda word: (-words[word], word))
    known = sum(text is not None for text in texts)
    remedies = [_declaring(name), f"leave it out: {_excluding(name)}"]
    if len(some) <= MOST_WORDS:
        means = setting("missing_values", some, python=f"missing_values={some!r}")
        which = f"{some[0]!r} means a missing value" if len(some) == 1 else "these texts mean missing values"
        remedies.insert(0, f"If {which}, use {means}")
    listed = " and ".join(map(repr, some[:2])) if len(some) <= 2 else ", ".join(map(repr, some[:MOST_WORDS]))
    more = f" and {len(some) - MOST_WORDS:,} other texts" if len(some) > MOST_WORDS else ""
    return DataError(
        f"{source.at(row)}: column {name!r} contains numbers and text, such as {number!r} and {str(texts[row])!r}. "
        f"{sum(words.values()):,} of its {counted(known, 'value')} are text: {listed}{more}.",
        parameter="missing_values",
        got=tuple(some),
        remedy=tuple(remedies),
    )


def _declaring(name: str) -> str:
    return f"if the column is a category, use {setting('categorical', name, python=f'categorical=[{name!r}]')}"


def _notation_error(source: FeatureSource, name: str, texts: Any, others: Collection[str]) -> DataError:
    row = next(row for row, text in enumerate(texts) if text in others)
    return DataError(
        f"{source.at(row)}: column {name!r} contains numbers in another notation, such as {str(texts[row])!r}.",
        expected=PLAIN_NUMBERS,
        got=str(texts[row]),
        remedy=(
            f"Convert them to {PLAIN_NUMBERS}",
            _declaring(name),
            f"leave it out: {_excluding(name)}",
        ),
    )


def are_names(n_different: int, n_known: int, most: float = MAX_SHARE_OF_NAMES) -> bool:
    """Return whether more than this share of the values are different, if they are not only a few."""
    return n_known >= MIN_ROWS_OF_NAMES and n_different > most * n_known


def _names_error(name: str, n_different: int, n_known: int) -> DataError:
    return DataError(
        f"Column {name!r} looks like a name or a text, not like a category: {n_different:,} of its "
        f"{counted(n_known, 'value')} are different.",
        remedy=(
            f"Leave it out: {_excluding(name)}",
            f"make it a category with {setting('categorical', name, python=f'categorical=[{name!r}]')}",
        ),
    )
