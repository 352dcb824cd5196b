"""Models that contain another model: PairCalibrator, and scikit-learn's Pipeline of steps and a ranker."""

from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field, FiniteFloat, model_validator
from scipy import sparse

from glassrank.core.checks import DataError, FloatArray, Matrix
from glassrank.core.feature_kinds import FeatureKind, values_of
from glassrank.core.missing_rule import REFUSE
from glassrank.core.wording import counted
from glassrank.modelfile.codec.model_part import FittedValues, RankerPart, fitted_value, part_class
from glassrank.modelfile.codec.parameters import Seed, folds
from glassrank.modelfile.codec.values import PositiveCount, Strict, check_that
from glassrank.modelfile.kinds.given_curves import storable
from glassrank.modelfile.kinds.ranker_kinds import RANKERS, Ranker
from glassrank.modelfile.kinds.reliability import ReliabilityPart
from glassrank.modelfile.kinds.steps.step_chains import apply_steps, check_chain, check_portable, kinds_before
from glassrank.modelfile.kinds.steps.step_kinds import (
    MAX_STEPS,
    InnerPipelineParameters,
    InnerPipelinePart,
    Step,
    describe_steps,
)


class PairCalibratorParameters(Strict):
    """Parameters of ``PairCalibrator`` besides its estimator."""

    method: Literal["sigmoid"]
    cv: Annotated[Any, folds("prefit")]
    max_pairs: PositiveCount | None
    random_state: Seed


class PairCalibratorTraining(FittedValues):
    """Results of training a ``PairCalibrator``."""

    n_queries: PositiveCount


class PairCalibratorPart(RankerPart):
    """A fitted ``PairCalibrator``: its ranker, the sigmoid's slope and offset, and its reliability."""

    kind: Literal["PairCalibrator"] = "PairCalibrator"
    parameters: PairCalibratorParameters
    training: PairCalibratorTraining
    calibration: ReliabilityPart
    slope: Annotated[FiniteFloat, Field(lt=0)]
    offset: FiniteFloat = 0.0
    ranker: Annotated["Ranker | PipelinePart", Field(discriminator="kind")]

    @model_validator(mode="after")
    def _ranker_fits(self) -> Self:
        check_that(
            self.ranker.n_features == self.n_features,
            f"ranker must have {self.n_features} features: got {self.ranker.n_features}",
        )
        return self

    @classmethod
    def estimator_class(cls) -> type:
        from glassrank.ranking.calibration import PairCalibrator

        return PairCalibrator

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Extract the fitted ranker and the slope; the ranker may be a Pipeline."""
        ranker = storable(fitted_value(estimator, "estimator_"))
        return cls(
            **cls._common_fields(estimator),
            training=PairCalibratorTraining.of(estimator),
            calibration=ReliabilityPart.of(fitted_value(estimator, "calibration_")),
            slope=fitted_value(estimator, "slope_"),
            offset=fitted_value(estimator, "offset_"),
            ranker=part_class(ranker, CALIBRATED, "The estimator of PairCalibrator").of(ranker),
        )

    def restore(self) -> Any:
        """Rebuild the fitted ``PairCalibrator``."""
        from sklearn.base import clone

        ranker = self.ranker.restore()
        return self._make(
            self.parameters,
            {"estimator": ranker if self.parameters.cv == "prefit" else clone(ranker)},
            **self.training.by_attribute(),
            calibration_=self.calibration.restore(),
            slope_=self.slope,
            offset_=self.offset,
            estimator_=ranker,
        )

    @property
    def scores_documents(self) -> bool:
        """Whether the model can score single documents, not only pairs."""
        return self.ranker.scores_documents

    @property
    def is_additive(self) -> bool:
        """Whether the ranker's score is a sum of one function per feature."""
        return self.ranker.is_additive

    @property
    def log_odds_per_score(self) -> float | None:
        """Log-odds of "A above B" per unit of the difference of the ranker's scores."""
        return -self.slope

    @property
    def takes_missing(self) -> bool:
        """Whether the ranker has a rule for missing values."""
        return self.ranker.takes_missing

    @property
    def missing_policy(self) -> str:
        """What the ranker does with a missing value of a feature that had none in training."""
        return self.ranker.missing_policy

    @property
    def missing_shares(self) -> FloatArray:
        """Share of missing values of each feature in training."""
        return self.ranker.missing_shares

    @property
    def kinds(self) -> tuple[FeatureKind, ...]:
        """Kind of each feature."""
        return self.ranker.kinds

    def score(self, X: Matrix) -> FloatArray:
        """Score each row of X like the calibrated ranker."""
        return self.ranker.score(X)


