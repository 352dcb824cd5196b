"""A classifier of intents at work: trained on labelled queries, asked about others, and made to say why."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from glassrank.core.checks import DataError, FloatArray, check_positive
from glassrank.modelfile.load import load_model, load_scorer
from glassrank.modelfile.save import save_model
from glassrank.navigational.classifier import NavigationalClassifier
from glassrank.navigational.decision_explanation import DecisionExplanation
from glassrank.navigational.generation import query_url_features
from glassrank.navigational.integration import integrate
from glassrank.navigational.normal_text import normal_query
from glassrank.navigational.preparation import MARK
from glassrank.studies.intent_features import IntentSources
from glassrank.studies.intents import match_intents

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
    def needed(self) -> tuple[str, ...]:
        """The features that decide: those that a query must bring along."""
        return tuple(self.names[k] for k in np.unique(self.classifier.preparation_.sources))

    @classmethod
    def load(cls, path: str | Path) -> "IntentModel":
        """Load a model that ``save`` has written."""
        classifier, names = load_model(path), load_scorer(path).feature_names
        if not isinstance(classifier, NavigationalClassifier) or names is None:
            raise DataError(
                f"{path}: expected a NavigationalClassifier with named features, got {type(classifier).__name__}. "
                "Train one: glassrank intent train."
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
        found = self.classifier.explain(self._matrix([row]))
        name_of = {f"feature {number}": name for number, name in enumerate(self.names, start=1)}
        named = tuple(replace(one, feature=name_of[one.feature]) for one in found.contributions)
        words = {str(code): name for code, name in NAMES.items()}
        return replace(found, contributions=named, called=words[found.called], outcome=words[found.outcome])

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
                    f"Query {row.query_id!r} lacks features that the model needs: {', '.join(lacking[:LACKING_SHOWN])}"
                    f"{more}. Give the sources that the model was trained with."
                )
            X[place, list(needed.values())] = [row.values[name] for name in needed]
        return X


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
    progress: Callable[[str], None] | None = None,
) -> IntentModel:
    """Compute features of labelled queries, and fit a ``NavigationalClassifier`` to them.

    ``coupling`` is (selector, classifier, number of features); without it the best of a grid is taken.
    """
    say = progress if progress is not None else _silent
    matched = match_intents(list(dict.fromkeys(sources.results.query_id)), intents, strict=strict)
    for note in matched.notes:
        say(note)
    table = query_url_features(
        sources.results,
        sources.clicks,
        sources.links,
        sources.pages,
        language=sources.language,
        trusted_hosts=sources.trusted_hosts,
        strict=strict,
        progress=lambda group: say(f"Features of results: {group}"),
    )
    queries = integrate(table)
    say("Training")
    classifier = NavigationalClassifier(
        coupling, cv=cv, precision=precision, nested=nested, n_jobs=n_jobs, random_state=random_state
    )
    texts = [normal_query(queries.queries[row]) for row in matched.rows]
    return IntentModel(classifier.fit(queries.X[matched.rows], matched.y, groups=texts), queries.names)


def rows_of_results(sources: IntentSources, batch: int = 500, *, strict: bool = False) -> Iterator[FeatureRow]:
    """Features of the queries of a table of results, made for ``batch`` queries at a time.

    With ``strict``, what is unusual in the input is an error.
    """
    check_positive("batch", batch, whole=True)
    results = sources.results
    ids = list(dict.fromkeys(results.query_id))
    number = {query_id: place // batch for place, query_id in enumerate(ids)}
    batch_of = np.array([number[query_id] for query_id in results.query_id], dtype=np.int64)
    for first in range(batch_of.max(initial=-1) + 1):
        queries = integrate(
            query_url_features(
                results.pick_rows(np.flatnonzero(batch_of == first)),
                sources.clicks,
                sources.links,
                sources.pages,
                language=sources.language,
                trusted_hosts=sources.trusted_hosts,
                strict=strict,
            )
        )
        for query_id, query, values in zip(queries.query_ids, queries.queries, queries.X, strict=True):
            yield FeatureRow(query_id, query, dict(zip(queries.names, values.tolist(), strict=True)))


def rows_of_table(lines: Iterable[Mapping[str, str]], needed: Sequence[str], place: str) -> Iterator[FeatureRow]:
    """Features from the rows of a table with the columns query_id and feature|operator; an empty field is missing."""
    for number, line in enumerate(lines, start=2):
        lacking = next((name for name in ("query_id", *needed) if line.get(name) is None), None)
        if lacking is not None:
            raise DataError(f"{place}:{number}: lacks the column {lacking!r}, which the model needs.")
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


def _silent(step: str) -> None:
    """No one wants to know."""
