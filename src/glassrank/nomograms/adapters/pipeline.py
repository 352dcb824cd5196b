"""Pipeline and ColumnTransformer: curves carried back, step by step, to the original columns."""

from dataclasses import replace
from typing import Any

import numpy as np

from glassrank.core.additive.curves import Affine
from glassrank.nomograms.adapters import encoders, imputers, pipeline_steps
from glassrank.nomograms.adapters.category_curves import Part
from glassrank.nomograms.adapters.column_curves import CurveColumn, carry_back, check_width, over_inputs
from glassrank.nomograms.adapters.terms import Terms, TermsOf, names_of, refuse

STEPS: dict[str, pipeline_steps.Step] = {
    "FunctionTransformer": pipeline_steps.function_transformer,
    "MaxAbsScaler": pipeline_steps.max_abs_scaler,
    "MinMaxScaler": pipeline_steps.min_max_scaler,
    "MissingIndicator": imputers.missing_indicator,
    "OneHotEncoder": encoders.encoder,
    "OrdinalEncoder": encoders.encoder,
    "PowerTransformer": pipeline_steps.nonlinear_transformer,
    "QuantileTransformer": pipeline_steps.nonlinear_transformer,
    "RobustScaler": pipeline_steps.robust_scaler,
    "SimpleImputer": imputers.simple_imputer,
    "SplineTransformer": pipeline_steps.spline_transformer,
    "StandardScaler": pipeline_steps.standard_scaler,
}
NO_STEP = (None, "passthrough")


def pipeline(model: Any, terms_of: TermsOf) -> Terms:
    """Return the last step's curves over the input columns of the first step."""
    *before, (_, last) = model.steps
    terms = _steps_back([step for _, step in before], terms_of(last))
    # Later steps see other names; the first step has seen the original ones.
    first = next((step for _, step in model.steps if step not in NO_STEP), last)
    return replace(terms, names=names_of(first)) if before else terms


def _steps_back(before: list[Any], terms: Terms) -> Terms:
    if terms.interactions and any(step not in NO_STEP for step in before):
        raise refuse(
            "A Pipeline that ends in trees of two features",
            "what two columns add together cannot be drawn in their original units",
            "Trees need no scaling: fit them to the original columns.",
        )
    for step in reversed(before):
        terms = terms if step in NO_STEP else step_back(step, terms)
    return terms


def step_back(step: Any, terms: Terms) -> Terms:
    """Convert terms over the output columns of a fitted step to terms over its input columns."""
    kind, home = type(step).__name__, type(step).__module__.split(".")[0]
    if home == "glassrank" and kind == "QueryScaler":
        raise refuse(
            "A Pipeline with QueryScaler",
            "it scales a document by the other documents of its query, so that a value has no effect of its own",
            "Scale first with QueryScaler().fit_transform, and fit the model alone: the lines then show scaled values.",
        )
    if home == "glassrank" and kind == "FeatureTransformer":
        return pipeline_steps.feature_transformer(step, terms)
    if home == "sklearn" and kind == "Pipeline":
        return _steps_back([own for _, own in step.steps], terms)
    if home == "sklearn" and kind == "ColumnTransformer":
        return _column_transformer(step, terms)
    if home == "sklearn" and kind in STEPS:
        return STEPS[kind](step, terms)
    if hasattr(step, "get_support"):
        return pipeline_steps.selector(step, terms)
    raise refuse(
        f"A Pipeline with {kind}",
        "this step may mix columns",
        f"Use steps that treat each column on its own (ColumnTransformer, a selector, {', '.join(STEPS)}), or "
        "transform the data first and fit the model alone.",
    )


def _column_transformer(step: Any, terms: Terms) -> Terms:
    """Carry back each transformer, which takes some input columns and makes a range of the output columns."""
    n_inputs = int(step.n_features_in_)
    n_made = max((part.stop for part in step.output_indices_.values()), default=0)
    check_width("ColumnTransformer", terms, n_made)
    parts: list[list[Part]] = [[] for _ in range(n_inputs)]
    missing, constant = np.zeros(n_inputs), terms.constant
    for name, transformer, _ in step.transformers_:
        made, seen = step.output_indices_[name], step._transformer_to_input_indices[name]
        if transformer == "drop" or not len(seen):
            continue
        own = _weighted(_part(terms, made), (step.transformer_weights or {}).get(name, 1.0))
        if transformer != "passthrough":
            own = step_back(transformer, own)
        constant += own.constant
        for k, (source, curve) in enumerate(zip(seen, own.curves, strict=True)):
            parts[source].append((curve, own.categories_of(k)))
            missing[source] += own.missing_effects[k] if own.missing_effects else 0.0
    filled = tuple(missing.tolist()) if terms.missing_effects else ()
    return replace(over_inputs("ColumnTransformer", terms, parts), constant=constant, missing_effects=filled)


def _part(terms: Terms, made: slice) -> Terms:
    """Return the terms of some of the columns, without the constant."""
    return replace(
        terms,
        curves=terms.curves[made],
        constant=0.0,
        categories=terms.categories[made],
        names=None,
        observed=None,
        missing_effects=terms.missing_effects[made],
        directions=terms.directions[made],
    )


def _weighted(terms: Terms, weight: float) -> Terms:
    """Return the terms over columns before they are multiplied by a transformer's weight."""
    if weight == 1.0:
        return terms
    made = [CurveColumn(k, Affine(float(weight))) for k in range(terms.n_features)]
    return carry_back("ColumnTransformer", terms, terms.n_features, made)
