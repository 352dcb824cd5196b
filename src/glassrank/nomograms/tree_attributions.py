"""Deep boosted trees: what each feature contributes, as LightGBM and XGBoost compute it themselves (TreeSHAP)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, FloatArray
from glassrank.core.feature_kinds import FeatureTable
from glassrank.data.ranking_data import RankingData
from glassrank.nomograms.compared_pair import ComparedPair, document_of, rows_of_pair, score_ranks
from glassrank.nomograms.named_effects import check_names
from glassrank.ranking.any_ranker import rows_for

# LightGBM adds up contributions in 64 bits, XGBoost in 32 bits; both relative to the largest score.
TOLERANCES = {"lightgbm": 1e-6, "xgboost": 1e-4}
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
    library = type(ranker).__module__.split(".")[0]
    if library not in TOLERANCES:
        return None
    rows_of_both = rows_of_pair(data, query, document, against)
    rows = np.flatnonzero(data.qid == data.qid[rows_of_both[0]])
    check_names(_names(ranker) or data.feature_names, data.feature_names)
    contributions, scores = _attributions(ranker, data.pick_rows(rows).table, library)
    row_a, row_b = (int(np.flatnonzero(rows == row)[0]) for row in rows_of_both)
    utilities = (1.0 if factor is None else factor) * scores
    a, b = (document_of(data, row, rows, utilities, score_ranks(utilities)) for row in rows_of_both)
    difference = (1.0 if factor is None else factor) * (contributions[row_a] - contributions[row_b])
    table = data.table
    kinds = table.kinds if isinstance(table, FeatureTable) else ()
    return AttributedPair(
        ComparedPair(str(data.qid[rows_of_both[0]]), a, b, difference),
        "score" if factor is None else "log-odds",
        ATTRIBUTION.format({"lightgbm": "LightGBM", "xgboost": "XGBoost"}[library]),
        tuple(kind.levels for kind in kinds) or ((),) * data.n_features,
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


def _names(ranker: Any) -> tuple[str, ...] | None:
    """Return the feature names of a model that was trained with names."""
    names = getattr(ranker, "feature_names_in_", None)
    return None if names is None else tuple(map(str, names))


def _attributions(ranker: Any, table: Any, library: str) -> tuple[FloatArray, FloatArray]:
    """Return the contributions of each row, and its score; they must add up."""
    rows = rows_for(ranker, table)
    found, scores = _of_lightgbm(ranker, rows) if library == "lightgbm" else _of_xgboost(ranker, rows)
    if found.ndim != 2 or scores.ndim != 1:
        raise DataError("A ranker has one score per document: this model has several outputs.")
    gap = float(np.abs(found.sum(axis=1) - scores).max())
    if not gap <= TOLERANCES[library] * max(1.0, float(np.abs(scores).max())):
        raise DataError(f"The contributions that {library} reports miss its own scores by {gap:.3g}.")
    return found[:, :-1], scores


def _of_lightgbm(ranker: Any, rows: Any) -> tuple[FloatArray, FloatArray]:
    found, scores = ranker.predict(rows, pred_contrib=True), ranker.predict(rows, raw_score=True)
    return np.asarray(found, dtype=np.float64), np.asarray(scores, dtype=np.float64)


def _of_xgboost(ranker: Any, rows: Any) -> tuple[FloatArray, FloatArray]:
    from xgboost import DMatrix

    booster = ranker.get_booster() if hasattr(ranker, "get_booster") else ranker
    described = {"feature_names": booster.feature_names, "feature_types": booster.feature_types}
    matrix = rows if isinstance(rows, DMatrix) else DMatrix(rows, enable_categorical=True, **described)
    # As in its own predictions, a ranker that stopped early uses its trees up to the best one, and a Booster all.
    best = None if booster is ranker else booster.attr("best_iteration")
    rounds = (0, 0) if best is None else (0, int(best) + 1)
    found = booster.predict(matrix, pred_contribs=True, iteration_range=rounds)
    scores = booster.predict(matrix, output_margin=True, iteration_range=rounds)
    return np.asarray(found, dtype=np.float64), np.asarray(scores, dtype=np.float64)
