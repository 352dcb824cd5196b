"""The result of an intent study: plain values, ready for the report."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from glassrank.core.input_types import Frame
from glassrank.drawing.text_table import align
from glassrank.navigational.coupling.baselines import Baseline
from glassrank.navigational.coupling.coupling_chart import RankChart
from glassrank.navigational.coupling.coupling_result import Coupled, CouplingResult
from glassrank.studies.intent.assessment import Assessment, TimeSplit

SIMULATED = "Simulated data: a program generated the queries, lists and clicks. They are not evidence about real users."
MIN_QUERIES_PER_CLASS = 50


@dataclass(frozen=True, eq=False, repr=False)
class IntentResult:
    """An intent study: tables 1 to 4 and figures 2 and 3 of Lu, Peng, Li and Ahmed (2006), on your own queries."""

    title: str
    simulated: bool
    facts: dict[str, str]
    coupling: CouplingResult
    """Tables 1 to 4, and figure 3."""
    profiles: tuple[RankChart, ...]
    """Figure 2: features over the ranks of the lists."""
    absent: Mapping[str, tuple[str, ...]]
    """Missing source → the features that are left out because of it."""
    notes: tuple[str, ...]
    commands: tuple[str, ...]
    versions: dict[str, str]
    folder: Path | None = None
    assessment: Assessment = field(default_factory=Assessment)
    """Baselines, held-out probabilities, and the split by time."""

    def lead(self) -> str:
        """Summarise the result in a few sentences."""
        found, best = self.coupling, self.coupling.best
        if best.selector is None:
            highest = f"The highest F1 is {_f1(best)}, by {best.classifier} on all columns"
        else:
            highest = (
                f"With {best.n_features:g} columns, the highest F1 is {_f1(best)}, by {best.classifier} on "
                f"columns selected by '{best.selector}'"
            )
        parts = [
            f"{found.n_positive:,} of {found.n_rows:,} queries are navigational.",
            f"{highest}{_ties(found)}. As the best of {len(found.coupled)}, it is optimistic.",
            *_beside_baseline(best, self.assessment.best_baseline),
            *([_beside_all(best, found[None, best.classifier])] if best.selector is not None else []),
            *_few(found),
        ]
        return " ".join(parts)

    def __str__(self) -> str:
        parts = [self.title]
        parts += [SIMULATED] if self.simulated else []
        parts += [str(self.coupling), *self._assessed(), *_few(self.coupling), *self.notes]
        parts += [f"Report: {self.folder / 'report.html'}"] if self.folder else []
        return "\n".join(parts)

    __repr__ = __str__

    def _assessed(self) -> list[str]:
        """Baselines, the Brier score and the split by time as text."""
        found, parts = self.assessment, []
        if found.baselines:
            rows = [(one.name, f"{one.f1:.3f} ± {one.f1_std:.3f}", one.what) for one in found.baselines]
            parts.append(f"\nBaselines: F1 ± std over the same folds\n{align(rows)}")
            parts += _beside_baseline(self.coupling.best, found.best_baseline)
        if found.held_out:
            brier, constant = found.brier
            parts.append(f"Brier score of held-out probabilities: {brier:.3f} (always the share: {constant:.3f})")
        if found.time_split is not None:
            parts.append(later_text(found.time_split))
        return parts

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with one row per coupling and point of figure 3."""
        return self.coupling.to_frame(backend)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return {
            **{name: getattr(self, name) for name in ("title", "simulated", "facts", "notes", "commands", "versions")},
            "absent": {need: list(names) for need, names in self.absent.items()},
            "coupling": self.coupling.to_dict(),
            "assessment": self.assessment.to_dict(),
            "profiles": [_plain_profile(one) for one in self.profiles],
            "folder": None if self.folder is None else str(self.folder),
        }

    def to_json(self) -> str:
        """Return everything as JSON."""
        return json.dumps(self.to_dict())


def later_text(split: TimeSplit) -> str:
    """Say what the split by time shows."""
    when = datetime.fromtimestamp(split.time, UTC).strftime("%Y-%m-%d %H:%M")
    same, later = split.f1
    return (
        f"Split by time: trained on events up to {when} UTC, F1 on held-out queries is {same:.3f} with events of the "
        f"same period and {later:.3f} with later events."
    )


def _beside_baseline(best: Coupled, baseline: Baseline | None) -> list[str]:
    """Compare with the best baseline, which may win."""
    if baseline is None:
        return []
    own, other = round(best.f1, 3), round(baseline.f1, 3)
    reached = f"The best baseline, {baseline.name}, reaches {other:.3f}"
    if other >= own:
        return [f"{reached} and is {'better' if other > own else 'as good'}: the coupling gains nothing over it."]
    if own - other <= max(best.f1_std, baseline.f1_std):
        return [f"{reached}; the difference of {own - other:.3f} is within the spread over folds."]
    return [f"{reached}, {own - other:.3f} less."]


def _f1(one: Coupled) -> str:
    return f"{one.f1:.3f} (± {one.f1_std:.3f} over folds)"


def _ties(found: CouplingResult) -> str:
    """The number of other couplings with the same F1 as displayed."""
    others = len(equally_good(found)) - 1
    if not others:
        return ""
    return f" ({others} {'others reach' if others > 1 else 'other reaches'} the same)"


def equally_good(found: CouplingResult) -> list[Coupled]:
    """Return the couplings with the highest F1, rounded to the three decimals that are shown."""
    return [one for one in found.coupled if f"{one.f1:.3f}" == f"{found.best.f1:.3f}"]


def _beside_all(best: Coupled, whole: Coupled) -> str:
    """Compare with the same classifier without selection, and judge the difference by the spread over folds."""
    sentence = f"On all columns, the same classifier reaches {_f1(whole)}"
    # Subtract the rounded numbers, so that a reader who subtracts them gets the same.
    difference = round(best.f1, 3) - round(whole.f1, 3)
    if f"{difference:.3f}" == "0.000":
        return f"{sentence}, the same F1."
    if difference <= max(best.f1_std, whole.f1_std):
        return f"{sentence}. The difference of {difference:.3f} is within the spread over folds and means little."
    return f"{sentence}, {difference:.3f} less."


def _few(found: CouplingResult) -> list[str]:
    """A warning if one class has few queries."""
    counts = {"navigational": found.n_positive, "informational": found.n_rows - found.n_positive}
    rarer = min(counts, key=lambda name: counts[name])
    if counts[rarer] >= MIN_QUERIES_PER_CLASS:
        return []
    return [f"Only {counts[rarer]:,} queries are {rarer}: too few for firm conclusions."]


def _plain_profile(chart: RankChart) -> dict[str, Any]:
    """The values of a chart; None if no list has a value."""
    curves = [
        {
            "name": name,
            "n_queries": n_queries,
            **{key: _known(values) for key, values in (("low", low), ("mean", mean), ("high", high))},
        }
        for name, low, mean, high, n_queries in chart.kinds
    ]
    return {"feature": chart.feature, "curves": curves}


def _known(values: Any) -> list[float | None]:
    return [None if value != value else float(value) for value in values]
