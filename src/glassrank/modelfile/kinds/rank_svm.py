"""RankSVM in a model file."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from pydantic import FiniteFloat, model_validator

from glassrank.core.additive.scoring import linear_scores
from glassrank.core.checks import FloatArray, Matrix
from glassrank.modelfile.codec.model_part import FittedValues, fitted_value
from glassrank.modelfile.codec.parameters import Gamma, Monotone, Seed
from glassrank.modelfile.codec.values import Count, Number, PositiveCount, PositiveNumber, Strict, check_that
from glassrank.modelfile.kinds.lrbf_machine import KernelMachinePart


class RankSVMParameters(Strict):
    """Parameters of ``RankSVM``; the choices are repeated here because the estimator would import scikit-learn."""

    C: PositiveNumber
    kernel: Literal["linear", "lrbf"]
    loss: Literal["squared_hinge", "hinge", "logistic"]
    gamma: Gamma
    linear: Number = 0.0
    min_count: PositiveCount = 10
    missing: Literal["refuse", "mean"] = "refuse"
    monotone: Monotone = None
    mode: Literal["utility", "difference"]
    pair_weight: Literal["uniform", "query", "label-gap", "ndcg"]
    C_unit: Literal["mean", "pair"]
    max_pairs: PositiveCount | None
    random_state: Seed
    tol: PositiveNumber
    max_iter: PositiveCount


class RankSVMTraining(FittedValues):
    """Results of training a ``RankSVM``."""

    renamed: ClassVar[Mapping[str, str]] = {"n_iterations": "n_iter_"}
    # A replicate that was followed to a resample has none of them.
    optional: ClassVar[frozenset[str]] = frozenset({"objective", "duality_gap", "n_iterations"})

    n_queries: PositiveCount
    n_pairs: Count
    n_sampled_pairs: Count
    objective: FiniteFloat | None = None
    duality_gap: FiniteFloat | None = None
    n_iterations: Count | None = None

    @model_validator(mode="after")
    def _all_or_none(self) -> Self:
        n_absent = [self.objective, self.duality_gap, self.n_iterations].count(None)
        check_that(n_absent in (0, 3), "objective, duality_gap and n_iterations must be given together")
        return self


class RankSVMPart(KernelMachinePart):
    """A fitted ``RankSVM``."""

    kind: Literal["RankSVM"] = "RankSVM"
    parameters: RankSVMParameters
    training: RankSVMTraining

    @model_validator(mode="after")
    def _mode_fits(self) -> Self:
        on_differences = self.parameters.mode == "difference"
        check_that(
            self.columns is None or self.columns.of_differences == on_differences,
            "columns must have of_differences in the mode 'difference', and only then",
        )
        return self

    @property
    def scores_documents(self) -> bool:
        """Whether the ranker can score single documents; an LRBF machine on differences cannot."""
        return self.columns is None or not self.columns.of_differences

    @classmethod
    def estimator_class(cls) -> type:
        from glassrank.ranking.rank_svm import RankSVM

        return RankSVM

    @classmethod
    def _learned_by(cls, estimator: Any) -> dict[str, Any]:
        return {"coefficients": fitted_value(estimator, "coef_"), **cls._columns_of(estimator)}

    def _learned(self) -> dict[str, Any]:
        return {"coef_": self.coefficients, "feature_map_": self.feature_map, "feature_kinds_": self.kinds}

    def score(self, X: Matrix) -> FloatArray:
        """Score each row of X like ``RankSVM.predict``."""
        rows = self.rows(X)
        return linear_scores(rows, self.coefficients) if self.curve_sum is None else self.curve_sum(rows)
