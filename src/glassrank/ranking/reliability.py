"""Reliability of probabilities: how often pairs with a predicted P are in that order."""

import json
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from scipy.special import expit

from glassrank.core.checks import DataError, FloatArray, IntArray
from glassrank.core.frames import make_frame
from glassrank.core.input_types import Frame
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.drawing.text_table import align
from glassrank.metrics.resampling import bootstrap_means
from glassrank.ranking.reliability_chart import ReliabilityChart

N_BINS = 10
N_RESAMPLES = 1000
CONFIDENCE = 0.95


class NoProbabilitiesError(DataError):
    """Held-out pairs give no probabilities: the larger f(a, b) is, the less often a ranks above b."""

    accuracy: float = np.nan
    """Share of the held-out pairs in the right order, ties half."""

    @classmethod
    def of(cls, outputs: FloatArray, slope: float) -> Self:
        """Return the error for outputs f(better, worse), to which the slope A was fitted."""
        accuracy = float(np.mean(np.where(outputs == 0, 0.5, outputs > 0)))
        made = cls(
            f"P(A above B) would reverse the order or be 0.5 for every pair: {accuracy:.1%} of the "
            f"{counted(len(outputs), 'held-out pair')} are in the right order, which puts the slope A at {slope:+.2g}, "
            "not below 0.",
            remedy=("Check features, labels and queries", f"leave out {setting('calibrate', python='PairCalibrator')}"),
        )
        made.accuracy = accuracy
        return made


@dataclass(frozen=True)
class ReliabilityBin:
    """Pairs whose predicted probability lies between ``low`` and ``high``."""

    low: float
    high: float
    n_pairs: int
    predicted: float
    """Mean predicted probability."""
    observed: float
    """Share of the pairs that are ordered as predicted; a prediction of exactly 0.5 counts half."""
    interval: tuple[float, float] | None
    """95 % interval of ``observed``, by resampling queries; None if there is only one query."""


