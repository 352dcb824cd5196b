"""Significance tests against a baseline: over queries (or users), and over the documents of one list.

``glassrank.compare`` takes one score per document and system. Here a system may have several seeds: its value of a
query is the mean over them, and the tests are those of ``compare`` on these values.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from glassrank.metrics.document_resampling import bootstrap_test, draw_documents, resampled_pair_means
from glassrank.metrics.resampling import (
    bootstrap_means,
    detectable_difference,
    holm,
    percentile_interval,
    randomisation_test,
)

CONFIDENCE, LEVEL, N_RESAMPLES = 0.95, 0.05, 10_000


@dataclass(frozen=True)
class Tested:
    """One system's mean with its interval, and its difference from the baseline (None for the baseline)."""

    data: str
    measure: str
    system: str
    mean: float
    low: float
    high: float
    spread: float | None
    """Standard deviation over seeds; None for a system without any."""
    verdict: str
    difference: float | None = None
    difference_low: float | None = None
    difference_high: float | None = None
    p_value: float | None = None
    adjusted_p_value: float | None = None
    detectable: float | None = None
    """Smallest difference found with 80 % power; only for tests over queries."""


@dataclass(frozen=True)
class Against:
    """How the other systems differ from the baseline, system by system."""

    means: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p_values: np.ndarray
    detectable: np.ndarray | None = None


def compare_over_queries(
    data: str, measure: str, values: Mapping[str, np.ndarray], baseline: str, *, lower_is_better: bool = False
) -> list[Tested]:
    """Bootstrap intervals and a paired randomisation test over the queries, Holm-adjusted over the systems.

    ``values`` has, by system, one row per seed (one row for a system without seeds) and one column per query.
    """
    rng = np.random.default_rng(0)
    table = np.column_stack([by_seed.mean(axis=0) for by_seed in values.values()])
    base, others = _places(list(values), baseline)
    samples = bootstrap_means(table, N_RESAMPLES, rng)
    differences = table[:, others] - table[:, [base]]
    low, high = percentile_interval(samples[:, others] - samples[:, [base]], CONFIDENCE)
    against = Against(
        differences.mean(axis=0),
        low,
        high,
        randomisation_test(differences, N_RESAMPLES, rng).p_values(),
        detectable_difference(differences, LEVEL / len(others)),
    )
    spreads = {name: _spread(by_seed.mean(axis=1)) for name, by_seed in values.items()}
    means = table.mean(axis=0)
    return list(_rows(data, measure, spreads, means, samples, base, against, -1 if lower_is_better else 1))


def compare_over_documents(
    data: str, y: np.ndarray, scores: Mapping[str, np.ndarray], baseline: str, *, seed: int = 0
) -> list[Tested]:
    """Misranking of one list, with a bootstrap over its documents; Holm-adjusted over the systems.

    ``scores`` has, by system, one row per seed and one column per document. A sample of documents is drawn with
    replacement, alike for all systems; copies of one document form no pair. The p value is twice the share of samples
    in which the difference from the baseline has the other sign.
    """
    first, second = np.nonzero(y[:, None] > y[None, :])
    wrong = {name: np.column_stack([_wrong(row[first] - row[second]) for row in rows]) for name, rows in scores.items()}
    counts = draw_documents(len(y), N_RESAMPLES, np.random.default_rng(seed))
    # The mean over seeds of a sample is the mean of the pairs' means over seeds.
    samples = resampled_pair_means(counts, first, second, np.column_stack([m.mean(axis=1) for m in wrong.values()]))
    by_seed = {name: found.mean(axis=0) for name, found in wrong.items()}
    means = np.array([found.mean() for found in by_seed.values()])
    base, others = _places(list(scores), baseline)
    differences = samples[:, others] - samples[:, [base]]
    low, high = percentile_interval(differences, CONFIDENCE)
    against = Against(means[others] - means[base], low, high, bootstrap_test(differences).p_values())
    spreads = {name: _spread(found) for name, found in by_seed.items()}
    return list(_rows(data, "misranking", spreads, means, samples, base, against, -1))


def _wrong(gaps: np.ndarray) -> np.ndarray:
    """1 for each pair in the wrong order, ½ for a tie."""
    return (gaps < 0) + 0.5 * (gaps == 0)


def _places(names: list[str], baseline: str) -> tuple[int, list[int]]:
    base = names.index(baseline)
    return base, [place for place in range(len(names)) if place != base]


def _spread(by_seed: np.ndarray) -> float | None:
    return float(by_seed.std()) if len(by_seed) > 1 else None


def _rows(
    data: str,
    measure: str,
    spreads: dict[str, float | None],
    means: np.ndarray,
    samples: np.ndarray,
    base: int,
    against: Against,
    better: int,
) -> Iterator[Tested]:
    """One row per system; ``better`` is the sign of a difference that is a gain."""
    low, high = percentile_interval(samples, CONFIDENCE)
    adjusted = holm(against.p_values)
    for place, (name, spread) in enumerate(spreads.items()):
        own = data, measure, name, float(means[place]), float(low[place]), float(high[place]), spread
        if place == base:
            yield Tested(*own, "baseline")
            continue
        other = place - (place > base)
        gain = better * against.means[other]
        verdict = "not significantly different" if adjusted[other] >= LEVEL else "better" if gain > 0 else "worse"
        numbers = against.means, against.low, against.high, against.p_values, adjusted
        detectable = None if against.detectable is None else float(against.detectable[other])
        yield Tested(*own, verdict, *(float(column[other]) for column in numbers), detectable)
