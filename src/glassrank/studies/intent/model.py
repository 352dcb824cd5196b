"""Train a classifier of intents on labelled queries, predict the intents of other queries, and explain predictions."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, FloatArray, IntArray, check_positive
from glassrank.core.progress import Progress, silent
from glassrank.core.wording import counted, listed
from glassrank.data.csv_dialect import CsvText
from glassrank.modelfile.load_model import read_model
from glassrank.modelfile.save_model import save_model
from glassrank.navigational.coupling.couplings import EVERY
from glassrank.navigational.decision_explanation import DecisionExplanation
from glassrank.navigational.feature_settings import BARE, FeatureSettings
from glassrank.navigational.features.log_extent import LogExtent
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.features.vocabulary import numbered
from glassrank.navigational.integrate import integrate
from glassrank.navigational.navigational_classifier import NavigationalClassifier
from glassrank.navigational.normal_text import normal_query
from glassrank.navigational.query_url_features import absent_features, checked_input, compute_features
from glassrank.navigational.source_matching import match_sources
from glassrank.studies.intent.features import RANKS, features_of_results, notes_on
from glassrank.studies.intent.intents import NAMES, Intents, match_intents

MAX_MISSING_SHOWN = 3


@dataclass(frozen=True)
class FeatureRow:
    """Features of one query by name; missing values are NaN."""

    query_id: str
    query: str
    values: Mapping[str, float]


@dataclass(frozen=True)
class Prediction:
    """The prediction of a model for one query."""

    query_id: str
    query: str
    label: str
    """The predicted class."""
    probabilities: Mapping[str, float]
    """P of each class, in alphabetical order."""

    @property
    def probability(self) -> float:
        """P(navigational), for models of navigational and informational queries."""
        return self.probabilities[NAMES[1]]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values: P(navigational), or with more than two classes, P of each."""
        plain = {"query_id": self.query_id, "query": self.query, "label": self.label}
        if len(self.probabilities) > 2:
            return {**plain, "probabilities": dict(self.probabilities)}
        return {**plain, "probability": self.probability}


