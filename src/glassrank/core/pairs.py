"""Sweeps over the comparable pairs of each query that never list a pair.

Notation: z = X w. A pair (i, j) of one query with y_i < y_j has slack at a margin e when z_j < z_i + e, that is, when
the better document j does not stand e above i; it is then *active*. With the documents of a query sorted by z, the
active partners of i form a prefix of the sorted list, so one pointer that only moves forward visits them all. A
Fenwick tree over the label levels answers "how many of them have a higher label, and what is the sum of their z" in
O(log levels): a query with m documents costs O(m log m), whether labels are binary or real-valued.

Every loss here is a sum over margins e of coefficient_e · S(e), with S(e) = Σ max(0, e − (z_j − z_i))² over the pairs:
the squared hinge is S(1), the hinge smoothed over a width δ is (S(1) − S(1 − δ))/(2δ).
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from glassrank.core.checks import FloatArray, IntArray

# A sum of squares this small beside its terms has lost half its digits: add its terms one by one.
CANCELLED = 1e-8
JIT: dict[str, Any] = {"cache": True, "nogil": True, "fastmath": {"contract", "reassoc", "nsz", "arcp"}}


class PairData(NamedTuple):
    """Which pairs there are: query q owns rows starts[q] to starts[q + 1]; a pair joins different levels of a query.

    The pair of a worse document i and a better one j weighs Σ_r own[i, r] · partner[j, r], which is the same as
    turned · Σ_r own[j, r] · partner[i, r].
    """

    starts: IntArray
    level: IntArray
    n_levels: IntArray
    own: FloatArray
    partner: FloatArray
    turned: float


class MarginLoss(NamedTuple):
    """Σ_e coefficients[e] · S(margins[e])."""

    margins: FloatArray
    coefficients: FloatArray


class Sweep(NamedTuple):
    """What a sweep leaves behind at one w."""

    z: FloatArray
    """Scores, centred by query."""
    ranking: IntArray
    """Row at each sorted position."""
    reach: IntArray
    """Margin × sorted position: end of the active prefix."""
    degree: FloatArray
    """Margin × row: weight of the row's active pairs."""
    slope: FloatArray
    """Derivative of the loss by the row's score."""


@njit(**JIT)
def sweep_dense(X, w, queries, data, loss, sweep, sums, gradient):
    """Compute z = X w, sums = (S(e), Σ slack at e), the slope and Xᵀ slope while each query's rows are in the cache."""
    tree = _new_tree(data)
    for query in range(queries[0], queries[1]):
        first, end = data.starts[query], data.starts[query + 1]
        for row in range(first, end):
            total = 0.0
            for k in range(X.shape[1]):
                total += X[row, k] * w[k]
            sweep.z[row] = total
        _sweep_query(query, data, loss, sweep, sums, tree)
        for row in range(first, end):
            if sweep.slope[row] != 0.0:
                for k in range(X.shape[1]):
                    gradient[k] += sweep.slope[row] * X[row, k]


@njit(**JIT)
def sweep_scores(queries, data, loss, sweep, sums):
    """Compute sums = (S(e), Σ slack at e) and the slope for the scores in ``sweep.z``, which are centred in place."""
    tree = _new_tree(data)
    for query in range(queries[0], queries[1]):
        _sweep_query(query, data, loss, sweep, sums, tree)


@njit(**JIT)
def laplacian_product(queries, data, coefficients, sweep, v, product):
    """Compute L v, L = Σ_e coefficient_e · (Laplacian of the graph of pairs active at e); centres v in place."""
    tree = _new_tree(data)
    for query in range(queries[0], queries[1]):
        first, end = data.starts[query], data.starts[query + 1]
        product[first:end] = 0.0
        if data.n_levels[query] < 2:
            continue
        _centre(first, end, v, sweep.ranking)
        for e in range(len(coefficients)):
            _multiply_worse(query, data, coefficients[e], sweep, e, v, product, tree)
            _multiply_better(query, data, coefficients[e], sweep, e, v, product, tree)


@njit(**JIT)
def half_laplacian_rows(X, queries, data, coefficients, sweep, centred, half):
    """Fill C, X centred by query, and Y = Σ_e coefficient_e (½ degree · C − Σ weight · C over the better partners).

    CᵀY + YᵀC = Xᵀ L X, so that one matrix product gives the Hessian. X, ``centred`` and ``half`` hold the rows of
    these queries only. Centring loses nothing, as L sums to zero over a query, and keeps the digits of features with
    a large offset.
    """
    tree = np.empty((data.n_levels.max() + 1, data.partner.shape[1], X.shape[1]))
    offset = data.starts[queries[0]]
    for query in range(queries[0], queries[1]):
        first, end = data.starts[query], data.starts[query + 1]
        _centre_rows(X, first - offset, end - offset, centred)
        half[first - offset : end - offset] = 0.0
        if data.n_levels[query] > 1:
            for e in range(len(coefficients)):
                _add_half_rows(query, data, coefficients[e], sweep, e, offset, centred, half, tree)


