"""Two documents of one query, compared feature by feature."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import DataError, FloatArray
from glassrank.core.effects import AdditiveEffects
from glassrank.data.ranking_data import RankingData


@dataclass(frozen=True, eq=False)
class Document:
    """A document as a nomogram shows it: where the model ranks it, and how it was judged."""

    name: str
    rank: int
    """Place in the query's list by score, from 1; equal scores share the better place."""
    n_documents: int
    score: float
    label: float
    values: FloatArray


@dataclass(frozen=True, eq=False)
class ComparedPair:
    """Documents A and B of a query; ``contributions`` add up to the difference of their scores, A − B."""

    query: str
    a: Document
    b: Document
    contributions: FloatArray

    @property
    def difference(self) -> float:
        return float(self.contributions.sum())


def compare_pair(effects: AdditiveEffects, data: RankingData, query: Any, document: Any, against: Any) -> ComparedPair:
    """Compare two documents of one query, named by document id or by position in the query's list (from 0)."""
    row_a, row_b = data.row_of(query, document), data.row_of(query, against)
    if row_a == row_b:
        raise DataError(f"document and against must differ: both are {document!r}.")
    rows = np.flatnonzero(data.qid == data.qid[row_a])
    scores = effects.total(data.X[rows])
    contributions = effects.differences(data.X[[row_a]], data.X[[row_b]])[0]
    pair = [_document(data, row, rows, scores) for row in (row_a, row_b)]
    return ComparedPair(str(data.qid[row_a]), pair[0], pair[1], contributions)


def _document(data: RankingData, row: int, rows: Any, scores: FloatArray) -> Document:
    place = int(np.flatnonzero(rows == row)[0])
    values = data.X[row]
    return Document(
        name=f"document {place}" if data.doc_ids is None else str(data.doc_ids[row]),
        rank=1 + int((scores > scores[place]).sum()),
        n_documents=len(rows),
        score=float(scores[place]),
        label=float(data.y[row]),
        values=values.toarray().ravel() if sparse.issparse(values) else np.array(values),
    )
