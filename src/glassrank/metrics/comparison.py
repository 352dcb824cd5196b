"""The result of comparing systems over the same queries."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from glassrank.core.frames import make_frame
from glassrank.core.input_types import Frame
from glassrank.core.wording import counted
from glassrank.drawing.text_table import align

NOT_SIGNIFICANT, TOO_FEW = "not significantly different", "too few queries"


@dataclass(frozen=True)
class ComparedSystem:
    """One system's mean with its interval, and how it differs from the baseline (None for the baseline itself)."""

    name: str
    mean: float
    interval: tuple[float, float]
    verdict: str
    """Better, worse or not significantly different, by the paired test; "too few queries" if no difference between
    these numbers of queries and systems could be significant. The baseline's own verdict is "baseline".
    """
    difference: float | None = None
    """Mean of the system minus mean of the baseline."""
    difference_interval: tuple[float, float] | None = None
    p_value: float | None = None
    """p-value of the paired randomisation test or, on one query, of the bootstrap over documents."""
    adjusted_p_value: float | None = None
    """p-value adjusted by Holm's method over all systems compared with the baseline."""
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
    system  mean    95 % interval     difference  95 % interval       p        Holm p   detectable  verdict
    old     0.5000  [0.5000, 0.5000]                                                                baseline
    new     1.0000  [1.0000, 1.0000]  +0.5000     [+0.5000, +0.5000]  0.00781  0.00781  0.0000      better
    verdict: paired randomisation test, all 256 sign patterns; Holm p < 0.05
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
    def alpha(self) -> float:
        """Level of the test: 1 − confidence."""
        return significance_level(self.confidence)

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
        header = ("system", "mean", interval, "difference", interval, "p", "Holm p", "detectable", "verdict")
        rows = [header, *(_cells(system, self.label(system.name)) for system in self.systems)]
        title = f"{self.measure}, convention {self.convention}, {queries}"
        if len(self.systems) == 1:
            return "\n".join([title, align([row[:3] for row in rows]), *self.notes])
        verdict = f"verdict: {self.test}; Holm p < {self.alpha:g}"
        return "\n".join([title, align(rows), verdict, *self.notes])

    __repr__ = __str__

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with one row per system."""
        rows = [_columns(system) for system in self.systems]
        return make_frame({column: [row[column] for row in rows] for column in rows[0]}, backend)

    def to_dict(self) -> dict[str, Any]:
        """Return the whole comparison as plain values."""
        return asdict(self)

    def to_json(self) -> str:
        """Return the whole comparison as JSON."""
        return json.dumps(self.to_dict())


def significance_level(confidence: float) -> float:
    """Return the level of the test, rounded, because 1 − 0.95 is slightly above 0.05 in floating point."""
    return round(1.0 - confidence, 12)


def _columns(system: ComparedSystem) -> dict[str, Any]:
    """Return one row of the data frame; each interval becomes two columns."""
    low, high = system.difference_interval or (None, None)
    return {
        "system": system.name,
        "mean": system.mean,
        "low": system.interval[0],
        "high": system.interval[1],
        "difference": system.difference,
        "difference_low": low,
        "difference_high": high,
        "p_value": system.p_value,
        "adjusted_p_value": system.adjusted_p_value,
        "detectable_difference": system.detectable_difference,
        "verdict": system.verdict,
    }


def _cells(system: ComparedSystem, label: str) -> tuple[str, ...]:
    """Return one row of the printed table."""
    low, high = system.interval
    start = (label, f"{system.mean:.4f}", f"[{low:.4f}, {high:.4f}]")
    if system.difference_interval is None:
        return (*start, "", "", "", "", "", system.verdict)
    low, high = system.difference_interval
    detectable = system.detectable_difference
    return (
        *start,
        f"{system.difference:+.4f}",
        f"[{low:+.4f}, {high:+.4f}]",
        f"{system.p_value:.3g}",
        f"{system.adjusted_p_value:.3g}",
        "none" if detectable is None else f"{detectable:.4f}",
        system.verdict,
    )
