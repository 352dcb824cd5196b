"""What was read of a source and what was not: counted while reading, reported afterwards."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from glassrank.core.checks import DataError
from glassrank.core.frames import make_frame
from glassrank.core.input_types import Frame
from glassrank.core.setting import setting
from glassrank.core.wording import counted

_LENIENT = f"read {setting('strict', False, python='with strict=False')}"
_PASSED_BY = f"{_LENIENT}, which skips it"
_AGAIN = ("Copy or download it again", _PASSED_BY)
_CORRECT = ("Correct or remove it", _PASSED_BY)

# Beginning of a kind → remedies. What is not here is no fault: a picture, an error page, what was left out on purpose.
FAULTS: dict[str, tuple[str, ...]] = {
    "unreadable file": ("Check that it exists and may be read", _PASSED_BY),
    "unreadable folder": ("Check that it may be read", _PASSED_BY),
    "name outside the archive": _CORRECT,
    "sparse file in the archive": ("Unpack the archive and open that folder", _PASSED_BY),
    "data after the end of the archive": (
        "Unpack all of it (tar --ignore-zeros -x) and open that folder",
        f"{_LENIENT}, which leaves it out",
    ),
    "damaged record": _AGAIN,
    "damaged response": _AGAIN,
    "record without a usable address": _CORRECT,
    "record that is no HTTP response": _CORRECT,
    "content packed by": ("Unpack it", _PASSED_BY),
    "empty file": _CORRECT,
    "no HTML (binary)": _CORRECT,
    "page of more than 64 MB": _CORRECT,
    "page nested too deep": _CORRECT,
    "address that an earlier page has": ("Keep one of the pages", f"{_LENIENT}, which keeps the first"),
    "page with bytes that its charset does not know": (
        "Declare the right charset",
        f"{_LENIENT}, which puts � for each such byte",
    ),
    "redirect that leads nowhere": _CORRECT,
    "circle of redirects": ("Correct it", f"{_LENIENT}, which keeps the links as they are"),
}


def remedies_of(kind: str) -> tuple[str, ...]:
    """Return what helps against a fault; nothing for a kind that is none.

    >>> remedies_of("other file (.png)"), remedies_of("damaged record (damaged gzip data)")[0]
    ((), 'Copy or download it again')
    """
    return next((remedies for beginning, remedies in FAULTS.items() if kind.startswith(beginning)), ())


SHOWN_EXAMPLES = 5


@dataclass(frozen=True)
class Incidents:
    """How often something happened, and the first places where it did."""

    count: int
    examples: tuple[str, ...] = ()

    def __str__(self) -> str:
        more = ", …" if self.count > len(self.examples) else ""
        return f"{self.count:,} ({', '.join(self.examples)}{more})" if self.examples else f"{self.count:,}"


@dataclass(frozen=True)
class Reading:
    """Report of how a collection was read: pages and links, what was skipped and what was noted on the way.

    >>> tally = ReadingTally()
    >>> tally.skip("empty file", "a/nothing.html")
    >>> print(tally.report("folder", "folder of HTML files", pages=2, links=3))
    folder: folder of HTML files, 2 pages, 3 links
      skipped  empty file: 1 (a/nothing.html)
    """

    source: str
    kind: str
    pages: int
    links: int
    skipped: Mapping[str, Incidents]
    noted: Mapping[str, Incidents]

    def __str__(self) -> str:
        lines = [f"{self.source}: {self.kind}, {counted(self.pages, 'page')}, {counted(self.links, 'link')}"]
        lines += [f"  skipped  {kind}: {incidents}" for kind, incidents in self.skipped.items()]
        lines += [f"  noted    {kind}: {incidents}" for kind, incidents in self.noted.items()]
        return "\n".join(lines)

    @property
    def n_skipped(self) -> int:
        """Number of files or records that gave no page."""
        return sum(incidents.count for incidents in self.skipped.values())

    @property
    def n_faults(self) -> int:
        """Number of faults of the source, whether something was skipped or only noted."""
        kinds = {**self.skipped, **self.noted}
        return sum(incidents.count for kind, incidents in kinds.items() if remedies_of(kind))

    def to_json(self) -> str:
        """Return the report as JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> "Reading":
        """Make the report from what ``dataclasses.asdict`` gives, also after a way through JSON."""
        fields = dict(plain)
        for name in ("skipped", "noted"):
            fields[name] = {
                kind: Incidents(incidents["count"], tuple(incidents["examples"]))
                for kind, incidents in fields[name].items()
            }
        return cls(**fields)

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return one row for each kind of incident."""
        rows = [
            (part, kind, incidents)
            for part, group in (("skipped", self.skipped), ("noted", self.noted))
            for kind, incidents in group.items()
        ]
        columns = {
            "part": [part for part, _, _ in rows],
            "kind": [kind for _, kind, _ in rows],
            "count": [incidents.count for _, _, incidents in rows],
            "examples": [", ".join(incidents.examples) for _, _, incidents in rows],
        }
        return make_frame(columns, backend)

    def with_note(self, kind: str, place: str) -> "Reading":
        """Return the report with one more note."""
        noted = {**self.noted, kind: Incidents(1, (place,))}
        return Reading(self.source, self.kind, self.pages, self.links, self.skipped, noted)


@dataclass
class ReadingTally:
    """Counts of what happens while a source is read; when ``strict``, the first fault is an error."""

    strict: bool = False
    _skipped: dict[str, list[Any]] = field(default_factory=dict)
    _noted: dict[str, list[Any]] = field(default_factory=dict)

    def skip(self, kind: str, place: str) -> None:
        """Count a file or record that gives no page."""
        self._refuse_fault(kind, place)
        _count(self._skipped, kind, 1, place)

    def note(self, kind: str, place: str, times: int = 1) -> None:
        """Count something that the reader should know, though nothing was skipped."""
        self._refuse_fault(kind, place)
        _count(self._noted, kind, times, place)

    def report(self, source: str, kind: str, pages: int, links: int) -> Reading:
        """Return what was counted, the most frequent first."""
        return Reading(source, kind, pages, links, _incidents(self._skipped), _incidents(self._noted))

    def _refuse_fault(self, kind: str, place: str) -> None:
        if self.strict and (remedies := remedies_of(kind)):
            raise DataError(f"{place}: {kind}.", remedy=remedies)


def _count(counts: dict[str, list[Any]], kind: str, times: int, place: str) -> None:
    entry = counts.setdefault(kind, [0, []])
    entry[0] += times
    if len(entry[1]) < SHOWN_EXAMPLES and place and place not in entry[1]:
        entry[1].append(place)


def _incidents(counts: dict[str, list[Any]]) -> dict[str, Incidents]:
    ordered = sorted(counts.items(), key=lambda item: (-item[1][0], item[0]))
    return {kind: Incidents(count, tuple(examples)) for kind, (count, examples) in ordered}
