"""The kinds of rankers that a model file may hold: the one list to which a new kind is added."""

from typing import Annotated, get_args

from pydantic import Field

from glassrank.modelfile.part import RankerPart
from glassrank.modelfile.rank_svm import RankSVMPart
from glassrank.modelfile.single_feature import BestSingleFeaturePart

Ranker = BestSingleFeaturePart | RankSVMPart

AnyRanker = Annotated[Ranker, Field(discriminator="kind")]
RANKERS: dict[str, type[RankerPart]] = {part.kind_name(): part for part in get_args(Ranker)}
