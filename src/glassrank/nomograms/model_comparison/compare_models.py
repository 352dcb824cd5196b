"""compare_models(): what changes if one ranking model replaces another."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, FloatArray
from glassrank.core.input_types import Estimator, RandomState
from glassrank.data.ranking_data import RankingData, check_ranking_data
from glassrank.metrics.compare import compare
from glassrank.metrics.evaluation import evaluate
from glassrank.nomograms.model_comparison.compared_models import FeatureChange
from glassrank.nomograms.model_comparison.compared_scores import query_changes
from glassrank.nomograms.model_comparison.flipped_pairs import mean_changes
from glassrank.nomograms.model_comparison.model_comparison import ModelComparison
from glassrank.nomograms.model_comparison.scored_model import ScoredModel

NAMES = ("model 1", "model 2")


def compare_models(
    model_1: Estimator,
    model_2: Estimator,
    data: RankingData,
    *,
    data_2: RankingData | None = None,
    names: Sequence[str] = NAMES,
    measure: str = "ndcg@10",
    convention: str = "standard",
    n_resamples: int = 10_000,
    confidence: float = 0.95,
    margin: float | None = None,
    random_state: RandomState = None,
) -> ModelComparison:
    """Compare two additive rankers on the same judged documents: the measure, the queries, the pairs and the features.

    A pair flips if A is above B by model 1 and below B by model 2. A feature's change for the pair is its contribution
    to A − B by model 2 minus that by model 1; a feature that a model does not have contributes 0. Features are matched
    by name. Each model takes its features from ``data`` by name. If the models need different data, such as other
    scaling, ``data_2`` has the rows for model 2, in the same order. ``confidence`` is the level of the intervals.
    Model 2 is as good as model 1 if the interval of their difference lies within ±``margin``.

    >>> import glassrank as gr
    >>> data = gr.simulate_ranking(30, 10, random_state=0).data
    >>> both = [gr.RankSVM(C=C).fit(data) for C in (0.001, 10.0)]
    >>> found = compare_models(*both, data, random_state=0)
    >>> found.n_gain + found.n_lose + found.n_unchanged
    30
    """
    check_ranking_data(data)
    data.check_judged("A comparison of models")
    other = data if data_2 is None else _same_rows(data, data_2)
    first, second = ScoredModel.of(names[0], model_1, data), ScoredModel.of(names[1], model_2, other)
    _check_names_and_units(names, first, second)
    systems = {first.name: first.scores, second.name: second.scores}
    judged: dict[str, Any] = {"qid": data.qid, "doc_ids": data.doc_ids, "convention": convention}
    settings: dict[str, Any] = {"n_resamples": n_resamples, "confidence": confidence}
    settings |= {"margin": margin, "random_state": random_state}
    comparison = compare(systems, data.y, measure=measure, **judged, **settings)
    scores = first.scores, second.scores
    name = comparison.measure
    before, after = (evaluate(data.y, own, measures=[name], **judged).per_query[name] for own in scores)
    queries, features = query_changes(data, scores, (before, after)), _feature_changes(data, first, second)
    return ModelComparison(comparison, queries, data, scores, features, (first, second))


def _same_rows(data: RankingData, other: RankingData) -> RankingData:
    check_ranking_data(other, "data_2")
    same = data.n_rows == other.n_rows and np.array_equal(data.qid.astype(str), other.qid.astype(str))
    if not same or not np.array_equal(data.y, other.y):
        raise DataError(
            "data_2 must have the rows of data in the same order: queries or labels differ.", parameter="data_2"
        )
    return other


def _check_names_and_units(names: Sequence[str], first: ScoredModel, second: ScoredModel) -> None:
    if len(set(names)) != 2:
        raise DataError(parameter="names", expected="two different names", got=list(names))
    if first.effects.unit != second.effects.unit:
        raise DataError(
            f"Contributions in different units cannot be compared: {first.name} gives {first.effects.unit} and "
            f"{second.name} {second.effects.unit}.",
            remedy="Wrap both rankers in PairCalibrator, or none.",
        )


def _feature_changes(data: RankingData, first: ScoredModel, second: ScoredModel) -> tuple[FeatureChange, ...]:
    names = list(dict.fromkeys([*first.effects.names, *second.effects.names]))
    changes = aligned_effects(second, names) - aligned_effects(first, names)
    signed, absolute = mean_changes(changes, data.groups, first.scores, second.scores)
    made = [
        FeatureChange(name, float(mean), float(size), tuple(name in one.effects.names for one in (first, second)))
        for name, mean, size in zip(names, signed, absolute, strict=True)
    ]
    return tuple(sorted(made, key=lambda one: -one.mean_absolute_change))


def aligned_effects(model: ScoredModel, names: Sequence[str]) -> FloatArray:
    """Return the model's effects with one column per name; columns of features that it does not have are 0."""
    aligned = np.zeros((len(model.scores), len(names)))
    places = {name: place for place, name in enumerate(names)}
    aligned[:, [places[name] for name in model.effects.names]] = model.contributions
    return aligned
