"""Labelled intents of queries: navigational (1) or informational (0), or names of more than two classes."""

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from glassrank.core.checks import DataError, IntArray
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.data.delimited import check_delimiter
from glassrank.data.logs.fault_kinds import KINDS
from glassrank.data.logs.log_file import inspect_file
from glassrank.data.logs.log_reading import LogReading, LogTally
from glassrank.data.logs.schemas import SchemaPart

NAMES = {0: "informational", 1: "navigational"}
CODES = {name: code for code, name in NAMES.items()}
NUMBERS = {str(code): name for code, name in NAMES.items()}
COLUMNS = ("query_id", "label")
INTENTS = SchemaPart("intents", "intents", COLUMNS, COLUMNS)
Intents = Mapping[str, int] | Mapping[str, str]
"""Query identifier → 1 for navigational and 0 for informational, or the name of a class."""


def load_intents(
    path: str | os.PathLike[str], *, label_map: Mapping[str, str] | None = None
) -> dict[str, int] | dict[str, str]:
    """Read a table with the columns query_id and label.

    Labels are navigational (1) and informational (0), or the names of more than two classes. Letter case and repeated
    white space do not matter. ``label_map`` merges or renames classes, such as ``{"transactional": "informational"}``.
    The file is CSV, TSV, JSON lines or Parquet, optionally compressed with gzip or xz. Any faulty line is an error.

    >>> from pathlib import Path
    >>> _ = Path("intents.csv").write_text("query_id,label\\nq1,navigational\\nq2,0\\nq3,Transactional\\n")
    >>> load_intents("intents.csv", label_map={"transactional": "informational"})
    {'q1': 1, 'q2': 0, 'q3': 0}
    >>> load_intents("intents.csv")
    {'q1': 'navigational', 'q2': 'informational', 'q3': 'transactional'}
    """
    targets = mapped_labels(label_map or {})
    intents: dict[str, str] = {}
    unused = {_tidy(label): label for label in label_map or {}}
    places: dict[str, str] = {}
    for place, query_id, label in _labelled_lines(path):
        name = targets[label] if label in targets else class_name(label, place)
        unused.pop(label, None)
        places.setdefault(name, place)
        if intents.setdefault(query_id, name) != name:
            raise DataError(
                f"{place}: {query_id!r} has two labels, {intents[query_id]} and {name}.", remedy="Keep one."
            )
    if unused:
        absent = next(iter(unused.values()))
        raise DataError(f"{path}: there is no label {absent!r} to map.", remedy="Check its spelling, or leave it out.")
    if set(places) <= set(CODES):
        return {query_id: CODES[name] for query_id, name in intents.items()}
    _check_several(places)
    return intents


def _check_several(places: Mapping[str, str]) -> None:
    """Refuse two classes of which one has another name, which is probably a mistake."""
    if len(places) < 3:
        odd = next(name for name in places if name not in CODES)
        raise DataError(
            f"{places[odd]}: expected navigational (1) and informational (0), or more than two classes: got {odd!r}.",
            remedy=("Correct the line or drop it", f"map the label to one of the two with {setting('label_map')}"),
        )


def load_query_ids(path: str | os.PathLike[str]) -> list[str]:
    """Read the query_id of every line of a table of intents, whatever the labels."""
    return list(dict.fromkeys(query_id for _, query_id, _ in _labelled_lines(path)))


def mapped_labels(label_map: Mapping[str, str]) -> dict[str, str]:
    """Return the class of each mapped label; letter case does not matter.

    >>> mapped_labels({"Transactional": "0", "Q&A": "Informational"})
    {'transactional': 'informational', 'q&a': 'informational'}
    """
    for target in label_map.values():
        if not _tidy(target) or (_tidy(target) not in NUMBERS and _is_number(target)):
            raise DataError(parameter="label_map", expected="labels mapped to the name of a class", got=target)
    return {_tidy(label): class_name(target, "label_map") for label, target in label_map.items()}


def class_name(label: str, place: str) -> str:
    """Return the class that a label means: 1 is navigational, 0 is informational, and a word is its own class.

    >>> class_name("1", "a.csv:2"), class_name("  How  To ", "a.csv:3"), class_name("Inf", "a.csv:4")
    ('navigational', 'how to', 'inf')
    """
    name = _tidy(label)
    if name not in NUMBERS and _is_number(name):
        raise DataError(
            f"{place}: expected 1 (navigational), 0 (informational) or the name of a class: got {label!r}.",
            remedy=("Use words for other classes", f"name the class with {setting('label_map')}"),
        )
    return NUMBERS.get(name, name)


def _tidy(label: str) -> str:
    return " ".join(label.casefold().split())


def _is_number(text: str) -> bool:
    """Whether a text is a number or NaN; "inf" is a word, such as the first letters of informational."""
    try:
        return not math.isinf(float(text))
    except ValueError:
        return False


def _labelled_lines(path: str | os.PathLike[str]) -> Iterator[tuple[str, str, str]]:
    """Yield place, query_id and label in lower case of each line of a table; a faulty line is an error."""
    file = inspect_file(path, "utf-8")
    lacking = INTENTS.missing(file.names, {})
    if lacking:
        check_delimiter(path, file.names)
        raise DataError(
            f"{path}: column {lacking[0]!r} is missing: expected {' and '.join(COLUMNS)}, got {', '.join(file.names)}.",
            remedy="Rename or add it.",
        )
    tally, n_lines = LogTally(), 0
    for _, line, values in file.records(INTENTS, {}, tally):
        query_id, label = ((value or "").strip() for value in values)
        if not query_id or not label:
            raise DataError(
                f"{file.place(line)}: expected a query_id and a label: got {query_id!r} and {label!r}.",
                remedy="Correct the line or drop it.",
            )
        n_lines += 1
        yield file.place(line), query_id, _tidy(label)
    _refuse_faults(tally.report(file.path, INTENTS.schema, n_lines, {}))


