"""Sweeps over the comparable pairs of each query that do not enumerate the pairs.

Notation: z = X w. A pair (i, j) of one query with y_i < y_j has slack at a margin e if z_j < z_i + e, that is, if the
score of the better document j is not e above that of i; the pair is then *active*. With the documents of a query sorted
by z, the active partners of i form a prefix of the sorted list, so one pointer that only moves forward visits them all.
A Fenwick tree over the label levels gives the number of those with a higher label and the sum of their z in
O(log levels). A query with m documents costs O(m log m), whether labels are binary or real-valued.

Every loss here is a sum over margins e of coefficient_e · S(e), with S(e) = Σ max(0, e − (z_j − z_i))² over the pairs:
the squared hinge is S(1), and the hinge smoothed over a width δ is (S(1) − S(1 − δ))/(2δ).
"""

from typing import NamedTuple

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.pairs.level_tree import (
    add,
    new_tree,
    pair_weight,
    reordering_njit,
    sum_before,
)
from glassrank.core.pairs.score_order import centre, sort_rows

# A sum of squares this small relative to its terms has lost half its digits, so its terms are added one by one.
CANCELLED = 1e-8


class PairData(NamedTuple):
    """The pairs: rows starts[q] to starts[q + 1] belong to query q, and rows of different levels form pairs.

    The pair of a worse document i and a better one j has the weight Σ_r own[i, r] · partner[j, r], which equals
    turned · Σ_r own[j, r] · partner[i, r]. If every pair has weight 1, ``own`` and ``partner`` are None.
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
    """The state of a sweep at one w."""

    z: FloatArray
    """Scores, centred by query."""
    ranking: IntArray
    """Row at each sorted position."""
    reach: IntArray
    """Margin × sorted position: end of the active prefix."""
    degree: FloatArray
    """Margin × row: weight of the row's active pairs."""
    slope: FloatArray
    """Derivative of the loss with respect to the row's score."""


class _Sorted(NamedTuple):
    """Memory for one query: its documents' values and levels in sorted order, and a tree over the levels.

    Contiguous sorted values are read twice as fast as through ``ranking``.
    """

    value: FloatArray
    level: IntArray
    tree: FloatArray


@reordering_njit
def sweep_dense(
    X: FloatArray,
    w: FloatArray,
    queries: IntArray,
    data: PairData,
    loss: MarginLoss,
    sweep: Sweep,
    sums: FloatArray,
    gradient: FloatArray,
) -> None:
    """Compute z = X w, sums = (S(e), Σ slack at e), the slope and Xᵀ slope while each query's rows are in the cache."""
    room = _new_room(queries, data)
    for query in range(queries[0], queries[1]):
        first, end = data.starts[query], data.starts[query + 1]
        _multiply_rows(X, w, first, end, sweep.z)
        _sweep_query(query, data, loss, sweep, sums, room)
        _add_rows(X, sweep.slope, first, end, gradient)


@reordering_njit
def sweep_scores(queries: IntArray, data: PairData, loss: MarginLoss, sweep: Sweep, sums: FloatArray) -> None:
    """Compute sums = (S(e), Σ slack at e) and the slope for the scores in ``sweep.z``, which are centred in place."""
    room = _new_room(queries, data)
    for query in range(queries[0], queries[1]):
        _sweep_query(query, data, loss, sweep, sums, room)


@reordering_njit
def query_gradients(
    X: FloatArray,
    w: FloatArray,
    queries: IntArray,
    data: PairData,
    loss: MarginLoss,
    sweep: Sweep,
    gradients: FloatArray,
) -> None:
    """Fill row k of ``gradients`` with Xᵀ slope of query ``queries[k]`` at w."""
    longest = 0
    for query in queries:
        longest = max(longest, data.starts[query + 1] - data.starts[query])
    room = _Sorted(np.empty(longest), np.empty(longest, dtype=np.int64), new_tree(data.n_levels, data.partner))
    sums = np.zeros((2, len(loss.margins)))
    for k in range(len(queries)):
        first, end = data.starts[queries[k]], data.starts[queries[k] + 1]
        _multiply_rows(X, w, first, end, sweep.z)
        _sweep_query(queries[k], data, loss, sweep, sums, room)
        gradients[k] = 0.0
        _add_rows(X, sweep.slope, first, end, gradients[k])


@reordering_njit
def laplacian_product_dense(
    X: FloatArray,
    w: FloatArray,
    queries: IntArray,
    data: PairData,
    coefficients: FloatArray,
    sweep: Sweep,
    scores: FloatArray,
    product: FloatArray,
    result: FloatArray,
) -> None:
    """Add Xᵀ L X w to ``result`` while each query's rows are in the cache; ``scores`` and ``product`` are buffers."""
    room = _new_room(queries, data)
    for query in range(queries[0], queries[1]):
        first, end = data.starts[query], data.starts[query + 1]
        _multiply_rows(X, w, first, end, scores)
        _multiply_query(query, data, coefficients, sweep, scores, product, room)
        _add_rows(X, product, first, end, result)


