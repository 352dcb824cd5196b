"""Slow twins of probability fits and of reliability: one pair at a time, from the definitions."""

import math

import numpy as np


def smoothed_targets(positive, weights=None):
    """(N₊ + 1)/(N₊ + 2) for positives and 1/(N₋ + 2) for negatives, N summing weights."""
    weights = [1.0] * len(positive) if weights is None else weights
    n_positive = sum(weight for yes, weight in zip(positive, weights, strict=True) if yes)
    n_negative = sum(weight for yes, weight in zip(positive, weights, strict=True) if not yes)
    return [(n_positive + 1) / (n_positive + 2) if yes else 1 / (n_negative + 2) for yes in positive]


def negative_log_likelihood(A, B, outputs, positive, weights=None):
    """−Σ w [t log P + (1 − t) log(1 − P)] with P = 1/(1 + exp(A f + B)), for moderate outputs."""
    weights = [1.0] * len(positive) if weights is None else weights
    total = 0.0
    for f, t, weight in zip(outputs, smoothed_targets(positive, weights), weights, strict=True):
        p = 1.0 / (1.0 + math.exp(A * f + B))
        total -= weight * (t * math.log(p) + (1.0 - t) * math.log(1.0 - p))
    return total


def likelihood_derivatives(parameters, outputs, positive, weights=None):
    """Value, gradient and Hessian in (A, B), or in A alone (B = 0) when there is one parameter."""
    A, B = (*parameters, 0.0)[:2]
    f = np.asarray(outputs, dtype=float)
    w = np.ones(len(f)) if weights is None else np.asarray(weights, dtype=float)
    t = np.array(smoothed_targets(positive, w))
    p = 1.0 / (1.0 + np.exp(A * f + B))
    columns = np.column_stack([f, np.ones(len(f))])[:, : len(parameters)]
    gradient = columns.T @ (w * (t - p))
    hessian = columns.T @ (columns * (w * p * (1 - p))[:, None])
    return negative_log_likelihood(A, B, f, positive, w), gradient, hessian


def reliability(probabilities, n_bins=10):
    """Brier score, log-loss, accuracy, calibration gap and bins of the predicted probabilities of the true order.

    A bin is (index, number of pairs, mean predicted, share ordered as predicted), with P ≥ 1/2 for each pair.
    """
    n = len(probabilities)
    bins = {}
    for p in probabilities:
        turned = max(p, 1.0 - p)
        index = min(int((turned - 0.5) * 2 * n_bins), n_bins - 1)
        bins.setdefault(index, []).append((turned, 1.0 if p > 0.5 else 0.5 if p == 0.5 else 0.0))
    rows, gap = [], 0.0
    for index in sorted(bins):
        mean = sum(p for p, _ in bins[index]) / len(bins[index])
        share = sum(right for _, right in bins[index]) / len(bins[index])
        gap += len(bins[index]) / n * abs(mean - share)
        rows.append((index, len(bins[index]), mean, share))
    brier = sum((1.0 - p) ** 2 for p in probabilities) / n
    log_loss = sum(-math.log(p) for p in probabilities) / n
    accuracy = sum(1.0 if p > 0.5 else 0.5 if p == 0.5 else 0.0 for p in probabilities) / n
    return {"brier": brier, "log_loss": log_loss, "accuracy": accuracy, "gap": gap, "bins": rows}
