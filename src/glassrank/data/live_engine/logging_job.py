"""Logs the features of all judged documents in a running search engine, and resumes where it stopped."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from glassrank.core.checks import DataError, check_choice, check_positive
from glassrank.core.limits import MAX_JSON_BYTES
from glassrank.core.progress import Progress, silent
from glassrank.core.wording import counted
from glassrank.data.judgements.judgements import Judgements
from glassrank.data.live_engine.engine_client import EngineClient
from glassrank.data.live_engine.log_requests import REQUESTS, LogSettings
from glassrank.files.atomic_files import check_place
from glassrank.files.input_files import input_lines, open_input
from glassrank.files.json_files import parse_json
from glassrank.files.locks import LockedError, lock_file

MAX_BATCH = 1_000
# How every line begins
_START = b'{"query": '


@dataclass(frozen=True)
class LoggingReport:
    """What ``log_features`` has written; prints the documents that the engine did not return."""

    path: str
    n_requests: int
    """Number of requests of this run."""
    n_resumed: int
    """Number of judged documents that an earlier run had asked for."""
    n_logged: int
    """Number of documents in the log."""
    not_returned: tuple[tuple[str, str], ...]
    """Query and document of judgements for which the engine returned nothing."""

    def __str__(self) -> str:
        lines = [f"{self.path}: {counted(self.n_logged, 'document')}, {counted(self.n_requests, 'request')}"]
        if self.n_resumed:
            lines.append(f"resumed after {counted(self.n_resumed, 'document')} of an earlier run")
        if self.not_returned:
            query, document = self.not_returned[0]
            are = counted(len(self.not_returned), "judged document was", "judged documents were")
            lines.append(f"{are} not returned by the engine, such as {document!r} ({query!r}).")
        return "\n".join(lines)

    def to_json(self) -> str:
        """Return the counts and all documents that were not returned as JSON."""
        return json.dumps(asdict(self))


def log_features(
    url: str,
    judgements: Judgements,
    output: str | os.PathLike[str],
    *,
    engine: str,
    features: str,
    text_parameter: str = "text",
    parameters: Mapping[str, str] | None = None,
    document: str | None = None,
    batch: int = MAX_BATCH,
    timeout: float = 60.0,
    progress: Progress | None = None,
) -> LoggingReport:
    """Ask a search engine for the features of all judged documents, and write them for ``load_feature_log``.

    ``url`` is the address of a core of Solr, such as ``http://localhost:8983/solr/shop``, or of an index of OpenSearch
    or Elasticsearch, such as ``https://localhost:9200/shop``; ``engine`` is ``"solr"`` or ``"opensearch"``.
    ``features`` names the feature store of Solr, or the feature set. The features receive the text of the query as
    ``text_parameter`` (``efi.text`` in Solr), and ``parameters`` for all queries. ``document`` is the field of Solr
    that identifies documents, by default ``id``.

    For each query, exactly the judged documents are requested, at most ``batch`` at once. Every answer is written as
    one line to ``output``, at once. If the file exists, only documents that it does not contain are requested; it must
    have been written with the same settings. Judged documents that the engine does not return are listed in the result,
    and are not requested again. If the engine returns none of them, that is an error, and there is no log.

    Credentials are taken from the environment variables ``GLASSRANK_ENGINE_USER`` and ``GLASSRANK_ENGINE_PASSWORD``, or
    ``GLASSRANK_ENGINE_API_KEY``.

    >>> judgements = Judgements(["zen", "zen"], ["d1", "d2"], [3, 0])
    >>> log_features("localhost:8983/solr/shop", judgements, "log.jsonl", engine="solr", features="shop")
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: url must be an address that begins with http:// or https://: got \
'localhost:8983/solr/shop'.
    """
    check_choice("engine", engine, REQUESTS)
    check_positive("batch", batch, whole=True)
    if batch > MAX_BATCH:
        raise DataError(parameter="batch", expected=f"at most {MAX_BATCH:,}", got=batch)
    if Path(output).suffix.lower() in (".gz", ".xz", ".bz2"):
        raise DataError(f"{output}: the log is written line by line, and cannot be packed.", remedy="Pack it later.")
    settings = LogSettings(engine, features, text_parameter, dict(parameters or {}), document)
    client = EngineClient(url, timeout)
    path = check_place(output)
    try:
        with lock_file(f"{path}.lock"):
            return _Job(client, settings, path).run(judgements, batch, progress or silent)
    except LockedError as error:
        raise DataError(f"{output}: {error.holder} is writing to it.", remedy="Wait until it has finished.") from error


class _Job:
    """A log that grows by one line per answer."""

    def __init__(self, client: EngineClient, settings: LogSettings, path: Path) -> None:
        self.client, self.settings, self.path = client, settings, path
        self.requests = REQUESTS[settings.engine]
        self.asked: dict[tuple[str, str], bool] = {}
        """Query and document → whether the engine has returned it."""

    def run(self, judgements: Judgements, batch: int, progress: Progress) -> LoggingReport:
        if self.path.exists():
            self._resume()
        earlier = set(self.asked)
        self.requests.check(self.client, self.settings)
        judged = _by_query(judgements)
        batches = list(_batches(judged, earlier, batch))
        for number, (query, documents) in enumerate(batches):
            progress(number, len(batches), f"Logging {query!r}")
            self._append(self._line(query, documents))
        if judged and not any(self.asked.values()):
            # Without documents it is no log, and would stand in the way of the next attempt.
            self.path.unlink(missing_ok=True)
            raise self.requests.none_returned(self.client, self.settings, next(iter(judged.values()))[0])
        pairs = [(query, document) for query, documents in judged.items() for document in documents]
        return LoggingReport(
            str(self.path),
            n_requests=len(batches),
            n_resumed=sum(pair in earlier for pair in pairs),
            n_logged=sum(self.asked.values()),
            not_returned=tuple(pair for pair in pairs if not self.asked[pair]),
        )

    def _append(self, line: bytes) -> None:
        try:
            with self.path.open("ab") as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise DataError(f"{self.path}: cannot be written: {error.strerror}.") from error

    def _line(self, query: str, documents: list[str]) -> bytes:
        response = self.requests.ask(self.client, self.settings, query, documents)
        self._count(query, documents, response, f"{self.client.url}, query {query!r}")
        line = {"query": query, "documents": documents, "request": self._request(), "response": response}
        return json.dumps(line, ensure_ascii=False).encode() + b"\n"

    def _request(self) -> dict[str, Any]:
        return {"url": self.client.url} | asdict(self.settings)

    def _count(self, query: str, documents: list[str], response: Mapping[str, Any], place: str) -> None:
        problem = self.requests.problem(response)
        if problem:
            raise DataError(f"{place}: {problem}.")
        returned = {one.document for one in self.requests.documents(response, self.settings.document, None, place)}
        for document in documents:
            self.asked[query, document] = document in returned

    def _resume(self) -> None:
        """Read what is there; a line that an interruption has cut is removed."""
        complete, size = 0, self.path.stat().st_size
        with open_input(self.path) as stream:
            for number, content in enumerate(input_lines(stream, self.path, MAX_JSON_BYTES), start=1):
                end = complete + len(content) + 1
                if end > size and (number > 1 or content.startswith(_START)):
                    break
                self._take(content, number)
                complete = end
        if complete < size:
            os.truncate(self.path, complete)

    def _take(self, content: bytes, number: int) -> None:
        place = f"{self.path}:{number}"
        line = parse_json(content, place, number, unique=False)
        if not isinstance(line, dict) or not {"query", "documents", "request", "response"} <= line.keys():
            raise DataError(f"{place}: not a line of a feature log.", remedy="Choose another name for the log.")
        for name, value in self._request().items():
            if line["request"].get(name) != value:
                raise DataError(
                    f"{place}: the log was written with {name} {line['request'].get(name)!r}, not {value!r}.",
                    remedy="Use the same settings, or choose another name for the log.",
                )
        self._count(line["query"], line["documents"], line["response"], place)


def _by_query(judgements: Judgements) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for query, document in zip(judgements.query.tolist(), judgements.doc_ids.tolist(), strict=True):
        found.setdefault(query, []).append(document)
    return found


def _batches(judged: dict[str, list[str]], done: set[tuple[str, str]], size: int) -> Iterator[tuple[str, list[str]]]:
    for query, documents in judged.items():
        left = [document for document in documents if (query, document) not in done]
        for start in range(0, len(left), size):
            yield query, left[start : start + size]
