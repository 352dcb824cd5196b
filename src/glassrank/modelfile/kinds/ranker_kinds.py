"""The list of rankers that a model file can store; add new kinds here."""

from typing import get_args

from glassrank.modelfile.codec.model_part import RankerPart
from glassrank.modelfile.kinds.additive_svc import AdditiveSVCPart
from glassrank.modelfile.kinds.elm_rank import ELMRankPart
from glassrank.modelfile.kinds.elm_rank_cv import ELMRankCVPart
from glassrank.modelfile.kinds.given_curves import AdditiveRankerPart
from glassrank.modelfile.kinds.kernel_least_squares import KernelLeastSquaresPart
from glassrank.modelfile.kinds.navigational_classifier import NavigationalPart
from glassrank.modelfile.kinds.pairwise import PairwiseRankerPart
from glassrank.modelfile.kinds.rank_svm import RankSVMPart
from glassrank.modelfile.kinds.rank_svm_cv import RankSVMCVPart
from glassrank.modelfile.kinds.single_feature import BestSingleFeaturePart
from glassrank.modelfile.kinds.sklearn_models.bayes_models import (
    BernoulliNBPart,
    CategoricalNBPart,
    GaussianNBPart,
    MultinomialNBPart,
)
from glassrank.modelfile.kinds.sklearn_models.linear_models import FittedLinearPart

Ranker = (
    BestSingleFeaturePart
    | RankSVMPart
    | RankSVMCVPart
    | ELMRankPart
    | ELMRankCVPart
    | KernelLeastSquaresPart
    | PairwiseRankerPart
    | AdditiveRankerPart
    | AdditiveSVCPart
    | NavigationalPart
    | FittedLinearPart
    | GaussianNBPart
    | MultinomialNBPart
    | BernoulliNBPart
    | CategoricalNBPart
)

RANKERS: dict[str, type[RankerPart]] = {name: part for part in get_args(Ranker) for name in part.kind_names()}
