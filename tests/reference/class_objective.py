"""Slow twins of the support vector classifier: the objective in w and b together, minimised by SciPy."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize


@dataclass(frozen=True)
class Classes:
    """Rows of two classes with signs ±1 and a weight each (C times the row's own)."""

    X: np.ndarray
    signs: np.ndarray
    weights: np.ndarray

    def slack(self, w, b):
        return np.maximum(0.0, 1.0 - self.signs * (self.X @ w + b))

    def squared_hinge(self, w, b):
        return 0.5 * np.dot(w, w) + np.sum(self.weights * self.slack(w, b) ** 2)

    def hinge(self, w, b):
        return 0.5 * np.dot(w, w) + np.sum(self.weights * self.slack(w, b))

    def squared_hinge_gradient(self, w, b):
        """Gradient in (w, b)."""
        pull = -2.0 * self.weights * self.signs * self.slack(w, b)
        return np.append(w + self.X.T @ pull, pull.sum())

    def squared_hinge_hessian(self, w, b):
        """Hessian in (w, b): rows with a margin below 1 count."""
        active = self.signs * (self.X @ w + b) < 1.0
        rows = np.column_stack([self.X, np.ones(len(self.X))])[active]
        penalty = np.diag(np.append(np.ones(len(w)), 0.0))
        return penalty + 2.0 * rows.T @ (self.weights[active][:, None] * rows)

    def dual_of_squared_hinge(self, alpha):
        """Σα − Σα²/(4 weight) − ½‖Σ α s x‖²: a lower bound for α ≥ 0 with Σ α s = 0."""
        w = self.X.T @ (alpha * self.signs)
        return np.sum(alpha) - np.sum(alpha**2 / (4.0 * self.weights)) - 0.5 * np.dot(w, w)

    def best(self):
        """Weights and bias with the least squared hinge objective, by a trust region over both."""
        found = minimize(
            lambda v: self.squared_hinge(v[:-1], v[-1]),
            np.zeros(self.X.shape[1] + 1),
            jac=lambda v: self.squared_hinge_gradient(v[:-1], v[-1]),
            hess=lambda v: self.squared_hinge_hessian(v[:-1], v[-1]),
            method="trust-exact",
            options={"gtol": 1e-10, "maxiter": 2000},
        )
        return found.x[:-1], found.x[-1]

    def best_hinge(self):
        """Weights and bias with the least hinge objective: a quadratic programme with a slack per row."""
        n, d = self.X.shape
        rows = np.hstack([self.signs[:, None] * np.column_stack([self.X, np.ones(n)]), np.eye(n)])
        slope = np.concatenate([np.zeros(d + 1), self.weights])
        weights_only = np.concatenate([np.ones(d), np.zeros(n + 1)])
        found = minimize(
            lambda v: 0.5 * np.sum(v[:d] ** 2) + slope @ v,
            np.concatenate([np.zeros(d + 1), np.ones(n)]),
            jac=lambda v: weights_only * v + slope,
            constraints={"type": "ineq", "fun": lambda v: rows @ v - 1.0, "jac": lambda v: rows},
            bounds=[(None, None)] * (d + 1) + [(0.0, None)] * n,
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        return found.x[:d], found.x[d]


def random_classes(seed, *, n_rows=80, n_features=4, C=1.0, share=0.5, weighted=False):
    """Simulate two overlapping classes; ``share`` of the rows are positive."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    noisy = X @ rng.normal(size=n_features) + 0.7 * rng.normal(size=n_rows)
    signs = np.where(noisy > np.quantile(noisy, 1.0 - share), 1.0, -1.0)
    weights = C * (rng.integers(1, 5, size=n_rows) if weighted else np.ones(n_rows))
    return Classes(X, signs, np.asarray(weights, dtype=float))


def lrbf_gram(A, B, gammas):
    """K(a, b) = Σ_k exp(−γ_k (a_k − b_k)²) for all rows of A and B, one feature after the other."""
    gram = np.zeros((len(A), len(B)))
    for k, gamma in enumerate(gammas):
        gram += np.exp(-gamma * (A[:, k][:, None] - B[:, k][None, :]) ** 2)
    return gram
