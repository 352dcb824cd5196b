"""The list of steps that a model file can store before a ranker; add new kinds here."""

from typing import Annotated, get_args

from pydantic import Field

from glassrank.modelfile.kinds.feature_transformer import FeatureTransformerPart
from glassrank.modelfile.kinds.scalers import (
    MaxAbsScalerPart,
    MinMaxScalerPart,
    RobustScalerPart,
    ScalerPart,
    StandardScalerPart,
)

_Steps = FeatureTransformerPart | StandardScalerPart | RobustScalerPart | MaxAbsScalerPart | MinMaxScalerPart
Step = Annotated[_Steps, Field(discriminator="kind")]
STEPS: dict[str, type[ScalerPart]] = {part.kind_name(): part for part in get_args(_Steps)}
