"""The result of comparing systems over the same queries."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from glassrank.core.frames import make_frame
from glassrank.core.input_types import Frame
from glassrank.core.wording import counted
from glassrank.drawing.text_table import align
from glassrank.metrics.verdict import difference_in_words


@dataclass(frozen=True)
class ComparedSystem:
    """One system's mean with its interval, and how it differs from the baseline (None for the baseline itself)."""

    name: str
    mean: float
    interval: tuple[float, float]
    verdict: str
    """What the difference's interval shows: "better", "worse", "as good within ±0.01" if there is a margin, "undecided,
    within ±0.014", or "too few queries" for an interval. The baseline's own verdict is "baseline".
    """
    difference: float | None = None
    """Mean of the system minus mean of the baseline."""
    difference_interval: tuple[float, float] | None = None
    """The differences that the test does not reject at ``level``; None if it can reject none with so few queries."""
    level: float | None = None
    """Level of the test: 1 − confidence, or the level at which Holm's method judged the system."""
    p_value: float | None = None
    """p-value of the paired randomisation test or, on one query, of the bootstrap over documents."""
    adjusted_p_value: float | None = None
    """p-value adjusted by Holm's method; that of a system that is tested by itself is not adjusted."""
    detectable_difference: float | None = None
    """Smallest difference that the test detects with 80 % power; None if there are too few queries to detect any, and
    on one query.
    """


