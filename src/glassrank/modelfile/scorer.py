"""Scorer: a saved model that ranks documents and explains pairs without scikit-learn."""

import numbers
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.additive.scoring import finite_scores
from glassrank.core.checks import DataError, FloatArray, Matrix, as_matrix, check_known
from glassrank.core.feature_kinds import FeatureTable, kinds_of, numbers_of, values_of
from glassrank.core.missing_rule import missing_by_feature
from glassrank.core.numbered_features import check_feature_names, numbered_names
from glassrank.core.setting import setting
from glassrank.modelfile.pair_contributions import PairContributions, pair_contributions
from glassrank.modelfile.saved_model import SavedModel


@dataclass(frozen=True, eq=False, repr=False)
class Scorer(SavedModel):
    """A saved model for ranking and explaining; it has the feature names if the file contains them."""

    def __post_init__(self) -> None:
        if not self.scores_documents:
            raise DataError(
                "The model compares pairs of documents and does not score single ones: expected a model that scores, "
                "such as a RankSVM in the mode 'utility'.",
                remedy=f"Load it with {setting('load_model')} and use its decide_pairs or rank.",
            )

    def predict(self, X: Any) -> FloatArray:
        """Score documents like the saved model; higher scores rank first.

        X is a matrix, a data frame of numbers or ``RankingData``; a model with categories needs ``RankingData``, which
        names their levels. Columns with names must have those of the model, in its order.
        """
        return finite_scores(self.document.model.score, self._rows(X))

    def explain_pair(self, X: Any, document: int, against: int) -> PairContributions:
        """Return what each feature contributes to the difference between two documents, rows of ``X`` from 0.

        The contributions are those of ``glassrank.explain_pair``, without tie values and groups, for use in a search
        service: after loading, a pair takes about as long as scoring a list.
        """
        if not self.document.model.is_additive:
            raise DataError(
                f"This {self.kind} has no contributions of single features: its score is not a sum of one function "
                "per feature.",
                remedy=f"Train a model of curves, such as RankSVM with {setting('kernel', 'lrbf')}.",
            )
        rows = self._rows(X)
        for name, row in (("document", document), ("against", against)):
            if not isinstance(row, numbers.Integral) or not 0 <= row < rows.shape[0]:
                raise DataError(parameter=name, expected=f"a row of X from 0 to {rows.shape[0] - 1}", got=row)
        if document == against:
            raise DataError(
                f"document and {setting('against')} must differ: both are row {document}.", parameter="document"
            )
        names = getattr(X, "feature_names", None) or self.feature_names or numbered_names(self.n_features)
        pair = values_of(rows)[[document, against]]
        table = FeatureTable(pair.toarray() if sparse.issparse(pair) else pair, kinds_of(rows), tuple(names))
        score = self.document.model.score
        return pair_contributions(partial(finite_scores, score), table, self.document.model.log_odds_per_score)

    def _rows(self, X: Any) -> Any:
        """Return checked rows as the model takes them; a matrix has no names, and is taken by position."""
        given = getattr(X, "feature_names", getattr(X, "columns", None))
        if given is not None and all(isinstance(name, str) for name in given):
            check_feature_names(self.feature_names, self.n_features, tuple(given))
        if self.query_scaling is not None:
            if not hasattr(X, "groups"):
                raise DataError(
                    f"This model takes features that are scaled within each query ({self.query_scaling}).",
                    parameter="X",
                    remedy="Pass RankingData, which has the queries.",
                )
            X = self.scaled(X)
        rows: Any = X.table if hasattr(X, "table") else X
        rows = rows if isinstance(rows, FeatureTable) else as_matrix(rows)
        if rows.shape[1] != self.n_features:
            raise DataError(
                f"X must have one column per feature: expected {self.n_features}, got {rows.shape[1]}.",
                parameter="X",
                expected=self.n_features,
                got=rows.shape[1],
            )
        if not self.document.model.takes_missing:
            self._refuse_missing(values_of(rows))
            rows = numbers_of(rows, f"This {self.kind}")
        check_known("X", values_of(rows), "Fill or remove them as in the training data.")
        return rows

    def _refuse_missing(self, X: Matrix) -> None:
        """Raise an error for missing values, with the first feature that has some."""
        names = self.feature_names or numbered_names(self.n_features)
        found = missing_by_feature(X, names)
        if found:
            name, count = next(iter(found.items()))
            column = X[:, [names.index(name)]]
            row = int(np.argmax(np.isnan(column.toarray() if sparse.issparse(X) else column)))
            raise DataError(
                f"The model cannot use missing values: feature {name!r} has {count:,}, the first in row {row}.",
                remedy="Fill them as in the training data.",
            )
