"""TrainedModel: a model trained by name, with the figures of its training."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from glassrank.core.pairs.concordance import pair_accuracy_per_query
from glassrank.core.pairs.label_levels import comparable_pairs
from glassrank.core.pairs.pair_decisions import accuracy_of_decisions
from glassrank.core.wording import counted
from glassrank.data.partitions.partitioned_data import PartitionedData
from glassrank.data.ranking_data import RankingData
from glassrank.modelfile.save_model import save_model
from glassrank.ranking.any_ranker import (
    TrainingLists,
    compare_rows,
    document_scores,
    is_antisymmetric,
    rows_for,
    scores_documents,
)
from glassrank.studies.ranking.model_options import MODELS

# Attribute of a fitted model that chooses a value itself -> the name of that value
CHOSEN = {"C_": "C", "alpha_": "alpha"}


@dataclass(frozen=True, eq=False, repr=False)
class TrainedModel:
    """A trained model; printing it shows the figures of the training."""

    model: str
    options: Mapping[str, Any]
    """All options of the model, with the defaults of those that were not given."""
    transform: str
    transforms: Mapping[str, str]
    """Features with a transform of their own."""
    folds: int | None
    """Number of folds that calibrate; None without calibration."""
    no_probabilities: str
    """Why a model that was calibrated has no probabilities; empty if it has them."""
    n_queries: int
    n_rows: int
    """Documents that count: those of positive weight."""
    n_features: int
    weighted: bool
    n_pairs: int | None
    """Pairs of documents of one query with different labels; None for a classifier."""
    n_sampled_pairs: int | None
    """Pairs that were drawn, if the model lists pairs and there are too many; otherwise None."""
    training_accuracy: float
    """Pair accuracy, mean over queries, or a classifier's share of correct rows, on the training data themselves."""
    held_out_accuracy: float | None
    """Share of the held-out pairs of the calibration that are ordered correctly; None without calibration."""
    objective: float | None
    duality_gap: float | None
    """The objective exceeds its minimum by at most this; None if the model has no such certificate."""
    warnings: tuple[str, ...]
    estimator: Any = field(repr=False)
    feature_names: tuple[str, ...] = field(repr=False)

    def __str__(self) -> str:
        lines = [f"{self.model}: {', '.join(self._settings())}", self._data()]
        kind = "accuracy" if self.n_pairs is None else "pair accuracy"
        lines.append(f"{kind} on the training data: {self.training_accuracy:.4f} (optimistic for new documents)")
        if self.held_out_accuracy is not None:
            lines.append(f"held-out pairs ordered correctly: {self.held_out_accuracy:.4f} ({self.folds} folds)")
        if self.objective is not None and self.duality_gap is not None:
            share = self.duality_gap / self.objective if self.objective else 0.0
            lines.append(f"objective {self.objective:.6g}, certified to a relative gap of {share:.1e}")
        return "\n".join(lines)

    __repr__ = __str__

    def to_json(self) -> str:
        """Return all figures as JSON."""
        left_out = ("estimator", "feature_names")
        return json.dumps({name: value for name, value in vars(self).items() if name not in left_out})

    def save(self, path: str | Path) -> None:
        """Write the model file."""
        save_model(self.estimator, path, feature_names=self.feature_names)

    def _settings(self) -> list[str]:
        shown = [f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}" for name, value in self._main()]
        features = {"standard": "standardised features", "none": "features as they are"}.get(
            self.transform, f"transform {self.transform}"
        )
        own = [f"{name} {method}" for name, method in self.transforms.items()]
        probabilities = "with probabilities" if self.folds else "without probabilities"
        if self.no_probabilities:
            probabilities = f"without probabilities. {self.no_probabilities}"
        return [*shown, ", ".join([features, *own]), probabilities]

    def _main(self) -> list[tuple[str, Any]]:
        """The options that are not at their defaults, and those that matter most."""
        known = MODELS[self.model].options
        main = (*CHOSEN.values(), "kernel", "feature")
        return [
            (name, value)
            for name, value in self.options.items()
            if name in main or (name in known and value != known[name].default)
        ]

    def _data(self) -> str:
        parts = [
            counted(self.n_queries, "query", "queries"),
            f"{counted(self.n_rows, 'document')}{' with weights' if self.weighted else ''}",
            counted(self.n_features, "feature"),
        ]
        if self.n_pairs is not None:
            drawn = "" if self.n_sampled_pairs is None else f", of which {self.n_sampled_pairs:,} were drawn"
            parts.append(f"{counted(self.n_pairs, 'comparable pair')}{drawn}")
        return ", ".join(parts)


def describe_training(
    model: str,
    options: Mapping[str, Any],
    settings: Mapping[str, Any],
    fitted: Any,
    data: RankingData | PartitionedData,
    warnings: tuple[str, ...],
) -> TrainedModel:
    """Measure a fitted model on its training data, and collect the figures of its training."""
    known = MODELS[model]
    last = _last_step(fitted)
    chosen = {name: float(getattr(last, attribute)) for attribute, name in CHOSEN.items() if hasattr(last, attribute)}
    if model == "best-single-feature":
        chosen["feature"] = data.feature_names[last.feature_]
    rows = TrainingLists.of(data)
    n_pairs = None if known.classifies else int(comparable_pairs(rows.y, rows.groups).sum())
    used = getattr(last, "n_sampled_pairs_", n_pairs)
    calibration, refused = getattr(fitted, "calibration_", None), settings["refused"]
    return TrainedModel(
        model=model,
        options={**{name: option.default for name, option in known.options.items()}, **options, **chosen},
        transform=settings["transform"],
        transforms=settings["transforms"],
        folds=settings["cv"],
        no_probabilities="" if refused is None else refused.problem,
        n_queries=rows.groups.n_queries,
        n_rows=len(rows.y),
        n_features=data.n_features,
        weighted=rows.weights is not None,
        n_pairs=n_pairs,
        n_sampled_pairs=None if used == n_pairs else used,
        training_accuracy=_accuracy(fitted, rows, classifies=known.classifies),
        held_out_accuracy=getattr(calibration or refused, "accuracy", None),
        objective=_number(last, "objective_"),
        duality_gap=_number(last, "duality_gap_"),
        warnings=warnings,
        estimator=fitted,
        feature_names=data.feature_names,
    )


def _last_step(model: Any) -> Any:
    """Return the model itself, without calibration and scaling."""
    model = getattr(model, "estimator_", model) if hasattr(model, "calibration_") else model
    return model.steps[-1][1] if hasattr(model, "steps") else model


def _accuracy(model: Any, data: TrainingLists, *, classifies: bool) -> float:
    if classifies:
        return float(np.mean(model.predict(rows_for(model, data.X)) == data.y))
    if scores_documents(model):
        return float(np.nanmean(pair_accuracy_per_query(data.y, document_scores(model, data.X), data.groups)))
    decide, both = partial(compare_rows, model, data.X), is_antisymmetric(model)
    return float(np.nanmean(accuracy_of_decisions(decide, data.y, data.groups, antisymmetric=both)))


def _number(model: Any, attribute: str) -> float | None:
    value = getattr(model, attribute, None)
    return None if value is None else float(value)
