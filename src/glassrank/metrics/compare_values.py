"""Comparison of systems by given values per query: means, intervals and paired tests."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, FloatArray, as_vector, check_choice
from glassrank.core.input_types import ArrayLike, RandomState
from glassrank.core.randomness import random_generator
from glassrank.metrics.comparison import NOT_SIGNIFICANT, TOO_FEW, ComparedSystem, Comparison, significance_level
from glassrank.metrics.resampling import (
    bootstrap_means,
    detectable_difference,
    holm,
    is_exact,
    percentile_interval,
    randomisation_test,
    smallest_p_value,
)

MIN_RESAMPLES = 100


@dataclass(frozen=True)
class Resampling:
    """Settings of the resampling: number of resamples, confidence level and random generator."""

    n_resamples: int
    confidence: float
    rng: np.random.Generator

    def __post_init__(self) -> None:
        if not isinstance(self.n_resamples, int | np.integer) or self.n_resamples < MIN_RESAMPLES:
            raise DataError(
                parameter="n_resamples", expected=f"a whole number, at least {MIN_RESAMPLES}", got=self.n_resamples
            )
        if not 0.5 <= self.confidence < 1.0:
            raise DataError(
                parameter="confidence", expected="at least 0.5 and below 1, such as 0.95", got=self.confidence
            )

    @property
    def alpha(self) -> float:
        """Level of the test."""
        return significance_level(self.confidence)


def compare_values(
    systems: Mapping[str, ArrayLike],
    *,
    measure: str,
    baseline: str | None = None,
    convention: str = "standard",
    n_resamples: int = 10_000,
    confidence: float = 0.95,
    random_state: RandomState = None,
    higher_is_better: bool = True,
) -> Comparison:
    """Compare systems, given as name → values per query, by a measure that was computed elsewhere.

    A query that is NaN for one system is left out for all systems. ``measure`` and ``convention`` are only printed.

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
    settings = Resampling(n_resamples, confidence, random_generator(random_state))
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
    return Comparison(
        measure=measure,
        convention=convention,
        baseline=baseline,
        confidence=settings.confidence,
        n_queries=len(values),
        left_out=len(per_query) - len(values),
        test=f"paired randomisation test, {_patterns_used(len(values), settings.n_resamples)}",
        systems=_compare_columns(values, names, baseline, settings, higher_is_better),
        notes=_few_queries_notes(len(values), len(names), settings),
    )


def _few_queries_notes(n_queries: int, n_systems: int, settings: Resampling) -> tuple[str, ...]:
    """Say that no difference can be significant, if that is so."""
    n_others, smallest = n_systems - 1, smallest_p_value(n_queries, settings.n_resamples)
    if n_others == 0 or smallest < settings.alpha / n_others:
        return ()
    each = "" if n_others == 1 or smallest >= settings.alpha else f", times {n_others} by Holm's method"
    return (
        f"No difference can be significant with {n_queries} queries: the smallest possible p value is 2/2^{n_queries} "
        f"= {smallest:.3g}{each}.",
    )


def _compare_columns(
    values: FloatArray, names: list[str], baseline: str, settings: Resampling, higher_is_better: bool
) -> tuple[ComparedSystem, ...]:
    """Describe every column of ``values`` (queries × systems), and compare it with the baseline's."""
    base = names.index(baseline)
    samples = bootstrap_means(values, settings.n_resamples, settings.rng)
    differences = np.delete(values, base, axis=1) - values[:, [base]]
    p_values = randomisation_test(differences, settings.n_resamples, settings.rng)
    # Holm's first and strictest step tests the smallest of m p-values at alpha/m.
    first_level = settings.alpha / max(len(names) - 1, 1)
    detectable: FloatArray | None = detectable_difference(differences, first_level)
    too_few = smallest_p_value(len(values), settings.n_resamples) >= first_level
    tested = DifferenceTests(p_values, None if too_few else detectable, TOO_FEW if too_few else NOT_SIGNIFICANT)
    return describe_systems(names, base, values.mean(axis=0), samples, tested, settings, higher_is_better)


@dataclass(frozen=True, eq=False)
class DifferenceTests:
    """How every system but the baseline differs from it."""

    p_values: FloatArray
    detectable: FloatArray | None
    """Smallest difference that the test detects; None if it cannot be given."""
    otherwise: str = NOT_SIGNIFICANT
    """Verdict if a difference is not significant."""


def describe_systems(
    names: list[str],
    base: int,
    means: FloatArray,
    samples: FloatArray,
    tested: DifferenceTests,
    settings: Resampling,
    higher_is_better: bool,
) -> tuple[ComparedSystem, ...]:
    """Return each system with its interval and its difference from the baseline; ``samples`` × systems are means."""
    low, high = percentile_interval(samples, settings.confidence)
    gap_low, gap_high = percentile_interval(samples - samples[:, [base]], settings.confidence)
    adjusted = holm(tested.p_values)
    found = []
    for i, name in enumerate(names):
        own = name, float(means[i]), (float(low[i]), float(high[i]))
        if i == base:
            found.append(ComparedSystem(*own, verdict="baseline"))
            continue
        place, gap = i - (i > base), float(means[i] - means[base])
        significant = bool(adjusted[place] < settings.alpha)
        gain = gap if higher_is_better else -gap
        found.append(
            ComparedSystem(
                *own,
                verdict=("better" if gain > 0 else "worse") if significant else tested.otherwise,
                difference=gap,
                difference_interval=(float(gap_low[i]), float(gap_high[i])),
                p_value=float(tested.p_values[place]),
                adjusted_p_value=float(adjusted[place]),
                detectable_difference=None if tested.detectable is None else float(tested.detectable[place]),
            )
        )
    return tuple(found)


def _patterns_used(n_queries: int, n_resamples: int) -> str:
    if is_exact(n_queries, n_resamples):
        return f"all {2**n_queries:,} sign patterns"
    return f"{n_resamples:,} random sign patterns"
