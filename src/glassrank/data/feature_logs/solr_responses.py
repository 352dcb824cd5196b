"""Responses of Solr with logged features (``fl=id,[features store=…]``), and the defaults of a feature store."""

import os
from collections.abc import Iterator, Mapping
from typing import Any

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.data.feature_logs.logged_document import LoggedDocument, as_value, logged_document
from glassrank.data.judgements.judgement_json import as_document
from glassrank.files.json_files import read_json

FIELD, DOCUMENT = "[features]", "id"


def is_solr(response: Mapping[str, Any]) -> bool:
    """Return whether a response is one of Solr."""
    inner = response.get("response")
    return "responseHeader" in response or (isinstance(inner, Mapping) and "docs" in inner)


def solr_error(response: Mapping[str, Any]) -> str:
    """Return why a response has no complete result; '' if it has one."""
    header = response.get("responseHeader")
    header = header if isinstance(header, Mapping) else {}
    if "error" in response or header.get("status", 0) != 0:
        error = response.get("error")
        return f"Solr reports: {error.get('msg', error) if isinstance(error, Mapping) else header.get('status')}"
    return "the result is partial" if header.get("partialResults") else ""


def solr_query(response: Mapping[str, Any], parameter: str) -> Any:
    """Return a parameter of the request, which Solr repeats in the header of the response; None if it does not."""
    header = response.get("responseHeader")
    params = header.get("params") if isinstance(header, Mapping) else None
    return params.get(parameter) if isinstance(params, Mapping) else None


def solr_hits(response: Mapping[str, Any], document: str, place: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the identifier and the fields of each document of a response."""
    inner = response.get("response")
    docs = inner.get("docs") if isinstance(inner, Mapping) else None
    if not isinstance(docs, list):
        raise DataError(f"{place}: expected a list of documents in response.docs of Solr's response.")
    for number, doc in enumerate(docs):
        where = f"{place}, response.docs[{number}]"
        if not isinstance(doc, Mapping):
            raise DataError(f"{where}: expected an object, got {type(doc).__name__}.")
        if document not in doc:
            raise DataError(
                f"{where}: there is no field {document!r}: the fields are {', '.join(map(repr, doc))}.",
                remedy=f"Ask for it (fl), or name another: {setting('document_field', python='document=...')}.",
            )
        yield as_document(doc[document], where), doc


def solr_documents(
    response: Mapping[str, Any], document: str | None, field: str | None, place: str
) -> Iterator[LoggedDocument]:
    """Yield the documents of a response with their features."""
    name = field or FIELD
    for identifier, doc in solr_hits(response, document or DOCUMENT, place):
        text = doc.get(name)
        if not isinstance(text, str):
            found = "no field" if text is None else f"no text in field {name!r}, but {type(text).__name__} in field"
            raise DataError(
                f"{place}: document {identifier!r} has {found} {name!r}.",
                remedy=(
                    "Add [features] to the parameter fl of the request",
                    f"name the field that has the features: {setting('log_field', python='field=...')}",
                ),
            )
        yield logged_document(identifier, _pairs(text, identifier, place), place)


def _pairs(text: str, document: str, place: str) -> Iterator[tuple[str, float | None]]:
    """Yield the names and values of ``a=1.0,b=2.0``; the first equals sign ends the name."""
    for piece in text.split(",") if text else ():
        name, equals, value = piece.partition("=")
        if not equals:
            raise DataError(
                f"{place}, document {document!r}: expected a name, an equals sign and a value between commas, got "
                f"{piece[:60]!r}.",
                remedy="If it is part of a feature's name, rename the feature: no comma, no equals sign.",
            )
        yield name, as_value(value, name, document, place)


def store_defaults(path: str | os.PathLike[str]) -> dict[str, float]:
    """Return the features of a store in its order, each with its default: ``defaultValue``, or else Solr's own, 0.

    The file is what ``GET …/schema/feature-store/NAME`` returns, or the array that was uploaded.

    >>> import json, pathlib
    >>> features = [{"name": "bm25"}, {"name": "price", "params": {"field": "price", "defaultValue": "-1"}}]
    >>> _ = pathlib.Path("store.json").write_text(json.dumps(features))
    >>> store_defaults("store.json")
    {'bm25': 0.0, 'price': -1.0}
    """
    content = read_json(path)
    features = content.get("features") if isinstance(content, dict) else content
    if not isinstance(features, list) or not features:
        raise DataError(f"{path}: expected the features of a Solr feature store: a list, or an object with 'features'.")
    defaults: dict[str, float] = {}
    for number, feature in enumerate(features):
        name = feature.get("name") if isinstance(feature, dict) else None
        if not isinstance(name, str) or not name:
            raise DataError(f"{path}: feature {number} has no name.")
        if name in defaults:
            raise DataError(f"{path}: feature {name!r} appears twice.", remedy="Save one store per file.")
        params = feature.get("params") or {}
        value = params.get("defaultValue", 0.0) if isinstance(params, dict) else 0.0
        defaults[name] = as_value(value, name, "defaultValue", os.fspath(path))
    return defaults
