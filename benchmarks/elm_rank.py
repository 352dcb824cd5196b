"""ELMRank against ridge regression on the same hidden layer, its parts against the machine, on simulated values."""

import tracemalloc
from collections.abc import Iterator

import numpy as np
from scipy.linalg.blas import dgemm, dsyrk
from sklearn.linear_model import Ridge

from glassrank.core.groups import group_rows
from glassrank.core.nodes.hidden_nodes import draw_nodes
from glassrank.core.nodes.least_squares import leave_query_out, normal_equations
from glassrank.core.nodes.pair_rows import pair_rows
from glassrank.core.randomness import random_generator
from glassrank.ranking.elm_rank import ELMRank
from harness import Claim, best_side_by_side, main, ratio_claim

N_FEATURES, N_NODES, ROWS_PER_QUERY, ALPHA = 46, 500, 100, 1e-3
RIDGE_SHARE = 0.75  # both make the same hidden layer and Gram matrix; ours in blocks, so that memory does not grow
ALPHAS = 10.0 ** np.arange(-6.0, 1.25, 0.5)


def claims() -> Iterator[Claim]:
    """Time and memory of a fit, speed of its largest part, the path over penalties and leave-query-out."""
    yield against_ridge(100_000)
    yield flat_memory(50_000, 200_000)
    yield gram_rate(2_000)
    yield path_over_penalties(10_000)
    yield leaving_queries_out(100)