def _refuse_faults(reading: LogReading) -> None:
    """Raise for any line that cannot be read, because its query would be lost."""
    for kind, found in {**reading.dropped, **reading.kept}.items():
        raise DataError(
            f"{found.examples[0]}: {kind}: expected {KINDS[kind].expected}.",
            remedy="Correct the line; save the file as UTF-8.",
        )


@dataclass(frozen=True)
class MatchedIntents:
    """The labelled queries."""

    rows: IntArray
    """Their positions among all queries."""
    y: IntArray
    """Place of each query's class among ``classes``; of two classes, 1 for navigational and 0 for informational."""
    classes: tuple[str, ...]
    """Names of the classes in alphabetical order."""
    notes: tuple[str, ...]
    """Notes on queries without labels and labels without results."""

    @property
    def several(self) -> bool:
        """Whether there are more than two classes."""
        return len(self.classes) > 2

    @property
    def counts(self) -> dict[str, int]:
        """Number of queries of each class."""
        return dict(zip(self.classes, np.bincount(self.y, minlength=len(self.classes)).tolist(), strict=True))

    @property
    def labels(self) -> npt.NDArray[Any]:
        """The label of each query for a classifier: codes for two classes, names for more."""
        return np.array(self.classes)[self.y] if self.several else self.y

    @property
    def class_notes(self) -> tuple[str, ...]:
        """The number of queries of each class, if there are more than two, so that a misspelt label is noticed."""
        listed = ", ".join(f"{count:,} {name}" for name, count in self.counts.items())
        return (f"{len(self.classes)} classes: {listed}.",) if self.several else ()

    def check_folds(self, cv: int, least: int = 0) -> None:
        """Refuse classes with fewer queries than folds or than ``least``, before anything is computed."""
        rarest = min(self.counts, key=lambda name: self.counts[name])
        needed = max(cv, least)
        if self.several and self.counts[rarest] < needed:
            raise DataError(
                f"{cv} folds need {needed} queries of each class: {rarest!r} has {self.counts[rarest]}.",
                remedy=(
                    "Correct the label if it is misspelt",
                    f"merge the class with another with {setting('label_map')}",
                    *((f"lower {setting('cv')}",) if cv == needed else ()),
                ),
            )


def match_intents(query_ids: Sequence[str], intents: Intents, *, strict: bool = False) -> MatchedIntents:
    """Look up the intents of queries. Queries without one are left out with a note, or an error if ``strict``.

    >>> match_intents(["q1", "q2", "q3"], {"q1": 1, "q3": 0}).notes
    ('1 of 3 queries has no label and is left out, such as q2.',)
    >>> match_intents(["a", "b", "c"], {"a": "navigational", "b": "buy", "c": "informational"}).counts
    {'buy': 1, 'informational': 1, 'navigational': 1}
    """
    names = {query_id: _class_of(label) for query_id, label in intents.items()}
    rows = np.array([row for row, query_id in enumerate(query_ids) if query_id in names], dtype=np.int64)
    notes = tuple(_unmatched(query_ids, intents))
    if notes and strict:
        raise DataError(notes[0], remedy=("Label exactly the queries of the results", f"leave {setting('strict')} out"))
    found = [names[query_ids[row]] for row in rows]
    classes = tuple(sorted(set(found))) if len(set(found)) > 2 else tuple(NAMES.values())
    if len(set(found)) < 2 or not set(found) <= set(classes):
        counts = dict.fromkeys(classes, 0) | {name: found.count(name) for name in dict.fromkeys(found)}
        listed = " and ".join(f"{counts[name]:,} {name}" for name in sorted(counts, reverse=True))
        remedy = (
            "Check that query_id means the same in both tables." if notes else "Label queries of the other kind too."
        )
        raise DataError(
            f"An intent study needs queries of both kinds, or of more than two classes: got {listed} "
            f"among the {counted(len(query_ids), 'query', 'queries')} with results.",
            remedy=remedy,
        )
    place = {name: code for code, name in enumerate(classes)}
    return MatchedIntents(rows, np.array([place[name] for name in found], dtype=np.int64), classes, notes)


def _class_of(label: Any) -> str:
    if isinstance(label, str) and label.strip():
        return label
    if label not in NAMES:
        expected = "1 (navigational) or 0 (informational), or the names of classes"
        raise DataError(parameter="intents", expected=expected, got=label)
    return NAMES[label]


def _unmatched(query_ids: Sequence[str], intents: Intents) -> list[str]:
    known, notes = set(query_ids), []
    without = [query_id for query_id in query_ids if query_id not in intents]
    if without:
        verb = "has no label and is" if len(without) == 1 else "have no label and are"
        notes.append(f"{len(without):,} of {len(query_ids):,} queries {verb} left out, such as {without[0]}.")
    foreign = [query_id for query_id in intents if query_id not in known]
    if foreign:
        verb = "has no results and is" if len(foreign) == 1 else "have no results and are"
        notes.append(f"{len(foreign):,} of {len(intents):,} labelled queries {verb} left out, such as {foreign[0]}.")
    return notes