@njit(**JIT)
def _sweep_query(query, data, loss, sweep, sums, tree):
    first, end = data.starts[query], data.starts[query + 1]
    sweep.slope[first:end] = 0.0
    if data.n_levels[query] < 2:
        sweep.reach[:, first:end] = first
        sweep.degree[:, first:end] = 0.0
        return
    _sort(first, end, sweep.z, sweep.ranking)
    _centre(first, end, sweep.z, sweep.ranking)
    for e in range(len(loss.margins)):
        _sweep_worse(query, data, loss.margins[e], loss.coefficients[e], sweep, e, sums, tree)
        _sweep_better(query, data, loss.margins[e], loss.coefficients[e], sweep, e, tree)


@njit(**JIT)
def _sweep_worse(query, data, margin, coefficient, sweep, e, sums, tree):
    """Rows as the worse document of their pairs: partners have a higher label and z < z_row + margin."""
    first, end, n_levels = data.starts[query], data.starts[query + 1], data.n_levels[query]
    tree[: n_levels + 1] = 0.0
    pointer = first
    for r in range(first, end):
        row = sweep.ranking[r]
        edge = sweep.z[row] + margin
        while pointer < end and sweep.z[sweep.ranking[pointer]] < edge:
            other = sweep.ranking[pointer]
            _add(tree, n_levels, n_levels - 1 - data.level[other], sweep.z[other], data.partner, other)
            pointer += 1
        sweep.reach[e, r] = pointer
        count, weight, total, squares = _sum_before(tree, n_levels - 1 - data.level[row], data.own, row)
        row_loss = weight * edge * edge - 2.0 * edge * total + squares
        slack = weight * edge - total
        if row_loss < CANCELLED * weight * edge * edge:
            row_loss, slack = _slack_below(pointer - 1, count, row, edge, data, sweep)
        sums[0, e] += row_loss
        sums[1, e] += slack
        sweep.slope[row] += 2.0 * coefficient * slack
        sweep.degree[e, row] = weight


@njit(**JIT)
def _sweep_better(query, data, margin, coefficient, sweep, e, tree):
    """Rows as the better document. Membership is read off ``reach``, so that both passes agree on ties."""
    first, end, n_levels = data.starts[query], data.starts[query + 1], data.n_levels[query]
    tree[: n_levels + 1] = 0.0
    pointer = end - 1
    for r in range(end - 1, first - 1, -1):
        row = sweep.ranking[r]
        while pointer >= first and sweep.reach[e, pointer] > r:
            other = sweep.ranking[pointer]
            _add(tree, n_levels, data.level[other], sweep.z[other], data.partner, other)
            pointer -= 1
        count, weight, total, squares = _sum_before(tree, data.level[row], data.own, row)
        edge = sweep.z[row] - margin
        slack = data.turned * (total - weight * edge)
        row_loss = data.turned * (squares - 2.0 * edge * total + weight * edge * edge)
        if row_loss < CANCELLED * data.turned * weight * edge * edge:
            slack = data.turned * _slack_above(pointer + 1, count, row, edge, data, sweep)
        sweep.slope[row] -= 2.0 * coefficient * slack
        sweep.degree[e, row] += data.turned * weight


@njit(**JIT)
def _slack_below(position, count, row, edge, data, sweep):
    """Weighted squares and sum of the slack edge − z of the ``count`` better partners below the edge, one by one."""
    squares, total = 0.0, 0.0
    while count > 0.0:
        other = sweep.ranking[position]
        if data.level[other] > data.level[row]:
            slack = edge - sweep.z[other]
            weight = pair_weight(data.own, row, data.partner, other)
            squares += weight * slack * slack
            total += weight * slack
            count -= 1.0
        position -= 1
    return squares, total


@njit(**JIT)
def _slack_above(position, count, row, edge, data, sweep):
    """Weighted sum of the slack z − edge of the ``count`` worse partners above the edge, one by one."""
    total = 0.0
    while count > 0.0:
        other = sweep.ranking[position]
        if data.level[other] < data.level[row]:
            total += pair_weight(data.own, row, data.partner, other) * (sweep.z[other] - edge)
            count -= 1.0
        position += 1
    return total


