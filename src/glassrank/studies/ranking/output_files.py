"""The files that a study writes: the report, the model, tables, and its documents for the app."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.core.additive.effects import AdditiveEffects
from glassrank.core.checks import DataError, FloatArray
from glassrank.data.partitions.save_partitions import save_partitions
from glassrank.data.ranking_data import RankingData
from glassrank.files.atomic_files import make_folder, write_atomically
from glassrank.files.csv_text import csv_text
from glassrank.modelfile.codec.npz import pack_vectors
from glassrank.modelfile.save_model import save_model
from glassrank.nomograms.elimination.eliminated import EliminationResult
from glassrank.studies.ranking.page_files import write_page
from glassrank.studies.ranking.query_sample import sampled_rows
from glassrank.studies.ranking.recipe import Recipe
from glassrank.studies.ranking.result import StudyResult
from glassrank.studies.ranking.study_data import StudyData
from glassrank.studies.study_record import Quality

CURVE_POINTS = 65
LENGTH_IN_WORDS = {
    "query": "mean over the training queries of the range of effects",
    "pair-difference": "range of the differences of effects over all pairs of documents of a query",
}
NUMBERS, TRAINING, TEST, HELD_OUT = "result.json", "documents", "test-documents", "held-out-scores.npz"


def write_files(result: StudyResult, model: Any, samples: EffectSamples, *, query_scaling: str | None) -> None:
    """Write the model, its effects, the selection and the report into the folder of the result."""
    if result.folder is None:
        raise DataError(parameter="folder", expected="a folder for the files of the study", got=None)
    make_folder(result.folder)
    save_model(model, result.folder / "model.json", query_scaling=query_scaling)
    write_effects(result.folder / "effects.json", result.nomogram.effects, samples, result.elimination)
    write_selection(result.folder / "selection.csv", result.elimination)
    write_page(result, result.folder / "report.html")


def write_effects(path: Path, effects: AdditiveEffects, samples: EffectSamples, elimination: EliminationResult) -> None:
    """Write every curve as values, effects in log-odds and standard errors, with the length of its line."""
    lengths = {line.feature: line.length for line in elimination.kept}
    features = []
    for k, feature in enumerate(effects.features):
        levels = feature.categories
        values = np.arange(float(len(levels))) if levels else np.linspace(feature.low, feature.high, CURVE_POINTS)
        entry = {
            "name": feature.name,
            "length": lengths[feature.name],
            "low": feature.low,
            "high": feature.high,
            "zero_at": feature.centre,
            "values": list(levels) if levels else values.tolist(),
            "effects": feature(values).tolist(),
            "standard_errors": samples.curve_errors(k, values).tolist(),
        }
        if feature.missing_share is not None:
            entry |= {"missing_effect": feature.missing_effect, "missing_share": feature.missing_share}
        features.append(entry)
    content = {"unit": effects.unit, "length": LENGTH_IN_WORDS[elimination.length], "features": features}
    write_atomically(path, json.dumps(content, indent=1).encode())


def write_selection(path: Path, elimination: EliminationResult) -> None:
    """Write one row per feature: whether it is kept, the length of its line, and when it was dropped.

    The length of a kept line is that of the study's model, and of a dropped one that of the model that it was dropped
    from, both in the unit of the study's model.
    """
    columns = ["feature", "kept", "line_length", "dropped_at_n_features", f"{elimination.scoring}_before_drop"]
    kept = [(line.feature, "yes", repr(line.length), "", "") for line in elimination.kept]
    dropped = [
        (line.feature, "no", repr(line.length), one.n_features, repr(one.mean))
        for one in reversed(elimination.rounds[: elimination.selected])
        for line in one.leaves
    ]
    write_atomically(path, csv_text(columns, [*kept, *dropped]).encode())


def write_times(path: Path, seconds: Mapping[str, float]) -> None:
    """Write the CPU seconds of each step, in the order of the steps."""
    rows = ((step, f"{spent:.3f}") for step, spent in seconds.items())
    write_atomically(path, csv_text(["step", "cpu_seconds"], rows).encode())


def save_documents(
    result: StudyResult, training: RankingData, test: RankingData | None, scores: Mapping[str, FloatArray], seed: int
) -> None:
    """Write the numbers and documents of a study into its folder; of more than 100,000 documents, a sample of queries.

    ``scores`` are the held-out scores of the measured documents by system: of the test data, or of the training data.
    """
    folder = result.folder
    if folder is None:
        raise DataError(parameter="folder", expected="a folder for the files of the study", got=None)
    write_atomically(folder / NUMBERS, result.to_json().encode())
    rows = _saved_rows(training, seed)
    save_partitions(training.pick_rows(rows), folder / TRAINING, overwrite=True)
    if test is not None:
        rows = _saved_rows(test, seed)
        save_partitions(test.pick_rows(rows), folder / TEST, overwrite=True)
    kept = {f"{place}": np.asarray(values, dtype=float)[rows] for place, values in enumerate(scores.values())}
    names = json.dumps(list(scores)).encode()
    kept["names"] = np.frombuffer(names, dtype=np.uint8).astype(np.int64)
    write_atomically(folder / HELD_OUT, pack_vectors(kept))


def record_fields(result: StudyResult, data: StudyData, recipe: Recipe, others: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the record of a finished study states; ``others`` are options that are not part of the recipe."""
    own = result.main[result.model]
    return {
        "title": result.title,
        "quality": Quality(measure=result.main.measure, mean=own.mean, low=own.interval[0], high=own.interval[1]),
        "n_features": data.rows.n_features,
        "n_kept": result.elimination.n_kept,
        "n_queries": data.measured.n_queries,
        "n_documents": data.measured.n_rows,
        "options": {"recipe": recipe.options, **others},
    }


def _saved_rows(data: RankingData, seed: int) -> Any:
    """Return the rows to save, query by query: all of them, or those of a sample of the queries."""
    order = data.groups.order
    drawn = sampled_rows(data, seed)
    return order if drawn is None else order[np.isin(order, drawn)]
