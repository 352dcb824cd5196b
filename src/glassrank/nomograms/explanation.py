"""explain_pair(): why one document ranks above another, in numbers."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from glassrank.core.additive.categories import MISSING, level_name, short_name
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
from glassrank.drawing.numbers import Notation
from glassrank.drawing.text_bars import signed_bar
from glassrank.nomograms.adapters.effects_on_data import effects_on
from glassrank.nomograms.adapters.terms import NotAdditiveError
from glassrank.nomograms.compared_pair import ComparedDocument, ComparedPair, compare_pair
from glassrank.nomograms.named_effects import with_units
from glassrank.nomograms.text_columns import aligned, notation_of
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
    """Documents A and B of a query; the contributions of the features add up to ``total``, the difference A − B."""

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
        rows = [_columns(feature) for feature in self.by_size]
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
                "interval": self.interval,
                "probability": self.probability,
                "probability_interval": self.probability_interval,
                "attribution": self.attribution or None,
                "features": [_columns(feature) for feature in self.by_size],
            }
        )

    def nomogram(self, **options: Any) -> Any:
        """Draw the same pair as a nomogram; the options are those of ``glassrank.nomogram``."""
        from glassrank.nomograms.figure.nomogram import nomogram

        pair = self.source
        known = {"query": pair.query, "document": pair.document, "against": pair.against, "samples": pair.samples}
        return nomogram(pair.model, pair.data, **{**known, "units": pair.units, **options})


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


def explain_pair(
    model: Estimator,
    data: RankingData,
    *,
    query: Identifier,
    document: str | int,
    against: str | int,
    samples: EffectSamples | None = None,
    units: Mapping[str, str] | None = None,
) -> PairExplanation:
    """Explain why ``document`` (A) ranks above or below ``against`` (B) in a query.

    Feature k contributes e_k(a_k) − e_k(b_k), the difference of its effects. The contributions add up to the total
    exactly. If the model gives probabilities, P(A above B) = 1/(1 + exp(−total)). The flip value of a feature is the
    value nearest to the actual one at which the total would be 0, all else equal, within the range of the data.
    ``samples`` of the model's effects add standard errors and a 95 % interval. ``units`` are shown by feature name.

    Trees of two features have interactions, which are contributions of their own. Deeper trees of LightGBM and XGBoost
    are explained by the contributions that these libraries compute (TreeSHAP). They add up to the difference as well,
    but how they split it between the features is not unique. They have no flip values.

    >>> import glassrank as gr
    >>> X, names = [[10.0, 1.0], [0.0, 4.0], [5.0, 2.0], [6.0, 2.0]], ["clicks", "spam"]
    >>> data = gr.RankingData(X, [2, 0, 1, 1], ["q"] * 4, ["d1", "d2", "d3", "d4"], names)
    >>> model = gr.RankSVM().fit(data.X, data.y, qid=data.qid)
    >>> why = explain_pair(model, data, query="q", document="d1", against="d3")
    >>> [feature.name for feature in why.by_size], bool(why.total > 0)
    (['clicks', 'spam'], True)
    """
    source = ExplainedPair(model, data, query, document, against, samples, units or {})
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
        features=tuple(_explain_feature(model_effects, pair, k, spread[k]) for k in range(n_features)),
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
    )


def _uncertainty(
    samples: EffectSamples | None, pair: ComparedPair
) -> tuple[FloatArray | None, tuple[float, float] | None]:
    if samples is None:
        return None, None
    A, B = pair.a.values[None, :], pair.b.values[None, :]
    low, high = samples.interval(A, B, level=LEVEL)
    return samples.difference_errors(A, B)[0], (float(low[0]), float(high[0]))


def _explain_feature(model_effects: AdditiveEffects, pair: ComparedPair, k: int, error: float | None) -> Any:
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


NO_TIE = "–"
TIE = f"tie: the nearest value of this feature alone at which the order would change; {NO_TIE} if there is none."
GIVEN = "given that the two differ in relevance"
NO_PROBABILITY = "P(A above B) is unknown: to get it, wrap the ranker in PairCalibrator before fitting."


def pair_text(explanation: "PairExplanation", most_rows: int) -> str:
    """Format an explanation: the two documents, the total, and the features with the largest contribution first."""
    amount = notation_of([explanation.total, *(feature.contribution for feature in explanation.features)])
    shown = explanation.by_size[:most_rows]
    lines = [f"query {explanation.query}: why A ranks {_relation(explanation.total)} B", ""]
    lines += _documents(explanation)
    lines += ["", *_verdict(explanation, amount), ""]
    lines += _features(shown, amount, with_ties=not explanation.attribution)
    rest = explanation.by_size[most_rows:]
    if rest:
        together = amount(math.fsum(feature.contribution for feature in rest), sign=True)
        count = f"{len(rest)} more {'feature' if len(rest) == 1 else 'features'}"
        lines.append(f"{together.rjust(len('contribution'))}  from {count}")
    return "\n".join([*lines, explanation.attribution or TIE])


def _relation(total: float) -> str:
    return "above" if total > 0 else "below" if total < 0 else "level with"


def _documents(explanation: "PairExplanation") -> list[str]:
    pair = (("A", explanation.a), ("B", explanation.b))
    rows = [("", "document", "rank", "score", "judgement")]
    for place, one in pair:
        rows.append(
            (
                place,
                one.name,
                f"{one.rank} of {one.n_documents}",
                f"{one.score:.4f}".replace("-", "−"),
                f"{one.label:g}",
            )
        )
    return aligned(rows, right={3, 4})


def _verdict(explanation: "PairExplanation", amount: Notation) -> list[str]:
    total = f"A − B = {amount(explanation.total, sign=True)} {explanation.unit}"
    if explanation.interval is not None:
        low, high = explanation.interval
        total += f", 95 % interval [{amount(low, sign=True)}, {amount(high, sign=True)}]"
    if explanation.probability is None:
        return [total, NO_PROBABILITY]
    probability = f"P(A above B) = {explanation.probability:.3f}"
    if explanation.probability_interval is not None:
        low, high = explanation.probability_interval
        probability += f", 95 % interval [{low:.3f}, {high:.3f}]"
    return [total, f"{probability}, {GIVEN}"]


def _features(shown: "tuple[FeatureContribution, ...]", amount: Notation, *, with_ties: bool) -> list[str]:
    largest = max((abs(feature.contribution) for feature in shown), default=0.0)
    with_errors = any(feature.error is not None for feature in shown)
    rows: list[tuple[str, ...]] = [
        ("contribution", "error", "B ← → A", "feature", "A", "B", "tie if A were", "tie if B were")
    ]
    for feature in shown:
        values = ["" if value is None else _value(feature, value) for value in (feature.value_a, feature.value_b)]
        flips = [_value(feature, value) for value in (feature.flip_a, feature.flip_b)]
        error = "" if feature.error is None else f"± {amount(feature.error)}"
        contribution = amount(feature.contribution, sign=True)
        # A contribution that rounds to 0 has neither a sign nor a bar.
        bar = signed_bar(feature.contribution if contribution[0] in "+−" else 0.0, largest)
        name = f"{feature.name} ({feature.unit})" if feature.unit else feature.name
        rows.append((contribution, error, bar, name, *values, *flips))
    if not with_ties:
        rows = [row[:-2] for row in rows]
    if not with_errors:
        rows = [(row[0], *row[2:]) for row in rows]
    first_value = 4 if with_errors else 3
    return aligned(rows, right={0, *range(first_value, len(rows[0]))}, centred={2 if with_errors else 1})


def _value(feature: "FeatureContribution", value: float | None) -> str:
    if value is None:
        return NO_TIE
    if math.isnan(value):
        return MISSING
    if feature.categories:
        return short_name(level_name(feature.categories, value))
    return f"{value:.4g}".replace("-", "−")