def simulate(n_rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gaussian features, noisy labels from 0 to 4, queries of one size."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(n_rows, N_FEATURES))
    y = np.clip(np.rint(2.0 + X[:, 0] + np.sin(2.0 * X[:, 1]) + generator.normal(size=n_rows)), 0, 4)
    return X, y, np.arange(n_rows) // ROWS_PER_QUERY


def against_ridge(n_rows: int) -> Claim:
    """Queries of one size: ridge regression on rows less their query's mean, alpha = λm/2, has the same solution."""
    X, y, qid = simulate(n_rows)
    ours = ELMRank(N_NODES, alpha=ALPHA, random_state=0)
    layer = ours.fit(X, y, qid=qid).hidden_nodes_
    ridge = Ridge(alpha=ALPHA * n_rows / 2, solver="cholesky", fit_intercept=False)

    def fit_ridge() -> None:
        ridge.fit(centre(layer(X)), centre(y[:, None])[:, 0])

    ours_time, ridge_time = best_side_by_side(5, lambda: ours.fit(X, y, qid=qid), fit_ridge)
    difference = float(np.abs(ours.coef_ - ridge.coef_).max() / np.abs(ridge.coef_).max())
    return ratio_claim(
        f"ELMRank, {n_rows:,} documents × {N_NODES} nodes, against scikit-learn's Ridge on the same hidden layer",
        RIDGE_SHARE,
        ours_time.wall,
        ridge_time.wall,
        accuracy=f"largest relative difference of the coefficients {difference:.0e}",
        accurate=difference < 1e-8,
        detail="wall time, making and centring the hidden layer included in both",
    )


def centre(rows: np.ndarray) -> np.ndarray:
    """Rows less the mean of their query."""
    queries = rows.reshape(-1, ROWS_PER_QUERY, rows.shape[1])
    return (queries - queries.mean(axis=1, keepdims=True)).reshape(rows.shape)


def flat_memory(few: int, many: int) -> Claim:
    """Largest memory that numpy holds during a fit, beyond the data."""
    peaks = [peak_of_fit(few), peak_of_fit(many)]
    growth = peaks[1] / peaks[0]
    return Claim(
        f"Memory of ELMRank at {N_NODES} nodes, {many:,} documents against {few:,}",
        "≤ 1.3 ×",
        f"{growth:.2f} ×",
        "exact count of allocated bytes",
        growth <= 1.3,
        f"{peaks[0] / 1e6:.0f} MB and {peaks[1] / 1e6:.0f} MB; the hidden layer of all rows would take "
        f"{8 * many * N_NODES / 1e6:.0f} MB",
    )


def peak_of_fit(n_rows: int) -> int:
    X, y, qid = simulate(n_rows)
    pairs = pair_rows("pairs", y, group_rows(qid, n_rows))
    nodes = draw_nodes("full", N_FEATURES, N_NODES, "sigmoid", random_generator(0))
    tracemalloc.start()
    normal_equations(nodes, X, y, pairs)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def gram_rate(n_nodes: int) -> Claim:
    """Useful operations per second of the Gram matrix, which is symmetric, against a general matrix product."""
    rows = np.random.default_rng(0).normal(size=(4_000, n_nodes))
    other, gram = np.asfortranarray(rows.T), np.zeros((n_nodes, n_nodes), order="F")
    product = np.zeros((n_nodes, n_nodes), order="F")
    ours, machine = best_side_by_side(
        5,
        lambda: dsyrk(1.0, rows.T, beta=1.0, c=gram, overwrite_c=True, lower=True),
        lambda: dgemm(1.0, other, rows, beta=1.0, c=product, overwrite_c=True),
    )
    rates = len(rows) * n_nodes**2 / ours.wall, 2 * len(rows) * n_nodes**2 / machine.wall
    share = rates[0] / rates[1]
    return Claim(
        f"Gram matrix at {n_nodes:,} nodes, share of the machine's rate in matrix products",
        "≥ 90 %",
        f"{100 * share:.0f} %",
        "the same call as in the fit",
        share >= 0.9,
        f"{rates[0] / 1e9:.0f} and {rates[1] / 1e9:.0f} GFlop/s of useful work",
    )


def path_over_penalties(n_rows: int) -> Claim:
    """All penalties from one eigendecomposition against one factorisation each."""
    X, y, qid = simulate(n_rows)
    model = ELMRank(N_NODES, alpha=ALPHA, random_state=0).fit(X, y, qid=qid)
    equations = model.normal_equations_
    many = np.repeat(ALPHAS, 10)
    path, direct = best_side_by_side(
        3, lambda: model.coef_path(many), lambda: [equations.solve(alpha) for alpha in many.tolist()]
    )
    expected = np.array([equations.solve(alpha) for alpha in ALPHAS.tolist()])
    difference = float(np.abs(model.coef_path(ALPHAS) - expected).max() / np.abs(expected).max())
    return ratio_claim(
        f"ELMRank.coef_path, {len(many)} penalties at {N_NODES} nodes, against one Cholesky solution each",
        2.0,
        path.wall,
        direct.wall,
        accuracy=f"largest relative difference {difference:.0e}",
        accurate=difference < 1e-8,
        detail="wall time",
    )


def leaving_queries_out(n_queries: int) -> Claim:
    """Held-out scores of every query for all penalties, against fitting without each query in turn."""
    X, y, qid = simulate(ROWS_PER_QUERY * n_queries)
    nodes = draw_nodes("full", N_FEATURES, N_NODES, "sigmoid", random_generator(0))
    pairs = pair_rows("pairs", y, group_rows(qid, len(y)))
    equations = normal_equations(nodes, X, y, pairs)
    rest = qid != 0
    without = pair_rows("pairs", y[rest], group_rows(qid[rest], int(rest.sum())))
    ours, refit = best_side_by_side(
        3,
        lambda: leave_query_out(equations, nodes, X, y, pairs, ALPHAS),
        lambda: normal_equations(nodes, X[rest], y[rest], without).path(ALPHAS),
    )
    held_out = leave_query_out(equations, nodes, X, y, pairs, ALPHAS)
    # The penalty stays that of all queries: the normaliser of the rest is smaller.
    alphas = ALPHAS * pairs.normaliser / without.normaliser
    coefs = normal_equations(nodes, X[rest], y[rest], without).path(alphas)
    difference = float(np.abs(held_out[:, ~rest] - coefs @ nodes(X[~rest]).T).max())
    return ratio_claim(
        f"Leave-query-out of {n_queries} queries and {len(ALPHAS)} penalties, against as many fits",
        5.0,
        ours.wall,
        n_queries * refit.wall,
        accuracy=f"largest difference of a held-out score {difference:.0e}",
        accurate=difference < 1e-6,
        detail=f"wall time; the fits are one measured fit times {n_queries}",
    )


if __name__ == "__main__":
    main(claims)
