"""A model's scores and effects on the documents of a comparison."""

from dataclasses import dataclass
from typing import Any

from glassrank.core.additive.effects import AdditiveEffects
from glassrank.core.checks import DataError, FloatArray
from glassrank.data.ranking_data import RankingData
from glassrank.nomograms.adapters.effects_on_data import effects_on
from glassrank.nomograms.named_effects import known_names


@dataclass(frozen=True, eq=False)
class ScoredModel:
    """A model with its effects on every document; the effects of a document add up to its score."""

    name: str
    effects: AdditiveEffects
    contributions: FloatArray
    """Documents × features of the model."""
    scores: FloatArray

    @classmethod
    def of(cls, name: str, model: Any, data: RankingData) -> "ScoredModel":
        """Return the scores and effects of a model, which takes its features from the data by name."""
        names = known_names(model)
        if names is not None and set(names) <= set(data.feature_names):
            data = data.pick_features(list(names))
        effects, coded = effects_on(model, data)
        if effects.subject != "utility":
            what = "a classifier" if effects.subject == "class" else "a model of differences"
            raise DataError(
                f"Models are compared by the scores of their documents: {name} is {what}, which has none.",
                remedy="Compare rankers that score each document.",
            )
        contributions = effects.contributions(coded.X)
        return cls(name, effects, contributions, effects.intercept + contributions.sum(axis=1))
