"""explain_pair(): why one document ranks above another, in numbers."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from glassrank.core.additive.categories import level_name
from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.core.additive.effects import AdditiveEffects, FeatureEffect
from glassrank.core.additive.flip import flip_value
from glassrank.core.additive.interactions import effect_along
from glassrank.core.checks import DataError, FloatArray
from glassrank.core.frames import make_frame
from glassrank.core.input_types import Estimator, Frame, Identifier
from glassrank.core.setting import setting
from glassrank.core.sigmoid import Sigmoid
from glassrank.data.ranking_data import RankingData
from glassrank.nomograms.adapters.effects_on_data import effects_on
from glassrank.nomograms.adapters.terms import NotAdditiveError
from glassrank.nomograms.compared_pair import ComparedDocument, ComparedPair, compare_pair
from glassrank.nomograms.correlated_features import CORRELATED, Grouping, feature_groups
from glassrank.nomograms.group_contributions import (
    GroupContribution,
    as_reasons,
    group_columns,
    group_contributions,
    group_of,
)
from glassrank.nomograms.named_effects import with_units
from glassrank.nomograms.pair_text import pair_text
from glassrank.nomograms.tree_attributions import AttributedPair, attribute_pair

LEVEL = 0.95
MAX_ROWS = 20


@dataclass(frozen=True)
class FeatureContribution:
    """What one feature adds to the difference A − B, and the values of it at which A and B would tie."""

    name: str
    unit: str
    value_a: float | None
    """Value of A; None for an interaction, which depends on two values."""
    value_b: float | None
    contribution: float
    """Effect of A's value minus the effect of B's. Positive contributions favour A."""
    error: float | None
    """Bootstrap standard error of the contribution; None without samples."""
    flip_a: float | None
    """Value of A, nearest to its actual one, at which A and B would tie; None if there is no such value."""
    flip_b: float | None
    """The same for B."""
    categories: tuple[str, ...] = ()
    """Names of the values 0, 1, 2 …; empty for numbers."""


@dataclass(frozen=True, eq=False, repr=False)
class PairExplanation:
    """Documents A and B of a query; ``offset`` and the contributions of the features add up to ``total``, A − B."""

    query: str
    a: ComparedDocument
    b: ComparedDocument
    features: tuple[FeatureContribution, ...]
    """In the model's order."""
    total: float
    unit: str
    """Unit of contributions and total: ``"score"``, or ``"log-odds"`` if the model gives probabilities."""
    probability: float | None
    """P(A above B), given that the two differ in relevance; None for unit ``"score"``."""
    interval: tuple[float, float] | None
    """95 % bootstrap interval of the total; None without samples."""
    probability_interval: tuple[float, float] | None
    source: "ExplainedPair" = field(repr=False)
    """The arguments of ``explain_pair``."""
    interactions: tuple[FeatureContribution, ...] = ()
    """What two features add together, beyond the contribution of each; named such as ``"price × rating"``."""
    attribution: str = ""
    """How a model that is not additive splits the total between the features; empty for additive models."""
    groups: tuple[GroupContribution, ...] = ()
    """Features that move together, with the sum of their contributions."""
    offset: float = 0.0
    """Output for two equal documents: 0, except in a model of differences that is not antisymmetric."""
    antisymmetric: bool = True
    """Whether P(A above B) and P(B above A) add up to 1."""

    @property
    def reasons(self) -> "tuple[FeatureContribution | GroupContribution, ...]":
        """Groups, interactions and features that are in no group, the largest contribution first."""
        return as_reasons((*self.features, *self.interactions), self.groups)

    @property
    def by_size(self) -> tuple[FeatureContribution, ...]:
        """Features and interactions by absolute contribution, the largest first; equal ones in the model's order."""
        return tuple(sorted((*self.features, *self.interactions), key=lambda feature: -abs(feature.contribution)))

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__

    def to_text(self, most_rows: int = MAX_ROWS) -> str:
        """Return the explanation as text for a terminal; features beyond ``most_rows`` share one line."""
        return pair_text(self, most_rows)

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with one row per feature, the largest contribution first."""
        rows = [_columns(feature) | {"group": group_of(feature.name, self.groups)} for feature in self.by_size]
        return make_frame({column: [row[column] for row in rows] for column in rows[0]}, backend)

    def to_json(self) -> str:
        """Return the whole explanation as JSON, the feature with the largest contribution first."""
        documents = {place: _document(one) for place, one in (("a", self.a), ("b", self.b))}
        return json.dumps(
            {
                "query": self.query,
                **documents,
                "unit": self.unit,
                "total": self.total,
                "offset": self.offset,
                "antisymmetric": self.antisymmetric,
                "interval": self.interval,
                "probability": self.probability,
                "probability_interval": self.probability_interval,
                "attribution": self.attribution or None,
                "features": [_columns(feature) for feature in self.by_size],
                "groups": [group_columns(group) for group in self.groups],
            }
        )

    def nomogram(self, **options: Any) -> Any:
        """Draw the same pair as a nomogram; the options are those of ``glassrank.nomogram``."""
        from glassrank.nomograms.figure.nomogram import nomogram

        pair = self.source
        known = {"query": pair.query, "document": pair.document, "against": pair.against, "samples": pair.samples}
        return nomogram(pair.model, pair.data, **{**known, "units": pair.units, "groups": pair.groups, **options})


@dataclass(frozen=True, eq=False)
class ExplainedPair:
    """The arguments of ``explain_pair``, kept to draw the same pair as a nomogram."""

    model: Any
    data: RankingData
    query: Any
    document: Any
    against: Any
    samples: EffectSamples | None
    units: Mapping[str, str]
    groups: Grouping


def explain_pair(
    model: Estimator,
    data: RankingData,
    *,
    query: Identifier,
    document: str | int,
    against: str | int,
    samples: EffectSamples | None = None,
    units: Mapping[str, str] | None = None,
    groups: Grouping = CORRELATED,
) -> PairExplanation:
    """Explain why ``document`` (A) ranks above or below ``against`` (B) in a query.

    Feature k contributes e_k(a_k) − e_k(b_k), the difference of its effects, or e_k(a_k − b_k) in a model of
    differences. The contributions add up to the total exactly, together with the ``offset`` of a model of differences
    that is not antisymmetric. If the model gives probabilities, P(A above B) = 1/(1 + exp(−total)). The flip value of
    a feature is the value nearest to the actual one at which the total would be 0, all else equal, within the range of
    the data.
    ``samples`` of the model's effects add standard errors and a 95 % interval. ``units`` are shown by feature name.

    Features that are strongly correlated within queries are grouped, because their single signs mean little: see
    ``correlated_features``. Name the groups yourself, such as ``groups={"text match": ["bm25", "tf-idf"]}``, or set
    ``groups="none"``. ``reasons`` has the sums of the groups, ``features`` has every feature.

    Trees of two features have interactions, which are contributions of their own. Deeper trees of LightGBM and XGBoost
    are explained by the contributions that these libraries compute (TreeSHAP). They add up to the difference as well,
    but how they split it between the features is not unique. They have no flip values.

    >>> import glassrank as gr
    >>> X, names = [[10.0, 1.0], [0.0, 4.0], [5.0, 2.0], [6.0, 2.0]], ["clicks", "spam"]
    >>> data = gr.RankingData(X, [2, 0, 1, 1], ["q"] * 4, ["d1", "d2", "d3", "d4"], names)
    >>> model = gr.RankSVM().fit(data)
    >>> why = explain_pair(model, data, query="q", document="d1", against="d3")
    >>> [feature.name for feature in why.by_size], bool(why.total > 0)
    (['clicks', 'spam'], True)
    """
    source = ExplainedPair(model, data, query, document, against, samples, units or {}, groups)
    try:
        model_effects, coded = effects_on(model, data, query)
    except NotAdditiveError:
        attributed = attribute_pair(model, data, query, document, against)
        if attributed is None:
            raise
        return _explain_attributed(attributed, source)
    model_effects = with_units(model_effects, units or {})
    if model_effects.subject == "class":
        raise DataError(
            f"Only a ranker compares two documents: got a classifier, {type(model).__name__}.",
            remedy=f"Explain one document: {setting('explain_document')}.",
        )
    pair = compare_pair(model_effects, coded, query, document, against)
    errors, interval = _uncertainty(samples, pair)
    spread = [None] * len(pair.contributions) if errors is None else errors.tolist()
    n_features = len(model_effects.features)
    known = model_effects.unit == "log-odds"
    ends = None if interval is None or not known else model_effects.probability(np.array(interval))
    return PairExplanation(
        query=pair.query,
        a=pair.a,
        b=pair.b,
        features=tuple(explain_feature(model_effects, pair, k, spread[k]) for k in range(n_features)),
        total=pair.difference,
        unit=model_effects.unit,
        probability=float(model_effects.probability(np.array(pair.difference))) if known else None,
        interval=interval,
        probability_interval=None if ends is None else (float(ends[0]), float(ends[1])),
        source=source,
        interactions=tuple(
            _together(name, float(pair.contributions[n_features + place]), spread[n_features + place])
            for place, name in enumerate(model_effects.interaction_names)
        ),
        groups=group_contributions(
            feature_groups(groups, data, model_effects.subject),
            model_effects.names,
            pair.contributions,
            None if samples is None else _replicates(samples, pair),
        ),
        offset=pair.offset,
        antisymmetric=model_effects.antisymmetric,
    )


def _together(name: str, contribution: float, error: float | None) -> FeatureContribution:
    return FeatureContribution(name, "", None, None, contribution, error, None, None)


def _explain_attributed(found: AttributedPair, source: ExplainedPair) -> PairExplanation:
    """Explain a pair by the attributions of a model that is not additive, without tie values and intervals."""
    pair, names = found.pair, source.data.feature_names
    if source.samples is not None:
        raise DataError(
            f"Resampled effects need an additive model: {found.attribution} has none.",
            remedy=f"Leave out {setting('samples')}.",
        )
    values = zip(names, pair.a.values, pair.b.values, pair.contributions, found.categories, strict=True)
    features = tuple(
        FeatureContribution(name, source.units.get(name, ""), a, b, float(own), None, None, None, levels)
        for name, a, b, own, levels in values
    )
    probability = float(Sigmoid(-1.0)(np.array(pair.difference))) if found.unit == "log-odds" else None
    return PairExplanation(
        pair.query,
        pair.a,
        pair.b,
        features,
        pair.difference,
        found.unit,
        probability,
        None,
        None,
        source,
        attribution=found.attribution,
        groups=group_contributions(feature_groups(source.groups, source.data, "utility"), names, pair.contributions),
    )


def _uncertainty(
    samples: EffectSamples | None, pair: ComparedPair
) -> tuple[FloatArray | None, tuple[float, float] | None]:
    if samples is None:
        return None, None
    A, B = pair.a.values[None, :], pair.b.values[None, :]
    low, high = samples.interval(A, B, level=LEVEL)
    return samples.difference_errors(A, B)[0], (float(low[0]), float(high[0]))


def _replicates(samples: EffectSamples, pair: ComparedPair) -> list[FloatArray]:
    """Return the contributions in each resampled model."""
    return [one.differences(pair.a.values[None], pair.b.values[None])[0] for one in samples.replicates]


def explain_feature(
    model_effects: AdditiveEffects, pair: ComparedPair, k: int, error: float | None = None
) -> FeatureContribution:
    """Return what feature k adds to a compared pair, and the values of it at which the two would tie."""
    effect = model_effects.features[k]
    a, b = float(pair.a.values[k]), float(pair.b.values[k])
    if model_effects.subject == "difference":
        flip_a, flip_b = _flips_of_difference(effect, a, b, pair.difference)
    else:
        of_a, of_b = (effect_along(model_effects, k, one.values) for one in (pair.a, pair.b))
        flip_a, flip_b = _flip_of_utility(of_a, a, b, -pair.difference), _flip_of_utility(of_b, b, a, pair.difference)
    contribution = float(pair.contributions[k])
    return FeatureContribution(
        effect.name, effect.unit, a, b, contribution, error, flip_a, flip_b, categories=effect.categories
    )


def _flip_of_utility(effect: FeatureEffect, value: float, other: float, change: float) -> float | None:
    """Return the value of one document that would change its effect by ``change``; ``other`` is the other's value."""
    ends = [effect.low, effect.high, value, other]
    line = replace(effect, low=float(np.nanmin(ends)), high=float(np.nanmax(ends)))
    return flip_value(line, value, float(effect(np.array([value]))[0]) + change)


def _flips_of_difference(effect: FeatureEffect, a: float, b: float, total: float) -> tuple[float | None, float | None]:
    """Return the values of A and of B that would reduce the effect of a − b by the total."""
    difference = a - b
    flip = flip_value(effect, difference, float(effect(np.array([difference]))[0]) - total)
    return (None, None) if flip is None else (b + flip, a - flip)


def _columns(feature: FeatureContribution) -> dict[str, Any]:
    """Return one row of the table, with the names of categories; a missing value is None."""
    columns = {name: value for name, value in asdict(feature).items() if name != "categories"}
    for name in ("value_a", "value_b", "flip_a", "flip_b"):
        value = columns[name]
        if value is None or math.isnan(value):
            columns[name] = None
        elif feature.categories:
            columns[name] = level_name(feature.categories, value)
    return {"feature": columns.pop("name"), **columns}


def _document(document: ComparedDocument) -> dict[str, Any]:
    names = ("name", "rank", "n_documents", "score", "label")
    return {name: getattr(document, name) for name in names}