@njit(**JIT)
def _multiply_worse(query, data, coefficient, sweep, e, v, product, tree):
    """Add coefficient · (degree · v − Σ weight · v over the better partners)."""
    first, end, n_levels = data.starts[query], data.starts[query + 1], data.n_levels[query]
    tree[: n_levels + 1] = 0.0
    pointer = first
    for r in range(first, end):
        row = sweep.ranking[r]
        while pointer < sweep.reach[e, r]:
            other = sweep.ranking[pointer]
            _add(tree, n_levels, n_levels - 1 - data.level[other], v[other], data.partner, other)
            pointer += 1
        partners = _sum_before(tree, n_levels - 1 - data.level[row], data.own, row)[2]
        product[row] += coefficient * (sweep.degree[e, row] * v[row] - partners)


@njit(**JIT)
def _multiply_better(query, data, coefficient, sweep, e, v, product, tree):
    """Subtract coefficient · Σ weight · v over the worse partners."""
    first, end, n_levels = data.starts[query], data.starts[query + 1], data.n_levels[query]
    tree[: n_levels + 1] = 0.0
    pointer = end - 1
    for r in range(end - 1, first - 1, -1):
        row = sweep.ranking[r]
        while pointer >= first and sweep.reach[e, pointer] > r:
            other = sweep.ranking[pointer]
            _add(tree, n_levels, data.level[other], v[other], data.partner, other)
            pointer -= 1
        product[row] -= coefficient * data.turned * _sum_before(tree, data.level[row], data.own, row)[2]


@njit(**JIT)
def _add_half_rows(query, data, coefficient, sweep, e, offset, centred, half, tree):
    first, end, n_levels = data.starts[query], data.starts[query + 1], data.n_levels[query]
    tree[: n_levels + 1] = 0.0
    pointer = first
    for r in range(first, end):
        row = sweep.ranking[r]
        while pointer < sweep.reach[e, r]:
            other = sweep.ranking[pointer]
            _add_row(tree, n_levels, n_levels - 1 - data.level[other], centred[other - offset], data.partner, other)
            pointer += 1
        target = half[row - offset]
        share = 0.5 * coefficient * sweep.degree[e, row]
        for k in range(len(target)):
            target[k] += share * centred[row - offset, k]
        _subtract_before(tree, n_levels - 1 - data.level[row], coefficient, data.own, row, target)


@njit(**JIT)
def _centre_rows(X, first, end, centred):
    """Subtract the mean row of a query."""
    mean = np.zeros(X.shape[1])
    for row in range(first, end):
        for k in range(X.shape[1]):
            mean[k] += X[row, k]
    mean /= end - first
    for row in range(first, end):
        for k in range(X.shape[1]):
            centred[row, k] = X[row, k] - mean[k]


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


@njit(**JIT)
def _new_tree(data):
    """A Fenwick tree over levels; a node holds a count and, per weight term, Σ weight, Σ weight·z and Σ weight·z²."""
    return np.empty((data.n_levels.max() + 1, 1 + 3 * data.partner.shape[1]))


@njit(inline="always", **JIT)
def _add(tree, n_levels, position, value, partner, other):
    """Add document ``other`` at a position (0-based) of the tree."""
    node = position + 1
    while node <= n_levels:
        tree[node, 0] += 1.0
        for term in range(partner.shape[1]):
            weight = partner[other, term]
            tree[node, 3 * term + 1] += weight
            tree[node, 3 * term + 2] += weight * value
            tree[node, 3 * term + 3] += weight * value * value
        node += node & -node


@njit(inline="always", **JIT)
def _sum_before(tree, position, own, row):
    """Count, weight, weighted sum and weighted squares of the documents before this position, as ``row`` sees them."""
    count, weight, total, squares = 0.0, 0.0, 0.0, 0.0
    node = position
    while node > 0:
        count += tree[node, 0]
        for term in range(own.shape[1]):
            weight += own[row, term] * tree[node, 3 * term + 1]
            total += own[row, term] * tree[node, 3 * term + 2]
            squares += own[row, term] * tree[node, 3 * term + 3]
        node -= node & -node
    return count, weight, total, squares


@njit(**JIT)
def _add_row(tree, n_levels, position, values, partner, other):
    """Add a whole row, times its weights, at a position of a tree of rows."""
    node = position + 1
    while node <= n_levels:
        for term in range(partner.shape[1]):
            weight = partner[other, term]
            for k in range(len(values)):
                tree[node, term, k] += weight * values[k]
        node += node & -node


@njit(**JIT)
def _subtract_before(tree, position, coefficient, own, row, target):
    """Subtract from ``target`` the weighted sum of the rows before a position."""
    node = position
    while node > 0:
        for term in range(own.shape[1]):
            weight = coefficient * own[row, term]
            for k in range(len(target)):
                target[k] -= weight * tree[node, term, k]
        node -= node & -node


@njit(inline="always", **JIT)
def pair_weight(own, worse, partner, better):
    """Weight of one pair."""
    weight = 0.0
    for term in range(own.shape[1]):
        weight += own[worse, term] * partner[better, term]
    return weight
