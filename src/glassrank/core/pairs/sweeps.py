"""Sweeps over the comparable pairs of each query that never list a pair.

Notation: z = X w. A pair (i, j) of one query with y_i < y_j has slack at a margin e when z_j < z_i + e, that is, when
the better document j does not stand e above i; it is then *active*. With the documents of a query sorted by z, the
active partners of i form a prefix of the sorted list, so one pointer that only moves forward visits them all. A
Fenwick tree over the label levels answers "how many of them have a higher label, and what is the sum of their z" in
O(log levels): a query with m documents costs O(m log m), whether labels are binary or real-valued.

Every loss here is a sum over margins e of coefficient_e · S(e), with S(e) = Σ max(0, e − (z_j − z_i))² over the pairs:
the squared hinge is S(1), the hinge smoothed over a width δ is (S(1) − S(1 − δ))/(2δ).
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.pairs.level_tree import (
    JIT,
    add,
    add_row,
    n_terms,
    new_tree,
    pair_weight,
    subtract_before,
    sum_before,
)
from glassrank.core.pairs.score_order import centre, sort_rows

# A sum of squares this small beside its terms has lost half its digits: add its terms one by one.
CANCELLED = 1e-8


class PairData(NamedTuple):
    """Which pairs there are: query q owns rows starts[q] to starts[q + 1]; a pair joins different levels of a query.

    The pair of a worse document i and a better one j weighs Σ_r own[i, r] · partner[j, r], which is the same as
    turned · Σ_r own[j, r] · partner[i, r]. Where every pair weighs 1, ``own`` and ``partner`` are None.
    """

    starts: IntArray
    level: IntArray
    n_levels: IntArray
    own: FloatArray | None
    partner: FloatArray | None
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


class _Sorted(NamedTuple):
    """Room for one query at a time: its documents' values and levels in sorted order, and a tree over the levels.

    Side by side in the cache, the sorted values are read twice as fast as through ``ranking``.
    """

    value: FloatArray
    level: IntArray
    tree: FloatArray


@njit(**JIT)
def sweep_dense(X, w, queries, data, loss, sweep, sums, gradient):
    """Compute z = X w, sums = (S(e), Σ slack at e), the slope and Xᵀ slope while each query's rows are in the cache."""
    room = _new_room(queries, data)
    for query in range(queries[0], queries[1]):
        first, end = data.starts[query], data.starts[query + 1]
        _multiply_rows(X, w, first, end, sweep.z)
        _sweep_query(query, data, loss, sweep, sums, room)
        _add_rows(X, sweep.slope, first, end, gradient)


@njit(**JIT)
def sweep_scores(queries, data, loss, sweep, sums):
    """Compute sums = (S(e), Σ slack at e) and the slope for the scores in ``sweep.z``, which are centred in place."""
    room = _new_room(queries, data)
    for query in range(queries[0], queries[1]):
        _sweep_query(query, data, loss, sweep, sums, room)


@njit(**JIT)
def laplacian_product_dense(X, w, queries, data, coefficients, sweep, scores, product, result):
    """Add Xᵀ L X w to ``result`` while each query's rows are in the cache; ``scores`` and ``product`` are room."""
    room = _new_room(queries, data)
    for query in range(queries[0], queries[1]):
        first, end = data.starts[query], data.starts[query + 1]
        _multiply_rows(X, w, first, end, scores)
        _multiply_query(query, data, coefficients, sweep, scores, product, room)
        _add_rows(X, product, first, end, result)


@njit(**JIT)
def laplacian_product(queries, data, coefficients, sweep, v, product):
    """Compute L v, L = Σ_e coefficient_e · (Laplacian of the graph of pairs active at e); centres v in place."""
    room = _new_room(queries, data)
    for query in range(queries[0], queries[1]):
        _multiply_query(query, data, coefficients, sweep, v, product, room)


