"""Answer queries one by one from stored statistics: intent, probability, and the features that decided."""

import codecs
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from glassrank.core.checks import DataError
from glassrank.core.wording import counted
from glassrank.data.search_results import SearchResults
from glassrank.navigational.decision_explanation import DecisionContribution
from glassrank.navigational.feature_labels import feature_label
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.integrate import integrate
from glassrank.navigational.query_url_features import compute_features
from glassrank.navigational.statistics_folder import IntentStatistics
from glassrank.studies.intent.model import FeatureRow, IntentModel, Prediction

REASONS = 3
MAX_LINE = 1 << 24
SHOWN = 200  # characters of a query in an error
"""Longest line of input, in bytes."""
_RESULT_KEYS = {"url", "rank", "score", "engine", "snippet"}
_QUERY_KEYS = {"query", "query_id", "results"}


@dataclass(frozen=True)
class Answer:
    """The prediction for one query, and the features that decided it, the strongest first."""

    prediction: Prediction
    n_results: int
    reasons: tuple[DecisionContribution, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        reasons = [
            {"feature": why.feature, "label": feature_label(why.feature), "value": why.value, "adds": why.contribution}
            for why in self.reasons
        ]
        return {**self.prediction.to_dict(), "results": self.n_results, "features": reasons}


class IntentService:
    """Predicts the intent of single queries with a model and stored statistics, without reading the log.

    The counts are loaded and the texts of links and pages read once, when the service is made. Without statistics,
    every query needs its results, and the features are those of results alone.
    """

    def __init__(self, model: IntentModel, statistics: IntentStatistics | None, *, reasons: int = REASONS) -> None:
        self.model, self.statistics, self.n_reasons = model, statistics, reasons
        self.sources = _sources(model, statistics)
        self.sources.read_texts()
        if statistics is not None:
            statistics.clicks.open()
        self._needed = {name.partition("|")[0] for name in model.needed}

    def answer(self, query: str, results: SearchResults | None = None) -> Answer:
        """Predict the intent of a query from its results, by default those that the log has for it."""
        row, n_results = self.features(query, results)
        (prediction,) = self.model.predict([row])
        reasons = self.model.explain(row).contributions[: self.n_reasons] if self.n_reasons else ()
        return Answer(prediction, n_results, reasons)

    def features(self, query: str, results: SearchResults | None = None) -> tuple[FeatureRow, int]:
        """Return the features of a query that the model needs, and the number of results they are computed from."""
        known = self.statistics.clicks.results(query) if results is None and self.statistics is not None else None
        found = known if results is None else results
        if found is None:
            shown = query if len(query) <= SHOWN else query[:SHOWN] + "…"
            problem = "There are no statistics, and" if self.statistics is None else "The statistics have"
            raise DataError(f"{problem} no results for the query {shown!r}.", remedy="Give its results with the query.")
        table = compute_features(self.sources.with_results(found), {}, only=self._needed)
        queries = integrate(table)
        values = dict(zip(queries.names, queries.X[0].tolist(), strict=True))
        return FeatureRow(queries.query_ids[0], queries.queries[0], values), len(table.results)

    def answer_lines(self, lines: Iterable[bytes]) -> Iterator[str]:
        """Yield one line of JSON for each line: the answer, or the error with the number of the line."""
        for number, line in enumerate(lines, start=1):
            try:
                content = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
                found = self.answer(*read_line(content)).to_dict()
            except DataError as error:
                found = {"error": str(error)}
            yield json.dumps({"line": number, **found})


def _sources(model: IntentModel, statistics: IntentStatistics | None) -> IntentSources:
    """Return the sources without results, with the settings that the model was trained with."""
    settings = model.agreed(None, None)
    how: dict[str, Any] = {
        "language": settings.language,
        "trusted_hosts": settings.trusted_hosts,
        "urlmr": settings.urlmr,
    }
    if statistics is not None:
        return statistics.sources(**how)
    return IntentSources(SearchResults(query_id=[], query=[], rank=[], url=[]), **how)


def read_line(line: bytes) -> tuple[str, SearchResults | None]:
    """Return the query of a line and its results, if given: a line is a query, or a JSON object that begins with {.

    >>> read_line(b"zen garden")
    ('zen garden', None)
    >>> query, results = read_line(b'{"query": "zen", "results": ["http://zen.org/", {"url": "b", "score": 2}]}')
    >>> query, results.url.tolist(), results.rank.tolist()
    ('zen', ['http://zen.org/', 'b'], [1.0, 2.0])
    """
    if len(line) > MAX_LINE:
        raise DataError(f"The line is too long: expected at most {MAX_LINE:,} bytes.")
    try:
        text = line.decode("utf-8").strip()
    except UnicodeDecodeError as error:
        raise DataError(f"The line is not UTF-8: got {line[error.start : error.start + 1]!r}.") from error
    if not text:
        raise DataError("The line is empty: expected a query, or a JSON object with query and results.")
    return _read_object(text) if text.startswith("{") else (text, None)


def _read_object(text: str) -> tuple[str, SearchResults | None]:
    try:
        given = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise DataError(f"The line begins with {{ but is no JSON: {error}.") from error
    _check_keys("the line", given, _QUERY_KEYS)
    query = given.get("query")
    if not isinstance(query, str) or not query.strip():
        raise DataError(f"query must be a text that is not empty: got {_shown(query)}.")
    results = given.get("results")
    if results is None:
        return query, None
    if not isinstance(results, list) or not results:
        raise DataError(f"results must be a list of addresses or objects that is not empty: got {_shown(results)}.")
    rows = [_result(one, place) for place, one in enumerate(results, start=1)]
    columns = {key: [row.get(key) for row in rows] for key in sorted({key for row in rows for key in row})}
    own = given.get("query_id")
    query_id = query if own is None else str(own)
    return query, SearchResults(query_id=[query_id] * len(rows), query=[query] * len(rows), **columns)


def _result(one: Any, place: int) -> dict[str, Any]:
    if isinstance(one, str):
        one = {"url": one}
    if not isinstance(one, Mapping) or not isinstance(one.get("url"), str):
        raise DataError(f"result {place} must be an address or an object with url: got {_shown(one)}.")
    _check_keys(f"result {place}", one, _RESULT_KEYS)
    return {"rank": place, **one}


def _check_keys(what: str, given: Mapping[str, Any], known: set[str]) -> None:
    if not given.keys() <= known:
        unknown = next(key for key in given if key not in known)
        raise DataError(f"{what} has an unknown key {unknown!r}: expected {', '.join(sorted(known))}.")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _shown(value: Any) -> str:
    return counted(len(value), "item") if isinstance(value, list) else f"{value!r:.80}"
