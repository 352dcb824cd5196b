"""The result of a distillation study: plain values, ready for the report."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from glassrank.core.checks import check_choice
from glassrank.core.frames import make_frame
from glassrank.core.wording import counted
from glassrank.drawing.text_table import align
from glassrank.metrics.agreement import Agreement
from glassrank.metrics.comparison import Comparison
from glassrank.metrics.verdict import is_different


@dataclass(frozen=True)
class SpherePoint:
    """The sphere at one setting, averaged over the topics."""

    kernel: str
    """Name of the kernel: ``"unit"``, ``"raw"``, or ``"raw text"`` with raw tf-idf rows."""
    share: float
    """Share p/|R| of the root set that the sphere is trained on."""
    C: float
    text_weight: float
    """μ, the weight of the text kernel."""
    n_topics: int
    train_size: float
    radius: float
    radius_range: tuple[float, float]
    """First and third quartile over the topics."""
    kept: float
    """Share of the root set that is accepted."""
    kept_trained: float
    """Share of the training pages that is accepted."""
    kept_unseen: float | None
    """Share of the other root pages that is accepted; None if all pages were trained on."""
    overlap: float
    """Shared pages among the first k authorities of SVDD → HITS and of HITS alone, over k."""
    overlap_top: float
    """The same with HITS on the p training pages, without a sphere."""
    tau: float | None
    """Kendall's tau b of their authority scores over all candidates, pruned ones tied last; None if undefined."""
    seconds: float
    """CPU seconds per topic to train the sphere and classify the pages."""
    precision: float | None = None
    """Precision at k of SVDD → HITS over the judged topics; None without judgements."""

    @property
    def setting(self) -> tuple[str, float, float, float]:
        """Kernel, share, C and text weight."""
        return self.kernel, self.share, self.C, self.text_weight


@dataclass(frozen=True)
class PrunedPage:
    """A page that the sphere rejected."""

    topic: str
    query: str
    title: str
    url: str
    distance: float
    radius: float
    search_rank: int
    label: float | None
    """Judgement, if there is one."""


@dataclass(frozen=True)
class StepTimes:
    """CPU seconds of a method by step. Medians over topics, because the first topic includes the set-up."""

    candidates: str
    method: str
    steps: dict[str, float]

    @property
    def total(self) -> float:
        """All steps together."""
        return sum(self.steps.values())


@dataclass(frozen=True)
class JudgedBy:
    """All methods on one kind of candidate set by the labels of one judge alone."""

    judge: str
    n_topics: int
    """Topics of which the judge labelled a page."""
    n_pages: int
    judged: float
    """Share of the first k pages that the judge labelled, for the method with the fewest; the rest counts as not
    relevant."""
    comparison: Comparison | None
    """Precision at k against the search ranking; None with fewer than two topics that have a relevant page."""


@dataclass(frozen=True)
class MeasuredSet:
    """All methods on one kind of candidate set."""

    candidates: str
    n_pages: float
    """Mean number of candidates per topic."""
    comparisons: tuple[Comparison, ...]
    """By measure and baseline; the first compares precision at k with the search ranking."""
    curves: dict[str, tuple[float, ...]]
    """Method → mean precision at 1, 2, …"""
    judged: dict[str, float]
    """Method → share of judged pages among its first k."""
    by_judge: tuple[JudgedBy, ...] = ()
    """The same by the labels of each judge; empty with fewer than two judges."""

    def printed(self) -> list[Comparison]:
        """The comparisons to print: precision against both baselines, other measures against the search ranking."""
        main = self.comparisons[0]
        return [one for one in self.comparisons if main.measure == one.measure or main.baseline == one.baseline]


@dataclass(frozen=True)
class Refusal:
    """A topic that a method could not rank, and why. Without results, it counts as an empty list."""

    topic: str
    candidates: str
    method: str
    reason: str
    searched: bool = False
    """Whether its list is that of the search, because the method found no links."""


@dataclass(frozen=True)
class RefusedTopics:
    """The number of topics that a method could not rank, and the first of them."""

    candidates: str
    method: str
    searched: bool
    """Whether their lists are those of the search."""
    n_topics: int
    topic: str
    reason: str


