"""Paired comparison over simulated worlds: each world is drawn whole, so the worlds are the sample."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit

from glassrank.core.checks import DataError, FloatArray, check_finite
from glassrank.metrics.resampling import holm, randomisation_test

ALPHA = 0.05
RESAMPLES = 10_000


@dataclass(frozen=True)
class PairedDifference:
    """Mean difference of two systems over worlds, at one strength of a dial."""

    difference: float
    interval: tuple[float, float]
    """Student's 95 % interval of the mean difference."""
    p_value: float
    """Of the paired randomisation test, adjusted by Holm for the strengths of the dial."""
    verdict: str
    """Better, worse or not significantly different."""


def compare_over_worlds(values: Any, reference: Any, random_state: Any = 0) -> tuple[PairedDifference, ...]:
    """Compare a system with a reference at each strength of a dial, given worlds × strengths of both.

    With d the differences of n worlds at one strength, the interval is mean d ± t(0.975, n − 1) s/√n. The p values come
    from the paired randomisation test, over all 2ⁿ sign patterns where n ≤ 13; Holm adjusts them for the strengths.

    >>> better, same = compare_over_worlds([[0.9, 0.5]] * 7, [[0.8, 0.5]] * 7)
    >>> round(better.difference, 6), better.p_value, better.verdict, same.verdict
    (0.1, 0.03125, 'better', 'not significantly different')
    """
    differences = _of_worlds("values", values) - _of_worlds("reference", reference)
    if len(differences) < 2:
        raise DataError(f"A comparison over worlds needs at least 2 of them: got {len(differences)}. Simulate more.")
    means, half = differences.mean(axis=0), _half_width(differences)
    adjusted = holm(randomisation_test(differences, RESAMPLES, np.random.default_rng(random_state)).p_values())
    return tuple(
        PairedDifference(float(mean), (float(mean - reach), float(mean + reach)), float(p), _verdict(mean, p))
        for mean, reach, p in zip(means, half, adjusted, strict=True)
    )


def mean_interval(values: Any) -> tuple[float, float, float]:
    """Mean over worlds, and the two ends of Student's 95 % interval.

    >>> [round(value, 2) for value in mean_interval([0.4, 0.5, 0.6])]
    [0.5, 0.25, 0.75]
    """
    column = np.asarray(values, dtype=np.float64)[:, None]
    mean, reach = float(column.mean()), float(_half_width(column)[0])
    return mean, mean - reach, mean + reach


def _of_worlds(name: str, table: Any) -> FloatArray:
    found = np.atleast_2d(np.asarray(table, dtype=np.float64))
    # NaN would pass every test below as the least likely difference.
    check_finite(name, found, "Each world (row) needs a number at each strength (column): leave it out of both sides.")
    return found


def _half_width(columns: FloatArray) -> FloatArray:
    n_worlds = len(columns)
    reach = stdtrit(n_worlds - 1, 1.0 - ALPHA / 2.0) * columns.std(axis=0, ddof=1) / np.sqrt(n_worlds)
    return np.asarray(reach, dtype=np.float64)


def _verdict(mean: float, p_value: float) -> str:
    if p_value >= ALPHA:
        return "not significantly different"
    return "better" if mean > 0 else "worse"