@reordering_njit
def laplacian_product(
    queries: IntArray, data: PairData, coefficients: FloatArray, sweep: Sweep, v: FloatArray, product: FloatArray
) -> None:
    """Compute L v, L = Σ_e coefficient_e · (Laplacian of the graph of pairs active at e); centres v in place."""
    room = _new_room(queries, data)
    for query in range(queries[0], queries[1]):
        _multiply_query(query, data, coefficients, sweep, v, product, room)


@reordering_njit
def _new_room(queries: IntArray, data: PairData) -> _Sorted:
    longest = 0
    for query in range(queries[0], queries[1]):
        longest = max(longest, data.starts[query + 1] - data.starts[query])
    return _Sorted(np.empty(longest), np.empty(longest, dtype=np.int64), new_tree(data.n_levels, data.partner))


@reordering_njit
def _multiply_rows(X: FloatArray, w: FloatArray, first: int, end: int, scores: FloatArray) -> None:
    """Compute the scores X w of some rows."""
    for row in range(first, end):
        total = 0.0
        for k in range(X.shape[1]):
            total += X[row, k] * w[k]
        scores[row] = total


@reordering_njit
def _add_rows(X: FloatArray, factor: FloatArray, first: int, end: int, total: FloatArray) -> None:
    """Add rows times their factors, four at a time, so that the total is loaded and stored less often."""
    row = first
    while row + 4 <= end:
        a, b, c, d = factor[row], factor[row + 1], factor[row + 2], factor[row + 3]
        for k in range(X.shape[1]):
            total[k] += a * X[row, k] + b * X[row + 1, k] + c * X[row + 2, k] + d * X[row + 3, k]
        row += 4
    for rest in range(row, end):
        for k in range(X.shape[1]):
            total[k] += factor[rest] * X[rest, k]


@reordering_njit
def _lay_out(first: int, end: int, values: FloatArray, data: PairData, ranking: IntArray, room: _Sorted) -> None:
    """Copy a query's values and levels in sorted order."""
    for r in range(first, end):
        room.value[r - first] = values[ranking[r]]
        room.level[r - first] = data.level[ranking[r]]


@reordering_njit
def _sweep_query(query: int, data: PairData, loss: MarginLoss, sweep: Sweep, sums: FloatArray, room: _Sorted) -> None:
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


@reordering_njit
def _sweep_worse(
    query: int, data: PairData, margin: float, coefficient: float, sweep: Sweep, e: int, sums: FloatArray, room: _Sorted
) -> None:
    """Process rows as the worse document of their pairs: partners have a higher label and z < z_row + margin."""
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


@reordering_njit
def _sweep_better(
    query: int, data: PairData, margin: float, coefficient: float, sweep: Sweep, e: int, room: _Sorted
) -> None:
    """Process rows as the better document; partners are taken from ``reach``, so that both passes agree on ties."""
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


@reordering_njit
def _slack_below(
    position: int, count: float, row: int, edge: float, data: PairData, sweep: Sweep
) -> tuple[float, float]:
    """Return the weighted squares and sum of the slack edge − z of the ``count`` better partners, added one by one."""
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


@reordering_njit
def _slack_above(position: int, count: float, row: int, edge: float, data: PairData, sweep: Sweep) -> float:
    """Return the weighted sum of the slack z − edge of the ``count`` worse partners, added one by one."""
    total = 0.0
    while count > 0.0:
        other = sweep.ranking[position]
        if data.level[other] < data.level[row]:
            total += pair_weight(data.own, row, data.partner, other) * (sweep.z[other] - edge)
            count -= 1.0
        position += 1
    return total


@reordering_njit
def _multiply_query(
    query: int,
    data: PairData,
    coefficients: FloatArray,
    sweep: Sweep,
    v: FloatArray,
    product: FloatArray,
    room: _Sorted,
) -> None:
    first, end = data.starts[query], data.starts[query + 1]
    product[first:end] = 0.0
    if data.n_levels[query] < 2:
        return
    centre(first, end, v, sweep.ranking)
    _lay_out(first, end, v, data, sweep.ranking, room)
    for e in range(len(coefficients)):
        _multiply_worse(query, data, coefficients[e], sweep, e, product, room)
        _multiply_better(query, data, coefficients[e], sweep, e, product, room)


@reordering_njit
def _multiply_worse(
    query: int, data: PairData, coefficient: float, sweep: Sweep, e: int, product: FloatArray, room: _Sorted
) -> None:
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


@reordering_njit
def _multiply_better(
    query: int, data: PairData, coefficient: float, sweep: Sweep, e: int, product: FloatArray, room: _Sorted
) -> None:
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
