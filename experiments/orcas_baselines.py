"""Baselines of the ORCAS-I study, and a calibrated classifier, whose probabilities are compared with the labels."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.metrics.class_probabilities import ProbabilityBin, brier_score, reliability
from glassrank.metrics.resampling import bootstrap_means, percentile_interval
from glassrank.navigational.coupling.baselines import BestSingleColumn
from glassrank.navigational.navigational_classifier import NavigationalClassifier
from glassrank.navigational.thresholds import best_f1

EVERYTHING, SINGLE, NAME, TREES = "all positive", "best single feature", "name equals host", "plain LightGBM, 24 + 4"
CALIBRATED = "maximum entropy, 24 + 4"
BASELINES = (EVERYTHING, SINGLE, NAME, TREES, CALIBRATED)


def decide_by_baselines(
    same: FloatArray,
    more: FloatArray,
    names: FloatArray,
    positive: IntArray,
    seed: int,
    train: IntArray,
    held: IntArray,
) -> tuple[dict[str, IntArray], FloatArray]:
    """Decisions of each baseline on the rows held out, and the probabilities of the calibrated classifier.

    ``same`` are the features of the table, ``more`` also those of the query that are not in it, and ``names`` is 1 if
    the query is the name of the host. C, probabilities and threshold are learned from the training rows.
    """
    from lightgbm import LGBMClassifier

    trees: Any = LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1)
    trees.fit(more[train], positive[train])
    # Every query text of ORCAS-I is different, so every row is a group of its own.
    model = NavigationalClassifier((None, "maximum entropy"), tune=True, random_state=seed)
    model.fit(more[train], positive[train], groups=np.arange(len(train)))
    decisions = {
        EVERYTHING: np.ones(len(held), dtype=np.int64),
        SINGLE: BestSingleColumn().fit(same[train], positive[train]).predict(same[held]),
        NAME: (names[held] > 0).astype(np.int64),
        TREES: trees.predict(more[held]),
        CALIBRATED: model.predict(more[held]),
    }
    return decisions, model.predict_proba(more[held])[:, 1]


@dataclass(frozen=True)
class Calibration:
    """Held-out probabilities of the calibrated classifier beside the labels, all repeats together."""

    brier: float
    interval: tuple[float, float]
    """95 % bootstrap interval over queries."""
    constant_brier: float
    """Brier score of the share of navigational queries, predicted for every query."""
    bins: tuple[ProbabilityBin, ...]
    hindsight_f1: float
    """Mean over repeats of the highest F1 that any threshold would have reached on the held-out queries."""


def describe_calibration(positive: IntArray, probability: FloatArray, n_resamples: int, seed: int) -> Calibration:
    """Describe probabilities with one row per repeat and one column per query.

    >>> found = describe_calibration(np.array([1, 0]), np.array([[0.9, 0.2]]), 100, 0)
    >>> round(found.brier, 3), found.constant_brier, found.hindsight_f1
    (0.025, 0.25, 1.0)
    """
    errors = ((probability - positive) ** 2).mean(axis=0)
    drawn = bootstrap_means(errors[:, None], n_resamples, np.random.default_rng(seed))[:, 0]
    share = float(positive.mean())
    return Calibration(
        brier=float(errors.mean()),
        interval=percentile_interval(drawn, 0.95),
        constant_brier=brier_score(positive, np.full(len(positive), share)),
        bins=reliability(np.tile(positive, len(probability)), probability.ravel()),
        hindsight_f1=float(np.mean([best_f1(row, positive == 1).value for row in probability])),
    )


def errors_by_label(positive: IntArray, labels: tuple[str, ...], called: IntArray) -> dict[str, tuple[int, float]]:
    """Label → its queries, and the mean number of wrong decisions about them over the repeats."""
    wrong = (called != positive).mean(axis=0)
    rows = {label: np.array([own == label for own in labels]) for label in sorted(set(labels))}
    return {label: (int(own.sum()), float(wrong[own].sum())) for label, own in rows.items()}
