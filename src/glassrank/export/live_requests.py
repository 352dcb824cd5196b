"""Requests that rank with an uploaded model and log its features, one per engine."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from glassrank.core.checks import DataError
from glassrank.data.feature_logs.logged_document import LoggedDocument
from glassrank.data.feature_logs.opensearch_responses import opensearch_documents, opensearch_error, opensearch_hits
from glassrank.data.feature_logs.solr_responses import solr_documents, solr_error, solr_hits
from glassrank.data.live_engine.engine_client import EngineClient

_LOG = "glassrank"


@dataclass(frozen=True)
class RerankRequest:
    """Which documents to rank with which model."""

    model: str
    query: str
    rows: int
    parameters: Mapping[str, str]
    document: str
    """Field of Solr that identifies documents."""


@dataclass(frozen=True)
class RankedDocument:
    """A document with the engine's score and the columns that the engine's model has used."""

    document: str
    score: float
    columns: Mapping[str, float | None]


def rerank_in_solr(client: EngineClient, request: RerankRequest) -> list[RankedDocument]:
    """Rank with a model of Solr; all returned documents are ranked by it."""
    # References to parameters of the request need no quoting.
    efi = "".join(f" efi.{name}=$gr_{name}" for name in request.parameters)
    form = {
        "q": request.query,
        "rq": f"{{!ltr model={request.model} reRankDocs={request.rows}{efi}}}",
        "fl": f"{request.document},score,[features]",
        "rows": str(request.rows),
        "wt": "json",
        **{f"gr_{name}": value for name, value in request.parameters.items()},
    }
    answer = client.send("POST", "select", form=form)
    _check(client, solr_error(answer))
    scores = [doc.get("score") for _, doc in solr_hits(answer, request.document, client.url)]
    return _ranked(client, scores, list(solr_documents(answer, request.document, None, client.url)))


def rerank_in_opensearch(client: EngineClient, request: RerankRequest) -> list[RankedDocument]:
    """Rank with a model of the LTR plugin of OpenSearch or Elasticsearch."""
    logged = {"_name": _LOG, "featureset": f"{request.model}_fs", "params": dict(request.parameters)}
    rescored = {"sltr": {"model": request.model, "params": dict(request.parameters)}}
    weights = {"query_weight": 0, "rescore_query_weight": 1, "rescore_query": rescored}
    body = {
        "size": request.rows,
        "_source": False,
        "query": {"bool": {"must": [_query(request.query)], "filter": [{"sltr": logged}]}},
        "rescore": {"window_size": request.rows, "query": weights},
        "ext": {"ltr_log": {"log_specs": {"name": _LOG, "named_query": _LOG}}},
    }
    answer = client.send("POST", "_search", body=body)
    _check(client, opensearch_error(answer))
    scores = [hit.get("_score") for _, hit in opensearch_hits(answer, "_id", client.url)]
    return _ranked(client, scores, list(opensearch_documents(answer, None, _LOG, client.url)))


def _query(text: str) -> Any:
    """Return a query in JSON, or one for a text."""
    if not text.lstrip().startswith("{"):
        return {"simple_query_string": {"query": text}}
    try:
        return json.loads(text)
    except ValueError as error:
        raise DataError(f"The query begins with a brace but is not valid JSON: {error}.", parameter="query") from error


def _check(client: EngineClient, problem: str) -> None:
    if problem:
        raise DataError(f"{client.url}: {problem}.")


def _ranked(client: EngineClient, scores: list[Any], documents: list[LoggedDocument]) -> list[RankedDocument]:
    for one, score in zip(documents, scores, strict=True):
        if not isinstance(score, int | float):
            raise DataError(f"{client.url}: document {one.document!r} has no score: got {score!r}.")
    return [
        RankedDocument(one.document, float(score), dict(zip(one.names, one.values, strict=True)))
        for one, score in zip(documents, scores, strict=True)
    ]


REQUESTS: dict[str, Callable[[EngineClient, RerankRequest], list[RankedDocument]]] = {
    "solr": rerank_in_solr,
    "opensearch": rerank_in_opensearch,
    "elasticsearch": rerank_in_opensearch,
}
"""Format of an export → how its engine ranks."""
