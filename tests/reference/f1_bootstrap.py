"""F1, its best threshold and its paired bootstrap, from the definitions, one query at a time."""

from itertools import pairwise

import numpy as np


def f1(truth, called):
    """2 TP / (2 TP + FP + FN)."""
    hits = sum(1 for t, c in zip(truth, called, strict=True) if t and c)
    wrong = sum(1 for t, c in zip(truth, called, strict=True) if bool(t) != bool(c))
    return 2 * hits / (2 * hits + wrong)


def best_f1_of_any_threshold(scores, truth):
    """Try a threshold below, above and between all scores."""
    cuts = sorted(set(scores))
    tried = [cuts[0] - 1, *((a + b) / 2 for a, b in pairwise(cuts))]
    return max(f1(truth, [score > cut for score in scores]) for cut in tried)


def mean_f1(truth, repeats, rows):
    """Return the mean over repeats of the F1 on the queries in ``rows``, which may contain repetitions."""
    own = [truth[row] for row in rows]
    return sum(f1(own, [called[row] for row in rows]) for called in repeats) / len(repeats)


def paired_bootstrap(truth, system, reference, n_resamples, seed):
    """Standard error and 95 % interval of the system, and interval of its difference from the reference."""
    drawn = np.random.default_rng(seed).integers(0, len(truth), size=(n_resamples, len(truth))).tolist()
    own = [mean_f1(truth, system, rows) for rows in drawn]
    gaps = [value - mean_f1(truth, reference, rows) for value, rows in zip(own, drawn, strict=True)]
    mean = sum(own) / n_resamples
    error = (sum((value - mean) ** 2 for value in own) / (n_resamples - 1)) ** 0.5
    return error, np.percentile(own, [2.5, 97.5]).tolist(), np.percentile(gaps, [2.5, 97.5]).tolist()
