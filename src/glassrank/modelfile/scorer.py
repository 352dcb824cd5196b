"""Scorer: a saved model that ranks documents without scikit-learn."""

from dataclasses import dataclass
from typing import Any

from glassrank.core.additive.scoring import finite_scores
from glassrank.core.checks import DataError, FloatArray, Matrix, as_matrix, check_finite
from glassrank.core.setting import setting
from glassrank.modelfile.saved_model import SavedModel


@dataclass(frozen=True, eq=False, repr=False)
class Scorer(SavedModel):
    """A saved model for ranking only; it has the feature names if the file contains them."""

    def __post_init__(self) -> None:
        if not self.scores_documents:
            raise DataError(
                "The model compares pairs of documents and does not score single ones: expected a model that scores, "
                "such as a RankSVM in the mode 'utility'.",
                remedy=f"Load it with {setting('load_model')} and use its decide_pairs or rank.",
            )

    def predict(self, X: Any) -> FloatArray:
        """Score documents like the saved model; higher scores rank first."""
        rows: Matrix = as_matrix(X)
        if rows.shape[1] != self.n_features:
            raise DataError(
                f"X must have one column per feature: expected {self.n_features}, got {rows.shape[1]}.",
                parameter="X",
                expected=self.n_features,
                got=rows.shape[1],
            )
        check_finite("X", rows, "Fill or remove them as in the training data.")
        return finite_scores(self.document.model.score, rows)
