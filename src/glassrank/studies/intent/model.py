"""A classifier of intents at work: trained on labelled queries, asked about others, and made to say why."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from glassrank.core.checks import DataError, FloatArray, check_positive
from glassrank.core.progress import Progress, silent
from glassrank.core.wording import counted
from glassrank.data.csv_dialect import CsvText
from glassrank.modelfile.load_model import load_model, load_scorer
from glassrank.modelfile.save_model import save_model
from glassrank.navigational.decision_explanation import DecisionExplanation
from glassrank.navigational.feature_settings import FeatureSettings
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.features.vocabulary import numbered
from glassrank.navigational.integrate import integrate
from glassrank.navigational.navigational_classifier import NavigationalClassifier
from glassrank.navigational.normal_text import normal_query
from glassrank.navigational.preparation import MARK
from glassrank.navigational.query_url_features import absent_features, checked_input, compute_features
from glassrank.navigational.source_matching import match_sources
from glassrank.studies.intent.features import RANKS, features_of_results, notes_on
from glassrank.studies.intent.intents import match_intents

NAMES = {0: "informational", 1: "navigational"}
LACKING_SHOWN = 3


@dataclass(frozen=True)
class FeatureRow:
    """Features of one query, by name; what is not known is NaN."""

    query_id: str
    query: str
    values: Mapping[str, float]


@dataclass(frozen=True)
class Prediction:
    """What a model says about one query."""

    query_id: str
    query: str
    label: str
    """navigational or informational."""
    probability: float
    """P(navigational)."""


@dataclass(frozen=True, eq=False)
class IntentModel:
    """A fitted classifier of intents that knows its features by name."""

    classifier: NavigationalClassifier
    names: tuple[str, ...]
    """Every feature that it was trained on."""

    @property
    def settings(self) -> FeatureSettings | None:
        """Language and trusted hosts that it was trained with; None where an older file does not say."""
        return getattr(self.classifier, "feature_settings_", None)

    def agreed(self, language: str | None, trusted_hosts: tuple[str, ...] | None) -> FeatureSettings:
        """The settings of the features of queries to ask about: the model's own; others are refused."""
        if self.settings is None:
            return FeatureSettings(language, trusted_hosts)
        return self.settings.agreed(language, trusted_hosts)

    @property
    def needed(self) -> tuple[str, ...]:
        """The features that decide: those that a query must bring along."""
        return tuple(self.names[k] for k in np.unique(self.classifier.preparation_.sources))

    @classmethod
    def load(cls, path: str | Path) -> "IntentModel":
        """Load a model that ``save`` has written."""
        classifier, names = load_model(path), load_scorer(path).feature_names
        if not isinstance(classifier, NavigationalClassifier) or names is None:
            raise DataError(
                f"{path}: expected a NavigationalClassifier with named features, got {type(classifier).__name__}.",
                remedy="Train one: glassrank intent train.",
            )
        return cls(classifier, names)

    def save(self, path: str | Path) -> None:
        """Write the model as a checked file."""
        save_model(self.classifier, path, feature_names=self.names)

    def predict(self, rows: Sequence[FeatureRow]) -> list[Prediction]:
        """Label queries, with P(navigational)."""
        X = self._matrix(rows)
        labels, shares = self.classifier.predict(X).tolist(), self.classifier.predict_proba(X)[:, 1].tolist()
        return [
            Prediction(row.query_id, row.query, NAMES[label], share)
            for row, label, share in zip(rows, labels, shares, strict=True)
        ]

    def explain(self, row: FeatureRow) -> DecisionExplanation:
        """Say which features decided about one query."""
        found = self.classifier.explain(self._matrix([row]), self.names)
        words = {str(code): name for code, name in NAMES.items()}
        return replace(found, called=words[found.called], outcome=words[found.outcome])

    def selected(self) -> tuple[str, ...]:
        """The columns that decide, by name; a mark says that a feature is missing."""
        made = self.classifier.preparation_
        columns = zip(made.sources.tolist(), made.marks.tolist(), strict=True)
        return tuple(f"{self.names[source]}{MARK if marks else ''}" for source, marks in columns)

    def _matrix(self, rows: Sequence[FeatureRow]) -> FloatArray:
        """Values in the model's order; features that do not decide may be absent."""
        X = np.full((len(rows), len(self.names)), np.nan)
        needed = {self.names[k]: int(k) for k in np.unique(self.classifier.preparation_.sources)}
        for place, row in enumerate(rows):
            lacking = [name for name in needed if name not in row.values]
            if lacking:
                more = f" and {len(lacking) - LACKING_SHOWN} more" if len(lacking) > LACKING_SHOWN else ""
                raise DataError(
                    f"Query {row.query_id!r} lacks features that the model needs: "
                    f"{', '.join(lacking[:LACKING_SHOWN])}{more}.",
                    remedy="Give the sources that the model was trained with.",
                )
            X[place, list(needed.values())] = [row.values[name] for name in needed]
        return X


