"""ELMRankCV in a model file."""

from typing import Annotated, Any, Literal

from pydantic import FiniteFloat

from glassrank.modelfile.codec.model_part import FittedValues, fitted_value
from glassrank.modelfile.codec.parameters import Alphas, folds
from glassrank.modelfile.codec.values import PositiveCount, PositiveNumber
from glassrank.modelfile.kinds.random_nodes import NodeParameters, NodeRankerPart
from glassrank.modelfile.kinds.search_table import PathPart


class ELMRankCVParameters(NodeParameters):
    """Parameters of ``ELMRankCV``."""

    alphas: Alphas
    cv: Annotated[Any, folds("leave-query-out")]
    scoring: str
    convention: str


class ELMRankCVTraining(FittedValues):
    """The choice that an ``ELMRankCV`` made."""

    n_queries: PositiveCount
    best_score: FiniteFloat
    alpha: PositiveNumber


class ELMRankCVPart(NodeRankerPart):
    """A fitted ``ELMRankCV``: the table of its search, the nodes and their weights."""

    kind: Literal["ELMRankCV"] = "ELMRankCV"
    parameters: ELMRankCVParameters
    training: ELMRankCVTraining
    path: PathPart

    @classmethod
    def estimator_class(cls) -> type:
        from glassrank.ranking.elm_rank_cv import ELMRankCV

        return ELMRankCV

    @classmethod
    def _learned_by(cls, estimator: Any) -> dict[str, Any]:
        return {
            **super()._learned_by(estimator),
            "path": PathPart.of(fitted_value(estimator, "cv_results_"), "alpha"),
        }

    def _learned(self) -> dict[str, Any]:
        return {**super()._learned(), "cv_results_": self.path.results("alpha")}
