"""FunctionTransformer in a model file: functions of NumPy by name, never code."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import AfterValidator, Field

from glassrank.core.checks import DataError, Matrix
from glassrank.core.feature_kinds import FeatureKind
from glassrank.modelfile.codec.values import Strict, check_that, shown
from glassrank.modelfile.kinds.steps.step_part import StepPart, as_dense

FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: getattr(np, name)
    for name in (
        *("log1p", "expm1", "log", "exp", "log2", "exp2", "log10", "sqrt", "square", "cbrt", "absolute", "sign"),
        *("negative", "reciprocal", "arcsinh", "sinh", "arctan", "tan", "tanh", "arctanh"),
    )
}


def _known(name: str) -> str:
    check_that(name in FUNCTIONS, f"unknown function {shown(name)}: expected {', '.join(FUNCTIONS)}")
    return name


FunctionName = Annotated[str, AfterValidator(_known)]


class FunctionTransformerParameters(Strict):
    """Parameters of ``FunctionTransformer``, with its functions by name; None is the identity."""

    func: FunctionName | None
    inverse_func: FunctionName | None
    # pydantic defines ``validate`` itself.
    validate_input: bool = Field(alias="validate")
    accept_sparse: bool
    check_inverse: bool
    feature_names_out: Literal["one-to-one"] | None
    kw_args: None
    inv_kw_args: None


class FunctionTransformerPart(StepPart):
    """x ↦ f(x) for a function of the table, elementwise."""

    kind: Literal["FunctionTransformer"] = "FunctionTransformer"
    parameters: FunctionTransformerParameters

    @classmethod
    def of(cls, estimator: Any, name: str = "") -> Self:
        """Extract the names of the functions."""
        if estimator.kw_args or estimator.inv_kw_args:
            raise DataError(
                "FunctionTransformer cannot be stored in a model file if its function has further arguments.",
                remedy="Use a function of one argument, or transform the data yourself.",
            )
        functions = {key: _name(getattr(estimator, key)) for key in ("func", "inverse_func")}
        return cls(**cls._common_fields(estimator, name, **functions, kw_args=None, inv_kw_args=None))

    def restore(self) -> Any:
        """Rebuild the transformer with the functions of these names."""
        names = {"func": self.parameters.func, "inverse_func": self.parameters.inverse_func}
        return self._made({key: None if name is None else FUNCTIONS[name] for key, name in names.items()})

    def kinds_before(self, after: Sequence[FeatureKind]) -> tuple[FeatureKind, ...]:
        """Return the same kinds if nothing is changed; functions take numbers."""
        return tuple(after) if self.parameters.func is None else super().kinds_before(after)

    def apply(self, X: Any) -> Any:
        """Apply the function to numbers; the identity takes categories too."""
        return X if self.parameters.func is None else super().apply(X)

    def _apply(self, X: Matrix) -> Matrix:
        with np.errstate(all="ignore"):
            made: Matrix = FUNCTIONS[str(self.parameters.func)](as_dense(X))
        return made


def _name(function: Any) -> str | None:
    if function is None:
        return None
    name = getattr(function, "__name__", "")
    if FUNCTIONS.get(name) is not function:
        raise DataError(
            f"FunctionTransformer({name or repr(function)}) cannot be stored in a model file, which contains no code: "
            f"expected None or a function of NumPy, one of {', '.join(FUNCTIONS)}.",
            remedy="Use one of these, or transform the data yourself before fitting and before ranking.",
        )
    return name
