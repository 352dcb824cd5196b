"""Two documents of one query, compared feature by feature."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.additive.effects import AdditiveEffects
from glassrank.core.checks import DataError, FloatArray, IntArray, Matrix
from glassrank.core.groups import group_rows
from glassrank.core.pairs.pair_decisions import rank_by_wins
from glassrank.core.setting import setting
from glassrank.data.ranking_data import RankingData


@dataclass(frozen=True, eq=False)
class ComparedDocument:
    """A document as a nomogram shows it: its rank and score by the model, its label and its feature values."""

    name: str
    rank: int
    """Rank in the query, from 1; equal scores share the better rank. Models that only compare rank by wins."""
    n_documents: int
    score: float
    label: float | None
    """None if the data are not judged."""
    values: FloatArray


@dataclass(frozen=True, eq=False)
class ComparedPair:
    """Documents A and B of a query; ``offset`` and ``contributions`` add up to the model's output for A − B."""

    query: str
    a: ComparedDocument
    b: ComparedDocument
    contributions: FloatArray
    offset: float = 0.0
    """Output for two equal documents; 0 unless the model compares documents without being antisymmetric."""

    @property
    def difference(self) -> float:
        return self.offset + float(self.contributions.sum())


def compare_pair(effects: AdditiveEffects, data: RankingData, query: Any, document: Any, against: Any) -> ComparedPair:
    """Compare two documents of one query, named by document id or by position in the query's list (from 0)."""
    return compare_pairs(effects, data, query, [(document, against)])[0]


def compare_pairs(
    effects: AdditiveEffects, data: RankingData, query: Any, pairs: Sequence[tuple[Any, Any]]
) -> list[ComparedPair]:
    """Compare several pairs of documents of one query, whose list is scored once."""
    places = [rows_of_pair(data, query, document, against) for document, against in pairs]
    rows = np.flatnonzero(data.qid == data.qid[places[0][0]])
    scores = _scores(effects, data.X[rows])
    ranks = _ranks(effects, data.X[rows], scores)
    contributions = effects.differences(*(data.X[list(side)] for side in zip(*places, strict=True)))
    known = {row: document_of(data, row, rows, scores, ranks) for row in {row for pair in places for row in pair}}
    return [
        ComparedPair(str(data.qid[a]), known[a], known[b], own, effects.pair_offset)
        for (a, b), own in zip(places, contributions, strict=True)
    ]


def rows_of_pair(data: RankingData, query: Any, document: Any, against: Any) -> tuple[int, int]:
    """Return the rows of two different documents of a query."""
    row_a, row_b = data.row_of(query, document), data.row_of(query, against)
    if row_a == row_b:
        raise DataError(
            f"document and {setting('against')} must differ: both are {document!r}.", parameter="document", got=document
        )
    return row_a, row_b


def _scores(effects: AdditiveEffects, X: Matrix) -> FloatArray:
    """Return the scores of a query's documents; for a model of differences, the mean of f(document, other).

    If the model is not antisymmetric, it is the mean of ½ [f(document, other) − f(other, document)].
    """
    if effects.subject != "difference":
        return effects.total(X)
    dense = X.toarray() if sparse.issparse(X) else np.asarray(X)
    # Compare one document with all others at a time: all pairs at once would need quadratic memory.
    against_all = np.array([effects.pair_totals(np.broadcast_to(row, dense.shape), dense) for row in dense])
    if not effects.antisymmetric:
        against_all = 0.5 * (against_all - against_all.T)
    return np.asarray(against_all.sum(axis=1) / max(1, len(dense) - 1))


def _ranks(effects: AdditiveEffects, X: Matrix, scores: FloatArray) -> IntArray:
    """Return the ranks of a query's documents by score; for a model of differences by wins, as its ``rank`` does."""
    if effects.subject != "difference":
        return score_ranks(scores)
    dense = X.toarray() if sparse.issparse(X) else np.asarray(X)
    groups = group_rows(None, len(dense))
    return rank_by_wins(
        lambda a, b: effects.pair_totals(dense[a], dense[b]), groups, antisymmetric=effects.antisymmetric
    )


def score_ranks(scores: FloatArray) -> IntArray:
    """Return the rank of each score, from 1; equal scores share the better rank.

    >>> score_ranks(np.array([0.5, 0.9, 0.5])).tolist()
    [2, 1, 2]
    """
    return np.asarray(1 + len(scores) - np.searchsorted(np.sort(scores), scores, side="right"))


def median_row(rows: IntArray, scores: FloatArray) -> int:
    """Return the row of a query's median document by score, the lower one of two middle ones.

    >>> median_row(np.array([4, 7, 9]), np.array([0.3, 0.1, 0.2]))
    9
    """
    return int(rows[np.argsort(scores, kind="stable")[(len(rows) - 1) // 2]])


def document_of(data: RankingData, row: int, rows: Any, scores: FloatArray, ranks: IntArray) -> ComparedDocument:
    """Describe one row as a document, with its score and rank among the ``rows`` of its query."""
    place = int(np.flatnonzero(rows == row)[0])
    values = data.X[row]
    return ComparedDocument(
        name=f"document {place}" if data.doc_ids is None else str(data.doc_ids[row]),
        rank=int(ranks[place]),
        n_documents=len(rows),
        score=float(scores[place]),
        label=float(data.y[row]) if data.is_judged else None,
        values=values.toarray().ravel() if sparse.issparse(values) else np.array(values),
    )
