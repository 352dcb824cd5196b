"""Models that contain another model: PairCalibrator, and scikit-learn's Pipeline of scalers and a ranker."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, FiniteFloat, model_validator

from glassrank.core.checks import DataError, FloatArray, Matrix, check_known
from glassrank.core.feature_kinds import FeatureKind, numbers_of, values_of
from glassrank.core.setting import setting
from glassrank.modelfile.codec.model_part import FittedValues, RankerPart, fitted_value, part_class
from glassrank.modelfile.codec.parameters import Seed, folds
from glassrank.modelfile.codec.values import PositiveCount, Strict, check_that
from glassrank.modelfile.kinds.feature_transformer import FeatureTransformerPart
from glassrank.modelfile.kinds.ranker_kinds import RANKERS, Ranker
from glassrank.modelfile.kinds.reliability import ReliabilityPart
from glassrank.modelfile.kinds.step_kinds import STEPS, Step

MAX_SCALERS = 16
# Names that a step of a Pipeline must not have, because they are parameters of Pipeline.
RESERVED_NAMES = ("steps", "memory", "verbose", "transform_input")


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
    """A fitted ``PairCalibrator``: its ranker, the slope of the sigmoid, and its reliability on held-out pairs."""

    kind: Literal["PairCalibrator"] = "PairCalibrator"
    parameters: PairCalibratorParameters
    training: PairCalibratorTraining
    calibration: ReliabilityPart
    slope: FiniteFloat
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
        ranker = fitted_value(estimator, "estimator_")
        return cls(
            **cls._common_fields(estimator),
            training=PairCalibratorTraining.of(estimator),
            calibration=ReliabilityPart.of(fitted_value(estimator, "calibration_")),
            slope=fitted_value(estimator, "slope_"),
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
            estimator_=ranker,
        )

    @property
    def scores_documents(self) -> bool:
        """Whether the model can score single documents, not only pairs."""
        return self.ranker.scores_documents

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


class PipelineParameters(Strict):
    """Parameters of ``Pipeline`` that do not depend on the machine."""

    verbose: bool


class PipelinePart(Strict):
    """A fitted ``Pipeline``: scalers in order, followed by a ranker."""

    kind: Literal["Pipeline"] = "Pipeline"
    parameters: PipelineParameters
    scaling: Annotated[list[Step], Field(max_length=MAX_SCALERS)]
    ranker_name: str
    ranker: Annotated[Ranker | PairCalibratorPart, Field(discriminator="kind")]

    @model_validator(mode="after")
    def _steps_agree(self) -> Self:
        names = [*(scaler.name for scaler in self.scaling), self.ranker_name]
        check_that(len(set(names)) == len(names), "two steps have the same name")
        usable = all(name and "__" not in name and name not in RESERVED_NAMES for name in names)
        check_that(usable, f"a step has a name that Pipeline does not allow: {', '.join(map(repr, names))}")
        for scaler in self.scaling:
            check_that(
                scaler.n_features == self.n_features,
                f"every step must have as many features as the ranker, {self.n_features}: {scaler.name!r} has "
                f"{scaler.n_features}",
            )
        return self

    @property
    def n_features(self) -> int:
        """Number of features that the model takes."""
        return self.ranker.n_features

    @property
    def feature_names(self) -> list[str] | None:
        """Feature names that the first step saw in ``fit``."""
        return [*self.scaling, self.ranker][0].feature_names

    @classmethod
    def estimator_class(cls) -> type:
        """Return the class of estimators that this kind stores."""
        from sklearn.pipeline import Pipeline

        return Pipeline

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Extract the steps of a fitted Pipeline."""
        for name in ("memory", "transform_input"):
            if getattr(estimator, name, None) is not None:
                raise DataError(
                    f"A model file cannot store the {name} of a Pipeline: expected None.",
                    remedy=f"Call model.set_params({setting(name, None)}).",
                )
        if not estimator.steps:
            raise DataError("This Pipeline has no steps: expected a ranker as its last step.")
        *scalers, (ranker_name, ranker) = estimator.steps
        ranker_part = part_class(ranker, LAST_STEPS, f"The last step {ranker_name!r}")
        return cls(
            parameters=PipelineParameters(verbose=estimator.verbose),
            scaling=[part_class(scaler, STEPS, f"Step {name!r}").of(scaler, name) for name, scaler in scalers],
            ranker_name=ranker_name,
            ranker=ranker_part.of(ranker),
        )

    def restore(self) -> Any:
        """Rebuild the fitted Pipeline."""
        steps = [(scaler.name, scaler.restore()) for scaler in self.scaling]
        steps.append((self.ranker_name, self.ranker.restore()))
        return self.estimator_class()(steps, verbose=self.parameters.verbose)

    @property
    def scores_documents(self) -> bool:
        """Whether the model can score single documents, not only pairs."""
        return self.ranker.scores_documents

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
        """Kind of each feature, as the first step knows it."""
        first = [*self.scaling, self.ranker][0]
        return first.feature_kinds() if isinstance(first, FeatureTransformerPart) else self.ranker.kinds

    def score(self, X: Matrix) -> FloatArray:
        """Score each row of X like the Pipeline's ``predict``."""
        for scaler in self.scaling:
            X = scaler.apply(X if isinstance(scaler, FeatureTransformerPart) else numbers_of(X, scaler.kind))
            # scikit-learn's steps check what they are given.
            check_known(
                f"X after step {scaler.name!r}", values_of(X), "Some feature values are too large for this model."
            )
        return self.ranker.score(X)


# Kinds allowed as the last step of a Pipeline, inside a PairCalibrator, and at the top level of a file.
LAST_STEPS: dict[str, Any] = {**RANKERS, PairCalibratorPart.kind_name(): PairCalibratorPart}
CALIBRATED: dict[str, Any] = {**RANKERS, PipelinePart.model_fields["kind"].default: PipelinePart}
KINDS: dict[str, Any] = {**LAST_STEPS, **CALIBRATED}

PairCalibratorPart.model_rebuild()
