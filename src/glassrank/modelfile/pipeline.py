"""A scikit-learn Pipeline of scalers and a ranker, in a model file."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from glassrank.core.checks import DataError, FloatArray, Matrix
from glassrank.modelfile.rankers import RANKERS, AnyRanker
from glassrank.modelfile.scalers import SCALERS, AnyScaler
from glassrank.modelfile.values import Strict, check_that

MOST_SCALERS = 16
# What a step of a Pipeline may not be called: its parameters are reached by these names.
RESERVED_NAMES = ("steps", "memory", "verbose", "transform_input")


class PipelineParameters(Strict):
    """Parameters of ``Pipeline`` that say nothing of one machine."""

    verbose: bool


class PipelinePart(Strict):
    """A fitted ``Pipeline``: scalers, in their order, and then a ranker."""

    kind: Literal["Pipeline"] = "Pipeline"
    parameters: PipelineParameters
    scaling: Annotated[list[AnyScaler], Field(max_length=MOST_SCALERS)]
    ranker_name: str
    ranker: AnyRanker

    @model_validator(mode="after")
    def _steps_agree(self) -> Self:
        names = [*(scaler.name for scaler in self.scaling), self.ranker_name]
        check_that(len(set(names)) == len(names), "two steps have one name")
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
        """Names of the features that the model takes, as its first step has seen them."""
        return [*self.scaling, self.ranker][0].feature_names

    @classmethod
    def estimator_class(cls) -> type:
        """Class of the estimators that this kind holds."""
        from sklearn.pipeline import Pipeline

        return Pipeline

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Take the steps of a fitted Pipeline, one by one."""
        for name in ("memory", "transform_input"):
            if getattr(estimator, name, None) is not None:
                raise DataError(
                    f"A model file cannot hold the {name} of a Pipeline: expected None. Remedy: "
                    f"model.set_params({name}=None)."
                )
        if not estimator.steps:
            raise DataError("This Pipeline has no steps: expected one of the rankers at its end.")
        *scalers, (ranker_name, ranker) = estimator.steps
        ranker_part = part_class(ranker, RANKERS, f"The last step {ranker_name!r}")
        return cls(
            parameters=PipelineParameters(verbose=estimator.verbose),
            scaling=[part_class(scaler, SCALERS, f"Step {name!r}").of(scaler, name) for name, scaler in scalers],
            ranker_name=ranker_name,
            ranker=ranker_part.of(ranker),
        )

    def restore(self) -> Any:
        """Make the fitted Pipeline again."""
        steps = [(scaler.name, scaler.restore()) for scaler in self.scaling]
        steps.append((self.ranker_name, self.ranker.restore()))
        return self.estimator_class()(steps, verbose=self.parameters.verbose)

    def score(self, X: Matrix) -> FloatArray:
        """Score each row of X as the Pipeline's ``predict`` does."""
        for scaler in self.scaling:
            X = scaler.apply(X)
        return self.ranker.score(X)


def part_class(estimator: Any, kinds: Mapping[str, Any], what: str) -> Any:
    """Find the kind of an estimator; one that a file cannot hold is refused, with the kinds there are."""
    found = kinds.get(type(estimator).__name__)
    # A class of the same name from elsewhere may predict otherwise.
    if found is None or type(estimator) is not found.estimator_class():
        raise DataError(
            f"{what} cannot stand in a model file: expected {', '.join(kinds)}, got {_described(estimator)}."
            f"{_remedy(estimator)}"
        )
    return found


def _described(estimator: Any) -> str:
    if isinstance(estimator, (str, type)) or estimator is None:
        return repr(estimator)
    return f"{type(estimator).__module__}.{type(estimator).__qualname__}"


def _remedy(estimator: Any) -> str:
    if hasattr(estimator, "best_estimator_"):
        return " Save its best_estimator_."
    if hasattr(estimator, "transform"):
        return " Transform the data before fitting, and before ranking."
    return ""