@dataclass(frozen=True, eq=False)
class IntentModel:
    """A fitted classifier of intents with named features."""

    classifier: NavigationalClassifier
    names: tuple[str, ...]
    """All features that it was trained on."""

    @property
    def settings(self) -> FeatureSettings | None:
        """Settings of the features that it was trained with; None if an older file does not state them."""
        return getattr(self.classifier, "feature_settings_", None)

    @property
    def training_log(self) -> LogExtent | None:
        """Size and period of the log that it was trained with; None without a log, and in older files."""
        return getattr(self.classifier, "training_log_", None)

    def warning_about(self, sources: IntentSources) -> str | None:
        """Say how the log of the sources differs from that of the training; None if it does not."""
        facts = sources.log_facts
        if self.training_log is None or facts is None:
            return None
        return self.training_log.warning(LogExtent.of(facts))

    def agreed(
        self, language: str | None, trusted_hosts: tuple[str, ...] | None, urlmr: str | None = None
    ) -> FeatureSettings:
        """Return the feature settings for prediction: the model's own. Different ones are an error."""
        if self.settings is None:
            return FeatureSettings(language, trusted_hosts, urlmr or BARE)
        return self.settings.agreed(language, trusted_hosts, urlmr)

    @property
    def needed(self) -> tuple[str, ...]:
        """The features that the model uses, which a query must have."""
        return tuple(self.names[k] for k in self._used)

    @property
    def _used(self) -> IntArray:
        return np.unique(np.concatenate([model.used for model in self.classifier.class_models_]))

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes, in the order of the probabilities."""
        return tuple(NAMES.get(label, str(label)) for label in self.classifier.classes_.tolist())

    @classmethod
    def load(cls, path: str | Path) -> "IntentModel":
        """Load a model written by ``save``."""
        saved = read_model(path)
        classifier, names = saved.restore(), saved.feature_names
        if not isinstance(classifier, NavigationalClassifier) or names is None:
            raise DataError(
                f"{path}: expected a NavigationalClassifier with named features, got {type(classifier).__name__}.",
                remedy="Train one: glassrank intent train.",
            )
        return cls(classifier, names)

    def save(self, path: str | Path) -> None:
        """Write the model as a file with a checksum."""
        save_model(self.classifier, path, feature_names=self.names)

    def predict(self, rows: Sequence[FeatureRow]) -> list[Prediction]:
        """Label queries, with the probability of each class."""
        X, names = self._matrix(rows), self.classes
        labels, shares = self.classifier.predict(X), self.classifier.predict_proba(X).tolist()
        places = np.searchsorted(self.classifier.classes_, labels).tolist()
        return [
            Prediction(row.query_id, row.query, names[place], dict(zip(names, own, strict=True)))
            for row, place, own in zip(rows, places, shares, strict=True)
        ]

    def explain(self, row: FeatureRow, outcome: str | None = None) -> DecisionExplanation:
        """Explain the prediction for one query by its features.

        The contributions are those to ``outcome``, a class: by default navigational, or with more than two classes,
        the predicted one.
        """
        code = dict(zip(self.classes, self.classifier.classes_.tolist(), strict=True))
        if outcome is not None and outcome.casefold() not in code:
            raise DataError(parameter="outcome", expected=f"one of the classes {', '.join(code)}", got=outcome)
        asked = None if outcome is None else code[outcome.casefold()]
        found = self.classifier.explain(self._matrix([row]), self.names, asked)
        words = {str(label): name for name, label in code.items()}
        return replace(found, called=words[found.called], outcome=words[found.outcome])

    def selected(self) -> dict[str, tuple[str, ...]]:
        """Return the columns that the model of each class uses; a suffix marks indicators of missing values."""
        models = self.classifier.class_models_
        return {name: model.preparation.names(self.names) for name, model in zip(self.modelled, models, strict=True)}

    @property
    def modelled(self) -> tuple[str, ...]:
        """The classes that have a model of their own: navigational alone, or all of more than two."""
        return self.classes if len(self.classes) > 2 else self.classes[1:]

    def _matrix(self, rows: Sequence[FeatureRow]) -> FloatArray:
        """Values in the model's order; features that the model does not use may be absent."""
        X = np.full((len(rows), len(self.names)), np.nan)
        needed = {self.names[k]: int(k) for k in self._used}
        for place, row in enumerate(rows):
            lacking = [name for name in needed if name not in row.values]
            if lacking:
                raise DataError(
                    f"Query {row.query_id!r} lacks features that the model needs: "
                    f"{listed(lacking, MAX_MISSING_SHOWN)}.",
                    remedy="Give the sources that the model was trained with.",
                )
            X[place, list(needed.values())] = [row.values[name] for name in needed]
        return X


def _ignore(note: str) -> None:
    """Discard a note."""


def train_intent(
    sources: IntentSources,
    intents: Intents,
    *,
    coupling: str | tuple[str, str, int] | None = EVERY,
    cv: int = 5,
    precision: float | None = None,
    tune: bool = True,
    nested: bool = False,
    strict: bool = False,
    n_jobs: int | None = None,
    random_state: int = 0,
    progress: Progress = silent,
    note: Callable[[str], None] = _ignore,
) -> IntentModel:
    """Compute the features of labelled queries and fit a ``NavigationalClassifier`` to them.

    ``coupling`` is (selector, classifier, number of features). By default, the best of all couplings that a study ranks
    is chosen; None tries a small grid. With more than two classes, it is chosen for each class. ``tune`` chooses C and
    γ inside each fold. ``note`` is called with each message about absent, unusual or left-out input.
    """
    matched = match_intents(list(dict.fromkeys(sources.results.query_id)), intents, strict=strict)
    matched.check_folds(cv)
    for one in (*matched.notes, *matched.class_notes):
        note(one)
    table = features_of_results(sources, strict=strict, progress=progress)
    queries = integrate(table)
    for one in notes_on(table.absent, match_sources(sources, intents), table.reading, queries.n_left_out):
        note(one)
    progress(0, None, "Training")
    classifier = NavigationalClassifier(
        coupling, cv=cv, precision=precision, tune=tune, nested=nested, n_jobs=n_jobs, random_state=random_state
    )
    texts = [normal_query(queries.queries[row]) for row in matched.rows]
    classifier.fit(queries.X[matched.rows], matched.labels, groups=texts)
    classifier.feature_settings_ = sources.settings
    if sources.log_facts is not None:
        classifier.training_log_ = LogExtent.of(sources.log_facts)
    return IntentModel(classifier, queries.names)


