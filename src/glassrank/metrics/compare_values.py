"""Comparison of systems by given values per query: means, intervals and paired tests."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, FloatArray, as_vector, check_choice, check_positive
from glassrank.core.input_types import ArrayLike, RandomState
from glassrank.core.randomness import random_generator
from glassrank.metrics.comparison import ComparedSystem, Comparison
from glassrank.metrics.resampling import (
    ShiftTest,
    bootstrap_means,
    detectable_difference,
    holm,
    holm_levels,
    is_exact,
    percentile_interval,
    randomisation_test,
    smallest_p_value,
)
from glassrank.metrics.verdict import verdict

MIN_RESAMPLES = 100
ROUNDING = 1e-12
"""Differences between two values of a measure up to this share of its largest value are rounding errors."""


@dataclass(frozen=True)
class Resampling:
    """Settings of the tests: number of resamples, confidence level, random generator, margin and asked systems."""

    n_resamples: int
    confidence: float
    rng: np.random.Generator
    margin: float | None = None
    asked: Collection[str] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.n_resamples, int | np.integer) or self.n_resamples < MIN_RESAMPLES:
            raise DataError(
                parameter="n_resamples", expected=f"a whole number, at least {MIN_RESAMPLES}", got=self.n_resamples
            )
        if not 0.5 <= self.confidence < 1.0:
            raise DataError(
                parameter="confidence", expected="at least 0.5 and below 1, such as 0.95", got=self.confidence
            )
        if self.margin is not None:
            check_positive("margin", self.margin)

    @property
    def alpha(self) -> float:
        """Level of the test, rounded, because 1 − 0.95 is slightly above 0.05 in floating point."""
        return round(1.0 - self.confidence, 12)

    def asked_of(self, others: list[str]) -> tuple[str, ...]:
        """Return the systems that are tested by themselves: all of them, or those that are named."""
        for name in self.asked or ():
            check_choice("asked", name, others)
        return tuple(name for name in others if self.asked is None or name in self.asked)


def compare_values(
    systems: Mapping[str, ArrayLike],
    *,
    measure: str,
    baseline: str | None = None,
    convention: str = "standard",
    n_resamples: int = 10_000,
    confidence: float = 0.95,
    margin: float | None = None,
    asked: Collection[str] | None = None,
    random_state: RandomState = None,
    higher_is_better: bool = True,
) -> Comparison:
    """Compare systems, given as name → values per query, by a measure that was computed elsewhere.

    A query that is NaN for one system is left out for all systems. ``measure`` and ``convention`` are only printed.
    The other arguments are those of ``compare``.

    >>> found = compare_values({"old": [0.1, 0.2, 0.3, 0.1], "new": [0.2, 0.3, 0.4, 0.2]}, measure="relative recall")
    >>> round(found["new"].difference, 6), found["new"].p_value, found["new"].verdict
    (0.1, 0.125, 'too few queries')
    """
    chosen = choose_baseline(systems, baseline)
    n_queries = len(next(iter(systems.values())))
    columns = [
        as_vector(f"values of {name!r}", values, n_queries, finite=False, per="query")
        for name, values in systems.items()
    ]
    settings = Resampling(n_resamples, confidence, random_generator(random_state), margin, asked)
    return compared(
        np.column_stack(columns),
        list(systems),
        chosen,
        settings,
        measure,
        convention,
        higher_is_better=higher_is_better,
    )


def choose_baseline(systems: Mapping[str, Any], baseline: str | None) -> str:
    """Return the name of the baseline; the default is the first system."""
    if not isinstance(systems, Mapping) or not systems:
        raise DataError(
            "systems must map at least one name to scores, such as {'new': scores, 'old': other_scores}.",
            parameter="systems",
        )
    if baseline is None:
        return next(iter(systems))
    check_choice("baseline", baseline, systems)
    return baseline


def compared(
    per_query: FloatArray,
    names: list[str],
    baseline: str,
    settings: Resampling,
    measure: str,
    convention: str,
    *,
    higher_is_better: bool,
) -> Comparison:
    """Compare the columns of ``per_query`` (queries × systems) over the queries with a value for every system."""
    values = per_query[~np.isnan(per_query).any(axis=1)]
    if len(values) < 2:
        raise DataError(
            f"A comparison needs at least 2 queries with a value of {measure} for every system: got {len(values)} of "
            f"{len(per_query)}."
        )
    asked, base = settings.asked_of([name for name in names if name != baseline]), names.index(baseline)
    samples = bootstrap_means(values, settings.n_resamples, settings.rng)
    differences = np.delete(values, base, axis=1) - values[:, [base]]
    differences[np.abs(differences) <= ROUNDING * np.abs(values).max()] = 0.0
    test = randomisation_test(differences, settings.n_resamples, settings.rng)
    means = values.mean(axis=0)
    return Comparison(
        measure=measure,
        convention=convention,
        baseline=baseline,
        confidence=settings.confidence,
        n_queries=len(values),
        left_out=len(per_query) - len(values),
        test=f"paired randomisation test, {_patterns_used(len(values), settings.n_resamples)}",
        systems=describe_systems(names, base, means, samples, test, settings, higher_is_better, differences),
        asked=asked,
        margin=settings.margin,
        notes=_few_queries_notes(len(values), len(asked), len(names) - 1 - len(asked), settings),
    )


def _few_queries_notes(n_queries: int, n_asked: int, n_adjusted: int, settings: Resampling) -> tuple[str, ...]:
    """Say that no difference can be significant, if that is so."""
    smallest = smallest_p_value(n_queries, settings.n_resamples)
    if n_asked + n_adjusted == 0 or smallest < settings.alpha / max(n_adjusted, 1):
        return ()
    by_itself = smallest >= settings.alpha
    which = "No difference" if by_itself or not n_asked else "No Holm-adjusted difference"
    each = "" if by_itself else f", times {n_adjusted} by Holm's method"
    return (
        f"{which} can be significant with {n_queries} queries: the smallest possible p value is 2/2^{n_queries} "
        f"= {smallest:.3g}{each}.",
    )


def describe_systems(
    names: list[str],
    base: int,
    means: FloatArray,
    samples: FloatArray,
    test: ShiftTest,
    settings: Resampling,
    higher_is_better: bool,
    differences: FloatArray | None = None,
) -> tuple[ComparedSystem, ...]:
    """Return each system with its interval, its difference from the baseline and the verdict on it.

    ``samples`` × systems are means, and queries × other systems are ``differences``; without these, the difference that
    the test can detect is not known.
    """
    low, high = percentile_interval(samples, settings.confidence)
    others = [name for name in names if name != names[base]]
    asked = settings.asked_of(others)
    adjusted, family = test.p_values(), np.array([name not in asked for name in others], dtype=bool)
    p_values, levels = adjusted.copy(), np.full(len(others), settings.alpha)
    adjusted[family], levels[family] = holm(p_values[family]), holm_levels(p_values[family], settings.alpha)
    # Holm's first and strictest step tests the smallest of m p-values at alpha/m.
    strictest = settings.alpha / np.where(family, max(family.sum(), 1), 1)
    detectable = None if differences is None else detectable_difference(differences, strictest)
    described = []
    for i, name in enumerate(names):
        own = name, float(means[i]), (float(low[i]), float(high[i]))
        if i == base:
            described.append(ComparedSystem(*own, verdict="baseline"))
            continue
        place = i - (i > base)
        interval = test.interval(place, levels[place])
        described.append(
            ComparedSystem(
                *own,
                verdict=verdict(interval, higher_is_better=higher_is_better, margin=settings.margin),
                difference=float(means[i] - means[base]),
                difference_interval=interval,
                level=float(levels[place]),
                p_value=float(p_values[place]),
                adjusted_p_value=float(adjusted[place]),
                detectable_difference=None if detectable is None or interval is None else float(detectable[place]),
            )
        )
    return tuple(described)


def _patterns_used(n_queries: int, n_resamples: int) -> str:
    if is_exact(n_queries, n_resamples):
        return f"all {2**n_queries:,} sign patterns"
    return f"{n_resamples:,} random sign patterns"
