"""Comparison of systems over the same queries: what differs from the baseline by more than chance."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, FloatArray, check_choice
from glassrank.metrics.comparison import ComparedSystem, Comparison, significance_level
from glassrank.metrics.measures import MeasureName, parse_measure
from glassrank.metrics.ranked import rank_documents
from glassrank.metrics.resampling import (
    bootstrap_means,
    detectable_difference,
    holm,
    is_exact,
    percentile_interval,
    randomisation_test,
    smallest_p_value,
)

FEWEST_RESAMPLES = 100


def compare(
    systems: Mapping[str, Any],
    y: Any,
    *,
    qid: Any = None,
    measure: str = "ndcg@10",
    baseline: str | None = None,
    convention: str = "standard",
    doc_ids: Any = None,
    n_resamples: int = 10_000,
    confidence: float = 0.95,
    random_state: Any = None,
) -> Comparison:
    """Compare systems, given as name → scores, by one measure over the same queries.

    The baseline is the first system unless named. Queries that the measure leaves out for one system are left out of
    all. The verdict comes from the paired randomisation test alone, Holm-adjusted over the systems: intervals of two
    means may overlap although the systems differ on nearly every query. ``confidence`` sets the level of the intervals
    and, as 1 − confidence, that of the test.

    >>> y, qid = [1, 0, 0] * 8, [q for q in range(8) for _ in range(3)]
    >>> found = compare({"old": [1, 2, 3] * 8, "new": [3, 2, 1] * 8}, y, qid=qid, measure="mrr", random_state=0)
    >>> found["new"].difference, found["new"].p_value, found["new"].verdict
    (0.6666666666666667, 0.0078125, 'better')
    """
    name = parse_measure(measure)
    settings = _Settings(n_resamples, confidence, np.random.default_rng(random_state))
    chosen = _choose_baseline(systems, baseline)
    values, left_out = _values_of_systems(systems, name, y, qid=qid, convention=convention, doc_ids=doc_ids)
    return Comparison(
        measure=measure,
        convention=convention,
        baseline=chosen,
        confidence=confidence,
        n_queries=len(values),
        left_out=left_out,
        test=f"paired randomisation test, {_patterns_used(len(values), n_resamples)}",
        systems=_compare_columns(values, list(systems), chosen, settings, name.measure.higher_is_better),
    )


@dataclass(frozen=True)
class _Settings:
    n_resamples: int
    confidence: float
    rng: np.random.Generator

    def __post_init__(self) -> None:
        if not isinstance(self.n_resamples, int | np.integer) or self.n_resamples < FEWEST_RESAMPLES:
            raise DataError(
                f"n_resamples must be a whole number, at least {FEWEST_RESAMPLES}: got {self.n_resamples!r}."
            )
        if not 0.5 <= self.confidence < 1.0:
            raise DataError(f"confidence must be at least 0.5 and below 1, such as 0.95: got {self.confidence}.")

    @property
    def alpha(self) -> float:
        return significance_level(self.confidence)


def _choose_baseline(systems: Mapping[str, Any], baseline: str | None) -> str:
    if not isinstance(systems, Mapping) or not systems:
        raise DataError("systems must map at least one name to scores, such as {'new': scores, 'old': other_scores}.")
    if baseline is None:
        return next(iter(systems))
    check_choice("baseline", baseline, systems)
    return baseline


def _values_of_systems(systems: Mapping[str, Any], name: MeasureName, y: Any, **ranking: Any) -> tuple[FloatArray, int]:
    """Queries × systems, with the queries that count for every system; and the number of the others."""
    per_query = np.column_stack(
        [
            name.per_query(rank_documents(y, scores, scores_name=f"scores of {system!r}", **ranking))
            for system, scores in systems.items()
        ]
    )
    values = per_query[~np.isnan(per_query).any(axis=1)]
    if len(values) < 2:
        raise DataError(
            f"A comparison needs at least 2 queries with a value of {name.text} for every system: got {len(values)} of "
            f"{len(per_query)}."
        )
    return values, len(per_query) - len(values)


def _compare_columns(
    values: FloatArray, names: list[str], baseline: str, settings: _Settings, higher_is_better: bool
) -> tuple[ComparedSystem, ...]:
    """Describe every column of ``values`` (queries × systems), and compare it with the baseline's."""
    base = names.index(baseline)
    others = [column for column in range(len(names)) if column != base]
    samples = bootstrap_means(values, settings.n_resamples, settings.rng)
    low, high = percentile_interval(samples, settings.confidence)
    against = _compare_differences(
        values[:, others] - values[:, [base]], samples[:, others] - samples[:, [base]], settings, higher_is_better
    )
    details = {base: {"verdict": "baseline"}, **dict(zip(others, against, strict=True))}
    means = values.mean(axis=0)
    return tuple(
        ComparedSystem(name, float(means[i]), (float(low[i]), float(high[i])), **details[i])
        for i, name in enumerate(names)
    )


def _compare_differences(
    differences: FloatArray, samples: FloatArray, settings: _Settings, higher_is_better: bool
) -> list[dict[str, Any]]:
    """Test each column of paired differences; ``samples`` are the bootstrap means of the same columns."""
    n_queries, n_systems = differences.shape
    low, high = percentile_interval(samples, settings.confidence)
    p_values = randomisation_test(differences, settings.n_resamples, settings.rng)
    adjusted = holm(p_values)
    # Holm's first step, the hardest one, tests the smallest of m p values at alpha/m.
    first_level = settings.alpha / max(n_systems, 1)
    detectable = detectable_difference(differences, first_level)
    hopeless = smallest_p_value(n_queries, settings.n_resamples) >= first_level
    means = differences.mean(axis=0)
    return [
        {
            "difference": float(means[i]),
            "difference_interval": (float(low[i]), float(high[i])),
            "p_value": float(p_values[i]),
            "adjusted_p_value": float(adjusted[i]),
            "detectable_difference": None if hopeless else float(detectable[i]),
            "verdict": _verdict(means[i] if higher_is_better else -means[i], adjusted[i] < settings.alpha),
        }
        for i in range(n_systems)
    ]


def _verdict(gain: float, significant: bool) -> str:
    if not significant:
        return "not distinguishable"
    return "better" if gain > 0 else "worse"


def _patterns_used(n_queries: int, n_resamples: int) -> str:
    if is_exact(n_queries, n_resamples):
        return f"all {2**n_queries:,} sign patterns"
    return f"{n_resamples:,} random sign patterns"
