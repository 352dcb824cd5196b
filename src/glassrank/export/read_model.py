"""read_model(): a fitted model as an ExportModel."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from glassrank.core.additive.curves import (
    ComposedCurve,
    MissingCurve,
    ScaledCurve,
    StepCurve,
    is_linear,
    is_of_codes,
    scale_curve,
)
from glassrank.core.additive.effects import Curve, LinearCurve
from glassrank.core.additive.observed_features import ObservedValues
from glassrank.core.checks import DataError, FloatArray, check_choice, check_positive
from glassrank.core.feature_kinds import BOOLEAN, CATEGORY, UNSEEN, FeatureKind
from glassrank.core.numbered_features import numbered_names
from glassrank.core.setting import setting
from glassrank.export.curve_tables import tabulate
from glassrank.export.curve_tails import curve_tail
from glassrank.export.export_form import CurveTerm, ExportFeature, ExportModel, LevelTerm, LineTerm, StepTerm, Term
from glassrank.export.hidden_layer import hidden_layer, is_layered
from glassrank.export.input_columns import last_step, observed_inputs, steps_before, with_last_step
from glassrank.export.names import check_levels, checked_names
from glassrank.export.tolerance import CURVE_SHARE, allowed_error
from glassrank.nomograms.adapters.effects_of_model import observed_values
from glassrank.nomograms.adapters.registry import terms_of
from glassrank.nomograms.adapters.terms import Terms
from glassrank.nomograms.adapters.wrappers import with_levels

SCALES = ("score", "logit")
YES_NO = FeatureKind(BOOLEAN).levels


def read_model(
    model: Any,
    data: Any = None,
    *,
    feature_names: Any = None,
    rename: Mapping[str, str] | str | None = None,
    max_error: float | None = None,
    scale: str = "score",
) -> ExportModel:
    """Read a fitted model as tables whose scores differ from the model's by at most ``max_error``.

    ``data`` show the range of each feature, if the model has not stored it. By default, ``max_error`` is 0.01 in
    log-odds of P(A above B) or, without probabilities, a thousandth of the spread of the scores. With the scale
    ``"logit"``, scores are multiplied by the slope, so that P(A above B) = 1/(1 + exp(score_B − score_A)).
    """
    check_choice("scale", scale, SCALES)
    if max_error is not None:
        check_positive("max_error", max_error)
    ranker, slope, kinds = _uncalibrated(model)
    refuse_query_scaling(_query_scaling(ranker))
    if is_layered(ranker):
        found = hidden_layer(ranker, max_error, slope)
    else:
        found = _additive(ranker, with_levels(terms_of(ranker), kinds), data, max_error, slope)
    names = checked_names(_names(model, found, feature_names), rename)
    features = tuple(
        replace(one, name=name, source=source)
        for one, (source, name) in zip(found.features, names.items(), strict=True)
    )
    for feature in features:
        check_levels(feature.source, feature.kind.levels)
    found = replace(found, features=features, slope=slope)
    return found if scale == "score" else _in_log_odds(found)


def refuse_query_scaling(query_scaling: str | None) -> None:
    """Raise an error for a model of features that are scaled within each query; None means that they are not."""
    if query_scaling is not None:
        raise DataError(
            f"The model takes features that are scaled within each query ({query_scaling}), and an engine scores a "
            "document before it knows the others.",
            # Measured in docs/evidence/ranking-accuracy.md.
            remedy=f"Train it on features that are standardised over all queries ({setting('transform', 'standard')}): "
            "on OHSUMED this cost .006 to .008 of NDCG@10, which was not significant.",
        )


def _query_scaling(model: Any) -> str | None:
    """Return how a step of a Pipeline scales features within each query; None if none does."""
    found = [step for step in steps_before(model) if type(step).__name__ == "QueryScaler"]
    return found[0].method if found else None


def _uncalibrated(model: Any) -> tuple[Any, float | None, tuple[FeatureKind, ...]]:
    """Return the ranker inside a calibrator, the slope of its probabilities, and the levels of its codes, if any.

    The slope of other models is None.
    """
    if type(model).__name__ == "PairCalibrator":
        if not model.antisymmetric:
            raise _no_score(type(last_step(model.estimator_)).__name__)
        return _best(model.estimator_), -float(model.slope_), getattr(model, "feature_kinds_", ())
    if hasattr(model, "best_estimator_"):
        return _uncalibrated(model.best_estimator_)
    if type(last_step(model)).__name__ == "PairCalibrator":
        ranker, slope, kinds = _uncalibrated(last_step(model))
        return with_last_step(model, ranker), slope, kinds
    return model, None, ()


def _best(model: Any) -> Any:
    """Return the best model of a search, and other models themselves."""
    while hasattr(model, "best_estimator_"):
        model = model.best_estimator_
    return model


def _no_score(kind: str) -> DataError:
    return DataError(
        f"This {kind} compares two documents and gives no score to a single one, which is what a search engine needs.",
        remedy=f"Train it with {setting('mode', 'utility')}.",
    )


def _additive(model: Any, terms: Terms, data: Any, max_error: float | None, slope: float | None) -> ExportModel:
    if terms.subject == "difference" and not (terms.antisymmetric and all(map(is_linear, terms.curves))):
        raise _no_score(type(last_step(model)).__name__)
    if terms.interactions:
        raise DataError(
            f"This {type(model).__name__} has effects of two features together; exports have one curve per feature.",
            remedy="Train trees of one feature each.",
        )
    observed = _observed(model, terms, data)
    kinds = [_kind(terms, k) for k in range(terms.n_features)]
    ends = zip(kinds, observed.low.tolist(), observed.high.tolist(), strict=True)
    features = tuple(ExportFeature("", kind, low, high) for kind, low, high in ends)
    allowed = allowed_error(max_error, slope, _spread(terms, features))
    exact = [_exact_term(terms, k, feature, float(observed.mean[k])) for k, feature in enumerate(features)]
    shares = _error_shares(terms, features, [k for k, term in enumerate(exact) if term is None])
    names = terms.names or numbered_names(terms.n_features)
    made = [
        _curve_term(terms, k, features[k], CURVE_SHARE * allowed * shares[k], names[k]) if term is None else term
        for k, term in enumerate(exact)
    ]
    lines = [(k, term.mean) for k, term in enumerate(made) if isinstance(term, LineTerm)]
    offset = sum(_at_mean(terms.curves[k], features[k], mean) for k, mean in lines)
    kept = tuple(term for term in made if _matters(term))
    offset += sum(float(term.effects[0]) for term in made if isinstance(term, LevelTerm) and term not in kept)
    return ExportModel(features, kept, terms.constant + offset, tolerance=allowed)


def _observed(model: Any, terms: Terms, data: Any) -> ObservedValues:
    if data is not None:
        return observed_values(terms, data.table if hasattr(data, "table") else data, type(model).__name__)
    found = terms.observed or observed_inputs(model, terms.n_features)
    if found is None:
        raise DataError(
            f"This {type(model).__name__} has not stored the values of its features, which limit the tables of curves.",
            remedy=f"Pass the training data: {setting('data', ...)}.",
        )
    return found


def _kind(terms: Terms, k: int) -> FeatureKind:
    levels = terms.categories_of(k)
    if levels == YES_NO and not is_of_codes(terms.curves[k]):
        return FeatureKind(BOOLEAN)
    return FeatureKind(CATEGORY, levels) if levels else FeatureKind()


def _missing(terms: Terms, k: int) -> float | None:
    effect = float(terms.curves[k](np.array(np.nan)))
    if np.isnan(effect) and terms.missing_effects:
        effect = terms.missing_effects[k]
    return None if np.isnan(effect) else effect


def _exact_term(terms: Terms, k: int, feature: ExportFeature, mean: float) -> Term | None:
    """Return a term that is equal to the feature's curve up to a constant; None if there is no such table."""
    curve, missing = terms.curves[k], _missing(terms, k)
    if feature.kind.is_category:
        return LevelTerm(k, missing, curve(np.arange(len(feature.kind.levels), dtype=np.float64)), _unseen(curve))
    if feature.kind.levels or is_linear(curve):
        scale = 0.5 * (feature.high - feature.low) or 1.0
        own = None if missing is None else missing - _at_mean(curve, feature, mean)
        return LineTerm(k, own, _line(curve, feature)[1] * scale, mean, scale)
    steps = _steps(curve)
    if steps is None:
        return None
    return StepTerm(k, missing, _compared_in_double(steps), steps.levels)