@dataclass(frozen=True, eq=False, repr=False)
class DistillationResult:
    """A study of distillation: the sphere over its settings, the pruned pages, time, and the methods compared."""

    title: str
    facts: dict[str, str]
    k: int
    topics: dict[str, str]
    """Topic → query."""
    default: tuple[str, float, float, float]
    """Kernel, share, C and text weight that are the distiller's default."""
    sphere: tuple[SpherePoint, ...]
    pruned: tuple[PrunedPage, ...]
    times: tuple[StepTimes, ...]
    measured: tuple[MeasuredSet, ...]
    """Empty without judgements."""
    refusals: tuple[Refusal, ...]
    notes: tuple[str, ...]
    commands: tuple[str, ...]
    versions: dict[str, str]
    folder: Path | None = None
    agreement: Agreement | None = None
    """How far the judges agree; None with fewer than two judges."""

    def at_default(self) -> SpherePoint | None:
        """The sphere at the settings of the methods that are compared."""
        return next((one for one in self.sphere if one.setting == self.default), None)

    def kernels(self) -> tuple[SpherePoint, ...]:
        """The sphere with each kernel, otherwise at the default setting."""
        return tuple(one for one in self.sphere if one.setting[1:] == self.default[1:])

    def grouped_refusals(self) -> list[RefusedTopics]:
        """Refusals by candidate set and method."""
        groups: dict[tuple[str, str, bool], list[Refusal]] = {}
        for one in self.refusals:
            groups.setdefault((one.candidates, one.method, one.searched), []).append(one)
        return [RefusedTopics(*key, len(ones), ones[0].topic, ones[0].reason) for key, ones in groups.items()]

    def lead(self) -> str:
        """Summarise the result in a few sentences; verdicts come from the paired tests only."""
        sentences = []
        found = self.at_default()
        if found is not None:
            unseen = "" if found.kept_unseen is None else f" and {found.kept_unseen:.0%} of the others"
            sentences.append(
                f"Averaged over {found.n_topics:,} topics, the sphere keeps {found.kept_trained:.0%} of its training "
                f"pages{unseen}. {found.overlap:.0%} of its top {self.k} authorities are also top {self.k} for HITS."
            )
        sentences += [_verdict_sentence(one) for one in self.measured]
        return " ".join(sentences) or "No topic could be distilled."

    def __str__(self) -> str:
        parts = [self.title, self.lead()]
        for one in self.measured:
            parts += [f"\n{one.candidates} set, {one.n_pages:,.0f} pages on average", *map(str, one.printed())]
            parts += [f"\n{main_measure(one)} by judge", align(judge_rows(one))] if one.by_judge else []
        parts += [f"\n{self.agreement}"] if self.agreement else []
        parts += [
            f"{'Search order for' if one.searched else 'No list from'} {one.method}, {one.candidates} set: "
            f"{one.n_topics:,} of {len(self.topics):,} topics, for example {one.topic}: {one.reason}"
            for one in self.grouped_refusals()
        ]
        parts += ["\nCPU milliseconds per topic, medians", _times_table(self.times)] if self.times else []
        parts += [f"Report: {self.folder / 'report.html'}"] if self.folder else []
        return "\n".join(parts)

    __repr__ = __str__

    def to_frame(self, part: str = "systems", backend: str | None = None) -> Any:
        """Return a data frame of one part: ``"systems"``, ``"judges"``, ``"sphere"``, ``"pruned"`` or ``"times"``."""
        parts = {
            "systems": self.system_rows,
            "judges": self.judge_system_rows,
            "sphere": lambda: [asdict(one) for one in self.sphere],
            "pruned": lambda: [asdict(one) for one in self.pruned],
            "times": self.time_rows,
        }
        check_choice("part", part, parts)
        rows = parts[part]()
        return make_frame({name: [row[name] for row in rows] for name in (rows[0] if rows else {})}, backend)

    def system_rows(self) -> list[dict[str, Any]]:
        """One row per candidate set, measure, baseline and method."""
        return [
            {"candidates": one.candidates, "measure": found.measure, "baseline": found.baseline, **asdict(system)}
            for one in self.measured
            for found in one.comparisons
            for system in found.systems
        ]

    def judge_system_rows(self) -> list[dict[str, Any]]:
        """One row per candidate set, judge and method; no rows with fewer than two judges."""
        return [
            {"candidates": one.candidates, "judge": own.judge, "measure": own.comparison.measure, **asdict(system)}
            for one in self.measured
            for own in one.by_judge
            if own.comparison is not None
            for system in own.comparison.systems
        ]

    def time_rows(self) -> list[dict[str, Any]]:
        """One row per candidate set, method and step."""
        return [
            {"candidates": one.candidates, "method": one.method, "step": step, "seconds": seconds}
            for one in self.times
            for step, seconds in one.steps.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        whole = {name: getattr(self, name) for name in ("title", "facts", "k", "topics", "default", "notes")}
        rows = {name: [asdict(one) for one in getattr(self, name)] for name in ("sphere", "pruned", "times")}
        rows |= {name: [asdict(one) for one in getattr(self, name)] for name in ("measured", "refusals")}
        agreement = None if self.agreement is None else self.agreement.to_dict()
        return {**whole, **rows, "agreement": agreement, "folder": None if self.folder is None else str(self.folder)}

    def to_json(self) -> str:
        """Return everything as JSON."""
        return json.dumps(self.to_dict())


def main_measure(measured: MeasuredSet) -> str:
    """The measure of the results by judge, such as P@10."""
    return measured.comparisons[0].measure.upper()


def judge_rows(measured: MeasuredSet) -> list[list[str]]:
    """A row per method: its mean by the labels of each judge, and the verdict against the search ranking."""
    head = ["system", *(one.judge for one in measured.by_judge)]
    systems = [system.name for system in measured.comparisons[0].systems]
    return [head, *([name, *(_by_judge(one.comparison, name) for one in measured.by_judge)] for name in systems)]


def _by_judge(comparison: Comparison | None, method: str) -> str:
    if comparison is None:
        return "too few topics"
    system = comparison[method]
    said = system.verdict if is_different(system.verdict) else ""
    return f"{system.mean:.3f} {said}".strip()


def _verdict_sentence(measured: MeasuredSet) -> str:
    main = measured.comparisons[0]
    base = main[main.baseline]
    by_verdict: dict[str, list[str]] = {}
    for system in sorted(main.others, key=lambda one: not is_different(one.verdict)):
        by_verdict.setdefault(system.verdict, []).append(f"{system.name} ({system.mean:.3f})")
    found = [f"{verdict}: {', '.join(systems)}" for verdict, systems in by_verdict.items()]
    opening = f"On the {measured.candidates} set, {base.name} reaches {main.measure.upper()} {base.mean:.3f}."
    said = f"{opening} In comparison, {'; '.join(found)}." if found else opening
    return f"{said} {power_sentence(main)}"


def power_sentence(comparison: Comparison) -> str:
    """Say how large a difference must be to be found with so many topics.

    >>> from glassrank.metrics.compare_values import compare_values
    >>> values = {"bm25": [0.2, 0.4, 0.1, 0.3, 0.5, 0.2, 0.4], "hits": [0.3, 0.4, 0.3, 0.2, 0.6, 0.2, 0.3]}
    >>> power_sentence(compare_values(values, measure="p@10", baseline="bm25", random_state=0))
    'With 7 topics, differences in P@10 below 0.14 are unlikely to be found (80 % power).'
    """
    topics = f"With {counted(comparison.n_queries, 'topic')}"
    found = [one.detectable_difference for one in comparison.others]
    known = [one for one in found if one]
    if not known:
        return f"{topics}, no difference can be shown: judge more topics."
    measure = comparison.measure.upper()
    return f"{topics}, differences in {measure} below {min(known):.2g} are unlikely to be found (80 % power)."


def _times_table(times: tuple[StepTimes, ...]) -> str:
    steps = list(dict.fromkeys(step for one in times for step in one.steps))
    rows = [("set", "method", *steps, "total")]
    for one in times:
        cells = (f"{1000 * one.steps[step]:.1f}" if step in one.steps else "" for step in steps)
        rows.append((one.candidates, one.method, *cells, f"{1000 * one.total:.1f}"))
    return align(rows)
