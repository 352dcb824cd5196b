"""The work of a study of several classes: every choice is made without the fold that it is measured on."""

import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.navigational.coupling.class_baselines import WHAT, called_by_baseline, class_baselines
from glassrank.navigational.coupling.classifiers import DEFAULT_CLASSIFIERS
from glassrank.navigational.coupling.couplings import GRID, Coupling
from glassrank.navigational.coupling.fold_work import stratified_folds
from glassrank.navigational.navigational_classifier import CHANCE, NavigationalClassifier
from glassrank.navigational.normal_text import normal_query
from glassrank.navigational.query_features import QueryFeatures
from glassrank.selection.selector_names import DEFAULT_SELECTORS
from glassrank.studies.intent.class_measures import ClassedQuery, ClassMeasures
from glassrank.studies.intent.intents import MatchedIntents
from glassrank.studies.resumable_steps import Steps

INNER_FOLDS = 3
"""Folds of the training rows on which couplings are chosen and probabilities calibrated."""
LEAST_QUERIES = 2 * INNER_FOLDS


def class_candidates(
    selectors: Sequence[str] | None, classifiers: Sequence[str] | None, n_features: int
) -> list[Coupling]:
    """Return the couplings to choose from: a small grid, or each of the given selectors with each classifier.

    >>> len(class_candidates(None, None, 50)), class_candidates(["SVM weights"], ["naive Bayes"], 9)
    (8, [Coupling(selector='SVM weights', classifier='naive Bayes', n_features=9)])
    """
    if selectors is None and classifiers is None:
        return [one if one.selector is None else one._replace(n_features=n_features) for one in GRID]
    return [
        Coupling(selector, classifier, n_features)
        for selector in selectors or DEFAULT_SELECTORS
        for classifier in classifiers or DEFAULT_CLASSIFIERS
    ]


@dataclass(frozen=True, eq=False)
class ClassFolds:
    """Labelled rows of a study, and how the classifier is fitted to them."""

    X: FloatArray
    labels: Any
    names: tuple[str, ...]
    groups: Any
    candidates: list[Coupling]
    n_jobs: int | None
    seed: int

    def measure_fold(self, codes: IntArray, train: IntArray, held_out: IntArray) -> dict[str, Any]:
        """Fit the classifier and the baselines to the training rows, and return their predictions as plain values."""
        model = NavigationalClassifier(self.candidates, cv=INNER_FOLDS, n_jobs=self.n_jobs, random_state=self.seed)
        with warnings.catch_warnings():
            # The measures of the class show it.
            warnings.filterwarnings("ignore", message=CHANCE)
            model.fit(self.X[train], self.labels[train], groups=self.groups[train])
        known = dict(zip(model.classes_.tolist(), model.class_models_, strict=True))
        return {
            "rows": held_out.tolist(),
            "predicted": model.predict(self.X[held_out]).tolist(),
            "probabilities": model.predict_proba(self.X[held_out]).tolist(),
            "baselines": {
                name: called_by_baseline(name, self.X, codes, train, held_out, self.seed).tolist()
                for name in class_baselines()
            },
            "couplings": {name: str(own.coupling) for name, own in known.items()},
            "selected": {name: list(own.preparation.names(self.names)) for name, own in known.items()},
        }


def measure_classes(
    queries: QueryFeatures,
    matched: MatchedIntents,
    candidates: list[Coupling],
    cv: int,
    steps: Steps,
    n_jobs: int | None,
    seed: int,
) -> ClassMeasures:
    """Measure the classifier on each fold, trained on the others; finished folds are stored."""
    groups = np.array([normal_query(queries.queries[row]) for row in matched.rows])
    work = ClassFolds(queries.X[matched.rows], matched.labels, queries.names, groups, candidates, n_jobs, seed)
    folds = stratified_folds(cv, matched.y, seed, groups, matched.classes)
    found = [
        steps.run(f"classes-fold-{number}", _bound(work, matched.y, *fold), label=f"fold {number} of {cv}")
        for number, fold in enumerate(folds, start=1)
    ]
    return _gathered(queries, matched, found)


def _bound(work: ClassFolds, codes: IntArray, train: IntArray, held_out: IntArray) -> Callable[[], dict[str, Any]]:
    return lambda: work.measure_fold(codes, train, held_out)


def _gathered(queries: QueryFeatures, matched: MatchedIntents, folds: Sequence[dict[str, Any]]) -> ClassMeasures:
    """Put the predictions of all folds together, in the order of the queries."""
    order = np.argsort(np.concatenate([fold["rows"] for fold in folds]), kind="stable").tolist()

    def in_order(values: list[Any]) -> list[Any]:
        return [values[place] for place in order]

    predicted = in_order([label for fold in folds for label in fold["predicted"]])
    shares = in_order([tuple(own) for fold in folds for own in fold["probabilities"]])
    rows = zip(matched.rows.tolist(), matched.labels.tolist(), predicted, shares, strict=True)
    baselines = {
        name: (
            WHAT[name],
            tuple(matched.classes[k] for k in in_order([k for f in folds for k in f["baselines"][name]])),
        )
        for name in folds[0]["baselines"]
    }
    return ClassMeasures(
        matched.classes,
        tuple(ClassedQuery(queries.query_ids[row], queries.queries[row], *others) for row, *others in rows),
        baselines,
        {name: dict(Counter(fold["couplings"][name] for fold in folds).most_common()) for name in matched.classes},
        {
            name: dict(Counter(column for fold in folds for column in fold["selected"][name]).most_common())
            for name in matched.classes
        },
    )