def _compared_in_double(steps: StepCurve) -> FloatArray:
    """Return thresholds for values that are not rounded to 32 bits first, although the model does that."""
    if not steps.single_precision:
        return steps.thresholds
    nearest = steps.thresholds.astype(np.float32)
    # The largest 32-bit number up to the threshold, which itself may have more digits.
    single = np.where(nearest > steps.thresholds, np.nextafter(nearest, np.float32(-np.inf)), nearest)
    following = np.nextafter(single, np.float32(np.inf))
    middle = 0.5 * (single.astype(np.float64) + following.astype(np.float64))
    # A value in the middle is rounded to the neighbour whose last bit is 0.
    rounded_up = single.view(np.uint32) % 2 == 1
    return np.where(rounded_up, np.nextafter(middle, -np.inf), middle)


def _at_mean(curve: Curve, feature: ExportFeature, mean: float) -> float:
    """Return the effect of the mean on a straight line, which its term leaves out."""
    start, slope = _line(curve, feature)
    return start + slope * mean


def _unseen(curve: Curve) -> float | None:
    try:
        effect = float(curve(np.array(UNSEEN)))
    except DataError:
        return None
    return None if np.isnan(effect) else effect


def _line(curve: Any, feature: ExportFeature) -> tuple[float, float]:
    """Return intercept and slope of a straight line; that of yes/no values goes through the effects of both."""
    if isinstance(curve, LinearCurve):
        return 0.0, curve.slope
    if is_linear(curve) and isinstance(curve, (ComposedCurve, ScaledCurve, MissingCurve)):
        start, slope = _line(curve.curve, feature)
        if isinstance(curve, ComposedCurve):
            return start + slope * curve.function.shift, slope * curve.function.scale  # type: ignore[attr-defined]
        return (
            (start - curve.shift, slope)
            if isinstance(curve, MissingCurve)
            else (curve.factor * start, curve.factor * slope)
        )
    low, high = (0.0, 1.0) if feature.kind.levels or feature.low == feature.high else (feature.low, feature.high)
    first, last = curve(np.array([low, high])).tolist()
    slope = (last - first) / (high - low)
    return first - slope * low, slope


