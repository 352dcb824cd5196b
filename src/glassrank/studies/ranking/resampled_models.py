"""The models of a study trained on resampled queries: a step that a resumed study reads instead of training again."""

from base64 import b64decode, b64encode
from copy import copy
from pathlib import Path
from typing import Any

from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.data.ranking_data import RankingData
from glassrank.files.json_files import read_json
from glassrank.modelfile.codec.npz import pack_vectors, unpack_vectors
from glassrank.modelfile.codec.vectors import extract_vectors, insert_vectors
from glassrank.modelfile.document import check_document, describe_model
from glassrank.nomograms.bootstrap_effects import effects_of_resamples, fit_resamples
from glassrank.nomograms.named_effects import named_effects
from glassrank.ranking.calibration import PairCalibrator
from glassrank.studies.ranking.measuring.study_folds import INNER_FOLDS
from glassrank.studies.resumable_steps import Steps

STEP = "resamples"
MOST_PAIRS = 500_000
"""Held-out pairs of a resample, to which the slope of its probabilities is fitted; more would hardly change it."""


def pairs_per_query(model: Any, data: RankingData) -> int | None:
    """Return how many pairs of a query calibrate a resample; None if as many as the model, or if none do."""
    if not isinstance(model, PairCalibrator):
        return None
    most = max(1, MOST_PAIRS // data.n_queries)
    return None if model.max_pairs is not None and most >= model.max_pairs else most


def resampled_effects(
    model: Any,
    data: RankingData,
    steps: Steps,
    *,
    n_resamples: int,
    random_state: int,
    within_queries: bool = False,
) -> EffectSamples:
    """Return the effects of a model, trained and calibrated again on resamples of the queries, or within them.

    A resample of few documents may reverse the order; its effects then add to the uncertainty.
    """

    def train() -> list[Any]:
        settings: dict[str, Any] = {"n_resamples": n_resamples, "random_state": random_state}
        settings["within_queries"] = within_queries
        fewer = pairs_per_query(model, data)
        resampled = model if fewer is None else copy(model).set_params(max_pairs=fewer)
        fitted = fit_resamples(resampled, data.table, data.y, data.qid, data.weights, **settings)
        # The folds of a resample are lists of its rows, which are of no use later, cannot be stored, and together
        # take more memory than the data.
        return [one.set_params(cv=INNER_FOLDS) if isinstance(one, PairCalibrator) else one for one in fitted]

    models = steps.run(
        STEP,
        train,
        lambda trained: [_to_plain(one) for one in trained],
        lambda stored: [_from_plain(one) for one in stored],
        label=f"Resampling {'documents' if within_queries or data.n_queries == 1 else 'queries'} for intervals",
    )
    made = effects_of_resamples(models, data.table, data.weights)
    return EffectSamples(tuple(named_effects(one, None, data.feature_names) for one in made.replicates))


def read_resamples(folder: Path) -> list[Any]:
    """Return the resampled models that a finished study stored in its folder of steps."""
    stored = read_json(folder / f"{STEP}.json")
    return [_from_plain(one) for one in stored["result"]]


def _to_plain(model: Any) -> dict[str, Any]:
    """Return a model as plain values for JSON; long vectors are stored exactly, and shorter than as text."""
    ranker, sigmoid = model, {}
    if isinstance(model, PairCalibrator):
        ranker, sigmoid = model.estimator_, {"slope": model.slope_, "offset": model.offset_}
    document, vectors = extract_vectors(describe_model(ranker))
    packed = b64encode(pack_vectors(vectors)).decode() if vectors else None
    return {**sigmoid, "document": document, "vectors": packed}


def _from_plain(stored: dict[str, Any]) -> Any:
    packed = stored["vectors"]
    vectors = unpack_vectors(b64decode(packed), STEP) if packed else {}
    ranker: Any = check_document(insert_vectors(stored["document"], vectors, STEP), STEP).model.restore()
    if "slope" not in stored:
        return ranker
    model = PairCalibrator(ranker)
    model.slope_, model.offset_, model.estimator_ = stored["slope"], stored["offset"], ranker
    return model
