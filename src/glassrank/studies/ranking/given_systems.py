"""The user's own systems in a study: scores of documents, fitted models, and estimators that the study fits."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from joblib import hash as digest_of
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from glassrank.core.checks import DataError, FloatArray, as_vector, check_length, within
from glassrank.core.feature_kinds import CATEGORY, FeatureKind, in_levels_of
from glassrank.core.wording import counted, listed, shortened
from glassrank.data.ranking_data import RankingData
from glassrank.data.scores import load_document_scores, match_scores
from glassrank.data.trec import Run
from glassrank.modelfile.load_ranker import is_model_file, read_ranker
from glassrank.modelfile.match_features import MatchedFeatures, match_features
from glassrank.modelfile.saved_model import SavedModel
from glassrank.ranking.any_ranker import check_ranker, document_scores, fit_ranker, scores_documents, tolerant
from glassrank.ranking.calibration import PREFIT, PairCalibrator
from glassrank.ranking.tree_rankers import BoostedTrees, library_of
from glassrank.studies.ranking.measuring.fold_rows import FoldRows
from glassrank.studies.ranking.systems import SYSTEMS, FoldScores, fit_with_probabilities

SCORES, MODEL, ESTIMATOR = "scores", "model", "estimator"
MAX_LABEL = 60
MAY_HAVE_SEEN = (
    "If it was trained on some of these queries, its measures and probabilities are optimistic: measure it on test "
    "data that it has not seen."
)


@dataclass(frozen=True, eq=False)
class GivenSystem:
    """A system with the name that the user gave it."""

    name: str
    value: Any
    """Run, mapping or array of scores; fitted model or SavedModel; unfitted estimator."""

    @cached_property
    def kind(self) -> str:
        """Whether the system is scores, a fitted model, or an estimator to fit."""
        if isinstance(self.value, SavedModel) or library_of(self.value) is not None:
            return MODEL if isinstance(self.value, SavedModel) or _is_fitted(self.value) else ESTIMATOR
        if hasattr(self.value, "fit"):
            return MODEL if _is_fitted(self.value) else ESTIMATOR
        return MODEL if callable(self.value) or hasattr(self.value, "predict") else SCORES

    @property
    def label(self) -> str:
        """The name in one line: without control characters, and not too long."""
        words = " ".join("".join(letter if letter.isprintable() else " " for letter in self.name).split())
        return shortened(words, MAX_LABEL)

    def label_in_report(self, *, has_test: bool) -> str:
        """Return the label, marked if the system may have seen the queries that it is measured on."""
        return self.label if has_test or self.kind == ESTIMATOR else f"{self.label} (as given)"

    @property
    def digest(self) -> str:
        """A digest of the name and the parameters of an estimator, for its steps."""
        return str(digest_of((self.name, type(self.value).__qualname__, self.value)))

    def scores(self, data: RankingData, others: tuple[RankingData, ...]) -> FloatArray:
        """Return the score of each row: matched by query and document, in the rows' order, or predicted."""
        with within(f"system {self.label!r}"):
            if self.kind == MODEL:
                return document_scores(self._model, self.shown(data).table)
            if isinstance(self.value, Run):
                return match_scores(self.value, data, others)
            if isinstance(self.value, Mapping):
                return match_scores(_run_of(self.value), data, others)
            scores = as_vector("scores", self.value)
            check_length("scores", scores, data.n_rows, per="measured document")
            return scores

    def shown(self, data: RankingData) -> RankingData:
        """Return the documents as a fitted model takes them: its features by name, in its order."""
        with within(f"system {self.label!r}"):
            found = self._matched(data).data
            return self.value.scaled(found) if isinstance(self.value, SavedModel) else found

    def explained(self, data: RankingData, seed: int, cv: int) -> Any:
        """Return the model with probabilities: fitted to the data if it is an estimator, otherwise only calibrated.

        A model that has probabilities keeps them, and one whose pairs give none has none.
        """
        if self.kind == ESTIMATOR:
            return fit_with_probabilities(PairCalibrator(self.value, cv=cv, random_state=seed), data.counted())[0]
        if isinstance(self._model, PairCalibrator):
            return self._model
        made = PairCalibrator(self._model, cv=PREFIT, random_state=seed)
        return fit_with_probabilities(made, self.shown(data))[0]

    def fold_scores(self, fold: FoldRows) -> FoldScores:
        """Score the documents of a fold by a clone of the estimator, fitted to its training rows."""
        train = fold.train.counted()
        fitted = fit_ranker(tolerant(clone(self.value)), train.table, train.y, train.groups, train.weights)
        return FoldScores(document_scores(fitted, fold.test.table))

    def note(self, data: RankingData, has_test: bool) -> str:
        """Say how the system was measured, and which features of the data it does not use."""
        if self.kind == ESTIMATOR:
            return f"{self.label}: trained by the study, on the same queries as its own model."
        what = "scores, measured as they are" if self.kind == SCORES else "a fitted model, measured as it is"
        seen = "" if has_test else f" {MAY_HAVE_SEEN}"
        matched = self._matched(data) if self.kind == MODEL else MatchedFeatures(data, by_name=True)
        ignored = matched.ignored
        nameless = (
            "" if matched.by_name else " It has no feature names and takes the features in the order of the data."
        )
        features = counted(len(ignored), "feature")
        unused = f" It does not use {features} of the data: {listed(ignored)}." if ignored else ""
        return f"{self.label}: {what}.{seen}{nameless}{unused}{self._codes_in_words(data)}"

    def _codes_in_words(self, data: RankingData) -> str:
        """Say which categories a model knows by code only."""
        if library_of(self.value) is None:
            return ""
        levels = BoostedTrees.of(self.value).levels
        kinds, names = (self.shown(data).kinds, self.shown(data).feature_names)
        coded = [names[k] for k, known in levels.items() if isinstance(known, int) and kinds[k].is_category]
        if not coded:
            return ""
        return f" It knows {listed(coded)} by codes, which are taken as the data's levels in their order."

    @cached_property
    def _model(self) -> Any:
        return self.value.restore() if isinstance(self.value, SavedModel) else self.value

    def _matched(self, data: RankingData) -> MatchedFeatures:
        value = self.value
        if library_of(value) is not None:
            trees = BoostedTrees.of(value)
            return match_features(data, trees.names_in(data.feature_names), trees.n_features, by_position=True)
        if isinstance(value, SavedModel):
            return match_features(data, value.feature_names, value.n_features, by_position=True)
        names = getattr(value, "feature_names_in_", None)
        n_features = getattr(value, "n_features_in_", data.n_features)
        return match_features(data, None if names is None else tuple(map(str, names)), n_features, by_position=True)


