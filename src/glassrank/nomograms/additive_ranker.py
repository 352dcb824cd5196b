"""AdditiveRanker: a ranker of given curves, such as those of boosted trees that another tool has trained."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.additive.curve_sum import CurveSum
from glassrank.core.additive.effects import AdditiveEffects
from glassrank.core.additive.scoring import finite_scores
from glassrank.core.checks import DataError, FloatArray, Matrix, as_matrix, check_known
from glassrank.core.feature_kinds import FeatureTable
from glassrank.core.input_types import ArrayLike, Estimator
from glassrank.core.wording import counted
from glassrank.nomograms.adapters.effects_of_model import draft_effects
from glassrank.nomograms.adapters.registry import terms_of
from glassrank.nomograms.adapters.terms import Terms


@dataclass(frozen=True, eq=False, repr=False)
class AdditiveRanker:
    """u(x) = constant + Σ_k curve_k(x_k) + Σ_jk interaction_jk(x_j, x_k), with curves that are not trained here.

    ``AdditiveRanker.of(model)`` reads any model whose effects can be read, such as LightGBM and XGBoost trees of one or
    two features each. ``load_ranker`` makes one from a RankLib file. An AdditiveRanker has no ``fit``. To get
    probabilities, wrap it in ``PairCalibrator`` with ``cv="prefit"``.

    >>> import glassrank as gr
    >>> model = gr.RankSVM().fit([[0.0, 1.0], [1.0, 3.0]], [0, 1])
    >>> ranker = AdditiveRanker.of(model)
    >>> ranker, bool(np.allclose(ranker.predict([[0.5, 2.0]]), model.predict([[0.5, 2.0]])))
    (AdditiveRanker(2 features), True)
    """

    terms: Terms

    @classmethod
    def of(cls, model: Estimator) -> "AdditiveRanker":
        """Read the curves of a fitted model; a model that is not additive causes an error.

        Scores of a binary classifier are its log-odds.
        """
        if isinstance(model, AdditiveRanker):
            return model
        terms = terms_of(model)
        if terms.subject == "difference":
            raise DataError(f"This {type(model).__name__} compares pairs of documents and does not score single ones.")
        # Only what is stored with the ranker counts: curves with their own effects of missing values.
        ranked: dict[str, Any] = {"unit": "score", "subject": "utility", "outcome": ""}
        return cls(replace(terms, **ranked, missing_effects=(), directions=()))

    @property
    def n_features_in_(self) -> int:
        """Number of features."""
        return self.terms.n_features

    @property
    def feature_names_in_(self) -> Any:
        """Names of the features; absent if the model has none."""
        if self.terms.names is None:
            raise AttributeError("This AdditiveRanker has no feature names.")
        return np.array(self.terms.names, dtype=object)

    def __repr__(self) -> str:
        together = len(self.terms.interactions)
        more = f", {counted(together, 'interaction')}" if together else ""
        return f"AdditiveRanker({counted(self.n_features_in_, 'feature')}{more})"

    def additive_terms(self) -> Terms:
        """Return the curves, from which the effects are made."""
        return self.terms

    def predict(self, X: ArrayLike) -> FloatArray:
        """Score documents; higher scores rank first. Missing values are those that the trained model accepts."""
        rows: Any = X.table if hasattr(X, "table") else X
        if not isinstance(rows, FeatureTable) and np.ndim(rows) != 2:
            raise DataError(f"X must have two dimensions (rows × features): got shape {np.shape(rows)}.", parameter="X")
        is_matrix = not isinstance(rows, FeatureTable) and getattr(getattr(rows, "dtype", None), "kind", "O") in "biuf"
        # A matrix of numbers has the codes of the categories already.
        return finite_scores(self.scores, as_matrix(rows) if is_matrix else self._draft.encode(rows))

    def scores(self, X: Matrix) -> FloatArray:
        """Score rows of numbers and codes of categories."""
        if X.shape[1] != self.n_features_in_:
            raise DataError(
                f"X must have one column per feature: expected {self.n_features_in_}, got {X.shape[1]}.",
                parameter="X",
                expected=self.n_features_in_,
                got=X.shape[1],
            )
        check_known("X", X)
        total = self.terms.constant + self._sum(X)
        if self.terms.interactions:
            dense = X.toarray() if sparse.issparse(X) else X
            total += sum(both(dense) for both in self.terms.interactions)
        return np.asarray(total)

    @cached_property
    def _sum(self) -> CurveSum:
        return CurveSum.of(self.terms.curves)

    @cached_property
    def _draft(self) -> AdditiveEffects:
        return draft_effects(self.terms)
