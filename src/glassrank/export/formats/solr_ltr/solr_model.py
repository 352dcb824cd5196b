"""A model as Solr stores it, with the bound of its rounding errors."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from glassrank.export.formats.solr_ltr.solr_features import Input

_USAGE = """Upload the features, then the model. Solr overwrites neither; a changed model has another name.
  curl -X PUT -H 'Content-type: application/json' --data-binary @features.json "$SOLR/schema/feature-store"
  curl -X PUT -H 'Content-type: application/json' --data-binary @model.json "$SOLR/schema/model-store"
SOLR is the address of your collection, such as http://localhost:8983/solr/shop. In SolrCloud, reload the collection.
Rank the first 100 results of a query again:
  q=…&rq={{!ltr model={name} reRankDocs=100{parameters}}}&fl=id,score
Delete both:
  curl -X DELETE "$SOLR/schema/model-store/{name}"
  curl -X DELETE "$SOLR/schema/feature-store/{name}\""""


@dataclass(frozen=True)
class SolrModel:
    """Class, features and parameters of a model; Solr sums up to ``rounding`` differently than real numbers would."""

    kind: str
    inputs: tuple[Input, ...]
    params: Mapping[str, Any]
    rounding: float
    costs: Mapping[str, float]
    table_error: float = 0.0
    constant_included: bool = True

    def files(self, name: str) -> dict[str, bytes]:
        """Return the files to upload; features are in a store of their own, named like the model."""
        features = [one.stored(name) for one in self.inputs]
        model = {
            "store": name,
            "name": name,
            "class": f"org.apache.solr.ltr.model.{self.kind}",
            "features": [one.used() for one in self.inputs],
            "params": self.params,
        }
        return {"features.json": _json(features, indent=1), "model.json": _json(model)}

    def usage(self, name: str) -> str:
        """Return how to upload the model, how to use it and how to delete it."""
        texts = json.dumps([dict(one.params) for one in self.inputs])
        parameters = dict.fromkeys(re.findall(r"\$\{(\w+)", texts))
        return _USAGE.format(name=name, parameters="".join(f" efi.{one}=…" for one in parameters))


def _json(value: Any, indent: int | None = None) -> bytes:
    return (json.dumps(value, indent=indent, ensure_ascii=False) + "\n").encode()
