"""Decision functions of navigational classifiers in a model file, as plain arrays."""

from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field, FiniteFloat, model_validator

from glassrank.core.checks import DataError
from glassrank.modelfile.codec.values import FloatVector, IntVector, PositiveNumber, Strict, check_size, check_that
from glassrank.navigational import decisions

LEAF = decisions.LEAF


class LinearPart(Strict):
    """A straight line per column."""

    kind: Literal["linear"] = "linear"
    slopes: FloatVector
    constant: FiniteFloat

    def check_columns(self, n_columns: int) -> None:
        """Raise an error if the sizes of the vectors do not match the number of columns."""
        check_size("decision.slopes", self.slopes, n_columns, "column")

    def restore(self) -> decisions.LinearDecision:
        """Rebuild the decision."""
        return decisions.LinearDecision(self.slopes, self.constant)


class RampPart(Strict):
    """A ramp per column."""

    kind: Literal["ramps"] = "ramps"
    lows: FloatVector
    widths: FloatVector
    rises: FloatVector
    constant: FiniteFloat

    def check_columns(self, n_columns: int) -> None:
        """Raise an error if the sizes of the vectors do not match the number of columns."""
        for name in ("lows", "widths", "rises"):
            check_size(f"decision.{name}", getattr(self, name), n_columns, "column")
        check_that(bool((self.widths > 0).all()), "decision.widths must be above 0: values are divided by them")

    def restore(self) -> decisions.RampDecision:
        """Rebuild the decision."""
        return decisions.RampDecision(self.lows, self.widths, self.rises, self.constant)


class IntervalsPart(Strict):
    """A step function per column; cuts and levels of all columns are concatenated."""

    kind: Literal["intervals"] = "intervals"
    n_cuts: IntVector
    cuts: FloatVector
    levels: FloatVector
    constant: FiniteFloat

    def check_columns(self, n_columns: int) -> None:
        """Raise an error if the sizes of the vectors do not match the number of columns."""
        check_size("decision.n_cuts", self.n_cuts, n_columns, "column")
        check_that(bool((self.n_cuts >= 0).all()), "decision.n_cuts must not be below 0")
        check_size("decision.cuts", self.cuts, int(self.n_cuts.sum()), "cut")
        check_size("decision.levels", self.levels, int(self.n_cuts.sum()) + n_columns, "interval")
        first = np.zeros(len(self.cuts), dtype=bool)
        starts = np.cumsum(self.n_cuts) - self.n_cuts
        first[starts[self.n_cuts > 0]] = True
        rises = np.append(True, np.diff(self.cuts) > 0)[: len(self.cuts)]
        check_that(bool((first | rises).all()), "decision.cuts of a column must be in ascending order")

    def restore(self) -> decisions.StepDecision:
        """Rebuild the decision."""
        return decisions.StepDecision(self.n_cuts, self.cuts, self.levels, self.constant)


class RbfPart(Strict):
    """Support vectors, concatenated."""

    kind: Literal["rbf"] = "rbf"
    centre: FloatVector
    scale: FloatVector
    support: FloatVector
    duals: FloatVector
    gamma: PositiveNumber
    constant: FiniteFloat

    def check_columns(self, n_columns: int) -> None:
        """Raise an error if the sizes of the vectors do not match the number of columns."""
        for name in ("centre", "scale"):
            check_size(f"decision.{name}", getattr(self, name), n_columns, "column")
        check_that(bool((self.scale != 0).all()), "decision.scale must not be 0: values are divided by it")
        check_size("decision.support", self.support, len(self.duals) * n_columns, "support vector and column")

    def restore(self) -> decisions.RbfDecision:
        """Rebuild the decision."""
        support = self.support.reshape(len(self.duals), len(self.centre))
        return decisions.RbfDecision(self.centre, self.scale, support, self.duals, self.gamma, self.constant)


class TreesPart(Strict):
    """The nodes of all trees."""

    kind: Literal["trees"] = "trees"
    roots: IntVector
    features: IntVector
    thresholds: FloatVector
    left: IntVector
    right: IntVector
    values: FloatVector
    constant: FiniteFloat
    single_precision: bool = True

    @model_validator(mode="after")
    def _nodes_fit(self) -> Self:
        n_nodes, places = len(self.features), np.arange(len(self.features))
        for name in ("thresholds", "left", "right", "values"):
            check_size(f"decision.{name}", getattr(self, name), n_nodes, "node")
        check_that(bool(((self.roots >= 0) & (self.roots < n_nodes)).all()), "decision.roots must be nodes")
        check_that(bool(((self.left == LEAF) == (self.right == LEAF)).all()), "a node must have both children or none")
        # Children come after their parent, so that a traversal always ends.
        for child in (self.left, self.right):
            inside = (child == LEAF) | ((child > places) & (child < n_nodes))
            check_that(bool(inside.all()), "the children of a node must come after it")
        return self

    def check_columns(self, n_columns: int) -> None:
        """Raise an error for nodes that use columns that do not exist."""
        inside = (self.features >= 0) & (self.features < n_columns)
        check_that(bool(inside.all()), f"decision.features must be columns from 0 to {n_columns - 1}")

    def restore(self) -> decisions.TreesDecision:
        """Rebuild the decision."""
        nodes = (self.roots, self.features, self.thresholds, self.left, self.right, self.values)
        return decisions.TreesDecision(*nodes, self.constant, self.single_precision)


AnyPart = LinearPart | RampPart | IntervalsPart | RbfPart | TreesPart
AnyDecision = Annotated[AnyPart, Field(discriminator="kind")]


def describe_decision(decision: Any) -> AnyPart:
    """Extract the arrays of a decision function, which must be that of a registered classifier."""
    found = _PARTS.get(type(decision))
    if found is None:
        known = ", ".join(kind.__name__ for kind in _PARTS)
        raise DataError(
            f"This decision cannot be stored in a model file: expected {known}, got {type(decision).__name__}.",
            remedy="Fit NavigationalClassifier with a coupling of the registered classifiers.",
        )
    values = dict(vars(decision))
    if "support" in values:
        values["support"] = values["support"].ravel()
    part: AnyPart = found(**values)
    return part


_PARTS: dict[type, Any] = {
    decisions.LinearDecision: LinearPart,
    decisions.RampDecision: RampPart,
    decisions.StepDecision: IntervalsPart,
    decisions.RbfDecision: RbfPart,
    decisions.TreesDecision: TreesPart,
}
