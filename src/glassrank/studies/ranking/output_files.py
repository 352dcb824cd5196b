"""The files that a study writes: the report, the model, effects as JSON, the selection and the times as tables."""

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.core.additive.effects import AdditiveEffects
from glassrank.core.checks import DataError
from glassrank.data.ranking_data import RankingData
from glassrank.files.atomic_files import make_folder, write_atomically
from glassrank.modelfile.save_model import save_model
from glassrank.nomograms.elimination.eliminated import EliminationResult
from glassrank.ranking.calibration import PairCalibrator
from glassrank.studies.ranking.page_files import write_page
from glassrank.studies.ranking.result import StudyResult

CURVE_POINTS = 65


def write_files(
    result: StudyResult, model: PairCalibrator, kept: RankingData, samples: EffectSamples, *, query_scaling: str | None
) -> None:
    """Write the model, its effects, the selection and the report into the folder of the result."""
    if result.folder is None:
        raise DataError(parameter="folder", expected="a folder for the files of the study", got=None)
    make_folder(result.folder)
    save_model(model, result.folder / "model.json", query_scaling=query_scaling)
    write_effects(result.folder / "effects.json", result.nomogram.effects, samples, kept)
    write_selection(result.folder / "selection.csv", result.elimination)
    write_page(result, result.folder / "report.html")


def write_effects(path: Path, effects: AdditiveEffects, samples: EffectSamples, data: RankingData) -> None:
    """Write every curve as values, effects in log-odds and standard errors, with the length of its line."""
    lengths = effects.lengths(effects.encode(data.table), data.groups)
    features = []
    for k, feature in enumerate(effects.features):
        levels = feature.categories
        values = np.arange(float(len(levels))) if levels else np.linspace(feature.low, feature.high, CURVE_POINTS)
        entry = {
            "name": feature.name,
            "length": float(lengths[k]),
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
    content = {"unit": effects.unit, "length": "median over queries of the range of effects", "features": features}
    write_atomically(path, json.dumps(content, indent=1).encode())


def write_selection(path: Path, elimination: EliminationResult) -> None:
    """Write one row per feature: whether it is kept, the length of its line, and when it was dropped."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["feature", "kept", "line_length", "left_at_n_features", f"{elimination.scoring}_before_it_left"])
    for line in elimination.kept:
        table.writerow([line.feature, "yes", repr(line.length), "", ""])
    for one in reversed(elimination.rounds[: elimination.selected]):
        for line in one.leaves:
            table.writerow([line.feature, "no", repr(line.length), one.n_features, repr(one.mean)])
    write_atomically(path, text.getvalue().encode())


def write_times(path: Path, seconds: Mapping[str, float]) -> None:
    """Write the CPU seconds of each step, in the order of the steps."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["step", "cpu_seconds"])
    table.writerows([step, f"{spent:.3f}"] for step, spent in seconds.items())
    write_atomically(path, text.getvalue().encode())