def read_systems(systems: Mapping[str, Any] | None) -> tuple[GivenSystem, ...]:
    """Return the given systems, checked: paths become scores or models, by the content of the file."""
    found = []
    for name, value in (systems or {}).items():
        _check_name(name)
        with within(f"system {GivenSystem(str(name), None).label!r}"):
            if isinstance(value, str | os.PathLike):
                value = load_system(value) if is_model_file(value) else load_document_scores(value)
            system = GivenSystem(name, value)
            if system.kind != SCORES and not isinstance(value, SavedModel) and not library_of(value):
                check_ranker(value, fitted=system.kind == MODEL)
                if not scores_documents(value):
                    raise DataError(f"A system scores documents: {type(value).__name__} only compares two of them.")
            found.append(system)
    return tuple(found)


def load_system(path: str | os.PathLike[str]) -> Any:
    """Load a fitted ranker that scores documents from a file; one of glassrank as ``SavedModel``."""
    found = read_ranker(path)
    if not isinstance(found, SavedModel):
        return found.restore()
    if not found.scores_documents:
        raise DataError(f"{path}: {found.kind} does not score single documents: expected a ranker that does.")
    with within(path):
        check_ranker(found.restore(), fitted=True)
    return found


def in_training_levels(test: RankingData, kinds: Sequence[FeatureKind]) -> RankingData:
    """Return the data with the codes of the training data's levels; levels that are new come after them.

    Models that know categories by code only take them in the codes of the training data.
    """
    if test.kinds == tuple(kinds):
        return test
    joined = [
        FeatureKind(CATEGORY, (*own.levels, *(level for level in other.levels if level not in set(own.levels))))
        if own.is_category and other.is_category
        else other
        for own, other in zip(kinds, test.kinds, strict=True)
    ]
    return replace(test, X=in_levels_of(test.table, joined, test.feature_names), kinds=joined)


def _check_name(name: Any) -> None:
    if not isinstance(name, str) or not name.strip():
        raise DataError(parameter="systems", expected="named by text that is not empty", got=name)
    if name in SYSTEMS:
        raise DataError(
            f"systems must not be named {name!r}, which the study uses itself, as {', '.join(map(repr, SYSTEMS))}.",
            parameter="systems",
            got=name,
            remedy="Choose another name.",
        )


def _run_of(scores: Mapping[Any, Any]) -> Run:
    for key in scores:
        if not (isinstance(key, tuple) and len(key) == 2):
            raise DataError(f"Scores by document have keys (query, document): got {key!r}.")
    pairs = list(scores)
    return Run([str(query) for query, _ in pairs], [str(document) for _, document in pairs], list(scores.values()))


def _is_fitted(model: Any) -> bool:
    if not hasattr(model, "fit"):
        return True  # a Booster has no state before training
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True