def _unheard(note: str) -> None:
    """Nobody listens."""


def train_intent(
    sources: IntentSources,
    intents: Mapping[str, int],
    *,
    coupling: tuple[str, str, int] | None = None,
    cv: int = 5,
    precision: float | None = None,
    nested: bool = False,
    strict: bool = False,
    n_jobs: int | None = None,
    random_state: int = 0,
    progress: Progress = silent,
    note: Callable[[str], None] = _unheard,
) -> IntentModel:
    """Compute features of labelled queries, and fit a ``NavigationalClassifier`` to them.

    ``coupling`` is (selector, classifier, number of features); without it the best of a grid is taken. ``note``
    is called with what is absent, unusual or left out, in words.
    """
    matched = match_intents(list(dict.fromkeys(sources.results.query_id)), intents, strict=strict)
    for one in matched.notes:
        note(one)
    table = features_of_results(sources, strict=strict, progress=progress)
    queries = integrate(table)
    noted = (*matched.notes, *notes_on(table.absent, table.matching, table.reading, queries.n_left_out))
    for one in noted:
        note(one)
    progress(0, None, "Training")
    classifier = NavigationalClassifier(
        coupling, cv=cv, precision=precision, nested=nested, n_jobs=n_jobs, random_state=random_state
    )
    texts = [normal_query(queries.queries[row]) for row in matched.rows]
    classifier.fit(queries.X[matched.rows], matched.y, groups=texts)
    classifier.feature_settings_ = sources.settings
    return IntentModel(classifier, queries.names)


def rows_of_results(
    sources: IntentSources,
    batch: int = 500,
    *,
    only: Collection[str] | None = None,
    strict: bool = False,
    note: Callable[[str], None] = _unheard,
) -> Iterator[FeatureRow]:
    """Features of the queries of a table of results, or ``only`` of some, made for ``batch`` queries at a time.

    All results together decide which features there are, and log, links and pages are read once: a query has the same
    features whatever the batch. With ``strict``, what is unusual in the input is an error; ``note`` is called with
    what is absent, unusual or left out, in words.
    """
    check_positive("batch", batch, whole=True)
    unusual = checked_input(sources, strict=strict)
    beyond = int((sources.results.rank > RANKS).sum())
    for one in notes_on(absent_features(sources), match_sources(sources), unusual, beyond):
        note(one)
    ids, query_of = numbered(sources.results.query_id)
    # Rows by query, so that a batch costs what its own rows cost.
    order = np.argsort(query_of, kind="stable")
    starts = np.searchsorted(query_of[order], np.arange(len(ids) + 1))
    asked = _asked(ids, only)
    for first in range(0, len(asked), batch):
        rows = [order[starts[number] : starts[number + 1]] for number in asked[first : first + batch]]
        queries = integrate(compute_features(sources.part(np.sort(np.concatenate(rows))), {}))
        for query_id, query, values in zip(queries.query_ids, queries.queries, queries.X, strict=True):
            yield FeatureRow(query_id, query, dict(zip(queries.names, values.tolist(), strict=True)))


def _asked(ids: Sequence[str], only: Collection[str] | None) -> list[int]:
    """Numbers of the queries asked about, in the order of the results."""
    if only is None:
        return list(range(len(ids)))
    number_of = {query_id: number for number, query_id in enumerate(ids)}
    unknown = next((query_id for query_id in only if query_id not in number_of), None)
    if unknown is not None:
        raise DataError(f"There is no query {unknown!r} in the input.", remedy="Check its query_id.")
    return sorted({number_of[query_id] for query_id in only})


def rows_of_table(lines: CsvText, needed: Sequence[str], place: str) -> Iterator[FeatureRow]:
    """Features from the rows of a table with the columns query_id and feature|operator; an empty field is missing."""
    lacking = next((name for name in ("query_id", *needed) if name not in lines.names), None)
    if lacking is not None:
        got = counted(len(lines.names), "other column")
        raise DataError(f"{place}: lacks the column {lacking!r}, which the model needs: got {got}.")
    for number, fields in lines.records():
        line = dict(zip(lines.names, fields, strict=True))
        values = {name: _number(line[name], f"{place}:{number}", name) for name in needed}
        yield FeatureRow(line["query_id"], line.get("query") or "", values)


def predict_each(model: IntentModel, rows: Iterable[FeatureRow]) -> Iterator[Prediction]:
    """Label queries one by one, each as soon as its features are there."""
    for row in rows:
        yield model.predict([row])[0]


def _number(text: str, place: str, name: str) -> float:
    try:
        value = float(text) if text.strip() else float("nan")
    except ValueError:
        value = float("inf")
    if np.isinf(value):
        raise DataError(f"{place}: {name} must be a finite number, or empty where it is missing: got {text!r}.")
    return value
