"""A finished ranking study, read from its folder: its numbers, documents and models."""

import json
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.core.additive.effects import AdditiveEffects
from glassrank.core.checks import DataError, FloatArray
from glassrank.data.join_data import join_data
from glassrank.data.partitions.partitioned_data import open_partitions
from glassrank.data.ranking_data import RankingData
from glassrank.files.atomic_files import read_bytes
from glassrank.files.json_files import read_json
from glassrank.modelfile.codec.npz import unpack_vectors
from glassrank.modelfile.load_model import load_model
from glassrank.nomograms.adapters.effects_on_data import effects_on
from glassrank.nomograms.bootstrap_effects import effects_of_resamples
from glassrank.nomograms.elimination.eliminated import EliminationResult
from glassrank.nomograms.named_effects import named_effects
from glassrank.ranking.calibration import PairCalibrator
from glassrank.studies.ranking.choice import Choice
from glassrank.studies.ranking.measuring.study_folds import StudyFolds
from glassrank.studies.ranking.output_files import HELD_OUT, NUMBERS, TEST, TRAINING
from glassrank.studies.ranking.recipe import Recipe
from glassrank.studies.ranking.resampled_models import read_resamples
from glassrank.studies.study_record import RANKING, RECORD, StudyRecord, read_record

Computed = TypeVar("Computed")
MOST_KEPT = 64
AGAIN = "Copy it from where the study was run, or run the study again."


