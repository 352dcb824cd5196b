"""Requests that log the features of given documents for a query, one builder per engine."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.data.feature_logs.logged_document import LoggedDocument
from glassrank.data.feature_logs.opensearch_responses import opensearch_documents, opensearch_error
from glassrank.data.feature_logs.solr_responses import DOCUMENT, solr_documents, solr_error
from glassrank.data.live_engine.engine_client import EngineClient

_NAME = re.compile(r"[A-Za-z0-9_.-]+")
_LOG = "glassrank"
_DOCUMENT_FIELD = setting("document_field", python="document")
# Separators of identifiers in a query of Solr; the first that no identifier contains is used.
_SEPARATORS = (",", "|", "\x01", "\x02")


@dataclass(frozen=True)
class LogSettings:
    """What is logged, and how documents are identified; ``parameters`` are the same for all queries."""

    engine: str
    features: str
    text_parameter: str
    parameters: Mapping[str, str]
    document: str | None

    def __post_init__(self) -> None:
        names = [(setting("features"), self.features), (setting("text_parameter"), self.text_parameter)]
        names += [(setting("parameters"), name) for name in self.parameters]
        names += [(_DOCUMENT_FIELD, self.document)] if self.document is not None else []
        for which, name in names:
            if not _NAME.fullmatch(name):
                raise DataError(f"{which} must be a name of letters, digits, _, . and -: got {name!r}.")
        if self.text_parameter in self.parameters:
            raise DataError(
                f"{setting('parameters')} must not contain {self.text_parameter!r}, the parameter with the text of the "
                "query.",
                remedy=f"Choose another {setting('text_parameter')}, or leave it out.",
            )


@dataclass(frozen=True)
class LogRequests:
    """How an engine is asked: a check before the first request, the request, and the documents of its answer."""

    check: Callable[[EngineClient, LogSettings], None]
    ask: Callable[[EngineClient, LogSettings, str, Sequence[str]], dict[str, Any]]
    problem: Callable[[Mapping[str, Any]], str]
    documents: Callable[[Mapping[str, Any], str | None, str | None, str], Iterator[LoggedDocument]]
    example: Callable[[EngineClient], Mapping[str, Any] | None]
    """Fields of any one document, or None if there is none."""

    def none_returned(self, client: EngineClient, settings: LogSettings, document: str) -> DataError:
        """Return the error for a log without any document, with the fields that documents have instead."""
        fields = self.example(client)
        if fields is None:
            return DataError(f"{client.url} has no documents.", remedy="Check the address, or index the documents.")
        field = (settings.document or DOCUMENT) if settings.engine == "solr" else "_id"
        shown = [f"{name} = {str(value)[:40]!r}" for name, value in fields.items() if isinstance(value, (str, int))]
        other = f"Name the field that has the identifiers of the judgements ({_DOCUMENT_FIELD})"
        same = "use the engine's identifiers in the judgements"
        return DataError(
            f"{client.url} returned none of the judged documents: none has {document!r} in field {field!r}. One of its "
            f"documents has {', '.join(shown[:8]) or 'no field with a text or a whole number'}.",
            remedy=(other, same) if settings.engine == "solr" else f"{same.capitalize()}.",
        )


def _check_store(client: EngineClient, settings: LogSettings) -> None:
    """Raise an error for a store without features, and for a feature that a request by identifiers cannot log."""
    path = f"schema/feature-store/{settings.features}"
    features = client.send("GET", path).get("features")
    if not isinstance(features, list) or not features:
        raise DataError(
            f"{client.url}/{path}: the feature store has no features.", remedy="Check the name, or upload the features."
        )
    first_pass = [
        str(feature.get("name"))
        for feature in features
        if isinstance(feature, Mapping) and str(feature.get("class", "")).endswith(".OriginalScoreFeature")
    ]
    if first_pass:
        raise DataError(
            f"Feature {first_pass[0]!r} is the score of the main query (OriginalScoreFeature), which does not exist "
            "when documents are requested by their identifiers.",
            remedy="Define it by a query of its own (SolrFeature), or log it with your own queries.",
        )


def _ask_solr(client: EngineClient, settings: LogSettings, query: str, documents: Sequence[str]) -> dict[str, Any]:
    separator = next((mark for mark in _SEPARATORS if not any(mark in one for one in documents)), None)
    if separator is None:
        raise DataError("The identifiers of documents contain all separators: commas, bars and control characters.")
    values = {settings.text_parameter: query, **settings.parameters}
    # References to parameters of the request need no quoting.
    efi = "".join(f" efi.{name}=$gr_{name}" for name in values)
    key = settings.document or DOCUMENT
    form = {
        "q": "*:*",
        "fq": f"{{!terms f={key} separator=$gr_separator v=$gr_documents}}",
        "fl": f"{key},[features store={settings.features} format=dense{efi}]",
        "rows": str(len(documents)),
        "wt": "json",
        "echoParams": "none",
        "gr_separator": separator,
        "gr_documents": separator.join(documents),
    }
    return client.send("POST", "select", form=form | {f"gr_{name}": value for name, value in values.items()})


def _example_of_solr(client: EngineClient) -> Mapping[str, Any] | None:
    answer = client.send("POST", "select", form={"q": "*:*", "rows": "1", "fl": "*", "wt": "json"})
    found: Any = answer.get("response", {}).get("docs")
    return found[0] if found else None


def _check_opensearch(client: EngineClient, settings: LogSettings) -> None:
    if settings.document is not None:
        raise DataError(
            f"{_DOCUMENT_FIELD} is for Solr: OpenSearch identifies documents by _id, got {settings.document!r}.",
            remedy="Omit it.",
        )


def _ask_opensearch(
    client: EngineClient, settings: LogSettings, query: str, documents: Sequence[str]
) -> dict[str, Any]:
    sltr = {
        "_name": _LOG,
        "featureset": settings.features,
        "params": {settings.text_parameter: query, **settings.parameters},
    }
    body = {
        "size": len(documents),
        "_source": False,
        "query": {"bool": {"filter": [{"terms": {"_id": list(documents)}}, {"sltr": sltr}]}},
        "ext": {"ltr_log": {"log_specs": {"name": _LOG, "named_query": _LOG}}},
    }
    return client.send("POST", "_search", body=body)


def _example_of_opensearch(client: EngineClient) -> Mapping[str, Any] | None:
    found: Any = client.send("POST", "_search", body={"size": 1, "_source": False}).get("hits", {}).get("hits")
    return {"_id": found[0].get("_id")} if found else None


REQUESTS = {
    "solr": LogRequests(_check_store, _ask_solr, solr_error, solr_documents, _example_of_solr),
    "opensearch": LogRequests(
        _check_opensearch, _ask_opensearch, opensearch_error, opensearch_documents, _example_of_opensearch
    ),
}
