"""The compared systems: their keys, their scores on held-out queries, and their names in the report."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.wording import counted
from glassrank.data.partitions.partitioned_data import PartitionedData
from glassrank.data.ranking_data import RankingData
from glassrank.metrics.comparison import Comparison
from glassrank.ranking.any_ranker import TrainingLists, fit_ranker
from glassrank.ranking.calibration import PREFIT, PairCalibrator
from glassrank.ranking.reliability import NoProbabilitiesError, Reliability
from glassrank.studies.ranking.choice import Gamma
from glassrank.studies.ranking.measuring.fold_rows import FoldRows
from glassrank.studies.ranking.measuring.measured_lists import MeasuredLists
from glassrank.studies.resumable_steps import Steps

KEPT, FULL, SINGLE, LIGHTGBM = "kept", "full", "single", "lightgbm"
"""The study's model, the model of all features, the best single feature, LightGBM's lambdarank."""
OWN = (KEPT, FULL, SINGLE)
SYSTEMS = (*OWN, LIGHTGBM)
GUARD_LEVEL = 0.05  # of the test, not adjusted, whether the kept features rank worse than all of them


@dataclass(frozen=True, eq=False)
class HeldOutScores:
    """Scores of documents by models that have not seen their queries."""

    C: float
    gamma: Gamma
    n_kept: int
    single_feature: str
    """The feature that ranks the training queries best; empty if all features are categories."""
    by_system: dict[str, FloatArray]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        scores = {key: values.tolist() for key, values in self.by_system.items()}
        return {
            "C": self.C,
            "gamma": self.gamma,
            "n_kept": self.n_kept,
            "single_feature": self.single_feature,
            **scores,
        }

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> "HeldOutScores":
        """Restore the scores from ``to_dict``.

        >>> plain = {"C": 0.1, "gamma": "scale", "n_kept": 2, "single_feature": "bm25", "kept": [1.5, 0.5]}
        >>> HeldOutScores.from_dict(plain).by_system
        {'kept': array([1.5, 0.5])}
        """
        scores = {key: np.array(plain[key], dtype=np.float64) for key in OWN if key in plain}
        return cls(plain["C"], plain["gamma"], plain["n_kept"], plain["single_feature"], scores)


@dataclass(frozen=True, eq=False)
class FoldScores:
    """Scores of a fold's documents by a system that was fitted without them, and what was chosen for it."""

    scores: FloatArray
    setting: dict[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {"scores": self.scores.tolist(), "setting": self.setting}

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> "FoldScores":
        """Restore the scores from ``to_dict``."""
        return cls(np.array(plain["scores"], dtype=np.float64), plain["setting"])


@dataclass(frozen=True, eq=False)
class MeasuredSystems:
    """The scores of every system on all measured documents."""

    scores: dict[str, FloatArray]
    """Key of the system → score of each document, the study's model first."""
    single_feature: str
    """The best single feature; empty if the folds disagree."""
    n_kept: tuple[int, ...]
    """Number of features that the study's model keeps in each fold, or on the test data."""
    settings: tuple[dict[str, Any], ...] = ()
    """Setting of LightGBM in each fold; empty without LightGBM."""

    def keep_all(self, n_features: int) -> "MeasuredSystems":
        """Return the same systems with the model of all features as the study's own."""
        scores = {key: self.scores[FULL if key == KEPT else key] for key in self.scores if key != FULL}
        return replace(self, scores=scores, n_kept=(n_features,) * len(self.n_kept))

    def labels(
        self, model: str, n_kept: int, n_features: int, n_settings: int, given: dict[str, str]
    ) -> dict[str, str]:
        """Key of each system → its name in the report; ``model`` describes the study's own."""
        single = f" ({self.single_feature})" if self.single_feature else ""
        how = f"tuned, best of {counted(n_settings, 'setting')}" if n_settings else "defaults"
        named = {
            KEPT: f"RankSVM ({model}) with {counted(n_kept, 'feature')}",
            FULL: f"RankSVM with all {n_features} features",
            SINGLE: f"the best single feature{single}",
            LIGHTGBM: f"LightGBM lambdarank ({how})",
        } | given
        return {key: named[key] for key in self.scores}


@dataclass(frozen=True, eq=False)
class FoldSystem:
    """A system that the study fits in every fold besides its own model."""

    key: str
    step: str
    """Beginning of the names of its steps."""
    label: str
    steps: Steps
    score: Callable[[FoldRows], FoldScores]


def measure_by_folds(
    own: Callable[[FoldRows], HeldOutScores],
    systems: Sequence[FoldSystem],
    train: RankingData,
    valid: IntArray | None,
    measured: MeasuredLists,
    steps: Steps,
) -> MeasuredSystems:
    """Score every measured row by models that have not seen it: test data, or folds of the training data."""
    data, found, settings = measured.data, [], []
    scores: dict[str, FloatArray] = {}
    for number, (rest, rows) in enumerate(measured.split(), start=1):
        if measured.has_test:
            name, where, fold = "test", "on the test queries", FoldRows.of(train, data, valid)
        else:
            name, where = str(number), f"on {measured.held_out}, fold {number} of {measured.n_folds}"
            fold = FoldRows(data, rest, data, rows)
        step = name if measured.has_test else f"fold-{name}"
        written = (HeldOutScores.to_dict, HeldOutScores.from_dict)
        found.append(steps.run(step, partial(own, fold), *written, label=f"Measuring {where}"))
        by_system = dict(found[-1].by_system)
        for system in systems:
            kept = (FoldScores.to_dict, FoldScores.from_dict)
            label = f"Training {system.label} for {where.removeprefix('on ')}"
            one = system.steps.run(f"{system.step}-{name}", partial(system.score, fold), *kept, label=label)
            by_system[system.key] = one.scores
            settings += [] if one.setting is None else [one.setting]
        for key, values in by_system.items():
            scores.setdefault(key, np.full(data.n_rows, np.nan))[rows] = values
    singles = {one.single_feature for one in found}
    return MeasuredSystems(
        {key: values for key, values in scores.items() if not np.isnan(values).any()},
        singles.pop() if len(singles) == 1 else "",
        tuple(one.n_kept for one in found),
        tuple(settings),
    )


def fit_with_probabilities(
    calibrator: PairCalibrator, data: RankingData | PartitionedData
) -> tuple[Any, NoProbabilitiesError | None]:
    """Fit a calibrator; if held-out pairs give no probabilities, return its ranker without them, and why."""
    try:
        return calibrator.fit(data), None
    except NoProbabilitiesError as error:
        if isinstance(calibrator.cv, str):
            return calibrator.estimator, error
        return fit_ranker(clone(calibrator.estimator), *TrainingLists.of(data)), error


def guard_in_words(main: Comparison, n_kept: Sequence[int], n_features: int) -> str:
    """Say why all features are kept: the others rank significantly worse in the paired test; empty if they do not."""
    full = {one.name: one for one in main.systems}.get(FULL, main[KEPT])
    if full.p_value is None or full.p_value >= GUARD_LEVEL or full.mean < main[KEPT].mean:
        return ""
    fewer = " to ".join(map(str, sorted({min(n_kept), max(n_kept)})))
    means = f"{main[KEPT].mean:.4f} against {full.mean:.4f}"
    return (
        f"All {n_features} features are kept: {fewer} rank significantly worse ({main.measure.upper()} {means}, "
        f"p = {full.p_value:.1g})."
    )


def system_reliabilities(systems: Mapping[str, FloatArray], data: RankingData, seed: int) -> dict[str, Reliability]:
    """Return the reliability of probabilities from scores alone: slopes fitted to the pairs of other queries.

    The pairs are the same for every system. Systems whose pairs give no probabilities are left out.
    """
    found = {}
    for key, scores in systems.items():
        calibrator = PairCalibrator(_first_column, cv=PREFIT, random_state=seed)
        with suppress(NoProbabilitiesError):
            calibrator.fit(scores[:, None], data.y, qid=data.groups, sample_weight=data.weights)
            found[key] = calibrator.calibration_
    return found


def _first_column(rows: FloatArray) -> FloatArray:
    return rows[:, 0]
