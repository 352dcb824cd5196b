"""F1 of repeated held-out decisions, with intervals over queries and a paired comparison with a reference."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, FloatArray, check_choice, check_length
from glassrank.metrics.resampling import bootstrap_means, percentile_interval

NOT_SIGNIFICANT = "not significantly different"


@dataclass(frozen=True)
class ComparedF1:
    """Mean F1 of a system over the repeats, and its difference from the reference; None for the reference itself."""

    system: str
    f1: float
    standard_error: float
    """Standard deviation of the bootstrap samples."""
    interval: tuple[float, float]
    spread: float
    """Standard deviation over the repeats: the effect of the split into folds."""
    verdict: str
    difference: float | None = None
    difference_interval: tuple[float, float] | None = None


def compare_f1(
    positive: Any,
    called: Mapping[str, Any],
    reference: str,
    *,
    n_resamples: int = 10_000,
    confidence: float = 0.95,
    random_state: Any = None,
) -> tuple[ComparedF1, ...]:
    """Compare systems by their mean F1 over repeats, with a bootstrap over queries that is paired.

    F1 of a repeat is 2 TP/(called + positive) over all queries, each decided while it was held out; the value of a
    system is the mean over repeats. A bootstrap sample draws queries with replacement, alike for all systems and
    repeats. A system is better or worse if the interval of its difference excludes 0. ``called`` has, by system,
    one row per repeat and one column per query: 1 where the query was called positive.

    >>> truth = [1, 1, 1, 0, 0, 0] * 20
    >>> called = {"all right": [truth], "half": [[1, 0, 1, 0, 1, 0] * 20]}
    >>> best, half = compare_f1(truth, called, "half", random_state=0)
    >>> best.f1, round(half.f1, 3), best.verdict, half.verdict
    (1.0, 0.667, 'better', 'reference')
    """
    check_choice("reference", reference, called)
    truth = np.asarray(positive, dtype=np.float64)
    rows = {name: _decisions(name, values, len(truth)) for name, values in called.items()}
    columns = [truth[:, None]]
    for decisions in rows.values():
        columns += [(decisions * truth).T, decisions.T]
    table = np.hstack(columns)
    drawn = bootstrap_means(table, n_resamples, np.random.default_rng(random_state))
    sizes = [len(decisions) for decisions in rows.values()]
    observed = dict(zip(rows, _f1_by_repeat(table.mean(axis=0)[None, :], sizes), strict=True))
    samples = dict(zip(rows, (f1.mean(axis=1) for f1 in _f1_by_repeat(drawn, sizes)), strict=True))
    return tuple(_compared(name, reference, observed, samples, confidence) for name in rows)


def _decisions(name: str, values: Any, n_queries: int) -> FloatArray:
    decisions = np.atleast_2d(np.asarray(values, dtype=np.float64))
    check_length(f"each row of {name!r}", decisions[0], n_queries, per="query")
    if not np.isin(decisions, (0.0, 1.0)).all():
        raise DataError(f"Decisions of {name!r} must be 1 (called positive) or 0: got other numbers.")
    return decisions


def _f1_by_repeat(means: FloatArray, sizes: list[int]) -> list[FloatArray]:
    """F1 of each sample and repeat, system by system, from the means of truth, true positives and decisions."""
    truth, found, first = means[:, :1], [], 1
    for n_repeats in sizes:
        hits, called = means[:, first : first + n_repeats], means[:, first + n_repeats : first + 2 * n_repeats]
        if (truth + called == 0).any():
            raise DataError(
                "F1 needs positives: got a sample of queries without any, and none called so. Pass more queries."
            )
        found.append(2.0 * hits / (truth + called))
        first += 2 * n_repeats
    return found


def _compared(
    name: str, reference: str, observed: Mapping[str, FloatArray], samples: Mapping[str, FloatArray], confidence: float
) -> ComparedF1:
    f1 = float(observed[name].mean())
    own: dict[str, Any] = {
        "system": name,
        "f1": f1,
        "standard_error": float(samples[name].std(ddof=1)),
        "interval": _interval(samples[name], confidence),
        "spread": float(observed[name].std()),
    }
    if name == reference:
        return ComparedF1(**own, verdict="reference")
    low, high = _interval(samples[name] - samples[reference], confidence)
    verdict = NOT_SIGNIFICANT if low <= 0.0 <= high else "better" if low > 0.0 else "worse"
    return ComparedF1(
        **own,
        verdict=verdict,
        difference=f1 - float(observed[reference].mean()),
        difference_interval=(low, high),
    )


def _interval(samples: FloatArray, confidence: float) -> tuple[float, float]:
    low, high = percentile_interval(samples[:, None], confidence)
    return float(low[0]), float(high[0])
