"""Requests to Solr as a user sends them, and its answers as float32 numbers."""

import json
from dataclasses import dataclass
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import numpy as np


@dataclass(frozen=True)
class SolrClient:
    """One core of a running Solr."""

    url: str

    def send(self, method, path, body=None, **parameters):
        """Send a request with a JSON body, and return the JSON answer, also of an error."""
        address = f"{self.url}/{path}" + (f"?{urlencode(parameters)}" if method != "POST" else "")
        headers = {"Content-type": "application/json"}
        if method == "POST" and body is None:  # long queries
            data, headers = urlencode(parameters).encode(), {}
        else:
            data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        try:
            with urlopen(Request(address, data=data, headers=headers, method=method), timeout=60) as answer:
                return json.load(answer)
        except HTTPError as error:
            return json.load(error)

    def accept(self, method, path, body=None, **parameters):
        """Send a request that must succeed."""
        answer = self.send(method, path, body, **parameters)
        assert "error" not in answer, answer["error"]
        assert answer["responseHeader"]["status"] == 0, answer
        return answer

    def index(self, documents):
        """Add documents, each a mapping of fields, and make them visible."""
        self.accept("POST", "update", [*documents])
        self.accept("POST", "update", {"commit": {}})

    def index_rows(self, X, names):
        """Add one document per row with one float field per feature, named ``<feature>_f``; NaN means no field."""
        self.index(
            {"id": str(row), **{f"{name}_f": float(x) for name, x in zip(names, values, strict=True) if x == x}}
            for row, values in enumerate(X)
        )

    def scores(self, model, **parameters):
        """Return id -> float32 score of every document, reranked by the model."""
        return {hit["id"]: np.float32(hit["score"]) for hit in self.rerank(model, **parameters)}

    def row_scores(self, model, rows):
        """Return the scores of `index_rows`, in the order of the rows."""
        found = self.scores(model)
        return np.array([found[str(row)] for row in range(rows)], np.float32)

    def rerank(self, model, fields="id,score", external="", **parameters):
        """Return every document in the order of the model; ``external`` are parameters such as ``efi.text=blue``."""
        query = f"{{!ltr model={model} reRankDocs=1000000 {external}}}"
        return self.accept("POST", "select", q="*:*", rows=1_000_000, fl=fields, rq=query, wt="json", **parameters)[
            "response"
        ]["docs"]

    def clear(self):
        """Delete all documents, models and features."""
        self.accept("POST", "update", {"delete": {"query": "*:*"}})
        self.accept("POST", "update", {"commit": {}})
        self.clear_models()

    def clear_models(self):
        """Delete all models, then the features that they used."""
        for model in self.models():
            self.accept("DELETE", f"schema/model-store/{model}")
        for store in self.stores():
            self.accept("DELETE", f"schema/feature-store/{store}")

    def models(self):
        """Return the names of the models."""
        return [model["name"] for model in self.accept("GET", "schema/model-store")["models"]]

    def stores(self):
        """Return the names of the stores that contain features."""
        return self.accept("GET", "schema/feature-store")["featureStores"]
