"""What a pair counts: all the same, each query the same, or more for a wider gap between the labels."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from glassrank.core.checks import FloatArray, check_choice
from glassrank.core.groups import Groups
from glassrank.core.levels import comparable_pairs


@dataclass(frozen=True, eq=False)
class PairWeights:
    """Weight of a pair as a short sum of products, which is all that the pair sweeps need.

    The pair of a worse document i and a better one j weighs Σ_r own[i, r] · partner[j, r], and the same number is
    turned · Σ_r own[j, r] · partner[i, r].
    """

    own: FloatArray
    partner: FloatArray
    turned: float
    total: float
    """Sum of all pair weights."""


def weigh_pairs(kind: str, y: FloatArray, groups: Groups, row_weights: FloatArray | None = None) -> PairWeights:
    """Weights of the comparable pairs, for rows in the order of ``groups``.

    With the row weights v (1 without), the pair of j above i in query q weighs v_i v_j times

    - ``uniform``: 1;
    - ``query``: 1/(number of comparable pairs of q), so that long lists do not dominate;
    - ``label-gap``: y_j − y_i;
    - ``ndcg``: (2^y_j − 2^y_i)/(largest DCG of q), the gain that the order of the two is worth.
    """
    check_choice("pair_weight", kind, PAIR_WEIGHTS)
    rows = np.ones(groups.n_rows) if row_weights is None else row_weights[groups.order]
    labels = y[groups.order]
    factor, gain = PAIR_WEIGHTS[kind](labels, y, groups)
    own = np.repeat(factor, groups.sizes) * rows
    if gain is None:
        plain = kind == "uniform" and row_weights is None
        total = (
            float(comparable_pairs(y, groups).sum()) if plain else _total(own[:, None], rows[:, None], labels, groups)
        )
        return PairWeights(own[:, None], rows[:, None], 1.0, total)
    ones = np.ones(len(gain))
    own_terms = np.ascontiguousarray(own[:, None] * np.column_stack([-gain, ones]))
    partner_terms = np.ascontiguousarray(rows[:, None] * np.column_stack([ones, gain]))
    return PairWeights(own_terms, partner_terms, -1.0, _total(own_terms, partner_terms, labels, groups))


Rule = Callable[[FloatArray, FloatArray, Groups], tuple[FloatArray, FloatArray | None]]


def _uniform(labels: FloatArray, y: FloatArray, groups: Groups) -> tuple[FloatArray, None]:
    return np.ones(groups.n_queries), None


def _by_query(labels: FloatArray, y: FloatArray, groups: Groups) -> tuple[FloatArray, None]:
    return 1.0 / np.maximum(comparable_pairs(y, groups), 1), None


def _by_label_gap(labels: FloatArray, y: FloatArray, groups: Groups) -> tuple[FloatArray, FloatArray]:
    return np.ones(groups.n_queries), labels


def _by_ndcg(labels: FloatArray, y: FloatArray, groups: Groups) -> tuple[FloatArray, FloatArray]:
    """1/(largest DCG) of each query, and the gain 2^y of each row; a query without any gain weighs 0."""
    gain = np.exp2(labels)
    factor = np.zeros(groups.n_queries)
    for query in range(groups.n_queries):
        best = np.sort(gain[groups.starts[query] : groups.starts[query + 1]] - 1.0)[::-1]
        largest = float((best / np.log2(np.arange(2, len(best) + 2))).sum())
        factor[query] = 1.0 / largest if largest > 0 else 0.0
    return factor, gain


# kind -> factor of each query, and the number of each row whose gap a pair counts (None: every pair counts 1)
PAIR_WEIGHTS: dict[str, Rule] = {"uniform": _uniform, "query": _by_query, "label-gap": _by_label_gap, "ndcg": _by_ndcg}


def _total(own: FloatArray, partner: FloatArray, labels: FloatArray, groups: Groups) -> float:
    """Sum of the weights of all comparable pairs: a row's partners are the rows of its query with a higher label."""
    total = 0.0
    for query in range(groups.n_queries):
        block = slice(groups.starts[query], groups.starts[query + 1])
        order = np.argsort(labels[block], kind="stable")
        sorted_labels = labels[block][order]
        above = np.vstack([np.cumsum(partner[block][order][::-1], axis=0)[::-1], np.zeros(partner.shape[1])])
        total += float((own[block][order] * above[np.searchsorted(sorted_labels, sorted_labels, side="right")]).sum())
    return total
