"""The kinds of rankers that a model file may hold by themselves: the one list to which a new kind is added."""

from typing import get_args

from glassrank.modelfile.additive_svc import AdditiveSVCPart
from glassrank.modelfile.elm_rank import ELMRankPart
from glassrank.modelfile.elm_rank_cv import ELMRankCVPart
from glassrank.modelfile.kernel_least_squares import KernelLeastSquaresPart
from glassrank.modelfile.navigational import NavigationalPart
from glassrank.modelfile.pairwise import PairwiseRankerPart
from glassrank.modelfile.part import RankerPart
from glassrank.modelfile.rank_svm import RankSVMPart
from glassrank.modelfile.rank_svm_cv import RankSVMCVPart
from glassrank.modelfile.single_feature import BestSingleFeaturePart

Ranker = (
    BestSingleFeaturePart
    | RankSVMPart
    | RankSVMCVPart
    | ELMRankPart
    | ELMRankCVPart
    | KernelLeastSquaresPart
    | PairwiseRankerPart
    | AdditiveSVCPart
    | NavigationalPart
)

RANKERS: dict[str, type[RankerPart]] = {part.kind_name(): part for part in get_args(Ranker)}