def _steps(curve: Any) -> StepCurve | None:
    """Return a curve of trees without the effect of missing values; None if it is not one."""
    if isinstance(curve, StepCurve):
        return curve
    if isinstance(curve, MissingCurve):
        inner = _steps(curve.curve)
        return None if inner is None else replace(inner, levels=inner.levels - curve.shift)
    if isinstance(curve, ScaledCurve):
        inner = _steps(curve.curve)
        return None if inner is None else scale_curve(inner, curve.factor)  # type: ignore[return-value]
    return None


def _curve_term(terms: Terms, k: int, feature: ExportFeature, allowed: float, name: str) -> Term:
    curve, missing = terms.curves[k], _missing(terms, k)
    low, high = feature.valid
    if low < high:
        knots, values, error = tabulate(curve, low, high, allowed, name)
    else:
        knots, values, error = np.array([low]), np.asarray(curve(np.array([low]))), 0.0
    unit = (high - low) or abs(low) or 1.0
    below, above = (curve_tail(curve, end, side, unit, allowed) for end, side in ((low, -1.0), (high, 1.0)))
    knots = np.concatenate([below[0][::-1], knots, above[0]])
    values = np.concatenate([below[1][::-1], values, above[1]])
    return CurveTerm(k, missing, knots, values, below[2], above[2], error)


def _matters(term: Term) -> bool:
    """Whether a feature changes the score; a missing value counts as one that does."""
    if isinstance(term, LineTerm):
        return term.weight != 0.0 or bool(term.missing)
    if isinstance(term, LevelTerm):
        known = term.effects
        return bool(np.ptp(np.append(known, [own for own in (term.unseen, term.missing) if own is not None])) > 0)
    return True


def _spread(terms: Terms, features: tuple[ExportFeature, ...]) -> float:
    """Return the spread of the scores of documents with independent values, evenly spread over each range."""
    drawn = zip(terms.curves, features, strict=True)
    return float(np.sqrt(sum(np.var(curve(_even_values(feature))) for curve, feature in drawn))) or 1.0


def _error_shares(terms: Terms, features: tuple[ExportFeature, ...], curved: list[int]) -> dict[int, float]:
    """Return each curve's share of the allowed error, which makes the fewest knots in all: ∝ range^(1/3)."""
    ranges = {k: float(np.cbrt(np.ptp(terms.curves[k](_even_values(features[k]))))) for k in curved}
    total = sum(ranges.values())
    return {k: 0.5 / len(curved) + (0.5 * own / total if total else 0.0) for k, own in ranges.items()}


def _even_values(feature: ExportFeature) -> FloatArray:
    if feature.kind.levels:
        return np.arange(len(feature.kind.levels), dtype=np.float64)
    return np.linspace(feature.low, feature.high, 129)


def _names(model: Any, found: ExportModel, given: Any) -> tuple[str, ...]:
    known = getattr(model, "feature_names_in_", None)
    names = tuple(map(str, given)) if given is not None else None if known is None else tuple(map(str, known))
    if names is None and hasattr(model, "steps"):
        return _names(model.steps[0][1], found, None)
    names = names or numbered_names(len(found.features))
    if len(names) != len(found.features):
        raise DataError(
            f"feature_names must have one name per feature: expected {len(found.features)}, got {len(names)}.",
            parameter="feature_names",
            expected=len(found.features),
            got=len(names),
        )
    return names


def _in_log_odds(model: ExportModel) -> ExportModel:
    if model.slope is None:
        raise DataError(
            "Scores in log-odds need probabilities of pairs, which this model does not have.",
            parameter="scale",
            remedy=("Wrap it in PairCalibrator and fit that", f"leave {setting('scale')} at 'score'"),
        )
    factor = model.slope
    layer = None if model.layer is None else replace(model.layer, weights=factor * model.layer.weights)
    return replace(
        model,
        terms=tuple(term.scaled(factor) for term in model.terms),
        constant=factor * model.constant,
        factor=factor,
        tolerance=factor * model.tolerance,
        slope=1.0,
        layer=layer,
    )
