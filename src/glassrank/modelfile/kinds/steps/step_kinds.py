"""The list of steps that a model file can store before a ranker, and those that contain other steps."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, Literal, Self, get_args

import numpy as np
from pydantic import Field, model_validator
from scipy import sparse

from glassrank.core.checks import DataError, Matrix
from glassrank.core.feature_kinds import CATEGORY, PLAIN, FeatureKind, FeatureTable, kinds_of, values_of
from glassrank.modelfile.codec.model_part import fitted_value, inputs_of, parameters_of, part_class
from glassrank.modelfile.codec.values import Number, Strict, check_that
from glassrank.modelfile.kinds.steps.category_encoders import OneHotEncoderPart, OrdinalEncoderPart
from glassrank.modelfile.kinds.steps.chosen_columns import ChosenColumns
from glassrank.modelfile.kinds.steps.column_selectors import (
    SelectKBestPart,
    SelectPercentilePart,
    VarianceThresholdPart,
)
from glassrank.modelfile.kinds.steps.feature_transformer import FeatureTransformerPart
from glassrank.modelfile.kinds.steps.function_transformer import FunctionTransformerPart
from glassrank.modelfile.kinds.steps.nonlinear_transformers import (
    PowerTransformerPart,
    QuantileTransformerPart,
    SplineTransformerPart,
)
from glassrank.modelfile.kinds.steps.scalers import (
    MaxAbsScalerPart,
    MinMaxScalerPart,
    RobustScalerPart,
    StandardScalerPart,
)
from glassrank.modelfile.kinds.steps.simple_imputer import MissingIndicatorPart, SimpleImputerPart
from glassrank.modelfile.kinds.steps.step_chains import (
    NoStepParameters,
    PassthroughPart,
    apply_steps,
    check_chain,
    check_portable,
    kinds_before,
)
from glassrank.modelfile.kinds.steps.step_part import StepPart, as_dense

MAX_STEPS = 16
MAX_TRANSFORMERS = 64


class InnerPipelineParameters(Strict):
    """Parameters of a ``Pipeline`` that do not depend on the machine."""

    verbose: bool


class InnerPipelinePart(StepPart):
    """A Pipeline of steps that is itself a step."""

    kind: Literal["Pipeline"] = "Pipeline"
    parameters: InnerPipelineParameters
    steps: Annotated[list["Step"], Field(min_length=1, max_length=MAX_STEPS)]

    @model_validator(mode="after")
    def _steps_agree(self) -> Self:
        check_chain(self.steps, self.n_features, [step.name for step in self.steps])
        return self

    @property
    def passes_missing(self) -> bool:
        """Whether all steps leave missing values in their columns."""
        return all(step.passes_missing for step in self.steps)

    @property
    def n_outputs(self) -> int:
        """Number of columns of the last step."""
        return self.steps[-1].n_outputs

    @classmethod
    def estimator_class(cls) -> type:
        from sklearn.pipeline import Pipeline

        return Pipeline

    @classmethod
    def of(cls, estimator: Any, name: str = "") -> Self:
        """Extract the steps."""
        check_portable(estimator)
        steps = describe_steps(estimator.steps, None)
        return cls(
            n_features=steps[0].n_features,
            feature_names=steps[0].feature_names,
            name=name,
            output=None,
            parameters=InnerPipelineParameters(verbose=estimator.verbose),
            steps=steps,
        )

    def restore(self) -> Any:
        """Rebuild the Pipeline."""
        return self.estimator_class()([(step.name, step.restore()) for step in self.steps], **dict(self.parameters))

    def kinds_before(self, after: Sequence[FeatureKind]) -> tuple[FeatureKind, ...]:
        """Return the kinds that the first step takes."""
        return kinds_before(self.steps, after)

    def apply(self, X: Any) -> Any:
        """Apply all steps."""
        return apply_steps(self.steps, X)

    def _apply(self, X: Matrix) -> Matrix:
        return self.apply(X)


class ColumnsUse(Strict):
    """One transformer of a ColumnTransformer and its columns; an unused one has no columns, and is not stored."""

    name: str
    use: Literal["step", "passthrough", "drop", "unused"]
    columns: ChosenColumns
    step: "Step | None"

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        fitted = self.use in ("step", "passthrough")
        check_that(fitted == (self.step is not None), "a transformer that is used needs step, and only then")
        return self


class ColumnTransformerParameters(Strict):
    """Parameters of ``ColumnTransformer`` besides its transformers, and ``n_jobs``, which is for the machine to say."""

    sparse_threshold: Number
    transformer_weights: dict[str, Number] | None
    verbose: bool
    verbose_feature_names_out: bool | str


class ColumnTransformerPart(StepPart):
    """Several steps side by side, each of which takes some columns."""

    kind: Literal["ColumnTransformer"] = "ColumnTransformer"
    parameters: ColumnTransformerParameters
    transformers: Annotated[list[ColumnsUse], Field(max_length=MAX_TRANSFORMERS)]
    remainder: ColumnsUse
    sparse_output: bool

    @model_validator(mode="after")
    def _columns_fit(self) -> Self:
        names = [own.name for own in self.transformers]
        check_that(len({*names, "remainder"}) == len(names) + 1, "two transformers have the same name")
        for own in (*self.transformers, self.remainder):
            width = len(self._inputs(own))
            check_that(own.use != "unused" or width == 0, "a transformer with columns is not unused")
            check_that(own.step is None or own.step.n_features == width, f"{own.name!r} must take {width} columns")
        check_that(self.n_outputs > 0, "a ColumnTransformer must make at least one column")
        return self

    def _inputs(self, own: ColumnsUse) -> list[int]:
        return own.columns.numbers(self.n_features, self.feature_names)

    def _used(self) -> Iterator[tuple[ColumnsUse, Any, list[int], slice]]:
        """Yield each transformer that makes columns, its step, its inputs and its outputs."""
        start = 0
        for own in (*self.transformers, self.remainder):
            inputs = self._inputs(own)
            if own.step is not None and inputs:
                made = slice(start, start + own.step.n_outputs)
                yield own, own.step, inputs, made
                start = made.stop

    @property
    def passes_missing(self) -> bool:
        """Whether a missing value stays missing: no, because columns move."""
        return False

    @property
    def n_outputs(self) -> int:
        """Number of columns of all transformers."""
        return sum(step.n_outputs for _, step, _, _ in self._used())

    @classmethod
    def estimator_class(cls) -> type:
        from sklearn.compose import ColumnTransformer

        return ColumnTransformer

    @classmethod
    def of(cls, estimator: Any, name: str = "") -> Self:
        """Extract the fitted transformers and their columns."""
        fitted = {one: step for one, step, _ in fitted_value(estimator, "transformers_")}
        triples = zip(estimator.transformers, estimator._columns, strict=True)
        uses = [_use(one, given, columns, fitted.get(one)) for (one, given, _), columns in triples]
        remainder = _use("remainder", estimator.remainder, estimator._remainder[2], fitted.get("remainder"))
        own = {key: value for key, value in parameters_of(estimator).items() if key in _COLUMN_PARAMETERS}
        return cls(
            **inputs_of(estimator),
            name=name,
            output=getattr(estimator, "_sklearn_output_config", {}).get("transform"),
            parameters=ColumnTransformerParameters(**own),
            transformers=uses,
            remainder=remainder,
            sparse_output=bool(estimator.sparse_output_),
        )

    def restore(self) -> Any:
        """Rebuild the fitted transformer."""
        fitted = [(own.name, _fitted(own), own.columns.restore()) for own in self.transformers]
        rest = self.remainder
        if self._inputs(rest):
            fitted.append((rest.name, _fitted(rest), rest.columns.restore()))
        given = [(own.name, _given(own), own.columns.restore()) for own in self.transformers]
        outputs = {own.name: made for own, _, _, made in self._used()}
        every = (*self.transformers, rest)
        made = self._make(
            self.parameters,
            {"transformers": given, "remainder": _given(rest)},
            transformers_=fitted,
            sparse_output_=self.sparse_output,
            output_indices_={**outputs, **{own.name: slice(0, 0) for own in every if own.name not in outputs}},
            _columns=[columns for _, _, columns in given],
            _transformer_to_input_indices={own.name: self._inputs(own) for own in every},
            _remainder=(rest.name, _given(rest), rest.columns.restore()),
        )
        # The transformers have their own containers already.
        if self.output is not None:
            made._sklearn_output_config = {"transform": self.output}
        return made

    def kinds_before(self, after: Sequence[FeatureKind]) -> tuple[FeatureKind, ...]:
        """Return the kinds that the transformers take."""
        kinds = [PLAIN] * self.n_features
        for _, step, inputs, made in self._used():
            for k, kind in zip(inputs, step.kinds_before(after[made]), strict=True):
                if kind.is_category:
                    kinds[k] = FeatureKind(CATEGORY, tuple(dict.fromkeys((*kinds[k].levels, *kind.levels))))
                elif not kinds[k].is_category:
                    kinds[k] = kind
        return tuple(kinds)

    def apply(self, X: Any) -> Any:
        """Transform a table or matrix like ``ColumnTransformer.transform``."""
        weights = self.parameters.transformer_weights or {}
        parts = [_weighted(step.apply(X[:, inputs]), weights.get(own.name)) for own, step, inputs, _ in self._used()]
        if any(kind.is_category for part in parts for kind in kinds_of(part)):
            return _joined(parts)
        if self.sparse_output:
            return sparse.hstack([sparse.csr_matrix(values_of(part)) for part in parts]).tocsr()
        return np.hstack([as_dense(values_of(part)) for part in parts])

    def _apply(self, X: Matrix) -> Matrix:
        return self.apply(X)


_COLUMN_PARAMETERS = ColumnTransformerParameters.model_fields


def _use(name: str, given: Any, columns: Any, fitted: Any) -> ColumnsUse:
    chosen = ChosenColumns.of(columns)
    empty = not (chosen.by == "slice" or any(value is not False for value in chosen.values))
    if isinstance(given, str) and given == "drop":
        return ColumnsUse(name=name, use="drop", columns=chosen, step=None)
    if empty:
        return ColumnsUse(name=name, use="unused", columns=chosen, step=None)
    step = part_class(fitted, STEPS, f"The transformer {name!r}").of(fitted, name)
    use: Any = "passthrough" if isinstance(given, str) else "step"
    return ColumnsUse(name=name, use=use, columns=chosen, step=step)


def _fitted(own: ColumnsUse) -> Any:
    return "drop" if own.step is None else own.step.restore()


def _given(own: ColumnsUse) -> Any:
    """Return a transformer as it was given, not fitted; one without columns is dropped."""
    from sklearn.base import clone

    if own.use == "passthrough" or own.step is None:
        return "passthrough" if own.use == "passthrough" else "drop"
    return clone(own.step.restore())


def _weighted(X: Any, weight: float | None) -> Any:
    return X if weight is None else values_of(X) * weight


def _joined(parts: Iterable[Any]) -> FeatureTable:
    """Put tables and matrices side by side; the names are only for messages."""
    tables = list(parts)
    kinds = tuple(kind for table in tables for kind in kinds_of(table))
    names = [getattr(table, "names", (f"column {k}" for k in range(table.shape[1]))) for table in tables]
    values = np.hstack([as_dense(values_of(table)) for table in tables])
    return FeatureTable(values, kinds, tuple(name for own in names for name in own))


_Steps = (
    FeatureTransformerPart
    | StandardScalerPart
    | RobustScalerPart
    | MaxAbsScalerPart
    | MinMaxScalerPart
    | SimpleImputerPart
    | MissingIndicatorPart
    | QuantileTransformerPart
    | PowerTransformerPart
    | SplineTransformerPart
    | FunctionTransformerPart
    | OneHotEncoderPart
    | OrdinalEncoderPart
    | VarianceThresholdPart
    | SelectKBestPart
    | SelectPercentilePart
    | PassthroughPart
    | InnerPipelinePart
    | ColumnTransformerPart
)
Step = Annotated[_Steps, Field(discriminator="kind")]
STEPS: dict[str, Any] = {part.kind_name(): part for part in get_args(_Steps) if part is not PassthroughPart}
for _part in (InnerPipelinePart, ColumnsUse, ColumnTransformerPart):
    _part.model_rebuild()


def describe_steps(steps: Sequence[tuple[str, Any]], last: Any) -> list[Any]:
    """Extract the steps of a fitted Pipeline before its last model, which may be None."""
    found = [
        None if step is None or step == "passthrough" else part_class(step, STEPS, f"Step {name!r}").of(step, name)
        for name, step in steps
    ]
    for place in reversed(range(len(found))):
        if found[place] is None:
            after = found[place + 1] if place + 1 < len(found) else None
            before = next(filter(None, reversed(found[:place])), None)
            inputs = None if last is None or after is not None else inputs_of(last)
            found[place] = _passthrough(*steps[place], after, before, inputs)
    return found


def _passthrough(name: str, step: Any, after: Any, before: Any, last: dict[str, Any] | None) -> PassthroughPart:
    """Return a step that does nothing, as wide as the step after it, as the last model, or as the step before it."""
    if after is not None:
        last = {"n_features": after.n_features, "feature_names": after.feature_names}
    elif last is None and before is not None:
        last = {"n_features": before.n_outputs, "feature_names": None}
    elif last is None:
        raise DataError("A Pipeline that only consists of 'passthrough' cannot be stored.", remedy="Leave it out.")
    return PassthroughPart(
        **last,
        name=name,
        output=None,
        parameters=NoStepParameters(),
        is_none=step is None,
    )
