"""Feature names in a file of their own: one name per line, or a number and a name per line."""

import codecs
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from glassrank.core.checks import DataError
from glassrank.core.wording import counted
from glassrank.data.letor.letor_rules import LetorRules
from glassrank.files.input_files import input_lines, open_input

FeatureNames = Sequence[str] | str | os.PathLike[str]
"""A list of names, or the path of a file of names."""

_NUMBERED = re.compile(r"([0-9]{1,9})[ \t]+(.*)")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True)
class NamesFile:
    """The names of a file in the order of the features, and the number of the first one if the file numbers them."""

    path: str
    names: tuple[str, ...]
    first: int | None

    def check(self, first: int, n_features: int) -> None:
        """Raise an error if the names do not belong to these features."""
        if len(self.names) != n_features:
            raise DataError(
                f"{self.path}: the file must name every feature of the data: expected {counted(n_features, 'name')}, "
                f"got {len(self.names):,}.",
                parameter="feature_names",
                expected=n_features,
                got=len(self.names),
                remedy="Check that the two files belong together.",
            )
        if self.first not in (None, first):
            raise DataError(
                f"{self.path}: the names are numbered from {self.first}, but the features of the data from {first}.",
                parameter="feature_names",
                remedy="Renumber the names.",
            )


def rules_for(names: NamesFile | Sequence[str] | None, rules: LetorRules) -> LetorRules:
    """Return the rules with the number of the first feature, if the names tell it and the caller does not."""
    if not isinstance(names, NamesFile) or names.first is None or rules.zero_based != "auto":
        return rules
    return replace(rules, zero_based=names.first == 0)


def read_names_file(given: FeatureNames | None) -> NamesFile | Sequence[str] | None:
    """Read a file of names if a path is given; a list of names, or None, is returned as it is.

    If every line begins with a whole number and a blank, these are the numbers of the features, in any order.

    >>> from pathlib import Path
    >>> _ = Path("names.txt").write_text("2 age in days\\n1 bm25\\n")
    >>> read_names_file("names.txt")
    NamesFile(path='names.txt', names=('bm25', 'age in days'), first=1)
    """
    if not isinstance(given, (str, os.PathLike)):
        return given
    path = os.fspath(given)
    lines = _lines(path)
    numbered = [_NUMBERED.fullmatch(line) for line in lines]
    if not all(numbered):
        return NamesFile(path, _checked(path, lines, list(range(1, len(lines) + 1))), None)
    line_of: dict[int, int] = {}
    for line, found in enumerate(numbered, start=1):
        number = int(found[1]) if found else 0
        if line_of.setdefault(number, line) != line:
            raise DataError(
                f"{path}:{line}: feature {number} is named on line {line_of[number]} already.", remedy="Remove one."
            )
    ordered = sorted(line_of)
    first = min(ordered[0], 1)
    absent = next((number for number, found in enumerate(ordered, start=first) if number != found), None)
    if absent is not None:
        raise DataError(
            f"{path}: the lines must number the features from {first} to {ordered[-1]} without gaps: there is no "
            f"{absent}.",
            remedy="Add a line for it.",
        )
    names = [found[2].strip() if found else "" for found in numbered]
    by_number = [line_of[number] for number in ordered]
    return NamesFile(path, _checked(path, [names[line - 1] for line in by_number], by_number), first)


def _lines(path: str) -> list[str]:
    """Return the lines without blanks at their ends; blank lines at the end of the file do not count."""
    lines = []
    with open_input(path) as stream:
        for number, line in enumerate(input_lines(stream, path), start=1):
            try:
                lines.append((line.removeprefix(codecs.BOM_UTF8) if number == 1 else line).decode().strip(" \t\r\n"))
            except UnicodeDecodeError as error:
                raise DataError(
                    f"{path}:{number}: a feature name must be UTF-8 text.", remedy="Save the file as UTF-8."
                ) from error
    while lines and not lines[-1]:
        lines.pop()
    if not lines:
        raise DataError(f"{path}: the file is empty: expected a feature name on each line.")
    return lines


def _checked(path: str, names: Sequence[str], line_of: Sequence[int]) -> tuple[str, ...]:
    """Return the names; an empty or repeated one, or one with control characters, is an error."""
    seen: dict[str, int] = {}
    for name, line in zip(names, line_of, strict=True):
        if not name:
            raise DataError(f"{path}:{line}: the name is empty.", remedy="Give one name per line, without blank lines.")
        if _CONTROL.search(name):
            raise DataError(
                f"{path}:{line}: a name must not contain tabs or other control characters: got {name[:60]!r}.",
                remedy="Rename the feature.",
            )
        if seen.setdefault(name, line) != line:
            raise DataError(
                f"{path}:{line}: the name {name[:60]!r} is on line {seen[name]} already.", remedy="Rename one of them."
            )
    return tuple(names)