class PipelinePart(Strict):
    """A fitted ``Pipeline``: steps in order, followed by a ranker."""

    kind: Literal["Pipeline"] = "Pipeline"
    parameters: InnerPipelineParameters
    scaling: Annotated[list[Step], Field(max_length=MAX_STEPS)]
    ranker_name: str
    ranker: Annotated["Ranker | PairCalibratorPart | PipelinePart", Field(discriminator="kind")]

    @model_validator(mode="after")
    def _steps_agree(self) -> Self:
        names = [*(step.name for step in self.scaling), self.ranker_name]
        check_chain(self.scaling, self.n_features, names, self.ranker.n_features)
        return self

    @property
    def _first(self) -> Any:
        return self.scaling[0] if self.scaling else self.ranker

    @property
    def n_features(self) -> int:
        """Number of features that the model takes."""
        return int(self._first.n_features)

    @property
    def feature_names(self) -> list[str] | None:
        """Feature names that the first step saw in ``fit``."""
        names: list[str] | None = self._first.feature_names
        return names

    @classmethod
    def stores(cls, estimator: Any) -> bool:
        """Return whether an estimator is a Pipeline."""
        return type(estimator) is InnerPipelinePart.estimator_class()

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Extract the steps of a fitted Pipeline."""
        check_portable(estimator)
        if not estimator.steps:
            raise DataError("This Pipeline has no steps: expected a ranker as its last step.")
        *steps, (ranker_name, last_step) = estimator.steps
        ranker = storable(last_step)
        last = part_class(ranker, KINDS, f"The last step {ranker_name!r}")
        return cls(
            parameters=InnerPipelineParameters(verbose=estimator.verbose),
            scaling=describe_steps(steps, ranker),
            ranker_name=ranker_name,
            ranker=last.of(ranker),
        )

    def restore(self) -> Any:
        """Rebuild the fitted Pipeline."""
        steps = [(step.name, step.restore()) for step in self.scaling]
        steps.append((self.ranker_name, self.ranker.restore()))
        made: Any = InnerPipelinePart.estimator_class()
        return made(steps, verbose=self.parameters.verbose)

    @property
    def scores_documents(self) -> bool:
        """Whether the model can score single documents, not only pairs."""
        return self.ranker.scores_documents

    @property
    def is_additive(self) -> bool:
        """Whether the score is a sum of one function per feature: every step treats each column on its own."""
        return self.ranker.is_additive

    @property
    def log_odds_per_score(self) -> float | None:
        """Log-odds of "A above B" per unit of the difference of the ranker's scores; None if it is not calibrated."""
        return self.ranker.log_odds_per_score

    @property
    def _passes_missing(self) -> bool:
        return all(step.passes_missing for step in self.scaling)

    @property
    def takes_missing(self) -> bool:
        """Whether a step or the ranker has a rule for missing values."""
        return self.ranker.takes_missing or not self._passes_missing

    @property
    def missing_policy(self) -> str:
        """What the ranker does with a missing value that reaches it, of a feature that had none in training."""
        return self.ranker.missing_policy if self._passes_missing else REFUSE

    @property
    def missing_shares(self) -> FloatArray:
        """Share of missing values of each feature in training, as far as the ranker has seen them."""
        return self.ranker.missing_shares if self._passes_missing else np.zeros(self.n_features)

    @property
    def kinds(self) -> tuple[FeatureKind, ...]:
        """Kind of each feature, as the first step takes it."""
        return kinds_before(self.scaling, self.ranker.kinds)

    def score(self, X: Matrix) -> FloatArray:
        """Score each row of X like the Pipeline's ``predict``."""
        rows = apply_steps(self.scaling, X)
        if not self.ranker.takes_missing:
            _refuse_missing(values_of(rows), self.ranker_name)
        return self.ranker.score(rows)


def _refuse_missing(X: Matrix, last: str) -> None:
    gaps = np.isnan(X.data if sparse.issparse(X) else X)
    if gaps.any():
        raise DataError(
            f"The model cannot use missing values: {counted(int(gaps.sum()), 'value')} missing before step {last!r}.",
            remedy="Fill them as in the training data.",
        )


# Kinds allowed inside a PairCalibrator, and those at the top level of a file or as the last step of a Pipeline.
CALIBRATED: dict[str, Any] = {**RANKERS, PipelinePart.model_fields["kind"].default: PipelinePart}
KINDS: dict[str, Any] = {**CALIBRATED, PairCalibratorPart.kind_name(): PairCalibratorPart}

PairCalibratorPart.model_rebuild()
