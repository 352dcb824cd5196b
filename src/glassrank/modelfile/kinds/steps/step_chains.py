"""What all Pipelines in a model file have in common: steps that agree with each other, one after the other."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from glassrank.core.checks import DataError, Matrix, check_known
from glassrank.core.feature_kinds import FeatureKind, values_of
from glassrank.core.setting import setting
from glassrank.modelfile.codec.values import Strict, check_that
from glassrank.modelfile.kinds.steps.step_part import StepPart

# Names that a step of a Pipeline must not have, because they are parameters of Pipeline.
RESERVED_NAMES = ("steps", "memory", "verbose", "transform_input")


class NoStepParameters(Strict):
    """A step that does nothing has no parameters."""


class PassthroughPart(StepPart):
    """A step of a Pipeline that is ``"passthrough"`` or None."""

    kind: Literal["passthrough"] = "passthrough"
    parameters: NoStepParameters
    is_none: bool

    def restore(self) -> Any:
        """Return the word, or None."""
        return None if self.is_none else "passthrough"

    def kinds_before(self, after: Sequence[FeatureKind]) -> tuple[FeatureKind, ...]:
        """Return the same kinds."""
        return tuple(after)

    def apply(self, X: Any) -> Any:
        """Return a table or matrix unchanged."""
        return X

    def _apply(self, X: Matrix) -> Matrix:
        return X


def check_portable(pipeline: Any) -> None:
    """Raise an error if a Pipeline has parameters that a file cannot store."""
    for name in ("memory", "transform_input"):
        if getattr(pipeline, name, None) is not None:
            raise DataError(
                f"A model file cannot store the {name} of a Pipeline: expected None.",
                remedy=f"Call model.set_params({setting(name, None)}).",
            )


def check_chain(steps: Sequence[Any], n_features: int, names: Sequence[str], n_last: int | None = None) -> None:
    """Raise an error unless each step takes as many columns as the one before makes, and names are allowed."""
    check_that(len(set(names)) == len(names), "two steps have the same name")
    usable = all(name and "__" not in name and name not in RESERVED_NAMES for name in names)
    check_that(usable, f"a step has a name that Pipeline does not allow: {', '.join(map(repr, names))}")
    width = n_features
    for step in steps:
        check_that(
            step.n_features == width,
            f"every step must take as many columns as the one before makes, {width}: {step.name!r} takes "
            f"{step.n_features}",
        )
        width = step.n_outputs
    check_that(n_last is None or n_last == width, f"the last step must take {width} columns: got {n_last}")


def kinds_before(steps: Sequence[Any], after: Sequence[FeatureKind]) -> tuple[FeatureKind, ...]:
    """Return the kinds of the columns that the first of several steps takes."""
    for step in reversed(steps):
        after = step.kinds_before(after)
    return tuple(after)


def apply_steps(steps: Iterable[Any], X: Any) -> Any:
    """Transform a table or matrix by several steps, one after the other."""
    for step in steps:
        X = step.apply(X)
        # scikit-learn's steps check what they are given.
        check_known(f"X after step {step.name!r}", values_of(X), "Some feature values are too large for this model.")
    return X
