"""The reading report of a collection: counts of what was read, skipped and noted."""

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
_SKIP = f"{_LENIENT}, which skips it"
_AGAIN = ("Copy or download it again", _SKIP)
_CORRECT = ("Correct or remove it", _SKIP)

# Prefix of a kind → remedies. Other kinds are not faults: a picture, an error page, a page excluded on purpose.
FAULTS: dict[str, tuple[str, ...]] = {
    "unreadable file": ("Check that it exists and is readable", _SKIP),
    "unreadable folder": ("Check that it is readable", _SKIP),
    "path outside the archive": _CORRECT,
    "sparse file in the archive": ("Unpack the archive and open that folder", _SKIP),
    "data after the end of the archive": (
        "Unpack all of it (tar --ignore-zeros -x) and open that folder",
        f"{_LENIENT}, which leaves it out",
    ),
    "damaged record": _AGAIN,
    "damaged response": _AGAIN,
    "record without a valid address": _CORRECT,
    "not an HTTP response": _CORRECT,
    "unsupported content encoding": ("Decompress it", _SKIP),
    "empty file": _CORRECT,
    "not HTML (binary)": _CORRECT,
    "page larger than 64 MB": _CORRECT,
    "page nested too deeply": _CORRECT,
    "element with too many attributes": _CORRECT,
    "file name without an address": (
        f"Describe the names with {setting('url_pattern')} or list the addresses with {setting('url_table')}",
        f"{_LENIENT}, which uses the path as its address",
    ),
    "duplicate address": ("Keep one of the pages", f"{_LENIENT}, which keeps the first"),
    "page with bytes that are invalid in its charset": (
        "Declare the right charset",
        f"{_LENIENT}, which replaces each such byte with �",
    ),
    "redirect without a valid target": _CORRECT,
    "redirect loop": ("Correct it", f"{_LENIENT}, which keeps the links unchanged"),
}


def remedies_of(kind: str) -> tuple[str, ...]:
    """Return the remedies for a fault; none for a kind that is not a fault.

    >>> remedies_of("other file (.png)"), remedies_of("damaged record (damaged gzip data)")[0]
    ((), 'Copy or download it again')
    """
    return next((remedies for beginning, remedies in FAULTS.items() if kind.startswith(beginning)), ())


SHOWN_EXAMPLES = 5


@dataclass(frozen=True)
class Incidents:
    """The number of occurrences, and the places of the first ones."""

    count: int
    examples: tuple[str, ...] = ()

    def __str__(self) -> str:
        more = ", …" if self.count > len(self.examples) else ""
        return f"{self.count:,} ({', '.join(self.examples)}{more})" if self.examples else f"{self.count:,}"


@dataclass(frozen=True)
class Reading:
    """Report on the reading of a collection: pages, links, and what was skipped or noted.

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
        """Number of files or records that are not pages."""
        return sum(incidents.count for incidents in self.skipped.values())

    @property
    def n_faults(self) -> int:
        """Number of faults of the source, skipped or only noted."""
        kinds = {**self.skipped, **self.noted}
        return sum(incidents.count for kind, incidents in kinds.items() if remedies_of(kind))

    def to_json(self) -> str:
        """Return the report as JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> "Reading":
        """Make the report from the result of ``dataclasses.asdict``, also after a round trip through JSON."""
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
        """Return the report with an additional note."""
        noted = {**self.noted, kind: Incidents(1, (place,))}
        return Reading(self.source, self.kind, self.pages, self.links, self.skipped, noted)


@dataclass
class ReadingTally:
    """Counts what happens while a source is read; with ``strict``, the first fault raises an error."""

    strict: bool = False
    _skipped: dict[str, list[Any]] = field(default_factory=dict)
    _noted: dict[str, list[Any]] = field(default_factory=dict)

    def skip(self, kind: str, place: str) -> None:
        """Count a file or record that is not a page."""
        self._refuse_fault(kind, place)
        _count(self._skipped, kind, 1, place)

    def note(self, kind: str, place: str, times: int = 1) -> None:
        """Count something worth knowing that skips nothing."""
        self._refuse_fault(kind, place)
        _count(self._noted, kind, times, place)

    def report(self, source: str, kind: str, pages: int, links: int) -> Reading:
        """Return the report, most frequent kinds first."""
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