@dataclass(frozen=True, eq=False)
class SavedStudy:
    """A finished study; what it contains is read from its folder when it is needed.

    >>> import glassrank as gr
    >>> _ = gr.study(gr.simulate_ranking(20, 10, random_state=0).data, folder="shop", tune=0)
    >>> found = SavedStudy.open("shop")
    >>> found.measured.n_queries, found.model_with(2).n_features_in_
    (20, 2)
    """

    folder: Path
    record: StudyRecord

    @classmethod
    def open(cls, folder: str | Path) -> "SavedStudy":
        """Read the record of a finished study."""
        record = read_record(folder)
        if record is None or record.kind != RANKING or record.finished is None or record.error is not None:
            raise DataError(
                f"{folder}: there is no finished study in this folder.", remedy="Run or resume the study first."
            )
        return cls(Path(folder), record)

    @cached_property
    def numbers(self) -> dict[str, Any]:
        """What ``StudyResult.to_dict`` returned."""
        return self._part(NUMBERS, lambda path: dict(read_json(path)))

    @cached_property
    def model(self) -> Any:
        """The study's model, with probabilities unless held-out pairs give none."""
        return self._part("model.json", load_model)

    @cached_property
    def training(self) -> RankingData:
        """The training and validation documents, with all features; of a very large study, a sample of the queries."""
        return self._part(TRAINING, _read)

    @cached_property
    def measured(self) -> RankingData:
        """The documents on which the study was measured, with all features: test data, or the training data."""
        return _read(self.folder / TEST) if (self.folder / TEST).is_dir() else self.training

    @cached_property
    def is_sample(self) -> bool:
        """Whether the study read more documents than it stored: of training or measured ones, a sample of queries."""
        ranker = self.model if isinstance(self.model, PairCalibrator) else self.model[-1]
        trained = self.training.counted().n_queries < ranker.n_queries_
        return trained or self.measured.n_rows < (self.record.n_documents or 0)

    @cached_property
    def held_out(self) -> dict[str, FloatArray]:
        """Held-out scores of the measured documents by system; the first is the study's own model."""
        return self._part(HELD_OUT, _read_scores)

    @cached_property
    def elimination(self) -> EliminationResult:
        """The elimination of features."""
        return self._part(NUMBERS, lambda _: EliminationResult.from_dict(self.numbers["elimination"]))

    @cached_property
    def system_labels(self) -> dict[str, str]:
        """What tables call the systems that the study compared."""
        return self._part(NUMBERS, lambda _: dict(self.numbers["comparisons"][0]["labels"]))

    @cached_property
    def choice(self) -> Choice:
        """C and γ, and what was tried."""
        return self._part(NUMBERS, lambda _: Choice.from_dict(self.numbers["choice"]))

    @cached_property
    def recipe(self) -> Recipe:
        """How the study trains a model."""
        return self._part(RECORD, lambda _: _recipe(dict(self.record.options["recipe"])))

    def effects_with(self, n_features: int) -> tuple[AdditiveEffects, RankingData]:
        """Return the effects of the model with this many features, and the measured documents in its codes."""
        kept = self.measured.pick_features(self.features_with(n_features))
        return effects_on(self.model_with(n_features), kept)

    @cached_property
    def samples(self) -> EffectSamples:
        """The effects of models trained on resampled queries, for intervals."""
        kept = self.training.pick_features(self.kept_features)
        made = effects_of_resamples(
            self._part("steps/resamples.json", lambda path: read_resamples(path.parent)), kept.table, kept.weights
        )
        return EffectSamples(tuple(named_effects(one, None, kept.feature_names) for one in made.replicates))

    @property
    def kept_features(self) -> list[str]:
        """The features of the study's model, in their order in the data."""
        return self.features_with(self.elimination.n_kept)

    @property
    def sizes(self) -> list[int]:
        """Numbers of features for which the elimination has a model, the largest first."""
        return [one.n_features for one in self.elimination.rounds]

    def features_with(self, n_features: int) -> list[str]:
        """Return the features that are left when the elimination has dropped all but ``n_features``."""
        if n_features not in self.sizes:
            raise DataError(
                parameter="n_features", expected=f"one of {', '.join(map(str, self.sizes))}", got=n_features
            )
        rounds = self.elimination.rounds[: self.sizes.index(n_features)]
        dropped = {line.feature for one in rounds for line in one.leaves}
        return [name for name in self.training.feature_names if name not in dropped]

    def has_model(self, n_features: int) -> bool:
        """Return whether :meth:`model_with` need not train a model."""
        return n_features == self.elimination.n_kept or n_features in self._models

    def model_with(self, n_features: int) -> Any:
        """Return the model with this many features of the elimination, trained on the saved documents."""
        if n_features == self.elimination.n_kept:
            return self.model
        if n_features not in self._models:
            data = self.training.counted().pick_features(self.features_with(n_features))
            self._models[n_features] = self.recipe.calibrated(data, self.choice)[0]
        return self._models[n_features]

    @cached_property
    def views(self) -> dict[int, Any]:
        """What pages computed of the models, by number of features, so that the next page need not compute it."""
        return {}

    @cached_property
    def _models(self) -> dict[int, Any]:
        return {}

    def once(self, key: Hashable, compute: Callable[[], Computed]) -> Computed:
        """Return what was computed under this key before, and compute it otherwise; the last used keys are kept."""
        with self._lock:
            known = self._computed.pop(key, None)
        # In a tuple, because a result may be None.
        found = known or (compute(),)
        with self._lock:
            self._computed[key] = found
            while len(self._computed) > MOST_KEPT:
                del self._computed[next(iter(self._computed))]
        result: Computed = found[0]
        return result

    def _part(self, name: str, read: Callable[[Path], Computed]) -> Computed:
        """Return what is read from a file or folder of the study, which may be gone or damaged."""
        path = self.folder / name
        if not path.exists():
            raise DataError(f"There is no {name} in {self.folder}, where the study stored it.", remedy=AGAIN)
        try:
            return read(path)
        except DataError:
            raise
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise DataError(f"{path} is damaged, or of another version: {error!r}.", remedy=AGAIN) from error

    @cached_property
    def _computed(self) -> dict[Hashable, tuple[Any]]:
        return {}

    @cached_property
    def _lock(self) -> Lock:
        return Lock()


def _read_scores(path: Path) -> dict[str, FloatArray]:
    vectors = unpack_vectors(read_bytes(path), str(path))
    names = json.loads(vectors.pop("names").astype(np.uint8).tobytes())
    return {name: vectors[f"{place}"] for place, name in enumerate(names)}


def _recipe(plain: dict[str, Any]) -> Recipe:
    by_name = {name: tuple((one, value) for one, value in plain[name]) for name in ("transforms", "monotone")}
    return Recipe(**plain | by_name | {"folds": StudyFolds(**plain["folds"])})


def _read(folder: Path) -> RankingData:
    blocks = open_partitions(folder)
    return join_data([blocks.read_block(number) for number in range(blocks.n_blocks)])