def rows_of_results(
    sources: IntentSources,
    batch: int = 500,
    *,
    only: Collection[str] | None = None,
    strict: bool = False,
    note: Callable[[str], None] = _ignore,
) -> Iterator[FeatureRow]:
    """Yield the features of the queries in a table of results, or ``only`` of some, ``batch`` queries at a time.

    The features depend on all results, and log, links and pages are read once, so the batch size does not change the
    features of a query. With ``strict``, unusual input is an error. ``note`` is called with each message about absent,
    unusual or left-out input.
    """
    check_positive("batch", batch, whole=True)
    unusual = checked_input(sources, strict=strict)
    beyond = int((sources.results.rank > RANKS).sum())
    for one in notes_on(absent_features(sources), match_sources(sources), unusual, beyond):
        note(one)
    ids, query_of = numbered(sources.results.query_id)
    # Sort rows by query, so that the cost of a batch depends on its own rows only.
    order = np.argsort(query_of, kind="stable")
    starts = np.searchsorted(query_of[order], np.arange(len(ids) + 1))
    asked = _asked(ids, only)
    for first in range(0, len(asked), batch):
        rows = [order[starts[number] : starts[number + 1]] for number in asked[first : first + batch]]
        queries = integrate(compute_features(sources.part(np.sort(np.concatenate(rows))), {}))
        for query_id, query, values in zip(queries.query_ids, queries.queries, queries.X, strict=True):
            yield FeatureRow(query_id, query, dict(zip(queries.names, values.tolist(), strict=True)))


def _asked(ids: Sequence[str], only: Collection[str] | None) -> list[int]:
    """Numbers of the requested queries, in the order of the results."""
    if only is None:
        return list(range(len(ids)))
    number_of = {query_id: number for number, query_id in enumerate(ids)}
    unknown = next((query_id for query_id in only if query_id not in number_of), None)
    if unknown is not None:
        raise DataError(f"The input has no query {unknown!r}.", remedy="Check its query_id.")
    return sorted({number_of[query_id] for query_id in only})


def rows_of_table(lines: CsvText, needed: Sequence[str], place: str) -> Iterator[FeatureRow]:
    """Yield features from a table with the columns query_id and feature|operator; empty fields are missing values."""
    check_columns(lines, needed, place)
    for number, fields in lines.records():
        yield read_row(dict(zip(lines.names, fields, strict=True)), needed, f"{place}:{number}")


def read_row(line: Mapping[str, str], needed: Sequence[str], place: str) -> FeatureRow:
    """Return the features of one line of a table, whose fields are given by column."""
    values = {name: _number(line[name], place, name) for name in needed}
    return FeatureRow(line["query_id"], line.get("query") or "", values)


def check_columns(lines: CsvText, needed: Sequence[str], place: str) -> None:
    """Raise an error if a table lacks query_id or a feature that the model needs."""
    lacking = next((name for name in ("query_id", *needed) if name not in lines.names), None)
    if lacking is not None:
        got = counted(len(lines.names), "other column")
        raise DataError(f"{place}: column {lacking!r} is missing, which the model needs: got {got}.")


def predict_each(model: IntentModel, rows: Iterable[FeatureRow]) -> Iterator[Prediction]:
    """Label queries one by one, each as soon as its features are available."""
    for row in rows:
        yield model.predict([row])[0]


def _number(text: str, place: str, name: str) -> float:
    try:
        value = float(text) if text.strip() else float("nan")
    except ValueError:
        value = float("inf")
    if np.isinf(value):
        raise DataError(f"{place}: {name} must be a finite number, or empty if it is missing: got {text!r}.")
    return value
