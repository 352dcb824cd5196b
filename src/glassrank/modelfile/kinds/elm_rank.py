"""ELMRank in a model file."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import FiniteFloat, model_validator

from glassrank.core.checks import DataError
from glassrank.core.nodes.hidden_nodes import DTYPES
from glassrank.core.nodes.least_squares import NormalEquations
from glassrank.modelfile.codec.model_part import FittedValues, fitted_value
from glassrank.modelfile.codec.values import (
    Count,
    FloatVector,
    PositiveNumber,
    Strict,
    Texts,
    check_size,
    check_that,
)
from glassrank.modelfile.kinds.random_nodes import DtypeName, NodeParameters, NodeRankerPart


class ELMRankParameters(NodeParameters):
    """Parameters of ``ELMRank``."""

    alpha: PositiveNumber


class ELMRankTraining(FittedValues):
    """Results of training an ``ELMRank``."""

    renamed: ClassVar[Mapping[str, str]] = {"n_rows": "_n_rows"}

    n_queries: Count
    n_rows: PositiveNumber
    objective: FiniteFloat


class EquationsPart(Strict):
    """Sums over the training data that ``partial_fit`` continues from; ``gram`` is stored as its lower triangle."""

    gram: FloatVector
    right: FloatVector
    target_square: FiniteFloat
    normaliser: FiniteFloat
    dtype: DtypeName

    @model_validator(mode="after")
    def _sizes_agree(self) -> Self:
        n_nodes = len(self.right)
        check_size("gram", self.gram, n_nodes * (n_nodes + 1) // 2, "pair of nodes")
        check_that(self.normaliser >= 0, "normaliser must not be negative")
        return self

    @classmethod
    def of(cls, equations: NormalEquations) -> Self:
        """Extract the values, with the lower triangle of ``gram`` row by row."""
        gram = equations.gram
        if not np.array_equal(gram, gram.T, equal_nan=True):
            raise DataError("The normal equations of this ELMRank are not symmetric.", remedy="Fit it again.")
        return cls.model_validate(
            {
                "gram": gram[_lower_triangle(len(gram))],
                "right": equations.right,
                "target_square": equations.target_square,
                "normaliser": equations.normaliser,
                "dtype": equations.dtype.name,
            }
        )

    def restore(self) -> NormalEquations:
        """Rebuild the equations."""
        n_nodes = len(self.right)
        lower = np.zeros((n_nodes, n_nodes))
        lower[_lower_triangle(n_nodes)] = self.gram
        gram = lower + np.tril(lower, -1).T
        return NormalEquations(gram, self.right, self.target_square, self.normaliser, np.dtype(DTYPES[self.dtype]))


def _lower_triangle(size: int) -> Any:
    return np.tri(size, dtype=bool)


class ELMRankPart(NodeRankerPart):
    """A fitted ``ELMRank``; ``partial_fit`` needs the names of the queries it has seen."""

    kind: Literal["ELMRank"] = "ELMRank"
    parameters: ELMRankParameters
    training: ELMRankTraining
    equations: EquationsPart
    seen_queries: Texts

    @model_validator(mode="after")
    def _equations_fit(self) -> Self:
        check_size("equations.right", self.equations.right, len(self.coefficients), "coefficient")
        return self

    @classmethod
    def estimator_class(cls) -> type:
        from glassrank.ranking.elm_rank import ELMRank

        return ELMRank

    @classmethod
    def _learned_by(cls, estimator: Any) -> dict[str, Any]:
        learned = super()._learned_by(estimator)
        return {
            **learned,
            "equations": EquationsPart.of(fitted_value(estimator, "normal_equations_")),
            "seen_queries": sorted(fitted_value(estimator, "_seen_queries")),
        }

    def _learned(self) -> dict[str, Any]:
        return {
            **super()._learned(),
            "normal_equations_": self.equations.restore(),
            "_seen_queries": set(self.seen_queries),
        }
