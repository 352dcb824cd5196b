"""How often the interval of ``compare`` contains the true difference, in simulated worlds where it is known.

    python -m experiments.interval_coverage

Each world draws the difference of two systems on every query. The last column is the bootstrap interval of the same
samples, which contains the middle 95 % of resampled means.
"""

from collections.abc import Callable

import numpy as np

from glassrank.metrics.resampling import bootstrap_means, percentile_interval, randomisation_test

LEVEL, TRUE = 0.05, 0.02
Draw = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]
WORLDS: dict[str, Draw] = {
    "normal": lambda rng, shape: rng.normal(0.0, 0.2, shape),
    "heavy tails": lambda rng, shape: 0.1 * rng.standard_t(3, shape),
    # Most queries change little, and some much: what two rankers of the same features look like.
    "few queries change": lambda rng, shape: rng.normal(0.0, 0.3, shape) * (rng.random(shape) < 0.3),
    "steps": lambda rng, shape: rng.choice([-0.5, -0.1, 0.0, 0.1, 0.5], shape),
}
"""Name → differences around 0, queries × samples."""


def coverage(world: str, *, n_queries: int, n_samples: int, n_resamples: int, seed: int) -> float:
    """Share of samples whose interval at 5 % contains the true difference."""
    differences = _differences(world, n_queries, n_samples, seed)
    test = randomisation_test(differences, n_resamples, np.random.default_rng(seed + 1))
    intervals = [test.interval(place, LEVEL) or (-np.inf, np.inf) for place in range(n_samples)]
    return float(np.mean([low <= TRUE <= high for low, high in intervals]))


def bootstrap_coverage(world: str, *, n_queries: int, n_samples: int, n_resamples: int, seed: int) -> float:
    """The same share for the percentile bootstrap of the mean."""
    differences = _differences(world, n_queries, n_samples, seed)
    means = bootstrap_means(differences, n_resamples, np.random.default_rng(seed + 1))
    low, high = percentile_interval(means, 1.0 - LEVEL)
    return float(((low <= TRUE) & (high >= TRUE)).mean())


def _differences(world: str, n_queries: int, n_samples: int, seed: int) -> np.ndarray:
    return TRUE + WORLDS[world](np.random.default_rng(seed), (n_queries, n_samples))


def main() -> None:
    """Print one line per world and number of queries."""
    print(f"{'world':22}{'queries':>8}{'inverted test':>15}{'bootstrap':>11}")
    for world in WORLDS:
        for n_queries in (8, 20, 50, 200):
            size = {"n_queries": n_queries, "n_samples": 10_000, "n_resamples": 1_999, "seed": 0}
            print(f"{world:22}{n_queries:8}{coverage(world, **size):15.3f}{bootstrap_coverage(world, **size):11.3f}")


if __name__ == "__main__":
    main()
