"""Responses of Solr and OpenSearch, as their documentation prints them."""

import json
from pathlib import Path


def solr_response(features: dict[str, str], q: str | None = "blue jeans", **header: object) -> dict:
    """Return a response of Solr with these texts of features by document."""
    head = {"status": 0, "QTime": 1} | ({} if q is None else {"params": {"q": q, "fl": "id,[features]"}}) | header
    docs = [{"id": document, "[features]": text} for document, text in features.items()]
    return {"responseHeader": head, "response": {"numFound": len(docs), "start": 0, "docs": docs}}


def opensearch_response(features: dict[str, dict[str, float | None]], log: str = "f") -> dict:
    """Return a response of OpenSearch's LTR plugin; a feature without a value did not match the document."""
    hits = [
        {
            "_index": "shop",
            "_id": document,
            "_score": 0.0,
            "fields": {
                "_ltrlog": [{log: [{"name": n} if v is None else {"name": n, "value": v} for n, v in values.items()]}]
            },
            "matched_queries": ["gr"],
        }
        for document, values in features.items()
    ]
    shards = {"total": 1, "successful": 1, "skipped": 0, "failed": 0}
    return {"took": 1, "timed_out": False, "_shards": shards, "hits": {"total": {"value": len(hits)}, "hits": hits}}


def wrapped(query: str, response: dict) -> dict:
    return {"query": query, "response": response}


def write_lines(path: Path, *values: dict) -> Path:
    """Write one JSON value per line."""
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values))
    return path
