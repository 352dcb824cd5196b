"""Scorer: a saved model that ranks documents without scikit-learn."""

from dataclasses import dataclass
from typing import Any

from glassrank.core.additive.scoring import finite_scores
from glassrank.core.checks import DataError, FloatArray, as_matrix, check_finite, check_known
from glassrank.core.feature_table import FeatureTable, values_of
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.modelfile.document import ModelDocument


@dataclass(frozen=True, eq=False, repr=False)
class Scorer:
    """A saved model for ranking only; it has the feature names if the file contains them."""

    document: ModelDocument

    def __post_init__(self) -> None:
        if not self.document.model.scores_documents:
            raise DataError(
                "The model compares pairs of documents and does not score single ones: expected a model that scores, "
                "such as a RankSVM in the mode 'utility'.",
                remedy=f"Load it with {setting('load_model')} and use its decide_pairs or rank.",
            )

    def __repr__(self) -> str:
        return f"Scorer({self.kind}, {counted(self.n_features, 'feature')})"

    @property
    def kind(self) -> str:
        """Class of the saved model, such as ``"RankSVM"`` or ``"Pipeline"``."""
        return self.document.model.kind

    @property
    def n_features(self) -> int:
        """Number of features that ``predict`` expects."""
        return self.document.model.n_features

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """Names of the features in the model's order; None if the file does not contain them."""
        names = self.document.feature_names
        return None if names is None else tuple(names)

    def predict(self, X: Any) -> FloatArray:
        """Score documents like the saved model; higher scores rank first.

        X is a matrix or, for a model with categories, ``RankingData``.
        """
        rows: Any = X.table if hasattr(X, "table") else X
        rows = rows if isinstance(rows, FeatureTable) else as_matrix(rows)
        if rows.shape[1] != self.n_features:
            raise DataError(
                f"X must have one column per feature: expected {self.n_features}, got {rows.shape[1]}.",
                parameter="X",
                expected=self.n_features,
                got=rows.shape[1],
            )
        check = check_known if self.document.model.takes_missing else check_finite
        check("X", values_of(rows), "Fill or remove them as in the training data.")
        return finite_scores(self.document.model.score, rows)