@dataclass(frozen=True, repr=False)
class Reliability:
    """Predicted probabilities against the true order; each pair counts once, in the direction with P ≥ 0.5.

    Intervals come from a bootstrap over queries, because pairs of one query are not independent.
    """

    n_pairs: int
    """Number of pairs measured."""
    n_comparable: int
    """Number of pairs with different labels; larger than ``n_pairs`` if pairs were sampled."""
    n_queries: int
    """Number of queries with a comparable pair."""
    brier: float
    """Mean of (1 − P)², where P is the predicted probability of the true order; 0.25 for a coin toss."""
    log_loss: float
    """Mean of −log P; log 2 for a coin toss."""
    accuracy: float
    """Share of pairs ordered correctly; P = 0.5 counts half."""
    calibration_gap: float
    """Mean over pairs of |predicted − observed| of the pair's bin."""
    bins: tuple[ReliabilityBin, ...]
    """Bins that contain a pair, ascending."""

    def __str__(self) -> str:
        sampled = f", sampled from {self.n_comparable:,}" if self.n_comparable > self.n_pairs else ""
        queries = f"{self.n_queries:,} {'query' if self.n_queries == 1 else 'queries'}"
        measures = [
            ("Brier score", f"{self.brier:.4f}", "coin toss 0.2500"),
            ("log-loss", f"{self.log_loss:.4f}", "coin toss 0.6931"),
            ("mean calibration gap", f"{self.calibration_gap:.4f}", "perfect 0"),
            ("pairs ordered correctly", f"{self.accuracy:.4f}", "coin toss 0.5"),
        ]
        header = ("P", "pairs", "mean P", "in that order", f"{CONFIDENCE:.0%} interval")
        title = f"{self.n_pairs:,} pairs with different labels{sampled}, {queries}"
        return "\n".join([title, align(measures), align([header, *(_cells(one) for one in self.bins)])])

    __repr__ = __str__

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with one row per bin."""
        rows = [_columns(one) for one in self.bins]
        return make_frame({column: [row[column] for row in rows] for column in rows[0]}, backend)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return asdict(self)

    def to_json(self) -> str:
        """Return everything as JSON."""
        return json.dumps(self.to_dict())

    def chart(self) -> ReliabilityChart:
        """Draw predicted against observed, with whiskers and the number of pairs; ``save`` it or show it."""
        return ReliabilityChart(tuple(_columns(one) for one in self.bins), str(self).splitlines()[0])

    def _repr_svg_(self) -> str:
        return self.chart()._repr_svg_()


def measure_reliability(log_odds: FloatArray, query: IntArray, n_comparable: int, random_state: Any) -> Reliability:
    """Measure the probabilities of pairs, from the log-odds of each pair's true order and its query.

    >>> found = measure_reliability(np.array([2.0, 1.0, -0.5, 0.1]), np.array([0, 0, 1, 1]), 4, random_state=0)
    >>> round(found.brier, 4), found.accuracy, [one.n_pairs for one in found.bins]
    (0.1749, 0.75, [1, 1, 1, 1])
    """
    predicted = expit(np.abs(log_odds))
    right = np.where(log_odds == 0, 0.5, log_odds > 0)
    bins, gap = _bins(predicted, right, query, np.random.default_rng(random_state))
    return Reliability(
        n_pairs=len(log_odds),
        n_comparable=n_comparable,
        n_queries=len(np.unique(query)),
        brier=float(np.mean(expit(-log_odds) ** 2)),
        log_loss=float(np.mean(np.logaddexp(0.0, -log_odds))),
        accuracy=float(np.mean(right)),
        calibration_gap=gap,
        bins=bins,
    )


def _bins(
    predicted: FloatArray, right: FloatArray, query: IntArray, rng: np.random.Generator
) -> tuple[tuple[ReliabilityBin, ...], float]:
    """Return the bins of equal width that contain a pair, and the mean gap over pairs."""
    of_pair = np.minimum(((predicted - 0.5) * 2 * N_BINS).astype(np.int64), N_BINS - 1)
    n_pairs, n_right = _per_query(of_pair, query, np.ones(len(right))), _per_query(of_pair, query, right)
    total = n_pairs.sum(axis=0)
    used = np.flatnonzero(total)
    observed = n_right.sum(axis=0)[used] / total[used]
    mean = np.bincount(of_pair, predicted, minlength=N_BINS)[used] / total[used]
    intervals = _intervals(n_right[:, used], n_pairs[:, used], rng)
    width = 0.5 / N_BINS
    bins = tuple(
        ReliabilityBin(0.5 + width * k, 0.5 + width * (k + 1), int(total[k]), float(mean[i]), float(observed[i]), ends)
        for i, (k, ends) in enumerate(zip(used, intervals, strict=True))
    )
    return bins, float(np.average(np.abs(mean - observed), weights=total[used]))


def _per_query(of_pair: IntArray, query: IntArray, values: FloatArray) -> FloatArray:
    """Sum values by query (rows) and bin (columns)."""
    queries, row = np.unique(query, return_inverse=True)
    sums = np.bincount(row * N_BINS + of_pair, values, minlength=len(queries) * N_BINS)
    return np.asarray(sums.reshape(len(queries), N_BINS), dtype=np.float64)


def _intervals(n_right: FloatArray, n_pairs: FloatArray, rng: np.random.Generator) -> list[tuple[float, float] | None]:
    """Return the interval of each bin's share over resampled queries, without resamples in which the bin is empty."""
    n_queries, n_bins = n_pairs.shape
    if n_queries < 2:
        return [None] * n_bins
    means = bootstrap_means(np.column_stack([n_right, n_pairs]), N_RESAMPLES, rng)
    shares = np.full((N_RESAMPLES, n_bins), np.nan)
    np.divide(means[:, :n_bins], means[:, n_bins:], out=shares, where=means[:, n_bins:] > 0)
    tail = (1.0 - CONFIDENCE) / 2.0
    low, high = np.nanquantile(shares, [tail, 1.0 - tail], axis=0)
    return [(float(a), float(b)) for a, b in zip(low, high, strict=True)]


def _columns(one: ReliabilityBin) -> dict[str, Any]:
    low, high = one.interval or (None, None)
    return {
        "low": one.low,
        "high": one.high,
        "pairs": one.n_pairs,
        "predicted": one.predicted,
        "observed": one.observed,
        "observed_low": low,
        "observed_high": high,
    }


def _cells(one: ReliabilityBin) -> tuple[str, ...]:
    interval = "" if one.interval is None else f"[{one.interval[0]:.3f}, {one.interval[1]:.3f}]"
    return f"{one.low:.2f}–{one.high:.2f}", f"{one.n_pairs:,}", f"{one.predicted:.3f}", f"{one.observed:.3f}", interval