@dataclass(frozen=True)
class Comparison:
    """Systems measured on the same queries, with query-bootstrap intervals and a paired test against a baseline.

    >>> from glassrank.metrics.compare import compare
    >>> y, qid = [1, 0] * 8, [query for query in range(8) for _ in range(2)]
    >>> print(compare({"old": [1, 2] * 8, "new": [2, 1] * 8}, y, qid=qid, measure="mrr"))
    mrr, convention standard, 8 queries
    system  mean    95 % interval     difference  interval          level  p        detectable  verdict
    old     0.5000  [0.5000, 0.5000]                                                            baseline
    new     1.0000  [1.0000, 1.0000]  +0.500      +0.500 to +0.500  95 %   0.00781  0.0000      better
    Differences: system − old. Intervals: what the paired randomisation test, all 256 sign patterns, does not reject.
    Each system is tested by itself.
    """

    measure: str
    convention: str
    baseline: str
    confidence: float
    n_queries: int
    """Number of queries in every mean."""
    left_out: int
    """Number of queries left out for all systems because the measure is undefined for at least one."""
    test: str
    systems: tuple[ComparedSystem, ...]
    asked: tuple[str, ...] = ()
    """Systems that are tested by themselves; Holm's method adjusts for the number of the others."""
    margin: float | None = None
    """Largest difference with which a system is as good as the baseline; None if there is none."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Labels to print instead of the systems' names; two systems may have the same label."""
    notes: tuple[str, ...] = ()
    """What to know about the numbers, such as how many lists count as 0 because they are shorter than the cutoff."""
    n_documents: int | None = None
    """Number of documents of the one query, if they are resampled instead of queries; otherwise None."""

    def label(self, name: str) -> str:
        """Return the label of a system, or its name if it has no label."""
        return self.labels.get(name, name)

    @property
    def others(self) -> list[ComparedSystem]:
        """The systems but the baseline, those first that are tested by themselves."""
        others = [system for system in self.systems if system.name != self.baseline]
        return sorted(others, key=lambda system: system.name not in self.asked)

    @property
    def ranked(self) -> tuple[ComparedSystem, ...]:
        """The systems that are tested by themselves, and then all others, the highest mean first."""
        rest = sorted((one for one in self.systems if one.name not in self.asked), key=lambda one: -one.mean)
        return (*map(self.__getitem__, self.asked), *rest)

    def numbers(self, name: str) -> str:
        """Return a system's difference from the baseline with its interval and p-value."""
        one = self[name]
        difference, interval = difference_in_words(one.difference or 0.0, one.difference_interval, self.margin)
        p = f"p = {one.p_value:.2g}" if name in self.asked else f"Holm p = {one.adjusted_p_value:.2g}"
        shown = f"{_confidence(one)} interval {interval}, {p}" if interval else p
        return f"{difference} {self.measure.upper()} ({shown})"

    def sentence(self, name: str) -> str:
        """Say how a system compares with the baseline."""
        label, base = self.label(name), self.label(self.baseline)
        return f"Compared with {base}, {label}: {self[name].verdict}, {self.numbers(name)}."

    @property
    def how_tested(self) -> tuple[str, ...]:
        """Say what the differences and their intervals are, and which systems are tested together."""
        adjusted = [self.label(one.name) for one in self.others if one.name not in self.asked]
        by_itself = ", ".join(map(self.label, self.asked))
        said = f"Differences: system − {self.label(self.baseline)}. Intervals: what the {self.test}, does not reject."
        if not adjusted:
            return said, "Each system is tested by itself."
        together = f"Adjusted by Holm’s method among themselves: {', '.join(adjusted)}."
        return said, f"Tested by itself: {by_itself}. {together}" if by_itself else together

    def __getitem__(self, name: str) -> ComparedSystem:
        found = {system.name: system for system in self.systems}
        if name not in found:
            raise KeyError(f"{name!r} was not compared, only {', '.join(found)}")
        return found[name]

    def __str__(self) -> str:
        queries = counted(self.n_queries, "query", "queries") + (
            f", {self.left_out:,} left out" if self.left_out else ""
        )
        queries += "" if self.n_documents is None else f" with {counted(self.n_documents, 'document')}"
        interval = f"{100.0 * self.confidence:g} % interval"
        header = ["system", "mean", interval, "difference", "interval", "level", "p", "Holm p", "detectable", "verdict"]
        rows = [header, *map(self._cells, self.systems)]
        title = f"{self.measure}, convention {self.convention}, {queries}"
        if len(self.systems) == 1:
            return "\n".join([title, align([row[:3] for row in rows]), *self.notes])
        if len(self.asked) == len(self.others):
            rows = [[*row[:7], *row[8:]] for row in rows]
        return "\n".join([title, align(rows), *self.how_tested, *self.notes])

    def _cells(self, system: ComparedSystem) -> list[str]:
        """Return one row of the printed table."""
        low, high = system.interval
        start = [self.label(system.name), f"{system.mean:.4f}", f"[{low:.4f}, {high:.4f}]"]
        if system.difference is None:
            return [*start, "", "", "", "", "", "", system.verdict]
        detectable = system.detectable_difference
        return [
            *start,
            *difference_in_words(system.difference, system.difference_interval, self.margin),
            _confidence(system),
            f"{system.p_value:.3g}",
            "" if system.name in self.asked else f"{system.adjusted_p_value:.3g}",
            "none" if detectable is None else f"{detectable:.4f}",
            system.verdict,
        ]

    __repr__ = __str__

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with one row per system."""
        rows = [_columns(system) for system in self.systems]
        return make_frame({column: [row[column] for row in rows] for column in rows[0]}, backend)

    def to_dict(self) -> dict[str, Any]:
        """Return the whole comparison as plain values."""
        return asdict(self) | {"sentences": [self.sentence(system.name) for system in self.others]}

    def to_json(self) -> str:
        """Return the whole comparison as JSON."""
        return json.dumps(self.to_dict())


def _columns(system: ComparedSystem) -> dict[str, Any]:
    """Return one row of the data frame; each interval becomes two columns."""
    (low, high), ends = system.interval, system.difference_interval or (None, None)
    row: dict[str, Any] = {"system": system.name, "mean": system.mean, "low": low, "high": high}
    row |= {"difference": system.difference, "difference_low": ends[0], "difference_high": ends[1]}
    last = ("level", "p_value", "adjusted_p_value", "detectable_difference", "verdict")
    return row | {name: getattr(system, name) for name in last}


def _confidence(system: ComparedSystem) -> str:
    """Return the confidence of the interval of a difference."""
    if system.level is None or system.difference_interval is None:
        return ""
    return f"{100.0 * (1.0 - system.level):.4g} %"
