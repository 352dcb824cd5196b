"""The models with which the model of a study can be compared: other sizes, other systems, other studies."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.additive.effects import AdditiveEffects
from glassrank.core.checks import DataError, FloatArray, IntArray
from glassrank.core.wording import counted
from glassrank.data.ranking_data import RankingData
from glassrank.nomograms.adapters.effects_on_data import effects_on
from glassrank.nomograms.document_names import document_names
from glassrank.ranking.any_ranker import fit_ranker, list_scores
from glassrank.studies.ranking.measuring.study_folds import QUERY
from glassrank.studies.ranking.systems import KEPT, SYSTEMS
from glassrank.studies.views.saved_study import SavedStudy

SYSTEM = "system:"
TEST, REFITTED, NESTED, SEEN, GIVEN = "test", "refitted", "nested", "seen", "given"


@dataclass(frozen=True)
class FinalModel:
    """A trained model with the measured documents, by which lists are ranked and pairs are explained."""

    effects: AdditiveEffects
    documents: RankingData
    """The documents with the features of the model, in its codes."""
    scores: FloatArray


@dataclass(frozen=True)
class Contender:
    """One of two compared models."""

    label: str
    scores: FloatArray
    """Scores of the measured documents, by which the model is measured."""
    measured: str
    """``"test"``: on test data. ``"refitted"``: by models with the same features, trained without the query.
    ``"nested"``: by the whole procedure, run without the query. ``"seen"``: by a model that has seen the query.
    ``"given"``: a system of the user, which may have seen the query.
    """
    final: FinalModel | None
    """None for a system that is known by its scores only."""


def offered(study: SavedStudy) -> dict[str, str]:
    """Return what the study itself offers to compare its model with: key → label, the sizes first.

    A key is a number of features, or ``system:`` and the name of a system with held-out scores.

    >>> import glassrank as gr
    >>> _ = gr.study(gr.simulate_ranking(20, 10, random_state=0).data, folder="shop", tune=0)
    >>> [key for key in offered(SavedStudy.open("shop")) if not key.isdigit()]
    ['system:full', 'system:single', 'system:lightgbm']
    """
    sizes = {str(n): size_label(study, n) for n in study.sizes if n != study.elimination.n_kept}
    return sizes | {f"{SYSTEM}{name}": study.system_labels.get(name, name) for name in study.held_out if name != KEPT}


def size_label(study: SavedStudy, n_features: int) -> str:
    """Return the label of a size, with the one feature by which it differs from the study's model if it is one."""
    text = f"RankSVM, {counted(n_features, 'feature')}"
    if n_features == study.elimination.n_kept:
        return f"{text} (chosen)"
    own, kept = set(study.features_with(n_features)), set(study.kept_features)
    changed = [f"without {name}" for name in kept - own] + [f"with {name}" for name in own - kept]
    return f"{text} ({changed[0]})" if len(changed) == 1 else text


def size_pair(study: SavedStudy, n_features: int) -> tuple[Contender, Contender]:
    """Return the study's model and one of another size.

    Without test data, both are measured by models with their features that are trained without the queries' folds.
    """
    return _of_size(study, study.elimination.n_kept), _of_size(study, n_features)


def system_pair(study: SavedStudy, system: str) -> tuple[Contender, Contender]:
    """Return the study's model and another system of the study, both by their held-out scores."""
    scores = study.held_out.get(system)
    if scores is None:
        raise DataError(f"There is no system {system!r} in this study.", remedy="Choose one of the list.")
    label = offered(study)[f"{SYSTEM}{system}"]
    return _own(study), Contender(label, scores, _measured(study, NESTED) if system in SYSTEMS else GIVEN, None)


def study_pair(study: SavedStudy, other: SavedStudy) -> tuple[Contender, Contender]:
    """Return the models of two studies of the same documents; the rows of the other are brought into the same order."""
    order = matching_rows(study.measured, other.measured, other.record.title)
    label = f"{other.record.title}: {size_label(other, other.elimination.n_kept).removesuffix(' (chosen)')}"
    documents = other.measured.pick_rows(order).pick_features(other.kept_features)
    scores = other.held_out[KEPT][order]
    return _own(study), Contender(label, scores, _measured(other, NESTED), _final(other.model, documents))


def matching_rows(data: RankingData, other: RankingData, title: str) -> IntArray:
    """Return the rows of ``other`` in the order of ``data``; documents are matched by query and document id.

    >>> first = RankingData([[1.0], [2.0]], y=[0, 1], qid=[7, 7], doc_ids=["a", "b"])
    >>> matching_rows(first, first.pick_rows(np.array([1, 0])), "Shop").tolist()
    [1, 0]
    """
    if (data.doc_ids is None) != (other.doc_ids is None) or data.n_rows != other.n_rows:
        raise _other_documents(title, f"{data.n_rows:,} and {other.n_rows:,} documents")
    places = {key: row for row, key in enumerate(_keys(other))}
    found = [places.get(key, -1) for key in _keys(data)]
    if -1 in found or len(set(found)) < len(found):
        raise _other_documents(title, "queries or documents differ")
    order = np.array(found)
    if not np.array_equal(other.y[order], data.y):
        raise _other_documents(title, "labels differ")
    return order


def _keys(data: RankingData) -> list[tuple[str, str]]:
    """Return query and document of every row; without document ids, a document is its place in the query."""
    names = np.empty(data.n_rows, dtype=object)
    for query in range(data.groups.n_queries):
        rows = data.groups.rows(query)
        names[rows] = document_names(data, rows)
    return list(zip(data.qid.astype(str).tolist(), names.tolist(), strict=True))


def _other_documents(title: str, what: str) -> DataError:
    return DataError(
        f"The study {title!r} was measured on other documents: {what}.",
        remedy="Compare studies that were measured on the same queries, documents and labels.",
    )


def _own(study: SavedStudy) -> Contender:
    n_kept = study.elimination.n_kept
    final = _final(study.model, study.measured.pick_features(study.kept_features))
    return Contender(size_label(study, n_kept), study.held_out[KEPT], _measured(study, NESTED), final)


def _of_size(study: SavedStudy, n_features: int) -> Contender:
    final = _final(study.model_with(n_features), study.measured.pick_features(study.features_with(n_features)))
    measured = _measured(study, REFITTED)
    scores = final.scores
    if measured == REFITTED:
        scores = study.once(("refitted", n_features), lambda: _refitted_scores(study, n_features))
    return Contender(size_label(study, n_features), scores, measured, final)


def _measured(study: SavedStudy, by_folds: str) -> str:
    if study.measured is not study.training:
        return TEST
    return by_folds if study.recipe.folds.unit == QUERY else SEEN


def _refitted_scores(study: SavedStudy, n_features: int) -> FloatArray:
    """Return the score of each document by a model with these features that was trained without its query."""
    recipe, data = study.recipe, study.training.pick_features(study.features_with(n_features))
    scores = np.empty(data.n_rows)
    for rest, rows in recipe.folds.measuring(data):
        train, held_out = data.pick_rows(rest).counted(), data.pick_rows(rows)
        ranker = recipe.ranker(train, study.choice)
        model = fit_ranker(ranker, train.table, train.y, train.groups, train.weights)
        scores[rows] = list_scores(model, held_out.table, held_out.groups)
    return scores


def _final(model: Any, documents: RankingData) -> FinalModel:
    effects, coded = effects_on(model, documents)
    return FinalModel(effects, coded, list_scores(model, documents.table, documents.groups))
