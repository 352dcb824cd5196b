"""Responses of OpenSearch and Elasticsearch with features that their LTR plugins have logged (``ext.ltr_log``)."""

from collections.abc import Iterator, Mapping
from typing import Any

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.data.feature_logs.logged_document import LoggedDocument, as_value, logged_document
from glassrank.data.judgements.judgement_json import as_document

DOCUMENT = "_id"
_LOG = "_ltrlog"


def is_opensearch(response: Mapping[str, Any]) -> bool:
    """Return whether a response is one of OpenSearch or Elasticsearch."""
    return isinstance(response.get("hits"), Mapping) or ("error" in response and "status" in response)


def opensearch_error(response: Mapping[str, Any]) -> str:
    """Return why a response has no complete result; '' if it has one."""
    if "error" in response:
        error = response["error"]
        return f"the engine reports: {error.get('reason', error) if isinstance(error, Mapping) else error}"
    shards = response.get("_shards")
    failed = shards.get("failed", 0) if isinstance(shards, Mapping) else 0
    return "the result is partial" if failed or response.get("timed_out") else ""


def opensearch_hits(response: Mapping[str, Any], document: str, place: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the identifier and the content of each hit; a field other than ``_id`` is looked up in the hit's fields."""
    hits = response.get("hits")
    found = hits.get("hits") if isinstance(hits, Mapping) else None
    if not isinstance(found, list):
        raise DataError(f"{place}: expected a list of documents in hits.hits of the response.")
    for number, hit in enumerate(found):
        where = f"{place}, hits.hits[{number}]"
        if not isinstance(hit, Mapping):
            raise DataError(f"{where}: expected an object, got {type(hit).__name__}.")
        value = next((part[document] for part in _parts(hit) if document in part), None)
        if value is None:
            raise DataError(
                f"{where}: there is no field {document!r}.",
                remedy=f"Ask for it, or name another: {setting('document_field', python='document=...')}.",
            )
        # The values of a field are a list.
        yield as_document(value[0] if isinstance(value, list) and len(value) == 1 else value, where), hit


def _parts(hit: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    return (part for part in (hit, hit.get("_source"), hit.get("fields")) if isinstance(part, Mapping))


def opensearch_documents(
    response: Mapping[str, Any], document: str | None, field: str | None, place: str
) -> Iterator[LoggedDocument]:
    """Yield the documents of a response with their features; ``field`` is the name of the log, if there are several."""
    for identifier, hit in opensearch_hits(response, document or DOCUMENT, place):
        fields = hit.get("fields")
        entries = fields.get(_LOG) if isinstance(fields, Mapping) else None
        logs = {
            name: log
            for entry in (entries if isinstance(entries, list) else ())
            if isinstance(entry, Mapping)
            for name, log in entry.items()
        }
        yield logged_document(identifier, _pairs(_chosen(logs, field, identifier, place), identifier, place), place)


def _chosen(logs: Mapping[str, Any], field: str | None, document: str, place: str) -> Any:
    if field is None and len(logs) == 1:
        return next(iter(logs.values()))
    if field is not None and field in logs:
        return logs[field]
    found = f"the logs {', '.join(map(repr, logs))}" if logs else f"no {_LOG}"
    expected = "one log of features" if field is None else f"the log {field!r}"
    raise DataError(
        f"{place}: document {document!r} has {found}: expected {expected}.",
        remedy=(
            "Log features with ext.ltr_log",
            f"name the log: {setting('log_field', python='field=...')}",
        ),
    )


def _pairs(log: Any, document: str, place: str) -> Iterator[tuple[str, float | None]]:
    if not isinstance(log, list):
        raise DataError(f"{place}, document {document!r}: expected a list of features, got {type(log).__name__}.")
    for entry in log:
        name = entry.get("name") if isinstance(entry, Mapping) else None
        if not isinstance(name, str):
            raise DataError(f"{place}, document {document!r}: a feature has no name: {str(entry)[:60]!r}.")
        value = entry.get("value")
        yield name, None if value is None else as_value(value, name, document, place)
