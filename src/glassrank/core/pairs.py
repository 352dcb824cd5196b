"""Sweeps over the comparable pairs of each query that never list a pair.

Notation: z = X w; a pair (i, j) of one query with y_i < y_j is *active* when z_j < z_i + 1, that is, when the better
document j does not stand a full margin above i. With the documents of a query sorted by z, the active partners of i
form a prefix of the sorted list, so one pointer that only moves forward visits them all. A Fenwick tree over the
label levels answers "how many of them have a higher label, and what is the sum of their z" in O(log levels): the cost
of a query with m documents is O(m log m), whether labels are binary or real-valued.

Arrays named ``rows`` run over the documents query by query; query q owns rows ``starts[q]:starts[q + 1]``.
``ranking[r]`` is the row at sorted position r; ``reach[r]`` is the end of the active prefix of that row.
"""

from typing import Any

import numpy as np
from numba import njit

# A sum of squares this small beside its terms has lost half its digits: add its terms one by one.
CANCELLED = 1e-8
JIT: dict[str, Any] = {"cache": True, "nogil": True, "fastmath": {"contract", "reassoc", "nsz", "arcp"}}


@njit(**JIT)
def sweep_dense(X, w, starts, level, n_levels, z, ranking, reach, slope, degree, gradient):
    """Compute z = X w, the loss, its slope and the gradient Xᵀ slope while each query's rows are in the cache."""
    loss = 0.0
    gradient[:] = 0.0
    n_features = X.shape[1]
    tree = np.empty((n_levels.max() + 1, 3))
    for query in range(len(starts) - 1):
        first, end = starts[query], starts[query + 1]
        for row in range(first, end):
            total = 0.0
            for k in range(n_features):
                total += X[row, k] * w[k]
            z[row] = total
        loss += _sweep_query(first, end, level, n_levels[query], z, ranking, reach, slope, degree, tree)
        for row in range(first, end):
            if slope[row] != 0.0:
                for k in range(n_features):
                    gradient[k] += slope[row] * X[row, k]
    return loss


@njit(**JIT)
def sweep_scores(starts, level, n_levels, z, ranking, reach, slope, degree):
    """Compute the loss and its slope for given scores z (which are centred in place)."""
    loss = 0.0
    tree = np.empty((n_levels.max() + 1, 3))
    for query in range(len(starts) - 1):
        first, end = starts[query], starts[query + 1]
        loss += _sweep_query(first, end, level, n_levels[query], z, ranking, reach, slope, degree, tree)
    return loss


@njit(**JIT)
def _sweep_query(first, end, level, n_levels, z, ranking, reach, slope, degree, tree):
    """Squared hinge of one query: loss, slope = d loss/d z, degree = number of active pairs of each row."""
    if n_levels < 2:
        slope[first:end] = 0.0
        degree[first:end] = 0.0
        reach[first:end] = first
        return 0.0
    _sort(first, end, z, ranking)
    _centre(first, end, z, ranking)
    loss = 0.0
    # Forward: row is the worse document of its pairs; partners have a higher label and z_j < z_row + 1.
    tree[: n_levels + 1] = 0.0
    pointer = first
    for r in range(first, end):
        row = ranking[r]
        edge = z[row] + 1.0
        while pointer < end and z[ranking[pointer]] < edge:
            partner = ranking[pointer]
            _add(tree, n_levels, n_levels - 1 - level[partner], z[partner])
            pointer += 1
        reach[r] = pointer
        count, total, squares = _sum_before(tree, n_levels - 1 - level[row])
        row_loss = count * edge * edge - 2.0 * edge * total + squares
        row_slack = count * edge - total
        if row_loss < CANCELLED * count * edge * edge:
            row_loss, row_slack = _slack_below(pointer - 1, count, level, level[row], edge, z, ranking)
        loss += row_loss
        slope[row] = 2.0 * row_slack
        degree[row] = count
    # Backward: row is the better document. Membership is read off the forward pass, so that both passes agree on ties.
    tree[: n_levels + 1] = 0.0
    pointer = end - 1
    for r in range(end - 1, first - 1, -1):
        row = ranking[r]
        while pointer >= first and reach[pointer] > r:
            partner = ranking[pointer]
            _add(tree, n_levels, level[partner], z[partner])
            pointer -= 1
        count, total, squares = _sum_before(tree, level[row])
        edge = z[row] - 1.0
        row_slack = total - count * edge
        if squares - 2.0 * edge * total + count * edge * edge < CANCELLED * count * edge * edge:
            row_slack = _slack_above(pointer + 1, count, level, level[row], edge, z, ranking)
        slope[row] -= 2.0 * row_slack
        degree[row] += count
    return loss


@njit(**JIT)
def _slack_below(position, count, level, floor, edge, z, ranking):
    """Sums of squared and plain slack edge − z over the ``count`` better partners below the edge, one by one."""
    squares, total = 0.0, 0.0
    while count > 0.0:
        row = ranking[position]
        if level[row] > floor:
            slack = edge - z[row]
            squares += slack * slack
            total += slack
            count -= 1.0
        position -= 1
    return squares, total