@njit(**JIT)
def half_laplacian_rows(X, queries, data, coefficients, sweep, centred, half):
    """Fill C, X centred by query, and Y = Σ_e coefficient_e (½ degree · C − Σ weight · C over the better partners).

    CᵀY + YᵀC = Xᵀ L X, so that one matrix product gives the Hessian. X, ``centred`` and ``half`` hold the rows of
    these queries only. Centring loses nothing, as L sums to zero over a query, and keeps the digits of features with
    a large offset.
    """
    tree = np.empty((data.n_levels.max() + 1, n_terms(data.partner), X.shape[1]))
    offset = data.starts[queries[0]]
    for query in range(queries[0], queries[1]):
        first, end = data.starts[query], data.starts[query + 1]
        _centre_rows(X, first - offset, end - offset, centred)
        half[first - offset : end - offset] = 0.0
        if data.n_levels[query] > 1:
            for e in range(len(coefficients)):
                _add_half_rows(query, data, coefficients[e], sweep, e, offset, centred, half, tree)


@njit(**JIT)
def _new_room(queries, data):
    longest = 0
    for query in range(queries[0], queries[1]):
        longest = max(longest, data.starts[query + 1] - data.starts[query])
    return _Sorted(np.empty(longest), np.empty(longest, dtype=np.int64), new_tree(data.n_levels, data.partner))


@njit(**JIT)
def _multiply_rows(X, w, first, end, scores):
    """Scores X w of some rows."""
    for row in range(first, end):
        total = 0.0
        for k in range(X.shape[1]):
            total += X[row, k] * w[k]
        scores[row] = total


@njit(**JIT)
def _add_rows(X, factor, first, end, total):
    """Add some rows, each times its factor; four at a time, so that the total is loaded and stored less often."""
    row = first
    while row + 4 <= end:
        a, b, c, d = factor[row], factor[row + 1], factor[row + 2], factor[row + 3]
        for k in range(X.shape[1]):
            total[k] += a * X[row, k] + b * X[row + 1, k] + c * X[row + 2, k] + d * X[row + 3, k]
        row += 4
    for rest in range(row, end):
        for k in range(X.shape[1]):
            total[k] += factor[rest] * X[rest, k]


@njit(**JIT)
def _lay_out(first, end, values, data, ranking, room):
    """Copy a query's values and levels in sorted order."""
    for r in range(first, end):
        room.value[r - first] = values[ranking[r]]
        room.level[r - first] = data.level[ranking[r]]


@njit(**JIT)
def _sweep_query(query, data, loss, sweep, sums, room):
    first, end = data.starts[query], data.starts[query + 1]
    sweep.slope[first:end] = 0.0
    if data.n_levels[query] < 2:
        sweep.reach[:, first:end] = first
        sweep.degree[:, first:end] = 0.0
        return
    sort_rows(first, end, sweep.z, sweep.ranking)
    centre(first, end, sweep.z, sweep.ranking)
    _lay_out(first, end, sweep.z, data, sweep.ranking, room)
    for e in range(len(loss.margins)):
        _sweep_worse(query, data, loss.margins[e], loss.coefficients[e], sweep, e, sums, room)
        _sweep_better(query, data, loss.margins[e], loss.coefficients[e], sweep, e, room)


@njit(**JIT)
def _sweep_worse(query, data, margin, coefficient, sweep, e, sums, room):
    """Rows as the worse document of their pairs: partners have a higher label and z < z_row + margin."""
    first, n_levels = data.starts[query], data.n_levels[query]
    n_rows, ranking = data.starts[query + 1] - first, sweep.ranking[first : data.starts[query + 1]]
    room.tree[: n_levels + 1] = 0.0
    pointer, losses, slacks = 0, 0.0, 0.0
    for r in range(n_rows):
        row, position = ranking[r], n_levels - 1 - room.level[r]
        edge = room.value[r] + margin
        while pointer < n_rows and room.value[pointer] < edge:
            other = n_levels - 1 - room.level[pointer]
            add(room.tree, n_levels, other, room.value[pointer], data.partner, ranking[pointer])
            pointer += 1
        sweep.reach[e, first + r] = first + pointer
        count, weight, total, squares = sum_before(room.tree, position, data.own, row)
        row_loss = weight * edge * edge - 2.0 * edge * total + squares
        slack = weight * edge - total
        if row_loss < CANCELLED * weight * edge * edge:
            row_loss, slack = _slack_below(first + pointer - 1, count, row, edge, data, sweep)
        losses += row_loss
        slacks += slack
        sweep.slope[row] += 2.0 * coefficient * slack
        sweep.degree[e, row] = weight
    sums[0, e] += losses
    sums[1, e] += slacks


