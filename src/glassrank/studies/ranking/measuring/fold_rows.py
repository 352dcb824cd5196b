"""The rows of one fold: what its models are trained on, and the documents that they score."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from glassrank.core.checks import IntArray
from glassrank.data.ranking_data import RankingData
from glassrank.studies.ranking.query_sample import places_of, rows_of_sample


@dataclass(frozen=True, eq=False)
class FoldRows:
    """Training rows and documents to score, which are copied when they are asked for: few copies fit in memory.

    >>> data = RankingData([[1.0], [2.0], [3.0]], y=[0, 1, 2], qid=[1, 1, 2])
    >>> fold = FoldRows(data, np.array([0, 1]), data, np.array([2]))
    >>> fold.train.X.tolist(), fold.test.X.tolist()
    ([[1.0], [2.0]], [[3.0]])
    """

    data: RankingData
    rows: IntArray
    """Rows of ``data`` to train on."""
    measured: RankingData
    measured_rows: IntArray
    """Rows of ``measured`` to score."""
    valid: IntArray | None = None
    """Which of the training rows are for validation."""

    @classmethod
    def of(cls, train: RankingData, test: RankingData, valid: IntArray | None = None) -> "FoldRows":
        """Return a fold of all rows of the data: ``train`` is trained on, and ``test`` is scored."""
        return cls(train, np.arange(train.n_rows), test, np.arange(test.n_rows), valid)

    @property
    def train(self) -> RankingData:
        """The training rows."""
        return _picked(self.data, self.rows)

    def sample(self, seed: int) -> tuple[RankingData, IntArray | None]:
        """Return the training rows or, if they are very many, a sample, and which of them are for validation.

        Only the rows of the sample are copied.
        """
        weights = None if self.data.weights is None else self.data.weights[self.rows]
        drawn = rows_of_sample(self.data.groups.pick(self.rows), weights, seed, self.valid)
        if drawn is None:
            return self.train, self.valid
        return self.data.pick_rows(self.rows[drawn]), places_of(self.valid, drawn)

    @property
    def test(self) -> RankingData:
        """The documents to score."""
        return _picked(self.measured, self.measured_rows)

    def copy_for_fit(self, features: Sequence[int]) -> RankingData:
        """Return a copy of some features of the training rows, as a fit counts them, which the fit may overwrite."""
        data, rows = self.data, self.rows
        whole = list(features) == list(range(data.n_features))
        return RankingData(
            data.X[rows] if whole else data.X[np.ix_(rows, np.array(features))],
            data.y[rows],
            data.qid[rows],
            None,
            [data.feature_names[k] for k in features],
            None if data.weights is None else data.weights[rows],
            kinds=[data.kinds[k] for k in features],
        ).counted()


def _picked(data: RankingData, rows: IntArray) -> RankingData:
    return data if len(rows) == data.n_rows else data.pick_rows(rows)