@njit(**JIT)
def _slack_above(position, count, level, ceiling, edge, z, ranking):
    """Sum of slack z − edge over the ``count`` worse partners above the edge, one by one."""
    total = 0.0
    while count > 0.0:
        row = ranking[position]
        if level[row] < ceiling:
            total += z[row] - edge
            count -= 1.0
        position += 1
    return total


@njit(**JIT)
def laplacian_product(starts, level, n_levels, ranking, reach, degree, v, product):
    """Compute L v, L the Laplacian of the active pairs: degree_i v_i − Σ v over i's partners; centres v in place."""
    tree = np.empty((n_levels.max() + 1, 3))
    for query in range(len(starts) - 1):
        first, end, levels = starts[query], starts[query + 1], n_levels[query]
        _centre(first, end, v, ranking)
        tree[: levels + 1] = 0.0
        pointer = first
        for r in range(first, end):
            row = ranking[r]
            while pointer < reach[r]:
                partner = ranking[pointer]
                _add(tree, levels, levels - 1 - level[partner], v[partner])
                pointer += 1
            product[row] = degree[row] * v[row] - _sum_before(tree, levels - 1 - level[row])[1]
        tree[: levels + 1] = 0.0
        pointer = end - 1
        for r in range(end - 1, first - 1, -1):
            row = ranking[r]
            while pointer >= first and reach[pointer] > r:
                partner = ranking[pointer]
                _add(tree, levels, level[partner], v[partner])
                pointer -= 1
            product[row] -= _sum_before(tree, level[row])[1]


@njit(**JIT)
def half_laplacian_rows(X, starts, level, n_levels, ranking, reach, degree, centred, half):
    """Fill rows of C (X centred by query) and of Y = ½ degree · C − Σ over the better partners of C.

    CᵀY + YᵀC = Xᵀ L X, so that one matrix product gives the Hessian. X holds the rows of these queries only:
    ``starts`` counts from 0 within X, and ``ranking`` and ``reach`` count from the first of these rows.
    Centring loses nothing (L sums to zero over a query) and keeps digits when features have a large offset.
    """
    n_features = X.shape[1]
    tree = np.empty((n_levels.max() + 1, n_features))
    mean = np.empty(n_features)
    offset = ranking.min() if len(ranking) else 0
    for query in range(len(starts) - 1):
        first, end, levels = starts[query], starts[query + 1], n_levels[query]
        mean[:] = 0.0
        for row in range(first, end):
            mean += X[row]
        mean /= end - first
        for row in range(first, end):
            centred[row] = X[row] - mean
        tree[: levels + 1] = 0.0
        pointer = first
        for r in range(first, end):
            row = ranking[r] - offset
            while pointer < reach[r] - offset:
                partner = ranking[pointer] - offset
                node = levels - level[partner]
                while node <= levels:
                    tree[node] += centred[partner]
                    node += node & -node
                pointer += 1
            half[row] = 0.5 * degree[row] * centred[row]
            node = levels - 1 - level[row]
            while node > 0:
                half[row] -= tree[node]
                node -= node & -node


@njit(**JIT)
def _centre(first, end, values, ranking):
    """Subtract the value of the query's middle document, so that sums lose no digits; pairs see differences only.

    Unlike the mean it is not dragged away by one far document, and it rounds nothing off values that are whole.
    """
    middle = values[ranking[(first + end) // 2]]
    for row in range(first, end):
        values[row] -= middle


@njit(**JIT)
def _sort(first, end, z, ranking):
    """Sort a query's rows by score, starting from the last ranking: insertion while nearly sorted, else anew."""
    moves_left = 8 * (end - first)
    for r in range(first + 1, end):
        row = ranking[r]
        score = z[row]
        hole = r
        while hole > first and z[ranking[hole - 1]] > score:
            ranking[hole] = ranking[hole - 1]
            hole -= 1
        ranking[hole] = row
        moves_left -= r - hole
        if moves_left < 0:
            ranking[first:end] = first + np.argsort(z[first:end])
            return


@njit(inline="always", **JIT)
def _add(tree, n_levels, position, value):
    """Add a document at a position (0-based) of a Fenwick tree of (count, sum, sum of squares)."""
    node = position + 1
    while node <= n_levels:
        tree[node, 0] += 1.0
        tree[node, 1] += value
        tree[node, 2] += value * value
        node += node & -node


@njit(inline="always", **JIT)
def _sum_before(tree, position):
    """Count, sum and sum of squares over all positions before this one."""
    count, total, squares = 0.0, 0.0, 0.0
    node = position
    while node > 0:
        count += tree[node, 0]
        total += tree[node, 1]
        squares += tree[node, 2]
        node -= node & -node
    return count, total, squares
