"""What a study of several classes measures on held-out queries: macro-F1, F1 of each class, confusion, calibration."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray
from glassrank.drawing.confusion_chart import ConfusionChart
from glassrank.drawing.line_panels import LinePanels, Panel, PanelLine
from glassrank.metrics.class_confusion import ClassConfusion, class_confusion
from glassrank.metrics.class_probabilities import brier_score, reliability
from glassrank.metrics.resampling import bootstrap_means, percentile_interval

OWN = "one model per class"
N_RESAMPLES, CONFIDENCE, PANELS = 2000, 0.95, 3


@dataclass(frozen=True)
class ClassedQuery:
    """A labelled query, its class, and the probabilities by a model that was trained without it."""

    query_id: str
    query: str
    label: str
    predicted: str
    probabilities: tuple[float, ...]


@dataclass(frozen=True)
class MeasuredSystem:
    """Macro-F1 of a system, its interval, and that of the difference of the classifier from it; None for itself."""

    name: str
    what: str
    confusion: ClassConfusion
    interval: tuple[float, float]
    difference: tuple[float, float] | None = None

    @property
    def macro_f1(self) -> float:
        """Mean F1 of the classes over all held-out queries."""
        return self.confusion.macro_f1


@dataclass(frozen=True, eq=False)
class ClassMeasures:
    """Predictions for held-out queries by the classifier and by baselines, and what follows from them."""

    classes: tuple[str, ...]
    queries: tuple[ClassedQuery, ...]
    baselines: Mapping[str, tuple[str, tuple[str, ...]]]
    """Name of a baseline → its rule, and the class that it predicts for each query."""
    couplings: Mapping[str, Mapping[str, int]]
    """Class → coupling → the number of folds in which it was chosen."""
    selected: Mapping[str, Mapping[str, int]]
    """Class → column → the number of folds in which it was selected."""

    @cached_property
    def systems(self) -> tuple[MeasuredSystem, ...]:
        """The classifier, then the baselines; intervals from bootstrap samples of the queries, the same for all."""
        truth = [one.label for one in self.queries]
        called = {OWN: ("", tuple(one.predicted for one in self.queries)), **self.baselines}
        tables = [class_confusion(truth, own, self.classes) for _, own in called.values()]
        resampled = self._resampled(truth, [own for _, own in called.values()])
        low, high = percentile_interval(resampled, CONFIDENCE)
        ends = percentile_interval(resampled[:, [0]] - resampled, CONFIDENCE)
        return tuple(
            MeasuredSystem(
                name,
                what,
                tables[place],
                (float(low[place]), float(high[place])),
                (float(ends[0][place]), float(ends[1][place])) if place else None,
            )
            for place, (name, (what, _)) in enumerate(called.items())
        )

    def _resampled(self, truth: Sequence[str], called: Sequence[Sequence[str]]) -> FloatArray:
        """Macro-F1 of each system in each bootstrap sample."""
        k, place = len(self.classes), {name: code for code, name in enumerate(self.classes)}
        rows = np.array([place[label] for label in truth])
        cells = []
        for own in called:
            cell = np.zeros((len(rows), k * k))
            cell[np.arange(len(rows)), rows * k + np.array([place[label] for label in own])] = 1.0
            cells.append(cell)
        means = bootstrap_means(np.hstack(cells), N_RESAMPLES, np.random.default_rng(0))
        tables = means.reshape(N_RESAMPLES, len(called), k, k)
        hits, sums = np.einsum("bsii->bsi", tables), tables.sum(axis=2) + tables.sum(axis=3)
        shares = np.divide(2.0 * hits, sums, out=np.full_like(hits, np.nan), where=sums > 0)
        return np.asarray(np.nanmean(shares, axis=2))

    @property
    def own(self) -> MeasuredSystem:
        """The classifier."""
        return self.systems[0]

    @property
    def best_baseline(self) -> MeasuredSystem:
        """The baseline with the highest macro-F1, the first if tied."""
        return max(self.systems[1:], key=lambda one: one.macro_f1)

    def brier(self, name: str) -> tuple[float, float]:
        """Brier score of the probabilities of a class, and of its share for every query."""
        y, p = self._of_class(name)
        return brier_score(y, p), brier_score(y, np.full(len(y), y.mean()))

    def worst(self, n: int = 10) -> list[ClassedQuery]:
        """Return the queries whose own class has the lowest probability."""
        place = {name: code for code, name in enumerate(self.classes)}
        return sorted(self.queries, key=lambda one: one.probabilities[place[one.label]])[:n]

    def confusion_chart(self) -> ConfusionChart:
        """Draw the confusion matrix of the classifier."""
        return ConfusionChart("Confusion of held-out queries", self.classes, self.own.confusion.counts)

    def calibration_charts(self) -> list[LinePanels]:
        """Draw observed against predicted shares of each class, three panels in a row."""
        panels = []
        for name in self.classes:
            bins = reliability(*self._of_class(name))
            shares = [(one.predicted, one.observed, f"{one.n} queries") for one in bins]
            lines = (PanelLine("held out", shares, emphasised=True), PanelLine("perfect", [(0.0, 0.0), (1.0, 1.0)]))
            panels.append(Panel(name, f"predicted P({name})", "observed share", lines, y_range=(0.0, 1.0)))
        rows = [tuple(panels[first : first + PANELS]) for first in range(0, len(panels), PANELS)]
        return [LinePanels("Calibration of held-out probabilities", row) for row in rows]

    def _of_class(self, name: str) -> tuple[FloatArray, FloatArray]:
        code = self.classes.index(name)
        y = np.array([one.label == name for one in self.queries], dtype=np.float64)
        # Rounding may leave a sum of probabilities just above 1.
        return y, np.clip([one.probabilities[code] for one in self.queries], 0.0, 1.0)

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain record per system and class."""
        return [
            {"system": one.name, "class": name, "precision": own.precision, "recall": own.recall, "f1": own.f1}
            for one in self.systems
            for name, own in zip(self.classes, one.confusion.by_class, strict=True)
        ]
