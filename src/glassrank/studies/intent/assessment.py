"""What an intent study is compared with: baselines, calibrated probabilities, the worst errors, and later clicks."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.sigmoid import Sigmoid, fit_sigmoid
from glassrank.core.wording import counted
from glassrank.drawing.line_panels import LinePanels, Panel, PanelLine
from glassrank.metrics.class_probabilities import brier_score, precision_recall_points, reliability
from glassrank.metrics.classification import PrecisionRecall
from glassrank.navigational.coupling.baselines import Baseline
from glassrank.navigational.coupling.coupling_result import Coupled
from glassrank.navigational.coupling.couplings import Coupling, held_out_outputs
from glassrank.navigational.coupling.fold_work import Folds, stratified_folds

MAX_POINTS = 60
N_PARTS = 3


@dataclass(frozen=True)
class HeldOutQuery:
    """A labelled query, and P(navigational) by a model that was trained without it."""

    query_id: str
    query: str
    navigational: bool
    probability: float

    @property
    def error(self) -> float:
        """|P − label|."""
        return abs(self.probability - self.navigational)


@dataclass(frozen=True)
class TimeSplit:
    """Trained on the earlier clicks of some queries, measured on clicks for other queries of both periods."""

    time: float
    """Median time of the clicks, in seconds since 1970."""
    same: tuple[PrecisionRecall, ...]
    """Held-out queries of each fold, with features of the earlier clicks."""
    later: tuple[PrecisionRecall, ...]
    """The same queries with features of the later clicks."""

    @property
    def f1(self) -> tuple[float, float]:
        """Mean F1 over folds on the earlier and on the later clicks."""
        return _mean_f1(self.same), _mean_f1(self.later)


@dataclass(frozen=True)
class Assessment:
    """The best coupling of a study beside baselines, and its probabilities beside the labels."""

    baselines: tuple[Baseline, ...] = ()
    held_out: tuple[HeldOutQuery, ...] = ()
    time_split: TimeSplit | None = None

    @property
    def best_baseline(self) -> Baseline | None:
        """The baseline with the highest F1, the first if tied."""
        return max(self.baselines, key=lambda one: one.f1, default=None)

    @property
    def brier(self) -> tuple[float, float]:
        """Brier score of the held-out probabilities, and of the share of navigational queries for every query."""
        y, p = self._arrays()
        return brier_score(y, p), brier_score(y, np.full(len(y), y.mean()))

    def worst(self, n: int = 10) -> list[HeldOutQuery]:
        """The queries whose held-out probability is farthest from the label."""
        return sorted(self.held_out, key=lambda one: -one.error)[:n]

    def chart(self) -> LinePanels:
        """Draw precision against recall, and observed against predicted shares."""
        y, p = self._arrays()
        recall, precision = precision_recall_points(y, p)
        # Thresholds below the last navigational query only lower the precision.
        needed = int(np.argmax(recall == 1.0)) + 1
        recall, precision = recall[:needed], precision[:needed]
        step = max(1, len(recall) // MAX_POINTS)
        points = list(zip(recall[::step].tolist(), precision[::step].tolist(), strict=True))
        share = float(y.mean())
        bins = reliability(y, p)
        constant = PanelLine("all navigational", [(0.0, share), (1.0, share)])
        curve = (PanelLine("held out", points, emphasised=True), constant)
        shares = [(one.predicted, one.observed, counted(one.n, "query", "queries")) for one in bins]
        agreement = (PanelLine("held out", shares, emphasised=True), PanelLine("perfect", [(0.0, 0.0), (1.0, 1.0)]))
        return LinePanels(
            "Held-out probabilities of the best coupling",
            (
                Panel("Precision and recall", "recall", "precision", curve, y_range=(0.0, 1.0)),
                Panel("Calibration", "predicted P(navigational)", "observed share", agreement, y_range=(0.0, 1.0)),
            ),
        )

    def _arrays(self) -> tuple[FloatArray, FloatArray]:
        y = np.array([one.navigational for one in self.held_out], dtype=np.float64)
        return y, np.array([one.probability for one in self.held_out])

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return {
            "baselines": [{**asdict(one), "f1": one.f1, "f1_std": one.f1_std} for one in self.baselines],
            "held_out": [asdict(one) for one in self.held_out],
            "time_split": None if self.time_split is None else asdict(self.time_split),
        }

    @classmethod
    def of_dict(cls, plain: dict[str, Any]) -> "Assessment":
        """Rebuild an assessment from plain values."""
        split = plain["time_split"]
        return cls(
            tuple(Baseline(one["name"], one["what"], _folds(one["folds"])) for one in plain["baselines"]),
            tuple(HeldOutQuery(**one) for one in plain["held_out"]),
            None if split is None else TimeSplit(split["time"], _folds(split["same"]), _folds(split["later"])),
        )


def _folds(plain: Sequence[dict[str, int]]) -> tuple[PrecisionRecall, ...]:
    return tuple(PrecisionRecall(**one) for one in plain)


def _mean_f1(folds: tuple[PrecisionRecall, ...]) -> float:
    return float(np.mean([one.f1 or 0.0 for one in folds]))


def coupling_of(best: Coupled) -> Coupling:
    """Return the coupling of a study's cell."""
    return Coupling(best.selector, best.classifier, None if best.selector is None else int(best.n_features))


def held_out_probabilities(
    X: FloatArray, positive: IntArray, groups: Any, names: tuple[str, ...], coupling: Coupling, folds: Folds, seed: int
) -> FloatArray:
    """Return P(positive) of every row by a model that was trained and calibrated without its fold."""
    probability, groups = np.empty(len(X)), np.asarray(groups)
    for train, held_out in folds:
        (outputs,) = held_out_outputs(X, positive, names, [coupling], seed, False, groups, train, held_out)
        sigmoid = _calibrated(X[train], positive[train], groups[train], names, coupling, seed)
        probability[held_out] = expit(outputs if sigmoid is None else sigmoid.log_odds(outputs))
    return probability


def _calibrated(
    X: FloatArray, positive: IntArray, groups: Any, names: tuple[str, ...], coupling: Coupling, seed: int
) -> Sigmoid | None:
    """Fit probabilities to outputs for held-out parts of the training rows; None if a class has a single row."""
    n_parts = min(N_PARTS, int(np.bincount(positive, minlength=2).min()))
    if n_parts < 2:
        return None
    outputs = np.empty(len(X))
    for train, held_out in stratified_folds(n_parts, positive, seed, groups):
        (outputs[held_out],) = held_out_outputs(X, positive, names, [coupling], seed, False, groups, train, held_out)
    return fit_sigmoid(outputs, positive == 1)
