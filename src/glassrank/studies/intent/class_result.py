"""The result of an intent study of more than two classes: plain values, ready for the report."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from glassrank.core.frames import make_frame
from glassrank.core.input_types import Frame
from glassrank.drawing.text_table import align
from glassrank.metrics.verdict import difference_in_words, verdict
from glassrank.studies.intent.class_measures import ClassMeasures, MeasuredSystem
from glassrank.studies.intent.result import MIN_QUERIES_PER_CLASS, SIMULATED


@dataclass(frozen=True, eq=False, repr=False)
class IntentClassesResult:
    """An intent study of more than two classes: macro-F1 beside baselines, F1 of each class, and their confusion."""

    title: str
    simulated: bool
    facts: dict[str, str]
    measures: ClassMeasures
    absent: Mapping[str, tuple[str, ...]]
    """Missing source → the features that are left out because of it."""
    notes: tuple[str, ...]
    commands: tuple[str, ...]
    versions: dict[str, str]
    folder: Path | None = None

    def lead(self) -> str:
        """Summarise the result in a few sentences."""
        own, found = self.measures.own, self.measures
        by_class = ", ".join(
            f"{name} {_shown(one.f1)}" for name, one in zip(found.classes, own.confusion.by_class, strict=True)
        )
        few = [name for name, row in zip(found.classes, own.confusion.counts, strict=True) if _is_rare(row)]
        return " ".join(
            [
                f"Macro-F1 is {with_interval(own)} on {len(found.queries):,} held-out queries, with every choice made "
                "without them.",
                beside_baseline(found),
                f"F1 by class: {by_class}.",
                *([f"Too few queries for firm conclusions: {', '.join(few)}."] if few else []),
            ]
        )

    def __str__(self) -> str:
        parts = [self.title, *([SIMULATED] if self.simulated else []), self.lead()]
        parts += ["", align(_class_rows(self.measures)), "", align(_system_rows(self.measures)), *self.notes]
        return "\n".join(parts + ([f"Report: {self.folder / 'report.html'}"] if self.folder else []))

    __repr__ = __str__

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with one row per system and class."""
        rows = self.measures.rows()
        return make_frame({name: [row[name] for row in rows] for name in rows[0]}, backend)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        found = self.measures
        systems = [
            {
                "name": one.name,
                "macro_f1": one.macro_f1,
                "interval": one.interval,
                "difference": one.difference,
                "accuracy": one.confusion.accuracy,
                "confusion": one.confusion.counts,
            }
            for one in found.systems
        ]
        return {
            **{name: getattr(self, name) for name in ("title", "simulated", "facts", "notes", "commands", "versions")},
            "absent": {need: list(names) for need, names in self.absent.items()},
            "classes": list(found.classes),
            "systems": systems,
            "by_class": found.rows(),
            "brier": {name: dict(zip(("held_out", "share"), found.brier(name), strict=True)) for name in found.classes},
            "couplings": {name: dict(own) for name, own in found.couplings.items()},
            "selected": {name: dict(own) for name, own in found.selected.items()},
            "queries": [asdict(one) for one in found.queries],
            "folder": None if self.folder is None else str(self.folder),
        }

    def to_json(self) -> str:
        """Return everything as JSON."""
        return json.dumps(self.to_dict())


def with_interval(one: MeasuredSystem) -> str:
    """Return macro-F1 with its interval."""
    return f"{one.macro_f1:.3f} (95 % interval {one.interval[0]:.3f} to {one.interval[1]:.3f})"


def beside_baseline(found: ClassMeasures) -> str:
    """Compare with the best baseline, which may win."""
    best = found.best_baseline
    interval = best.difference or (0.0, 0.0)
    difference, ends = difference_in_words(found.own.macro_f1 - best.macro_f1, interval)
    return (
        f"The best baseline, {best.name}, reaches {best.macro_f1:.3f}. One model per class compared with it: "
        f"{verdict(interval)}, {difference} (95 % interval {ends})."
    )


def _class_rows(found: ClassMeasures) -> list[tuple[str, ...]]:
    measured = zip(found.classes, found.own.confusion.counts, found.own.confusion.by_class, strict=True)
    return [
        ("class", "queries", "precision", "recall", "F1", *(f"F1, {one.name}" for one in found.systems[1:])),
        *(
            (
                *(name, f"{sum(row):,}", _shown(own.precision), _shown(own.recall), _shown(own.f1)),
                *(_shown(one.confusion.by_class[place].f1) for one in found.systems[1:]),
            )
            for place, (name, row, own) in enumerate(measured)
        ),
    ]


def _system_rows(found: ClassMeasures) -> list[tuple[str, ...]]:
    return [("system", "macro-F1", "accuracy"), *(_system_row(one) for one in found.systems)]


def _system_row(one: MeasuredSystem) -> tuple[str, ...]:
    return one.name, with_interval(one), f"{one.confusion.accuracy:.3f}"


def class_table(found: ClassMeasures) -> tuple[list[str], list[list[str]]]:
    """Return the head and the rows of the table of classes."""
    head, *rows = map(list, _class_rows(found))
    return head, rows


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _is_rare(row: tuple[int, ...]) -> bool:
    return sum(row) < MIN_QUERIES_PER_CLASS
