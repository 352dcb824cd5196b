"""Intents of pasted or uploaded queries: probability and deciding features of each, or the error of its line."""

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from glassrank.core.checks import DataError
from glassrank.data.csv_dialect import DELIMITERS, CsvText
from glassrank.data.logs.load_results import load_results
from glassrank.studies.intent.model import FeatureRow, check_columns, read_row, rows_of_results
from glassrank.studies.intent.service import IntentService, read_line

MAX_QUERIES = 1000
"""Queries that are answered at once; more are a task for ``glassrank intent predict``."""
SHOWN_FEATURES = 5
LINES, RESULTS, FEATURES = "queries", "table of results", "table of features"
PARQUET = b"PAR1"


@dataclass(frozen=True)
class AnsweredQuery:
    """The answer for one query, or why there is none."""

    line: int | None
    """Line of the input; None if a query has several lines."""
    query_id: str = ""
    query: str = ""
    label: str = ""
    """The predicted class."""
    probability: float | None = None
    """P of the class that the features support or oppose: navigational, with more than two classes the predicted."""
    outcome: str = ""
    """That class."""
    features: tuple[tuple[str, str, str, str, str], ...] = ()
    """The strongest features: what each adds to the log-odds, label, value, usual value and code."""
    error: str = ""


@dataclass(frozen=True)
class AnsweredQueries:
    """The answers for all queries of an input."""

    kind: str
    """What the input was read as."""
    answers: tuple[AnsweredQuery, ...]
    notes: tuple[str, ...]
    """Messages about absent, unusual or left-out input."""

    @property
    def n_errors(self) -> int:
        """Number of queries or lines without an answer."""
        return sum(bool(one.error) for one in self.answers)


def answer_queries(service: IntentService, content: bytes, place: str = "text") -> AnsweredQueries:
    """Answer queries in any input format of the command line.

    The input is a table of results (query_id, query, rank, url), as ``glassrank intent predict --results`` reads it, a
    table of features (``--features``), both as CSV or TSV, results also as Parquet, or one query per line, as
    ``glassrank intent serve`` reads them. ``place`` names the input in messages.
    """
    warning = service.model.warning_about(service.sources)
    notes = [] if warning is None else [warning]
    kind, delimiter = _recognise(content)
    if kind == LINES:
        answers = tuple(_of_lines(service, content))
    elif kind == FEATURES:
        answers = tuple(_of_table(service, content, delimiter, place))
    else:
        answers = tuple(_of_results(service, content, delimiter, place, notes))
    if not answers:
        raise DataError(f"{place}: there is no query: expected one per line, or a table.", remedy="Enter some.")
    return AnsweredQueries(kind, answers, tuple(notes))


def _recognise(content: bytes) -> tuple[str, str]:
    """Return the kind of the input and the delimiter of a table, by its first line."""
    if content.startswith(PARQUET):
        return RESULTS, ""
    first = content.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n").splitlines()[:1]
    for delimiter in DELIMITERS.values():
        names = {name.strip().strip('"') for name in b"".join(first).decode(errors="replace").split(delimiter)}
        if "query_id" in names and any("|" in name for name in names):
            return FEATURES, delimiter
        if {"query_id", "url"} <= names or {"query", "rank", "url"} <= names:
            return RESULTS, delimiter
    return LINES, ""


def _of_lines(service: IntentService, content: bytes) -> Iterator[AnsweredQuery]:
    lines = content.removeprefix(b"\xef\xbb\xbf").splitlines()
    # Blank lines between pasted queries are no queries; the others keep their numbers.
    filled = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    _check_number(len(filled))
    for number, line in filled:
        try:
            row, _ = service.features(*read_line(line))
            yield _answer(service, row, number)
        except DataError as error:
            yield AnsweredQuery(number, query=line[:200].decode(errors="replace"), error=str(error))


def _of_table(service: IntentService, content: bytes, delimiter: str, place: str) -> Iterator[AnsweredQuery]:
    needed = service.model.needed
    _check_number(CsvText(io.BytesIO(content), delimiter, place).count())
    lines = CsvText(io.BytesIO(content), delimiter, place)
    check_columns(lines, needed, place)
    for number, fields in lines.records():
        line = dict(zip(lines.names, fields, strict=True))
        try:
            yield _answer(service, read_row(line, needed, f"{place}:{number}"), number)
        except DataError as error:
            yield AnsweredQuery(number, line["query_id"], line.get("query", ""), error=str(error))


def _of_results(
    service: IntentService, content: bytes, delimiter: str, place: str, notes: list[str]
) -> Iterator[AnsweredQuery]:
    formats = {mark: name for name, mark in DELIMITERS.items()}
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"results.{formats.get(delimiter, 'parquet')}"
        path.write_bytes(content)
        try:
            results = load_results(path)
        except DataError as error:
            raise DataError(str(error).replace(str(path), place)) from error
        report = str(results.reading).replace(str(path), place).replace(path.name, place)
    _check_number(len(set(results.query_id)))
    notes.append(report)
    for row in rows_of_results(service.sources.with_results(results), note=notes.append):
        try:
            yield _answer(service, row, None)
        except DataError as error:
            yield AnsweredQuery(None, row.query_id, row.query, error=str(error))


def _answer(service: IntentService, row: FeatureRow, line: int | None) -> AnsweredQuery:
    (prediction,) = service.model.predict([row])
    why = service.model.explain(row)
    return AnsweredQuery(
        line,
        row.query_id,
        row.query,
        prediction.label,
        prediction.probabilities[why.outcome],
        why.outcome,
        tuple(why.strongest(SHOWN_FEATURES)),
    )


def _check_number(count: int) -> None:
    if count > MAX_QUERIES:
        raise DataError(
            f"At most {MAX_QUERIES:,} queries are answered at once: got more.",
            remedy="Enter fewer, or use glassrank intent predict.",
        )


def count_labels(answers: Iterable[AnsweredQuery]) -> dict[str, int]:
    """Return how many queries have each predicted class, the most frequent first.

    >>> count_labels([AnsweredQuery(1, label="navigational"), AnsweredQuery(2, error="The line is empty.")])
    {'navigational': 1}
    """
    found: dict[str, int] = {}
    for one in answers:
        if not one.error:
            found[one.label] = found.get(one.label, 0) + 1
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))
