"""The reading report of a log: faults by kind, counted while reading and reported afterwards."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from glassrank.core.checks import DataError
from glassrank.core.frames import make_frame
from glassrank.core.input_types import Frame
from glassrank.core.wording import counted
from glassrank.data.logs.fault_kinds import KINDS
from glassrank.data.query_log import PLURALS
from glassrank.data.reading_report import SHOWN_EXAMPLES, Incidents

FATES = ("dropped", "kept", "noted")
_SHOWN_CHARACTERS = 40


@dataclass(frozen=True)
class LogReading:
    """Report on the reading of a log or a results table: rows read, events or results made, and faults found.

    ``dropped`` counts rows that were removed, ``kept`` faulty rows that remain, ``noted`` remarks that are not faults.

    >>> tally = LogTally()
    >>> tally.add("empty query", 2, [("log.tsv:3", "")])
    >>> print(tally.report("log.tsv", "aol", 10, {"search": 8, "impression": 0, "click": 5}))
    log.tsv: aol, 10 rows → 8 searches, 0 impressions, 5 clicks
      dropped  empty query: 2 (log.tsv:3 '', …)
    """

    source: str
    schema: str
    rows: int
    made: Mapping[str, int]
    dropped: Mapping[str, Incidents]
    kept: Mapping[str, Incidents]
    noted: Mapping[str, Incidents]

    def __str__(self) -> str:
        made = ", ".join(counted(count, thing, PLURALS.get(thing)) for thing, count in self.made.items())
        lines = [f"{self.source}: {self.schema}, {counted(self.rows, 'row')} → {made}"]
        return "\n".join(
            lines + [f"  {fate:<7}  {kind}: {found}" for fate in FATES for kind, found in getattr(self, fate).items()]
        )

    def __getitem__(self, kind: str) -> int:
        """Return how often a kind occurred.

        >>> LogTally().report("log.tsv", "aol", 0, {})["empty query"]
        0
        """
        if kind not in KINDS:
            raise DataError(f"There is no kind of fault {kind!r}. The kinds are: {', '.join(KINDS)}.")
        found = getattr(self, KINDS[kind].fate).get(kind)
        return 0 if found is None else found.count

    @property
    def n_faults(self) -> int:
        """Number of faults, whether the row was dropped or kept."""
        return sum(found.count for found in (*self.dropped.values(), *self.kept.values()))

    def to_json(self) -> str:
        """Return the report as JSON."""
        return json.dumps(asdict(self))

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return one row for each kind that occurred."""
        rows = [(fate, kind, found) for fate in FATES for kind, found in getattr(self, fate).items()]
        columns = {
            "fate": [fate for fate, _, _ in rows],
            "kind": [kind for _, kind, _ in rows],
            "count": [found.count for _, _, found in rows],
            "examples": [", ".join(found.examples) for _, _, found in rows],
        }
        return make_frame(columns, backend)


def advice_on(reading: LogReading) -> tuple[str, ...]:
    """Return the settings that may help with the most frequent reason for dropping rows."""
    worst = max(reading.dropped, key=lambda kind: reading.dropped[kind].count, default=None)
    return () if worst is None else KINDS[worst].advice


@dataclass
class LogTally:
    """Counts faults by kind; with ``strict``, the first fault raises an error."""

    strict: bool = False
    _counts: dict[str, int] = field(default_factory=dict)
    _examples: dict[str, list[str]] = field(default_factory=dict)

    def add(self, kind: str, count: int, found: Sequence[tuple[str, Any]]) -> None:
        """Add to the count of a kind, with the places and values of the first occurrences."""
        if not count:
            return
        about = KINDS[kind]
        if self.strict and about.fate != "noted":
            place, value = found[0]
            problem = f"{place}: {kind}: expected {about.expected}, got {_shown(value)}."
            raise DataError(problem, expected=about.expected, got=_shown(value), remedy=about.remedy)
        self._counts[kind] = self._counts.get(kind, 0) + count
        examples = self._examples.setdefault(kind, [])
        for place, value in found[: SHOWN_EXAMPLES - len(examples)]:
            examples.append(f"{place} {_shown(value)}".strip())

    def counted(self, *kinds: str) -> int:
        """Return how often these kinds occurred in total."""
        return sum(self._counts.get(kind, 0) for kind in kinds)

    def report(self, source: str, schema: str, rows: int, made: Mapping[str, int]) -> LogReading:
        """Return the report, most frequent kinds first."""
        ordered = sorted(self._counts.items(), key=lambda item: (-item[1], item[0]))
        found = {
            fate: {
                kind: Incidents(count, tuple(self._examples[kind]))
                for kind, count in ordered
                if KINDS[kind].fate == fate
            }
            for fate in FATES
        }
        return LogReading(source, schema, rows, made, **found)


def check_balance(source: str, things: str, read: int, accounted: int) -> None:
    """Raise an error if the counts do not add up: everything that was read must be kept or reported.

    >>> check_balance("log.tsv", "rows", 60, 10)
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: log.tsv: 60 rows were read, and 10 were kept or reported: expected equal \
numbers. This is a bug in glassrank: please report it with the file.
    """
    if read != accounted:
        raise DataError(
            f"{source}: {read:,} {things} were read, and {accounted:,} were kept or reported: expected equal numbers.",
            remedy="This is a bug in glassrank: please report it with the file.",
        )


def _shown(value: Any) -> str:
    """Return the repr of a value, shortened if it is long."""
    if value is None:
        return "nothing"
    return repr(value) if len(str(value)) <= _SHOWN_CHARACTERS else f"{str(value)[:_SHOWN_CHARACTERS]!r}…"
