"""Two rankings of the same queries: the paired test, what changes for each query, and where its documents move."""

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, FloatArray
from glassrank.core.frames import make_frame
from glassrank.core.input_types import Frame, Identifier
from glassrank.data.ranking_data import RankingData
from glassrank.drawing.numbers import Notation
from glassrank.metrics.comparison import ComparedSystem, Comparison
from glassrank.nomograms.document_names import document_names
from glassrank.nomograms.model_comparison.flipped_pairs import FlipCounts, count_flips, flipped_pairs

UNCHANGED = 1e-12
signed = Notation(3)


@dataclass(frozen=True)
class QueryChange:
    """The measure of one query by both models, NaN if the query is left out, and its flipped pairs."""

    query: str
    n_documents: int
    value_1: float
    value_2: float
    flips: FlipCounts

    @property
    def change(self) -> float:
        """Measure by model 2 minus measure by model 1."""
        return self.value_2 - self.value_1


@dataclass(frozen=True)
class MovedDocument:
    """A document of a query with its ranks by both models, from 1."""

    name: str
    label: float
    ranks: tuple[int, int]


@dataclass(frozen=True, eq=False, repr=False)
class ComparedScores:
    """Two rankings of the same documents, by the scores of two models."""

    comparison: Comparison
    """Both models with the paired test; model 1 is the baseline."""
    queries: tuple[QueryChange, ...]
    data: RankingData
    scores: tuple[FloatArray, FloatArray]
    """Scores of all documents by model 1 and by model 2."""

    @property
    def second(self) -> ComparedSystem:
        """Model 2, compared with model 1."""
        return self.comparison.systems[1]

    @property
    def counted(self) -> list[QueryChange]:
        """The queries that the measure does not leave out, the most hurt first."""
        return sorted((one for one in self.queries if not math.isnan(one.change)), key=lambda one: one.change)

    @property
    def hurt(self) -> list[QueryChange]:
        """The queries for which model 2 is worse, the most hurt first."""
        return [one for one in self.counted if one.change < -UNCHANGED]

    @property
    def helped(self) -> list[QueryChange]:
        """The queries for which model 2 is better, the most helped last."""
        return [one for one in self.counted if one.change > UNCHANGED]

    @property
    def n_lose(self) -> int:
        """Number of queries for which model 2 is worse."""
        return len(self.hurt)

    @property
    def n_gain(self) -> int:
        """Number of queries for which model 2 is better."""
        return len(self.helped)

    @property
    def n_unchanged(self) -> int:
        """Number of queries for which both models are equally good."""
        return len(self.counted) - self.n_lose - self.n_gain

    @property
    def changes_in_words(self) -> str:
        """Say how many queries lose, stay and gain."""
        lose = f"{self.n_lose:,} {'query loses' if self.n_lose == 1 else 'queries lose'}"
        same = f"{self.n_unchanged:,} {'is' if self.n_unchanged == 1 else 'are'} unchanged"
        return f"{lose}, {same} and {self.n_gain:,} {'gains' if self.n_gain == 1 else 'gain'}."

    @property
    def flips(self) -> FlipCounts:
        """Flipped pairs of all queries."""
        every = [one.flips for one in self.queries]
        return FlipCounts(
            *(sum(getattr(one, kind) for one in every) for kind in ("right_to_wrong", "wrong_to_right", "equal_labels"))
        )

    def sentences(self) -> list[str]:
        """Summarise the comparison: the paired difference, the queries and the pairs."""
        return [
            f"Both models rank the same {self.comparison.n_queries:,} queries.",
            self.comparison.sentence(self.second.name),
            f"It loses on {self.n_lose:,}, gains on {self.n_gain:,} and leaves {self.n_unchanged:,} unchanged.",
            f"{self.flips.total:,} pairs change their order: {self.flips.right_to_wrong:,} from right to wrong, "
            f"{self.flips.wrong_to_right:,} from wrong to right, {self.flips.equal_labels:,} with equal labels.",
        ]

    def rows(self, query: Identifier) -> Any:
        """Return the rows of a query."""
        found = np.flatnonzero(self.data.groups.ids.astype(str) == str(query))
        if not len(found):
            raise DataError(f"There is no query {query!r} in the data.", parameter="query", got=query)
        return self.data.groups.rows(int(found[0]))

    def names(self, query: Identifier) -> list[str]:
        """Return names of a query's documents that differ: their ids, or their positions if the data have none."""
        return list(document_names(self.data, self.rows(query)))

    def ranks(self, query: Identifier) -> tuple[Any, Any]:
        """Return the ranks of a query's documents by both models, from 1; equal scores keep the order of the rows."""
        rows = self.rows(query)
        orders = [np.argsort(-one[rows], kind="stable") for one in self.scores]
        first, second = (np.argsort(order) + 1 for order in orders)
        return first, second

    def first_documents(self, query: Identifier, side: int, n_documents: int) -> list[MovedDocument]:
        """Return the first documents of a query by model 1 (``side`` 0) or model 2 (1), in its order."""
        ranks, names, labels = self.ranks(query), self.names(query), self.data.y[self.rows(query)]
        return [
            MovedDocument(names[k], float(labels[k]), (int(ranks[0][k]), int(ranks[1][k])))
            for k in np.argsort(ranks[side])[:n_documents]
        ]

    def to_columns(self) -> dict[str, list[Any]]:
        """Return column → one value per query."""
        rows = [self._columns(one) for one in self.queries]
        return {column: [row[column] for row in rows] for column in rows[0]}

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with one row per query."""
        return make_frame(self.to_columns(), backend)

    def _columns(self, one: QueryChange) -> dict[str, Any]:
        return {
            "query": one.query,
            "n_documents": one.n_documents,
            "value_1": one.value_1,
            "value_2": one.value_2,
            "change": one.change,
            **asdict(one.flips),
        }


def query_changes(
    data: RankingData, scores: tuple[FloatArray, FloatArray], values: tuple[FloatArray, FloatArray]
) -> tuple[QueryChange, ...]:
    """Return what changes for each query, from the scores of its documents and its measure by both models."""
    changes = []
    for query, (value_1, value_2) in enumerate(zip(*values, strict=True)):
        rows = data.groups.rows(query)
        flips = count_flips(data.y[rows], *flipped_pairs(*(one[rows] for one in scores)))
        changes.append(QueryChange(str(data.groups.ids[query]), len(rows), float(value_1), float(value_2), flips))
    return tuple(changes)
