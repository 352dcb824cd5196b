"""The facts at the top of a ranking report, in words."""

from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.core.feature_kinds import BOOLEAN
from glassrank.core.wording import counted
from glassrank.data.ranking_data import RankingData
from glassrank.nomograms.elimination.eliminated import EliminationResult
from glassrank.studies.ranking.choice import Choice, shown_gamma
from glassrank.studies.ranking.query_sample import sample_in_words
from glassrank.studies.ranking.recipe import Recipe

PER_QUERY_COST = "a score depends on the other documents of the query, so a search engine cannot compute it"
NO_GAINS = (
    "NDCG and MAP are left out, because they are defined for grades of relevance from 0, and these labels are negative "
    "or too large."
)


def study_facts(
    data: RankingData,
    test: RankingData | None,
    elimination: EliminationResult,
    recipe: Recipe,
    choice: Choice,
    model: Any,
    evaluation: str,
    valid: IntArray | None = None,
) -> dict[str, str]:
    """Return the facts at the top of a report: what was trained on what, and how it was measured."""
    labels = np.unique(data.y)
    shown = " / ".join(f"{label:g}" for label in labels) if len(labels) <= 6 else f"{len(labels):,} values"
    trained = _size(data)
    facts = {"Training": trained}
    if data.weights is not None:
        facts["Weights"] = _weights_in_words(data.weights)
    kinds = _kinds_in_words(data)
    if kinds:
        facts["Columns"] = kinds
    if test is not None:
        facts["Test"] = _size(test)
    sample = sample_in_words(data, recipe.seed, valid)
    if sample:
        facts["Choices of C, features and settings"] = sample
    if recipe.monotone:
        ways = {1: "rises", -1: "falls"}
        facts["Held to one direction"] = ", ".join(f"{name} only {ways[way]}" for name, way in recipe.monotone)
    return facts | {
        "Features": f"{elimination.n_kept} of {data.n_features} kept",
        "Labels": shown,
        "Model": f"RankSVM, {recipe.model_in_words}, {_C_in_words(recipe, choice)}{_gamma_in_words(recipe, choice)}",
        "Transforms": _transforms_in_words(model),
        "Measured on": f"{evaluation}, convention “{recipe.convention}”",
        "Folds": recipe.folds.words(has_test=test is not None),
    }


def _size(data: RankingData) -> str:
    return f"{counted(data.n_queries, 'query', 'queries')}, {counted(data.n_rows, 'document')}"


def _C_in_words(recipe: Recipe, choice: Choice) -> str:  # noqa: N802 - C is the parameter's name
    return f"mean C = {choice.C:g}" if recipe.unit == "mean" else f"C = {choice.C:g} per pair"


def _gamma_in_words(recipe: Recipe, choice: Choice) -> str:
    return "" if recipe.kernel == "linear" else f", γ = {shown_gamma(choice.gamma)}"


def _weights_in_words(weights: FloatArray) -> str:
    """Say what was weighted and by how much: the effective number of rows is (Σ v)²/Σ v²."""
    absent, used = counted(int((weights == 0).sum()), "row"), weights[weights > 0]
    effective = float(used.sum() ** 2 / (used**2).sum())
    return (
        f"rows count {used.min():g} to {used.max():g} (median {np.median(used):g}) in every fit, worth "
        f"{effective:,.0f} equal rows of {len(weights):,}; {absent} of weight 0 left out. Measures are unweighted and "
        "keep all rows"
    )


def _kinds_in_words(data: RankingData) -> str:
    """Say which features are not plain numbers, and how many values are missing; empty for plain numbers."""
    categories = [kind for kind in data.kinds if kind.is_category]
    booleans = sum(kind.name == BOOLEAN for kind in data.kinds)
    missing = np.isnan(data.X)
    parts = []
    if categories:
        parts.append(
            f"{counted(len(categories), 'category', 'categories')} with up to "
            f"{counted(max(len(kind.levels) for kind in categories), 'level')}"
        )
    if booleans:
        parts.append(f"{booleans} yes/no")
    if missing.any():
        parts.append(
            f"{missing.mean():.1%} of the values missing, in {counted(int(missing.any(axis=0).sum()), 'feature')}"
        )
    return ", ".join(parts)


def _transforms_in_words(model: Any) -> str:
    """List the features by transform; the most common one only by number."""
    transformer = getattr(model, "estimator_", model)[0]
    by_method: dict[str, list[str]] = {}
    for name, method, kind in zip(
        transformer.feature_names_in_, transformer.methods_, transformer.feature_kinds_, strict=True
    ):
        if not kind.is_category:
            by_method.setdefault(method, []).append(str(name))
    if not by_method:
        return "none: all features are categories"
    usual = max(by_method, key=lambda method: len(by_method[method]))
    listed = [f"{method}: {', '.join(names)}" for method, names in by_method.items() if method != usual]
    return "; ".join([*listed, f"{usual}: {'all' if not listed else 'the other'} {len(by_method[usual])}"])
