"""Precision and relative recall of ranked lists when only their pooled results are judged."""

import json
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass

from glassrank.core.checks import DataError
from glassrank.core.frames import make_frame
from glassrank.core.input_types import Frame
from glassrank.drawing.text_table import align


@dataclass(frozen=True)
class PooledPrecisionRecall:
    """Precision at k and relative recall of several systems."""

    k: int
    pool_size: int
    """Number of distinct relevant documents in the first k ranks of all systems together."""
    found: dict[str, int]
    """Number of relevant documents in each system's first k ranks."""

    @property
    def precision(self) -> dict[str, float]:
        """Relevant documents in each system's first k ranks, divided by k even if its list is shorter."""
        return {system: found / self.k for system, found in self.found.items()}

    @property
    def relative_recall(self) -> dict[str, float | None]:
        """Relevant documents in each system's first k ranks, divided by the size of the pool; None if that is 0."""
        return {system: found / self.pool_size if self.pool_size else None for system, found in self.found.items()}

    def __str__(self) -> str:
        rows = [("system", f"p@{self.k}", "relative recall")]
        for system, recall in self.relative_recall.items():
            shown = "undefined" if recall is None else f"{recall:.4f}"
            rows.append((system, f"{self.precision[system]:.4f}", shown))
        return f"{align(rows)}\nrelevant documents in the pool: {self.pool_size:,}"

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with one row per system."""
        columns = {
            "system": list(self.found),
            "found": list(self.found.values()),
            "precision": list(self.precision.values()),
            "relative_recall": list(self.relative_recall.values()),
        }
        return make_frame(columns, backend)

    def to_json(self) -> str:
        """Return the measures and counts as JSON."""
        return json.dumps({**asdict(self), "precision": self.precision, "relative_recall": self.relative_recall})


def pooled_precision_recall(
    rankings: Mapping[str, Sequence[Hashable]], relevant: Collection[Hashable], k: int
) -> PooledPrecisionRecall:
    """Compare ranked lists of documents by precision at ``k`` and by relative recall.

    On the Web, the number of all relevant documents is unknown. Relative recall divides by the number of distinct
    relevant documents that the compared systems found together in their first k ranks.

    >>> print(pooled_precision_recall({"hits": ["a", "b", "c"], "bm25": ["d", "a", "e"]}, {"a", "b", "d"}, k=2))
    system  p@2     relative recall
    hits    1.0000  0.6667
    bm25    1.0000  0.6667
    relevant documents in the pool: 3
    """
    if k < 1:
        raise DataError(parameter="k", expected="at least 1", got=k)
    if not rankings:
        raise DataError(
            "rankings must map at least one system to its ranked documents: got none.", parameter="rankings"
        )
    wanted = set(relevant)
    found = {system: _top(system, ranking, k) & wanted for system, ranking in rankings.items()}
    pool = set[Hashable]().union(*found.values())
    return PooledPrecisionRecall(k, len(pool), {system: len(documents) for system, documents in found.items()})


def _top(system: str, ranking: Sequence[Hashable], k: int) -> set[Hashable]:
    first = list(ranking[:k])
    repeated = [document for document in first if first.count(document) > 1] if len(set(first)) < len(first) else []
    if repeated:
        raise DataError(f"The ranking of {system!r} contains {repeated[0]!r} more than once in its first {k} ranks.")
    return set(first)
