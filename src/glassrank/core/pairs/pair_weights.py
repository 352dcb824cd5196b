"""Weights of pairs: equal, equal per query, or by the difference of the labels."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from glassrank.core.checks import DataError, FloatArray, IntArray, check_choice
from glassrank.core.gains import exponential_gains
from glassrank.core.groups import Groups
from glassrank.core.pairs.label_levels import LabelLevels, label_levels
from glassrank.core.pairs.largest_dcg import largest_dcg
from glassrank.core.setting import setting

MAX_GRADE = 1_000.0  # sums of the gains 2^y of higher labels could overflow


@dataclass(frozen=True, eq=False)
class PairWeights:
    """Weights of pairs as short sums of products, as the pair sweeps need them.

    The pair of a worse document i and a better one j has the weight Σ_r own[i, r] · partner[j, r], which equals
    turned · Σ_r own[j, r] · partner[i, r]. If every pair has weight 1, ``own`` and ``partner`` are None.
    """

    own: FloatArray | None
    partner: FloatArray | None
    turned: float
    totals: FloatArray
    """Sum of the pair weights of each query."""
    magnitudes: FloatArray
    """The same sum of Σ_r |own[i, r] · partner[j, r]|, to which rounding is proportional even if the terms cancel."""

    @property
    def total(self) -> float:
        """Sum of all pair weights."""
        return float(self.totals.sum())

    def pick(self, rows: IntArray, queries: IntArray) -> "PairWeights":
        """Return the weights of some queries with these rows."""
        picked = replace(self, totals=self.totals[queries], magnitudes=self.magnitudes[queries])
        if self.own is None or self.partner is None:
            return picked
        return replace(picked, own=self.own[rows], partner=self.partner[rows])

    def of_pairs(self, worse: IntArray, better: IntArray) -> FloatArray:
        """Return the weights of pairs, given by the positions of their documents in the order of the groups."""
        if self.own is None or self.partner is None:
            return np.ones(len(worse))
        return np.asarray((self.own[worse] * self.partner[better]).sum(axis=1))


def join_weights(parts: Sequence[PairWeights]) -> PairWeights:
    """Return the weights of different queries together; all must be of the same kind."""
    totals, magnitudes = (np.concatenate([getattr(one, name) for one in parts]) for name in ("totals", "magnitudes"))
    own = [one.own for one in parts if one.own is not None]
    partner = [one.partner for one in parts if one.partner is not None]
    if not own:
        return replace(parts[0], totals=totals, magnitudes=magnitudes)
    return PairWeights(np.concatenate(own), np.concatenate(partner), parts[0].turned, totals, magnitudes)


def weigh_pairs(
    kind: str,
    y: FloatArray,
    groups: Groups,
    row_weights: FloatArray | None = None,
    labels: LabelLevels | None = None,
) -> PairWeights:
    """Return the weights of the comparable pairs, for rows in the order of ``groups``; ``labels`` saves encoding them.

    With the row weights v (1 by default), the weight of the pair of j above i in query q is v_i v_j times

    - ``uniform``: 1;
    - ``query``: 1/(Σ v_i v_j over the comparable pairs of q), so that long lists do not dominate;
    - ``label-gap``: y_j − y_i;
    - ``ndcg``: (2^y_j − 2^y_i)/(largest DCG of q), the difference in gain.

    In all of these, an integer row weight is equivalent to repeating the row.
    """
    check_choice("pair_weight", kind, PAIR_WEIGHTS)
    if kind == "uniform" and row_weights is None:
        coded = label_levels(y, groups) if labels is None else labels
        counts = coded.n_pairs.astype(float)
        return PairWeights(None, None, 1.0, counts, counts)
    rows = np.ones(groups.n_rows) if row_weights is None else row_weights[groups.order]
    sorted_y = y[groups.order]
    factor, gain = PAIR_WEIGHTS[kind](sorted_y, rows, groups)
    own = (np.repeat(factor, groups.sizes) * rows)[:, None]
    partner, turned = rows[:, None], 1.0
    if gain is not None:
        ones = np.ones(len(gain))
        own = np.ascontiguousarray(own * np.column_stack([-gain, ones]))
        partner, turned = np.ascontiguousarray(partner * np.column_stack([ones, gain])), -1.0
    totals = _totals(own, partner, sorted_y, groups)
    magnitudes = totals if gain is None else _totals(np.abs(own), np.abs(partner), sorted_y, groups)
    return PairWeights(own, partner, turned, totals, magnitudes)


Rule = Callable[[FloatArray, FloatArray, Groups], tuple[FloatArray, FloatArray | None]]


def _uniform(labels: FloatArray, rows: FloatArray, groups: Groups) -> tuple[FloatArray, None]:
    return np.ones(groups.n_queries), None


def _by_query(labels: FloatArray, rows: FloatArray, groups: Groups) -> tuple[FloatArray, None]:
    totals = _totals(rows[:, None], rows[:, None], labels, groups)
    return np.divide(1.0, totals, out=np.zeros(groups.n_queries), where=totals > 0), None


def _by_label_gap(labels: FloatArray, rows: FloatArray, groups: Groups) -> tuple[FloatArray, FloatArray]:
    # Only differences count, and subtracting each query's minimum preserves the precision of labels such as years.
    return np.ones(groups.n_queries), labels - np.repeat(np.minimum.reduceat(labels, groups.starts[:-1]), groups.sizes)


def _by_ndcg(labels: FloatArray, rows: FloatArray, groups: Groups) -> tuple[FloatArray, FloatArray]:
    """Return 1/(largest DCG) of each query and the gain 2^y − 1 of each row, both in a unit specific to the query.

    A query without any gain has weight 0.
    """
    if labels.min() < 0:
        raise DataError(
            f"{setting('pair_weight', 'ndcg')} needs labels of at least 0: got the negative label {labels.min():g}."
        )
    if labels.max() > MAX_GRADE:
        raise DataError(
            f"{setting('pair_weight', 'ndcg')} needs small grades, because the gain is 2^label: got the label "
            f"{labels.max():g}."
        )
    gain = exponential_gains(labels)
    factor = np.zeros(groups.n_queries)
    for query in range(groups.n_queries):
        block = slice(groups.starts[query], groups.starts[query + 1])
        # Only ratios to the largest DCG count. Scaling by a power of two is exact, even for tiny gains.
        gain[block] = np.ldexp(gain[block], -np.frexp(gain[block].max())[1])
        largest = largest_dcg(gain[block], rows[block])
        factor[query] = 1.0 / largest if largest > 0 else 0.0
    return factor, gain


# kind -> factor of each query, and a number for each row, whose difference weights a pair (None: weight 1)
PAIR_WEIGHTS: dict[str, Rule] = {"uniform": _uniform, "query": _by_query, "label-gap": _by_label_gap, "ndcg": _by_ndcg}


def _totals(own: FloatArray, partner: FloatArray, labels: FloatArray, groups: Groups) -> FloatArray:
    """Sum the weights of each query's pairs; a row's partners are the rows of its query with a higher label."""
    totals = np.zeros(groups.n_queries)
    for query in range(groups.n_queries):
        block = slice(groups.starts[query], groups.starts[query + 1])
        order = np.argsort(labels[block], kind="stable")
        sorted_labels = labels[block][order]
        above = np.vstack([np.cumsum(partner[block][order][::-1], axis=0)[::-1], np.zeros(partner.shape[1])])
        higher = above[np.searchsorted(sorted_labels, sorted_labels, side="right")]
        totals[query] = (own[block][order] * higher).sum()
    return totals
