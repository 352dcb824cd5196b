"""AdditiveRanker in a model file: curves that another tool has trained."""

from dataclasses import replace
from functools import cached_property
from typing import Any, Literal, Self

from pydantic import FiniteFloat, model_validator

from glassrank.core.additive.categories import NUMBERED
from glassrank.core.additive.curves import coding_of
from glassrank.core.checks import FloatArray
from glassrank.core.feature_kinds import CATEGORY, PLAIN, FeatureKind
from glassrank.modelfile.codec.model_part import RankerPart, inputs_of
from glassrank.modelfile.codec.values import Strict, Texts, check_size, check_that
from glassrank.modelfile.kinds.curve_parts import CurvePart, InteractionPart, curve_part
from glassrank.ranking.tree_rankers import BoostedTrees, library_of


class AdditiveRankerParameters(Strict):
    """An ``AdditiveRanker`` has no parameters: it is not trained."""


class AdditiveRankerPart(RankerPart):
    """The curve of each feature, what two features add together, and the names of categories."""

    kind: Literal["AdditiveRanker"] = "AdditiveRanker"
    parameters: AdditiveRankerParameters
    constant: FiniteFloat
    curves: list[CurvePart]
    categories: list[Texts]
    """Names of the categories of each feature, empty for numbers; [] if all features are numbers."""
    interactions: list[InteractionPart]

    @model_validator(mode="after")
    def _features_fit(self) -> Self:
        check_size("curves", self.curves, self.n_features, "feature")
        if self.categories:
            check_size("categories", self.categories, self.n_features, "feature")
        for both in self.interactions:
            inside = both.first < both.second < self.n_features
            check_that(inside, f"an interaction needs two features from 0 to {self.n_features - 1}, in order")
        return self

    @classmethod
    def estimator_class(cls) -> type:
        from glassrank.nomograms.additive_ranker import AdditiveRanker

        return AdditiveRanker

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Extract the curves."""
        terms = estimator.terms
        return cls(
            **inputs_of(estimator),
            parameters=AdditiveRankerParameters(),
            constant=terms.constant,
            curves=[curve_part(curve) for curve in terms.curves],
            categories=[list(names) for names in terms.categories],
            interactions=[InteractionPart.of(both) for both in terms.interactions],
        )

    def restore(self) -> Any:
        """Rebuild the ranker."""
        return self._ranker

    @cached_property
    def _ranker(self) -> Any:
        from glassrank.nomograms.adapters.terms import Terms

        made: Any = self.estimator_class()
        return made(
            Terms(
                tuple(curve.restore() for curve in self.curves),
                self.constant,
                None if self.feature_names is None else tuple(self.feature_names),
                categories=tuple(map(tuple, self.categories)),
                interactions=tuple(both.restore() for both in self.interactions),
            )
        )

    @property
    def is_additive(self) -> bool:
        """Whether the score is a sum of one function per feature: not if some features act together."""
        return not self.interactions

    @property
    def takes_missing(self) -> bool:
        """Whether the ranker has a rule for missing values: its curves say what they do."""
        return True

    @cached_property
    def kinds(self) -> tuple[FeatureKind, ...]:
        """Kind of each feature; categories that are known by code only are numbers."""
        named = [() if coding_of(curve) == NUMBERED else names for curve, names in self._named_curves()]
        return tuple(FeatureKind(CATEGORY, names) if names else PLAIN for names in named)

    def _named_curves(self) -> Any:
        terms = self._ranker.terms
        return ((curve, terms.categories_of(k)) for k, curve in enumerate(terms.curves))

    def score(self, X: Any) -> FloatArray:
        """Score each row of X like ``AdditiveRanker.predict``."""
        scores: FloatArray = self._ranker.predict(X)
        return scores


def storable(model: Any, feature_names: Any = None) -> Any:
    """Return a ranker of LightGBM or XGBoost as an ``AdditiveRanker``, which a file can store; others unchanged.

    Trees that combine three or more features cause an error. Names are taken as given if they are the model's own:
    LightGBM replaces spaces in them.
    """
    if library_of(model) is None or type(model).__name__.endswith("Classifier"):
        return model
    from glassrank.nomograms.additive_ranker import AdditiveRanker

    ranker = AdditiveRanker.of(model)
    if feature_names is None or isinstance(feature_names, str):
        return ranker
    given = tuple(map(str, feature_names))
    if BoostedTrees.of(model).names_in(given) != given:
        return ranker
    return AdditiveRanker(replace(ranker.terms, names=given))
