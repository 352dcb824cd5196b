"""BestSingleFeature: the baseline that every learned ranking should beat."""

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from glassrank.core.additive.scoring import single_feature_scores
from glassrank.core.checks import DataError, FloatArray
from glassrank.core.feature_kinds import FeatureKind, FeatureTable
from glassrank.core.groups import Groups
from glassrank.core.input_types import ArrayLike
from glassrank.metrics.evaluation import evaluate
from glassrank.ranking.estimator import Ranker
from glassrank.ranking.named_rows import known_rows, read_frame, rows_of


class BestSingleFeature(Ranker):
    """Rank by the one feature, ascending or descending, with the highest measure on the training data.

    Categories are not tried, because they have no order. A missing value counts as the mean.

    Parameters
    ----------
    scoring : str
        Measure of ``glassrank.evaluate`` that decides.
    convention : str
        Convention of the measure.

    Examples
    --------
    >>> from glassrank import BestSingleFeature
    >>> model = BestSingleFeature().fit([[5.0, 1.0], [5.0, 3.0], [5.0, 2.0]], [2, 0, 1])
    >>> model.feature_, model.direction_, model.predict([[4.0, 7.0]]).tolist()
    (1, -1, [-7.0])
    """

    def __init__(self, scoring: str = "ndcg@10", convention: str = "standard") -> None:
        self.scoring = scoring
        self.convention = convention

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Try every feature in both directions; of equally good ones the first wins.

        The measure is unweighted: all rows of positive weight count the same.
        """
        rows = self._check_training_data(X, y, qid, sample_weight)
        X, y, groups = rows.X, rows.y, rows.groups
        numbers = [k for k, kind in enumerate(rows.kinds) if not kind.is_category]
        if not numbers:
            raise DataError("BestSingleFeature needs a feature with an order: all features are categories.")
        # Columns are read one by one, which is fast in the CSC layout.
        columns = X.tocsc() if hasattr(X, "tocsc") else X
        best = -np.inf
        for feature in numbers:
            scores = self._filled(single_feature_scores(columns, feature, 1), feature)
            for direction in (1, -1):
                value = self._measure(y, direction * scores, groups)
                if value > best:
                    best, self.feature_, self.direction_ = value, feature, direction
        self.training_value_ = best
        return self

    def predict(self, X: ArrayLike) -> FloatArray:
        """Score documents by the value of the chosen feature times the direction."""
        check_is_fitted(self)
        rows = read_frame(rows_of(self, X))
        X = rows.values if isinstance(rows, FeatureTable) else known_rows(self, rows)
        return self.direction_ * self._filled(single_feature_scores(X, self.feature_, 1), self.feature_)

    def _keep_kinds(self, kinds: tuple[FeatureKind, ...]) -> None:
        """Accept categories, which are not tried."""

    def _filled(self, values: FloatArray, feature: int) -> FloatArray:
        """Return the values of a feature, with its mean in training instead of missing ones."""
        return np.where(np.isnan(values), self.observed_values_.mean[feature], values)

    def _measure(self, y: FloatArray, scores: FloatArray, groups: Groups) -> float:
        return evaluate(y, scores, qid=groups, measures=[self.scoring], convention=self.convention)[self.scoring]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
