"""CombinedSelector: take the best features of several selectors in turn."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from glassrank.core.checks import DataError, FloatArray, IntArray, Matrix
from glassrank.core.feature_kinds import FeatureTable, are_plain
from glassrank.core.groups import Groups
from glassrank.core.input_types import Estimator, RandomState
from glassrank.ranking.named_rows import feature_names
from glassrank.selection.boosting_influence import BoostingInfluenceSelector
from glassrank.selection.selector import FeatureSelector, places_by_score
from glassrank.selection.svm_weight import SVMWeightSelector


class CombinedSelector(FeatureSelector):
    """Keep the union of the best features of each selector, up to the requested number.

    Each selector in turn contributes its best feature, then its second best and so on; features that are already in the
    union are skipped. Lu, Peng, Li & Ahmed, "Coupling feature selection and machine learning methods for navigational
    query identification" (2006), take the 30 best by SVM and the 29 best by boosting, 9 of them shared: 50 in all.

    Parameters
    ----------
    n_features_to_select : int, float or None
        Number or share of features to keep. None keeps half.
    selectors : list of selectors, or None
        The selectors to combine, in this order. None is SVM weights, then boosting influence.
    random_state : int, numpy generator or None
        Random seed for boosting if ``selectors`` is None.

    Attributes
    ----------
    selectors_ : the fitted selectors.
    scores_ : 1/rank of each feature.
    ranking_ : rank of each feature in the merged list, from 1.
    support_ : mask of the kept features.

    Examples
    --------
    >>> from glassrank.selection.combined import CombinedSelector
    >>> X, y = [[0.0, 1.0], [1.0, 5.0], [2.0, 1.0], [7.0, 5.0], [8.0, 1.0], [9.0, 5.0]], [0, 0, 0, 1, 1, 1]
    >>> CombinedSelector(n_features_to_select=1, random_state=0).fit(X, y).ranking_.tolist()
    [1, 2]
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        selectors: Sequence[Estimator] | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.selectors = selectors
        self.random_state = random_state

    def _feature_scores(self, X: Matrix, labels: Any, groups: Groups | None, weights: FloatArray | None) -> FloatArray:
        chosen = [SVMWeightSelector(), BoostingInfluenceSelector(random_state=self.random_state)]
        if self.selectors is not None:
            chosen = list(self.selectors)
        if not chosen:
            raise DataError("selectors must contain at least one selector: got none.", parameter="selectors")
        qid = None if groups is None else groups.of_row
        names = feature_names(self)
        rows = X if are_plain(self.feature_kinds_) else FeatureTable(X, self.feature_kinds_, names)
        self.selectors_ = [clone(selector).fit(rows, labels, qid=qid, sample_weight=weights) for selector in chosen]
        return 1.0 / merge_rankings([places_by_score(selector.scores_, names) for selector in self.selectors_])


def merge_rankings(rankings: list[IntArray]) -> IntArray:
    """Merge rankings: each in turn contributes its best feature that is not in the merged list yet.

    >>> merge_rankings([np.array([1, 2, 3, 4]), np.array([4, 1, 2, 3])]).tolist()
    [1, 2, 3, 4]
    >>> merge_rankings([np.array([1, 2, 3, 4]), np.array([3, 4, 1, 2])]).tolist()
    [1, 3, 2, 4]
    """
    # A feature enters in the round of its best rank, contributed by the first ranking that gives it this rank.
    stacked = np.array(rankings)
    rounds, turns = stacked.min(axis=0), stacked.argmin(axis=0)
    places = np.empty(stacked.shape[1], dtype=np.int64)
    places[np.lexsort((turns, rounds))] = np.arange(1, stacked.shape[1] + 1)
    return places
