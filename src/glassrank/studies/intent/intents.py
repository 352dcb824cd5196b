"""Labelled intents of queries: navigational (1) or informational (0)."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from glassrank.core.checks import DataError, IntArray
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.data.delimited import check_delimiter
from glassrank.data.logs.fault_kinds import KINDS
from glassrank.data.logs.log_file import inspect_file
from glassrank.data.logs.log_reading import LogReading, LogTally
from glassrank.data.logs.schemas import SchemaPart

LABELS = {"1": 1, "0": 0, "navigational": 1, "informational": 0}
COLUMNS = ("query_id", "label")
INTENTS = SchemaPart("intents", "intents", COLUMNS, COLUMNS)


def load_intents(path: str | os.PathLike[str], *, label_map: Mapping[str, str] | None = None) -> dict[str, int]:
    """Read a table with the columns query_id and label; a label is navigational (1) or informational (0).

    ``label_map`` maps other labels of the file to one of these two, such as ``{"transactional": "informational"}``. The
    file is CSV, TSV, JSON lines or Parquet, optionally compressed with gzip or xz. Any faulty line is an error.

    >>> from pathlib import Path
    >>> _ = Path("intents.csv").write_text("query_id,label\\nq1,navigational\\nq2,0\\nq3,Transactional\\n")
    >>> load_intents("intents.csv", label_map={"transactional": "informational"})
    {'q1': 1, 'q2': 0, 'q3': 0}
    """
    codes = LABELS | mapped_labels(label_map or {})
    intents: dict[str, int] = {}
    unused = {label.casefold(): label for label in label_map or {}}
    for place, query_id, label in _labelled_lines(path):
        if label not in codes:
            raise DataError(
                f"{place}: expected one of the labels {', '.join(LABELS)}: got {label!r}.",
                remedy=("Correct the line or drop it", f"map the label to one of these with {setting('label_map')}"),
            )
        unused.pop(label, None)
        if intents.setdefault(query_id, codes[label]) != codes[label]:
            raise DataError(f"{place}: {query_id!r} has both labels.", remedy="Keep one.")
    if unused:
        absent = next(iter(unused.values()))
        raise DataError(f"{path}: there is no label {absent!r} to map.", remedy="Check its spelling, or leave it out.")
    return intents


def load_query_ids(path: str | os.PathLike[str]) -> list[str]:
    """Read the query_id of every line of a table of intents, whatever the labels."""
    return list(dict.fromkeys(query_id for _, query_id, _ in _labelled_lines(path)))


def mapped_labels(label_map: Mapping[str, str]) -> dict[str, int]:
    """Return the code of each mapped label; letter case does not matter.

    >>> mapped_labels({"Transactional": "informational"})
    {'transactional': 0}
    """
    wrong = next((target for target in label_map.values() if target.casefold() not in LABELS), None)
    if wrong is not None:
        raise DataError(parameter="label_map", expected=f"labels mapped to one of {', '.join(LABELS)}", got=wrong)
    return {label.casefold(): LABELS[target.casefold()] for label, target in label_map.items()}


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
    for line, values in file.records(INTENTS, {}, tally):
        query_id, label = ((value or "").strip() for value in values)
        if not query_id or not label:
            raise DataError(
                f"{file.place(line)}: expected a query_id and a label: got {query_id!r} and {label!r}.",
                remedy="Correct the line or drop it.",
            )
        n_lines += 1
        yield file.place(line), query_id, label.casefold()
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
    """1 for navigational, 0 for informational."""
    notes: tuple[str, ...]
    """Notes on queries without labels and labels without results."""


def match_intents(query_ids: Sequence[str], intents: Mapping[str, int], *, strict: bool = False) -> MatchedIntents:
    """Look up the intents of queries. Queries without one are left out with a note, or an error if ``strict``.

    >>> match_intents(["q1", "q2", "q3"], {"q1": 1, "q3": 0}).notes
    ('1 of 3 queries has no label and is left out, such as q2.',)
    """
    wrong = next((value for value in intents.values() if value not in (0, 1)), None)
    if wrong is not None:
        raise DataError(parameter="intents", expected="1 (navigational) or 0 (informational)", got=wrong)
    rows = np.array([row for row, query_id in enumerate(query_ids) if query_id in intents], dtype=np.int64)
    y = np.array([intents[query_ids[row]] for row in rows], dtype=np.int64)
    notes = tuple(_unmatched(query_ids, intents))
    if notes and strict:
        raise DataError(notes[0], remedy=("Label exactly the queries of the results", f"leave {setting('strict')} out"))
    if not 0 < y.sum() < len(y):
        n = int(y.sum())
        remedy = (
            "Check that query_id means the same in both tables." if notes else "Label queries of the other kind too."
        )
        raise DataError(
            f"An intent study needs queries of both kinds: got {n:,} navigational and {len(y) - n:,} informational "
            f"among the {counted(len(query_ids), 'query', 'queries')} with results.",
            remedy=remedy,
        )
    return MatchedIntents(rows, y, notes)


def _unmatched(query_ids: Sequence[str], intents: Mapping[str, int]) -> list[str]:
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
