"""Evaluation of one system: measures per query and their means."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from glassrank.core.checks import DataError, FloatArray, read_only
from glassrank.core.frames import make_frame
from glassrank.core.input_types import ArrayLike, Frame
from glassrank.drawing.text_table import align
from glassrank.metrics.measure_notes import measure_notes
from glassrank.metrics.measures import parse_measure, parse_measures
from glassrank.metrics.ranked import rank_documents

MAX_QUERIES_NAMED = 3


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Mapping[str, float]):
    """A mapping from measures to their means over queries, with the values per query and the convention.

    >>> found = evaluate([1, 0, 0, 1], [2, 1, 2, 1], qid=["a", "a", "b", "b"], measures=["mrr", "p@1"])
    >>> dict(found)
    {'mrr': 0.75, 'p@1': 0.5}
    >>> found.per_query["mrr"].tolist(), found.queries.tolist(), found.convention
    ([1.0, 0.5], ['a', 'b'], 'standard')
    """

    measures: tuple[str, ...]
    queries: npt.NDArray[Any]
    """Query identifiers in order of first appearance."""
    table: FloatArray
    """Values, measures × queries; NaN if a query is left out of the mean."""
    convention: str
    notes: tuple[str, ...] = ()
    """What to know about the numbers, such as how many lists count as 0 because they are shorter than the cutoff."""

    @property
    def per_query(self) -> dict[str, FloatArray]:
        """Values of each measure, one per query; NaN for a query left out of the mean."""
        return dict(zip(self.measures, self.table, strict=True))

    @property
    def left_out(self) -> dict[str, int]:
        """Number of queries left out of each measure's mean."""
        return {measure: int(np.isnan(values).sum()) for measure, values in self.per_query.items()}

    def __getitem__(self, measure: str) -> float:
        try:
            name = parse_measure(measure).text
        except DataError:
            name = ""
        if name not in self.measures:
            raise KeyError(f"{measure!r} was not evaluated, only {', '.join(self.measures)}")
        values = self.per_query[name]
        counted = values[~np.isnan(values)]
        return float(counted.mean()) if len(counted) else float("nan")

    def __iter__(self) -> Iterator[str]:
        return iter(self.measures)

    def __len__(self) -> int:
        return len(self.measures)

    def __str__(self) -> str:
        n_queries = len(self.queries)
        title = f"convention {self.convention}, {n_queries:,} {'query' if n_queries == 1 else 'queries'}"
        rows = [(measure, _show(mean), self._name_left_out(measure)) for measure, mean in self.items()]
        return "\n".join([title, align([("measure", "mean", "queries left out"), *rows]), *self.notes])

    __repr__ = __str__

    def _name_left_out(self, measure: str) -> str:
        names = self.queries[np.isnan(self.per_query[measure])]
        if len(names) == 0:
            return "none"
        shown = ", ".join(str(name) for name in names[:MAX_QUERIES_NAMED])
        return f"{len(names):,}: {shown}{', …' if len(names) > MAX_QUERIES_NAMED else ''}"

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with one row per query: the identifier and the value of each measure."""
        return make_frame({"query": self.queries, **self.per_query}, backend)

    def to_json(self) -> str:
        """Return the convention, means, numbers of queries left out and values per query as JSON, with null for NaN."""
        return json.dumps(
            {
                "convention": self.convention,
                "notes": self.notes,
                "means": {measure: _or_null(mean) for measure, mean in self.items()},
                "left_out": self.left_out,
                "queries": self.queries.tolist(),
                "per_query": {name: [_or_null(value) for value in values] for name, values in self.per_query.items()},
            }
        )


def evaluate(
    y: ArrayLike,
    scores: ArrayLike,
    *,
    qid: ArrayLike | None = None,
    measures: str | Sequence[str] = ("ndcg@10", "map"),
    convention: str = "standard",
    doc_ids: ArrayLike | None = None,
) -> Evaluation:
    """Measure how well scores rank each query's documents, under a named convention.

    Documents with higher scores rank first. NaN in ``y`` marks an unjudged document, NaN in ``scores`` a judged
    document that was not retrieved. With ``qid=None`` all rows are one query; the rows of a query need not be adjacent.
    Only the convention ``trec`` needs ``doc_ids``, to order documents with equal scores. Measures may be named in any
    case; the result has their names in lower case.

    >>> found = evaluate([2, 0, 1, 0, 0], [0.9, 0.5, 0.1, 0.3, 0.2], qid=["q1", "q1", "q1", "q2", "q2"])
    >>> found
    convention standard, 2 queries
    measure  mean    queries left out
    ndcg@10  0.9639  1: q2
    map      0.8333  1: q2
    >>> found.per_query["map"].round(4).tolist()
    [0.8333, nan]
    """
    requested = parse_measures(measures)
    lists = rank_documents(y, scores, qid=qid, convention=convention, doc_ids=doc_ids)
    values = np.stack([name.per_query(lists) for name in requested])
    notes = measure_notes(requested, lists.y, lists.lengths, lists.convention)
    return Evaluation(tuple(name.text for name in requested), lists.groups.ids, read_only(values), convention, notes)


def _show(mean: float) -> str:
    return "undefined" if np.isnan(mean) else f"{mean:.4f}"


def _or_null(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