@njit(**JIT)
def _sweep_better(query, data, margin, coefficient, sweep, e, room):
    """Rows as the better document. Membership is read off ``reach``, so that both passes agree on ties."""
    first, end, n_levels = data.starts[query], data.starts[query + 1], data.n_levels[query]
    ranking, reach = sweep.ranking[first:end], sweep.reach[e, first:end]
    room.tree[: n_levels + 1] = 0.0
    pointer = end - first - 1
    for r in range(end - first - 1, -1, -1):
        row = ranking[r]
        while pointer >= 0 and reach[pointer] > first + r:
            add(room.tree, n_levels, room.level[pointer], room.value[pointer], data.partner, ranking[pointer])
            pointer -= 1
        count, weight, total, squares = sum_before(room.tree, room.level[r], data.own, row)
        edge = room.value[r] - margin
        slack = data.turned * (total - weight * edge)
        row_loss = data.turned * (squares - 2.0 * edge * total + weight * edge * edge)
        if row_loss < CANCELLED * data.turned * weight * edge * edge:
            slack = data.turned * _slack_above(first + pointer + 1, count, row, edge, data, sweep)
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
def _multiply_query(query, data, coefficients, sweep, v, product, room):
    first, end = data.starts[query], data.starts[query + 1]
    product[first:end] = 0.0
    if data.n_levels[query] < 2:
        return
    centre(first, end, v, sweep.ranking)
    _lay_out(first, end, v, data, sweep.ranking, room)
    for e in range(len(coefficients)):
        _multiply_worse(query, data, coefficients[e], sweep, e, product, room)
        _multiply_better(query, data, coefficients[e], sweep, e, product, room)


@njit(**JIT)
def _multiply_worse(query, data, coefficient, sweep, e, product, room):
    """Add coefficient · (degree · v − Σ weight · v over the better partners)."""
    first, end, n_levels = data.starts[query], data.starts[query + 1], data.n_levels[query]
    ranking, reach = sweep.ranking[first:end], sweep.reach[e, first:end]
    room.tree[: n_levels + 1] = 0.0
    pointer = 0
    for r in range(end - first):
        row = ranking[r]
        while pointer < reach[r] - first:
            other = n_levels - 1 - room.level[pointer]
            add(room.tree, n_levels, other, room.value[pointer], data.partner, ranking[pointer])
            pointer += 1
        partners = sum_before(room.tree, n_levels - 1 - room.level[r], data.own, row)[2]
        product[row] += coefficient * (sweep.degree[e, row] * room.value[r] - partners)


@njit(**JIT)
def _multiply_better(query, data, coefficient, sweep, e, product, room):
    """Subtract coefficient · Σ weight · v over the worse partners."""
    first, end, n_levels = data.starts[query], data.starts[query + 1], data.n_levels[query]
    ranking, reach = sweep.ranking[first:end], sweep.reach[e, first:end]
    room.tree[: n_levels + 1] = 0.0
    pointer = end - first - 1
    for r in range(end - first - 1, -1, -1):
        while pointer >= 0 and reach[pointer] > first + r:
            add(room.tree, n_levels, room.level[pointer], room.value[pointer], data.partner, ranking[pointer])
            pointer -= 1
        partners = sum_before(room.tree, room.level[r], data.own, ranking[r])[2]
        product[ranking[r]] -= coefficient * data.turned * partners


@njit(**JIT)
def _add_half_rows(query, data, coefficient, sweep, e, offset, centred, half, tree):
    first, end, n_levels = data.starts[query], data.starts[query + 1], data.n_levels[query]
    tree[: n_levels + 1] = 0.0
    pointer = first
    for r in range(first, end):
        row = sweep.ranking[r]
        while pointer < sweep.reach[e, r]:
            other = sweep.ranking[pointer]
            add_row(tree, n_levels, n_levels - 1 - data.level[other], centred[other - offset], data.partner, other)
            pointer += 1
        target = half[row - offset]
        share = 0.5 * coefficient * sweep.degree[e, row]
        for k in range(len(target)):
            target[k] += share * centred[row - offset, k]
        subtract_before(tree, n_levels - 1 - data.level[row], coefficient, data.own, row, target)


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
