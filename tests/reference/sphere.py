"""Slow twin of the smallest sphere: every choice of weights at 0, at C and in between, and distances by plain sums."""

from itertools import product

import numpy as np

AT_ZERO, AT_COST, FREE = range(3)
FEASIBLE = 1e-9


def dual_value(K, alpha):
    """Σ α_i K_ii − Σ α_i α_j K_ij."""
    n = len(K)
    linear = sum(alpha[i] * K[i][i] for i in range(n))
    return linear - sum(alpha[i] * alpha[j] * K[i][j] for i in range(n) for j in range(n))


def distances(K, alpha):
    """K_ii − 2 Σ α_j K_ij + Σ α_j α_k K_jk for every page."""
    n = len(K)
    centre = sum(alpha[j] * alpha[k] * K[j][k] for j in range(n) for k in range(n))
    return [K[i][i] - 2 * sum(alpha[j] * K[i][j] for j in range(n)) + centre for i in range(n)]


def primal_value(squared, C):
    """min over R² ≥ 0 of R² + C Σ max(0, d² − R²): piecewise linear, so the minimum is at 0 or at some d²."""
    return min(r + C * sum(max(0.0, d - r) for d in squared) for r in [0.0, *squared])


def best_weights(K, C):
    """Return the weights with the largest dual value over all faces of {Σ α = 1, 0 ≤ α ≤ C}, by 3^n linear systems."""
    best, best_value = None, -np.inf
    for states in product((AT_ZERO, AT_COST, FREE), repeat=len(K)):
        alpha = stationary_weights(K, C, np.array(states))
        if alpha is not None and dual_value(K, alpha) > best_value:
            best, best_value = alpha, dual_value(K, alpha)
    return best, best_value


def stationary_weights(K, C, states):
    """Return the weights of the free pages at the stationary point of the face; None if they are out of bounds."""
    alpha = np.where(states == AT_COST, C, 0.0)
    free = np.flatnonzero(states == FREE)
    if len(free):
        # 2 K_FF α_F + λ = diag_F − 2 K_FB α_B, Σ α_F = 1 − Σ α_B
        system = np.zeros((len(free) + 1, len(free) + 1))
        system[:-1, :-1] = 2 * K[np.ix_(free, free)]
        system[:-1, -1] = system[-1, :-1] = 1.0
        right = np.append(np.diag(K)[free] - 2 * K[free] @ alpha, 1 - alpha.sum())
        alpha[free] = np.linalg.lstsq(system, right, rcond=None)[0][:-1]
    within = (alpha > -FEASIBLE * C).all() and (alpha < C * (1 + FEASIBLE)).all()
    return alpha if within and abs(alpha.sum() - 1) < FEASIBLE else None


def radius_interval(K, alpha, C):
    """Return the smallest and largest optimal R², from the pages on the sphere or, if there are none, around it."""
    squared = distances(K, alpha)
    on = [d for d, a in zip(squared, alpha, strict=True) if 1e-7 * C < a < (1 - 1e-7) * C]
    if on:
        return min(on), max(on)
    inner = [d for d, a in zip(squared, alpha, strict=True) if a <= 1e-7 * C]
    outer = [d for d, a in zip(squared, alpha, strict=True) if a > 1e-7 * C]
    return max([0.0, *inner]), min(outer)


def shifted_kernel(K):
    """K − ½(k1ᵀ + 1kᵀ) + c with k the diagonal: the same dual, with a constant diagonal."""
    half = np.diag(K) / 2
    return K - half[:, None] - half[None, :] + np.diag(K).max()


def composite(n, seed):
    """A Gram matrix of many scales, with a diagonal that is far from constant."""
    rng = np.random.default_rng(seed)
    words = rng.gamma(1.0, 1.0, (n, 30)) * (rng.random((n, 30)) < 0.2)
    cited = (rng.random((n, 40)) < 0.1).astype(float)
    return words @ words.T / 10 + cited @ cited.T / 4


def cosines(n, seed, n_words=400):
    """Cosines of sparse word vectors: a constant diagonal, and many pages on the sphere."""
    rng = np.random.default_rng(seed)
    words = rng.random((n, n_words)) * (rng.random((n, n_words)) < 0.05)
    words[:, 0] += 0.05
    words /= np.linalg.norm(words, axis=1)[:, None]
    K = words @ words.T
    np.fill_diagonal(K, 1.0)
    return K
