"""RankSVMCV in a model file."""

from typing import Annotated, Any, Literal, Self

from pydantic import FiniteFloat, model_validator

from glassrank.core.checks import FloatArray, Matrix
from glassrank.core.feature_kinds import FeatureKind
from glassrank.modelfile.codec.model_part import FittedValues, fitted_value
from glassrank.modelfile.codec.parameters import Gamma, Gammas, Grid, Monotone, folds
from glassrank.modelfile.codec.values import Number, PositiveCount, PositiveNumber, Strict, check_that
from glassrank.modelfile.kinds.rank_svm import RankSVMPart
from glassrank.modelfile.kinds.search_table import PathPart
from glassrank.modelfile.kinds.trained_ranker import TrainedPart


class RankSVMCVParameters(Strict):
    """Parameters of ``RankSVMCV``."""

    Cs: Grid
    cv: Annotated[Any, folds()]
    scoring: str
    convention: str
    kernel: Literal["linear", "lrbf"]
    loss: Literal["squared_hinge", "hinge", "logistic"]
    gamma: Gammas
    linear: Number = 0.0
    min_count: PositiveCount = 10
    missing: Literal["refuse", "mean"] = "refuse"
    monotone: Monotone = None
    pair_weight: Literal["uniform", "query", "label-gap", "ndcg"]
    C_unit: Literal["mean", "pair"]
    n_jobs: int | None
    tol: PositiveNumber
    max_iter: PositiveCount


class RankSVMCVTraining(FittedValues):
    """The choice that a ``RankSVMCV`` made."""

    n_queries: PositiveCount
    best_score: FiniteFloat
    C: PositiveNumber
    gamma: Gamma


class RankSVMCVPart(TrainedPart):
    """A fitted ``RankSVMCV``: the table of its search, and the best model, fitted to all queries."""

    kind: Literal["RankSVMCV"] = "RankSVMCV"
    parameters: RankSVMCVParameters
    training: RankSVMCVTraining
    path: PathPart
    best: RankSVMPart

    @model_validator(mode="after")
    def _best_fits(self) -> Self:
        check_that(
            self.best.n_features == self.n_features,
            f"best must have as many features as the search, {self.n_features}: got {self.best.n_features}",
        )
        return self

    @classmethod
    def estimator_class(cls) -> type:
        from glassrank.ranking.rank_svm_cv import RankSVMCV

        return RankSVMCV

    @classmethod
    def _learned_by(cls, estimator: Any) -> dict[str, Any]:
        return {
            "best": RankSVMPart.of(fitted_value(estimator, "best_estimator_")),
            "path": PathPart.of(fitted_value(estimator, "cv_results_"), "C"),
        }

    def _learned(self) -> dict[str, Any]:
        return {
            "cv_results_": self.path.results("C"),
            "best_estimator_": self.best.restore(),
            "feature_kinds_": self.best.kinds,
        }

    @property
    def takes_missing(self) -> bool:
        return True

    @property
    def missing_policy(self) -> str:
        return self.best.missing_policy

    @property
    def missing_shares(self) -> FloatArray:
        return self.best.missing_shares

    @property
    def kinds(self) -> tuple[FeatureKind, ...]:
        return self.best.kinds

    def score(self, X: Matrix) -> FloatArray:
        """Score each row of X with the best model."""
        return self.best.score(X)
