"""The places that several selectors give the features of a study, computed once and kept in its folder."""

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from glassrank.core.checks import DataError, IntArray
from glassrank.files.atomic_files import write_atomically
from glassrank.files.json_files import read_json
from glassrank.selection.rank_features import rank_features
from glassrank.selection.selector_names import BOOSTING_INFLUENCE, COMBINED, INFORMATION_GAIN, NOMOGRAM, SVM_WEIGHTS
from glassrank.studies.ranking.measuring.study_folds import PAIR
from glassrank.studies.ranking.query_sample import sample_of_queries
from glassrank.studies.views.saved_study import SavedStudy

PLACES = "selectors.json"
METHODS = (NOMOGRAM, SVM_WEIGHTS, BOOSTING_INFLUENCE, COMBINED, INFORMATION_GAIN)


class SelectorRanking(BaseModel):
    """The places that one method gives the features, and the scores of the study's model with its first ones."""

    model_config = ConfigDict(frozen=True)

    method: str
    places: tuple[int, ...]
    """Place of each feature, from 1, in the order of the data."""
    scores: tuple[float | None, ...] | None
    """Measure in each fold with as many features as the study keeps; None if the folds consist of pairs."""

    @property
    def mean_score(self) -> float | None:
        """Mean over the folds in which the measure is defined."""
        known = [score for score in self.scores or () if score is not None]
        return float(np.mean(known)) if known else None


class SelectorPlaces(BaseModel):
    """Features ranked by several methods; the nomogram's places are those of the study's own elimination."""

    model_config = ConfigDict(frozen=True)

    study: str
    """When the study ended: an older file belongs to an earlier study in the folder."""
    features: tuple[str, ...]
    n_kept: int
    """How many features the study keeps, and each method would."""
    measure: str
    rankings: tuple[SelectorRanking, ...]

    def votes(self, feature: int) -> int:
        """Return how many methods have a feature among their first ``n_kept``."""
        return sum(one.places[feature] <= self.n_kept for one in self.rankings)

    def order(self, method: str) -> list[int]:
        """Return the features in the order of one method, by their position in the data."""
        places = next(one.places for one in self.rankings if one.method == method)
        return sorted(range(len(places)), key=lambda k: places[k])


def read_places(saved: SavedStudy) -> SelectorPlaces | None:
    """Return the places in the folder of a study; None if they have not been computed for it."""
    path = saved.folder / PLACES
    if not path.is_file():
        return None
    try:
        found = SelectorPlaces.model_validate(read_json(path))
    except (ValidationError, DataError):
        return None  # of another version, or damaged: it is computed and written again
    return found if found.study == str(saved.record.finished) else None


def compute_places(saved: SavedStudy) -> SelectorPlaces:
    """Rank the features by all methods, on at most 100,000 documents, and keep the result in the study's folder."""
    data = sample_of_queries(saved.training.counted(), saved.recipe.seed)
    ranked = rank_features(data, methods=METHODS[1:], random_state=saved.recipe.seed)
    places = {NOMOGRAM: elimination_places(saved)} | {one.method: one.places for one in ranked.rankings}
    found = SelectorPlaces(
        study=str(saved.record.finished),
        features=saved.training.feature_names,
        n_kept=saved.elimination.n_kept,
        measure=saved.elimination.scoring,
        rankings=tuple(
            SelectorRanking(method=method, places=tuple(own.tolist()), scores=_scores_of_first(saved, own))
            for method, own in places.items()
        ),
    )
    write_atomically(saved.folder / PLACES, found.model_dump_json().encode())
    return found


def elimination_places(saved: SavedStudy) -> IntArray:
    """Return the place of each feature in the study's elimination: the feature that is dropped last is the first.

    Features that are never dropped keep the order of the data.
    """
    names = saved.training.feature_names
    dropped = [line.feature for one in saved.elimination.rounds for line in one.leaves]
    never = [name for name in names if name not in set(dropped)]
    place = {name: number for number, name in enumerate([*never, *reversed(dropped)], start=1)}
    return np.array([place[name] for name in names], dtype=np.int64)


def _scores_of_first(saved: SavedStudy, places: IntArray) -> tuple[float | None, ...] | None:
    """Return the scores of the study's model with the first features of a method, in the folds of the elimination.

    All methods have seen the held-out rows when they ranked the features, so that none has an advantage.
    """
    if saved.recipe.folds.unit == PAIR:
        return None
    picked = saved.training.pick_features(np.flatnonzero(places <= saved.elimination.n_kept).tolist())
    scores = saved.recipe.fold_scores(picked, saved.choice)
    return tuple(None if np.isnan(score) else score for score in scores)
