"""Deep boosted trees: what each feature contributes, as LightGBM and XGBoost compute it themselves (TreeSHAP)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import DataError, FloatArray
from glassrank.core.feature_kinds import PLAIN, FeatureTable
from glassrank.data.ranking_data import RankingData
from glassrank.nomograms.compared_pair import ComparedPair, document_of, rows_of_pair, score_ranks
from glassrank.ranking.tree_rankers import BoostedTrees, library_of

# LightGBM adds up contributions in 64 bits, XGBoost in 32 bits; both relative to the largest score.
TOLERANCES = {"lightgbm": 1e-6, "xgboost": 1e-4}
NAMES = {"lightgbm": "LightGBM", "xgboost": "XGBoost"}
ATTRIBUTION = (
    "TreeSHAP attribution by {}: the contributions add up to the difference, but how they split it between the "
    "features is not unique."
)


@dataclass(frozen=True, eq=False)
class AttributedPair:
    """Two documents, what each feature contributes to the difference, and who says so."""

    pair: ComparedPair
    unit: str
    attribution: str
    categories: tuple[tuple[str, ...], ...]
    """Names of the categories of each feature; empty for numbers."""


def attribute_pair(model: Any, data: RankingData, query: Any, document: Any, against: Any) -> AttributedPair | None:
    """Compare two documents by a model's own attributions; None if the model has none.

    The contributions of feature k to the scores of A and B are φ_k(a) and φ_k(b), with Σ_k φ_k(x) + base = score of x
    (Lundberg & Lee, NeurIPS 2017; Lundberg et al., Nature Machine Intelligence 2, 2020). Their difference is what the
    feature contributes to A − B.
    """
    ranker, factor = _ranker_and_factor(model)
    if library_of(ranker) is None:
        return None
    trees = BoostedTrees.of(ranker)
    rows_of_both = rows_of_pair(data, query, document, against)
    rows = np.flatnonzero(data.qid == data.qid[rows_of_both[0]])
    table = _table(data.pick_rows(rows))
    contributions, scores = _attributions(trees, table)
    row_a, row_b = (int(np.flatnonzero(rows == row)[0]) for row in rows_of_both)
    utilities = (1.0 if factor is None else factor) * scores
    a, b = (document_of(data, row, rows, utilities, score_ranks(utilities)) for row in rows_of_both)
    difference = (1.0 if factor is None else factor) * (contributions[row_a] - contributions[row_b])
    return AttributedPair(
        ComparedPair(str(data.qid[rows_of_both[0]]), a, b, difference),
        "score" if factor is None else "log-odds",
        ATTRIBUTION.format(NAMES[trees.library]),
        tuple(kind.levels for kind in table.kinds),
    )


def _ranker_and_factor(model: Any) -> tuple[Any, float | None]:
    """Return the model inside calibrators and searches, and the log-odds per unit of its score, if calibrated."""
    factor = None
    while True:
        if hasattr(model, "slope_") and hasattr(model, "estimator_"):
            model, factor = model.estimator_, -model.slope_
        elif hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif type(model).__name__ == "FrozenEstimator":
            model = model.estimator
        else:
            return model, factor


def _table(data: RankingData) -> FeatureTable:
    if not sparse.issparse(data.X):
        return FeatureTable(data.X, tuple(data.kinds), data.feature_names)
    return FeatureTable(data.X.toarray(), (PLAIN,) * data.n_features, data.feature_names)


def _attributions(trees: BoostedTrees, table: FeatureTable) -> tuple[FloatArray, FloatArray]:
    """Return the contributions of each row, and its score; they must add up."""
    found, scores = trees.contributions(table), trees.scores(table)
    gap = float(np.abs(found.sum(axis=1) - scores).max())
    if not gap <= TOLERANCES[trees.library] * max(1.0, float(np.abs(scores).max())):
        raise DataError(f"The contributions that {NAMES[trees.library]} reports miss its own scores by {gap:.3g}.")
    return found[:, :-1], scores
